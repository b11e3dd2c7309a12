//! The rules that kinds of this group share.

use crate::api::json::{Value, json};
use crate::batch::policy;
use crate::tree::{field, has, int, opt_int, text};
use crate::validate::common::one_of;
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload;
use crate::validate::{go, names};

// Bounds the length of `status.completedIndexes`, which lists the indexes as text.
const MAX_INDEXED: i64 = 100_000;

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
        // A failure policy can judge a Pod only once it has failed, so a terminating one is not
        // replaced yet.
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
        if let Some(limit) = opt_int(spec, "backoffLimitPerIndex") {
            let path = path.child("backoffLimitPerIndex");
            errors.invalid(&path, &json!(limit), "requires indexed completion mode");
        }
        return;
    }
    let completions = opt_int(spec, "completions");
    if completions.is_none() {
        let detail = "when completion mode is Indexed";
        errors.required(&path.child("completions"), detail);
    }
    let at_most = |name: &str, errors: &mut Errors| {
        if int(spec, name) > MAX_INDEXED {
            let detail = format!(
                "must be less than or equal to {MAX_INDEXED} when completion mode is Indexed"
            );
            errors.invalid(&path.child(name), field(spec, name), &detail);
        }
    };
    at_most("parallelism", errors);
    if let (Some(failed), Some(completions)) = (opt_int(spec, "maxFailedIndexes"), completions)
        && failed > completions
    {
        let detail = "must be less than or equal to completions";
        errors.invalid(&path.child("maxFailedIndexes"), &json!(failed), detail);
    }
    if has(spec, "maxFailedIndexes") {
        at_most("maxFailedIndexes", errors);
    }
}

fn restart_policy(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let pod = field(field(spec, "template"), "spec");
    let path = path.child("restartPolicy");
    match text(pod, "restartPolicy") {
        // `Always` is the default of Pods and here stands for a policy that was not set.
        "Always" => errors.required(&path, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        // The kubelet restarts containers under `OnFailure`, so the Pod would not fail and the
        // policy not apply.
        "OnFailure" if has(spec, "podFailurePolicy") => errors.invalid_shown(
            &path,
            "\"OnFailure\"",
            "only \"Never\" is supported when podFailurePolicy is specified",
        ),
        "OnFailure" => {}
        other => errors.not_supported_shown(&path, &go::quoted(other), &["OnFailure", "Never"]),
    }
}
