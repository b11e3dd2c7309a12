//! The kinds of the `resource.k8s.io` API group.

mod admin_access;
pub(crate) mod defaults;
pub(crate) mod device_class;
pub(crate) mod device_taint_rule;
pub(crate) mod formats;
mod request_policy;
pub(crate) mod resource_claim;
pub(crate) mod resource_claim_template;
pub(crate) mod resource_pool_status_request;
pub(crate) mod resource_slice;
pub mod selector;
pub(crate) mod tolerations;
pub(crate) mod validate;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    device_class::KIND,
    resource_claim::KIND,
    resource_claim_template::KIND,
    resource_slice::KIND,
    device_class::V1BETA2,
    device_taint_rule::KIND,
    resource_claim::V1BETA2,
    resource_claim_template::V1BETA2,
    resource_slice::V1BETA2,
    device_class::V1BETA1,
    resource_claim::V1BETA1,
    resource_claim_template::V1BETA1,
    resource_slice::V1BETA1,
    device_taint_rule::V1ALPHA3,
    resource_pool_status_request::KIND,
];
