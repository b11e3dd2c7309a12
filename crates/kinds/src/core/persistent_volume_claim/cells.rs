//! The table cells of a PersistentVolumeClaim.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{UNSET, age, or};
use crate::columns::name;
use crate::core::cells::{class, modes, phase};
use crate::pod::resources::quantity;
use crate::tree::{at, field, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let volume = text(spec, "volumeName");
    let (capacity, modes) = match volume {
        // The capacity is that of the volume, so an unbound claim has none.
        "" => (String::new(), String::new()),
        _ => {
            let storage = quantity(at(status, &["capacity", "storage"]));
            (storage.to_string(), modes(status))
        }
    };
    vec![
        name(object),
        phase(object),
        json!(volume),
        json!(capacity),
        json!(modes),
        class(object),
        or(text(spec, "volumeAttributesClassName"), UNSET),
        json!(age(object, now)),
        or(text(spec, "volumeMode"), UNSET),
    ]
}
