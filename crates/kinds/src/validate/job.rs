//! Jobs and cron jobs.

use super::common::{label_selector, one_of, required_one_of, selects, shown_selector};
use super::errors::Errors;
use super::meta::nonnegative_field;
use super::path::Path;
use super::{cron, go, job_policy, meta, names, workload};
use crate::api::json::{Value, json};
use crate::tree::{field, flag, has, int, items, list, opt_int, set_or_remove, take, text};

const MAX_INDEXED: i64 = 100_000;
const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// A new Job.
pub(super) fn create(job: &Value, errors: &mut Errors) {
    meta::create(job, true, names::dns1123_subdomain, errors);
    generated_selector(job, errors);
    let (path, spec) = (Path::root("spec"), field(job, "spec"));
    spec_with_selector(&path, spec, errors);
    let completions = int(spec, "completions");
    if text(spec, "completionMode") == "Indexed" && completions > 0 {
        let name = text(field(job, "metadata"), "name");
        let pod = format!("{name}-{}", completions - 1);
        if !names::dns1123_label(&pod).is_empty() {
            let detail = format!("will not able to create pod with invalid DNS label: {pod}");
            let metadata = Path::root("metadata");
            errors.invalid_shown(&metadata.child("name"), &go::quoted(name), &detail);
        }
    }
}

/// A selector that the user did not write is the one made of the Job's uid, and the template has the
/// labels that it selects.
fn generated_selector(job: &Value, errors: &mut Errors) {
    let (metadata, spec) = (field(job, "metadata"), field(job, "spec"));
    let selector = field(spec, "selector");
    if flag(spec, "manualSelector") || selector.is_null() {
        return;
    }
    let (uid, name) = (text(metadata, "uid"), text(metadata, "name"));
    let uid = match uid {
        // A command may look at an object before the cluster has made it.
        "" => text(field(selector, "matchLabels"), CONTROLLER_UID),
        uid => uid,
    };
    let expected = [
        ("controller-uid", uid),
        ("job-name", name),
        (CONTROLLER_UID, uid),
        (JOB_NAME, name),
    ];
    let path = Path::root("spec");
    let template = path.child("template");
    let metadata = template.child("metadata");
    let at = metadata.child("labels");
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    for (key, value) in expected {
        let detail = format!("must be '{value}'");
        match field(labels, key).as_str() {
            Some(own) if own == value => {}
            Some(_) => errors.invalid(&at.key(key), labels, &detail),
            None => errors.required(&at.key(key), &detail),
        }
    }
    let expected = expected.map(|(key, value)| (key.to_owned(), Value::from(value)));
    let expected = Value::Object(expected.into_iter().collect());
    if selects(selector, &expected) == Some(false) {
        let shown = shown_selector(selector);
        errors.invalid_shown(
            &path.child("selector"),
            &shown,
            "`selector` not auto-generated",
        );
    }
}

fn spec_with_selector(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    job_spec(path, spec, errors);
    let selector = field(spec, "selector");
    match selector {
        Value::Null => errors.required(&path.child("selector"), ""),
        selector => label_selector(&path.child("selector"), selector, errors),
    }
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if selector.is_null() || selects(selector, labels) == Some(false) {
        let template = path.child("template");
        errors.invalid(
            &template.child("metadata").child("labels"),
            labels,
            "`selector` does not match template `labels`",
        );
    }
}

fn job_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
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
    job_policy::failure(path, spec, errors);
    job_policy::success(path, spec, errors);
    let supported: &[&str] = match has(spec, "podFailurePolicy") {
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
        "Always" => errors.required(&path, "valid values: \"OnFailure\", \"Never\""),
        "Never" => {}
        "OnFailure" if has(spec, "podFailurePolicy") => errors.invalid_shown(
            &path,
            "\"OnFailure\"",
            "only \"Never\" is supported when podFailurePolicy is specified",
        ),
        "OnFailure" => {}
        other => errors.not_supported_shown(&path, &go::quoted(other), &["OnFailure", "Never"]),
    }
}

/// An update of a Job: all is checked again, and most may not change.
pub(super) fn update(job: &Value, old: &Value, errors: &mut Errors) {
    create(job, errors);
    meta::update(job, old, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(job, "spec"), field(old, "spec"));
    spec_with_selector(&path, spec, errors);
    completions(&path.child("completions"), spec, before, errors);
    if field(spec, "selector") != field(before, "selector") {
        let shown = shown_selector(field(spec, "selector"));
        errors.invalid_shown(&path.child("selector"), &shown, "field is immutable");
    }
    let started = has(field(old, "status"), "startTime");
    template_update(&path.child("template"), spec, before, started, errors);
    for (name, shown) in [
        ("completionMode", ""),
        ("podFailurePolicy", "*PodFailurePolicy"),
        ("backoffLimitPerIndex", ""),
        ("managedBy", ""),
        ("successPolicy", "*SuccessPolicy"),
    ] {
        let value = field(spec, name);
        if value != field(before, name) {
            let shown = match shown {
                "" => go::shown(value),
                shown => go::shown_as(shown, value),
            };
            errors.invalid_shown(&path.child(name), &shown, "field is immutable");
        }
    }
}

fn completions(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let value = field(spec, "completions");
    if value == field(before, "completions") {
        return;
    }
    if text(spec, "completionMode") != "Indexed" || value.is_null() {
        return errors.invalid(path, value, "field is immutable");
    }
    if value != field(spec, "parallelism") {
        errors.invalid(
            path,
            value,
            "can only be modified in tandem with spec.parallelism",
        );
    }
}

/// A Job that is suspended and never ran may still be told where to run and what it may use.
fn template_update(
    path: &Path<'_>,
    spec: &Value,
    before: &Value,
    started: bool,
    errors: &mut Errors,
) {
    let template = field(spec, "template");
    let mut old = field(before, "template").clone();
    if flag(before, "suspend") && !started {
        adopt_directives(&mut old, template);
    }
    if *template != old {
        let shown = go::shown_as("PodTemplateSpec", template);
        errors.invalid_shown(path, &shown, "field is immutable");
    }
}

fn adopt_directives(old: &mut Value, new: &Value) {
    let copy = |to: &mut Value, from: &Value, name: &str| {
        set_or_remove(to, name, from.get(name).cloned());
    };
    if let Some(metadata) = old.get_mut("metadata") {
        for name in ["labels", "annotations"] {
            copy(metadata, field(new, "metadata"), name);
        }
    }
    let Some(spec) = old.get_mut("spec") else {
        return;
    };
    let pod = field(new, "spec");
    for name in ["nodeSelector", "tolerations", "schedulingGates", "affinity"] {
        copy(spec, pod, name);
    }
    for name in ["containers", "initContainers"] {
        for (container, other) in items(spec, name).zip(list(pod, name)) {
            copy(container, other, "resources");
        }
    }
}

/// A new CronJob.
pub(super) fn cron_job(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    cron_spec(&Path::root("spec"), field(object, "spec"), errors);
    let name = text(field(object, "metadata"), "name");
    if name.len() > 52 {
        let metadata = Path::root("metadata");
        let detail = "must be no more than 52 characters";
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), detail);
    }
}

/// An update of a CronJob.
pub(super) fn cron_job_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    cron_spec(&Path::root("spec"), field(object, "spec"), errors);
}

fn cron_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    schedule(&path.child("schedule"), text(spec, "schedule"), errors);
    nonnegative_field(path, spec, "startingDeadlineSeconds", errors);
    time_zone(&path.child("timeZone"), field(spec, "timeZone"), errors);
    let policies = &["Allow", "Forbid", "Replace"];
    required_one_of(path, spec, "concurrencyPolicy", policies, errors);
    let template = path.child("jobTemplate");
    job_template(&template.child("spec"), spec, errors);
    nonnegative_field(path, spec, "successfulJobsHistoryLimit", errors);
    nonnegative_field(path, spec, "failedJobsHistoryLimit", errors);
}

fn job_template(path: &Path<'_>, cron: &Value, errors: &mut Errors) {
    let mut spec = field(field(cron, "jobTemplate"), "spec").clone();
    if flag(&spec, "manualSelector") {
        let supported = &["nil", "false"];
        errors.not_supported_shown(&path.child("manualSelector"), "true", supported);
    }
    if let Some(selector) = take(&mut spec, "selector") {
        let shown = shown_selector(&selector);
        let detail = "`selector` will be auto-generated";
        errors.invalid_shown(&path.child("selector"), &shown, detail);
    }
    job_spec(path, &spec, errors);
}

fn schedule(path: &Path<'_>, schedule: &str, errors: &mut Errors) {
    if schedule.is_empty() {
        return errors.required(path, "");
    }
    if let Err(why) = cron::check(schedule) {
        errors.invalid_shown(path, &go::quoted(schedule), &why);
    }
    if schedule.contains("TZ") {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.invalid_shown(path, &go::quoted(schedule), detail);
    }
}

fn time_zone(path: &Path<'_>, zone: &Value, errors: &mut Errors) {
    let Some(name) = zone.as_str() else { return };
    let wrong = match name {
        "" => "timeZone must be nil or non-empty string".to_owned(),
        name if name.eq_ignore_ascii_case("local") => {
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
                .to_owned()
        }
        name => {
            let zones = jiff::tz::TimeZoneDatabase::bundled();
            let found = zones.get(name);
            if found.is_ok_and(|zone| zone.iana_name() == Some(name)) {
                return;
            }
            format!("unknown time zone {name}")
        }
    };
    errors.invalid_shown(path, &go::quoted(name), &wrong);
}
