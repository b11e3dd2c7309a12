//! Implements `--update`: writes the values of the cluster into the expected objects in files.

use std::collections::BTreeMap;
use std::path::Path;

use super::case::Object;
use super::own::parsed;
use crate::api::json::Value;
use crate::api::yaml::PathStep;
use crate::cli::output::write_file;
use crate::sys::bounded;

/// A value in a file that will be replaced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edit {
    file: String,
    /// The position of its key or dash; the column counts from 1.
    line: usize,
    column: usize,
    value: String,
}

/// Returns the edits that make an expectation match an object. Fails at values that are not plain scalars.
pub(super) fn edits(expected: &Object, actual: &Value) -> Result<Vec<Edit>, String> {
    let mut all = Vec::new();
    compare(
        expected,
        &expected.value,
        actual,
        &mut expected.path.clone(),
        &mut all,
    )?;
    Ok(all)
}

fn compare(
    object: &Object,
    expected: &Value,
    actual: &Value,
    path: &mut Vec<PathStep>,
    all: &mut Vec<Edit>,
) -> Result<(), String> {
    let mut child = |step: PathStep, expected: &Value, actual: &Value| {
        path.push(step);
        let done = compare(object, expected, actual, path, all);
        path.pop();
        done
    };
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().try_for_each(|(name, value)| {
                let other = actual.get(name.as_str()).unwrap_or(&Value::Null);
                child(PathStep::Key(name.to_string()), value, other)
            })
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            let mut pairs = expected.iter().zip(actual.iter()).enumerate();
            pairs.try_for_each(|(at, (value, other))| child(PathStep::Index(at), value, other))
        }
        _ if expected == actual => Ok(()),
        _ => {
            let refuse =
                |why: &str| Err(format!("{}: the value cannot be updated: {why}", object.at));
            let (Some(document), false) = (
                &object.document,
                expected.is_object() || expected.is_array(),
            ) else {
                return refuse("it is not a single value");
            };
            if actual.is_object() || actual.is_array() || actual.is_null() {
                return refuse("the cluster has no single value there");
            }
            let Some((line, column)) = document.position(path) else {
                return refuse("it comes from an anchor");
            };
            let value = match actual.as_str() {
                // A quoted JSON string is valid YAML, and the quotes keep the text from being read as a number.
                Some(text) if !is_plain(text) => actual.to_string(),
                Some(text) => text.to_owned(),
                None => actual.to_string(),
            };
            all.push(Edit {
                file: object.at.file.to_string(),
                line,
                column,
                value,
            });
            Ok(())
        }
    }
}

/// Returns true if a text needs no quotes in YAML.
fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(safe)
        && !words.contains(&text.to_ascii_lowercase().as_str())
}

/// Applies the edits. Returns the number of values and of files.
pub(super) fn write(edits: Vec<Edit>) -> Result<(usize, usize), String> {
    let mut files: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        files.entry(edit.file.clone()).or_default().push(edit);
    }
    let (mut count, number) = (0, files.len());
    for (file, mut edits) in files {
        edits.sort();
        // Several runs of a case produce the same edit.
        edits.dedup();
        let text =
            bounded::read_text(&file, bounded::MANIFESTS).map_err(|e| format!("{file}: {e}"))?;
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        // Edits are applied from the end, so that earlier columns stay valid.
        for edit in edits.iter().rev() {
            let Some(line) = lines.get_mut(edit.line - 1) else {
                continue;
            };
            *line = replaced(line, edit.column, &edit.value).ok_or_else(|| {
                format!(
                    "{file}:{}: the value cannot be updated: it is not a plain scalar",
                    edit.line
                )
            })?;
        }
        count += edits.len();
        let text = lines.concat();
        // The result is parsed before it is written, so that a misread line cannot ruin a file.
        parsed(text.as_bytes(), &file)?;
        write_file(Path::new(&file), &text).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok((count, number))
}

/// Returns a line with the value after the key or dash at a column replaced.
fn replaced(line: &str, column: usize, value: &str) -> Option<String> {
    let start = line.char_indices().nth(column.checked_sub(1)?)?.0;
    let (before, rest) = line.split_at(start);
    // In a flow collection such as `{a: 1, b: 2}` a comma or a bracket ends a value; elsewhere it is part of it.
    let count = |c: char| before.matches(c).count();
    let in_flow = count('{') + count('[') > count('}') + count(']');
    let from = match rest.starts_with("- ") {
        true => 2,
        false if rest.starts_with(['\'', '"', '?', '&']) => return None,
        false => rest
            .find(": ")
            .map(|at| at + 2)
            .or_else(|| in_flow.then_some(0))?,
    };
    let (key, rest) = rest.split_at(from);
    let old = rest.trim_start();
    let gap = &rest[..rest.len() - old.len()];
    let end = match old.chars().next()? {
        quote @ ('\'' | '"') => {
            let end = old[1..].find(quote)? + 2;
            // The end of the value is unclear if it contains an escaped quote.
            let inner = &old[1..end - 1];
            (!inner.contains('\\') && !old[end..].starts_with(quote)).then_some(end)?
        }
        '|' | '>' | '{' | '[' | '&' | '*' | '!' | '\n' | '#' => return None,
        _ => {
            let ends = old.char_indices().find(|(at, c)| match c {
                '\n' | '\r' => true,
                ',' | '}' | ']' => in_flow,
                '#' => old[..*at].ends_with(' '),
                _ => false,
            });
            old[..ends.map_or(old.len(), |(at, _)| at)].trim_end().len()
        }
    };
    Some(format!("{before}{key}{gap}{value}{}", &old[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_of_a_line_is_replaced() {
        for (line, column, expected) in [
            ("  replicas: 2 # two\n", 3, Some("  replicas: 9 # two\n")),
            ("  a: 'x y'\n", 3, Some("  a: 9\n")),
            (
                "status: {ready: 2, total: 3}\n",
                10,
                Some("status: {ready: 9, total: 3}\n"),
            ),
            ("  - one\n", 3, Some("  - 9\n")),
            ("  a: b, c\n", 3, Some("  a: 9\n")),
            ("  a: |\n", 3, None),
            ("  a:\n", 3, None),
            ("  a: 'it''s'\n", 3, None),
        ] {
            assert_eq!(replaced(line, column, "9").as_deref(), expected, "{line}");
        }
    }
}
