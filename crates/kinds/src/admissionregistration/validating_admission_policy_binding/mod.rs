//! ValidatingAdmissionPolicyBinding: its row in discovery and its hooks.

mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// ValidatingAdmissionPolicyBinding at `admissionregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicyBinding",
    ),
    (
        "validatingadmissionpolicybindings",
        "validatingadmissionpolicybinding",
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
