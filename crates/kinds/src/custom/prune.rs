//! Applies a custom resource's schema to an incoming object: prunes unknown fields and sets
//! defaults.

use super::definition::CustomKind;
use crate::api::json::{Map, Value};
use crate::api::status::Status;
use crate::decoded::Decoded;
use crate::schema::unknown::Unknown;
use crate::schema::{StoredFields, canonical, decode, named};
use crate::tree::{entries, field, flag, has, set, text};
use crate::validate::path::Path;

const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";
const EMBEDDED: &str = "x-kubernetes-embedded-resource";
const OWN: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Reads an object of a custom kind: checks its metadata, drops unknown fields, sets defaults.
///
/// # Errors
/// The metadata has the wrong shape; the error is the server's 400.
pub fn read(kind: &CustomKind, object: &Value) -> Result<Decoded, Status> {
    let mut object = object.clone();
    // As for built-in kinds, the kind that reads the object decides on both names.
    set(&mut object, "apiVersion", kind.api_version());
    set(&mut object, "kind", kind.kind.clone());
    let mut unknown = Vec::new();
    if has(&object, "metadata") {
        unknown = decode::check_metadata(&kind.kind, &kind.version, field(&object, "metadata"))?;
        canonical_metadata(&mut object);
    }
    // Pruning precedes defaults: a default is part of the schema and cannot be unknown.
    unknown.extend(prune(&kind.schema, &mut object));
    unknown.sort();
    set_defaults(&kind.schema, &mut object);
    Ok(Decoded { object, unknown })
}

/// Gives a custom resource's metadata the shape in which the server writes it.
pub fn canonical_metadata(object: &mut Value) {
    if let (Some(schema), Some(metadata)) =
        (named("meta.v1.ObjectMeta"), object.get_mut("metadata"))
    {
        canonical::apply(schema, metadata, StoredFields::NOTHING);
    }
}

/// Normalizes a stored object on every read: canonical metadata, no unknown fields, defaults.
pub fn settle(kind: &CustomKind, object: &mut Value) {
    canonical_metadata(object);
    prune(&kind.schema, object);
    set_defaults(&kind.schema, object);
}

/// Turns a stored object into another version of its kind, as without a webhook: the version changes
/// its name, and fields that it does not have go.
pub fn convert(kind: &CustomKind, object: &mut Value) {
    let from = text(object, "apiVersion").to_owned();
    let versions = kind.versions().iter().filter_map(|k| k.custom);
    // The stored version's schema applies first. Data of an earlier schema must not reappear because another version
    // still has the field.
    if let Some(stored) = versions.into_iter().find(|k| k.api_version() == from) {
        settle(stored, object);
    }
    if from != kind.api_version() {
        set(object, "apiVersion", kind.api_version());
        prune(&kind.schema, object);
    }
}

/// Removes the fields that the schema lacks; returns the paths of the first ones.
pub fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = Unknown::default();
    prune_at(&Path::root(""), schema, object, true, &mut dropped);
    dropped.sorted()
}

/// Returns true if a value has fields that its schema lacks.
pub(crate) fn has_unknown_fields(schema: &Value, value: &Value) -> bool {
    let mut dropped = Unknown::default();
    prune_at(
        &Path::root(""),
        schema,
        &mut value.clone(),
        false,
        &mut dropped,
    );
    !dropped.sorted().is_empty()
}

fn prune_at(path: &Path<'_>, schema: &Value, value: &mut Value, root: bool, dropped: &mut Unknown) {
    match value {
        Value::Object(map) => prune_map(path, schema, map, root, dropped),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let path = path.index(index);
                prune_at(&path, field(schema, "items"), item, false, dropped);
            }
        }
        _ => {}
    }
}

fn prune_map(path: &Path<'_>, schema: &Value, map: &mut Map, root: bool, dropped: &mut Unknown) {
    let own = root || flag(schema, EMBEDDED);
    let properties = field(schema, "properties");
    let more = field(schema, "additionalProperties");
    let open = flag(schema, PRESERVE) || *more == Value::Bool(true);
    map.retain(|key, value| {
        // Every object has these, though schemas need not list them; metadata is decoded
        // separately.
        if own && OWN.contains(&key.as_str()) {
            return true;
        }
        let child = path.child(key);
        let inner = match has(properties, key) {
            true => field(properties, key),
            false => more,
        };
        // Below a property with a schema, pruning continues even if unknown fields are preserved here.
        if inner.is_object() {
            prune_at(&child, inner, value, false, dropped);
            return true;
        }
        if !open {
            dropped.add(|| child.to_string());
        }
        open
    });
}

/// Sets the defaults of the schema if a field is absent, or null without being nullable.
pub fn set_defaults(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, inner) in entries(schema, "properties") {
                // A null that is not permitted counts as absent, so that the default replaces it.
                if map.get(name).is_some_and(Value::is_null) && !flag(inner, "nullable") {
                    map.remove(name);
                }
                if !map.contains_key(name) && has(inner, "default") {
                    map.insert(name.to_owned(), field(inner, "default").clone());
                }
            }
            let (own, more) = (
                field(schema, "properties"),
                field(schema, "additionalProperties"),
            );
            let no_value = |value: &Value| value.is_null() && !flag(more, "nullable");
            if more.is_object() {
                map.retain(|name, value| has(own, name) || !no_value(value));
            }
            for (name, value) in map.iter_mut() {
                let inner = if has(own, name) {
                    field(own, name)
                } else {
                    more
                };
                set_defaults(inner, value);
            }
        }
        Value::Array(items) => {
            let inner = field(schema, "items");
            items.iter_mut().for_each(|item| set_defaults(inner, item));
        }
        _ => {}
    }
}
