//! An object as its file shows it.
//!
//! Must not know: files, and the comments in them.

use super::revision::Revision;
use crate::api::json::{Value, from_bytes};
use crate::api::yaml;

/// Returns an object as its file shows it: without managed fields, with its revision.
pub(crate) fn shown(json: &[u8], revision: Revision) -> Value {
    // Managed fields are never in a file, so their trees are not even built
    // (`docs/design/0009-managed-fields.md`).
    let mut value = from_bytes(json, &["metadata", "managedFields"]).unwrap_or_default();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion", revision.to_string().into());
    }
    value
}

/// Returns an object's file without the comments that users wrote into it.
pub(crate) fn plain(json: &[u8], revision: Revision) -> Vec<u8> {
    // YAML needs more room than JSON because of its indentation; one allocation instead of several.
    let mut text = Vec::with_capacity(json.len() * 2);
    let change = yaml::Change {
        object: "metadata",
        omitted: "managedFields",
        name: "resourceVersion",
        text: &revision.to_string(),
    };
    // The journal's JSON is nearly always in the order of the file. Building the tree of each object took half of the
    // time of this function.
    if !yaml::transcribe(json, change, &mut text) {
        text.clear();
        yaml::emit(&shown(json, revision), &mut text);
    }
    text
}
