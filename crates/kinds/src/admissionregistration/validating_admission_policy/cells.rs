//! The table cells of a ValidatingAdmissionPolicy.

use jiff::Timestamp;

use crate::admissionregistration::cells::policy;
use crate::api::json::Value;

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    policy(object, "validations", now)
}
