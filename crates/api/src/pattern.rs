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
const MAX_REPEAT: u64 = 1000;

/// The maximum size of a compiled pattern. Repeated classes of letters of all languages take tens of megabytes.
const MAX_SIZE: usize = 1 << 26;

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
    let regex = RegexBuilder::new(&translated(pattern)?)
        .size_limit(MAX_SIZE)
        .build()
        .map_err(|_| format!("error parsing regexp: invalid syntax: `{pattern}`"))?;
    if compiled.len() >= KEPT {
        compiled.clear();
    }
    compiled.insert(pattern.to_owned(), regex.clone());
    Ok(regex)
}

type Parsed<T> = Result<T, String>;

fn wrong<T>(what: &str, text: &str) -> Parsed<T> {
    Err(format!("error parsing regexp: {what}: `{text}`"))
}

const BAD_RANGE: &str = "invalid character class range";
const BAD_NAME: &str = "invalid named capture";
const BAD_COUNT: &str = "invalid repeat count";

/// The named classes, such as `[:alpha:]`.
const CLASSES: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Returns the part of a text before its suffix `rest`.
fn before<'a>(text: &'a str, rest: &str) -> &'a str {
    &text[..text.len() - rest.len()]
}

fn first(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    chars.next().map(|c| (c, chars.as_str()))
}

/// Translates a pattern from Go's dialect into that of the regex engine.
fn translated(pattern: &str) -> Parsed<String> {
    let mut translator = Translator {
        out: String::with_capacity(pattern.len() + 8),
        groups: vec![1],
        item: None,
    };
    let (mut rest, mut last) = (pattern, None);
    while let Some((c, after)) = first(rest) {
        let repetition = rest;
        let counts = match c {
            '*' | '+' | '?' => Some((0, None, after)),
            '{' => counts(rest),
            _ => None,
        };
        match counts {
            Some((min, max, after)) => {
                rest = translator.repeat(rest, after, min, max, last)?;
                last = Some(repetition);
            }
            None => {
                rest = translator.item(c, rest, after, pattern)?;
                last = None;
            }
        }
    }
    match translator.groups.len() {
        1 => Ok(translator.out),
        _ => wrong("missing closing )", pattern),
    }
}

/// Writes a pattern. The text of an error depends on where Go's parser finds the mistake, so this reads in its order.
struct Translator {
    out: String,
    /// The largest product of nested repetitions in each open group, which Go limits.
    groups: Vec<u64>,
    /// That of the last item, if there is one to repeat.
    item: Option<u64>,
}

impl Translator {
    fn add(&mut self, repetitions: u64) {
        self.item = Some(repetitions);
        if let Some(most) = self.groups.last_mut() {
            *most = repetitions.max(*most);
        }
    }

    fn open(&mut self, text: &str) {
        self.out.push_str(text);
        self.groups.push(1);
        self.item = None;
    }

    /// Writes a character that stands for itself.
    fn literal(&mut self, c: char) {
        // The engine takes an escaped angle bracket for a border of a word.
        if c.is_ascii_punctuation() && !matches!(c, '<' | '>') {
            self.out.push('\\');
        }
        self.out.push(c);
    }

    /// Writes a repetition, which begins `text`; returns the text after it. `last` begins with the repetition directly
    /// before it, if there is one.
    fn repeat<'a>(
        &mut self,
        text: &'a str,
        after: &'a str,
        min: u64,
        max: Option<u64>,
        last: Option<&str>,
    ) -> Parsed<&'a str> {
        let most = max.unwrap_or(min);
        if most.max(min) > MAX_REPEAT || most < min {
            return wrong(BAD_COUNT, before(text, after));
        }
        let after = after.strip_prefix('?').unwrap_or(after);
        let operator = before(text, after);
        if let Some(last) = last {
            let both = before(last, after);
            return wrong("invalid nested repetition operator", both);
        }
        let Some(item) = self.item else {
            return wrong("missing argument to repetition operator", operator);
        };
        // Go limits the product of nested repetitions, because it copies what is repeated.
        let product = item * most.max(1);
        if most > 1 && product > MAX_REPEAT {
            return wrong(BAD_COUNT, operator);
        }
        self.add(product);
        self.out.push_str(operator);
        Ok(after)
    }

    /// Writes what `text` begins with, which is no repetition; returns the text after it. `after` is the text after
    /// its first character.
    fn item<'a>(
        &mut self,
        c: char,
        text: &'a str,
        after: &'a str,
        pattern: &str,
    ) -> Parsed<&'a str> {
        match c {
            '(' if after.starts_with('?') => return self.group(text),
            '(' => self.open("("),
            ')' if self.groups.len() == 1 => return wrong("unexpected )", pattern),
            ')' => {
                let product = self.groups.pop().unwrap_or(1);
                self.add(product);
                self.out.push(c);
            }
            '|' => {
                self.item = None;
                self.out.push(c);
            }
            '[' => {
                let rest = self.class(text)?;
                self.add(1);
                return Ok(rest);
            }
            '\\' => return self.escape(text, after),
            '.' | '^' | '$' => {
                self.add(1);
                self.out.push(c);
            }
            _ => {
                self.add(1);
                self.literal(c);
            }
        }
        Ok(after)
    }

    /// Writes the beginning of a group with a name or flags, or a change of flags.
    fn group<'a>(&mut self, text: &'a str) -> Parsed<&'a str> {
        let inner = &text[2..];
        let named = inner.strip_prefix("P<").or_else(|| inner.strip_prefix('<'));
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            let Some((name, rest)) = name.split_once('>') else {
                return wrong(BAD_NAME, text);
            };
            let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if name.is_empty() || !name.bytes().all(plain) {
                return wrong(BAD_NAME, before(text, rest));
            }
            self.open(before(text, rest));
            return Ok(rest);
        }
        let (mut rest, mut negative, mut flagged) = (inner, false, false);
        while let Some((c, after)) = first(rest) {
            rest = after;
            match c {
                'i' | 'm' | 's' | 'U' => flagged = true,
                '-' if !negative => (negative, flagged) = (true, false),
                ':' if !negative || flagged => {
                    self.open(before(text, rest));
                    return Ok(rest);
                }
                ')' if !negative || flagged => {
                    // The engine does not accept an empty list of flags.
                    if inner.len() > rest.len() + 1 {
                        self.out.push_str(before(text, rest));
                    }
                    return Ok(rest);
                }
                _ => break,
            }
        }
        wrong("invalid or unsupported Perl syntax", before(text, rest))
    }

    /// Writes what a backslash begins outside of classes.
    fn escape<'a>(&mut self, text: &'a str, after: &'a str) -> Parsed<&'a str> {
        if let Some(quoted) = after.strip_prefix('Q') {
            let (quoted, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            for c in quoted.chars() {
                self.add(1);
                self.literal(c);
            }
            return Ok(rest);
        }
        self.add(1);
        let border = match after.chars().next() {
            Some('A') => "\\A",
            Some('z') => "\\z",
            Some('b') => "(?-u:\\b)",
            Some('B') => "(?-u:\\B)",
            _ => {
                if let Some(rest) = self.escaped_class(text, false)? {
                    return Ok(rest);
                }
                let (c, rest) = escaped(text)?;
                self.literal(c);
                return Ok(rest);
            }
        };
        self.out.push_str(border);
        Ok(&after[1..])
    }

    /// Writes a class, and returns the text after it.
    fn class<'a>(&mut self, whole: &'a str) -> Parsed<&'a str> {
        let mut rest = &whole[1..];
        self.out.push('[');
        if let Some(after) = rest.strip_prefix('^') {
            self.out.push('^');
            rest = after;
        }
        // A bracket at the beginning is a character.
        let mut begins = true;
        while begins || !rest.starts_with(']') {
            begins = false;
            let named = rest
                .strip_prefix("[:")
                .and_then(|name| name.split_once(":]"));
            if let Some((name, after)) = named {
                let class = before(rest, after);
                if !CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
                    return wrong(BAD_RANGE, class);
                }
                self.out.push_str(class);
                rest = after;
            } else if let Some(after) = self.escaped_class(rest, true)? {
                rest = after;
            } else {
                rest = self.range(rest, whole)?;
            }
        }
        self.out.push(']');
        Ok(&rest[1..])
    }

    /// Writes a character or a range in a class.
    fn range<'a>(&mut self, text: &'a str, whole: &str) -> Parsed<&'a str> {
        let (low, after) = class_char(text, whole)?;
        self.literal(low);
        // A dash before the end of the class is a character.
        let rest = after.strip_prefix('-').unwrap_or_default();
        if rest.is_empty() || rest.starts_with(']') {
            return Ok(after);
        }
        let (high, rest) = class_char(rest, whole)?;
        if high < low {
            return wrong(BAD_RANGE, before(text, rest));
        }
        self.out.push('-');
        self.literal(high);
        Ok(rest)
    }

    /// Writes an escape that stands for a class, and returns the text after it; `None` if the text begins with none.
    fn escaped_class<'a>(&mut self, text: &'a str, in_class: bool) -> Parsed<Option<&'a str>> {
        let Some((c, after)) = text.strip_prefix('\\').and_then(first) else {
            return Ok(None);
        };
        let ascii = match c.to_ascii_lowercase() {
            'd' => "0-9",
            's' => "\\t\\n\\f\\r ",
            'w' => "0-9A-Za-z_",
            'p' => return self.unicode_class(c == 'P', text, after).map(Some),
            _ => return Ok(None),
        };
        match (c.is_ascii_uppercase(), in_class) {
            (true, _) => self.out.extend(["[^", ascii, "]"]),
            (false, true) => self.out.push_str(ascii),
            (false, false) => self.out.extend(["[", ascii, "]"]),
        }
        Ok(Some(after))
    }

    fn unicode_class<'a>(&mut self, negated: bool, text: &str, after: &'a str) -> Parsed<&'a str> {
        let (name, rest) = match (after.strip_prefix('{'), first(after)) {
            (Some(inner), _) => match inner.split_once('}') {
                Some(found) => found,
                None => return wrong(BAD_RANGE, text),
            },
            (None, Some((_, rest))) => (before(after, rest), rest),
            (None, None) => ("", ""),
        };
        let (name, twice) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let letter = if negated == twice { 'p' } else { 'P' };
        let class = format!("\\{letter}{{{name}}}");
        if Regex::new(&class).is_err() {
            return wrong(BAD_RANGE, before(text, rest));
        }
        self.out.push_str(&class);
        Ok(rest)
    }
}

/// Reads a repetition such as `{2,3}`, and the text after it; `None` if the brace stands for itself.
fn counts(text: &str) -> Option<(u64, Option<u64>, &str)> {
    let (min, rest) = count(text.strip_prefix('{')?)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => count(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    Some((min, max, rest.strip_prefix('}')?))
}

fn count(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    let plain = digits.len() == 1 || !digits.is_empty() && !digits.starts_with('0');
    plain.then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}

fn class_char<'a>(text: &'a str, whole: &str) -> Parsed<(char, &'a str)> {
    match first(text) {
        None => wrong("missing closing ]", whole),
        Some(('\\', _)) => escaped(text),
        Some(found) => Ok(found),
    }
}

/// Reads an escaped character, and returns the text after it.
fn escaped(text: &str) -> Parsed<(char, &str)> {
    let digits = &text[1..];
    let Some((c, after)) = first(digits) else {
        return wrong("trailing backslash at end of expression", "");
    };
    let octal = |c: char| ('0'..='7').contains(&c);
    let (code, rest) = match c {
        'a' => (Some(7), after),
        'f' => (Some(12), after),
        'n' => (Some(10), after),
        'r' => (Some(13), after),
        't' => (Some(9), after),
        'v' => (Some(11), after),
        'x' => {
            let (hex, rest) = match after.strip_prefix('{') {
                Some(inner) => inner.split_once('}').unwrap_or((inner, "")),
                None => after.split_at_checked(2).unwrap_or((after, "")),
            };
            let plain = hex.bytes().all(|b| b.is_ascii_hexdigit());
            let code = u32::from_str_radix(hex, 16).ok();
            (code.filter(|_| plain), rest)
        }
        // A single digit would be a reference to a group.
        _ if octal(c) && (c == '0' || after.starts_with(octal)) => {
            let count = digits.chars().take(3).take_while(|c| octal(*c)).count();
            let (digits, rest) = digits.split_at(count);
            (u32::from_str_radix(digits, 8).ok(), rest)
        }
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => (Some(u32::from(c)), after),
        _ => (None, after),
    };
    match code.and_then(char::from_u32) {
        Some(c) => Ok((c, rest)),
        None => wrong("invalid escape sequence", before(text, rest)),
    }
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
            (r"^[\w-.]+$", "a-b.c", true),
            (r"^[\d-.]+$", "1-2.", true),
            (r"^[+--]+$", ",", true),
            (r"^{.*}$", "{x}", true),
            (r"^\${x}$", "${x}", true),
            (r"^a{,5}$", "a{,5}", true),
            (r"^a{1$", "a{1", true),
            (r"^\101\07$", "A\u{7}", true),
            (r"^[\x41-\x{43}]+$", "ABC", true),
            (r"^\p{^Lu}$", "a", true),
            (r"^\pL\P{Lu}[\p{Nd}]$", "Ab1", true),
            (r"^(?:)(?)a(?i-s:B)$", "ab", true),
            (r"^(?P<x>a)(?<y>b)$", "ab", true),
            (r"^a{0,2}?$", "aa", true),
            (r"^}]$", "}]", true),
            (r"^[\p{L}\p{M}\p{N} _.:/=+\-@]{0,256}$", "é a", true),
            (r"^[a^-]+$", "^-", true),
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
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("(a{1,1000}){1,1000}", "invalid repeat count: `{1,1000}`"),
            ("(|*)", "missing argument to repetition operator: `*`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("x{2}{3}b", "invalid nested repetition operator: `{2}{3}`"),
            (r"\u0061", r"invalid escape sequence: `\u`"),
            (r"a\Z", r"invalid escape sequence: `\Z`"),
            (r"\8", r"invalid escape sequence: `\8`"),
            (r"[\b]", r"invalid escape sequence: `\b`"),
            (r"[a-\w]", r"invalid escape sequence: `\w`"),
            ("(?x)a b", "invalid or unsupported Perl syntax: `(?x`"),
            ("(?!a)b", "invalid or unsupported Perl syntax: `(?!`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
            ("(?P<n", "invalid named capture: `(?P<n`"),
            ("(?P<1 >a)", "invalid named capture: `(?P<1 >`"),
        ] {
            let error = compile(pattern).unwrap_err();
            assert_eq!(error, format!("error parsing regexp: {wrong}"), "{pattern}");
        }
    }
}
