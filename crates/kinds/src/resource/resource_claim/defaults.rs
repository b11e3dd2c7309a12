//! The defaults of a ResourceClaim.

use crate::api::json::Value;
use crate::resource::defaults::claim_spec;
use crate::tree::ensure;

/// Sets the defaults of a ResourceClaim.
pub(crate) fn apply(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
}
