//! Converts objects of kinds that are served at several versions.
//!
//! A kind with a `convert` hook has different fields at each version, such as Event and HorizontalPodAutoscaler. All
//! other kinds have the same fields at each version.

use super::kind::Kind;
use super::schema::StoredFields;
use super::shape;
use super::tree::{set, text};
use crate::api::json::Value;

/// Returns the kind at whose version objects of `kind` are stored: `kind` itself unless `stored_as` is set.
pub fn stored_as(kind: &'static Kind) -> &'static Kind {
    if let Some(custom) = kind.custom {
        return custom.stored_as().unwrap_or(kind);
    }
    let Some((group, version)) = kind.hooks.stored_as else {
        return kind;
    };
    super::lookup::find(group, version, kind.kind).unwrap_or(kind)
}

/// Converts an object to another version of its kind.
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
    // The other version may always write fields that this version omits if unset.
    shape::canonical(to, object, StoredFields::NOTHING);
}
