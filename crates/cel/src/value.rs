//! The values of CEL expressions.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

use super::functions::semver::Version;
use super::functions::url::Url;
use crate::api::quantity::Quantity;

/// The result of an evaluation, or the error that stopped it.
pub(super) type Outcome = Result<Value, String>;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// A string.
    Text(Arc<str>),
    /// A sequence of bytes.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<List>),
    /// A map or an object.
    Map(Arc<Map>),
    /// A duration, in nanoseconds.
    Duration(i64),
    /// A timestamp.
    Timestamp(Timestamp),
    /// A type, by name.
    Type(Arc<str>),
    /// A value that may be missing.
    Optional(Option<Arc<Value>>),
    /// A resource quantity.
    Quantity(Quantity),
    /// An IP address.
    Ip(IpAddr),
    /// A CIDR: an address and a prefix length.
    Cidr(IpAddr, u32),
    /// A URL.
    Url(Arc<Url>),
    /// A string format, by name.
    Format(&'static str),
    /// A semantic version.
    Version(Arc<Version>),
    /// A value provided by the caller.
    NativeObject(Arc<dyn NativeObject>),
}

/// A value of the caller, whose fields and functions are computed on demand.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cel::{NativeObject, Program, Scope, Value};
///
/// /// Counts Pods only if a rule uses them.
/// #[derive(Debug)]
/// struct Namespace;
///
/// impl NativeObject for Namespace {
///     fn type_name(&self) -> &'static str {
///         "Namespace"
///     }
///
///     fn field(&self, name: &str) -> Option<Result<Value, String>> {
///         (name == "pods").then(|| Ok(Value::Int(3)))
///     }
///
///     fn call(&self, _: &str, _: &[Value]) -> Option<Result<Value, String>> {
///         None
///     }
/// }
///
/// let rule = Program::parse("blue.pods < 10")?;
/// let mut scope = Scope::new(vec![("blue", Value::NativeObject(Arc::new(Namespace)))]);
/// assert_eq!(rule.eval(&mut scope)?, Value::Bool(true));
/// # Ok::<(), String>(())
/// ```
pub trait NativeObject: fmt::Debug + Send + Sync {
    /// Returns the name of the value's type.
    fn type_name(&self) -> &'static str;

    /// Returns the value of a field, or `None` if the field does not exist.
    fn field(&self, name: &str) -> Option<Result<Value, String>>;

    /// Returns the result of a function, or `None` if no function has this name and takes these arguments.
    fn call(&self, name: &str, args: &[Value]) -> Option<Result<Value, String>>;
}

/// A list, with the rule that identifies its items.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cel::Value;
/// use ctl_cel::value::{Identity, List};
///
/// let set = |items: &[&str]| {
///     Value::List(Arc::new(List {
///         items: items.iter().map(Value::text).collect(),
///         identity: Identity::Value,
///     }))
/// };
/// assert_eq!(set(&["a", "b"]), set(&["b", "a"]), "a set has no order");
/// assert_ne!(Value::list(vec![Value::Int(1), Value::Int(2)]), Value::list(vec![Value::Int(2), Value::Int(1)]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The items.
    pub items: Vec<Value>,
    /// The rule that identifies the items.
    pub identity: Identity,
}

/// The rule that identifies the items of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    /// The index of the item.
    #[default]
    Place,
    /// The value of the item (`x-kubernetes-list-type: set`).
    Value,
    /// Some fields of the item (`x-kubernetes-list-type: map`).
    Keys(Vec<String>),
}

/// The entries of a map or the fields of an object.
pub type Map = BTreeMap<Key, Value>;

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A string.
    Text(Arc<str>),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(flag) => write!(f, "{flag}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Key {
    /// Returns the value as a key, or `None` if it cannot be one.
    pub fn from_value(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(number) => Self::Int(i128::from(*number)),
            Value::Uint(number) => Self::Int(i128::from(*number)),
            Value::Double(number) if number.fract() == 0.0 => Self::Int(*number as i128),
            Value::Text(text) => Self::Text(Arc::clone(text)),
            _ => return None,
        })
    }

    /// Returns the key as a value.
    pub fn value(&self) -> Value {
        match self {
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(number) => match i64::try_from(*number) {
                Ok(number) => Value::Int(number),
                Err(_) => Value::Uint(u64::try_from(*number).unwrap_or(u64::MAX)),
            },
            Self::Text(text) => Value::Text(Arc::clone(text)),
        }
    }
}

impl Value {
    /// Returns a string value.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// Returns a list whose items are identified by index.
    pub fn list(items: Vec<Self>) -> Self {
        let identity = Identity::Place;
        Self::List(Arc::new(List { items, identity }))
    }

    /// Parses a semantic version.
    pub fn version(text: &str) -> Option<Self> {
        let version = Version::parse(text, false).ok()?;
        Some(Self::Version(Arc::new(version)))
    }

    /// Returns an optional with a value.
    pub fn some(value: Self) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// Returns an optional without a value.
    pub fn none() -> Self {
        Self::Optional(None)
    }

    /// Returns the name of the value's type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(..) => "net.CIDR",
            Self::Url(_) => "kubernetes.URL",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Version(_) => "kubernetes.Semver",
            Self::NativeObject(host) => host.type_name(),
        }
    }

    fn number(&self) -> Option<Number> {
        Some(match self {
            Self::Int(number) => Number::Whole(i128::from(*number)),
            Self::Uint(number) => Number::Whole(i128::from(*number)),
            Self::Double(number) => Number::Double(*number),
            _ => return None,
        })
    }

    /// Compares two values; returns `None` if they cannot be ordered.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return a.order(b);
        }
        Some(match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => a.cmp(b),
            (Self::Duration(a), Self::Duration(b)) => a.cmp(b),
            (Self::Timestamp(a), Self::Timestamp(b)) => a.cmp(b),
            _ => return None,
        })
    }
}

/// A number of any type, for comparisons across types.
#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Double(f64),
}

impl Number {
    fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(&b)),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(&b),
            (Self::Whole(a), Self::Double(b)) => (a as f64).partial_cmp(&b),
            (Self::Double(a), Self::Whole(b)) => a.partial_cmp(&(b as f64)),
        }
    }
}

/// CEL's equality: numbers are compared across types, sets and keyed lists in any order.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        if let (Some(a), Some(b)) = (self.number(), other.number()) {
            return a.order(b) == Some(Ordering::Equal);
        }
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) | (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::List(a), Self::List(b)) => same_items(a, b),
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Duration(a), Self::Duration(b)) => a == b,
            (Self::Timestamp(a), Self::Timestamp(b)) => a == b,
            (Self::Optional(a), Self::Optional(b)) => a == b,
            (Self::Quantity(a), Self::Quantity(b)) => a == b,
            (Self::Ip(a), Self::Ip(b)) => a == b,
            (Self::Cidr(a, m), Self::Cidr(b, n)) => a == b && m == n,
            (Self::Url(a), Self::Url(b)) => a == b,
            (Self::Format(a), Self::Format(b)) => a == b,
            (Self::Version(a), Self::Version(b)) => a == b,
            _ => false,
        }
    }
}

fn same_items(a: &List, b: &List) -> bool {
    if a.items.len() != b.items.len() {
        return false;
    }
    match a.identity {
        Identity::Place => a.items == b.items,
        _ => a.items.iter().all(|item| b.items.contains(item)),
    }
}

impl List {
    /// Returns the list with the items of another one appended; items identified by value or keys are merged.
    pub fn with(&self, other: &Self) -> Self {
        let mut next = self.clone();
        for item in &other.items {
            let same = |own: &Value| match &self.identity {
                Identity::Place => false,
                Identity::Value => own == item,
                Identity::Keys(keys) => keys.iter().all(|key| field(own, key) == field(item, key)),
            };
            match next.items.iter_mut().find(|own| same(own)) {
                Some(own) => *own = item.clone(),
                None => next.items.push(item.clone()),
            }
        }
        next
    }
}

fn field<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Map(map) => map.get(&Key::Text(Arc::from(name))),
        _ => None,
    }
}
