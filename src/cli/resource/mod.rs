//! The objects that a command line names: by files, types, names or selectors.
//!
//! [`Builder`] takes the flags and words that kubectl's resource builder takes, finds the objects
//! in the same order, and says what is wrong in the same words. Must not know: what the command
//! does with them.

pub(crate) mod args;
mod builder;
mod files;
mod found;
mod kinds;
mod missing;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;

use crate::api::json::Value;

pub(crate) use args::{FileArgs, SelectorArgs};
pub(crate) use builder::Builder;
pub(crate) use files::glob;
pub(crate) use found::Found;
pub(crate) use kinds::Kinds;

use crate::cluster::Place;
use crate::kinds::Kind;
use crate::print::objects;

/// Returns an object in the form for a create request: a manifest that was read from a cluster has a
/// resource version, which the API server rejects in new objects.
pub(crate) fn to_create(object: &Value) -> Cow<'_, Value> {
    let version = &object["metadata"]["resourceVersion"];
    if version.as_str().is_none_or(str::is_empty) {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
    }
    Cow::Owned(object)
}

/// A named object, with the way in which it was named.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Info {
    /// Its kind.
    pub(crate) kind: &'static Kind,
    /// Its namespace, empty for kinds that have none.
    pub(crate) namespace: String,
    /// Its name; empty if the server generates one.
    pub(crate) name: String,
    /// The file as the user named it, `STDIN` for standard input, empty if it comes from no file.
    pub(crate) source: String,
    /// The object; null if only its name was needed.
    pub(crate) object: Value,
}

impl Info {
    /// Returns its kind and namespace.
    pub(crate) fn place(&self) -> Place {
        Place::new(self.kind, &self.namespace)
    }

    /// Returns type and name, such as `deployment.apps/web`.
    pub(crate) fn shown(&self) -> String {
        let name = self.object["metadata"]["name"]
            .as_str()
            .unwrap_or(&self.name);
        match self.object["kind"].as_str() {
            // A subresource such as `scale` is an object of another kind and is printed as that.
            Some(own) if own != self.kind.kind => objects::type_and_name(&self.object),
            _ => super::output::type_and_name(self.kind, name),
        }
    }

    /// Returns the value for an object of a place.
    pub(crate) fn at(place: &Place, object: Value) -> Self {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        Self {
            kind: place.kind,
            namespace: text("namespace").to_owned(),
            name: text("name").to_owned(),
            source: String::new(),
            object,
        }
    }

    /// Returns a copy with another object, and with that one's name.
    pub(crate) fn with(&self, object: Value) -> Self {
        let name = object["metadata"]["name"].as_str();
        Self {
            // A response has the name that the server generated for `generateName`.
            name: name.unwrap_or(&self.name).to_owned(),
            object,
            ..self.clone()
        }
    }
}
