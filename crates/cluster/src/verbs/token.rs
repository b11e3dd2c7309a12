//! `/token`: a token for a service account. Equal requests at the same time get equal tokens.

use jiff::{SignedDuration, Timestamp};

use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::admission::policy::Operation;
use crate::kinds::find;
use crate::kinds::kind::split_api_version;
use crate::kinds::tree::{ensure, field, list, opt_int, set, text};
use crate::objects;
use crate::read::list;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::verbs::posted;

const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;
const DEFAULT: i64 = 3600;

/// Issues a token for a service account, as a `TokenRequest` with a status.
///
/// # Errors
/// The API's error if the account does not exist or the request is rejected.
pub(crate) fn issue(
    context: &Context,
    at: &Admitted<'_>,
    request: &Value,
) -> Result<Value, ApiError> {
    let (place, name) = (at.place(), at.name());
    let account = list::get(context, at)?;
    let body = complete(request);
    // The checks below apply to the request as plug-ins leave it.
    let admitted = posted::admitted(context, at, Operation::Create, &body, &|_| Ok(()))?;
    let request = &admitted.object;
    let own = objects::meta(request, "name");
    if !own.is_empty() && own != name {
        return Err(invalid(
            "metadata.name",
            &format!("Invalid value: \"{own}\": must match the service account name if specified"),
        )
        .into());
    }
    let spec = field(request, "spec");
    let seconds = opt_int(spec, "expirationSeconds").unwrap_or(DEFAULT);
    check_seconds(seconds)?;
    let bound = bound_object(context, at, field(spec, "boundObjectRef"))?;
    // Without audiences a token is for the API server itself, whose issuer is also its audience.
    let audiences = match list(spec, "audiences") {
        [] => json!([context.identity.issuer()]),
        own => json!(own),
    };
    let now = context.store.now()?;
    let expires = now
        .checked_add(SignedDuration::from_secs(seconds))
        .map_err(|e| Status::internal(e.to_string()))?;
    let mut answer = request.clone();
    let metadata = ensure(&mut answer, "metadata");
    set(metadata, "name", name);
    set(metadata, "namespace", place.namespace.clone());
    set(metadata, "creationTimestamp", written(now));
    let spec = ensure(&mut answer, "spec");
    set(spec, "audiences", audiences.clone());
    set(spec, "expirationSeconds", seconds);
    if field(spec, "boundObjectRef").is_null() {
        // The only optional field of the request that the server always writes.
        set(spec, "boundObjectRef", Value::Null);
    }
    let lifetime = Lifetime {
        issued: now,
        expires,
    };
    let claims = claims(context, &account, &audiences, &lifetime, bound);
    let token = context.identity.token(&claims)?;
    let status = json!({"token": token, "expirationTimestamp": written(expires)});
    set(&mut answer, "status", status);
    Ok(answer)
}

/// Returns a request with the defaults that plug-ins see.
fn complete(request: &Value) -> Value {
    let mut request = request.clone();
    set(&mut request, "apiVersion", "authentication.k8s.io/v1");
    set(&mut request, "kind", "TokenRequest");
    // Plug-ins see the lifetime that a client left out, because they may limit it.
    let spec = ensure(&mut request, "spec");
    if opt_int(spec, "expirationSeconds").is_none() {
        set(spec, "expirationSeconds", DEFAULT);
    }
    request
}

/// Returns the objects that the token is bound to, as its claims name them.
fn bound_object(
    context: &Context,
    at: &Admitted<'_>,
    reference: &Value,
) -> Result<Vec<(String, Value)>, ApiError> {
    if reference.is_null() {
        return Ok(Vec::new());
    }
    let account = at.name();
    let (kind, name) = (text(reference, "kind"), text(reference, "name"));
    let (group, version) = split_api_version(text(reference, "apiVersion"));
    // The server binds tokens to these kinds only.
    let is_known = group.is_empty() && ["Pod", "Secret", "Node"].contains(&kind);
    let Some(kind) = is_known.then(|| find("", "v1", kind)).flatten() else {
        let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
        return Err(Status::bad_request(why).into());
    };
    let place = Place::new(kind, &at.place().namespace);
    // The server itself reads it: the user needs no right to read the object that the token is bound to.
    let object = list::stored_object(context, &place, name)?;
    let (wanted, uid) = (text(reference, "uid"), objects::meta(&object, "uid"));
    if !wanted.is_empty() && wanted != uid {
        let why = format!(
            "the UID in the bound object reference ({wanted}) does not match the UID in record. \
             The object might have been deleted and then recreated"
        );
        // Kubernetes names the kind here in place of the resource.
        return Err(Status::conflict(kind.kind, name, &why).into());
    }
    // A token bound to a Pod dies with it, so the Pod must run under the account.
    let runs_as = text(field(&object, "spec"), "serviceAccountName");
    if kind.is_pod() && runs_as != account {
        let why = format!(
            "cannot bind token for serviceaccount {account:?} to pod running with different \
             serviceaccount name."
        );
        return Err(Status::bad_request(why).into());
    }
    let mut claims = vec![(kind.singular.to_owned(), json!({"name": name, "uid": uid}))];
    // The token of a Pod also names its node, whose kubelet requested it.
    let node = text(field(&object, "spec"), "nodeName");
    if kind.is_pod()
        && !node.is_empty()
        && let Some(nodes) = find("", "v1", "Node")
    {
        let mut claim = json!({"name": node});
        // A node that is gone is still named.
        if let Ok(found) = list::stored_object(context, &Place::new(nodes, ""), node) {
            set(&mut claim, "uid", objects::meta(&found, "uid"));
        }
        claims.push(("node".to_owned(), claim));
    }
    Ok(claims)
}

fn check_seconds(seconds: i64) -> Result<(), Status> {
    let why = if seconds < SHORTEST {
        "may not specify a duration less than 10 minutes"
    } else if seconds > LONGEST {
        "may not specify a duration larger than 2^32 seconds"
    } else {
        return Ok(());
    };
    Err(invalid(
        "spec.expirationSeconds",
        &format!("Invalid value: {seconds}: {why}"),
    ))
}

fn invalid(field: &str, message: &str) -> Status {
    let cause = Cause {
        reason: CauseReason::Invalid,
        field: field.to_owned(),
        message: message.to_owned(),
    };
    Status::invalid("authentication.k8s.io", "TokenRequest", "", vec![cause])
}

/// The times between which a token is valid.
struct Lifetime {
    issued: Timestamp,
    expires: Timestamp,
}

fn claims(
    context: &Context,
    account: &Value,
    audiences: &Value,
    lifetime: &Lifetime,
    bound: Vec<(String, Value)>,
) -> Value {
    let (name, namespace) = (
        objects::meta(account, "name"),
        objects::meta(account, "namespace"),
    );
    let uid = objects::meta(account, "uid");
    let (issued, expires) = (lifetime.issued.as_second(), lifetime.expires.as_second());
    let mut own = json!({
        "namespace": namespace, "serviceaccount": {"name": name, "uid": uid},
    });
    for (kind, claim) in bound {
        set(&mut own, &kind, claim);
    }
    // Kubernetes draws the token's id at random; here the same time gives the same id.
    let id = context
        .seed()
        .uid(&["token", namespace, name, &issued.to_string()]);
    json!({
        "aud": audiences, "exp": expires, "iat": issued, "iss": context.identity.issuer(), "jti": id,
        "kubernetes.io": own, "nbf": issued,
        "sub": format!("system:serviceaccount:{namespace}:{name}"),
    })
}

fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;
    use crate::testing::{fresh, place};

    #[test]
    fn a_token_names_its_account_and_its_expiry() {
        let cluster = fresh();
        let request = json!({"spec": {"expirationSeconds": 600}});
        let answer = cluster
            .subresources()
            .token(&place("sa"), "default", &request)
            .unwrap();
        assert_eq!(
            answer["status"]["expirationTimestamp"],
            "2026-01-01T00:10:00Z"
        );
        let token = answer["status"]["token"].as_str().unwrap();
        let parts: Vec<&str> = token.split('.').collect();
        assert_eq!(parts.len(), 3);
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(parts[1]).unwrap()).unwrap();
        assert_eq!(claims["sub"], "system:serviceaccount:default:default");
        assert_eq!(
            claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(),
            600
        );
        assert_eq!(
            cluster
                .subresources()
                .token(&place("sa"), "default", &request)
                .unwrap(),
            answer
        );
    }

    #[test]
    fn invalid_token_requests_are_rejected() {
        let cluster = fresh();
        let refused = |name: &str, spec: Value| {
            let request = json!({"spec": spec});
            cluster
                .subresources()
                .token(&place("sa"), name, &request)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("default", json!({"expirationSeconds": 5})),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid \
             value: 5: may not specify a duration less than 10 minutes"
        );
        assert_eq!(
            refused("nope", json!({})),
            "serviceaccounts \"nope\" not found"
        );
        let bound = json!({"boundObjectRef": {"kind": "Pod", "name": "p"}});
        assert_eq!(refused("default", bound), "pods \"p\" not found");
        let bound = json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Service", "name": "p"}});
        let why = "cannot bind token to object of type /v1, Kind=Service";
        assert_eq!(refused("default", bound), why);
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}});
        let options = crate::WriteOptions::default();
        cluster.create(&place("nodes"), &node, &options).unwrap();
        let bound = json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "x"}});
        let why = "Operation cannot be fulfilled on Node \"n\": the UID in the bound object reference (x) does \
                   not match the UID in record. The object might have been deleted and then recreated";
        assert_eq!(refused("default", bound), why);
    }
}
