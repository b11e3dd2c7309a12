//! The rules of the status of a Job.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::api::json::{Value, json};
use crate::batch::policy;
use crate::tree::{as_text, field, flag, has, int, list, opt_int, text, texts};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates an update of a Job's status.
pub(crate) fn status(job: &Value, old: &Value, errors: &mut Errors) {
    meta::update(job, old, errors);
    let (path, status) = (Path::root("status"), field(job, "status"));
    for name in ["active", "succeeded", "failed", "ready", "terminating"] {
        nonnegative_field(&path, status, name, errors);
    }
    let is = |kind: &str| is_true(status, kind);
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
    // Only success sets the time.
    if !is("Complete") && has(status, "completionTime") {
        errors.invalid(
            &path.child("completionTime"),
            field(status, "completionTime"),
            "cannot set completionTime when there is no Complete=True condition",
        );
    }
    let times = ["startTime", "completionTime"];
    let [start, end] = times.map(|name| field(status, name));
    let is_new = times
        .iter()
        .any(|name| field(status, name) != field(field(old, "status"), name));
    // Both times have the same format, so the order of the strings is that of the times.
    if is_new && !start.is_null() && !end.is_null() && as_text(end) < as_text(start) {
        let detail = "completionTime cannot be set before startTime";
        errors.invalid(&path.child("completionTime"), end, detail);
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
    indexes(job, old, errors);
    if finished {
        at_rest(&path, status, errors);
    }
    uncounted(&path, status, errors);
    transition(job, old, errors);
}

/// Validates the lists of completed and failed indexes if they change; an older Job controller may have written
/// invalid ones.
fn indexes(job: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let (spec, now, before) = (
        field(job, "spec"),
        field(job, "status"),
        field(old, "status"),
    );
    let completions = int(spec, "completions");
    let changed = |name: &str| field(now, name) != field(before, name);
    if !has(spec, "completions") {
        return;
    }
    let read = |name: &str| policy::intervals(text(now, name), completions);
    for name in ["completedIndexes", "failedIndexes"] {
        if let Err(why) = read(name)
            && changed(name)
        {
            let detail = format!("error parsing {name}: {why}");
            errors.invalid(&path.child(name), field(now, name), &detail);
        }
    }
    let failed_path = path.child("failedIndexes");
    let failed = field(now, "failedIndexes");
    if has(now, "failedIndexes") && !has(spec, "backoffLimitPerIndex") && changed("failedIndexes") {
        let detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
        errors.invalid(&failed_path, failed, detail);
    }
    let (Ok(completed), Ok(lost)) = (read("completedIndexes"), read("failedIndexes")) else {
        return;
    };
    let common = completed.iter().find_map(|one| {
        let both =
            |other: &&RangeInclusive<i64>| one.start() <= other.end() && other.start() <= one.end();
        let other = lost.iter().find(both)?;
        Some(*one.start().max(other.start()))
    });
    if let Some(index) = common.filter(|_| changed("completedIndexes") || changed("failedIndexes"))
    {
        let detail = format!("failedIndexes and completedIndexes overlap at index: {index}");
        errors.invalid(&failed_path, failed, &detail);
    }
}

/// Rejects a finished Job with Pods that still run, terminate or wait to be counted.
fn at_rest(path: &Path<'_>, status: &Value, errors: &mut Errors) {
    let uncounted = field(status, "uncountedTerminatedPods");
    if ["succeeded", "failed"]
        .iter()
        .any(|name| !list(uncounted, name).is_empty())
    {
        errors.invalid_shown(
            &path.child("uncountedTerminatedPods"),
            &go::shown_as("UncountedTerminatedPods", uncounted),
            "uncountedTerminatedPods needs to be empty for finished job",
        );
    }
    // A finished Job has no Pods left that could change its counts.
    for name in ["active", "terminating"] {
        let count = int(status, name);
        if count > 0 {
            let detail = format!("{name}>0 is invalid for finished job");
            errors.invalid(&path.child(name), &json!(count), &detail);
        }
    }
}

/// Validates the Pods that have terminated but are not counted yet. Each may be listed only once.
fn uncounted(path: &Path<'_>, status: &Value, errors: &mut Errors) {
    let path = path.child("uncountedTerminatedPods");
    let mut seen = BTreeSet::new();
    for name in ["succeeded", "failed"] {
        let path = path.child(name);
        let pods = texts(field(status, "uncountedTerminatedPods"), name);
        for (index, uid) in pods.enumerate() {
            let path = path.index(index);
            if uid.is_empty() {
                errors.invalid(&path, &json!(uid), "must not be empty");
            } else if !seen.insert(uid) {
                errors.duplicate(&path, &go::quoted(uid));
            }
        }
    }
}

/// Rejects changes that no controller makes: a Job neither starts twice nor loses terminated Pods.
fn transition(job: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let (spec, now, before) = (
        field(job, "spec"),
        field(job, "status"),
        field(old, "status"),
    );
    for kind in ["Failed", "Complete", "FailureTarget"] {
        if is_true(before, kind) && !is_true(now, kind) {
            let detail = format!("cannot disable the terminal {kind}=True condition");
            errors.invalid_without_value(&path.child("conditions"), &detail);
        }
    }
    let indexed = text(spec, "completionMode") == "Indexed";
    // An elastic Job that shrinks loses the successes of the removed indexes.
    let elastic = indexed && field(spec, "completions") == field(spec, "parallelism");
    for (name, may_fall) in [("failed", false), ("succeeded", elastic)] {
        if int(now, name) < int(before, name) && !may_fall {
            let detail = format!("cannot decrease the {name} counter");
            errors.invalid(&path.child(name), &json!(int(now, name)), &detail);
        }
    }
    let changed = |name: &str| has(before, name) && field(now, name) != field(before, name);
    if has(now, "completionTime") && changed("completionTime") {
        let detail = "completionTime cannot be mutated";
        errors.invalid(
            &path.child("completionTime"),
            field(now, "completionTime"),
            detail,
        );
    }
    // A resumed Job starts again.
    let suspended = flag(spec, "suspend") || is_true(before, "Suspended");
    if changed("startTime") && !suspended {
        let path = path.child("startTime");
        match has(now, "startTime") {
            false => errors.required(&path, "startTime cannot be removed for unsuspended job"),
            true => errors.invalid(
                &path,
                field(now, "startTime"),
                "startTime cannot be modified for unsuspended job",
            ),
        }
    }
}

fn is_true(status: &Value, kind: &str) -> bool {
    list(status, "conditions")
        .iter()
        .any(|c| text(c, "type") == kind && text(c, "status") == "True")
}

/// Rejects conditions that exclude each other, and conditions without another one that they require.
fn exclusive_conditions(conditions: &Path<'_>, is: &dyn Fn(&str) -> bool, errors: &mut Errors) {
    // The interim conditions come first: the final conditions wait until all Pods have terminated.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(spec: &Value, now: Value, before: Value) -> Vec<String> {
        let job = |status: Value| json!({"metadata": {"name": "j", "namespace": "default"}, "spec": spec, "status": status});
        let (now, before) = (job(now), job(before));
        let mut errors = Errors::default();
        transition(&now, &before, &mut errors);
        uncounted(&Path::root("status"), field(&now, "status"), &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_status_keeps_what_has_ended() {
        let failed = json!({"failed": 3, "conditions": [{"type": "Failed", "status": "True"}]});
        assert_eq!(
            messages(&json!({}), json!({"failed": 1}), failed),
            [
                "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
                "status.failed: Invalid value: 1: cannot decrease the failed counter",
            ]
        );
        let (one, two) = (json!({"succeeded": 1}), json!({"succeeded": 2}));
        let elastic = json!({"completionMode": "Indexed", "completions": 1, "parallelism": 1});
        assert!(messages(&elastic, one.clone(), two.clone()).is_empty());
        assert_eq!(
            messages(&json!({}), one, two),
            ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"]
        );
    }

    #[test]
    fn an_index_ends_once() {
        let told = |spec: Value, now: Value| {
            let job = |status: Value| json!({"spec": spec, "status": status});
            let mut errors = Errors::default();
            indexes(&job(now), &job(json!({})), &mut errors);
            let causes = errors.into_causes();
            let told = causes.iter().map(ToString::to_string);
            told.collect::<Vec<_>>()
        };
        let spec = json!({"completions": 5, "backoffLimitPerIndex": 1});
        let lists = |completed: &str, failed: &str| json!({"completedIndexes": completed, "failedIndexes": failed});
        assert_eq!(told(spec.clone(), lists("0-1,3", "2,4")), [""; 0]);
        assert_eq!(
            told(spec.clone(), lists("0-3", "2,4")),
            [
                "status.failedIndexes: Invalid value: \"2,4\": failedIndexes and completedIndexes overlap at index: 2"
            ]
        );
        assert_eq!(
            told(spec, lists("x", "")),
            [
                "status.completedIndexes: Invalid value: \"x\": error parsing completedIndexes: cannot convert string to \
                 integer for index: \"x\""
            ]
        );
        assert_eq!(
            told(json!({"completions": 5}), json!({"failedIndexes": "1"})),
            [
                "status.failedIndexes: Invalid value: \"1\": cannot set non-null failedIndexes when backoffLimitPerIndex is \
                 null"
            ]
        );
    }

    #[test]
    fn a_finished_job_is_at_rest() {
        let status = json!({"active": 1, "uncountedTerminatedPods": {"failed": ["a"]}});
        let mut errors = Errors::default();
        at_rest(&Path::root("status"), &status, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "status.uncountedTerminatedPods: Invalid value: {\"Succeeded\":null,\"Failed\":[\"a\"]}: \
                 uncountedTerminatedPods needs to be empty for finished job",
                "status.active: Invalid value: 1: active>0 is invalid for finished job",
            ]
        );
    }

    #[test]
    fn only_a_suspended_job_starts_again() {
        let at = |time: &str| json!({"startTime": time});
        let (first, second) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        assert!(messages(&json!({}), at(first), json!({})).is_empty());
        assert!(messages(&json!({"suspend": true}), json!({}), at(first)).is_empty());
        let resumed =
            json!({"startTime": first, "conditions": [{"type": "Suspended", "status": "True"}]});
        assert!(messages(&json!({}), at(second), resumed).is_empty());
        assert_eq!(
            messages(&json!({}), json!({}), at(first)),
            ["status.startTime: Required value: startTime cannot be removed for unsuspended job"]
        );
        assert_eq!(
            messages(&json!({}), at(second), at(first)),
            [
                "status.startTime: Invalid value: \"2026-01-02T00:00:00Z\": startTime cannot be modified for \
                unsuspended job"
            ]
        );
    }

    #[test]
    fn an_uncounted_pod_is_named_once() {
        let pods =
            json!({"uncountedTerminatedPods": {"succeeded": ["a", "a"], "failed": ["a", ""]}});
        let path = "status.uncountedTerminatedPods";
        assert_eq!(
            messages(&json!({}), pods, json!({})),
            [
                format!("{path}.succeeded[1]: Duplicate value: \"a\""),
                format!("{path}.failed[0]: Duplicate value: \"a\""),
                format!("{path}.failed[1]: Invalid value: \"\": must not be empty"),
            ]
        );
    }
}
