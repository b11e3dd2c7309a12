//! CustomResourceDefinition: its row in discovery and its hooks.

mod defaults;
mod strategy;
mod validate;
mod warnings;

use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};
use crate::strategy::SPEC_AND_METADATA;

/// CustomResourceDefinition at `apiextensions.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::cluster_wide(
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    ("customresourcedefinitions", "customresourcedefinition"),
)
.short_names(&["crd", "crds"])
.categories(&["api-extensions"])
.subresources(&[Subresource::status(
    "apiextensions.k8s.io",
    "v1",
    "CustomResourceDefinition",
)])
.columns(&[Column::NAME, Column::new("Created At", "date", "", 0)])
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.generation(Generation::Content)
.warnings(warnings::collect)
.warned_updates(WarnedUpdates::NewWarnings)
.conditional()
.prepare_create(|crd, _| strategy::stored_versions(crd))
.prepare_update(|crd, _| strategy::stored_versions(crd))
.reset_fields(&[("status", SPEC_AND_METADATA)])
.defining_kinds();
