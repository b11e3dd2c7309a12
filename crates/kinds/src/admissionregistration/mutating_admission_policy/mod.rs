//! MutatingAdmissionPolicy: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// MutatingAdmissionPolicy at `admissionregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "admissionregistration.k8s.io",
        "v1",
        "MutatingAdmissionPolicy",
    ),
    ("mutatingadmissionpolicies", "mutatingadmissionpolicy"),
)
.categories(&["api-extensions"])
.table(
    &[
        Column::NAME,
        Column::integer("Mutations"),
        Column::text("ParamKind"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(super::defaults::admission_policy)
.rules(validate::create, validate::update)
.generation(Generation::Content)
.conditional();

/// MutatingAdmissionPolicy at `admissionregistration.k8s.io/v1beta1`.
pub(crate) const V1BETA1: Kind = KIND.also_at("v1beta1").unserved();

/// MutatingAdmissionPolicy at `admissionregistration.k8s.io/v1alpha1`.
pub(crate) const V1ALPHA1: Kind = KIND.also_at("v1alpha1").unserved();
