//! PodTemplate: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::hooks::Generation;
use crate::kind::{Column, Kind};

/// PodTemplate at `v1`.
pub(crate) const KIND: Kind =
    Kind::namespaced(("", "v1", "PodTemplate"), ("podtemplates", "podtemplate"))
        .table(
            &[
                Column::NAME,
                Column::text("Containers"),
                Column::text("Images"),
                Column::text("Pod Labels"),
            ],
            cells::of,
        )
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .generation(Generation::Content)
        .pod_template(&["template"]);
