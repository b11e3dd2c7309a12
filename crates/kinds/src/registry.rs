//! The list of kinds, one folder of the crate per API group, in the order in which kubectl resolves names.
//!
//! To add a kind, copy the folder of a similar one and add its line to the list of its group (`batch/mod.rs`). A new
//! group needs a folder and a line in `GROUPS`.

use super::kind::Kind;

/// A group that exists only in tests: one folder and one line add its kind.
#[cfg(test)]
#[path = "../tests/made_up/mod.rs"]
mod made_up;

/// The groups in discovery order. This is a static so that every kind has a unique address.
static GROUPS: &[&[Kind]] = &[
    // Ordered by the `groupPriorityMinimum` of the built-in APIServices, like aggregated discovery.
    crate::core::KINDS,
    crate::apiregistration::KINDS,
    crate::apps::KINDS,
    crate::events::KINDS,
    crate::authentication::KINDS,
    crate::authorization::KINDS,
    crate::autoscaling::KINDS,
    crate::batch::KINDS,
    crate::certificates::KINDS,
    crate::networking::KINDS,
    crate::policy::KINDS,
    crate::rbac::KINDS,
    crate::storage::KINDS,
    crate::admissionregistration::KINDS,
    crate::apiextensions::KINDS,
    crate::scheduling::KINDS,
    crate::coordination::KINDS,
    crate::node::KINDS,
    crate::discovery::KINDS,
    crate::resource::KINDS,
    crate::flowcontrol::KINDS,
    crate::internal::KINDS,
    #[cfg(test)]
    made_up::KINDS,
];

/// Returns every kind, served or not, in discovery order.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    GROUPS.iter().copied().flatten()
}
