//! The object form of a label selector: `matchLabels` and `matchExpressions`.

use super::label::{LabelSelector, LabelSelectorError, Operator, Requirement};
use super::names;
use crate::json::{Text, Value};

/// The reason of a problem, as in the causes of a Status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemReason {
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueRequired`
    Required,
    /// `FieldValueForbidden`
    Forbidden,
}

/// A problem in the object form of a selector.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::selector::{Problem, ProblemReason, validate};
///
/// let problems: Vec<Problem> = validate(&json!({"matchExpressions": [{"key": "app", "operator": "In"}]}));
/// assert_eq!(problems[0].reason, ProblemReason::Required);
/// assert_eq!(problems[0].field, "matchExpressions[0].values");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The reason.
    pub reason: ProblemReason,
    /// The path below the selector: `matchExpressions[0].operator`.
    pub field: String,
    /// The message, with the invalid value if there is one: `Invalid value: "X": not a valid selector operator`.
    pub message: String,
}

impl LabelSelector {
    /// Reads the object form. A missing selector selects nothing, an empty one everything.
    ///
    /// # Errors
    ///
    /// [`LabelSelectorError`] if an operator, key or value is invalid.
    pub fn from_object(selector: Option<&Value>) -> Result<Self, LabelSelectorError> {
        let Some(selector) = selector.filter(|s| !s.is_null()) else {
            return Ok(Self::nothing());
        };
        let mut requirements = Vec::new();
        for (key, value) in labels(selector) {
            let values = vec![value.as_str().unwrap_or_default().to_owned()];
            requirements.push(Requirement::new(key, Operator::Equals, values)?);
        }
        for expression in expressions(selector) {
            let operator = match text(expression, "operator") {
                "In" => Operator::In,
                "NotIn" => Operator::NotIn,
                "Exists" => Operator::Exists,
                "DoesNotExist" => Operator::DoesNotExist,
                other => {
                    let message = format!("{other:?} is not a valid label selector operator");
                    return Err(LabelSelectorError(message));
                }
            };
            let values = values(expression).map(str::to_owned).collect();
            requirements.push(Requirement::new(text(expression, "key"), operator, values)?);
        }
        Ok(Self::from_requirements(requirements))
    }

    /// Returns the selector of objects that have all these labels, as in a Service or ReplicationController.
    ///
    /// Unlike [`LabelSelector::from_object`], a missing map selects everything.
    pub fn from_labels(labels: Option<&Value>) -> Result<Self, LabelSelectorError> {
        let labels = labels.and_then(Value::as_object).into_iter().flatten();
        let equals = |(key, value): (&Text, &Value)| {
            let values = vec![value.as_str().unwrap_or_default().to_owned()];
            Requirement::new(key, Operator::Equals, values)
        };
        let requirements: Result<_, _> = labels.map(equals).collect();
        requirements.map(Self::from_requirements)
    }
}

/// Validates the object form of a selector; returns the problems in the API server's order.
pub fn validate(selector: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    for (key, value) in labels(selector) {
        let value = value.as_str().unwrap_or_default();
        invalid(&mut found, "matchLabels", key, names::key_problems(key));
        invalid(
            &mut found,
            "matchLabels",
            value,
            names::value_problems(value),
        );
    }
    for (i, expression) in expressions(selector).enumerate() {
        validate_expression(&mut found, &format!("matchExpressions[{i}]"), expression);
    }
    found
}

fn validate_expression(found: &mut Vec<Problem>, path: &str, expression: &Value) {
    let mut add = |reason, field: &str, message: String| {
        let field = format!("{path}.{field}");
        found.push(Problem {
            reason,
            field,
            message,
        });
    };
    let count = values(expression).count();
    match text(expression, "operator") {
        "In" | "NotIn" if count == 0 => {
            let message =
                "Required value: must be specified when `operator` is 'In' or 'NotIn'".into();
            add(ProblemReason::Required, "values", message);
        }
        "Exists" | "DoesNotExist" if count > 0 => {
            let message =
                "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                    .into();
            add(ProblemReason::Forbidden, "values", message);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => {
            let message = format!("Invalid value: {other:?}: not a valid selector operator");
            add(ProblemReason::Invalid, "operator", message);
        }
    }
    let key = text(expression, "key");
    invalid(found, &format!("{path}.key"), key, names::key_problems(key));
    for (i, value) in values(expression).enumerate() {
        let field = format!("{path}.values[{i}]");
        invalid(found, &field, value, names::value_problems(value));
    }
}

fn invalid(found: &mut Vec<Problem>, field: &str, value: &str, problems: Vec<String>) {
    found.extend(problems.into_iter().map(|problem| Problem {
        reason: ProblemReason::Invalid,
        field: field.into(),
        message: format!("Invalid value: {value:?}: {problem}"),
    }));
}

fn labels(selector: &Value) -> impl Iterator<Item = (&Text, &Value)> {
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    labels.into_iter().flatten()
}

fn expressions(selector: &Value) -> impl Iterator<Item = &Value> {
    let list = selector.get("matchExpressions").and_then(Value::as_array);
    list.into_iter().flatten()
}

fn text<'a>(expression: &'a Value, name: &str) -> &'a str {
    let value = expression.get(name).and_then(Value::as_str);
    value.unwrap_or_default()
}

fn values(expression: &Value) -> impl Iterator<Item = &str> {
    let list = expression.get("values").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

/// Formats the object form as Go formats a pointer to it, which some messages contain.
pub fn in_go(selector: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut labels = String::new();
    for (name, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        labels += &format!("{name}: {},", text(value));
    }
    let mut expressions = String::new();
    for term in selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let values = term["values"].as_array().into_iter().flatten();
        let values: Vec<String> = values.map(text).collect();
        expressions += &format!(
            "LabelSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            text(&term["key"]),
            text(&term["operator"]),
            values.join(" ")
        );
    }
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}
