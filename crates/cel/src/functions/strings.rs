//! Functions on strings, and regular expressions.

use crate::api::pattern;
use crate::value::{List, Outcome, Value};

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Text(text)] => of_text(name, text),
        [Value::Text(text), Value::Text(other)] => with_text(name, text, other),
        [Value::Text(text), Value::Int(at)] => with_int(name, text, *at),
        [Value::Text(text), Value::Text(other), Value::Int(at)] => three(name, text, other, *at),
        [Value::Text(text), Value::Int(from), Value::Int(to)] if name == "substring" => {
            Some(substring(text, *from, Some(*to)))
        }
        [Value::Text(text), Value::Text(old), Value::Text(new)] if name == "replace" => {
            Some(replace(text, old, new, usize::MAX))
        }
        [
            Value::Text(text),
            Value::Text(old),
            Value::Text(new),
            Value::Int(most),
        ] if name == "replace" => {
            let most = usize::try_from(*most).unwrap_or(usize::MAX);
            Some(replace(text, old, new, most))
        }
        [Value::List(list)] if name == "join" => join(list, ""),
        [Value::List(list), Value::Text(separator)] if name == "join" => join(list, separator),
        [Value::Text(form), Value::List(values)] if name == "format" => {
            Some(super::printf::format(form, &values.items).map(Value::text))
        }
        _ => None,
    }
}

fn replace(text: &str, old: &str, new: &str, most: usize) -> Outcome {
    // Computes the size first, because a replacement could enlarge a string without limit.
    let times = text.matches(old).count().min(most);
    super::within(text.len().saturating_add(times.saturating_mul(new.len())))?;
    Ok(Value::text(text.replacen(old, new, most)))
}

fn of_text(name: &str, text: &str) -> Option<Outcome> {
    Some(Ok(Value::text(match name {
        "lowerAscii" => text.to_ascii_lowercase(),
        "upperAscii" => text.to_ascii_uppercase(),
        "trim" => text.trim().to_owned(),
        "strings.quote" => quote(text),
        _ => return None,
    })))
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn texts(parts: Vec<&str>) -> Value {
    Value::list(parts.into_iter().map(Value::text).collect())
}

fn with_text(name: &str, text: &str, other: &str) -> Option<Outcome> {
    let value = match name {
        "contains" => Value::Bool(text.contains(other)),
        "startsWith" => Value::Bool(text.starts_with(other)),
        "endsWith" => Value::Bool(text.ends_with(other)),
        "matches" => match pattern::compile(other) {
            Ok(regex) => Value::Bool(regex.is_match(text)),
            Err(e) => return Some(Err(e)),
        },
        "find" => match pattern::compile(other) {
            Ok(regex) => Value::text(regex.find(text).map_or("", |found| found.as_str())),
            Err(e) => return Some(Err(e)),
        },
        "findAll" => match pattern::compile(other) {
            Ok(regex) => texts(regex.find_iter(text).map(|found| found.as_str()).collect()),
            Err(e) => return Some(Err(e)),
        },
        "indexOf" => Value::Int(index_of(text, other, 0)),
        "lastIndexOf" => Value::Int(last_index_of(text, other, usize::MAX)),
        "split" => texts(split(text, other, usize::MAX)),
        _ => return None,
    };
    Some(Ok(value))
}

fn split<'a>(text: &'a str, separator: &str, most: usize) -> Vec<&'a str> {
    match (separator.is_empty(), most) {
        (_, 0) => Vec::new(),
        (true, _) => {
            // An empty separator splits the string into characters.
            let ends = text
                .char_indices()
                .map(|(at, c)| &text[at..at + c.len_utf8()]);
            let mut parts: Vec<&str> = ends.take(most).collect();
            let used: usize = parts.iter().map(|p| p.len()).sum();
            if let Some(last) = parts.last_mut().filter(|_| used < text.len()) {
                *last = &text[used - last.len()..];
            }
            parts
        }
        (false, _) => text.splitn(most, separator).collect(),
    }
}

fn index_of(text: &str, other: &str, from: usize) -> i64 {
    // Positions count characters, but the search works on bytes.
    let Some((start, _)) = text.char_indices().nth(from).or(Some((text.len(), ' '))) else {
        return -1;
    };
    match text[start..].find(other) {
        Some(at) => text[..start + at].chars().count() as i64,
        None => -1,
    }
}

/// Returns the last position, at most `until`, at which `other` starts.
fn last_index_of(text: &str, other: &str, until: usize) -> i64 {
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let found = starts
        .enumerate()
        .take_while(|(number, _)| *number <= until)
        .filter(|(_, at)| text[*at..].starts_with(other))
        .last();
    found.map_or(-1, |(number, _)| number as i64)
}

fn with_int(name: &str, text: &str, at: i64) -> Option<Outcome> {
    match name {
        "charAt" => {
            let count = text.chars().count();
            // The position after the last character is valid and yields an empty string.
            let index = usize::try_from(at).ok().filter(|at| *at <= count);
            Some(match index {
                Some(index) => Ok(Value::text(
                    text.chars().nth(index).map_or(String::new(), String::from),
                )),
                None => Err(format!("index out of range: {at}")),
            })
        }
        "substring" => Some(substring(text, at, None)),
        _ => None,
    }
}

fn substring(text: &str, from: i64, to: Option<i64>) -> Outcome {
    let count = text.chars().count() as i64;
    let to = to.unwrap_or(count);
    if from < 0 || from > count {
        return Err(format!("index out of range: {from}"));
    }
    if to < 0 || to > count {
        return Err(format!("index out of range: {to}"));
    }
    if from > to {
        return Err(format!("invalid substring range. start: {from}, end: {to}"));
    }
    let part = text.chars().skip(from as usize).take((to - from) as usize);
    Ok(Value::text(part.collect::<String>()))
}

fn three(name: &str, text: &str, other: &str, number: i64) -> Option<Outcome> {
    let index = usize::try_from(number).ok();
    let in_text = index.filter(|at| *at <= text.chars().count());
    let out_of_range = || Some(Err(format!("index out of range: {number}")));
    Some(Ok(match name {
        "indexOf" => match in_text {
            Some(at) => Value::Int(index_of(text, other, at)),
            None => return out_of_range(),
        },
        "lastIndexOf" => match in_text {
            Some(at) => Value::Int(last_index_of(text, other, at)),
            None => return out_of_range(),
        },
        "split" => texts(split(text, other, index.unwrap_or(usize::MAX))),
        "findAll" => match pattern::compile(other) {
            Ok(regex) => {
                let found = regex.find_iter(text).take(index.unwrap_or(usize::MAX));
                texts(found.map(|found| found.as_str()).collect())
            }
            Err(e) => return Some(Err(e)),
        },
        _ => return None,
    }))
}

fn join(list: &List, separator: &str) -> Option<Outcome> {
    let parts = list.items.iter().map(|item| match item {
        Value::Text(text) => Some(&**text),
        _ => None,
    });
    // If an item is not a string, the call has no overload.
    let parts: Option<Vec<&str>> = parts.collect();
    let parts = parts?;
    let size = parts.iter().map(|part| part.len()).sum::<usize>();
    let size = size.saturating_add(parts.len().saturating_mul(separator.len()));
    Some(super::within(size).map(|()| Value::text(parts.join(separator))))
}
