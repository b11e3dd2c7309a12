//! An object and how it was named.

use crate::api::json::Value;
use crate::cli::output::type_and_name;
use crate::cluster::Place;
use crate::kinds::Kind;
use crate::print::objects;

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
            _ => type_and_name(self.kind, name),
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
