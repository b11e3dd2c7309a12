//! Resource quantities.

use std::cmp::Ordering;

use crate::api::quantity::Quantity;
use crate::value::{Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => match name {
            "quantity" => {
                let amount = Quantity::parse(text).map(Value::Quantity);
                Some(amount.map_err(|wrong| wrong.to_string()))
            }
            "isQuantity" => Some(Ok(Value::Bool(Quantity::parse(text).is_ok()))),
            _ => None,
        },
        [Value::Quantity(amount)] => one(name, *amount),
        [Value::Quantity(a), Value::Quantity(b)] => two(name, *a, *b),
        [Value::Quantity(a), Value::Int(b)] => two(name, *a, Quantity::from_int(*b)),
        _ => None,
    }
}

fn one(name: &str, amount: Quantity) -> Option<Outcome> {
    let integer = amount.ceil();
    // An amount that was clamped to 64 bits is no integer.
    let whole = amount.is_whole() && integer.unsigned_abs() < i64::MAX.unsigned_abs();
    Some(match name {
        "sign" => Ok(Value::Int(i64::from(amount.signum()))),
        "isInteger" => Ok(Value::Bool(whole)),
        "asInteger" if whole => Ok(Value::Int(integer)),
        "asInteger" => Err("cannot convert value to integer".to_owned()),
        "asApproximateFloat" => Ok(Value::Double(amount.to_f64())),
        _ => return None,
    })
}

fn two(name: &str, a: Quantity, b: Quantity) -> Option<Outcome> {
    Some(Ok(match name {
        "isGreaterThan" => Value::Bool(a > b),
        "isLessThan" => Value::Bool(a < b),
        "compareTo" => Value::Int(match a.cmp(&b) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }),
        "add" | "sub" => {
            let mut sum = a;
            match name {
                "add" => sum.add(&b),
                _ => sum.subtract(&b),
            }
            Value::Quantity(sum)
        }
        _ => return None,
    }))
}
