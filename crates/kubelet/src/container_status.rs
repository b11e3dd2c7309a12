//! Finds the status of a container in its Pod.

use crate::api::json::Value;
use crate::kinds::tree::{field, list, text};

/// Returns the status of a container, whatever its kind.
pub(crate) fn find<'a>(pod: &'a Value, container: &str) -> Option<&'a Value> {
    let status = field(pod, "status");
    let lists = [
        "containerStatuses",
        "initContainerStatuses",
        "ephemeralContainerStatuses",
    ];
    let mut all = lists.iter().flat_map(|name| list(status, name));
    all.find(|own| text(own, "name") == container)
}
