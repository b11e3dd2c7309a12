//! Conditions in the form that newer kinds share (`metav1.Condition`).

use std::collections::BTreeSet;

use super::errors::Errors;
use super::path::Path;
use super::{go, names};
use crate::api::json::{Value, json};
use crate::tree::{has, int, list, text};

const REASON_BYTES: usize = 1024;
const MESSAGE_BYTES: usize = 32 * 1024;
const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or ',' or ':' or '_' ending with an alphanumeric character or '_' (e.g. 'my_name',  or \
    'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is \
    '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

/// Validates the conditions of a status.
pub(crate) fn conditions(path: &Path<'_>, status: &Value, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    let path = path.child("conditions");
    for (index, condition) in list(status, "conditions").iter().enumerate() {
        let path = path.index(index);
        let kind = text(condition, "type");
        if !seen.insert(kind) {
            errors.duplicate(&path.child("type"), &go::quoted(kind));
        }
        self::condition(&path, condition, errors);
    }
}

fn condition(path: &Path<'_>, condition: &Value, errors: &mut Errors) {
    let kind = text(condition, "type");
    errors.invalid_each(&path.child("type"), kind, names::qualified_name(kind));
    let status = text(condition, "status");
    if !matches!(status, "True" | "False" | "Unknown") {
        let shown = go::quoted(status);
        let supported = &["False", "True", "Unknown"];
        errors.not_supported_shown(&path.child("status"), &shown, supported);
    }
    let observed = int(condition, "observedGeneration");
    if observed < 0 {
        let detail = "must be greater than or equal to zero";
        errors.invalid(&path.child("observedGeneration"), &json!(observed), detail);
    }
    // Clients compute from this time how long a condition has lasted.
    if !has(condition, "lastTransitionTime") {
        errors.required(&path.child("lastTransitionTime"), "must be set");
    }
    let (reason, reason_path) = (text(condition, "reason"), path.child("reason"));
    // Programs compare reasons, so a reason is one word rather than a sentence.
    if reason.is_empty() {
        errors.required(&reason_path, "must be set");
    } else if !is_reason(reason) {
        errors.invalid_shown(&reason_path, &go::quoted(reason), REASON);
    }
    if reason.len() > REASON_BYTES {
        errors.too_long(&reason_path, REASON_BYTES);
    }
    if text(condition, "message").len() > MESSAGE_BYTES {
        errors.too_long(&path.child("message"), MESSAGE_BYTES);
    }
}

fn is_reason(reason: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    reason.starts_with(|c: char| c.is_ascii_alphabetic())
        && reason.ends_with(word)
        && reason.chars().all(|c| word(c) || matches!(c, ',' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_has_a_status_a_reason_and_a_time() {
        let fine = json!({"type": "Ready", "status": "True", "reason": "All_Good:a", "lastTransitionTime":
            "2026-01-01T00:00:00Z"});
        let mut errors = Errors::default();
        let bare = json!({"type": "Ready", "status": "Yes"});
        let odd = json!({"type": "Odd", "status": "False", "reason": "a b", "lastTransitionTime": "2026-01-01T00:00:00Z"});
        let status = json!({"conditions": [fine, bare, odd]});
        conditions(&Path::root("status"), &status, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told[..4],
            [
                "status.conditions[1].type: Duplicate value: \"Ready\"",
                "status.conditions[1].status: Unsupported value: \"Yes\": supported values: \"False\", \"True\", \
                 \"Unknown\"",
                "status.conditions[1].lastTransitionTime: Required value: must be set",
                "status.conditions[1].reason: Required value: must be set",
            ]
        );
        assert_eq!(
            told[4..],
            [format!(
                "status.conditions[2].reason: Invalid value: \"a b\": {REASON}"
            )]
        );
    }
}
