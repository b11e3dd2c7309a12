//! The kinds of the `networking.k8s.io` API group.

pub(crate) mod ingress;
pub(crate) mod ingress_class;
pub(crate) mod ip_address;
pub(crate) mod network_policy;
pub(crate) mod service_cidr;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    ingress_class::KIND,
    ingress::KIND,
    ip_address::KIND,
    network_policy::KIND,
    service_cidr::KIND,
    ip_address::V1BETA1,
    service_cidr::V1BETA1,
];
