//! Evaluates a ValidatingAdmissionPolicy for a request.

use super::values::{Inputs, conditions};
use crate::api::json::Value;
use crate::cel;
use crate::tree::{field, list, text};

/// The maximum length of a message that an expression computes.
const MAX_MESSAGE: usize = 5 * 1024;

/// The maximum length of the value of an audit annotation.
const MAX_ANNOTATION: usize = 10 * 1024;

/// A reason to reject a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The index of the validation; `None` if the policy could not be evaluated.
    pub validation: Option<usize>,
    /// The message.
    pub message: String,
    /// The reason of the rejection, such as `Invalid`.
    pub reason: &'static str,
}

impl Decision {
    /// Returns the decision for a policy whose evaluation failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            validation: None,
            message: message.into(),
            reason: "Invalid",
        }
    }
}

/// The result of a policy with one set of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    /// The failures to which the actions of the binding apply.
    pub failures: Vec<Decision>,
    /// The errors that reject the request regardless of the actions.
    pub refusals: Vec<Decision>,
    /// The keys and values for the audit log.
    pub annotations: Vec<(String, String)>,
}

/// Returns true if a failed evaluation of the policy rejects the request.
pub(super) fn fails_closed(spec: &Value) -> bool {
    text(spec, "failurePolicy") != "Ignore"
}

/// Evaluates the validations of the policy whose spec is `spec`.
pub fn validate(spec: &Value, mut inputs: Inputs) -> Validation {
    let closed = fails_closed(spec);
    let mut result = Validation::default();
    match conditions(list(spec, "matchConditions"), &mut inputs) {
        Ok(true) => {}
        Ok(false) => return result,
        Err(e) => {
            result.failures.extend(closed.then(|| Decision::failed(e)));
            return result;
        }
    }
    // Add the variables only now, because match conditions cannot use them.
    let mut inputs = inputs.with_variables(spec);
    for (number, validation) in list(spec, "validations").iter().enumerate() {
        let failure = match inputs.eval(text(validation, "expression")) {
            Ok(cel::Value::Bool(true)) => None,
            Ok(_) => Some(Decision {
                validation: Some(number),
                message: message(validation, &mut inputs),
                reason: reason(text(validation, "reason")),
            }),
            Err(message) => closed.then(|| Decision {
                validation: Some(number),
                ..Decision::failed(message)
            }),
        };
        result.failures.extend(failure);
    }
    for annotation in list(spec, "auditAnnotations") {
        match inputs.eval(text(annotation, "valueExpression")) {
            Ok(cel::Value::Text(value)) => {
                let mut end = value.len().min(MAX_ANNOTATION);
                while !value.is_char_boundary(end) {
                    end -= 1;
                }
                let key = text(annotation, "key").to_owned();
                result.annotations.push((key, value[..end].to_owned()));
            }
            Ok(_) => {}
            // An error in an audit annotation rejects the request even if the binding only warns.
            Err(e) => result.refusals.extend(closed.then(|| Decision::failed(e))),
        }
    }
    result
}

fn reason(name: &str) -> &'static str {
    match name {
        "Unauthorized" => "Unauthorized",
        "Forbidden" => "Forbidden",
        "RequestEntityTooLarge" => "RequestEntityTooLarge",
        _ => "Invalid",
    }
}

/// Returns the message of a failed validation: the computed message, the static one, or the expression itself.
fn message(validation: &Value, inputs: &mut Inputs) -> String {
    if !field(validation, "messageExpression").is_null()
        && let Ok(cel::Value::Text(computed)) = inputs.eval(text(validation, "messageExpression"))
    {
        let computed = computed.trim();
        // Upstream falls back to the static message if the computed one is empty, too long or has several lines.
        if !computed.is_empty() && computed.len() <= MAX_MESSAGE && !computed.contains('\n') {
            return computed.to_owned();
        }
    }
    match text(validation, "message").trim() {
        "" => format!(
            "failed expression: {}",
            text(validation, "expression").trim()
        ),
        given => given.to_owned(),
    }
}
