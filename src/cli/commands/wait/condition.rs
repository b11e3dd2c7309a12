//! Parses and evaluates the conditions of `--for`.

use std::fmt::{self, Display, Formatter};

use crate::api::go::quoted;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cli::error::CliError;
use crate::print::jsonpath::{JsonPath, relaxed};

/// The forms of a path that kubectl accepts.
const PATH_FORMS: &str = "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or \
    --for=jsonpath='{.status.readyReplicas}'";

/// A condition to wait for.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// The object is gone.
    Delete,
    /// The object exists.
    Create,
    /// A condition in its status has this value.
    Status { name: String, value: String },
    /// A JSONPath selects this value, or any value if none is given.
    Path {
        text: String,
        path: JsonPath,
        value: Option<String>,
    },
}

/// The result of looking up an object.
pub(super) enum Lookup {
    There(Value),
    /// The object is gone, although another one may have its name now.
    Gone(Option<CliError>),
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delete => f.write_str("delete"),
            Self::Create => f.write_str("create"),
            Self::Status { name, value } => write!(f, "condition={name}={value}"),
            Self::Path { text, value, .. } => {
                write!(f, "jsonpath={text}")?;
                value.iter().try_for_each(|value| write!(f, "={value}"))
            }
        }
    }
}

impl Condition {
    /// Parses several conditions.
    pub(super) fn parse_all(texts: &[String]) -> Result<Vec<Self>, CliError> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// Parses one condition.
    fn parse(text: &str) -> Result<Self, CliError> {
        // kubectl accepts these two words in any case, but matches the prefixes below exactly.
        let lower = text.to_lowercase();
        if lower == "delete" {
            return Ok(Self::Delete);
        }
        if lower == "create" {
            return Ok(Self::Create);
        }
        if let Some(condition) = text.strip_prefix("condition=") {
            // As in kubectl, case does not matter in the type and the value: `--for=condition=ready` is common.
            let (name, value) = condition.split_once('=').unwrap_or((condition, "true"));
            return Ok(Self::Status {
                name: name.to_lowercase(),
                value: value.to_lowercase(),
            });
        }
        if let Some(path) = text.strip_prefix("jsonpath=") {
            return Self::parse_path(path);
        }
        let text = format!("unrecognized condition: {}", quoted(text));
        Err(CliError::text(text))
    }

    fn parse_path(text: &str) -> Result<Self, CliError> {
        let parts = split(text);
        let (path, value) = match parts.as_slice() {
            [path] => (path, None),
            [path, value] => (path, Some(value.trim_matches(['\'', '"']).to_owned())),
            _ => return Err(CliError::text(PATH_FORMS)),
        };
        let path = relaxed(path).map_err(CliError::text)?;
        if value.as_deref() == Some("") {
            return Err(CliError::text(
                "jsonpath wait has to have a value after equal sign, like \
                 --for=jsonpath='{.status.readyReplicas}'=3",
            ));
        }
        if path.is_empty() {
            return Err(CliError::text("jsonpath expression cannot be empty"));
        }
        Ok(Self::Path {
            text: path.clone(),
            path: JsonPath::parse(&path).map_err(CliError::text)?,
            value,
        })
    }

    /// Returns true if an object meets the condition.
    pub(super) fn is_met(&self, looked: &Lookup) -> Result<bool, CliError> {
        let object = match (self, looked) {
            // Only NotFound proves that the object is deleted; an error such as Forbidden says nothing about it.
            (Self::Delete, Lookup::Gone(Some(e))) if !e.is_not_found() => return Err(again(e)),
            (Self::Delete, Lookup::Gone(_)) => return Ok(true),
            (Self::Delete, Lookup::There(_)) => return Ok(false),
            (Self::Create, Lookup::There(_)) => return Ok(true),
            (_, Lookup::Gone(None)) => return Ok(false),
            (_, Lookup::Gone(Some(e))) => return Err(again(e)),
            (_, Lookup::There(object)) => object,
        };
        match self {
            Self::Status { name, value } => Ok(has_status(object, name, value)),
            Self::Path { path, value, .. } => leads_to(object, path, value.as_deref()),
            Self::Delete | Self::Create => Ok(false),
        }
    }
}

/// Returns a copy of an error.
fn again(error: &CliError) -> CliError {
    match error.status() {
        Some(status) => CliError::from(Status::clone(status)),
        None => CliError::text(error.in_one_line()),
    }
}

/// Splits a path from its value at `=`. A `==` is an operator of the path.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let twice = c == '=' && chars.peek() == Some(&'=');
        if c == '=' && !twice {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
            if twice {
                last.extend(chars.next());
            }
        }
    }
    parts
}

/// Returns true if a condition has a value and describes the current generation of the object.
fn has_status(object: &Value, name: &str, value: &str) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    let conditions = object["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let Some(condition) = conditions.find(|c| text(&c["type"]) == name) else {
        return false;
    };
    let observed = match &condition["observedGeneration"] {
        Value::Null => &object["status"]["observedGeneration"],
        own => own,
    };
    let generation = object["metadata"]["generation"].as_i64();
    // A condition with an older observed generation describes an earlier spec.
    if let (Some(generation), Some(observed)) = (generation, observed.as_i64())
        && observed < generation
    {
        return false;
    }
    text(&condition["status"]) == value
}

fn leads_to(object: &Value, path: &JsonPath, value: Option<&str>) -> Result<bool, CliError> {
    let refuse = |text: &str| Err(CliError::text(text));
    let found = path.find(object, true).map_err(CliError::text)?;
    let first = match found.as_slice() {
        [] => return Ok(false),
        [list] if list.is_empty() => return Ok(false),
        [list] if list.len() > 1 => {
            return refuse("given jsonpath expression matches more than one value");
        }
        [list] => &list[0],
        _ => return refuse("given jsonpath expression matches more than one list"),
    };
    let Some(value) = value else {
        return Ok(true);
    };
    let shown = match first.as_ref() {
        Value::String(text) => text.to_string(),
        Value::Array(_) | Value::Object(_) => {
            return refuse("jsonpath leads to a nested object or list which is not supported");
        }
        // Go prints nil this way, and kubectl compares printed values.
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    };
    Ok(shown.trim() == value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn met(condition: &str, object: Value) -> Result<bool, String> {
        let condition = Condition::parse(condition).map_err(|e| e.to_string())?;
        let looked = Lookup::There(object);
        condition.is_met(&looked).map_err(|e| e.to_string())
    }

    #[test]
    fn a_condition_counts_only_for_the_current_generation() {
        let object = |generation: i64, status: &str| {
            json!({"metadata": {"generation": generation}, "status": {"observedGeneration": 2,
                "conditions": [{"type": "Ready", "status": status}]}})
        };
        assert!(met("condition=Ready", object(2, "True")).unwrap());
        assert!(met("condition=ready=false", object(2, "False")).unwrap());
        assert!(!met("condition=Ready", object(3, "True")).unwrap());
        assert!(!met("condition=Other", object(2, "True")).unwrap());
    }

    #[test]
    fn a_path_is_compared_as_text() {
        let object = json!({"status": {"n": 3, "list": [1, 2], "s": "a=b"}});
        assert!(met("jsonpath={.status.n}=3", object.clone()).unwrap());
        assert!(met("jsonpath=.status.n", object.clone()).unwrap());
        assert!(!met("jsonpath={.status.none}=3", object.clone()).unwrap());
        let nested = met("jsonpath={.status.list}=3", object.clone()).unwrap_err();
        assert!(nested.starts_with("jsonpath leads to a nested"));
        let many = met("jsonpath={.status.list[*]}=3", object.clone()).unwrap_err();
        assert_eq!(
            many,
            "given jsonpath expression matches more than one value"
        );
        assert_eq!(
            met("jsonpath={.a}=b=c", object.clone()).unwrap_err(),
            PATH_FORMS
        );
        let empty = met("jsonpath={.a}=", object.clone()).unwrap_err();
        assert!(empty.starts_with("jsonpath wait has to have a value"));
        let refused = |condition: &str| met(condition, object.clone()).unwrap_err();
        assert_eq!(refused("jsonpath="), "jsonpath expression cannot be empty");
        assert_eq!(
            refused("Condition=Ready"),
            "unrecognized condition: \"Condition=Ready\""
        );
    }

    #[test]
    fn delete_condition_is_met_by_a_missing_object() {
        let gone = || Lookup::Gone(Some(Status::not_found("pods", "a").into()));
        assert!(Condition::Delete.is_met(&gone()).unwrap());
        let ready = Condition::parse("condition=Ready").unwrap();
        assert!(ready.is_met(&gone()).unwrap_err().is_not_found());
        assert_eq!(
            Condition::parse("nothing").unwrap_err().to_string(),
            "unrecognized condition: \"nothing\""
        );
    }
}
