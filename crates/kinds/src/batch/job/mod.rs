//! Job: its row in discovery and its hooks.

mod cells;
mod defaults;
mod selectors;
mod status;
mod strategy;
mod validate;
mod warnings;

use crate::client::PodSelector;
use crate::defaults::workload::labels_from_template;
use crate::hooks::{Dependents, Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};

/// The API server's warning about the deletion of a Job without a propagation policy.
const PODS_STAY: &str = "child pods are preserved by default when jobs are deleted; set \
    propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this \
    warning";

/// Job at `batch/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("batch", "v1", "Job"), ("jobs", "job"))
    .categories(&["all"])
    .subresources(&[Subresource::status("batch", "v1", "Job")])
    .field_selectors(&["metadata.name", "metadata.namespace", "status.successful"])
    .table(
        &[
            Column::NAME,
            Column::text("Status"),
            Column::text("Completions"),
            Column::text("Duration"),
            Column::AGE,
            Column::wide("Containers"),
            Column::wide("Images"),
            Column::wide("Selector"),
        ],
        cells::row,
    )
    .spec_defaults(defaults::spec)
    .defaults(labels_from_template)
    .rules(validate::create, validate::update)
    .pod_selector(PodSelector::Expressions)
    .status_rules(status::status)
    .generation(Generation::Content)
    .pod_template(&["spec", "template"])
    .warnings(warnings::collect)
    .warned_updates(WarnedUpdates::NewGeneration)
    .prepare_create(strategy::generate_selector)
    .selector_values(selectors::value)
    // `DefaultGarbageCollectionPolicy` of `batch/v1`, for early clients; other clients get a warning.
    .dependents(Dependents::Orphaned)
    .warns_of_kept_dependents(PODS_STAY);
