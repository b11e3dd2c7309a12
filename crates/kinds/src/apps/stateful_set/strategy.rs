//! The stored form of a StatefulSet: without the fields of features that are off.

use crate::api::json::Value;
use crate::tree::{child, ensure, take};

/// Drops the limit of unavailable Pods in an update, an alpha field that is off by default.
pub(super) fn drop_disabled(object: &mut Value) {
    if let Some(strategy) = child(ensure(object, "spec"), "updateStrategy")
        && let Some(rolling) = child(strategy, "rollingUpdate")
    {
        take(rolling, "maxUnavailable");
    }
}
