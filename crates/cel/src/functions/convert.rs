//! Converts values between types.

use std::sync::Arc;

use super::time;
use crate::api::yaml::format_g;
use crate::value::{Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    let [value] = args else { return None };
    match name {
        "int" => int(value),
        "uint" => uint(value),
        "double" => double(value),
        "string" => string(value).map(|text| text.map(Value::text)),
        "bytes" => match value {
            Value::Text(text) => Some(Ok(Value::Bytes(text.as_bytes().into()))),
            Value::Bytes(_) => Some(Ok(value.clone())),
            _ => None,
        },
        "bool" => match value {
            Value::Bool(_) => Some(Ok(value.clone())),
            Value::Text(text) => Some(match &**text {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
                _ => Err(not_convertible("bool")),
            }),
            _ => None,
        },
        "jsonpatch.escapeKey" => match value {
            Value::Text(text) => {
                let escaped = text.replace('~', "~0").replace('/', "~1");
                Some(Ok(Value::text(escaped)))
            }
            _ => None,
        },
        "dyn" => Some(Ok(value.clone())),
        "type" => Some(Ok(Value::Type(Arc::from(value.type_name())))),
        _ => None,
    }
}

fn range() -> String {
    "integer overflow".to_owned()
}

fn int(value: &Value) -> Option<Outcome> {
    Some(match value {
        Value::Int(_) => Ok(value.clone()),
        Value::Uint(number) => i64::try_from(*number).map(Value::Int).map_err(|_| range()),
        // A little below the limit: the next larger double is out of range.
        Value::Double(number) if number.abs() < 9.223_372_036_854_775e18 => {
            Ok(Value::Int(*number as i64))
        }
        Value::Double(_) => Err(range()),
        Value::Text(text) => text
            .parse()
            .map(Value::Int)
            .map_err(|_| not_convertible("int")),
        Value::Timestamp(time) => Ok(Value::Int(time.as_second())),
        Value::Duration(nanos) => Ok(Value::Int(*nanos)),
        _ => return None,
    })
}

/// Returns the error for a string that cannot be converted to a type.
pub(super) fn not_convertible(to: &str) -> String {
    format!("type conversion error from 'string' to '{to}'")
}

/// The error for a number that no unsigned integer can have.
const UNSIGNED: &str = "unsigned integer overflow";

fn uint(value: &Value) -> Option<Outcome> {
    Some(match value {
        Value::Uint(_) => Ok(value.clone()),
        Value::Int(number) => u64::try_from(*number)
            .map(Value::Uint)
            .map_err(|_| UNSIGNED.to_owned()),
        Value::Double(number) if (0.0..1.844_674_407_370_955e19).contains(number) => {
            Ok(Value::Uint(*number as u64))
        }
        Value::Double(_) => Err(UNSIGNED.to_owned()),
        Value::Text(text) => text
            .parse()
            .map(Value::Uint)
            .map_err(|_| not_convertible("uint")),
        _ => return None,
    })
}

fn double(value: &Value) -> Option<Outcome> {
    Some(match value {
        Value::Double(_) => Ok(value.clone()),
        Value::Int(number) => Ok(Value::Double(*number as f64)),
        Value::Uint(number) => Ok(Value::Double(*number as f64)),
        Value::Text(text) => text
            .parse()
            .map(Value::Double)
            .map_err(|_| not_convertible("double")),
        _ => return None,
    })
}

/// Converts a value to a string.
pub(super) fn string(value: &Value) -> Option<Result<String, String>> {
    Some(Ok(match value {
        Value::Text(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) if number.is_finite() => format_g(*number),
        Value::Double(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                return Some(Err(
                    "invalid UTF-8 in bytes, cannot convert to string".to_owned()
                ));
            }
        },
        Value::Timestamp(time) => time.to_string(),
        Value::Duration(nanos) => time::duration_text(*nanos),
        Value::Ip(address) => address.to_string(),
        Value::Cidr(address, length) => format!("{address}/{length}"),
        _ => return None,
    }))
}
