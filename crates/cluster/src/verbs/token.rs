//! `/token`: a token for a service account, signed with a key that is drawn from the cluster's seed.
//!
//! The token is well formed, and equal for equal requests at the same time. Only reviews check it, and anyone who reads
//! the directory knows the seed, so the key guards no secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::context::Context;
use crate::door::Admitted;
use crate::kinds::find;
use crate::kinds::tree::{ensure, field, list, opt_int, set, text};
use crate::objects;
use crate::read::list;
use crate::request::Place;
use crate::request::response::ApiError;
use crate::sys::entropy::Seed;

pub(super) const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;
const DEFAULT: i64 = 3600;
/// The block size of the hash that signs.
const BLOCK: usize = 64;

/// Issues a token for a service account, as a `TokenRequest` with a status.
///
/// # Errors
/// The API's error if there is no such account or the request is rejected.
pub(crate) fn issue(
    context: &Context,
    at: &Admitted<'_>,
    request: &Value,
) -> Result<Value, ApiError> {
    let (place, name) = (at.place(), at.name());
    let account = list::get(context, at)?;
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
        [] => json!([ISSUER]),
        own => json!(own),
    };
    let now = context.store.now()?;
    let expires = now
        .checked_add(SignedDuration::from_secs(seconds))
        .map_err(|e| Status::internal(e.to_string()))?;
    let mut answer = request.clone();
    set(&mut answer, "apiVersion", "authentication.k8s.io/v1");
    set(&mut answer, "kind", "TokenRequest");
    let metadata = ensure(&mut answer, "metadata");
    set(metadata, "name", name);
    set(metadata, "namespace", place.namespace.clone());
    set(metadata, "creationTimestamp", written(now));
    let spec = ensure(&mut answer, "spec");
    set(spec, "audiences", audiences.clone());
    set(spec, "expirationSeconds", seconds);
    let lifetime = Lifetime {
        issued: now,
        expires,
    };
    let token = token(context.seed(), &account, &audiences, &lifetime, bound);
    let status = json!({"token": token, "expirationTimestamp": written(expires)});
    set(&mut answer, "status", status);
    Ok(answer)
}

/// Returns the object that the token is bound to, as its claims name it.
fn bound_object(
    context: &Context,
    at: &Admitted<'_>,
    reference: &Value,
) -> Result<Option<(String, Value)>, ApiError> {
    if reference.is_null() {
        return Ok(None);
    }
    let account = at.name();
    let (kind, name) = (text(reference, "kind"), text(reference, "name"));
    let found = ["Pod", "Secret", "Node"]
        .contains(&kind)
        // The server binds tokens to these kinds only.
        .then(|| find("", "v1", kind))
        .flatten();
    let Some(kind) = found else {
        let why = format!("cannot bind token for serviceaccount {account:?} to {kind}");
        return Err(Status::bad_request(why).into());
    };
    let place = Place::new(kind, &at.place().namespace);
    // The server looks for itself: the user needs no right to read what the token is bound to.
    let object = list::stored_object(context, &place, name)?;
    let (wanted, uid) = (text(reference, "uid"), objects::meta(&object, "uid"));
    if !wanted.is_empty() && wanted != uid {
        let why = format!(
            "the UID in the bound object reference ({wanted}) does not match the UID in record. \
             The object might have been deleted and then recreated"
        );
        return Err(Status::conflict(kind.plural, name, &why).into());
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
    let claim = json!({"name": name, "uid": uid});
    Ok(Some((kind.singular.to_owned(), claim)))
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

fn token(
    seed: Seed,
    account: &Value,
    audiences: &Value,
    lifetime: &Lifetime,
    bound: Option<(String, Value)>,
) -> String {
    let (name, namespace) = (
        objects::meta(account, "name"),
        objects::meta(account, "namespace"),
    );
    let uid = objects::meta(account, "uid");
    let (issued, expires) = (lifetime.issued.as_second(), lifetime.expires.as_second());
    let mut own = json!({
        "namespace": namespace, "serviceaccount": {"name": name, "uid": uid},
    });
    if let Some((kind, claim)) = bound {
        set(&mut own, &kind, claim);
    }
    let claims = json!({
        "aud": audiences, "exp": expires, "iat": issued, "iss": ISSUER,
        // Kubernetes draws the token's id at random; here the same time gives the same id.
        "jti": seed.uid(&["token", namespace, name, &issued.to_string()]), "kubernetes.io": own,
        "nbf": issued, "sub": format!("system:serviceaccount:{namespace}:{name}"),
    });
    let id = URL_SAFE_NO_PAD.encode(&Sha256::digest(key(seed))[..]);
    let header = json!({"alg": "HS256", "kid": id, "typ": "JWT"});
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let signature = signature(seed, &signed);
    format!("{signed}.{signature}")
}

/// Derives the key from the seed: the same commands issue the same token, and no key has to be stored.
fn key(seed: Seed) -> Vec<u8> {
    let halves = ["0", "1"].map(|half| seed.draw(&["token key", half]));
    halves.concat()
}

/// Returns the signature of a token's header and claims.
pub(super) fn signature(seed: Seed, signed: &str) -> String {
    URL_SAFE_NO_PAD.encode(keyed_hash(&key(seed), signed.as_bytes()))
}

/// HMAC with SHA-256 (RFC 2104), for keys of at most one block.
fn keyed_hash(key: &[u8], message: &[u8]) -> Vec<u8> {
    // RFC 2104 pads the key with zeros to the block size before both passes.
    let padded = |with: u8| -> Vec<u8> {
        let bytes = key.iter().copied().chain(std::iter::repeat(0)).take(BLOCK);
        bytes.map(|byte| byte ^ with).collect()
    };
    let inner = Sha256::digest([&padded(0x36), message].concat());
    Sha256::digest([&padded(0x5c), &inner[..]].concat()).to_vec()
}

fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{fresh, place};

    #[test]
    fn the_signature_is_the_standard_one() {
        // RFC 4231, test case 2.
        let hex: String = keyed_hash(b"Jefe", b"what do ya want for nothing?")
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert_eq!(
            hex,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_token_says_who_it_is_for_and_until_when() {
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
    fn requests_that_make_no_sense_are_refused() {
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
    }
}
