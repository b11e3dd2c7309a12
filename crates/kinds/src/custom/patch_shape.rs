//! The schema of a CustomResourceDefinition, as patches see it.

use crate::api::json::Value;
use crate::api::patch::shape::{Form, ListForm, Scalar};
use crate::tree::{field, flag, has, text, texts};

/// The type of a value in a custom resource, except for metadata.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CustomShape {
    schema: &'static Value,
    object: bool,
}

/// The type of a field of a custom resource.
pub(crate) enum CustomField {
    /// The metadata of an object, with the schema of built-in kinds.
    Metadata,
    /// The type in the schema of the definition.
    Own(CustomShape),
}

impl CustomShape {
    /// Returns the shape of a whole object.
    pub(crate) fn root(schema: &'static Value) -> Self {
        Self {
            schema,
            object: true,
        }
    }

    fn from_schema(schema: &'static Value) -> Self {
        let object = flag(schema, "x-kubernetes-embedded-resource");
        Self { schema, object }
    }

    /// Returns the form of the value.
    pub(crate) fn form(&self) -> Form {
        let schema = self.schema;
        if flag(schema, "x-kubernetes-int-or-string") {
            return Form::Scalar(Scalar::Any);
        }
        let atomic = text(schema, "x-kubernetes-map-type") == "atomic";
        match text(schema, "type") {
            "string" => Form::Scalar(Scalar::String),
            "integer" | "number" => Form::Scalar(Scalar::Number),
            "boolean" => Form::Scalar(Scalar::Boolean),
            "array" => Form::List(match text(schema, "x-kubernetes-list-type") {
                "map" => ListForm::Map,
                "set" => ListForm::Set,
                _ => ListForm::Atomic,
            }),
            // The order matters: an atomic map may have properties, and so may an object with preserved unknown
            // fields.
            "object" if atomic => Form::AtomicMap,
            "object" if self.is_open() => Form::Any,
            "object" if field(schema, "additionalProperties").is_object() => Form::Map,
            "object" => Form::Struct,
            _ => Form::Any,
        }
    }

    fn is_open(&self) -> bool {
        let more = field(self.schema, "additionalProperties");
        flag(self.schema, "x-kubernetes-preserve-unknown-fields") || *more == Value::Bool(true)
    }

    /// Returns a declared field.
    pub(crate) fn field(&self, name: &str) -> Option<CustomField> {
        if self.object && name == "metadata" {
            return Some(CustomField::Metadata);
        }
        let declared = field(self.schema, "properties").get(name);
        if self.object && matches!(name, "apiVersion" | "kind") {
            // Every object has these two, although definitions need not declare them.
            let text = declared.unwrap_or(&TEXT);
            return Some(CustomField::Own(Self::from_schema(text)));
        }
        declared.map(|schema| CustomField::Own(Self::from_schema(schema)))
    }

    /// Returns the shape of list items, of map values, or of the values of an object with preserved unknown fields.
    pub(crate) fn element(&self) -> Option<Self> {
        for name in ["items", "additionalProperties"] {
            if field(self.schema, name).is_object() {
                return Some(Self::from_schema(field(self.schema, name)));
            }
        }
        let open = self.form() == Form::Any;
        open.then(|| Self::from_schema(&Value::Null))
    }

    /// Returns the fields that identify an item of a list.
    pub(crate) fn list_keys(&self) -> Vec<&'static str> {
        texts(self.schema, "x-kubernetes-list-map-keys").collect()
    }

    /// Returns the default of a missing field.
    pub(crate) fn default_value(&self) -> Option<Value> {
        has(self.schema, "default").then(|| field(self.schema, "default").clone())
    }
}

/// The schema of `apiVersion` and `kind`, which definitions need not declare.
static TEXT: std::sync::LazyLock<Value> =
    std::sync::LazyLock::new(|| crate::api::json::json!({"type": "string"}));
