//! Selects objects by fields: `metadata.name=x,status.phase!=Running`.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

/// The error for an invalid field selector, in the API server's words.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum FieldSelectorError {
    /// A term has no operator.
    #[error("invalid selector: '{selector}'; can't understand '{term}'")]
    NoOperator {
        /// The whole selector.
        selector: String,
        /// The term.
        term: String,
    },
    /// A backslash escapes a character that needs no escape.
    #[error("invalid field selector: invalid escape sequence: {0}")]
    BadEscape(String),
    /// A value contains a comma or equals sign without a backslash.
    #[error("invalid field selector: unescaped character in value: {}", u32::from(*.0))]
    Unescaped(char),
}

/// A condition on one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTerm {
    /// The field, such as `metadata.name`.
    pub field: String,
    /// True if the field must have the value, false if it must not.
    pub equals: bool,
    /// The value.
    pub value: String,
}

/// A selector of objects by their kind's selectable fields.
///
/// ```
/// use ctl_api::selector::{FieldSelector, FieldSelectorError, FieldTerm};
///
/// let selector = FieldSelector::parse("status.phase!=Running,spec.nodeName=node-1")?;
/// let sorted: Vec<&str> = selector.terms().iter().map(|term: &FieldTerm| term.field.as_str()).collect();
/// assert_eq!(sorted, ["spec.nodeName", "status.phase"]);
/// assert!(selector.matches(|field| match field {
///     "status.phase" => "Pending",
///     _ => "node-1",
/// }));
/// # Ok::<(), FieldSelectorError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

impl FieldSelector {
    /// Parses the text form of a selector.
    ///
    /// # Errors
    ///
    /// [`FieldSelectorError`], with the server's text.
    pub fn parse(text: &str) -> Result<Self, FieldSelectorError> {
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for term in parts.into_iter().filter(|t| !t.is_empty()) {
            let Some((field, equals, value)) = split_term(term) else {
                return Err(FieldSelectorError::NoOperator {
                    selector: text.into(),
                    term: term.into(),
                });
            };
            terms.push(FieldTerm {
                field: field.into(),
                equals,
                value: unescape(value)?,
            });
        }
        Ok(Self { terms })
    }

    /// Returns the selector of objects whose field has this value.
    pub fn equals(field: &str, value: &str) -> Self {
        let (field, value) = (field.into(), value.into());
        let equals = true;
        Self {
            terms: vec![FieldTerm {
                field,
                equals,
                value,
            }],
        }
    }

    /// Returns the conditions, sorted by their text.
    pub fn terms(&self) -> &[FieldTerm] {
        &self.terms
    }

    /// Returns true if the selector selects all objects.
    pub fn is_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the value that the selector requires for a field.
    pub fn exact(&self, field: &str) -> Option<&str> {
        let term = self.terms.iter().find(|t| t.equals && t.field == field);
        term.map(|t| t.value.as_str())
    }

    /// Returns true if the object is selected; `field` returns a field's value, which is empty if the field is
    /// missing.
    pub fn matches<T: AsRef<str>>(&self, field: impl Fn(&str) -> T) -> bool {
        let met = |t: &FieldTerm| (field(&t.field).as_ref() == t.value) == t.equals;
        self.terms.iter().all(met)
    }
}

impl Display for FieldSelector {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, term) in self.terms.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let operator = if term.equals { "=" } else { "!=" };
            let value = escape(&term.value);
            write!(f, "{comma}{}{operator}{value}", term.field)?;
        }
        Ok(())
    }
}

/// Splits a selector at commas that are not escaped.
fn split_terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut escaped) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    let at = term.char_indices().find_map(|(at, _)| {
        let rest = &term[at..];
        let operators = [("!=", false), ("==", true), ("=", true)];
        let found = operators.iter().find(|(op, _)| rest.starts_with(op));
        found.map(|(op, equals)| (at, op.len(), *equals))
    });
    let (at, length, equals) = at?;
    Some((&term[..at], equals, &term[at + length..]))
}

fn unescape(value: &str) -> Result<String, FieldSelectorError> {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                other => {
                    let sequence = ['\\'].into_iter().chain(other).collect();
                    return Err(FieldSelectorError::BadEscape(sequence));
                }
            },
            ',' | '=' => return Err(FieldSelectorError::Unescaped(c)),
            c => out.push(c),
        }
    }
    Ok(out)
}

fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, '\\' | ',' | '=') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
