//! The rules that the kinds of this group share.

use crate::api::json::{Value, json};
use crate::batch::policy;
use crate::tree::{field, has, int, opt_int, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload;
use crate::validate::{go, names};

// Bounds the length of `status.completedIndexes`, which lists the indexes in a string.
const MAX_INDEXED: i64 = 100_000;

/// The maximum parallelism of a Job with more completions than [`MAX_INDEXED`].
const MAX_OF_MANY: i64 = 10_000;

pub(crate) fn job_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    for name in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
    ] {
        nonnegative_field(path, spec, name, errors);
    }
    if has(spec, "maxFailedIndexes") {
        nonnegative_field(path, spec, "maxFailedIndexes", errors);
        if !has(spec, "backoffLimitPerIndex") {
            let detail = "when maxFailedIndexes is specified";
            errors.required(&path.child("backoffLimitPerIndex"), detail);
        }
    }
    let manager = text(spec, "managedBy");
    if has(spec, "managedBy") {
        let path = path.child("managedBy");
        errors.invalid_each(&path, manager, names::domain_prefixed_path(manager));
        if manager.len() > 63 {
            errors.too_long(&path, 63);
        }
    }
    completion_mode(path, spec, errors);
    policy::failure(path, spec, errors);
    policy::success(path, spec, errors);
    let supported: &[&str] = match has(spec, "podFailurePolicy") {
        // A failure policy can evaluate a Pod only after it has failed, so a terminating Pod must not be replaced
        // yet.
        true => &["Failed"],
        false => &["Failed", "TerminatingOrFailed"],
    };
    one_of(path, spec, "podReplacementPolicy", supported, errors);
    let template = path.child("template");
    workload::template(&template, field(spec, "template"), errors);
    restart_policy(&template.child("spec"), spec, errors);
}

fn completion_mode(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let modes = &["NonIndexed", "Indexed"];
    one_of(path, spec, "completionMode", modes, errors);
    if text(spec, "completionMode") != "Indexed" {
        for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
            if let Some(limit) = opt_int(spec, name) {
                let detail = "requires indexed completion mode";
                errors.invalid(&path.child(name), &json!(limit), detail);
            }
        }
        return;
    }
    let completions = opt_int(spec, "completions");
    if completions.is_none() {
        let detail = "when completion mode is Indexed";
        errors.required(&path.child("completions"), detail);
    }
    let of_mode = " when completion mode is Indexed";
    let parallelism = int(spec, "parallelism");
    at_most(
        &path.child("parallelism"),
        parallelism,
        MAX_INDEXED,
        of_mode,
        errors,
    );
    if let (Some(failed), Some(completions)) = (opt_int(spec, "maxFailedIndexes"), completions)
        && failed > completions
    {
        let detail = "must be less than or equal to completions";
        errors.invalid(&path.child("maxFailedIndexes"), &json!(failed), detail);
    }
    let failed = int(spec, "maxFailedIndexes");
    at_most(
        &path.child("maxFailedIndexes"),
        failed,
        MAX_INDEXED,
        "",
        errors,
    );
    if completions > Some(MAX_INDEXED) && has(spec, "backoffLimitPerIndex") {
        many_completions(path, spec, errors);
    }
}

/// Validates the lower limits that apply to a Job with many completions, which keep its status small.
fn many_completions(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    if !has(spec, "maxFailedIndexes") {
        let detail = format!("must be specified when completions is above {MAX_INDEXED}");
        errors.required(&path.child("maxFailedIndexes"), &detail);
    }
    let when =
        format!(" when completions are above {MAX_INDEXED} and used with backoff limit per index");
    for name in ["parallelism", "maxFailedIndexes"] {
        at_most(
            &path.child(name),
            int(spec, name),
            MAX_OF_MANY,
            &when,
            errors,
        );
    }
}

fn at_most(path: &Path<'_>, value: i64, limit: i64, when: &str, errors: &mut Errors) {
    if value > limit {
        let detail = format!("must be less than or equal to {limit}{when}");
        errors.invalid(path, &json!(value), &detail);
    }
}

fn restart_policy(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let pod = field(field(spec, "template"), "spec");
    let path = path.child("restartPolicy");
    match text(pod, "restartPolicy") {
        // `Always` is the default for Pods, so here it means that no policy was set.
        "Always" => errors.required(&path, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        // Under `OnFailure`, the kubelet restarts containers. The Pod would not fail, and the failure policy would
        // never apply.
        "OnFailure" if has(spec, "podFailurePolicy") => errors.invalid_shown(
            &path,
            "\"OnFailure\"",
            "only \"Never\" is supported when podFailurePolicy is specified",
        ),
        "OnFailure" => {}
        other => errors.not_supported_shown(&path, &go::quoted(other), &["OnFailure", "Never"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_failed_indexes_is_limited_by_completions() {
        let many = 100_001;
        let details = |spec: Value| {
            let mut errors = Errors::default();
            completion_mode(&Path::root("spec"), &spec, &mut errors);
            let causes = errors.into_causes().into_iter();
            let said: Vec<_> = causes
                .map(|c| format!("{}: {}", c.field, c.message))
                .collect();
            said.join("; ")
        };
        for (spec, wanted) in [
            (
                json!({"completionMode": "NonIndexed", "maxFailedIndexes": 1}),
                "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
            ),
            (
                json!({"completionMode": "Indexed", "completions": many, "backoffLimitPerIndex": 1}),
                "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
            ),
            (
                json!({"completionMode": "Indexed", "completions": many, "backoffLimitPerIndex": 1,
                       "maxFailedIndexes": 1, "parallelism": 10_001}),
                "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are \
                 above 100000 and used with backoff limit per index",
            ),
            (
                json!({"completionMode": "Indexed", "completions": many + 1, "maxFailedIndexes": many}),
                "spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000",
            ),
            (
                json!({"completionMode": "Indexed", "completions": many}),
                "",
            ),
        ] {
            assert_eq!(details(spec.clone()), wanted, "{spec}");
        }
    }
}
