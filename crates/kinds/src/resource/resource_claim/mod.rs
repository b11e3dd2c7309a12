//! ResourceClaim: its row in discovery and its hooks.

mod cells;
mod defaults;
mod quota;
mod strategy;
mod validate;

use crate::kind::{Column, Kind, Subresource};

/// ResourceClaim at `resource.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("resource.k8s.io", "v1", "ResourceClaim"),
    ("resourceclaims", "resourceclaim"),
)
.subresources(&[Subresource::status(
    "resource.k8s.io",
    "v1",
    "ResourceClaim",
)])
.table(
    &[Column::NAME, Column::text("State"), Column::AGE],
    cells::row,
)
.defaults(defaults::apply)
.admit(super::admin_access::admit)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.quota_usage(quota::usage)
.prepare_status(strategy::prepare_status);

/// ResourceClaim at `resource.k8s.io/v1beta2`.
pub(crate) const V1BETA2: Kind =
    KIND.also_at("v1beta2")
        .unserved()
        .subresources(&[Subresource::status(
            "resource.k8s.io",
            "v1beta2",
            "ResourceClaim",
        )]);

/// ResourceClaim at `resource.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind =
    KIND.also_at("v1beta1")
        .unserved()
        .subresources(&[Subresource::status(
            "resource.k8s.io",
            "v1beta1",
            "ResourceClaim",
        )]);
