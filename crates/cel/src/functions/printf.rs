//! The function `'..'.format([..])`, in the form of version 2 of cel-go's string library.

use super::convert;
use crate::types::Type;
use crate::value::Value;

/// The maximum precision of a number.
const MOST_DIGITS: usize = 1000;

/// A part of a format string.
enum Part {
    Char(char),
    /// The letter of a clause, its precision, and the number of its argument.
    Clause(char, usize, usize),
}

/// Formats values according to the clauses of a format string.
pub(super) fn format(form: &str, values: &[Value]) -> Result<String, String> {
    let mut out = String::new();
    parts(form, values.len(), |part| {
        match part {
            Part::Char(c) => out.push(c),
            Part::Clause(clause, precision, number) => {
                let value = &values[number];
                let text = one(clause, precision, value);
                let text = text.ok_or_else(|| refused(clause, value.type_name()))?;
                out.push_str(&text);
            }
        }
        // Checked after each part, so that a long format fails early.
        super::within(out.len())
    })?;
    Ok(out)
}

/// Returns the problem of a format string with arguments of these types, and the number of the argument if it is that
/// of one.
pub(crate) fn problem(form: &str, types: &[Type]) -> Option<(Option<usize>, String)> {
    let mut wrong = None;
    let used = parts(form, types.len(), |part| {
        let Part::Clause(clause, _, number) = part else {
            return Ok(());
        };
        let found = types[number].declared();
        let found = found.split('(').next().unwrap_or_default();
        // A dynamic value is checked when it is formatted.
        match found == "dyn" || rule(clause).0.contains(&found) {
            true => Ok(()),
            false => {
                wrong = Some(number);
                Err(refused(clause, found))
            }
        }
    });
    match used {
        Err(text) => Some((wrong, text)),
        Ok(used) if used < types.len() => {
            let text = format!(
                "too many arguments supplied to string.format (expected {used}, got {})",
                types.len()
            );
            Some((None, text))
        }
        Ok(_) => None,
    }
}

/// Calls a function for each part of a format string with `count` arguments. Returns the number of clauses.
fn parts(
    form: &str,
    count: usize,
    mut each: impl FnMut(Part) -> Result<(), String>,
) -> Result<usize, String> {
    let failed = |wrong: &str| Err(format!("could not parse formatting clause: {wrong}"));
    let (mut number, mut chars) = (0, form.chars().peekable());
    while let Some(c) = chars.next() {
        if c != '%' || chars.next_if_eq(&'%').is_some() {
            each(Part::Char(c))?;
            continue;
        }
        // As in cel-go, a missing argument is reported before a mistake in its clause.
        if number >= count {
            return Err(format!("index {number} out of range"));
        }
        let mut precision = 6;
        if chars.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            precision = digits.parse().unwrap_or(usize::MAX);
            // Bounds the output of one clause.
            if precision > MOST_DIGITS {
                return failed(&format!("precision {digits} is too large"));
            }
        }
        let clause = chars.next().ok_or("unexpected end of string")?;
        if !"sdfeboxX".contains(clause) {
            return failed(&format!("unrecognized formatting clause \"{clause}\""));
        }
        each(Part::Clause(clause, precision, number))?;
        number += 1;
    }
    Ok(number)
}

/// Returns the types that a clause formats, and the start of the error about others.
fn rule(clause: char) -> (&'static [&'static str], &'static str) {
    match clause {
        'd' => (
            &["int", "uint"],
            "decimal clause can only be used on integers",
        ),
        'f' => (
            &["double", "string"],
            "fixed-point clause can only be used on doubles",
        ),
        'e' => (
            &["double", "string"],
            "scientific clause can only be used on doubles",
        ),
        'b' => (
            &["int", "uint", "bool"],
            "only integers and bools can be formatted as binary",
        ),
        'o' => (
            &["int", "uint"],
            "octal clause can only be used on integers",
        ),
        'x' | 'X' => (
            &["int", "uint", "string", "bytes"],
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
        _ => (
            &[
                "bool",
                "bytes",
                "double",
                "google.protobuf.Duration",
                "google.protobuf.Timestamp",
                "int",
                "list",
                "map",
                "null_type",
                "string",
                "type",
                "uint",
            ],
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and \
             timestamps",
        ),
    }
}

fn refused(clause: char, found: &str) -> String {
    format!(
        "error during formatting: {}, was given {found}",
        rule(clause).1
    )
}

/// Formats a value for a clause; returns `None` if the clause does not format its type.
fn one(clause: char, precision: usize, value: &Value) -> Option<String> {
    if !rule(clause).0.contains(&value.type_name()) {
        return None;
    }
    Some(match (clause, value) {
        ('s', Value::Null) => "null".to_owned(),
        ('s', Value::Type(name)) => name.to_string(),
        ('s', Value::List(_) | Value::Map(_)) => literal(value)?,
        ('s', value) => convert::string(value)?.ok()?,
        ('d', Value::Int(number)) => number.to_string(),
        ('d', Value::Uint(number)) => number.to_string(),
        // Go's printer for languages has a sign for infinity.
        ('f' | 'e', Value::Double(number)) if number.is_infinite() => {
            let sign = if *number < 0.0 { "-" } else { "" };
            format!("{sign}∞")
        }
        ('f' | 'e', Value::Double(number)) if number.is_nan() => "NaN".to_owned(),
        ('f' | 'e', Value::Text(text)) => match &**text {
            "NaN" => "NaN".to_owned(),
            "Infinity" => "∞".to_owned(),
            "-Infinity" => "-∞".to_owned(),
            _ => return None,
        },
        ('f', Value::Double(number)) => grouped(&format!("{number:.precision$}")),
        ('e', Value::Double(number)) => exponent(&format!("{number:.precision$e}")),
        // A minus sign rather than two's complement.
        ('b', Value::Int(number)) => format!("{}{:b}", sign(*number), number.unsigned_abs()),
        ('b', Value::Uint(number)) => format!("{number:b}"),
        ('b', Value::Bool(flag)) => u8::from(*flag).to_string(),
        ('o', Value::Int(number)) => format!("{}{:o}", sign(*number), number.unsigned_abs()),
        ('o', Value::Uint(number)) => format!("{number:o}"),
        ('x', Value::Int(number)) => format!("{}{:x}", sign(*number), number.unsigned_abs()),
        ('x', Value::Uint(number)) => format!("{number:x}"),
        ('x', Value::Text(text)) => hex(text.as_bytes()),
        ('x', Value::Bytes(bytes)) => hex(bytes),
        ('X', value) => one('x', precision, value)?.to_uppercase(),
        _ => return None,
    })
}

fn sign(number: i64) -> &'static str {
    if number < 0 { "-" } else { "" }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Separates the thousands of a number, as in American English.
fn grouped(number: &str) -> String {
    let whole = number.find('.').unwrap_or(number.len());
    let first = usize::from(number.starts_with('-'));
    let mut out = String::new();
    for (at, c) in number.char_indices() {
        if at > first && at < whole && (whole - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Writes Rust's exponent notation as Go's printer for languages does, such as `1.5 × 10⁰³` with narrow spaces.
fn exponent(number: &str) -> String {
    let (mantissa, power) = number.split_once('e').unwrap_or((number, "0"));
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ("⁻", power),
        None => ("", power),
    };
    let digits = format!("{power:0>2}");
    let raised = digits.chars().filter_map(|c| {
        let digit = usize::try_from(c.to_digit(10)?).ok()?;
        "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit)
    });
    let raised: String = raised.collect();
    format!("{mantissa}\u{202f}×\u{202f}10{sign}{raised}")
}

/// Formats a value in a list or map, as a literal; returns `None` if there is none of its type.
fn literal(value: &Value) -> Option<String> {
    Some(match value {
        // Quoted, so that the list or map can be read as an expression.
        Value::Text(text) => format!("{text:?}"),
        Value::Bytes(_) => format!("b{:?}", convert::string(value)?.ok()?),
        Value::Double(number) if number.is_finite() => format!("{number:.6}"),
        Value::Timestamp(_) => format!("timestamp({:?})", convert::string(value)?.ok()?),
        Value::Duration(_) => format!("duration({:?})", convert::string(value)?.ok()?),
        Value::List(list) => {
            let items: Option<Vec<_>> = list.items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(key, value)| {
                let key = literal(&key.value())?;
                Some((key, literal(value)?))
            });
            let mut entries: Vec<_> = entries.collect::<Option<_>>()?;
            // Sorted by the text of the keys, so `10` comes before `9`.
            entries.sort();
            let entries = entries.iter().map(|(key, value)| format!("{key}:{value}"));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        value => one('s', 6, value)?,
    })
}
