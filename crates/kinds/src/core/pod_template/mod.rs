//! PodTemplate: its row in discovery and its hooks.

mod cells;
mod defaults;
mod validate;

use crate::api::json::Value;
use crate::hooks::{Generation, WarnedUpdates};
use crate::kind::{Column, Kind};
use crate::pod::warnings::pod_template;
use crate::tree::field;
use crate::validate::Path;

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
            cells::row,
        )
        .defaults(defaults::apply)
        .rules(validate::create, validate::update)
        .generation(Generation::Content)
        .pod_template(&["template"])
        .warnings(warnings)
        .warned_updates(WarnedUpdates::NewGeneration);

fn warnings(object: &Value, warnings: &mut Vec<String>) {
    pod_template(&Path::root("template"), field(object, "template"), warnings);
}
