//! Values whose fields are printed in a specific order rather than sorted by name.

use serde::ser::{Serialize, Serializer};

use super::{json, kyaml};
use crate::api::json::Value;

/// A value whose maps may have a specific order.
pub(crate) trait Tree<'a>: Copy {
    fn value(self) -> &'a Value;
    /// Returns the ordered fields if the value is a map, nothing otherwise.
    fn fields(self) -> Vec<(&'a str, Self)>;
    /// Returns the items if the value is a list, nothing otherwise.
    fn items(self) -> Vec<Self>;
}

impl<'a> Tree<'a> for &'a Value {
    fn value(self) -> &'a Value {
        self
    }

    fn fields(self) -> Vec<(&'a str, Self)> {
        let fields = self.as_object().into_iter().flatten();
        fields.map(|(name, value)| (&**name, value)).collect()
    }

    fn items(self) -> Vec<Self> {
        self.as_array().into_iter().flatten().collect()
    }
}

/// Serializes a tree with its fields in order.
pub(crate) fn serialize<'a, S: Serializer>(
    tree: impl Tree<'a> + Serialize,
    out: S,
) -> Result<S::Ok, S::Error> {
    match tree.value() {
        Value::Object(_) => out.collect_map(tree.fields()),
        Value::Array(_) => out.collect_seq(tree.items()),
        other => other.serialize(out),
    }
}

/// A value whose fields are in the order of a list, like those of kubectl's structs.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_print::InOrder;
///
/// let config = json!({"apiVersion": "v1", "kind": "Config"});
/// let shown = InOrder(&config, &["kind", "apiVersion"]);
/// assert_eq!(shown.to_json(), "{\n    \"kind\": \"Config\",\n    \"apiVersion\": \"v1\"\n}\n");
/// assert_eq!(shown.to_kyaml(), "---\n{\n  kind: \"Config\",\n  apiVersion: \"v1\",\n}\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct InOrder<'a>(pub &'a Value, pub &'a [&'a str]);

impl InOrder<'_> {
    /// Formats the value as JSON, with a final newline.
    pub fn to_json(self) -> String {
        json::indented(&self, b"    ") + "\n"
    }

    /// Formats the value as a KYAML document.
    pub fn to_kyaml(self) -> String {
        kyaml::to_string(self)
    }
}

impl<'a> Tree<'a> for InOrder<'a> {
    fn value(self) -> &'a Value {
        self.0
    }

    fn fields(self) -> Vec<(&'a str, Self)> {
        let place = |name: &str| self.1.iter().position(|known| *known == name);
        let mut fields = self.0.fields();
        // The sort is stable: fields that the list lacks stay sorted, behind the others.
        fields.sort_by_key(|(name, _)| place(name).unwrap_or(self.1.len()));
        let own = |(name, value)| (name, Self(value, self.1));
        fields.into_iter().map(own).collect()
    }

    fn items(self) -> Vec<Self> {
        let items = self.0.items().into_iter();
        items.map(|value| Self(value, self.1)).collect()
    }
}

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        serialize(*self, out)
    }
}
