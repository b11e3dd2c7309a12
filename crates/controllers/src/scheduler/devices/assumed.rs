//! The claims that a cycle of the scheduler has changed and that the cache does not show yet.

use std::collections::BTreeMap;

use crate::api::json::{Text, Value};
use crate::runtime::Object;
use crate::views;

/// The status of a claim as the Pods placed before in this look leave it.
#[derive(Clone, Debug)]
pub(crate) struct Assumed {
    pub(super) allocation: Value,
    pub(super) reserved_for: Vec<Value>,
}

/// The claims that were changed in a look, by uid.
pub(crate) type AssumedClaims = BTreeMap<Text, Assumed>;

/// Returns the allocation and the users of a claim, as this look leaves them.
pub(super) fn status(claim: &Object, assumed: &AssumedClaims) -> (Value, Vec<Value>) {
    if let Some(assumed) = assumed.get(claim.uid()) {
        return (assumed.allocation.clone(), assumed.reserved_for.clone());
    }
    let view = views::device_claim(claim);
    (view.allocation().clone(), view.reserved_for().to_vec())
}
