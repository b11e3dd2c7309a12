//! The rules of a ValidatingAdmissionPolicy.

use std::collections::BTreeSet;

use crate::admission::policy::types::Names;
use crate::admissionregistration::validate::{
    BOOL, POLICIES, TEXT, compiles, constraints, match_conditions, param_kind, variables,
};
use crate::api::json::Value;
use crate::cel::Type;
use crate::tree::{field, has, len, list, text};
use crate::validate::common::{one_of, required_text};
use crate::validate::condition::conditions;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const MOST_ANNOTATIONS: usize = 20;
const LONGEST_VALUE: usize = 5 * 1024;

/// The result types of an audit annotation; null omits it.
const ANNOTATION: &[Type] = &[Type::Text, Type::Null];

/// Validates a new ValidatingAdmissionPolicy.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    one_of(&path, spec, "failurePolicy", POLICIES, errors);
    param_kind(&path, spec, errors);
    constraints(&path, spec, errors);
    match_conditions(&path, spec, has(spec, "paramKind"), errors);
    let names = variables(&path, spec, errors);
    let (validations, annotations) = (path.child("validations"), path.child("auditAnnotations"));
    // Either list is enough for a policy, so upstream reports both.
    if len(spec, "validations") + len(spec, "auditAnnotations") == 0 {
        let detail = "validations or auditAnnotations must contain at least one item";
        errors.required(&validations, detail);
        errors.required(&annotations, detail);
    }
    for (index, validation) in list(spec, "validations").iter().enumerate() {
        self::validation(&validations.index(index), validation, &names, errors);
    }
    if len(spec, "auditAnnotations") > MOST_ANNOTATIONS {
        let detail = format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        let all = go::shown_list("AuditAnnotation", list(spec, "auditAnnotations"));
        errors.invalid_shown(&annotations, &all, &detail);
    }
    let mut keys = BTreeSet::new();
    let name = text(field(object, "metadata"), "name");
    for (index, annotation) in list(spec, "auditAnnotations").iter().enumerate() {
        let path = annotations.index(index);
        let key = text(annotation, "key");
        // In the audit log, the name of the policy precedes the key.
        let whole = format!("{name}/{key}");
        errors.invalid_each(&path.child("key"), &whole, names::qualified_name(&whole));
        value_expression(&path, annotation, &names, errors);
        if !keys.insert(key) {
            errors.duplicate(&path.child("key"), &go::quoted(key));
        }
    }
}

fn value_expression(path: &Path<'_>, annotation: &Value, names: &Names, errors: &mut Errors) {
    const FIELD: &str = "valueExpression";
    match text(annotation, FIELD).trim().len() {
        0 => errors.required(&path.child(FIELD), "valueExpression is not specified"),
        1..=LONGEST_VALUE => drop(compiles(path, annotation, FIELD, names, ANNOTATION, errors)),
        _ => {
            // Like upstream, report a value that is too long as missing.
            let detail = format!("must not exceed {LONGEST_VALUE} bytes in length");
            errors.required(&path.child(FIELD), &detail);
        }
    }
}

fn validation(path: &Path<'_>, validation: &Value, names: &Names, errors: &mut Errors) {
    const REASONS: &[&str] = &["Forbidden", "Invalid", "RequestEntityTooLarge"];
    if text(validation, "expression").trim().is_empty() {
        errors.required(&path.child("expression"), "expression is not specified");
    } else {
        compiles(path, validation, "expression", names, BOOL, errors);
    }
    let computed = text(validation, "messageExpression");
    if !computed.trim().is_empty() {
        // Message expressions cannot use `authorizer`.
        let names = names.iter().filter(|(name, _)| *name != "authorizer");
        let names = names.cloned().collect();
        compiles(path, validation, "messageExpression", &names, TEXT, errors);
    } else if !computed.is_empty() {
        let detail = "must be non-empty if specified";
        let place = path.child("messageExpression");
        errors.invalid_shown(&place, &go::quoted(computed), detail);
    }
    let message = text(validation, "message");
    let place = path.child("message");
    if !message.is_empty() && message.trim().is_empty() {
        let detail = "message must be non-empty if specified";
        errors.invalid_shown(&place, &go::quoted(message), detail);
    } else if message.trim().contains(['\n', '\r']) {
        let detail = "message must not contain line breaks";
        errors.invalid_shown(&place, &go::quoted(message), detail);
    }
    one_of(path, validation, "reason", REASONS, errors);
}

/// Validates an update of a ValidatingAdmissionPolicy.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}

/// Validates an update of a ValidatingAdmissionPolicy's status.
pub(crate) fn status(object: &Value, _: &Value, errors: &mut Errors) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    let checking = path.child("typeChecking");
    let warnings = checking.child("expressionWarnings");
    let all = list(field(status, "typeChecking"), "expressionWarnings");
    for (index, warning) in all.iter().enumerate() {
        let path = warnings.index(index);
        required_text(&path, warning, "warning", errors);
        required_text(&path, warning, "fieldRef", errors);
    }
    conditions(&path, status, errors);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::policy::types;
    use crate::api::json::json;

    #[test]
    fn a_value_of_an_audit_annotation_has_a_limit() {
        let names = types::names(&Type::Dyn, None);
        let told = |length: usize| {
            let mut errors = Errors::default();
            let annotation = json!({"valueExpression": format!("'{}'", "a".repeat(length - 2))});
            value_expression(&Path::root("a"), &annotation, &names, &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(5120), [""; 0]);
        let wrong = "a.valueExpression: Required value: must not exceed 5120 bytes in length";
        assert_eq!(told(5121), [wrong]);
    }
}
