//! Validates the CEL rules of a new CustomResourceDefinition.

use super::adapt;
use super::rules::{RULES, program};
use crate::api::json::Value;
use crate::cel::{self, Type};
use crate::tree::{field, flag, has, list, text};
use crate::validate::errors::Errors;
use crate::validate::go;
use crate::validate::path::Path;

const REASONS: &[&str] = &[
    "FieldValueDuplicate",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueRequired",
];

/// Checks the rules of one schema, without those of nested schemas. `lost` is the path below which values have no
/// counterpart in the old object.
pub(crate) fn rules(
    path: &Path<'_>,
    schema: &Value,
    root: bool,
    lost: Option<&str>,
    errors: &mut Errors,
) {
    let all = list(schema, RULES);
    if all.is_empty() {
        return;
    }
    let path = path.child(RULES);
    let this = adapt::type_of(schema, root);
    for (index, rule) in all.iter().enumerate() {
        compiled(&path.index(index), rule, &this, lost, errors);
    }
}

/// Checks the form of a rule except for its `fieldPath`.
pub(crate) fn form(path: &Path<'_>, rule: &Value, errors: &mut Errors) {
    let message = text(rule, "message");
    let trimmed = message.trim();
    let breaks = |text: &str| text.contains(['\n', '\r']);
    let at = path.child("message");
    // This is a single chain because upstream reports at most one of these errors for a rule.
    if text(rule, "rule").trim().is_empty() {
        errors.required(&path.child("rule"), "rule is not specified");
    } else if !message.is_empty() && trimmed.is_empty() {
        let detail = "message must be non-empty if specified";
        errors.invalid_shown(&at, &go::quoted(message), detail);
    } else if breaks(trimmed) {
        let detail = "message must not contain line breaks";
        errors.invalid_shown(&at, &go::quoted(message), detail);
    } else if breaks(text(rule, "rule").trim()) && trimmed.is_empty() {
        let detail = "message must be specified if rule contains line breaks";
        errors.required(&at, detail);
    }
    let expression = text(rule, "messageExpression");
    if !expression.is_empty() && expression.trim().is_empty() {
        let detail = "messageExpression must be non-empty if specified";
        errors.required(&path.child("messageExpression"), detail);
    }
    let reason = field(rule, "reason");
    if reason.is_string() && !REASONS.contains(&text(rule, "reason")) {
        errors.not_supported(&path.child("reason"), reason, REASONS);
    }
}

fn compiled(path: &Path<'_>, rule: &Value, this: &Type, lost: Option<&str>, errors: &mut Errors) {
    let shown = go::shown_as("ValidationRule", rule);
    let optional = flag(rule, "optionalOldSelf");
    let old = match optional {
        // With an optional `oldSelf`, the rule also runs on a create, with an empty value.
        true => Type::optional(this.clone()),
        false => this.clone(),
    };
    let names = [("self", this.clone()), ("oldSelf", old)];
    let check = |expression: &str| -> Result<(Type, bool), String> {
        let program = program(expression)?;
        Ok((program.check(&names)?, program.uses("oldSelf")))
    };
    let at = path.child("rule");
    match check(text(rule, "rule")) {
        Err(wrong) => {
            let detail = format!("compilation failed: {wrong}");
            errors.invalid_shown(&at, &shown, &detail);
        }
        // A dynamic type is known only when the rule runs.
        Ok((Type::Bool | Type::Dyn, uses_old)) => {
            // Items of a list without keys have no counterpart in the old object, so there is no `oldSelf`.
            if let Some(lost) = lost.filter(|_| uses_old) {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {lost}"
                );
                // Upstream shows only the expression in this error, but the rule with all its fields in the others.
                errors.invalid_shown(&at, &go::quoted(text(rule, "rule")), &detail);
            }
            if has(rule, "optionalOldSelf") && !uses_old {
                let detail = "may not be set if oldSelf is not used in rule";
                let value = field(rule, "optionalOldSelf");
                errors.invalid(&path.child("optionalOldSelf"), value, detail);
            }
        }
        Ok(_) => errors.invalid_shown(&at, &shown, "cel expression must evaluate to a bool"),
    }
    let expression = text(rule, "messageExpression");
    if expression.trim().is_empty() {
        return;
    }
    let at = path.child("messageExpression");
    match check(expression) {
        Err(wrong) => {
            let detail = format!("messageExpression compilation failed: {wrong}");
            errors.invalid_shown(&at, &shown, &detail);
        }
        Ok((cel::Type::Text, _)) => {}
        Ok(_) => {
            let detail = "messageExpression must evaluate to a string";
            errors.invalid_shown(&at, &shown, detail);
        }
    }
}
