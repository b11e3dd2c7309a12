//! The defaults of a ResourceClaimTemplate.

use crate::api::json::Value;
use crate::resource::defaults::claim_spec;
use crate::tree::ensure;

/// Sets the defaults of a ResourceClaimTemplate.
pub(crate) fn apply(object: &mut Value) {
    claim_spec(ensure(ensure(object, "spec"), "spec"));
}
