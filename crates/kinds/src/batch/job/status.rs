//! Validation of the status of a Job.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, list, opt_int, text};
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;

/// Validates an update of a Job's status.
pub(crate) fn status(job: &Value, old: &Value, errors: &mut Errors) {
    meta::update(job, old, errors);
    let (path, status) = (Path::root("status"), field(job, "status"));
    for name in ["active", "succeeded", "failed", "ready", "terminating"] {
        nonnegative_field(&path, status, name, errors);
    }
    let is = |kind: &str| {
        list(status, "conditions")
            .iter()
            .any(|c| text(c, "type") == kind && text(c, "status") == "True")
    };
    if let Some(ready) = opt_int(status, "ready").filter(|r| *r > int(status, "active")) {
        let detail = "cannot set more ready pods than active";
        errors.invalid(&path.child("ready"), &json!(ready), detail);
    }
    let finished = is("Complete") || is("Failed");
    let conditions = path.child("conditions");
    if is("Complete") && !has(status, "completionTime") {
        let detail = "completionTime is required for Complete jobs";
        errors.required(&path.child("completionTime"), detail);
    }
    // The API sets the time on success only.
    if !is("Complete") && has(status, "completionTime") {
        errors.invalid(
            &path.child("completionTime"),
            field(status, "completionTime"),
            "cannot set completionTime when there is no Complete=True condition",
        );
    }
    exclusive_conditions(&conditions, &is, errors);
    if finished && !has(status, "startTime") {
        let detail = "startTime is required for finished job";
        errors.required(&path.child("startTime"), detail);
    }
    let indexed = text(field(job, "spec"), "completionMode") == "Indexed";
    for name in ["completedIndexes", "failedIndexes"] {
        if !indexed && !text(status, name).is_empty() {
            let detail = format!("cannot set non-empty {name} when non-indexed completion mode");
            errors.invalid(&path.child(name), field(status, name), &detail);
        }
    }
}

/// Rejects conditions that exclude each other, and those that lack a required one.
fn exclusive_conditions(conditions: &Path<'_>, is: &dyn Fn(&str) -> bool, errors: &mut Errors) {
    // The interim conditions come first in a Job's life: the final ones wait until all Pods have ended.
    for (broken, why) in [
        (
            is("Complete") && is("Failed"),
            "cannot set Complete=True and Failed=true conditions",
        ),
        (
            is("SuccessCriteriaMet") && is("FailureTarget"),
            "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
        ),
        (
            is("Failed") && is("SuccessCriteriaMet"),
            "cannot set Failed=True and SuccessCriteriaMet=true conditions",
        ),
        (
            is("Complete") && !is("SuccessCriteriaMet"),
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
        ),
        (
            is("Failed") && !is("FailureTarget"),
            "cannot set Failed=True condition without the FailureTarget=true condition",
        ),
    ] {
        if broken {
            errors.invalid_without_value(conditions, why);
        }
    }
}
