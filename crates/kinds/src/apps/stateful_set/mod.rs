//! StatefulSet: its row in discovery and its hooks.

mod cells;
mod defaults;
mod strategy;
mod validate;
mod warnings;

use crate::client::{PodSelector, RolloutHistory};
use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};

/// StatefulSet at `apps/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("apps", "v1", "StatefulSet"),
    ("statefulsets", "statefulset"),
)
.short_names(&["sts"])
.categories(&["all"])
.subresources(&[
    Subresource::SCALE,
    Subresource::status("apps", "v1", "StatefulSet"),
])
.table(
    &[
        Column::NAME,
        Column::text("Ready"),
        Column::AGE,
        Column::wide("Containers"),
        Column::wide("Images"),
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
.warnings(warnings::collect)
.warned_updates(WarnedUpdates::NewGeneration)
// The API server drops fields of disabled features without an error.
.prepare_create(|set, _| strategy::drop_disabled(set))
.prepare_update(|set, _| strategy::drop_disabled(set));
