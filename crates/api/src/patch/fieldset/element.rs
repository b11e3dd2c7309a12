//! One step of a path into an object: a field, or a list item identified by its keys, its value or its index.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use crate::json::{Map, Value};
use crate::patch::go::{GoValue, quoted};
use crate::patch::name::Name;

/// One step of a path into an object.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::fieldset::PathElement;
///
/// let container = PathElement::parse(r#"k:{"name":"web"}"#).unwrap();
/// assert_eq!(container, PathElement::Key(vec![("name".into(), json!("web"))]));
/// assert_eq!(container.to_string(), r#"[name="web"]"#);
/// ```
#[derive(Debug, Clone)]
pub enum PathElement {
    /// A field of a struct or a key of a map.
    Field(Name),
    /// The list item whose key fields have these values, sorted by field name.
    Key(Vec<(Name, Value)>),
    /// The item of a set that has this value.
    Value(Value),
    /// The list item at an index.
    Index(i64),
}

impl PathElement {
    /// Parses the notation of FieldsV1: `f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`.
    pub fn parse(text: &str) -> Option<Self> {
        let (tag, rest) = text.split_once(':')?;
        match tag {
            "f" => Some(Self::Field(rest.into())),
            // The values are JSON, because a set can contain numbers and booleans as well as strings.
            "v" => serde_json::from_str(rest).ok().map(Self::Value),
            "i" => rest.parse().ok().map(Self::Index),
            "k" => {
                let keys: Map = serde_json::from_str(rest).ok()?;
                let keys = keys.into_iter().map(|(k, v)| (Name::from(&*k), v));
                Some(Self::Key(keys.collect()))
            }
            // Unknown tags come from newer servers; the caller skips them.
            _ => None,
        }
    }

    /// Returns the notation of FieldsV1.
    pub fn serialize(&self) -> String {
        match self {
            Self::Field(name) => ["f:", name].concat(),
            Self::Value(value) => format!("v:{value}"),
            Self::Index(index) => format!("i:{index}"),
            Self::Key(keys) => {
                // Nearly every key is a single field with a plain string, which needs no serde.
                if let [(name, Value::String(text))] = keys.as_slice()
                    && [&**name, text].iter().all(|t| is_plain(t))
                {
                    return ["k:{\"", name, "\":\"", text, "\"}"].concat();
                }
                let keys = keys.iter().map(|(k, v)| (k.to_string(), v.clone()));
                format!("k:{}", Value::Object(keys.collect()))
            }
        }
    }

    /// Returns true if `text` is this element in the notation of FieldsV1.
    pub(super) fn is_written(&self, text: &str) -> bool {
        match self {
            Self::Field(name) => text.strip_prefix("f:") == Some(name),
            Self::Key(keys) => {
                if let [(name, Value::String(value))] = keys.as_slice()
                    // Compared in place, because this runs for every item of every managed list.
                    && [&**name, value].iter().all(|t| is_plain(t))
                {
                    let within = text.strip_prefix("k:{\"");
                    let rest = within.and_then(|t| t.strip_prefix(&**name)?.strip_prefix("\":\""));
                    return rest.and_then(|t| t.strip_suffix("\"}")) == Some(value);
                }
                self.serialize() == text
            }
            _ => self.serialize() == text,
        }
    }

    /// Compares this element with a field name.
    pub(super) fn cmp_field(&self, name: &str) -> Ordering {
        match self {
            Self::Field(own) => (**own).cmp(name),
            // Fields sort before the other variants.
            _ => Ordering::Greater,
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::Key(a), Self::Key(b)) => {
                let mut pairs = a.iter().zip(b);
                let differs = pairs.find_map(|((ak, av), (bk, bv))| {
                    let order = ak.cmp(bk).then_with(|| compare(av, bv));
                    (order != Ordering::Equal).then_some(order)
                });
                differs.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Self::Value(a), Self::Value(b)) => compare(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PathElement {}

/// Returns true if a text needs no escapes in JSON.
pub(super) fn is_plain(text: &str) -> bool {
    // Excludes the characters that JSON escapes, and DEL, which Go escapes.
    text.bytes()
        .all(|c| c >= b' ' && c != b'"' && c != b'\\' && c != 0x7f)
}

/// Formats the element as in conflict messages: `.spec`, `[name="x"]`, `[="x"]`, `[0]`.
impl Display for PathElement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Value(value) => write!(f, "[={}]", JsonLiteral(value)),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(keys) => {
                for (i, (name, value)) in keys.iter().enumerate() {
                    let start = if i == 0 { "[" } else { "," };
                    write!(f, "{start}{name}={}", JsonLiteral(value))?;
                }
                f.write_str("]")
            }
        }
    }
}

struct JsonLiteral<'a>(&'a Value);

impl Display for JsonLiteral<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::String(text) => f.write_str(&quoted(text)),
            other => write!(f, "{}", GoValue(other)),
        }
    }
}

/// Compares any two values. Numbers sort first, then strings, booleans, lists, objects and null.
pub(in crate::patch) fn compare(a: &Value, b: &Value) -> Ordering {
    fn rank(value: &Value) -> u8 {
        match value {
            Value::Number(_) => 0,
            Value::String(_) => 1,
            Value::Bool(_) => 2,
            Value::Array(_) => 3,
            Value::Object(_) => 4,
            Value::Null => 5,
        }
    }
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        // Integers are compared exactly, because large ones could be equal as floats.
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => {
                let float = |n: &crate::json::Number| n.as_f64().unwrap_or(f64::NAN);
                float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Equal)
            }
        },
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b).map(|(a, b)| compare(a, b));
            let differs = pairs.find(|order| order.is_ne());
            differs.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut pairs = a
                .iter()
                .zip(b)
                .map(|((ak, av), (bk, bv))| ak.cmp(bk).then_with(|| compare(av, bv)));
            let differs = pairs.find(|order| order.is_ne());
            differs.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => rank(a).cmp(&rank(b)),
    }
}
