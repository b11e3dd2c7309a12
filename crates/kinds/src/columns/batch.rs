//! Jobs and cron jobs.

use jiff::Timestamp;

use super::format::{NONE, age, containers, label_selector, or, parse, seconds, since};
use super::name;
use crate::api::duration::human;
use crate::api::json::{Value, json};
use crate::tree::{at, field, flag, has, int, len, list, opt_int, text};

pub(super) fn job(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let done = int(status, "succeeded");
    let completions = match (opt_int(spec, "completions"), int(spec, "parallelism")) {
        (Some(all), _) => format!("{done}/{all}"),
        (None, several @ 2..) => format!("{done}/1 of {several}"),
        (None, _) => format!("{done}/1"),
    };
    let end = parse(field(status, "completionTime")).unwrap_or(now);
    let duration = parse(field(status, "startTime")).map(|start| human(seconds(start, end)));
    let [names, images] = containers(at(spec, &["template", "spec"]));
    vec![
        name(object),
        json!(state(object)),
        json!(completions),
        json!(duration.unwrap_or_default()),
        json!(age(object, now)),
        names,
        images,
        json!(label_selector(field(spec, "selector"))),
    ]
}

fn state(object: &Value) -> &'static str {
    let is = |kind: &str| {
        list(field(object, "status"), "conditions")
            .iter()
            .any(|c| text(c, "type") == kind && text(c, "status") == "True")
    };
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if has(field(object, "metadata"), "deletionTimestamp") => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

pub(super) fn cron_job(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let job = at(spec, &["jobTemplate", "spec"]);
    let [names, images] = containers(at(job, &["template", "spec"]));
    let last = field(status, "lastScheduleTime");
    let last = match last.is_null() {
        true => NONE.to_owned(),
        false => since(last, now),
    };
    vec![
        name(object),
        json!(text(spec, "schedule")),
        or(text(spec, "timeZone"), NONE),
        json!(if flag(spec, "suspend") {
            "True"
        } else {
            "False"
        }),
        json!(len(status, "active")),
        json!(last),
        json!(age(object, now)),
        names,
        images,
        json!(label_selector(field(job, "selector"))),
    ]
}
