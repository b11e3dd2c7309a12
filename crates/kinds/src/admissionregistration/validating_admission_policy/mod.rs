//! ValidatingAdmissionPolicy: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind, Subresource};
use crate::strategy::keep_metadata;

/// ValidatingAdmissionPolicy at `admissionregistration.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    (
        "admissionregistration.k8s.io",
        "v1",
        "ValidatingAdmissionPolicy",
    ),
    ("validatingadmissionpolicies", "validatingadmissionpolicy"),
)
.categories(&["api-extensions"])
.subresources(&[Subresource::status(
    "admissionregistration.k8s.io",
    "v1",
    "ValidatingAdmissionPolicy",
)])
.table(
    &[
        Column::NAME,
        Column::integer("Validations"),
        Column::text("ParamKind"),
        Column::AGE,
    ],
    cells::row,
)
.defaults(super::defaults::admission_policy)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.prepare_status(keep_metadata)
.generation(Generation::Content)
.conditional();
