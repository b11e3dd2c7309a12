//! ResourceClaimTemplate: its row in discovery and its hooks.

mod defaults;
mod validate;

use crate::kind::{Column, Kind};

/// ResourceClaimTemplate at `resource.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("resource.k8s.io", "v1", "ResourceClaimTemplate"),
    ("resourceclaimtemplates", "resourceclaimtemplate"),
)
.columns(&[Column::NAME, Column::AGE])
.defaults(defaults::apply)
.admit(super::admin_access::admit)
.rules(validate::create, validate::update);

/// ResourceClaimTemplate at `resource.k8s.io/v1beta2`.
pub(crate) const V1BETA2: Kind = KIND.also_at("v1beta2").unserved();

/// ResourceClaimTemplate at `resource.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();
