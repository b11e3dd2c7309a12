//! Applies the schema of a custom resource to an object: prunes unknown fields and sets defaults.

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

/// Reads an object of a custom kind: checks its metadata, drops unknown fields and sets defaults.
///
/// # Errors
/// Returns the API server's 400 if it is no object, or the metadata has the wrong shape.
pub fn read(kind: &CustomKind, object: &Value) -> Result<Decoded, Status> {
    // A patch of a webhook, for example, may replace the whole object.
    if !object.is_object() && !object.is_null() {
        let what = decode::json_name(object);
        let why = format!(
            "json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"
        );
        return Err(decode::unreadable(&kind.kind, &kind.version, &why));
    }
    let mut object = object.clone();
    // As for built-in kinds, the kind that reads the object determines both values.
    set(&mut object, "apiVersion", kind.api_version());
    set(&mut object, "kind", kind.kind.clone());
    let mut unknown = Vec::new();
    if has(&object, "metadata") {
        unknown = decode::check_metadata(&kind.kind, &kind.version, field(&object, "metadata"))?;
        unknown.sort();
        canonical_metadata(&mut object);
    }
    // Prune before setting defaults: defaults are part of the schema, so none of them is unknown.
    unknown.extend(prune(&kind.schema, &mut object));
    set_defaults(&kind.schema, &mut object);
    Ok(Decoded { object, unknown })
}

/// Converts the metadata of a custom resource to the shape in which the API server writes it.
pub fn canonical_metadata(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata") {
        make_canonical(metadata);
    }
}

fn make_canonical(metadata: &mut Value) {
    if let Some(schema) = named("meta.v1.ObjectMeta") {
        canonical::apply(schema, metadata, StoredFields::NOTHING);
    }
}

/// Settles a stored object, as every read does: canonical metadata, no unknown fields, defaults set.
pub fn normalize(kind: &CustomKind, object: &mut Value) {
    canonical_metadata(object);
    prune(&kind.schema, object);
    set_defaults(&kind.schema, object);
}

/// Converts a stored object to another version of its kind as the API server does without a webhook: changes the
/// `apiVersion` and drops the fields that the version does not have.
pub fn convert(kind: &CustomKind, object: &mut Value) {
    let from = text(object, "apiVersion").to_owned();
    let versions = kind.versions().iter().filter_map(|k| k.custom);
    // Apply the schema of the stored version first. Data of an earlier schema must not reappear because another
    // version still has the field.
    if let Some(stored) = versions.into_iter().find(|k| k.api_version() == from) {
        normalize(stored, object);
    }
    if from != kind.api_version() {
        set(object, "apiVersion", kind.api_version());
        prune(&kind.schema, object);
    }
}

/// Removes the fields that the schema does not have, and returns the paths of the first ones.
pub fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = UnknownFields::default();
    prune_at(&Path::root(""), schema, object, PLAIN_ROOT, &mut dropped);
    dropped.sorted()
}

/// Returns true if a value has fields that its schema does not have.
pub(crate) fn has_unknown_fields(schema: &Value, value: &Value) -> bool {
    let mut dropped = UnknownFields::default();
    prune_at(
        &Path::root(""),
        schema,
        &mut value.clone(),
        Place::default(),
        &mut dropped,
    );
    !dropped.sorted().is_empty()
}

/// The unknown fields of an object.
#[derive(Default)]
struct UnknownFields {
    fields: Unknown,
    /// Those in the metadata of embedded objects, which the API server reads last.
    metadata: Unknown,
}

impl UnknownFields {
    fn sorted(self) -> Vec<String> {
        let mut all = self.fields.sorted();
        all.extend(self.metadata.sorted());
        all
    }
}

/// The place of a value in an object.
#[derive(Clone, Copy, Default)]
struct Place {
    /// True for the whole object.
    root: bool,
    /// True for the items of a list that preserves unknown fields.
    keeps: bool,
}

const PLAIN_ROOT: Place = Place {
    root: true,
    keeps: false,
};

fn prune_at(
    path: &Path<'_>,
    schema: &Value,
    value: &mut Value,
    mut place: Place,
    dropped: &mut UnknownFields,
) {
    place.keeps |= flag(schema, PRESERVE);
    match value {
        Value::Object(map) => prune_map(path, schema, map, place, dropped),
        Value::Array(items) => {
            place.root = false;
            for (index, item) in items.iter_mut().enumerate() {
                let path = path.index(index);
                prune_at(&path, field(schema, "items"), item, place, dropped);
            }
        }
        _ => {}
    }
}

fn prune_map(
    path: &Path<'_>,
    schema: &Value,
    map: &mut Map,
    place: Place,
    dropped: &mut UnknownFields,
) {
    let own = place.root || flag(schema, EMBEDDED);
    let properties = field(schema, "properties");
    map.retain(|key, value| {
        // Every object has these fields, although schemas need not list them. The object's own metadata is decoded
        // separately.
        if own && OWN.contains(&key.as_str()) {
            if !place.root && key == "metadata" {
                prune_metadata(&path.child(key), value, dropped);
            }
            return true;
        }
        let child = path.child(key);
        let inner = match has(properties, key) {
            true => field(properties, key),
            // A boolean keeps the keys, but is no schema, so all fields in their values are unknown.
            false if has(schema, "additionalProperties") => field(schema, "additionalProperties"),
            false => {
                if !place.keeps {
                    dropped.fields.add(|| child.to_string());
                }
                return place.keeps;
            }
        };
        // A value with a schema is pruned even if unknown fields are preserved at this level.
        prune_at(&child, inner, value, Place::default(), dropped);
        true
    });
}

/// Removes the unknown fields of an embedded object's metadata, and makes the rest canonical.
fn prune_metadata(path: &Path<'_>, metadata: &mut Value, dropped: &mut UnknownFields) {
    // Only metadata that can be decoded has a canonical shape.
    let Ok(unknown) = decode::walk_metadata(metadata) else {
        return;
    };
    for found in unknown {
        // The decoder reports paths in a whole object.
        let inside = found.strip_prefix("metadata").unwrap_or(&found);
        dropped.metadata.add(|| format!("{path}{inside}"));
    }
    make_canonical(metadata);
}

/// Sets the defaults of the schema in fields that are absent, or null without being nullable.
pub fn set_defaults(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, inner) in entries(schema, "properties") {
                // A null that is not permitted counts as absent, so the default replaces it.
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
