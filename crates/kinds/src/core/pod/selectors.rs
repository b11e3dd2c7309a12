//! The fields of a Pod for field selectors, and the fields that neither selectors nor columns use.

use crate::api::json::Value;
use crate::columns::{EVERYTHING, NOTHING, OmittedFields};
use crate::tree::{field, flag, list, text};

/// Returns the values of field selectors that cannot be read directly from a field.
pub(super) fn value(pod: &Value, selector: &str) -> Option<String> {
    match selector {
        "spec.hostNetwork" => Some(flag(field(pod, "spec"), "hostNetwork").to_string()),
        // Upstream compares only the first address with the selector.
        "status.podIPs" => {
            let first = list(field(pod, "status"), "podIPs").first();
            Some(first.map_or("", |ip| text(ip, "ip")).to_owned())
        }
        _ => None,
    }
}

/// The fields that neither selectors nor columns use. Containers stay as empty objects, because a column counts them.
pub(super) const OMITTED: OmittedFields = OmittedFields {
    within: &[
        (
            "metadata",
            OmittedFields {
                fields: &["annotations", "managedFields", "ownerReferences"],
                ..NOTHING
            },
        ),
        (
            "spec",
            OmittedFields {
                fields: &["affinity", "tolerations", "volumes"],
                within: &[("containers", EVERYTHING)],
                ..NOTHING
            },
        ),
        (
            "status",
            OmittedFields {
                fields: &["hostIPs"],
                ..NOTHING
            },
        ),
    ],
    ..NOTHING
};
