//! The tokens of an expression.

use ctl_api::json::{Value, from_bytes};

/// A token of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A bare name.
    Name(String),
    /// A name in double quotes, which never names a function.
    Quoted(String),
    /// `$name`.
    Variable(String),
    /// A value in backticks or single quotes, or a number.
    Literal(Value),
    /// Punctuation.
    Sign(&'static str),
}

/// Punctuation, longer signs first.
const SIGNS: &[&str] = &[
    // Longer signs come first, because the first match is used.
    "[?", "[]", "||", "&&", "==", "!=", "<=", ">=", "|", "&", "!", "<", ">", "(", ")", "[", "]",
    "{", "}", ".", ",", ":", "*", "@", "+", "-",
];

/// Splits an expression into tokens.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' => {
                let inner = until(rest, '"')?;
                // A quoted name contains JSON escapes.
                let name = json(&format!("\"{inner}\""))?;
                (
                    Token::Quoted(name.as_str().unwrap_or_default().to_owned()),
                    inner.len() + 2,
                )
            }
            '\'' => {
                let inner = until(rest, '\'')?;
                let raw = inner.replace("\\'", "'").replace("\\\\", "\\");
                (Token::Literal(Value::from(raw)), inner.len() + 2)
            }
            '`' => {
                let inner = until(rest, '`')?;
                let text = inner.replace("\\`", "`");
                // Older expressions omit the quotes of a string.
                let value =
                    json(text.trim()).unwrap_or_else(|_| Value::from(text.trim().to_owned()));
                (Token::Literal(value), inner.len() + 2)
            }
            '$' => {
                let name = word(&rest[1..]);
                if name.is_empty() {
                    return Err(format!("{text:?}: expected a name after $"));
                }
                (Token::Variable(name.to_owned()), name.len() + 1)
            }
            // The specification allows numbers only in brackets; this lexer accepts them elsewhere, too.
            c if c.is_ascii_digit() => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit() && c != '.')
                    .unwrap_or(rest.len());
                (Token::Literal(json(&rest[..end])?), end)
            }
            c if c.is_alphabetic() || c == '_' => {
                let name = word(rest);
                (Token::Name(name.to_owned()), name.len())
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err(format!("{text:?}: unexpected {first:?}")),
            },
        };
        all.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(all)
}

/// Returns the name at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

/// Returns the text between the quote at the start and the next unescaped one.
fn until(text: &str, quote: char) -> Result<&str, String> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            // A quote after a backslash is part of the text.
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Ok(&text[1..at]),
            _ => {}
        }
    }
    Err(format!("{text:?}: a closing {quote} is missing"))
}

fn json(text: &str) -> Result<Value, String> {
    from_bytes(text.as_bytes(), &[]).map_err(|e| format!("{text:?}: {e}"))
}
