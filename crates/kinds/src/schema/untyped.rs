//! The types of fields that may hold any value. The table of schemas has no names for them, but OpenAPI does.

use super::{Field, Schema};

const SCHEMA: &str = "apiextensions.v1.JSONSchemaProps";

/// The owner type, the field, and the type of the field's value; for lists and maps, the type of the items.
const ANYTHING: &[(&str, &str, &str)] = &[
    (SCHEMA, "additionalItems", OR_BOOL),
    (SCHEMA, "additionalProperties", OR_BOOL),
    (SCHEMA, "default", JSON),
    (
        SCHEMA,
        "dependencies",
        "apiextensions.v1.JSONSchemaPropsOrStringArray",
    ),
    (SCHEMA, "enum", JSON),
    (SCHEMA, "example", JSON),
    (SCHEMA, "items", "apiextensions.v1.JSONSchemaPropsOrArray"),
    ("meta.v1.ManagedFieldsEntry", "fieldsV1", "meta.v1.FieldsV1"),
    ("meta.v1.WatchEvent", "object", RAW),
    ("apps.v1.ControllerRevision", "data", RAW),
    ("resource.v1.OpaqueDeviceConfiguration", "parameters", RAW),
    ("resource.v1.AllocatedDeviceStatus", "data", RAW),
];

const OR_BOOL: &str = "apiextensions.v1.JSONSchemaPropsOrBool";
const JSON: &str = "apiextensions.v1.JSON";
const RAW: &str = "RawExtension";

/// Returns the name of the type of a field that may hold any value; for lists and maps, the type of the items.
pub fn of_any(schema: &Schema, field: &Field) -> Option<&'static str> {
    let own = |(of, name, _): &&(&str, &str, &str)| *of == schema.name && *name == field.name;
    ANYTHING.iter().find(own).map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::super::{Type, table};
    use super::*;

    #[test]
    fn only_untyped_fields_have_a_named_any_type() {
        let mut found = 0;
        for schema in table::all() {
            for field in schema.fields() {
                let mut ty = &field.ty;
                while let Type::List(item) | Type::Map(item) = ty {
                    ty = item;
                }
                let any = *ty == Type::Any;
                let name = format!("{}.{}", schema.name, field.name);
                assert_eq!(of_any(schema, field).is_some(), any, "{name}");
                found += usize::from(any);
            }
        }
        assert_eq!(found, ANYTHING.len());
    }
}
