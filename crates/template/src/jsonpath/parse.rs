//! Parses a template into steps.

use super::{Filter, Node, Slice};
use crate::api::go::is_printable;
use crate::api::json::Value;
use crate::unquote::unquote;

/// The maximum nesting depth of filters.
const MAX_DEPTH: usize = 64;

/// Parses a template: text, with steps between braces.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, String> {
    template(text, 0)
}

fn template(text: &str, depth: usize) -> Result<Vec<Node>, String> {
    let mut nodes = Vec::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once('{') {
        // Text between actions is printed as it is.
        if !before.is_empty() {
            nodes.push(Node::Literal(before.into()));
        }
        let mut action = Action {
            rest: inside,
            nodes: Vec::new(),
            depth,
        };
        action.read()?;
        nodes.push(Node::List(action.nodes));
        rest = action.rest;
    }
    if !rest.is_empty() {
        nodes.push(Node::Literal(rest.into()));
    }
    Ok(nodes)
}

/// Parses a part of an action as an action of its own.
fn steps(text: &str, depth: usize) -> Result<Vec<Node>, String> {
    // Filters are parsed recursively, and the text may be malicious.
    if depth >= MAX_DEPTH {
        return Err("filters are nested too deeply".to_owned());
    }
    match template(&format!("{{{text}}}"), depth + 1)?
        .into_iter()
        .next()
    {
        Some(Node::List(nodes)) => Ok(nodes),
        _ => Ok(Vec::new()),
    }
}

/// An action, with the nodes parsed so far.
struct Action<'t> {
    rest: &'t str,
    nodes: Vec<Node>,
    depth: usize,
}

impl<'t> Action<'t> {
    /// Parses up to and including the closing brace.
    fn read(&mut self) -> Result<(), String> {
        loop {
            // Checked before the bracket alone, because a filter is not an index.
            if let Some(rest) = self.rest.strip_prefix("[?(") {
                self.rest = rest;
                self.filter()?;
                continue;
            }
            // Checked before a single dot, which is a prefix of it.
            if let Some(rest) = self.rest.strip_prefix("..") {
                self.rest = rest;
                self.recursive()?;
                continue;
            }
            let before = self.rest;
            match self.next() {
                Some('}') => return Ok(()),
                None | Some('\r' | '\n') => return Err("unclosed action".to_owned()),
                // Blanks, and both signs for the root, have no meaning between steps.
                Some(' ' | '@' | '$') => {}
                Some('[') => self.array()?,
                Some(quote @ ('"' | '\'')) => self.quote(before, quote)?,
                Some('.') => self.field(),
                Some(c) if matches!(c, '+' | '-') || c.is_numeric() => self.number(before)?,
                Some(c) if c == '_' || c.is_alphabetic() => self.word(before),
                Some(c) => {
                    return Err(format!(
                        "unrecognized character in action: {}",
                        code_point(c)
                    ));
                }
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    /// Returns the part of `before` that has been consumed since.
    fn read_since(&self, before: &'t str) -> &'t str {
        &before[..before.len() - self.rest.len()]
    }

    fn recursive(&mut self) -> Result<(), String> {
        // Two recursive steps in a row would find every value twice.
        if self.nodes.last() == Some(&Node::Recursive) {
            return Err("invalid multiple recursive descent".to_owned());
        }
        self.nodes.push(Node::Recursive);
        if self
            .rest
            .starts_with(|c: char| c == '_' || c.is_alphanumeric())
        {
            self.field();
        }
        Ok(())
    }

    /// Parses a name up to its end. After a backslash, any character belongs to it.
    fn field(&mut self) {
        let before = self.rest;
        let mut end = before.len();
        let mut escaped = false;
        for (at, c) in before.char_indices() {
            if !escaped && ends_word(c) {
                end = at;
                break;
            }
            escaped = !escaped && c == '\\';
        }
        let name = &before[..end];
        self.rest = &before[end..];
        self.nodes.push(match name {
            "*" => Node::Wildcard,
            // The backslashes only escaped the characters that follow them.
            name => Node::Field(name.replace('\\', "")),
        });
    }

    fn word(&mut self, before: &'t str) {
        let end = before.find(ends_word).unwrap_or(before.len());
        self.rest = &before[end..];
        self.nodes.push(match &before[..end] {
            "true" => Node::Literal(Value::Bool(true)),
            "false" => Node::Literal(Value::Bool(false)),
            word => Node::Word(word.to_owned()),
        });
    }

    fn number(&mut self, before: &'t str) -> Result<(), String> {
        let end = before
            .char_indices()
            .find(|(at, c)| !(*c == '.' || c.is_numeric() || (*at == 0 && matches!(c, '+' | '-'))))
            .map_or(before.len(), |(at, _)| at);
        self.rest = &before[end..];
        let text = &before[..end];
        // Tries integers first, because they are compared exactly.
        let value = match text.parse::<i64>() {
            Ok(whole) => Value::from(whole),
            Err(_) => match text.parse::<f64>() {
                // A number written as a fraction stays one, even if its value is whole.
                Ok(float) if float.is_finite() => Value::from(float),
                _ => return Err(format!("cannot parse number {text}")),
            },
        };
        self.nodes.push(Node::Literal(value));
        Ok(())
    }

    fn quote(&mut self, before: &'t str, quote: char) -> Result<(), String> {
        let mut last = quote;
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".to_owned()),
                // Escaped quotes are part of the text.
                Some(c) if c == quote && last != '\\' => break,
                Some(c) => last = c,
            }
        }
        let text = self.read_since(before);
        let unquoted =
            unquote(text).ok_or_else(|| format!("unquote string {text} error invalid syntax"))?;
        self.nodes.push(Node::Literal(unquoted.into()));
        Ok(())
    }

    /// Parses `[...]`: a union, a quoted key, an index or a slice.
    fn array(&mut self) -> Result<(), String> {
        let before = self.rest;
        let text = loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated array".to_owned()),
                Some(']') => break self.read_since(before),
                Some(_) => {}
            }
        };
        let text = &text[..text.len() - 1];
        // A comma makes a union, even within quotes, because client-go splits first.
        if text.contains(',') {
            let parts = text
                .split(',')
                .map(|part| steps(&format!("[{}]", part.trim_matches(' ')), self.depth));
            let parts = parts.collect::<Result<_, _>>()?;
            self.nodes.push(Node::Union(parts));
            return Ok(());
        }
        let key = text
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''));
        // A quoted key is a field unless it contains a quote.
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            self.nodes.extend(steps(&format!(".{key}"), self.depth)?);
            return Ok(());
        }
        self.nodes.push(Node::Slice(slice(text)?));
        Ok(())
    }

    fn filter(&mut self) -> Result<(), String> {
        let before = self.rest;
        self.skip_filter()?;
        let text = self.read_since(before);
        let text = &text[..text.len() - 1];
        if self.next() != Some(']') {
            return Err("unclosed array expect ]".to_owned());
        }
        // Without an operator, the filter tests if its path exists.
        let filter = match split_comparison(text) {
            None => Filter {
                left: steps(text, self.depth)?,
                right: None,
            },
            Some((left, operator, right)) => Filter {
                left: steps(left, self.depth)?,
                right: Some((operator.to_owned(), steps(right, self.depth)?)),
            },
        };
        self.nodes.push(Node::Filter(Box::new(filter)));
        Ok(())
    }

    /// Skips to the parenthesis that ends a filter. The filter may contain one quoted text.
    fn skip_filter(&mut self) -> Result<(), String> {
        let (mut opened, mut closed, mut last) = (None, false, ' ');
        loop {
            let c = match self.next() {
                None | Some('\n') => return Err("unterminated filter".to_owned()),
                Some(c) => c,
            };
            match c {
                // Parentheses within quotes do not end the filter.
                '"' | '\'' if opened.is_none() => opened = Some(c),
                '"' | '\'' if last != '\\' && opened == Some(c) => closed = true,
                ')' if opened.is_some() == closed => return Ok(()),
                _ => {}
            }
            last = c;
        }
    }
}

/// Returns true if a character ends a name or a word.
fn ends_word(c: char) -> bool {
    " \t\r\n.,[]$@{}".contains(c)
}

/// Formats a character as `U+007E '~'`.
fn code_point(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    match is_printable(c) {
        true => format!("{code} '{c}'"),
        false => code,
    }
}

/// Splits `left operator right`; returns `None` if it is not a comparison.
fn split_comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_sign = |c: char| "!<>=".contains(c);
    // An operator at the start does not make a comparison.
    let begin = text.find(is_sign).filter(|at| *at > 0)?;
    let signs = &text[begin..];
    let mut length = signs.find(|c| !is_sign(c)).unwrap_or(signs.len());
    if length == signs.len() {
        // The right side must not be empty.
        length -= 1;
    }
    (length > 0).then(|| (&text[..begin], &signs[..length], &signs[length..]))
}

/// Parses the inside of a slice: `1`, `1:`, `:2`, `-2:`, `::2` or `*`.
fn slice(text: &str) -> Result<Slice, String> {
    // `[*]` is the slice of all items.
    let text = if text == "*" { ":" } else { text };
    let parts: Vec<&str> = text.split(':').collect();
    let is_index = |part: &&str| {
        let digits = part.strip_prefix('-').unwrap_or(part);
        digits.bytes().all(|b| b.is_ascii_digit())
    };
    if parts.len() > 3 || !parts.iter().all(is_index) {
        return Err(format!("invalid array index {text}"));
    }
    let index = |at: usize| match parts.get(at) {
        None | Some(&"") => Ok(None),
        Some(part) => match part.parse::<i64>() {
            Ok(index) => Ok(Some(index)),
            Err(_) => Err(format!("array index {part} is not a number")),
        },
    };
    let (from, to, step) = (index(0)?, index(1)?, index(2)?);
    // A single index is a slice of one item.
    let single = parts.len() == 1;
    Ok(Slice {
        from,
        to: if single {
            Some(from.unwrap_or(0).saturating_add(1))
        } else {
            to
        },
        step,
        single,
    })
}
