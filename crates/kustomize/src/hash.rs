//! The name suffix of a generated object: a hash of its content.

use sha2::{Digest as _, Sha256};

use super::resource::Resource;
use crate::api::go;
use crate::api::json::{Map, Value, json};

/// Returns the suffix: ten characters of an alphabet that cannot spell words.
pub(super) fn of(resource: &Resource) -> String {
    let object = &resource.object;
    let field = |name: &str| match &object[name] {
        Value::Null => json!(""),
        value => value.clone(),
    };
    let content = match resource.kind() {
        // kustomize reads the name from a field that no object has, and therefore hashes an empty one.
        "ConfigMap" => content(
            &[("data", field("data"))],
            "ConfigMap",
            "binaryData",
            object,
        ),
        "Secret" => content(
            &[("data", field("data")), ("type", field("type"))],
            "Secret",
            "stringData",
            object,
        ),
        _ => object.clone(),
    };
    let digest = Sha256::digest(go_json(&content).as_bytes());
    let hex: String = digest
        .iter()
        .take(5)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    hex.chars()
        .map(|c| match c {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            c => c,
        })
        .collect()
}

fn content(fields: &[(&str, Value)], kind: &str, optional: &str, object: &Value) -> Value {
    let mut content: Map = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    content.insert("kind".to_owned(), json!(kind));
    content.insert("name".to_owned(), json!(""));
    if object[optional].is_object() {
        content.insert(optional.to_owned(), object[optional].clone());
    }
    Value::Object(content)
}

/// Formats JSON as Go does, escaping the characters that have a meaning in HTML.
fn go_json(value: &Value) -> String {
    go::escaped_json(value.to_string())
        .replace("\\b", "\\u0008")
        .replace("\\f", "\\u000c")
}
