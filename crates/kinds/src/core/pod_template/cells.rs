//! The table cells of a PodTemplate.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{containers, labels};
use crate::columns::name;
use crate::tree::field;

pub(crate) fn row(object: &Value, _now: Timestamp) -> Vec<Value> {
    let template = field(object, "template");
    let [names, images] = containers(field(template, "spec"));
    let labels = labels(field(template, "metadata"), "labels");
    vec![name(object), names, images, json!(labels)]
}
