//! The table cells of a Job.

use jiff::Timestamp;

use crate::api::duration::human;
use crate::api::json::{Value, json};
use crate::columns::format::{age, containers, label_selector, parse, seconds};
use crate::columns::name;
use crate::tree::{at, field, has, int, list, opt_int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let done = int(status, "succeeded");
    let completions = match (opt_int(spec, "completions"), int(spec, "parallelism")) {
        (Some(all), _) => format!("{done}/{all}"),
        (None, several @ 2..) => format!("{done}/1 of {several}"),
        (None, _) => format!("{done}/1"),
    };
    // Only success sets the completion time, so the duration of a failed Job continues to grow.
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
        // Check the final conditions first: an interim condition stays true next to the final one.
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if has(field(object, "metadata"), "deletionTimestamp") => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}
