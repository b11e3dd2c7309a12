//! The rules of a CronJob.

use crate::api::json::Value;
use crate::batch::validate::job_spec;
use crate::tree::{field, flag, take, text};
use crate::validate::common::{required_one_of, shown_selector};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{cron, go, meta, names};

/// Validates a new CronJob.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    cron_spec(&Path::root("spec"), field(object, "spec"), errors);
    let name = text(field(object, "metadata"), "name");
    // The names of Jobs add a dash and ten digits to this name, and the names of their Pods must fit into 63
    // characters.
    if name.len() > 52 {
        let metadata = Path::root("metadata");
        let detail = "must be no more than 52 characters";
        errors.invalid_shown(&metadata.child("name"), &go::quoted(name), detail);
    }
}

/// Validates an update of a CronJob.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
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
    let selector = take(&mut spec, "selector");
    job_spec(path, &spec, errors);
    if let Some(selector) = selector {
        let shown = shown_selector(&selector);
        let detail = "`selector` will be auto-generated";
        errors.invalid_shown(&path.child("selector"), &shown, detail);
    }
    if flag(&spec, "manualSelector") {
        let supported = &["nil", "false"];
        errors.not_supported_shown(&path.child("manualSelector"), "true", supported);
    }
}

fn schedule(path: &Path<'_>, schedule: &str, errors: &mut Errors) {
    if schedule.is_empty() {
        return errors.required(path, "");
    }
    if let Err(why) = cron::check(schedule) {
        errors.invalid_shown(path, &go::quoted(schedule), &why);
    }
    // The parser accepts the prefix, so it needs this separate check.
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
            // The bundled database makes the result independent of the machine.
            let zones = jiff::tz::TimeZoneDatabase::bundled();
            let found = zones.get(name);
            // The lookup ignores case and resolves aliases, but Go loads a file of exactly this name.
            if found.is_ok_and(|zone| zone.iana_name() == Some(name)) {
                return;
            }
            format!("unknown time zone {name}")
        }
    };
    errors.invalid_shown(path, &go::quoted(name), &wrong);
}
