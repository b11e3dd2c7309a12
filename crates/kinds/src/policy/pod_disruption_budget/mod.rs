//! PodDisruptionBudget: its row in discovery and its hooks.

mod cells;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind, Subresource};

/// PodDisruptionBudget at `policy/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(
    ("policy", "v1", "PodDisruptionBudget"),
    ("poddisruptionbudgets", "poddisruptionbudget"),
)
.short_names(&["pdb"])
.subresources(&[Subresource::status("policy", "v1", "PodDisruptionBudget")])
.table(
    &[
        Column::NAME,
        Column::text("Min Available"),
        Column::text("Max Unavailable"),
        Column::integer("Allowed Disruptions"),
        Column::AGE,
    ],
    cells::row,
)
.rules(validate::create, validate::update)
.status_rules(validate::status)
.generation(Generation::Content)
// Evictions decrement `disruptionsAllowed` in the status, so no update may be based on a stale budget.
.conditional();
