//! Prepares objects for printing: lists, managed fields, names.

use crate::api::json::{Value, json};
use crate::api::yaml;
use crate::kinds::tree::{self, field, text};

/// The displayed name of an object without one, such as a review.
pub const UNNAMED: &str = "<unknown>";

/// Returns the list object in which kubectl prints several objects.
pub fn list(items: Vec<Value>) -> Value {
    json!({
        "apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""},
    })
}

/// Returns true if a value is a list of objects.
pub fn is_list(value: &Value) -> bool {
    field(value, "items").is_array() && !text(value, "kind").is_empty()
}

/// Returns the items of a list, or the object itself.
pub fn items(value: &Value) -> &[Value] {
    match is_list(value) {
        true => tree::list(value, "items"),
        false => std::slice::from_ref(value),
    }
}

/// Returns true if an object or any item of a list has managed fields.
pub(super) fn has_managed_fields(value: &Value) -> bool {
    let says = |object: &Value| !field(field(object, "metadata"), "managedFields").is_null();
    says(value) || is_list(value) && tree::list(value, "items").iter().any(says)
}

/// Removes the managed fields, as kubectl does unless `--show-managed-fields` is set.
pub fn strip_managed_fields(value: &mut Value) {
    if let Some(metadata) = tree::child(value, "metadata") {
        tree::take(metadata, "managedFields");
    }
    if is_list(value) {
        tree::items(value, "items").for_each(strip_managed_fields);
    }
}

/// Returns an object's type and name, such as `pod/web` or `deployment.apps/web`.
pub fn type_and_name(object: &Value) -> String {
    let name = match text(field(object, "metadata"), "name") {
        "" => UNNAMED,
        name => name,
    };
    format!("{}/{name}", type_name(object))
}

/// Returns an object's type, such as `pod` or `deployment.apps`.
pub fn type_name(object: &Value) -> String {
    let kind = text(object, "kind").to_lowercase();
    match text(object, "apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind,
    }
}

/// Checks that a value can be printed as YAML. kubectl first reads its JSON as YAML, and that parser rejects some
/// control characters, which JSON does not escape.
///
/// # Errors
/// Returns the parser's error.
pub fn check_yaml(value: &Value) -> Result<(), &'static str> {
    let is_good = match value {
        Value::String(text) => !has_control(text),
        Value::Array(items) => return items.iter().try_for_each(check_yaml),
        Value::Object(map) => {
            map.values().try_for_each(check_yaml)?;
            !map.keys().any(|key| has_control(key))
        }
        _ => true,
    };
    is_good
        .then_some(())
        .ok_or("yaml: control characters are not allowed")
}

fn has_control(text: &str) -> bool {
    // The first bytes of these characters are rare, so most strings need not be decoded.
    let may = |byte: u8| matches!(byte, 0x7f | 0xc2 | 0xef);
    let is_control =
        |c: char| matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    text.bytes().any(may) && text.chars().any(is_control)
}

/// Formats a value as YAML.
pub(super) fn yaml(value: &Value) -> String {
    yaml::to_string(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_by_kind_and_group() {
        let object = |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}});
        assert_eq!(type_and_name(&object("v1", "Pod")), "pod/a");
        assert_eq!(
            type_and_name(&object("apps/v1", "ReplicaSet")),
            "replicaset.apps/a"
        );
        let review = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {}});
        assert_eq!(type_and_name(&review), "binding/<unknown>");
    }

    #[test]
    fn managed_fields_are_stripped_from_objects_and_lists() {
        let object = json!({"kind": "A", "metadata": {"managedFields": [], "name": "a"}});
        let mut all = list(vec![object.clone()]);
        strip_managed_fields(&mut all);
        assert_eq!(
            all["items"][0],
            json!({"kind": "A", "metadata": {"name": "a"}})
        );
        assert_eq!(items(&all).len(), 1);
        assert_eq!(items(&object).len(), 1);
    }
}
