//! Preparation of status updates of a ResourceClaim.

use crate::api::json::Value;
use crate::strategy::keep_metadata;
use crate::tree::{child, field, list};
use crate::validate::go;

/// Keeps the metadata, and drops the status of devices that the update deallocates.
pub(super) fn prepare_status(claim: &mut Value, old: &Value) {
    keep_metadata(claim, old);
    let (before, now) = (
        allocated(field(old, "status")),
        allocated(field(claim, "status")),
    );
    // Schedulers deallocate without knowing the fields of drivers.
    if let Some(Value::Array(devices)) = child(claim, "status").and_then(|s| child(s, "devices")) {
        devices.retain(|device| {
            let id = identity(device);
            now.contains(&id) || !before.contains(&id)
        });
    }
}

/// Returns the identities of the allocated devices.
pub(super) fn allocated(status: &Value) -> Vec<String> {
    let devices = field(field(status, "allocation"), "devices");
    list(devices, "results").iter().map(identity).collect()
}

/// Returns the identity of a device as errors show it.
pub(super) fn identity(device: &Value) -> String {
    go::shown_as("SharedDeviceID", device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn a_deallocated_device_has_no_status() {
        let device = |name: &str| json!({"driver": "a.b", "pool": "p", "device": name});
        let claim = |results: Value| {
            json!({"metadata": {}, "status": {"allocation": {"devices": {"results": results}},
                "devices": [device("x"), device("y"), device("z")]}})
        };
        let old = claim(json!([device("x"), device("y")]));
        let mut new = claim(json!([device("y")]));
        prepare_status(&mut new, &old);
        // The device that was never allocated is left to validation.
        assert_eq!(new["status"]["devices"], json!([device("y"), device("z")]));
    }
}
