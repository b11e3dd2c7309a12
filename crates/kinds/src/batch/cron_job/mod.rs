//! CronJob: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;
mod warnings;

use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind, Subresource};

/// CronJob at `batch/v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("batch", "v1", "CronJob"), ("cronjobs", "cronjob"))
    .short_names(&["cj"])
    .categories(&["all"])
    .subresources(&[Subresource::status("batch", "v1", "CronJob")])
    .table(
        &[
            Column::NAME,
            Column::text("Schedule"),
            Column::text("Timezone"),
            Column::new("Suspend", "boolean", "", 0),
            Column::integer("Active"),
            Column::text("Last Schedule"),
            Column::AGE,
            Column::wide("Containers"),
            Column::wide("Images"),
            Column::wide("Selector"),
        ],
        cells::row,
    )
    .spec_defaults(defaults::spec)
    .rules(validate::create, validate::update)
    .generation(Generation::Content)
    .pod_template(&["spec", "jobTemplate", "spec", "template"])
    .warnings(warnings::collect)
    .warned_updates(WarnedUpdates::NewGeneration);
