//! The fields of a Job for field selectors.

use crate::api::json::Value;
use crate::tree::{field, int};

/// Returns the number of succeeded Pods, which selectors call `status.successful`.
pub(super) fn value(job: &Value, selector: &str) -> Option<String> {
    let succeeded = || int(field(job, "status"), "succeeded").to_string();
    (selector == "status.successful").then(succeeded)
}
