//! Resource quantities.

use std::cmp::Ordering;

use crate::api::quantity::Quantity;
use crate::value::{Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => match name {
            "quantity" => {
                let wrong = |_| {
                    "quantities must match the regular expression \
                     '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                        .to_owned()
                };
                Some(Quantity::parse(text).map(Value::Quantity).map_err(wrong))
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
    Some(match name {
        "sign" => Ok(Value::Int(i64::from(amount.signum()))),
        "isInteger" => Ok(Value::Bool(amount.is_whole())),
        "asInteger" if amount.is_whole() => Ok(Value::Int(amount.ceil())),
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
