//! The function `'..'.format([..])`.

use super::{convert, time};
use crate::value::{Key, Value};

/// The maximum precision of a number.
const MOST_DIGITS: usize = 1000;

/// Formats values according to the clauses of a format string.
pub(super) fn format(form: &str, values: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    let mut values = values.iter().enumerate();
    let mut chars = form.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            out.push('%');
            continue;
        }
        let mut precision = None;
        if chars.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            precision = Some(digits.parse().unwrap_or(usize::MAX));
            // Bounds the output of one clause.
            if precision > Some(MOST_DIGITS) {
                return Err(format!("precision {digits} is too large"));
            }
        }
        let clause = chars.next().ok_or("unexpected end of string")?;
        let Some((_, value)) = values.next() else {
            return Err("index 0 out of range".to_owned());
        };
        out.push_str(&one(clause, precision, value)?);
        // Checked after each clause, so that a long format fails early.
        super::within(out.len())?;
    }
    Ok(out)
}

fn one(clause: char, precision: Option<usize>, value: &Value) -> Result<String, String> {
    let wrong = |what: &str| {
        let found = value.type_name();
        Err(format!(
            "error during formatting: {what} clause can only be used on numbers, was given {found}"
        ))
    };
    match (clause, value) {
        ('s', value) => shown(value),
        ('d', Value::Int(number)) => Ok(number.to_string()),
        ('d', Value::Uint(number)) => Ok(number.to_string()),
        ('d', Value::Double(number)) => Ok(number.to_string()),
        ('f', Value::Double(number)) => Ok(format!("{number:.*}", precision.unwrap_or(6))),
        ('f', Value::Int(number)) => Ok(format!("{:.*}", precision.unwrap_or(6), *number as f64)),
        ('e', Value::Double(number)) => Ok(exponent(*number, precision.unwrap_or(6))),
        ('e', Value::Int(number)) => Ok(exponent(*number as f64, precision.unwrap_or(6))),
        // A minus sign rather than two's complement.
        ('b', Value::Int(number)) if *number < 0 => Ok(format!("-{:b}", number.unsigned_abs())),
        ('b', Value::Int(number)) => Ok(format!("{number:b}")),
        ('b', Value::Uint(number)) => Ok(format!("{number:b}")),
        ('b', Value::Bool(flag)) => Ok(u8::from(*flag).to_string()),
        ('o', Value::Int(number)) if *number < 0 => Ok(format!("-{:o}", number.unsigned_abs())),
        ('o', Value::Int(number)) => Ok(format!("{number:o}")),
        ('o', Value::Uint(number)) => Ok(format!("{number:o}")),
        ('x' | 'X', value) => hex(clause == 'X', value),
        ('d', _) => wrong("decimal"),
        ('f', _) => wrong("fixed-point"),
        ('e', _) => wrong("scientific"),
        ('b', _) => wrong("binary"),
        ('o', _) => wrong("octal"),
        (other, _) => Err(format!(
            "could not parse formatting clause: unrecognized formatting clause \"{other}\""
        )),
    }
}

/// Formats a number in exponent notation with at least two digits in the exponent.
fn exponent(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    // Go and CEL print at least two digits in the exponent.
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", power.abs())
}

fn hex(upper: bool, value: &Value) -> Result<String, String> {
    let bytes = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let text = match value {
        Value::Int(number) if *number < 0 => format!("-{:x}", number.unsigned_abs()),
        Value::Int(number) => format!("{number:x}"),
        Value::Uint(number) => format!("{number:x}"),
        Value::Text(text) => bytes(text.as_bytes()),
        Value::Bytes(data) => bytes(data),
        _ => return Err("error during formatting: hexadecimal clause".to_owned()),
    };
    Ok(if upper { text.to_uppercase() } else { text })
}

/// Formats a value for `%s`.
fn shown(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::Null => "null".to_owned(),
        Value::Type(name) => name.to_string(),
        Value::Duration(nanos) => time::duration_text(*nanos),
        Value::List(list) => {
            let items: Result<Vec<_>, _> = list.items.iter().map(shown).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Map(map) => {
            let entry = |(key, value): (&Key, &Value)| {
                Ok::<_, String>(format!("{}: {}", shown(&key.value())?, shown(value)?))
            };
            let entries: Result<Vec<_>, _> = map.iter().map(entry).collect();
            format!("{{{}}}", entries?.join(", "))
        }
        value => convert::string(value)
            .unwrap_or_else(|| Err(format!("no way to show a {}", value.type_name())))?,
    })
}
