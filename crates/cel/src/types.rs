//! Types of expressions, and the signatures of functions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Any type; checked during the evaluation.
    Dyn,
    /// Only null.
    Null,
    /// A boolean.
    Bool,
    /// A signed integer.
    Int,
    /// An unsigned integer.
    Uint,
    /// A floating-point number.
    Double,
    /// A string.
    Text,
    /// A sequence of bytes.
    Bytes,
    /// A duration.
    Duration,
    /// A timestamp.
    Timestamp,
    /// A list.
    List(Arc<Type>),
    /// A map.
    Map(Arc<Type>, Arc<Type>),
    /// An object with these fields.
    Object(Arc<BTreeMap<String, Type>>),
    /// A value that may be missing.
    Optional(Arc<Type>),
    /// A type.
    Type,
    /// In a scope: the name of a type that has object literals, with its fields if they are known.
    Message(Arc<Type>),
    /// The type of an object literal, by name.
    Made(Arc<str>),
    /// A type that only functions accept or return.
    Opaque(&'static str),
    /// In a signature: a type parameter, which stands for one type in the whole signature.
    Param(usize),
}

impl Type {
    /// Returns the type of a list of these items.
    pub fn list(item: Self) -> Self {
        Self::List(Arc::new(item))
    }

    /// Returns the type of a map from strings to these values.
    pub fn map(value: Self) -> Self {
        Self::Map(Arc::new(Self::Text), Arc::new(value))
    }

    /// Returns the type of an optional with this content.
    pub fn optional(value: Self) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// Returns the name under which the type is declared, which differs from that in type errors for some types.
    pub fn declared(&self) -> String {
        match self {
            Self::Null => "null_type".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::List(item) => return write!(f, "list({item})"),
            Self::Map(key, value) => return write!(f, "map({key}, {value})"),
            Self::Optional(value) => return write!(f, "optional_type({value})"),
            Self::Dyn | Self::Param(usize::MAX) => "dyn",
            Self::Param(number) => return write!(f, "<{number}>"),
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::Text => "string",
            Self::Bytes => "bytes",
            Self::Duration => "duration",
            Self::Timestamp => "timestamp",
            Self::Object(_) => "object",
            Self::Type => "type",
            Self::Opaque(name) => name,
            Self::Message(_) => "type",
            Self::Made(name) => name,
        };
        f.write_str(name)
    }
}

/// The type of the items of an empty list, and of other values that nothing determines: any other type replaces it.
pub(super) static OPEN: Type = Type::Param(usize::MAX);

/// A signature of a function.
#[derive(Debug)]
pub(super) struct Overload {
    /// True if the function is called on its first argument.
    pub(super) member: bool,
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

/// All functions, with their signatures.
pub(super) static FUNCTIONS: LazyLock<BTreeMap<&'static str, Vec<Overload>>> =
    LazyLock::new(|| {
        let mut functions: BTreeMap<&'static str, Vec<Overload>> = BTreeMap::new();
        for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
            if let Some((name, overload)) = read(line.trim()) {
                functions.entry(name).or_default().push(overload);
            }
        }
        functions
    });

/// Parses a signature: `name(args) result`, or `type->name(args) result` for a member function.
fn read(line: &'static str) -> Option<(&'static str, Overload)> {
    let (target, rest) = match line.split_once("->") {
        Some((target, rest)) => (Some(target), rest),
        None => (None, line),
    };
    let open = rest.find('(')?;
    let (name, mut rest) = (&rest[..open], &rest[open + 1..]);
    let mut args: Vec<Type> = target.map(|target| one(target).0).into_iter().collect();
    while !rest.starts_with(')') {
        let (arg, after) = one(rest.trim_start_matches(", "));
        args.push(arg);
        rest = after;
    }
    let result = one(rest[1..].trim()).0;
    let member = target.is_some();
    let overload = Overload {
        member,
        args,
        result,
    };
    Some((name, overload))
}

/// Parses a type and returns it with the text that follows.
fn one(text: &'static str) -> (Type, &'static str) {
    let end = text.find(['(', ')', ',']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let inner = |rest: &'static str| one(&rest[1..]);
    let ty = match name {
        "list" => {
            let (item, rest) = inner(rest);
            return (Type::list(item), &rest[1..]);
        }
        "optional" => {
            let (value, rest) = inner(rest);
            return (Type::optional(value), &rest[1..]);
        }
        "map" => {
            let (key, rest) = inner(rest);
            let (value, rest) = one(rest.trim_start_matches(", "));
            return (Type::Map(Arc::new(key), Arc::new(value)), &rest[1..]);
        }
        "A" => Type::Param(0),
        "B" => Type::Param(1),
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "type" => Type::Type,
        "dyn" => Type::Dyn,
        opaque => Type::Opaque(opaque),
    };
    (ty, rest)
}

const TABLE: &str = include_str!("functions.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_table_is_parsed_completely() {
        let contains = &FUNCTIONS["@in"];
        assert_eq!(contains[1].args[1].to_string(), "map(<0>, <1>)");
        let split = &FUNCTIONS["split"];
        assert!(split[0].member && split[0].result == Type::list(Type::Text));
        let lines = TABLE.lines().filter(|line| !line.is_empty()).count();
        assert_eq!(FUNCTIONS.values().map(Vec::len).sum::<usize>(), lines);
    }
}
