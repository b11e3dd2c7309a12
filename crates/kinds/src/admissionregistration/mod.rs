//! The kinds of the `admissionregistration.k8s.io` API group.

pub(crate) mod cells;
pub(crate) mod defaults;
pub(crate) mod mutating_admission_policy;
pub(crate) mod mutating_admission_policy_binding;
pub(crate) mod mutating_webhook_configuration;
pub(crate) mod validate;
pub(crate) mod validating_admission_policy;
pub(crate) mod validating_admission_policy_binding;
pub(crate) mod validating_webhook_configuration;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    mutating_admission_policy::KIND,
    mutating_admission_policy_binding::KIND,
    mutating_webhook_configuration::KIND,
    validating_admission_policy::KIND,
    validating_admission_policy_binding::KIND,
    validating_webhook_configuration::KIND,
    mutating_admission_policy::V1BETA1,
    mutating_admission_policy_binding::V1BETA1,
    mutating_admission_policy::V1ALPHA1,
    mutating_admission_policy_binding::V1ALPHA1,
];
