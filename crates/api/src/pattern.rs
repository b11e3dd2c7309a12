//! Compiles regular expressions in Go's dialect, for schemas and rules.
//!
//! Go and Rust share the syntax of RE2, except that Go's classes `\d`, `\s`, `\w` and word boundaries are ASCII only,
//! and nested brackets are literal in Go.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use regex::{Regex, RegexBuilder};

/// The number of compiled patterns to keep.
const KEPT: usize = 512;

/// Go's limit of repetition counts.
const MAX_REPEAT: u32 = 1000;

static COMPILED: Mutex<BTreeMap<String, Regex>> = Mutex::new(BTreeMap::new());

/// Compiles a pattern of Go's dialect.
///
/// # Errors
/// Returns Go's error if the pattern is invalid.
pub fn compile(pattern: &str) -> Result<Regex, String> {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(regex) = compiled.get(pattern) {
        return Ok(regex.clone());
    }
    if let Some(wrong) = shape(pattern) {
        return Err(format!("error parsing regexp: {wrong}"));
    }
    let regex = RegexBuilder::new(&translated(pattern))
        .size_limit(1 << 22)
        .build()
        .map_err(|_| format!("error parsing regexp: invalid syntax: `{pattern}`"))?;
    if compiled.len() >= KEPT {
        compiled.clear();
    }
    compiled.insert(pattern.to_owned(), regex.clone());
    Ok(regex)
}

/// Returns Go's error for the mistakes that Go reports with messages of their own.
fn shape(pattern: &str) -> Option<String> {
    let (mut depth, mut class, mut escaped, mut first) = (0_i32, None, false, false);
    let mut repeatable = false;
    for (at, c) in pattern.char_indices() {
        let was_first = std::mem::take(&mut first);
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' if class.is_some() && !was_first => class = None,
            '^' if was_first => first = true,
            _ if class.is_some() => {}
            '[' => (class, first) = (Some(at), true),
            '(' => depth += 1,
            ')' => depth -= 1,
            '*' | '+' | '?' if !repeatable => {
                let after_group = pattern[..at].ends_with('(') && c == '?';
                if !after_group {
                    return Some(format!("missing argument to repetition operator: `{c}`"));
                }
            }
            '{' => {
                if let Some(wrong) = too_often(&pattern[at..]) {
                    return Some(wrong);
                }
            }
            _ => {}
        }
        repeatable = class.is_some() || !matches!(c, '(' | '|');
        if depth < 0 {
            return Some(format!("unexpected ): `{pattern}`"));
        }
    }
    match class {
        Some(at) => Some(format!("missing closing ]: `{}`", &pattern[at..])),
        None if depth > 0 => Some(format!("missing closing ): `{pattern}`")),
        None if escaped => Some("trailing backslash at end of expression: ``".to_owned()),
        None => None,
    }
}

/// Returns the repetition, such as `{2,3000}`, if it exceeds Go's limit.
fn too_often(rest: &str) -> Option<String> {
    let end = rest.find('}')?;
    let counts = rest[1..end].split(',').filter(|count| !count.is_empty());
    let counts: Option<Vec<u64>> = counts.map(|count| count.parse().ok()).collect();
    let over = counts?
        .into_iter()
        .any(|count| count > u64::from(MAX_REPEAT));
    over.then(|| format!("invalid repeat count: `{}`", &rest[..=end]))
}

/// Translates a pattern from Go's dialect into that of the regex engine.
fn translated(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('Q') => {
                    let rest: String = chars.by_ref().collect();
                    let (quoted, after) = rest.split_once("\\E").unwrap_or((&rest, ""));
                    out.push_str(&regex::escape(quoted));
                    return out + &translated(after);
                }
                Some(next) => escape(next, class, &mut out),
                None => {}
            },
            '[' if class => {
                // Within brackets, only a named class opens nested brackets.
                let named = chars.peek() == Some(&':');
                out.push_str(if named { "[" } else { "\\[" });
                if named {
                    for c in chars.by_ref() {
                        out.push(c);
                        if c == ']' {
                            break;
                        }
                    }
                }
            }
            '[' => {
                class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if chars.next_if_eq(&']').is_some() {
                    out.push_str("\\]");
                }
            }
            ']' => {
                class = false;
                out.push(']');
            }
            '&' | '~' if class => {
                out.push('\\');
                out.push(c);
            }
            '-' if class && chars.peek() == Some(&'-') => out.push_str("\\-"),
            _ => out.push(c),
        }
    }
    out
}

fn escape(c: char, class: bool, out: &mut String) {
    let ascii = match (c, class) {
        ('d', false) => "[0-9]",
        ('d', true) => "0-9",
        ('D', _) => "[^0-9]",
        ('s', false) => "[\\t\\n\\f\\r ]",
        ('s', true) => "\\t\\n\\f\\r ",
        ('S', _) => "[^\\t\\n\\f\\r ]",
        ('w', false) => "[0-9A-Za-z_]",
        ('w', true) => "0-9A-Za-z_",
        ('W', _) => "[^0-9A-Za-z_]",
        ('b', false) => "(?-u:\\b)",
        ('B', false) => "(?-u:\\B)",
        ('<' | '>', _) => {
            out.push(c);
            return;
        }
        _ => {
            out.push('\\');
            out.push(c);
            return;
        }
    };
    out.push_str(ascii);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        for (pattern, text, fits) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^\w+$", "é", false),
            (r"^[\w.-]+$", "a.b-c", true),
            (r"^[^\d]$", "a", true),
            (r"^[[]a[]]$", "[a]", true),
            (r"^[]a]+$", "]a", true),
            (r"^[a&&b]+$", "&", true),
            (r"^[[:alpha:]]+$", "abc", true),
            (r"^\Qa.b\E$", "a.b", true),
            (r"^\Qa.b\E$", "axb", false),
            (r"a\/b", "a/b", true),
            (r"\bcat\b", "a cat.", true),
            (r"^(?:a|b){2}$", "ab", true),
            (r"^\<x\>$", "<x>", true),
            (r"(?i)^ABC$", "abc", true),
        ] {
            assert_eq!(compile(pattern).unwrap().is_match(text), fits, "{pattern}");
        }
    }

    #[test]
    fn invalid_patterns_have_gos_error() {
        for (pattern, wrong) in [
            ("(", "missing closing ): `(`"),
            ("a)", "unexpected ): `a)`"),
            ("[a", "missing closing ]: `[a`"),
            ("a\\", "trailing backslash at end of expression: ``"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("a{1,2000}", "invalid repeat count: `{1,2000}`"),
        ] {
            let error = compile(pattern).unwrap_err();
            assert_eq!(error, format!("error parsing regexp: {wrong}"), "{pattern}");
        }
    }
}
