//! MutatingAdmissionPolicyBinding: its row in discovery and its hooks.

mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// MutatingAdmissionPolicyBinding at `admissionregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingAdmissionPolicyBinding",
    ),
    (
        "mutatingadmissionpolicybindings",
        "mutatingadmissionpolicybinding",
    ),
)
.categories(&["api-extensions"])
.table(
    &[
        Column::NAME,
        Column::text("PolicyName"),
        Column::text("ParamRef"),
        Column::AGE,
    ],
    super::cells::policy_binding,
)
.defaults(super::defaults::policy_binding)
.rules(validate::create, validate::update)
.generation(Generation::Content)
.conditional();

/// MutatingAdmissionPolicyBinding at `admissionregistration.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();

/// MutatingAdmissionPolicyBinding at `admissionregistration.k8s.io/v1alpha1`.
pub(crate) const V1ALPHA1: Kind = KIND.also_at("v1alpha1").unserved();
