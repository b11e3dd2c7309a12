//! The claims that a cycle of the scheduler has changed and that the cache does not show yet.

use std::collections::BTreeMap;

use crate::api::json::{Text, Value};
use crate::runtime::Object;
use crate::views;

/// The status of a claim after the Pods placed earlier in this cycle.
#[derive(Clone, Debug)]
pub(crate) struct Assumed {
    pub(super) allocation: Value,
    pub(super) reserved_for: Vec<Value>,
}

/// The claims that were changed in a cycle, by uid.
pub(crate) type AssumedClaims = BTreeMap<Text, Assumed>;

/// Returns the allocation and the consumers of a claim in this cycle.
pub(super) fn status(claim: &Object, assumed: &AssumedClaims) -> (Value, Vec<Value>) {
    if let Some(assumed) = assumed.get(claim.uid()) {
        return (assumed.allocation.clone(), assumed.reserved_for.clone());
    }
    let view = views::device_claim(claim);
    (view.allocation().clone(), view.reserved_for().to_vec())
}
