//! The list of kinds, one file per API group, in the order in which kubectl resolves names.
//!
//! To add a kind, add it to the file of its group; a new group is a new file and one line in `GROUPS`.

use super::kind::Kind;

mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod events;
mod flowcontrol;
mod internal;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod scheduling;
mod storage;

/// The groups in discovery order; a static, so that every kind has one address.
static GROUPS: &[&[Kind]] = &[
    core::KINDS,
    apiregistration::KINDS,
    apps::KINDS,
    events::KINDS,
    authentication::KINDS,
    authorization::KINDS,
    autoscaling::KINDS,
    batch::KINDS,
    certificates::KINDS,
    networking::KINDS,
    policy::KINDS,
    rbac::KINDS,
    storage::KINDS,
    admissionregistration::KINDS,
    apiextensions::KINDS,
    scheduling::KINDS,
    coordination::KINDS,
    node::KINDS,
    discovery::KINDS,
    resource::KINDS,
    flowcontrol::KINDS,
    internal::KINDS,
];

/// Every kind, served or not, in discovery order.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    GROUPS.iter().copied().flatten()
}
