//! Finds the objects that a command line names by files, types, names or selectors.
//!
//! [`Builder`] takes the flags and words of kubectl's resource builder, finds the objects in the same order, and
//! reports errors with the same texts. Must not know: what the command does with the objects.

pub(crate) mod args;
mod builder;
mod files;
mod found;
mod info;
mod kinds;
mod missing;
mod paths;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;

use crate::api::json::Value;

pub(crate) use args::{FileArgs, SelectorArgs};
pub(crate) use builder::Builder;
pub(crate) use found::{NamedObjects, apart};
pub(crate) use info::Info;
pub(crate) use kinds::Kinds;
pub(crate) use missing::missing;
pub(crate) use paths::{clean, glob};

/// Returns an object in the form of a create request: a manifest that was read from a cluster has a resourceVersion,
/// which the API server rejects in new objects.
pub(crate) fn to_create(object: &Value) -> Cow<'_, Value> {
    let version = &object["metadata"]["resourceVersion"];
    if version.as_str().is_none_or(str::is_empty) {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
    Cow::Owned(object)
}
