//! Compares values in filters. Only values of the same kind can be compared.

use std::cmp::Ordering;

use crate::api::json::Value;

const BAD_TYPE: &str = "invalid type for comparison";
const MIXED: &str = "incompatible types for comparison";

/// Returns true if `left operator right` holds.
pub(super) fn holds(left: &Value, operator: &str, right: &Value) -> Result<bool, String> {
    let ordered =
        |wanted: &[Ordering]| order(left, right).map(|o| o.is_some_and(|o| wanted.contains(&o)));
    match operator {
        "==" => equal(left, right),
        "!=" => equal(left, right).map(|equal| !equal),
        "<" => ordered(&[Ordering::Less]),
        "<=" => ordered(&[Ordering::Less, Ordering::Equal]),
        // As in `text/template`, "greater" is "not less or equal", so it holds for values without an order.
        ">" => ordered(&[Ordering::Less, Ordering::Equal]).map(|below| !below),
        ">=" => ordered(&[Ordering::Less]).map(|below| !below),
        _ => Err(format!("unrecognized filter operator {operator}")),
    }
}

fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    check(left, right)?;
    Ok(match (left, right) {
        // Fractions are compared as floats. Integers are compared exactly, because floats would lose digits.
        (Value::Number(a), Value::Number(b)) if a.is_f64() => a.as_f64() == b.as_f64(),
        (left, right) => left == right,
    })
}

/// Compares two values; returns `None` if one is not a number.
fn order(left: &Value, right: &Value) -> Result<Option<Ordering>, String> {
    check(left, right)?;
    match (left, right) {
        (Value::String(a), Value::String(b)) => Ok(Some(a.cmp(b))),
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Ok(Some(a.cmp(&b))),
            _ => Ok(a.as_f64().partial_cmp(&b.as_f64())),
        },
        _ => Err(BAD_TYPE.to_owned()),
    }
}

/// Checks that both values are scalars of the same kind. Integers and fractions are different kinds.
fn check(left: &Value, right: &Value) -> Result<(), String> {
    let kind = |value: &Value| match value {
        Value::Bool(_) => Some(0),
        Value::Number(number) if number.is_f64() => Some(1),
        Value::Number(_) => Some(2),
        Value::String(_) => Some(3),
        _ => None,
    };
    // client-go does not compare integers with fractions.
    match (kind(left), kind(right)) {
        (Some(a), Some(b)) if a == b => Ok(()),
        (Some(_), Some(_)) => Err(MIXED.to_owned()),
        _ => Err(BAD_TYPE.to_owned()),
    }
}
