//! Selects objects by labels.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use super::names;

/// The error for an invalid label selector, in the API server's words.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct LabelSelectorError(pub(super) String);

/// The operator of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// `key in (a,b)`
    In,
    /// `key notin (a,b)`
    NotIn,
    /// `key=a`
    Equals,
    /// `key==a`
    DoubleEquals,
    /// `key!=a`
    NotEquals,
    /// `key`
    Exists,
    /// `!key`
    DoesNotExist,
    /// `key>1`
    GreaterThan,
    /// `key<1`
    LessThan,
}

/// A condition on one label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    key: String,
    operator: Operator,
    /// Sorted and unique.
    values: Vec<String>,
}

impl Requirement {
    /// Creates a requirement after checking it as the API server does.
    ///
    /// # Errors
    ///
    /// [`LabelSelectorError`] with all the problems.
    pub fn new(
        key: &str,
        operator: Operator,
        mut values: Vec<String>,
    ) -> Result<Self, LabelSelectorError> {
        values.sort();
        values.dedup();
        let mut wrong = Vec::new();
        let key_wrong = names::key_problems(key);
        if !key_wrong.is_empty() {
            wrong.push(invalid("key", key, &key_wrong.join("; ")));
        }
        if let Some(message) = count_problem(operator, values.len()) {
            let list = crate::json::json!(values);
            wrong.push(format!("values: Invalid value: {list}: {message}"));
        }
        for (i, value) in values.iter().enumerate() {
            let numeric = matches!(operator, Operator::GreaterThan | Operator::LessThan);
            if numeric && value.parse::<i64>().is_err() {
                let message = "for 'Gt', 'Lt' operators, the value must be an integer";
                wrong.push(invalid(&format!("values[{i}]"), value, message));
            }
        }
        for (i, value) in values.iter().enumerate() {
            let value_wrong = names::value_problems(value);
            if !value_wrong.is_empty() {
                let path = format!("values[{i}][{key}]");
                wrong.push(invalid(&path, value, &value_wrong.join("; ")));
            }
        }
        if !wrong.is_empty() {
            return Err(LabelSelectorError(aggregate(wrong)));
        }
        let key = key.to_owned();
        Ok(Self {
            key,
            operator,
            values,
        })
    }

    /// Returns the label's key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator.
    pub fn operator(&self) -> Operator {
        self.operator
    }

    /// Returns the values to compare with, sorted.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns true if a label's value, or its absence, meets the requirement.
    pub fn matches(&self, value: Option<&str>) -> bool {
        let listed = |value: &str| self.values.iter().any(|v| v == value);
        let number = |text: &str| text.parse::<i64>().ok();
        let bound = || self.values.first().and_then(|v| number(v));
        match self.operator {
            Operator::In | Operator::Equals | Operator::DoubleEquals => value.is_some_and(listed),
            Operator::NotIn | Operator::NotEquals => !value.is_some_and(listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::GreaterThan => match (value.and_then(number), bound()) {
                (Some(value), Some(bound)) => value > bound,
                _ => false,
            },
            Operator::LessThan => match (value.and_then(number), bound()) {
                (Some(value), Some(bound)) => value < bound,
                _ => false,
            },
        }
    }
}

fn count_problem(operator: Operator, count: usize) -> Option<&'static str> {
    match operator {
        Operator::In | Operator::NotIn if count == 0 => {
            Some("for 'in', 'notin' operators, values set can't be empty")
        }
        Operator::Equals | Operator::DoubleEquals | Operator::NotEquals if count != 1 => {
            Some("exact-match compatibility requires one single value")
        }
        Operator::Exists | Operator::DoesNotExist if count != 0 => {
            Some("values set must be empty for exists and does not exist")
        }
        Operator::GreaterThan | Operator::LessThan if count != 1 => {
            Some("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        _ => None,
    }
}

pub(super) fn invalid(path: &str, value: &str, message: &str) -> String {
    format!("{path}: Invalid value: {value:?}: {message}")
}

/// Joins several errors as Go's `Aggregate` does.
fn aggregate(mut errors: Vec<String>) -> String {
    if errors.len() == 1 {
        return errors.remove(0);
    }
    let mut seen = std::collections::HashSet::new();
    errors.retain(|e| seen.insert(e.clone()));
    match errors.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}

impl Display for Requirement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (key, values) = (&self.key, self.values.join(","));
        match self.operator {
            Operator::In => write!(f, "{key} in ({values})"),
            Operator::NotIn => write!(f, "{key} notin ({values})"),
            Operator::Equals => write!(f, "{key}={values}"),
            Operator::DoubleEquals => write!(f, "{key}=={values}"),
            Operator::NotEquals => write!(f, "{key}!={values}"),
            Operator::Exists => f.write_str(key),
            Operator::DoesNotExist => write!(f, "!{key}"),
            Operator::GreaterThan => write!(f, "{key}>{values}"),
            Operator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

/// A selector of objects by their labels.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::selector::{LabelSelector, LabelSelectorError, Operator, Requirement};
///
/// let selector = LabelSelector::parse("app in (web, api), !canary")?;
/// assert!(selector.matches_object(&json!({"metadata": {"labels": {"app": "web"}}})));
///
/// let same = LabelSelector::from_requirements(vec![
///     Requirement::new("app", Operator::In, vec!["web".into(), "api".into()])?,
///     Requirement::new("canary", Operator::DoesNotExist, Vec::new())?,
/// ]);
/// assert_eq!(selector, same);
/// # Ok::<(), LabelSelectorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelSelector {
    /// `None` selects nothing.
    requirements: Option<Vec<Requirement>>,
}

impl Default for LabelSelector {
    fn default() -> Self {
        Self::everything()
    }
}

impl LabelSelector {
    /// Returns the selector of all objects.
    pub fn everything() -> Self {
        Self::from_requirements(Vec::new())
    }

    /// Returns the selector that selects nothing.
    pub fn nothing() -> Self {
        Self { requirements: None }
    }

    /// Returns the selector of objects that meet all requirements.
    pub fn from_requirements(mut requirements: Vec<Requirement>) -> Self {
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Self {
            requirements: Some(requirements),
        }
    }

    /// Parses the text form, such as `app=web,tier in (a,b),!old`.
    ///
    /// # Errors
    ///
    /// [`LabelSelectorError`], with the server's text.
    pub fn parse(text: &str) -> Result<Self, LabelSelectorError> {
        super::parser::parse(text).map(Self::from_requirements)
    }

    /// Returns the requirements, sorted by key; empty if the selector selects everything or nothing.
    pub fn requirements(&self) -> &[Requirement] {
        self.requirements.as_deref().unwrap_or_default()
    }

    /// Returns true if the selector selects all objects.
    pub fn is_everything(&self) -> bool {
        self.requirements.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns true if the selector selects nothing.
    pub fn is_nothing(&self) -> bool {
        self.requirements.is_none()
    }

    /// Returns true if the labels are selected; `label` returns a label's value.
    pub fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        match &self.requirements {
            None => false,
            Some(requirements) => requirements.iter().all(|r| r.matches(label(&r.key))),
        }
    }

    /// Returns true if the object's `metadata.labels` are selected.
    pub fn matches_object(&self, object: &crate::json::Value) -> bool {
        let labels = object.get("metadata").and_then(|m| m.get("labels"));
        self.matches(|key| labels?.get(key)?.as_str())
    }
}

impl Display for LabelSelector {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, requirement) in self.requirements().iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}
