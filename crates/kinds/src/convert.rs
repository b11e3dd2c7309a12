//! Conversion of objects that are served at several versions.
//!
//! A kind with a `convert` hook has other fields at each version, as Events and autoscalers do. All other kinds with several
//! versions have the same fields at each.

use super::kind::Kind;
use super::schema::StoredFields;
use super::shape;
use super::tree::{set, text};
use crate::api::json::Value;

/// Returns the kind at which objects of `kind` are stored: itself, unless it has a `stored_as`.
pub fn stored_as(kind: &'static Kind) -> &'static Kind {
    if let Some(custom) = kind.custom {
        return custom.stored_as().unwrap_or(kind);
    }
    let Some((group, version)) = kind.hooks.stored_as else {
        return kind;
    };
    super::lookup::find(group, version, kind.kind).unwrap_or(kind)
}

/// Turns an object into another version of its kind.
pub fn convert(object: &mut Value, to: &Kind) {
    if let Some(custom) = to.custom {
        return super::custom::convert(custom, object);
    }
    let from = text(object, "apiVersion").to_owned();
    let target = to.api_version();
    if from == target {
        return;
    }
    if let Some(convert) = to.hooks.convert {
        convert(object, &target);
    }
    set(object, "apiVersion", target);
    // The other version may write unset fields that this one omits.
    shape::canonical(to, object, StoredFields::NOTHING);
}
