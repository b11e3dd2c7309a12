//! The table cells of an IPAddress.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::name;
use crate::tree::{at, text};

pub(crate) fn row(object: &Value, _now: Timestamp) -> Vec<Value> {
    let parent = at(object, &["spec", "parentRef"]);
    let resource = match text(parent, "group") {
        "" => text(parent, "resource").to_owned(),
        group => format!("{}.{group}", text(parent, "resource")),
    };
    let shown = match text(parent, "namespace") {
        "" => format!("{resource}/{}", text(parent, "name")),
        namespace => format!("{resource}/{namespace}/{}", text(parent, "name")),
    };
    vec![name(object), json!(shown)]
}
