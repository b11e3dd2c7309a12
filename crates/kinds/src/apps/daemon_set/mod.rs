//! DaemonSet: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;

use crate::client::{PodSelector, RolloutHistory};
use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};
use crate::warnings;

/// DaemonSet at `apps/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("apps", "v1", "DaemonSet"), ("daemonsets", "daemonset"))
        .short_names(&["ds"])
        .categories(&["all"])
        .subresources(&[Subresource::status("apps", "v1", "DaemonSet")])
        .table(
            &[
                Column::NAME,
                Column::integer("Desired"),
                Column::integer("Current"),
                Column::integer("Ready"),
                Column::integer("Up-to-date"),
                Column::integer("Available"),
                Column::text("Node Selector"),
                Column::AGE,
                Column::wide("Containers"),
                Column::wide("Images"),
                Column::wide("Selector"),
            ],
            cells::row,
        )
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .pod_selector(PodSelector::Expressions)
        .rollout_history(RolloutHistory::ControllerRevisions)
        .status_rules(validate::status)
        .generation(Generation::Content)
        .pod_template(&["spec", "template"])
        .warnings(warnings::of_template)
        .warned_updates(WarnedUpdates::NewGeneration)
        // An annotation counts the changes of the template. Before `apps/v1`, the API had a field for it.
        .prepare_create(strategy::prepare_create)
        .prepare_update(strategy::prepare_update);
