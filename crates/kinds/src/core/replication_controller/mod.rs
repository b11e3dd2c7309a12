//! ReplicationController: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::admission::quota;
use crate::api::json::Value;
use crate::client::PodSelector;
use crate::hooks::{Dependents, Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};
use crate::tree::{field, int};
use crate::warnings;

/// ReplicationController at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("", "v1", "ReplicationController"),
    ("replicationcontrollers", "replicationcontroller"),
)
.short_names(&["rc"])
.categories(&["all"])
.subresources(&[
    Subresource::SCALE,
    Subresource::status("", "v1", "ReplicationController"),
])
.field_selectors(&["metadata.name", "metadata.namespace", "status.replicas"])
.table(
    &[
        Column::NAME,
        Column::integer("Desired"),
        Column::integer("Current"),
        Column::integer("Ready"),
        Column::AGE,
        Column::wide("Containers"),
        Column::wide("Images"),
        Column::wide("Selector"),
    ],
    cells::row,
)
.defaults(defaults::apply)
.rules(validate::create, validate::update)
.pod_selector(PodSelector::Labels)
.exposable()
.status_rules(crate::validate::workload::replica_set_status)
.generation(Generation::Content)
.pod_template(&["spec", "template"])
.warnings(warnings::of_named_template)
.warned_updates(WarnedUpdates::NewGeneration)
.selector_values(selector_value)
// `DefaultGarbageCollectionPolicy`: for clients that predate the garbage collector.
.dependents(Dependents::Orphaned)
.quota_usage(|_, used| quota::count(used, "replicationcontrollers"));

fn selector_value(controller: &Value, selector: &str) -> Option<String> {
    let replicas = || int(field(controller, "status"), "replicas").to_string();
    (selector == "status.replicas").then(replicas)
}
