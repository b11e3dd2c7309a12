//! Prepares a StatefulSet: drops the fields of disabled features.

use crate::api::json::Value;
use crate::tree::{child, ensure, take};

/// Drops `maxUnavailable` of a rolling update, an alpha field that is off by default.
pub(super) fn drop_disabled(object: &mut Value) {
    if let Some(strategy) = child(ensure(object, "spec"), "updateStrategy")
        && let Some(rolling) = child(strategy, "rollingUpdate")
    {
        take(rolling, "maxUnavailable");
    }
}
