//! TokenReview: the user of a token that [`super::token`] issued.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::api::json::{Value, json};
use crate::context::Context;
use crate::kinds::admission::User;
use crate::kinds::find;
use crate::kinds::tree::{at, field, int, text, texts};
use crate::objects;
use crate::read::list as reads;
use crate::request::Place;

/// The issuer of tokens in Secrets, which do not expire.
const LEGACY_ISSUER: &str = "kubernetes/serviceaccount";

/// The prefix of a legacy token's own claims.
const LEGACY: &str = "kubernetes.io/serviceaccount/";

/// Returns the status of a review.
pub(super) fn status(context: &Context, spec: &Value) -> Value {
    let wanted: Vec<&str> = texts(spec, "audiences").collect();
    match authenticated(context, text(spec, "token"), &wanted) {
        Ok(bearer) => json!({
            "authenticated": true,
            "audiences": bearer.audiences,
            "user": {
                "username": bearer.user.name,
                "uid": bearer.user.uid,
                "groups": bearer.user.groups,
                "extra": bearer.user.extra,
            },
        }),
        Err(why) => json!({"user": {}, "error": why.text()}),
    }
}

/// Returns the service account of a token for this API server, or `None` if the token is not valid.
pub(crate) fn bearer(context: &Context, token: &str) -> Option<User> {
    authenticated(context, token, &[])
        .ok()
        .map(|bearer| bearer.user)
}

/// The bearer of a valid token.
struct Bearer {
    user: User,
    /// The audiences of the token among the requested ones.
    audiences: Vec<String>,
}

/// The reason why a token is not valid.
enum Refusal {
    /// It is not a token of this cluster.
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

fn invalid(why: impl Into<String>) -> Refusal {
    Refusal::Invalid(why.into())
}

fn authenticated(context: &Context, token: &str, wanted: &[&str]) -> Result<Bearer, Refusal> {
    let claims = context.identity.claims(token);
    let claims = claims.map_err(|e| invalid(e.to_string()))?;
    let claims = claims.ok_or(Refusal::Foreign)?;
    // A review that names no audiences is about the API server itself.
    let own = [context.identity.issuer()];
    let wanted = if wanted.is_empty() { &own } else { wanted };
    // A token of a Secret names no audiences, which includes the API server.
    let audiences: Vec<&str> = match text(&claims, "iss") {
        LEGACY_ISSUER => own.to_vec(),
        _ => texts(&claims, "aud").collect(),
    };
    let common = wanted.iter().filter(|a| audiences.contains(a));
    let common: Vec<String> = common.map(|&audience| audience.to_owned()).collect();
    if common.is_empty() {
        let why =
            format!("token audiences {audiences:?} is invalid for the target audiences {wanted:?}");
        return Err(invalid(why));
    }
    let (namespace, account, extra) = match text(&claims, "iss") {
        LEGACY_ISSUER => legacy(context, &claims, token)?,
        _ => bound(context, &claims)?,
    };
    // The token of a deleted account must not outlive it, even if an account of that name exists again: the uid
    // distinguishes them.
    is_there(context, &namespace, "ServiceAccount", &account)?;
    let name = format!(
        "system:serviceaccount:{namespace}:{}",
        text(&account, "name")
    );
    let groups = [
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
        "system:authenticated".to_owned(),
    ];
    Ok(Bearer {
        user: User {
            name,
            uid: text(&account, "uid").to_owned(),
            groups: groups.to_vec(),
            extra: extra_of(&extra),
        },
        audiences: common,
    })
}

/// Returns the attributes of a user.
fn extra_of(shown: &Value) -> BTreeMap<String, Vec<String>> {
    let all = shown.as_object().into_iter().flatten();
    all.map(|(key, _)| {
        let values = texts(shown, key).map(str::to_owned).collect();
        (key.to_string(), values)
    })
    .collect()
}

/// Checks a token of the TokenRequest API: returns the namespace and the account that it names, and the object that it
/// is bound to.
fn bound(context: &Context, claims: &Value) -> Result<(String, Value, Value), Refusal> {
    let now = context.store.now().map_err(|e| invalid(e.to_string()))?;
    if now.as_second() > int(claims, "exp") {
        return Err(invalid("service account token has expired"));
    }
    if now.as_second() < int(claims, "nbf") {
        return Err(invalid("service account token is not valid yet"));
    }
    let own = field(claims, "kubernetes.io");
    let namespace = text(own, "namespace");
    let jti = format!("JTI={}", text(claims, "jti"));
    let mut extra = json!({"authentication.kubernetes.io/credential-id": [jti]});
    let is_of_pod = !field(own, "pod").is_null();
    for (kind, name) in [("Pod", "pod"), ("Secret", "secret"), ("Node", "node")] {
        let claim = field(own, name);
        if claim.is_null() {
            continue;
        }
        // The node of a Pod's token is informative; the token is valid as long as the Pod exists.
        if kind != "Node" || !is_of_pod {
            is_there(context, namespace, kind, claim)?;
        }
        // The real server does not show the Secret.
        if kind != "Secret" {
            for part in ["name", "uid"] {
                let key = format!("authentication.kubernetes.io/{name}-{part}");
                extra[key] = json!([text(claim, part)]);
            }
        }
    }
    Ok((
        namespace.to_owned(),
        field(own, "serviceaccount").clone(),
        extra,
    ))
}

/// Checks a token in a Secret: it is valid as long as the Secret contains it.
fn legacy(
    context: &Context,
    claims: &Value,
    token: &str,
) -> Result<(String, Value, Value), Refusal> {
    let claim = |name: &str| text(claims, &format!("{LEGACY}{name}")).to_owned();
    let (namespace, secret) = (claim("namespace"), claim("secret.name"));
    let kind = find("", "v1", "Secret").ok_or(Refusal::Foreign)?;
    let found = reads::stored_object(context, &Place::new(kind, &namespace), &secret);
    let gone = |_| {
        invalid(format!(
            "service account token has been invalidated: secrets {secret:?} not found"
        ))
    };
    let found = found.map_err(gone)?;
    if !at(&found, &["metadata", "deletionTimestamp"]).is_null() {
        return Err(invalid("service account token has been invalidated"));
    }
    let kept = text(field(&found, "data"), "token");
    if BASE64_STANDARD.encode(token) != kept {
        return Err(invalid(
            "service account token does not match server's copy",
        ));
    }
    let account =
        json!({"name": claim("service-account.name"), "uid": claim("service-account.uid")});
    Ok((namespace, account, json!({})))
}

/// Checks that an object that a token is bound to still exists.
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
        let issuer = cluster.context.identity.issuer();
        assert_eq!(status["audiences"], json!([issuer]));
        let other = reviewed(&cluster, &json!({"token": token, "audiences": ["vault"]}));
        let why = format!(
            "[invalid bearer token, token audiences [\"{issuer}\"] is invalid for the target audiences [\"vault\"]]"
        );
        assert_eq!(other, json!({"user": {}, "error": why}));
    }

    #[test]
    fn forged_tokens_and_deleted_accounts_are_rejected() {
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
