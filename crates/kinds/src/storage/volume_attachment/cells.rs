//! The table cells of a VolumeAttachment.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::age;
use crate::columns::name;
use crate::tree::{field, flag, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    vec![
        name(object),
        json!(text(spec, "attacher")),
        json!(text(field(spec, "source"), "persistentVolumeName")),
        json!(text(spec, "nodeName")),
        json!(flag(field(object, "status"), "attached")),
        json!(age(object, now)),
    ]
}
