//! The defaults that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{child, ensure, items, set_default, text};

pub(crate) fn claim_spec(spec: &mut Value) {
    for request in items(ensure(spec, "devices"), "requests") {
        if let Some(exactly) = child(request, "exactly") {
            device_request(exactly);
        }
        items(request, "firstAvailable").for_each(device_request);
    }
}

fn device_request(request: &mut Value) {
    set_default(request, "allocationMode", "ExactCount");
    // A count would contradict the mode `All`.
    if text(request, "allocationMode") == "ExactCount" {
        set_default(request, "count", 1);
    }
    for toleration in items(request, "tolerations") {
        set_default(toleration, "operator", "Equal");
    }
}
