//! The parts of a server that requests may access: its metrics and its own tokens.

use std::fmt;

use super::Request;
use crate::api::json::{Value, json};
use crate::kinds::Kind;
use crate::kinds::admission::User;
use crate::kinds::tree::{field, text, texts};

/// Returns the metrics of a server as text.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Metrics, Request, respond};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let numbers = || "my_requests_total 7\n".to_owned();
/// let metrics = Metrics(&numbers);
/// let request = Request { metrics: Some(&metrics), ..Request::get("/metrics", administrator()) };
/// assert_eq!(respond(&cluster, &request).code, 200);
/// ```
pub struct Metrics<'a>(pub &'a (dyn Fn() -> String + Sync));

impl fmt::Debug for Metrics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

/// Returns the user of a token that the server issued or read from a file, for token reviews.
///
/// ```
/// use ctl_cluster::administrator;
/// use ctl_serve::{Request, Tokens, respond};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let known = |token: &str| (token == "secret").then(administrator);
/// let tokens = Tokens(&known);
/// let review = r#"{"kind": "TokenReview", "spec": {"token": "secret"}}"#;
/// let request = Request {
///     method: "POST",
///     body: review.as_bytes(),
///     tokens: Some(&tokens),
///     ..Request::get("/apis/authentication.k8s.io/v1/tokenreviews", administrator())
/// };
/// assert_eq!(respond(&cluster, &request).code, 201);
/// ```
pub struct Tokens<'a>(pub &'a (dyn Fn(&str) -> Option<User> + Sync));

impl fmt::Debug for Tokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens")
    }
}

impl Request<'_> {
    /// Returns the status of a token review if only the server knows the token.
    pub(super) fn reviewed(&self, kind: &Kind, review: &Value, issuer: &str) -> Option<Value> {
        let spec = field(review, "spec");
        let token = text(spec, "token");
        // TokenReview is the only review with a token.
        if kind.reviews().is_none() || token.is_empty() {
            return None;
        }
        let user = (self.tokens?.0)(token)?;
        let mut audiences: Vec<&str> = texts(spec, "audiences").collect();
        // These tokens name no audience, so they are valid only for the API server itself.
        if !audiences.is_empty() {
            audiences.retain(|audience| *audience == issuer);
            audiences.first()?;
        }
        let mut info = json!({"username": user.name, "groups": user.groups});
        if !user.uid.is_empty() {
            info["uid"] = json!(user.uid);
        }
        Some(json!({"authenticated": true, "user": info, "audiences": [issuer]}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::impersonated;
    use crate::cluster::testing::fresh;
    use crate::{Body, respond};

    fn reviewed(spec: &Value) -> Value {
        let known = |token: &str| {
            (token == "secret").then(|| impersonated("ann", "7", vec!["dev".to_owned()]))
        };
        let tokens = Tokens(&known);
        let body = json!({"kind": "TokenReview", "spec": spec}).to_string();
        let request = Request {
            method: "POST",
            body: body.as_bytes(),
            tokens: Some(&tokens),
            ..Request::get(
                "/apis/authentication.k8s.io/v1/tokenreviews",
                crate::cluster::administrator(),
            )
        };
        match respond(&fresh().cluster, &request).body {
            Body::Object(review) => review["status"].clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn token_review_knows_the_tokens_of_its_server() {
        let issuer = "https://kubernetes.default.svc.cluster.local";
        let known = reviewed(&json!({"token": "secret"}));
        assert_eq!(
            known,
            json!({"authenticated": true, "audiences": [issuer], "user": {
                "username": "ann", "uid": "7", "groups": ["dev", "system:authenticated"]}})
        );
        let own = json!({"token": "secret", "audiences": [issuer, "vault"]});
        assert_eq!(reviewed(&own), known);
        for spec in [
            json!({"token": "secret", "audiences": ["vault"]}),
            json!({"token": "guess"}),
        ] {
            let status = reviewed(&spec);
            assert!(status["authenticated"].is_null() && status["error"].is_string());
        }
    }
}
