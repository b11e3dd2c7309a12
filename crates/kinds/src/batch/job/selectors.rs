//! The fields of a Job that selectors read.

use crate::api::json::Value;
use crate::tree::{field, int};

/// Returns the number of succeeded Pods, under the name that selectors have for it.
pub(super) fn value(job: &Value, selector: &str) -> Option<String> {
    let succeeded = || int(field(job, "status"), "succeeded").to_string();
    (selector == "status.successful").then(succeeded)
}
