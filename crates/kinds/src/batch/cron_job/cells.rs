//! The table cells of a CronJob.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age, containers, label_selector, or, since};
use crate::columns::name;
use crate::tree::{at, field, flag, len, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
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
