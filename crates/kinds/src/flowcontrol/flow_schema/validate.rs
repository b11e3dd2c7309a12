//! The rules of a FlowSchema.

use crate::api::json::{Value, json};
use crate::tree::{field, int, len, list, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{meta, names};

/// Validates a new FlowSchema.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, false, names::dns1123_subdomain, errors);
    let (path, spec) = (Path::root("spec"), field(object, "spec"));
    let precedence = int(spec, "matchingPrecedence");
    let precedence_path = path.child("matchingPrecedence");
    if precedence < 1 {
        errors.invalid(
            &precedence_path,
            &json!(precedence),
            "must be a positive value",
        );
    // `FlowSchemaMaxMatchingPrecedence`: the catch-all schema has this value and must stay the
    // last.
    } else if precedence > 10_000 {
        let detail = "must not be greater than 10000";
        errors.invalid(&precedence_path, &json!(precedence), detail);
    }
    let level = path.child("priorityLevelConfiguration");
    if text(field(spec, "priorityLevelConfiguration"), "name").is_empty() {
        errors.required(&level.child("name"), "must reference a priority level");
    }
    let rules = path.child("rules");
    for (index, rule) in list(spec, "rules").iter().enumerate() {
        let path = rules.index(index);
        if len(rule, "subjects") == 0 {
            let detail = "subjects must contain at least one value";
            errors.required(&path.child("subjects"), detail);
        }
        if len(rule, "resourceRules") + len(rule, "nonResourceRules") == 0 {
            let detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
            errors.required(&path, detail);
        }
    }
}

/// Validates an update of a FlowSchema.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
}
