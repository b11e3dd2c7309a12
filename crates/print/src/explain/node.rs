//! The node to explain: a type of the schema table, or a part of a custom resource's schema.

use crate::api::json::Value;
use crate::kinds::Kind;
use crate::kinds::schema::{self, Schema, Type, descriptions};
use crate::kinds::tree::{as_text, entries, field, flag, has, list, text, texts};

/// The type of a value.
#[derive(Clone, Debug)]
pub(super) enum Node<'a> {
    /// A kind, or an object type of the table.
    Object(&'static Schema),
    /// Any type of the table.
    Type(&'a Type),
    /// A type whose parts hold any value, with the name of these parts.
    Any(&'a Type, &'static str),
    /// A part of a custom resource's schema.
    Custom(&'a Value),
    /// The top-level schema of a custom resource.
    CustomKind(&'a Value),
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Property<'a> {
    pub(super) name: String,
    pub(super) node: Node<'a>,
    pub(super) required: bool,
    /// The allowed values; empty if any value is allowed.
    pub(super) values: Vec<String>,
    pub(super) words: Option<String>,
}

const METADATA: &str = "meta.v1.ObjectMeta";

impl<'a> Node<'a> {
    /// Returns the node of a kind, if its schema is known.
    pub(super) fn of_kind(kind: &'a Kind) -> Option<Self> {
        match kind.custom {
            Some(custom) => Some(Self::CustomKind(&custom.schema)),
            None => schema::of_kind(kind.group, kind.version, kind.kind).map(Self::Object),
        }
    }

    /// Returns the name of the type as `explain` prints it.
    pub(super) fn type_name(&self) -> String {
        match self {
            Self::Object(schema) => schema.go_name().to_owned(),
            Self::Type(ty) => type_name(ty),
            Self::Any(ty, name) => format!("{}{}", plain_type_name(ty), short(name)),
            Self::Custom(schema) | Self::CustomKind(schema) => custom_type_name(schema),
        }
    }

    /// Returns the name of the type in the older layout, which calls every object `Object`.
    pub(super) fn plain_type_name(&self) -> String {
        match self {
            Self::Object(_) | Self::CustomKind(_) => "Object".to_owned(),
            Self::Type(ty) => plain_type_name(ty),
            // The older specification has no names for these two.
            Self::Any(_, "meta.v1.FieldsV1" | "RawExtension") => "map[string]".to_owned(),
            Self::Any(ty, _) => plain_type_name(ty),
            Self::Custom(schema) => plain_custom_type_name(schema),
        }
    }

    /// Returns the name, in the table, of the type that has the fields.
    pub(super) fn schema_name(&self) -> Option<&'static str> {
        self.object().map(|schema| schema.name)
    }

    fn object(&self) -> Option<&'static Schema> {
        match self {
            Self::Object(schema) => Some(schema),
            Self::Type(ty) => ty.object(),
            _ => None,
        }
    }

    /// Returns the description of the type, or of its items if it is a list.
    pub(super) fn words(&self) -> Option<String> {
        match self {
            Self::Custom(schema) => inner(schema).and_then(described),
            Self::CustomKind(schema) => described(schema),
            Self::Object(schema) => descriptions::of_type(schema.name),
            Self::Type(ty) => descriptions::of_type(described_name(ty)?),
            Self::Any(_, name) => descriptions::of_type(name),
        }
    }

    /// Returns the fields as declared in the older specification, sorted by name.
    pub(super) fn plain_properties(&self) -> Vec<Property<'a>> {
        match self {
            // The API server publishes none here, because clients would take published fields to be complete.
            Self::Custom(schema) if is_free(object_in(schema)) => Vec::new(),
            _ => self.properties(),
        }
    }

    /// Returns the fields, sorted by name.
    pub(super) fn properties(&self) -> Vec<Property<'a>> {
        sorted(match self {
            Self::Custom(schema) => declared(object_in(schema)),
            Self::CustomKind(schema) => object_properties(schema),
            _ => self.object().map(table_properties).unwrap_or_default(),
        })
    }

    /// Returns the fields to list: as in kubectl, those that `allOf` restricts come once more, after the others.
    pub(super) fn listed_properties(&self) -> Vec<Property<'a>> {
        match self {
            Self::Custom(schema) => listed(schema),
            Self::CustomKind(schema) => {
                let mut properties = self.properties();
                properties.extend(list(schema, "allOf").iter().flat_map(listed));
                properties
            }
            _ => self.properties(),
        }
    }
}

fn sorted(mut properties: Vec<Property<'_>>) -> Vec<Property<'_>> {
    properties.sort_by_cached_key(|property| property.name.clone());
    properties
}

/// Returns the fields of a part of a custom resource's schema, followed by those of the schemas in it.
fn listed(schema: &Value) -> Vec<Property<'_>> {
    let mut properties = sorted(declared(schema));
    let parts = list(schema, "allOf").iter().chain(inner(schema));
    properties.extend(parts.flat_map(listed));
    properties
}

/// Returns the fields that a part of a custom resource's schema declares itself.
fn declared(schema: &Value) -> Vec<Property<'_>> {
    match flag(schema, "x-kubernetes-embedded-resource") {
        true => object_properties(schema),
        false => custom_properties(schema),
    }
}

/// Returns the fields in the top-level schema of a custom resource.
fn object_properties(schema: &Value) -> Vec<Property<'_>> {
    let mut properties = custom_properties(schema);
    // The API server replaces these three fields when it publishes a custom schema.
    properties.retain(|property| !is_common(&property.name));
    properties.extend(common());
    properties
}

fn is_common(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

/// Returns the fields that all custom resources have.
fn common<'a>() -> Vec<Property<'a>> {
    let metadata = schema::named(METADATA).map(Node::Object);
    let property = |name: &str, node: Node<'a>| Property {
        name: name.to_owned(),
        node,
        required: false,
        values: Vec::new(),
        words: descriptions::of_common(name),
    };
    vec![
        property("apiVersion", Node::Type(&Type::String)),
        property("kind", Node::Type(&Type::String)),
        property("metadata", metadata.unwrap_or(Node::Type(&Type::Any))),
    ]
}

fn table_properties<'a>(schema: &'static Schema) -> Vec<Property<'a>> {
    let property = |field: &'static schema::Field| Property {
        name: field.name.to_owned(),
        node: match schema::of_any(schema, field) {
            Some(name) => Node::Any(&field.ty, name),
            None => Node::Type(&field.ty),
        },
        required: field.required,
        values: field.enum_values().map(str::to_owned).collect(),
        words: descriptions::of_field(schema, field),
    };
    schema.fields().iter().map(property).collect()
}

/// Returns the name of a type in the table of descriptions. Plain types have none.
fn described_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Quantity => "Quantity",
        Type::IntOrString => "IntOrString",
        Type::Time => "meta.v1.Time",
        Type::MicroTime => "meta.v1.MicroTime",
        Type::Object(named) => named.name,
        Type::List(item) | Type::Map(item) => described_name(item)?,
        _ => return None,
    })
}

/// Returns the last part of a type name.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn type_name(ty: &Type) -> String {
    match ty {
        // In OpenAPI, times and bytes are strings with a format, and `explain` does not print formats.
        Type::String | Type::Bytes | Type::Time | Type::MicroTime => "string".to_owned(),
        Type::Int32 | Type::Int64 => "integer".to_owned(),
        Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Quantity => "Quantity".to_owned(),
        Type::IntOrString => "IntOrString".to_owned(),
        Type::Any => "Object".to_owned(),
        Type::Object(named) => short(named.name).to_owned(),
        Type::List(item) => format!("[]{}", type_name(item)),
        Type::Map(item) => format!("map[string]{}", type_name(item)),
    }
}

fn plain_type_name(ty: &Type) -> String {
    match ty {
        Type::Object(_) => "Object".to_owned(),
        Type::Any => String::new(),
        Type::Quantity | Type::IntOrString => "string".to_owned(),
        Type::List(item) => format!("[]{}", plain_type_name(item)),
        Type::Map(item) => format!("map[string]{}", plain_type_name(item)),
        plain => type_name(plain),
    }
}

/// Returns the schema of a list's items or a map's values.
fn inner(schema: &Value) -> Option<&Value> {
    ["items", "additionalProperties"]
        .into_iter()
        .map(|name| field(schema, name))
        .find(|inner| inner.is_object())
}

/// Returns the schema that has the fields, which for a list is that of its items.
fn object_in(schema: &Value) -> &Value {
    let mut schema = schema;
    while let Some(inner) = inner(schema) {
        schema = inner;
    }
    schema
}

fn custom_type_name(schema: &Value) -> String {
    let items = field(schema, "items");
    if items.is_object() {
        return format!("[]{}", custom_type_name(items));
    }
    let values = field(schema, "additionalProperties");
    if values.is_object() {
        return format!("map[string]{}", custom_type_name(values));
    }
    // kubectl takes a single restriction for the type, which it usually does not have.
    if let ([only], false) = (list(schema, "allOf"), has(schema, "properties")) {
        return custom_type_name(only);
    }
    match text(schema, "type") {
        "" | "object" => "Object".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns true if the older specification has no type for a value: it may be anything, or a number as well as a
/// string.
fn is_free(schema: &Value) -> bool {
    let is_set = |mark: &str| flag(schema, mark);
    is_set("x-kubernetes-preserve-unknown-fields") || is_set("x-kubernetes-int-or-string")
}

fn plain_custom_type_name(schema: &Value) -> String {
    if is_free(schema) {
        return String::new();
    }
    for (name, before) in [("items", "[]"), ("additionalProperties", "map[string]")] {
        let inner = field(schema, name);
        if inner.is_object() {
            return before.to_owned() + &plain_custom_type_name(inner);
        }
    }
    let of_type = text(schema, "type");
    match (of_type, field(schema, "properties").is_object()) {
        (_, true) => "Object".to_owned(),
        // Naming a type would exclude null.
        _ if flag(schema, "nullable") => String::new(),
        ("object", false) => "map[string]".to_owned(),
        _ => of_type.to_owned(),
    }
}

fn described(schema: &Value) -> Option<String> {
    Some(text(schema, "description").to_owned()).filter(|words| !words.is_empty())
}

fn custom_properties(schema: &Value) -> Vec<Property<'_>> {
    entries(schema, "properties")
        .map(|(name, of)| Property {
            name: name.to_owned(),
            node: Node::Custom(of),
            required: texts(schema, "required").any(|required| required == name),
            values: list(of, "enum").iter().map(value).collect(),
            words: described(of),
        })
        .collect()
}

fn value(value: &Value) -> String {
    match value {
        Value::String(_) => as_text(value).to_owned(),
        other => other.to_string(),
    }
}
