//! The warnings about a CustomResourceDefinition: formats that nothing validates.

use crate::api::json::Value;
use crate::tree::{entries, field, list, text};

/// The formats of strings, without dashes.
const OF_TEXTS: &[&str] = &[
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "quantity",
    "k8sshortname",
    "k8slongname",
];

/// The fields of a schema that hold one schema, a list of schemas, and schemas by name.
const ONE: [&str; 4] = ["items", "not", "additionalProperties", "additionalItems"];
const SEVERAL: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const NAMED: [&str; 4] = [
    "properties",
    "patternProperties",
    "definitions",
    "dependencies",
];

/// Adds a warning for each format that is unknown for the type next to it.
pub(super) fn collect(crd: &Value, warnings: &mut Vec<String>) {
    for version in list(field(crd, "spec"), "versions") {
        walk(field(field(version, "schema"), "openAPIV3Schema"), warnings);
    }
}

fn walk(schema: &Value, warnings: &mut Vec<String>) {
    // The schema is absent, or it is `additionalProperties: true`.
    if !schema.is_object() {
        return;
    }
    let format = text(schema, "format");
    if !format.is_empty() && !is_known(text(schema, "type"), format) {
        let warning = format!("unrecognized format {format:?}");
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let one = ONE.iter().map(|name| field(schema, name));
    let several = SEVERAL.iter().flat_map(|name| list(schema, name));
    let named = NAMED.iter().flat_map(|name| entries(schema, name));
    for inner in one.chain(several).chain(named.map(|(_, inner)| inner)) {
        walk(inner, warnings);
    }
}

fn is_known(kind: &str, format: &str) -> bool {
    match kind {
        // go-openapi removes dashes from string formats before it compares them.
        "" | "string" => OF_TEXTS.contains(&&*format.replace('-', "")),
        "integer" => ["int32", "int64"].contains(&format),
        "number" => ["float", "double"].contains(&format),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;
    use crate::warnings::{of, of_update};

    fn crd(properties: &Value) -> Value {
        let schema = json!({"type": "object", "properties": properties});
        json!({"metadata": {"name": "a"}, "spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}})
    }

    #[test]
    fn unknown_formats_are_named_once_and_only_when_they_are_new() {
        let kind = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
        let known = json!({"a": {"type": "string", "format": "date-time"}, "b": {"type": "integer", "format": "int64"},
            "c": {"anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}, "d": {"type": "number", "format": "double"}});
        assert!(of(kind, &crd(&known)).is_empty());
        let list = json!({"type": "array", "format": "cidr", "items": {"type": "string", "format": "foo"}});
        let bad = json!({"l": list, "i": {"type": "integer", "format": "int33"}, "s": {"type": "string", "format": "foo"}});
        let all = of(kind, &crd(&bad));
        let named = [
            "unrecognized format \"int33\"",
            "unrecognized format \"cidr\"",
            "unrecognized format \"foo\"",
        ];
        assert_eq!(all, named);
        let fewer = json!({"l": bad["l"]});
        assert_eq!(of_update(kind, &crd(&bad), &crd(&fewer)), named[..1]);
    }
}
