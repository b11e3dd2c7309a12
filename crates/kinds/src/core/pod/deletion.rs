//! The deletion of a Pod, which runs until its grace period is over.

use jiff::Timestamp;

use crate::api::json::Value;
use crate::strategy::deletion::{Request, count, later, shown};
use crate::tree::{ensure, field, opt_int, set, text};

/// Sets the time by which a Pod must stop and returns the grace period; returns `None` if the Pod is already
/// terminating and the request does not shorten the period.
pub(super) fn grace(pod: &mut Value, request: &Request) -> Option<i64> {
    let spec = field(pod, "spec");
    let own = opt_int(spec, "terminationGracePeriodSeconds").unwrap_or(0);
    let nowhere = text(spec, "nodeName").is_empty();
    let over = matches!(text(field(pod, "status"), "phase"), "Succeeded" | "Failed");
    let metadata = ensure(pod, "metadata");
    if let Ok(end) = text(metadata, "deletionTimestamp").parse::<Timestamp>() {
        let Some(left) = opt_int(metadata, "deletionGracePeriodSeconds") else {
            return Some(0);
        };
        let grace = request.grace.filter(|grace| *grace < left)?;
        // The period starts with the first request.
        let end = later(end, grace - left);
        set(metadata, "deletionTimestamp", shown(end));
        set(metadata, "deletionGracePeriodSeconds", grace);
        return Some(grace);
    }
    let grace = match request.grace.unwrap_or(own) {
        _ if nowhere || over => 0,
        less if less < 0 => 1,
        grace => grace,
    };
    count(metadata);
    set(
        metadata,
        "deletionTimestamp",
        shown(later(request.now, grace)),
    );
    set(metadata, "deletionGracePeriodSeconds", grace);
    Some(grace)
}
