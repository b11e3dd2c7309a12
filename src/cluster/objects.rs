//! Objects between the store's bytes and Kubernetes' trees.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::request::{ApiError, Place, WriteOptions};
use super::{Key, StoreError, Stored};
use crate::api::json::{Map, Value};
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::convert::{convert, stored_as};
use crate::store::{Range, Revision, View};

/// The key of an object; a name that could not be stored is answered as not found.
pub(crate) fn key(place: &Place, name: &str) -> Result<Key, ApiError> {
    let namespace = place.kind.namespaced.then_some(place.namespace.as_str());
    Key::new(&stored_as(place.kind).qualified_resource(), namespace, name)
        .map_err(|_| Status::not_found(&place.kind.qualified_resource(), name).into())
}

/// The keys of a place's objects.
pub(crate) fn range(place: &Place) -> Range {
    let namespace =
        Some(place.namespace.as_str()).filter(|n| place.kind.namespaced && !n.is_empty());
    Range::resource(&stored_as(place.kind).qualified_resource(), namespace)
}

/// An object as Kubernetes shows it: with its resource version.
pub(crate) fn shown(stored: &Stored) -> Result<Value, StoreError> {
    with_revision(&stored.json, stored.revision, &stored.key)
}

/// The same at the version that was asked for.
pub(crate) fn shown_as(kind: &Kind, stored: &Stored) -> Result<Value, StoreError> {
    let mut object = shown(stored)?;
    convert(&mut object, kind);
    Ok(object)
}

/// An object as a writer changes it, with the revision of its last change. What the writer has seen of it
/// counts if nobody changed it since, and then it is not read.
pub(crate) fn current(
    view: &dyn View,
    key: &Key,
    options: &WriteOptions,
    kind: &'static Kind,
) -> Result<Option<(Revision, Value)>, StoreError> {
    if let Some((revision, object)) = &options.seen
        && std::ptr::eq(stored_as(kind), kind)
        && view.revision_of(key)? == Some(*revision)
    {
        return Ok(Some((*revision, object.clone())));
    }
    let stored = view.get(key)?;
    let read = |stored: Stored| Ok((stored.revision, shown_as(kind, &stored)?));
    stored.map(read).transpose()
}

pub(crate) fn with_revision(json: &[u8], revision: u64, key: &Key) -> Result<Value, StoreError> {
    let mut value: Value = serde_json::from_slice(json)
        .map_err(|e| StoreError::Refused(format!("{key} cannot be read: {e}")))?;
    set_revision(&mut value, revision);
    Ok(value)
}

pub(crate) fn set_revision(value: &mut Value, revision: u64) {
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion", revision.to_string().into());
    }
}

/// The bytes to store: at the version that the kind is stored at, without the resource version.
pub(crate) fn bytes(kind: &'static Kind, object: &Value) -> Result<Vec<u8>, StoreError> {
    let stored = stored_as(kind);
    let json = if std::ptr::eq(stored, kind) {
        serde_json::to_vec(&Unversioned(object))
    } else {
        let mut object = object.clone();
        convert(&mut object, stored);
        serde_json::to_vec(&Unversioned(&object))
    };
    json.map_err(|e| StoreError::Refused(e.to_string()))
}

/// An object that is written without its resource version.
struct Unversioned<'a>(&'a Value);

impl Serialize for Unversioned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(object) = self.0.as_object() else {
            return self.0.serialize(serializer);
        };
        let mut out = serializer.serialize_map(None)?;
        for (name, value) in object {
            match value {
                Value::Object(fields) if name == "metadata" => {
                    out.serialize_entry(name, &UnversionedMetadata(fields))?;
                }
                value => out.serialize_entry(name, value)?,
            }
        }
        out.end()
    }
}

struct UnversionedMetadata<'a>(&'a Map);

impl Serialize for UnversionedMetadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.iter().filter(|(name, _)| *name != "resourceVersion");
        serializer.collect_map(fields)
    }
}

/// Finds an object in a transaction's state by resource, namespace (empty for none) and name.
pub(crate) fn find(view: &dyn View, resource: &str, namespace: &str, name: &str) -> Option<Value> {
    let namespace = Some(namespace).filter(|n| !n.is_empty());
    let key = Key::new(resource, namespace, name).ok()?;
    shown(&view.get(&key).ok()??).ok()
}

/// The API server's own words for an object that is not there.
pub(crate) fn not_found(kind: &Kind, name: &str) -> ApiError {
    Status::not_found(&kind.qualified_resource(), name).into()
}

/// 400: the body of a request for an object has no name.
pub(crate) fn nameless(name: &str) -> Status {
    Status::bad_request(format!(
        "the name of the object ({name} based on URL) was undeterminable: name must be provided"
    ))
}

/// A field of the metadata as text; empty where there is none.
pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}
