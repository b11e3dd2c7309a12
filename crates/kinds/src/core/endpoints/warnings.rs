//! The warnings about an Endpoints object.

use crate::api::json::Value;
use crate::tree::{as_text, at, field, list, text};
use crate::validate::Path;
use crate::warnings::address;

/// Adds the warnings for addresses that are not in canonical form.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    let labels = at(object, &["metadata", "labels"]);
    // The controller always writes canonical addresses.
    if as_text(field(labels, "endpoints.kubernetes.io/managed-by")) == "endpoint-controller" {
        return;
    }
    let path = Path::root("subsets");
    for (index, subset) in list(object, "subsets").iter().enumerate() {
        let path = path.index(index);
        for name in ["addresses", "notReadyAddresses"] {
            let path = path.child(name);
            for (index, value) in list(subset, name).iter().enumerate() {
                let path = path.index(index);
                address(&path.child("ip"), text(value, "ip"), warnings);
            }
        }
    }
}
