//! The table cells of a CSIDriver.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, UNSET, age, or};
use crate::columns::name;
use crate::tree::{field, flag, list, text, texts};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = field(object, "spec");
    let audiences: Vec<_> = list(spec, "tokenRequests")
        .iter()
        .map(|request| text(request, "audience"))
        .collect();
    let modes: Vec<_> = texts(spec, "volumeLifecycleModes").collect();
    vec![
        name(object),
        json!(field(spec, "attachRequired").as_bool().unwrap_or(true)),
        json!(flag(spec, "podInfoOnMount")),
        json!(flag(spec, "storageCapacity")),
        or(&audiences.join(","), UNSET),
        json!(flag(spec, "requiresRepublish")),
        or(&modes.join(","), NONE),
        json!(age(object, now)),
    ]
}
