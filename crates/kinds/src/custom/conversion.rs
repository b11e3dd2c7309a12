//! Conversion of custom resources by a webhook: builds the review and interprets the reply.
//!
//! Must not know how to connect to a webhook.

use super::definition::CustomKind;
use super::prune::normalize;
use crate::admission::webhook::{WebhookResponse, decoded};
use crate::api::go::quoted;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::kind::{Kind, split_api_version};
use crate::tree::{field, has, list, set, set_or_remove, text, texts};

/// The timeout of a conversion, in seconds.
pub const TIMEOUT: u64 = 30;

/// The API group of conversion reviews.
const GROUP: &str = "apiextensions.k8s.io";

/// Returns the conversion webhook of a kind, if it has one.
pub fn webhook(kind: &Kind) -> Option<&'static Value> {
    let webhook = &kind.custom?.conversion;
    webhook.is_object().then_some(webhook)
}

/// Returns true if an object is at another version than the kind, so it must be converted.
pub fn differs(kind: &CustomKind, object: &Value) -> bool {
    text(object, "apiVersion") != kind.api_version()
}

/// Prepares an object for its conversion: sets the defaults of the version at which it is stored.
pub fn prepare(kind: &CustomKind, object: &mut Value) {
    let mut versions = kind.versions().iter().filter_map(|k| k.custom);
    if let Some(own) = versions.find(|own| !differs(own, object)) {
        normalize(own, object);
    }
}

/// Returns the review that asks to convert objects to the version of a kind, without its uid.
pub fn review(kind: &CustomKind, objects: &[Value]) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/{}", version(kind)), "kind": "ConversionReview",
        "request": {"desiredAPIVersion": kind.api_version(), "objects": objects},
    })
}

/// Returns the review version for the webhook: the first one in its list that the API server supports.
fn version(kind: &CustomKind) -> &'static str {
    let known = |own: &str| ["v1", "v1beta1"].into_iter().find(|known| *known == own);
    let mut versions = texts(&kind.conversion, "conversionReviewVersions");
    versions.find_map(known).unwrap_or("v1")
}

/// Returns the error for a request whose object could not be converted.
pub fn failed(original: &Value, why: &str) -> Status {
    refused(original, &format!("failed: {why}"))
}

/// Returns the converted objects in the reply to a review.
///
/// # Errors
/// Returns a 500 with the API server's message if the objects do not match the request.
pub fn read(
    kind: &CustomKind,
    originals: &[Value],
    uid: &str,
    received: &WebhookResponse<'_>,
) -> Result<Vec<Value>, Status> {
    let first = originals.first().unwrap_or(&Value::Null);
    let review = decoded(received).map_err(|why| failed(first, &why))?;
    let objects = verified(kind, uid, &review).map_err(|why| failed(first, &why))?;
    if objects.len() != originals.len() {
        let (returned, expected) = (objects.len(), originals.len());
        let why = format!("returned {returned} objects, expected {expected}");
        return Err(refused(first, &why));
    }
    let pairs = originals.iter().zip(objects).enumerate();
    let accept = |(index, (original, object)): (usize, (&Value, &Value))| {
        let wrong = |why: String| {
            let why = format!("returned invalid converted object at index {index}: {why}");
            refused(original, &why)
        };
        accepted(kind, original, object).map_err(wrong)
    };
    pairs.map(accept).collect()
}

/// Checks a review like the API server, and returns its objects.
fn verified<'r>(kind: &CustomKind, uid: &str, review: &'r Value) -> Result<&'r [Value], String> {
    let wanted = format!("{GROUP}/{}", version(kind));
    if (text(review, "apiVersion"), text(review, "kind")) != (&*wanted, "ConversionReview") {
        return Err(format!(
            "expected webhook response of {wanted}, Kind=ConversionReview, got {}",
            named(review)
        ));
    }
    let response = field(review, "response");
    if !response.is_object() {
        return Err("no response provided".to_owned());
    }
    let own = text(response, "uid");
    // The uid of a v1beta1 review was never checked, and old webhooks rely on that.
    if own != uid && version(kind) == "v1" {
        let (uid, own) = (quoted(uid), quoted(own));
        return Err(format!("expected response.uid={uid}, got {own}"));
    }
    let result = field(response, "result");
    match (text(result, "status"), text(result, "message")) {
        ("Success", _) => Ok(list(response, "convertedObjects")),
        (status, "") => Err(format!(
            "response.result.status was '{status}', not 'Success'"
        )),
        (_, message) => Err(message.to_owned()),
    }
}

/// Checks a converted object, and returns it with the metadata that a webhook must not change.
fn accepted(kind: &CustomKind, original: &Value, object: &Value) -> Result<Value, String> {
    let (wanted, version) = (kind.api_version(), text(object, "apiVersion"));
    if version != wanted {
        return Err(format!(
            "invalid groupVersion (expected {wanted}, received {version})"
        ));
    }
    let (from, to) = (field(original, "metadata"), field(object, "metadata"));
    let same = |what: &str, old: &Value, new: &Value, name: &str| {
        let (old, new) = (text(old, name), text(new, name));
        match old == new {
            true => Ok(()),
            false => Err(format!("must have the same {what}: {old} != {new}")),
        }
    };
    same("kind", original, object, "kind")?;
    same("name", from, to, "name")?;
    same("namespace", from, to, "namespace")?;
    same("UID", from, to, "uid")?;
    let mut converted = with_metadata_of(original, object.clone());
    // Like any client, the webhook may return unknown fields and omit defaults.
    normalize(kind, &mut converted);
    Ok(converted)
}

/// Returns a converted object with the metadata of the original, except for labels and annotations. A webhook may
/// move data between a field and an annotation, but owns no other metadata.
pub fn with_metadata_of(original: &Value, mut converted: Value) -> Value {
    let mut metadata = field(original, "metadata").clone();
    let own = field(&converted, "metadata");
    for name in ["labels", "annotations"] {
        let value = has(own, name).then(|| field(own, name).clone());
        set_or_remove(&mut metadata, name, value);
    }
    set(&mut converted, "metadata", metadata);
    converted
}

fn refused(original: &Value, why: &str) -> Status {
    Status::internal(format!("conversion webhook for {} {why}", named(original)))
}

/// Returns the type of an object as Go prints it: `example.com/v1, Kind=Boat`.
fn named(object: &Value) -> String {
    let (group, version) = split_api_version(text(object, "apiVersion"));
    format!("{group}/{version}, Kind={}", text(object, "kind"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::custom::kinds_of;

    fn boat() -> &'static CustomKind {
        let version = |name: &str| {
            let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            json!({
                "name": name, "served": true, "storage": name == "v1",
                "schema": {"openAPIV3Schema": schema},
            })
        };
        let definition = json!({"spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Boat", "listKind": "BoatList", "plural": "boats", "singular": "boat"},
            "versions": [version("v1"), version("v2")],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v9", "v1"], "clientConfig": {"url": "https://localhost/convert"},
            }},
        }});
        kinds_of(&definition)[1].custom.unwrap()
    }

    fn object(version: &str, metadata: Value) -> Value {
        json!({"apiVersion": format!("example.com/{version}"), "kind": "Boat", "metadata": metadata})
    }

    fn replied(reply: &Value) -> Result<Vec<Value>, String> {
        let original = object(
            "v1",
            json!({"name": "a", "uid": "u", "resourceVersion": "7"}),
        );
        let body = reply.to_string().into_bytes();
        let received = WebhookResponse {
            code: 200,
            content_type: "application/json",
            body: &body,
        };
        read(boat(), &[original], "id", &received).map_err(|status| status.message)
    }

    fn reply(response: Value) -> Value {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": response})
    }

    fn success(objects: Value) -> Value {
        let result = json!({"status": "Success"});
        reply(json!({"uid": "id", "result": result, "convertedObjects": objects}))
    }

    #[test]
    fn a_review_names_the_version_and_the_objects() {
        let objects = [object("v1", json!({"name": "a"}))];
        let review = review(boat(), &objects);
        assert_eq!(review["apiVersion"], "apiextensions.k8s.io/v1");
        assert_eq!(
            review["request"],
            json!({"desiredAPIVersion": "example.com/v2", "objects": objects})
        );
    }

    #[test]
    fn conversion_reply_changes_only_labels_and_annotations() {
        let metadata = json!({
            "name": "a", "uid": "u", "resourceVersion": "9", "labels": {"x": "y"}, "finalizers": ["f"],
        });
        let converted = replied(&success(json!([object("v2", metadata)]))).unwrap();
        let metadata =
            json!({"name": "a", "uid": "u", "resourceVersion": "7", "labels": {"x": "y"}});
        assert_eq!(converted, [object("v2", metadata)]);
    }

    #[test]
    fn a_mismatched_reply_is_rejected_with_the_servers_text() {
        let named = |metadata: Value| success(json!([object("v2", metadata)]));
        let failure = |result: Value| reply(json!({"uid": "id", "result": result}));
        for (reply, words) in [
            (success(json!([])), "returned 0 objects, expected 1"),
            (
                success(json!([object("v1", json!({"name": "a", "uid": "u"}))])),
                "returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, \
                 received example.com/v1)",
            ),
            (
                named(json!({"name": "b", "uid": "u"})),
                "returned invalid converted object at index 0: must have the same name: a != b",
            ),
            (
                named(json!({"name": "a"})),
                "returned invalid converted object at index 0: must have the same UID: u != ",
            ),
            (reply(Value::Null), "failed: no response provided"),
            (
                reply(json!({"uid": "x"})),
                "failed: expected response.uid=\"id\", got \"x\"",
            ),
            (
                failure(json!({"status": "Failure", "message": "no way"})),
                "failed: no way",
            ),
            (
                failure(json!({"status": "Failure"})),
                "failed: response.result.status was 'Failure', not 'Success'",
            ),
            (
                json!({"apiVersion": "v1", "kind": "Pod"}),
                "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /v1, Kind=Pod",
            ),
        ] {
            let refused = replied(&reply).unwrap_err();
            assert_eq!(
                refused,
                format!("conversion webhook for example.com/v1, Kind=Boat {words}")
            );
        }
    }
}
