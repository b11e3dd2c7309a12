//! ReplicaSet: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::client::PodSelector;
use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};
use crate::warnings;

/// ReplicaSet at `apps/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("apps", "v1", "ReplicaSet"), ("replicasets", "replicaset"))
        .short_names(&["rs"])
        .categories(&["all"])
        .subresources(&[
            Subresource::SCALE,
            Subresource::status("apps", "v1", "ReplicaSet"),
        ])
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
        .spec_defaults(defaults::spec)
        .rules(validate::create, validate::update)
        .pod_selector(PodSelector::Expressions)
        // For the new Service, kubectl takes the selector, and the ports of the template.
        .exposable()
        .status_rules(crate::validate::workload::replica_set_status)
        .generation(Generation::Content)
        .pod_template(&["spec", "template"])
        .warnings(warnings::of_named_template)
        .warned_updates(WarnedUpdates::NewGeneration);
