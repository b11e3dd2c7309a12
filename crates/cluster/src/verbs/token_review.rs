//! TokenReview: the user of a token that [`super::token`] issued.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::token::{ISSUER, signature};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::context::Context;
use crate::kinds::find;
use crate::kinds::tree::{at, field, int, list, text, texts};
use crate::objects;
use crate::read::list as reads;
use crate::request::Place;
use crate::request::response::ApiError;

/// Returns the status of a review.
///
/// # Errors
/// The API's error if there is no token.
pub(super) fn status(context: &Context, spec: &Value) -> Result<Value, ApiError> {
    let token = text(spec, "token");
    if token.is_empty() {
        let why = "token is required for TokenReview in authentication";
        return Err(Status::bad_request(why).into());
    }
    // A review that names no audiences is about the API server itself.
    let wanted: Vec<&str> = match list(spec, "audiences") {
        [] => vec![ISSUER],
        _ => texts(spec, "audiences").collect(),
    };
    Ok(match authenticated(context, token, &wanted) {
        Ok(status) => status,
        Err(why) => json!({"user": {}, "error": why.text()}),
    })
}

/// The reason why a token authenticates nobody.
enum Refusal {
    /// It is no token of this cluster.
    Foreign,
    /// It was valid once, or is valid for other audiences.
    Invalid(String),
}

impl Refusal {
    /// Returns the errors of all authenticators, as the server lists them.
    fn text(&self) -> String {
        match self {
            Self::Foreign => "[invalid bearer token]".to_owned(),
            Self::Invalid(why) => format!("[invalid bearer token, {why}]"),
        }
    }
}

fn authenticated(context: &Context, token: &str, wanted: &[&str]) -> Result<Value, Refusal> {
    let claims = claims(context, token).ok_or(Refusal::Foreign)?;
    let invalid = |why: &str| Refusal::Invalid(why.to_owned());
    let now = context.store.now().map_err(|e| invalid(&e.to_string()))?;
    if now.as_second() > int(&claims, "exp") {
        return Err(invalid("service account token has expired"));
    }
    if now.as_second() < int(&claims, "nbf") {
        return Err(invalid("service account token is not valid yet"));
    }
    let audiences: Vec<&str> = texts(&claims, "aud").collect();
    let common: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|a| audiences.contains(a))
        .collect();
    if common.is_empty() {
        let why =
            format!("token audiences {audiences:?} is invalid for the target audiences {wanted:?}");
        return Err(Refusal::Invalid(why));
    }
    let own = field(&claims, "kubernetes.io");
    let namespace = text(own, "namespace");
    let account = field(own, "serviceaccount");
    // The token of a deleted account must not outlive it, even if an account of that name exists again: hence the
    // uid.
    is_there(context, namespace, "ServiceAccount", account)?;
    let jti = format!("JTI={}", text(&claims, "jti"));
    let mut extra = json!({"authentication.kubernetes.io/credential-id": [jti]});
    for kind in ["Pod", "Secret", "Node"] {
        let claim = field(own, &kind.to_ascii_lowercase());
        if claim.is_null() {
            continue;
        }
        is_there(context, namespace, kind, claim)?;
        if kind == "Pod" {
            extra["authentication.kubernetes.io/pod-name"] = json!([text(claim, "name")]);
            extra["authentication.kubernetes.io/pod-uid"] = json!([text(claim, "uid")]);
        }
    }
    let groups = [
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
        "system:authenticated".to_owned(),
    ];
    Ok(json!({
        "authenticated": true,
        "audiences": common,
        "user": {
            "username": text(&claims, "sub"),
            "uid": text(account, "uid"),
            "groups": groups,
            "extra": extra,
        },
    }))
}

/// Returns the claims of a token with a signature of this cluster.
fn claims(context: &Context, token: &str) -> Option<Value> {
    let (signed, signature_of) = token.rsplit_once('.')?;
    // Checked before the claims are decoded: nothing of a forged token is interpreted.
    if signature(context.seed(), signed) != signature_of {
        return None;
    }
    let (_, claims) = signed.split_once('.')?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

/// Checks that an object that a token is bound to is there, and the one that it was.
fn is_there(context: &Context, namespace: &str, kind: &str, claim: &Value) -> Result<(), Refusal> {
    let Some(found) = find("", "v1", kind) else {
        return Err(Refusal::Foreign);
    };
    let place = match found.namespaced {
        true => Place::new(found, namespace),
        false => Place::new(found, ""),
    };
    let object = reads::stored_object(context, &place, text(claim, "name"));
    let object = object.map_err(|e| Refusal::Invalid(e.to_string()))?;
    // The deletionTimestamp of a Pod is the end of its grace period, until which it needs the token; a terminating
    // account counts as deleted.
    if !at(&object, &["metadata", "deletionTimestamp"]).is_null() && kind == "ServiceAccount" {
        let why = format!(
            "service account {namespace}/{} has been deleted",
            text(claim, "name")
        );
        return Err(Refusal::Invalid(why));
    }
    let (uid, wanted) = (objects::meta(&object, "uid"), text(claim, "uid"));
    if uid == wanted {
        return Ok(());
    }
    Err(Refusal::Invalid(match kind {
        "ServiceAccount" => format!("service account UID ({uid}) does not match claim ({wanted})"),
        kind => {
            let kind = kind.to_ascii_lowercase();
            format!("{kind} UID ({uid}) does not match service account {kind} ref claim ({wanted})")
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::options::WriteOptions;
    use crate::testing::{fresh, place};

    fn token(cluster: &crate::Cluster, request: &Value) -> String {
        let answer = cluster
            .subresources()
            .token(&place("sa"), "default", request)
            .unwrap();
        answer["status"]["token"].as_str().unwrap().to_owned()
    }

    fn reviewed(cluster: &crate::Cluster, spec: &Value) -> Value {
        let kind = find("authentication.k8s.io", "v1", "TokenReview").unwrap();
        let review = json!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "metadata": {}, "spec": spec,
        });
        let made = cluster.create(&Place::new(kind, ""), &review, &WriteOptions::default());
        made.unwrap().object["status"].clone()
    }

    #[test]
    fn a_token_of_the_cluster_authenticates_its_account() {
        let cluster = fresh();
        let token = token(&cluster, &json!({"spec": {}}));
        let status = reviewed(&cluster, &json!({"token": token}));
        assert_eq!(status["authenticated"], true);
        assert_eq!(
            status["user"]["username"],
            "system:serviceaccount:default:default"
        );
        let groups = [
            "system:serviceaccounts",
            "system:serviceaccounts:default",
            "system:authenticated",
        ];
        assert_eq!(status["user"]["groups"], json!(groups));
        assert_eq!(status["audiences"], json!([ISSUER]));
        let other = reviewed(&cluster, &json!({"token": token, "audiences": ["vault"]}));
        let why = format!(
            "[invalid bearer token, token audiences [\"{ISSUER}\"] is invalid for the target audiences [\"vault\"]]"
        );
        assert_eq!(other, json!({"user": {}, "error": why}));
    }

    #[test]
    fn a_token_that_is_forged_or_whose_account_is_gone_authenticates_nobody() {
        let cluster = fresh();
        let token = token(&cluster, &json!({"spec": {"audiences": ["vault"]}}));
        let spec = json!({"token": token, "audiences": ["vault"]});
        assert_eq!(reviewed(&cluster, &spec)["authenticated"], true);
        let forged = format!("{token}x");
        let status = reviewed(&cluster, &json!({"token": forged}));
        assert_eq!(
            status,
            json!({"user": {}, "error": "[invalid bearer token]"})
        );
        let options = crate::request::options::DeleteOptions::default();
        cluster.delete(&place("sa"), "default", &options).unwrap();
        let status = reviewed(&cluster, &spec);
        let why = "[invalid bearer token, serviceaccounts \"default\" not found]";
        assert_eq!(status["error"], why);
    }
}
