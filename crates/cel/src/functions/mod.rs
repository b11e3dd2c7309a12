//! The functions and operators of CEL: the standard ones and Kubernetes' extensions.
//!
//! A function is selected by its name and the types of its arguments; the target of a member call is its first
//! argument. [`super::check`] has already checked the types.

mod arithmetic;
mod convert;
mod format;
mod lists;
mod net;
mod printf;
mod quantity;
pub(super) mod semver;
mod strings;
mod time;
pub(super) mod url;

pub(super) use printf::problem as format_problem;

use super::eval::{OVER_BUDGET, Scope};
use super::value::{Identity, Outcome, Value};

/// The maximum size of a string that a function creates.
const MOST_BYTES: usize = 8 << 20;

/// Parses a duration and returns its nanoseconds.
pub fn duration_of(text: &str) -> Option<i64> {
    time::parse_duration(text)
}

/// Returns true for an absolute URL or path.
pub fn is_url(text: &str) -> bool {
    url::parse(text).is_ok()
}

/// A group of functions. Returns the result, or `None` if the group has no function with this name and these types.
type Group = fn(&str, &[Value]) -> Option<Outcome>;

const GROUPS: &[Group] = &[
    arithmetic::call,
    convert::call,
    strings::call,
    lists::call,
    time::call,
    quantity::call,
    net::call,
    url::call,
    format::call,
    semver::call,
    optional,
];

/// Returns true if the name is that of a library, such as `ip` in `ip.isCanonical(..)`.
pub(super) fn is_library(name: &str) -> bool {
    matches!(
        name,
        "ip" | "sets" | "optional" | "format" | "strings" | "lists" | "jsonpatch"
    )
}

/// Calls a function.
pub(super) fn call(name: &str, args: &[Value], scope: &mut Scope) -> Outcome {
    // Charged before the call; otherwise, a single call could exceed the limit by far.
    scope.spend(cost(args) + cost_of_pairs(name, args))?;
    if let [Value::NativeObject(host), args @ ..] = args {
        let missing = || Err("no such overload".to_owned());
        return host.call(name, args).unwrap_or_else(missing);
    }
    GROUPS
        .iter()
        .find_map(|group| group(name, args))
        .unwrap_or_else(|| Err("no such overload".to_owned()))
}

/// Returns the cost of reading the arguments.
fn cost(args: &[Value]) -> u64 {
    let size = |value: &Value| match value {
        // Kubernetes charges 0.1 per character read.
        Value::Text(text) => text.len() / 10,
        Value::Bytes(bytes) => bytes.len() / 10,
        Value::List(list) => list.items.len() / 2,
        _ => 0,
    };
    args.iter().map(|value| size(value) as u64).sum()
}

/// Returns the cost of comparing every item with every other one.
fn cost_of_pairs(name: &str, args: &[Value]) -> u64 {
    let items = |value: &Value| match value {
        Value::List(list) => list.items.len() as u64,
        _ => 0,
    };
    match args {
        // Divided by four: each pair is compared once, and most comparisons end early.
        [list] if name == "distinct" => items(list) * items(list) / 4,
        [a, b] if name.starts_with("sets.") => items(a) * items(b) / 4,
        [Value::List(a), Value::List(b)]
            if a.identity != Identity::Place && matches!(name, "_==_" | "_!=_" | "_+_") =>
        {
            a.items.len() as u64 * b.items.len() as u64 / 4
        }
        _ => 0,
    }
}

/// Returns an error if a string would be too large.
fn within(size: usize) -> Result<(), String> {
    // Checked before the string is created, because the limit protects the memory.
    match size > MOST_BYTES {
        true => Err(OVER_BUDGET.to_owned()),
        false => Ok(()),
    }
}

fn optional(name: &str, args: &[Value]) -> Option<Outcome> {
    let value = match (name, args) {
        ("optional.none", []) => Value::none(),
        ("optional.of", [value]) => Value::some(value.clone()),
        ("optional.ofNonZeroValue", [value]) => match is_zero(value) {
            true => Value::none(),
            false => Value::some(value.clone()),
        },
        ("hasValue", [Value::Optional(held)]) => Value::Bool(held.is_some()),
        ("value", [Value::Optional(Some(held))]) => (**held).clone(),
        ("value", [Value::Optional(None)]) => {
            return Some(Err("optional.none() dereference".to_owned()));
        }
        _ => return None,
    };
    Some(Ok(value))
}

fn is_zero(value: &Value) -> bool {
    // The zero values of Go types.
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Double(number) => *number == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(list) => list.items.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Duration(nanos) => *nanos == 0,
        _ => false,
    }
}
