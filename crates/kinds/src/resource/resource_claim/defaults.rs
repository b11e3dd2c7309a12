//! The defaults of a ResourceClaim.

use crate::api::json::Value;
use crate::resource::defaults::claim_spec;
use crate::tree::ensure;

/// A ResourceClaim.
pub(crate) fn apply(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
}
