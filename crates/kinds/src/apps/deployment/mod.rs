//! Deployment: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::client::{PodSelector, RolloutHistory};
use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};
use crate::strategy;
use crate::warnings;

/// Deployment at `apps/v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("apps", "v1", "Deployment"), ("deployments", "deployment"))
        .short_names(&["deploy"])
        .categories(&["all"])
        .subresources(&[
            Subresource::SCALE,
            Subresource::status("apps", "v1", "Deployment"),
        ])
        .table(
            &[
                Column::NAME,
                Column::text("Ready"),
                Column::text("Up-to-date"),
                Column::text("Available"),
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
        .rollout_history(RolloutHistory::ReplicaSets)
        .exposable()
        .status_rules(validate::status)
        // The controller copies annotations to the ReplicaSets, so it must observe their changes as well.
        .generation(Generation::ContentAndAnnotations)
        .pod_template(&["spec", "template"])
        .warnings(warnings::of_named_template)
        .warned_updates(WarnedUpdates::NewGeneration)
        .prepare_status(strategy::keep_labels)
        // Upstream's status strategy for Deployments also restores the labels.
        .reset_fields(&[("status", &[&["metadata", "labels"], &["spec"]])]);
