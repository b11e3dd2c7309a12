//! The warnings about an EndpointSlice.

use crate::api::json::Value;
use crate::tree::{as_text, at, field, list, text};
use crate::validate::Path;
use crate::warnings::address;

/// The controllers that always write addresses in canonical form.
const CONTROLLERS: &[&str] = &[
    "endpointslice-controller.k8s.io",
    "endpointslicemirroring-controller.k8s.io",
];

/// Adds the warnings for deprecated address types and for addresses that are not in canonical form.
pub(super) fn collect(object: &Value, warnings: &mut Vec<String>) {
    if text(object, "addressType") == "FQDN" {
        warnings.push("spec.addressType: FQDN endpoints are deprecated".to_owned());
    }
    let labels = at(object, &["metadata", "labels"]);
    let manager = field(labels, "endpointslice.kubernetes.io/managed-by");
    if CONTROLLERS.contains(&as_text(manager)) {
        return;
    }
    let path = Path::root("endpoints");
    for (index, endpoint) in list(object, "endpoints").iter().enumerate() {
        let path = path.index(index);
        let path = path.child("addresses");
        for (index, value) in list(endpoint, "addresses").iter().enumerate() {
            address(&path.index(index), as_text(value), warnings);
        }
    }
}
