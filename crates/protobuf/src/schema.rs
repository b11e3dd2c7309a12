//! The messages of the built-in kinds, parsed from the table of field numbers.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{LazyLock, OnceLock};

use flate2::read::DeflateDecoder;

use super::members::Members;
use super::presence;

/// The message, field number, label, type and JSON name of every field.
static TABLE: LazyLock<String> = LazyLock::new(|| {
    let mut bytes = vec![0; LENGTH.parse().unwrap_or(0)];
    let read = DeflateDecoder::new(COMPRESSED).read_exact(&mut bytes);
    debug_assert!(read.is_ok(), "the build script compressed it: {read:?}");
    String::from_utf8(bytes).unwrap_or_default()
});

/// The length of the table before the build script compressed it.
const LENGTH: &str = env!("CTL_FIELDS_LENGTH");
const COMPRESSED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/fields.deflate"));

/// Returns the cells of each row. An empty first cell repeats the one above.
fn rows(table: &'static str) -> impl Iterator<Item = [&'static str; 5]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.scan("", |message, line| {
        let mut cells = line.split('\t');
        let mut row = [(); 5].map(|()| cells.next().unwrap_or_default());
        if row[0].is_empty() {
            row[0] = *message;
        }
        *message = row[0];
        Some(row)
    })
}

/// How often a field may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    One,
    Many,
    Map,
}

/// The type of the values of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Bytes,
    Bool,
    Int,
    Double,
    /// Raw JSON: `FieldsV1`, `RawExtension`, and the JSON values in schemas.
    Json,
    Quantity,
    IntOrString,
    Time,
    MicroTime,
    Duration,
    /// A message that JSON represents as a list of strings: `Verbs`, `ExtraValue`.
    Strings,
    /// A message that JSON represents as one of its fields; [`Message::fields`] is tried from the end.
    OneOf(usize),
    Message(usize),
}

/// A field of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) label: Label,
    pub(crate) ty: Type,
    /// The name of the field in JSON.
    pub(crate) name: &'static str,
    /// True if the fields of the message belong to the outer JSON object.
    pub(crate) inline: bool,
    /// True if a zero on the wire is explicit: Go omits the field if it is unset, or JSON always contains it.
    pub(crate) keeps_zero: bool,
}

impl Field {
    /// Returns the message whose fields belong to the outer JSON object.
    pub(crate) fn inlined(&self) -> Option<usize> {
        match self.ty {
            Type::Message(index) if self.inline => Some(index),
            _ => None,
        }
    }
}

/// A message: its fields, sorted by number, and the members of its JSON object.
#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) fields: Vec<Field>,
    pub(crate) members: Members,
}

impl Message {
    pub(crate) fn field(&self, number: u32) -> Option<&Field> {
        let at = self.fields.binary_search_by_key(&number, |f| f.number);
        at.ok().map(|at| &self.fields[at])
    }
}

/// All messages.
#[derive(Debug)]
pub(crate) struct Schema {
    messages: Vec<Message>,
    names: HashMap<&'static str, usize>,
}

impl Schema {
    /// Returns the schema of the built-in kinds. The table is parsed on first use.
    pub(crate) fn get() -> &'static Self {
        static SCHEMA: OnceLock<Schema> = OnceLock::new();
        SCHEMA.get_or_init(|| Self::read(&TABLE))
    }

    pub(crate) fn message(&self, index: usize) -> &Message {
        &self.messages[index]
    }

    /// Returns the message of a kind. Kinds that exist in every group, such as `DeleteOptions`, share one message.
    pub(crate) fn message_of(&self, api_version: &str, kind: &str) -> Option<&Message> {
        let (group, version) = api_version.split_once('/').unwrap_or(("core", api_version));
        let package = match group {
            "custom.metrics.k8s.io" => "custom_metrics",
            "external.metrics.k8s.io" => "external_metrics",
            group => group.split('.').next().unwrap_or(group),
        };
        // A group with a dot that is not one of Kubernetes' own belongs to custom resources.
        if group.contains('.') && !group.ends_with(".k8s.io") {
            return None;
        }
        let own = self
            .names
            .get(format!("{package}.{version}.{kind}").as_str());
        let shared = || self.names.get(format!("meta.v1.{kind}").as_str());
        let index = own.or_else(shared)?;
        Some(&self.messages[*index])
    }

    fn read(table: &'static str) -> Self {
        let mut schema = Self {
            messages: Vec::new(),
            names: HashMap::new(),
        };
        for [message, number, label, ty, name] in rows(table) {
            let index = schema.index(message);
            let ty = schema.ty(ty);
            let field = Field {
                number: number.parse().unwrap_or_default(),
                label: match label {
                    "repeated" => Label::Many,
                    "map<string>" => Label::Map,
                    _ => Label::One,
                },
                ty,
                name,
                inline: name == "(inline)",
                keeps_zero: presence::keeps_zero(message, name),
            };
            schema.messages[index].fields.push(field);
        }
        for message in &mut schema.messages {
            message.fields.sort_by_key(|field| field.number);
        }
        for index in 0..schema.messages.len() {
            let members = Members::new(&schema.messages, index);
            schema.messages[index].members = members;
        }
        schema
    }

    /// Returns the index of a message. A message without fields appears only as a type.
    fn index(&mut self, name: &'static str) -> usize {
        let messages = &mut self.messages;
        *self.names.entry(name).or_insert_with(|| {
            messages.push(Message::default());
            messages.len() - 1
        })
    }

    fn ty(&mut self, name: &'static str) -> Type {
        match name {
            "string" => Type::String,
            "bytes" => Type::Bytes,
            "bool" => Type::Bool,
            "int32" | "int64" => Type::Int,
            "double" => Type::Double,
            "meta.v1.FieldsV1" | "runtime.RawExtension" | "apiextensions.v1.JSON" => Type::Json,
            "api.resource.Quantity" => Type::Quantity,
            "util.intstr.IntOrString" => Type::IntOrString,
            "meta.v1.Time" => Type::Time,
            "meta.v1.MicroTime" => Type::MicroTime,
            "meta.v1.Duration" => Type::Duration,
            "meta.v1.Verbs" => Type::Strings,
            name if name.ends_with(".ExtraValue") => Type::Strings,
            name if name.starts_with("apiextensions.v1.JSONSchemaPropsOr") => {
                Type::OneOf(self.index(name))
            }
            name => Type::Message(self.index(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_messages_and_numbers_are_unique() {
        let schema = Schema::get();
        for (version, kind) in [
            ("v1", "Pod"),
            ("apps/v1", "DeploymentList"),
            ("rbac.authorization.k8s.io/v1", "Role"),
            ("coordination.k8s.io/v1", "Lease"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            ("autoscaling/v1", "Scale"),
            ("policy/v1", "Eviction"),
            ("authentication.k8s.io/v1", "TokenRequest"),
            ("v1", "Status"),
            ("apps/v1", "DeleteOptions"),
            ("meta.k8s.io/v1", "PartialObjectMetadata"),
        ] {
            let message = schema.message_of(version, kind);
            assert!(
                message.is_some_and(|m| !m.fields.is_empty()),
                "{version} {kind}"
            );
        }
        assert!(schema.message_of("farm.example.org/v1", "Crop").is_none());
        assert!(schema.message_of("apps/v1", "Nope").is_none());
        for message in &schema.messages {
            let numbers = message.fields.iter().map(|f| f.number);
            assert!(numbers.clone().all(|n| n > 0));
            assert!(numbers.is_sorted_by(|a, b| a < b), "{message:?}");
            for member in message.members.iter() {
                let found = message.members.get(member.field.name);
                assert_eq!(
                    found.map(|found| found.path),
                    Some(member.path),
                    "{member:?}"
                );
            }
        }
    }

    #[test]
    fn every_presence_rule_matches_a_schema_field() {
        for rule in presence::all() {
            let found =
                rows(&TABLE).any(|[message, .., name]| presence::matches(rule, message, name));
            assert!(found, "{rule}");
        }
    }
}
