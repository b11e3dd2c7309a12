//! JSON and KYAML in the field order of Kubernetes' Go structs.
//!
//! kubectl prints objects that it holds as structs in the order of the struct's fields, and objects that it holds as
//! trees sorted by name. It holds structs for the objects of its generators, for those that it modifies (`set`,
//! `rollout`, `taint`, `cordon`), and for the lists of a dump.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::ser::{Serialize, Serializer};

use super::order::{self, Tree};
use super::{json, kyaml};
use crate::api::json::Value;
use crate::kinds::schema::table::{self, Schema, Type};

/// The fields of each struct, in order, without those that all kinds have.
static ORDER: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("go_order.txt").lines();
    let entries = lines.filter_map(|line| line.split_once(": "));
    entries
        .map(|(name, fields)| (name, fields.split(' ').collect()))
        .collect()
});

/// The first fields of every kind.
const HEAD: &[&str] = &["kind", "apiVersion", "metadata"];

/// The last fields of kinds.
const TAIL: &[&str] = &["spec", "status"];

/// Formats an object or a list of objects in the order of its struct, with a final newline.
pub fn to_string(object: &Value) -> String {
    let shown = Ordered {
        value: object,
        shape: Shape::Root,
    };
    json::indented(&shown, b"    ") + "\n"
}

/// Formats an object or a list of objects as KYAML, in the order of its struct.
pub(crate) fn kyaml(object: &Value) -> String {
    kyaml::to_string(Ordered {
        value: object,
        shape: Shape::Root,
    })
}

/// Formats a list in the order of its struct. The objects in it are trees, so they are sorted by name.
pub(crate) fn list_to_string(list: &Value) -> String {
    json::indented(&Ordered::list(list), b"    ") + "\n"
}

/// Formats a list as KYAML, in the same order as [`list_to_string`].
pub(crate) fn list_to_kyaml(list: &Value) -> String {
    kyaml::to_string(Ordered::list(list))
}

/// Formats an object as the API server sends it: on one line, in the order of its struct. An object without a struct,
/// such as a custom resource, is sorted by name.
pub fn one_line(object: &Value) -> String {
    let text = |name: &str| object[name].as_str();
    let known = text("apiVersion").zip(text("kind"));
    let shape = match known.and_then(|(api_version, kind)| of_kind(api_version, kind)) {
        Some(_) => Shape::Root,
        None => Shape::Unknown,
    };
    json::one_line(&Ordered {
        value: object,
        shape,
    })
}

/// The known type of a value.
#[derive(Clone, Copy)]
enum Shape {
    /// An object with a kind.
    Root,
    /// A list of trees.
    List,
    Struct(&'static Schema),
    Typed(&'static Type),
    /// The items of a list of this type.
    Items(Option<&'static Schema>),
    Unknown,
}

#[derive(Clone, Copy)]
struct Ordered<'a> {
    value: &'a Value,
    shape: Shape,
}

impl<'a> Ordered<'a> {
    fn list(value: &'a Value) -> Self {
        Self {
            value,
            shape: Shape::List,
        }
    }

    fn schema(self) -> Option<&'static Schema> {
        match self.shape {
            Shape::Root => of_kind(
                self.value["apiVersion"].as_str()?,
                self.value["kind"].as_str()?,
            ),
            Shape::Struct(schema) => Some(schema),
            Shape::Typed(Type::Object(named)) => named.schema(),
            _ => None,
        }
    }

    /// Returns the type of a field.
    fn below(self, schema: Option<&'static Schema>, name: &str) -> Shape {
        match (schema, self.shape) {
            (Some(schema), _) => match schema.field(name) {
                Some(field) => Shape::Typed(&field.ty),
                None => Shape::Unknown,
            },
            // A list of objects that has no schema of its own.
            (None, Shape::Root) if name == "metadata" => {
                let of = |at: &str| table::named(at).map(Shape::Struct);
                of("meta.v1.ListMeta").unwrap_or(Shape::Unknown)
            }
            (None, Shape::Root) if name == "items" => Shape::Items(self.item()),
            (None, Shape::Typed(Type::Map(inner))) => Shape::Typed(inner),
            _ => Shape::Unknown,
        }
    }

    /// Returns the type of the items of a list kind such as `PodList`.
    fn item(self) -> Option<&'static Schema> {
        let kind = self.value["kind"].as_str()?.strip_suffix("List")?;
        of_kind(self.value["apiVersion"].as_str()?, kind)
    }

    /// Returns the type of the items of a list.
    fn inside(self) -> Shape {
        match self.shape {
            Shape::Typed(Type::List(inner)) => Shape::Typed(inner),
            Shape::Items(Some(schema)) => Shape::Struct(schema),
            Shape::Items(None) => Shape::Root,
            _ => Shape::Unknown,
        }
    }
}

fn of_kind(api_version: &str, kind: &str) -> Option<&'static Schema> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    table::of_kind(group, version, kind)
}

impl<'a> Tree<'a> for Ordered<'a> {
    fn value(self) -> &'a Value {
        self.value
    }

    fn fields(self) -> Vec<(&'a str, Self)> {
        let schema = self.schema();
        // A nested kind, such as a volume claim template, starts with the same fields.
        let is_kind = matches!(self.shape, Shape::Root | Shape::List) || is_kind(schema);
        let mut fields = self.value.fields();
        // The sort is stable, because unknown fields share a rank and stay in the order of the map.
        fields.sort_by_key(|(name, _)| rank(schema, name, is_kind));
        let own = |(name, value)| {
            let shape = self.below(schema, name);
            (name, Self { value, shape })
        };
        fields.into_iter().map(own).collect()
    }

    fn items(self) -> Vec<Self> {
        let shape = self.inside();
        let items = self.value.items().into_iter();
        items.map(|value| Self { value, shape }).collect()
    }
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        order::serialize(*self, out)
    }
}

/// Returns true if a schema is that of a top-level object.
fn is_kind(schema: Option<&Schema>) -> bool {
    schema.is_some_and(|s| HEAD.iter().all(|name| s.field(name).is_some()))
}

/// Returns the rank of a field. Unknown fields come after the known ones.
fn rank(schema: Option<&Schema>, name: &str, is_kind: bool) -> (usize, usize) {
    let at = |names: &[&str]| names.iter().position(|own| *own == name);
    if is_kind && let Some(at) = at(HEAD) {
        return (0, at);
    }
    let known = schema.and_then(|s| ORDER.get(s.go_name()));
    if let Some(at) = known.and_then(|names| at(names)) {
        return (1, at);
    }
    match at(TAIL).filter(|_| is_kind) {
        Some(at) => (3, at),
        None => (2, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn the_table_names_every_field_of_its_structs_once() {
        let mut wrong = Vec::new();
        for (name, fields) in ORDER.iter() {
            let schemas: Vec<_> = table::all().filter(|s| s.go_name() == *name).collect();
            if schemas.is_empty() {
                wrong.push(format!("{name}: no such struct"));
            }
            let known = |field: &str| schemas.iter().any(|s| s.field(field).is_some());
            for field in fields {
                if !known(field) || fields.iter().filter(|f| *f == field).count() > 1 {
                    wrong.push(format!("{name}.{field} is missing or listed twice"));
                }
            }
            for schema in &schemas {
                let head = if is_kind(Some(schema)) { HEAD } else { &[] };
                for field in schema.fields().iter().map(|f| f.name) {
                    if !fields.contains(&field) && !head.contains(&field) {
                        wrong.push(format!("{}.{field} is missing", schema.name));
                    }
                }
            }
        }
        wrong.sort();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn response_fields_follow_go_struct_order_if_known() {
        let group = json!({"apiVersion": "v1", "kind": "APIGroup", "name": "apps", "preferredVersion":
            {"version": "v1", "groupVersion": "apps/v1"}, "versions": [{"version": "v1", "groupVersion": "apps/v1"}]});
        assert_eq!(
            one_line(&group),
            r#"{"kind":"APIGroup","apiVersion":"v1","name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}}"#
        );
        let custom = json!({"kind": "Boat", "apiVersion": "sea.example.com/v1", "metadata": {}});
        assert_eq!(
            one_line(&custom),
            r#"{"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{}}"#
        );
    }

    #[test]
    fn object_fields_are_printed_in_go_struct_order() {
        let deployment = json!({"apiVersion": "apps/v1", "kind": "Deployment", "status": {},
            "metadata": {"labels": {"b": "1", "a": "2"}, "name": "web"},
            "spec": {"strategy": {}, "template": {"spec": {"containers": [
                {"image": "nginx", "name": "nginx"}]}}, "selector": {}}});
        let text = to_string(&deployment);
        let places = [
            "\"kind\"",
            "\"apiVersion\"",
            "\"metadata\"",
            "\"name\": \"web\"",
            "\"a\"",
            "\"b\"",
            "\"spec\"",
            "\"selector\"",
            "\"template\"",
            "\"name\": \"nginx\"",
            "\"image\"",
            "\"strategy\"",
            "\"status\"",
        ]
        .map(|part| text.find(part).unwrap());
        assert!(places.is_sorted(), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), deployment);
    }

    #[test]
    fn the_fields_of_events_are_in_go_struct_order() {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {}, "count": 1, "involvedObject": {},
            "reason": "Why", "source": {}, "type": "Normal"});
        assert_eq!(
            one_line(&event),
            r#"{"kind":"Event","apiVersion":"v1","metadata":{},"involvedObject":{},"reason":"Why","source":{},"count":1,"type":"Normal"}"#
        );
    }

    #[test]
    fn the_objects_of_a_list_keep_their_own_order() {
        let list = json!({"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {},
            "items": [{"metadata": {"namespace": "a", "name": "b"}, "data": {"z": "1"}}]});
        let text = to_string(&list);
        assert!(
            text.find("\"kind\"") < text.find("\"apiVersion\""),
            "{text}"
        );
        assert!(text.find("\"name\"") < text.find("\"namespace\""), "{text}");
        assert!(text.find("\"items\"") > text.find("\"metadata\""), "{text}");
    }
}
