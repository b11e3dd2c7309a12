//! The table cells of a PersistentVolume.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{UNSET, age, or};
use crate::columns::name;
use crate::core::cells::{class, modes, phase};
use crate::pod::resources::quantity;
use crate::tree::{at, field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let claim = field(spec, "claimRef");
    let claim = match claim.is_null() {
        true => String::new(),
        false => format!("{}/{}", text(claim, "namespace"), text(claim, "name")),
    };
    vec![
        name(object),
        json!(quantity(at(spec, &["capacity", "storage"])).to_string()),
        json!(modes(spec)),
        json!(text(spec, "persistentVolumeReclaimPolicy")),
        phase(object),
        json!(claim),
        class(object),
        or(text(spec, "volumeAttributesClassName"), UNSET),
        json!(text(field(object, "status"), "reason")),
        json!(age(object, now)),
        or(text(spec, "volumeMode"), UNSET),
    ]
}
