//! Ingress: its row in discovery and its hooks.

mod cells;
mod validate;
mod warnings;

use crate::admission::classes;
use crate::hooks::{DefaultClass, Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};

/// Ingress at `networking.k8s.io/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("networking.k8s.io", "v1", "Ingress"),
    ("ingresses", "ingress"),
)
.short_names(&["ing"])
.subresources(&[Subresource::status("networking.k8s.io", "v1", "Ingress")])
.table(
    &[
        Column::NAME,
        Column::text("Class"),
        Column::text("Hosts"),
        Column::text("Address"),
        Column::text("Ports"),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.generation(Generation::Content)
.warnings(warnings::collect)
.warned_updates(WarnedUpdates::Never)
.with_default_class(&DefaultClass {
    resource: "ingressclasses.networking.k8s.io",
    wants: classes::wants_ingress_class,
    set: classes::set_ingress_class,
});
