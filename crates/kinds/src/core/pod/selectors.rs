//! The fields of a Pod that selectors use, and the fields that neither selectors nor columns use.

use crate::api::json::Value;
use crate::columns::{EVERYTHING, NOTHING, Without};
use crate::tree::{field, flag, list, text};

/// Returns the values of field selectors that are not plain fields.
pub(super) fn value(pod: &Value, selector: &str) -> Option<String> {
    match selector {
        "spec.hostNetwork" => Some(flag(field(pod, "spec"), "hostNetwork").to_string()),
        // Upstream compares the selector with the first address only.
        "status.podIPs" => {
            let first = list(field(pod, "status"), "podIPs").first();
            Some(first.map_or("", |ip| text(ip, "ip")).to_owned())
        }
        _ => None,
    }
}

/// A table counts the containers, so they stay as empty objects.
pub(super) const UNSEEN: Without = Without {
    within: &[
        (
            "metadata",
            Without {
                fields: &["annotations", "managedFields", "ownerReferences"],
                ..NOTHING
            },
        ),
        (
            "spec",
            Without {
                fields: &["affinity", "tolerations", "volumes"],
                within: &[("containers", EVERYTHING)],
                ..NOTHING
            },
        ),
        (
            "status",
            Without {
                fields: &["hostIPs"],
                ..NOTHING
            },
        ),
    ],
    ..NOTHING
};
