//! Operators, sizes and membership.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::SignedDuration;

use crate::value::{Key, Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("_==_", [a, b]) => Some(Ok(Value::Bool(a == b))),
        ("_!=_", [a, b]) => Some(Ok(Value::Bool(a != b))),
        ("!_", [Value::Bool(flag)]) => Some(Ok(Value::Bool(!flag))),
        ("-_", [value]) => negate(value),
        ("_<_" | "_<=_" | "_>_" | "_>=_", [a, b]) => compare(name, a, b),
        ("_+_", [a, b]) => add(a, b),
        ("_-_" | "_*_" | "_/_" | "_%_", [a, b]) => arithmetic(name, a, b),
        ("@in", [item, range]) => contains(item, range),
        ("_[_]", [range, index]) => at(range, index),
        ("_[?_]", [range, index]) => maybe_at(range, index),
        ("size", [value]) => size(value),
        _ => None,
    }
}

/// Returns the value, or an error if there is none: CEL integers do not wrap.
fn checked<N>(what: &str, number: Option<N>, value: fn(N) -> Value) -> Option<Outcome> {
    let wrong = || format!("{what} overflow");
    Some(number.map(value).ok_or_else(wrong))
}

fn negate(value: &Value) -> Option<Outcome> {
    match value {
        Value::Int(number) => checked("integer", number.checked_neg(), Value::Int),
        Value::Double(number) => Some(Ok(Value::Double(-number))),
        _ => None,
    }
}

fn compare(name: &str, a: &Value, b: &Value) -> Option<Outcome> {
    let numbers = |v: &Value| matches!(v, Value::Int(_) | Value::Uint(_) | Value::Double(_));
    // Compares numbers of different types by value.
    let Some(order) = a.order(b) else {
        // Comparing a number with NaN returns false.
        let nan = numbers(a) && numbers(b);
        return nan.then_some(Ok(Value::Bool(false)));
    };
    Some(Ok(Value::Bool(match name {
        "_<_" => order == Ordering::Less,
        // "Not greater" and "less or equal" differ only for NaN, which is handled above.
        "_<=_" => order != Ordering::Greater,
        "_>_" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })))
}

fn add(a: &Value, b: &Value) -> Option<Outcome> {
    let value = match (a, b) {
        (Value::Text(a), Value::Text(b)) => Value::text(format!("{a}{b}")),
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes([&a[..], &b[..]].concat().into()),
        (Value::List(a), Value::List(b)) => Value::List(Arc::new(a.with(b))),
        (Value::Duration(a), Value::Duration(b)) => {
            // As in Go, durations are 64-bit numbers of nanoseconds.
            return checked("duration", a.checked_add(*b), Value::Duration);
        }
        (Value::Timestamp(time), Value::Duration(nanos))
        | (Value::Duration(nanos), Value::Timestamp(time)) => {
            return Some(moved(*time, *nanos));
        }
        _ => return arithmetic("_+_", a, b),
    };
    Some(Ok(value))
}

fn moved(time: jiff::Timestamp, nanos: i64) -> Outcome {
    let moved = time.checked_add(SignedDuration::from_nanos(nanos));
    moved
        .map(Value::Timestamp)
        .map_err(|_| "timestamp overflow".to_owned())
}

fn arithmetic(name: &str, a: &Value, b: &Value) -> Option<Outcome> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => whole(
            name,
            "integer",
            *b == 0,
            || match name {
                "_+_" => a.checked_add(*b),
                "_-_" => a.checked_sub(*b),
                "_*_" => a.checked_mul(*b),
                "_/_" => a.checked_div(*b),
                _ => a.checked_rem(*b),
            },
            Value::Int,
        ),
        (Value::Uint(a), Value::Uint(b)) => whole(
            name,
            "unsigned integer",
            *b == 0,
            || match name {
                "_+_" => a.checked_add(*b),
                "_-_" => a.checked_sub(*b),
                "_*_" => a.checked_mul(*b),
                "_/_" => a.checked_div(*b),
                _ => a.checked_rem(*b),
            },
            Value::Uint,
        ),
        (Value::Double(a), Value::Double(b)) => Some(Ok(Value::Double(match name {
            "_+_" => a + b,
            "_-_" => a - b,
            "_*_" => a * b,
            "_/_" => a / b,
            // CEL defines no modulus for doubles.
            _ => return None,
        }))),
        (Value::Duration(a), Value::Duration(b)) if name == "_-_" => {
            checked("duration", a.checked_sub(*b), Value::Duration)
        }
        (Value::Timestamp(time), Value::Duration(nanos)) if name == "_-_" => {
            // The smallest duration cannot be negated; saturating loses one nanosecond in 292 years.
            Some(moved(*time, nanos.saturating_neg()))
        }
        (Value::Timestamp(a), Value::Timestamp(b)) if name == "_-_" => {
            let nanos = i64::try_from(a.as_nanosecond() - b.as_nanosecond()).ok();
            checked("duration", nanos, Value::Duration)
        }
        _ => None,
    }
}

fn whole<N>(
    // Division by zero is reported in preference to overflow.
    name: &str,
    what: &str,
    by_zero: bool,
    compute: impl Fn() -> Option<N>,
    value: fn(N) -> Value,
) -> Option<Outcome> {
    match (name, by_zero) {
        ("_/_", true) => Some(Err("division by zero".to_owned())),
        ("_%_", true) => Some(Err("modulus by zero".to_owned())),
        _ => checked(what, compute(), value),
    }
}

fn contains(item: &Value, range: &Value) -> Option<Outcome> {
    let found = match range {
        Value::List(list) => list.items.contains(item),
        Value::Map(map) => Key::from_value(item).is_some_and(|key| map.contains_key(&key)),
        _ => return None,
    };
    Some(Ok(Value::Bool(found)))
}

fn find<'a>(range: &'a Value, index: &Value) -> Option<Result<&'a Value, String>> {
    match range {
        Value::List(list) => {
            // A double that is a whole number is a valid index.
            let Some(Key::Int(number)) = Key::from_value(index) else {
                return None;
            };
            let item = usize::try_from(number).ok().and_then(|i| list.items.get(i));
            Some(item.ok_or_else(|| format!("index out of bounds: {number}")))
        }
        Value::Map(map) => {
            let key = Key::from_value(index)?;
            Some(map.get(&key).ok_or_else(|| format!("no such key: {key}")))
        }
        _ => None,
    }
}

fn at(range: &Value, index: &Value) -> Option<Outcome> {
    match range {
        Value::Optional(None) => Some(Ok(Value::none())),
        Value::Optional(Some(range)) => maybe_at(range, index),
        range => find(range, index).map(|found| found.cloned()),
    }
}

fn maybe_at(range: &Value, index: &Value) -> Option<Outcome> {
    match range {
        Value::Optional(None) => Some(Ok(Value::none())),
        Value::Optional(Some(range)) => maybe_at(range, index),
        // An optional index that is out of range yields no value.
        range => find(range, index).map(|found| {
            Ok(found.map_or_else(|_| Value::none(), |value| Value::some(value.clone())))
        }),
    }
}

fn size(value: &Value) -> Option<Outcome> {
    let size = match value {
        // CEL counts characters rather than bytes.
        Value::Text(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.items.len(),
        Value::Map(map) => map.len(),
        _ => return None,
    };
    Some(Ok(Value::Int(size as i64)))
}
