//! Objects between the store's bytes and Kubernetes' trees.

use crate::api::json::{Value, from_bytes, part_of_bytes, to_bytes};
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::convert::{convert, stored_as};
use crate::request::Place;
use crate::request::response::ApiError;
use crate::store::{Key, Range, StoreError, Stored, View};

/// Returns the key of an object; a name that could not be stored is returned as not found.
pub(crate) fn key(place: &Place, name: &str) -> Result<Key, ApiError> {
    let namespace = place.kind.namespaced.then_some(place.namespace.as_str());
    Key::new(&stored_as(place.kind).qualified_resource(), namespace, name)
        // A name that breaks the rules cannot exist, so kube-apiserver also returns 404 for it.
        .map_err(|_| Status::not_found(&place.kind.qualified_resource(), name).into())
}

/// Returns the keys of a place's objects.
pub(crate) fn range(place: &Place) -> Range {
    let namespace =
        Some(place.namespace.as_str()).filter(|n| place.kind.namespaced && !n.is_empty());
    Range::resource(&stored_as(place.kind).qualified_resource(), namespace)
}

/// Returns an object as Kubernetes shows it: with its resource version.
pub(crate) fn shown(stored: &Stored) -> Result<Value, StoreError> {
    with_revision(&stored.json, stored.revision, &stored.key)
}

/// Returns the object at the requested version.
pub(crate) fn shown_as(kind: &Kind, stored: &Stored) -> Result<Value, StoreError> {
    let mut object = shown(stored)?;
    convert(&mut object, kind);
    Ok(object)
}

pub(crate) fn with_revision(json: &[u8], revision: u64, key: &Key) -> Result<Value, StoreError> {
    let mut value = from_bytes(json, &[])
        .map_err(|e| StoreError::Refused(format!("{key} cannot be read: {e}")))?;
    set_revision(&mut value, revision);
    Ok(value)
}

pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion", revision.to_string().into());
    }
}

/// Returns the bytes to store: at the version that the kind is stored at, without the resource version.
pub(crate) fn bytes(kind: &'static Kind, object: &Value) -> Vec<u8> {
    // The record in the journal has the revision. In the body as well, it would make every write a change.
    const OWN: [&str; 2] = ["metadata", "resourceVersion"];
    let stored = stored_as(kind);
    if std::ptr::eq(stored, kind) {
        return to_bytes(object, &OWN);
    }
    let mut object = object.clone();
    convert(&mut object, stored);
    to_bytes(&object, &OWN)
}

/// Finds an object in a transaction's state by resource, namespace (empty for none) and name.
pub(crate) fn find(view: &dyn View, resource: &str, namespace: &str, name: &str) -> Option<Value> {
    shown(&found(view, resource, namespace, name)?).ok()
}

/// Returns the labels of an object without parsing the rest of it; null if the object does not exist.
pub(crate) fn labels(view: &dyn View, resource: &str, namespace: &str, name: &str) -> Value {
    let stored = found(view, resource, namespace, name);
    // A binding needs the labels of a node, whose images and conditions are most of its bytes.
    let labels = |stored: Stored| part_of_bytes(&stored.json, &["metadata", "labels"]).ok();
    stored.and_then(labels).unwrap_or_default()
}

fn found(view: &dyn View, resource: &str, namespace: &str, name: &str) -> Option<Stored> {
    let namespace = Some(namespace).filter(|n| !n.is_empty());
    let key = Key::new(resource, namespace, name).ok()?;
    view.get(&key).ok()?
}

/// Returns the API server's error for an object that does not exist.
pub(crate) fn not_found(kind: &Kind, name: &str) -> ApiError {
    Status::not_found(&kind.qualified_resource(), name).into()
}

/// Returns a 400: the body of a request for an object has no name.
pub(crate) fn nameless(name: &str) -> Status {
    Status::bad_request(format!(
        "the name of the object ({name} based on URL) was undeterminable: name must be provided"
    ))
}

/// Returns a field of the metadata as text; empty if it is absent.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// Returns the time of a transaction as Kubernetes writes it.
pub(crate) fn seconds(view: &dyn View) -> String {
    view.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
