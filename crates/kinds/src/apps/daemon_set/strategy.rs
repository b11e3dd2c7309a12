//! How a DaemonSet is stored: the generation of its template is an annotation.

use crate::api::json::Value;
use crate::strategy::{Outside, annotations};
use crate::tree::{ensure, field, set, text};

use super::defaults::TEMPLATE_GENERATION;

/// Sets the first generation of the template.
pub(super) fn prepare_create(object: &mut Value, _: &Outside<'_>) {
    set_template_generation(object, 1);
}

fn set_template_generation(object: &mut Value, generation: i64) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    set(annotations, TEMPLATE_GENERATION, generation.to_string());
}

/// Raises the generation of the template if the template changes.
pub(super) fn prepare_update(object: &mut Value, old: &Value) {
    let before = text(annotations(old), TEMPLATE_GENERATION)
        .parse()
        .unwrap_or(1);
    let changed = field(field(object, "spec"), "template") != field(field(old, "spec"), "template");
    set_template_generation(object, before + i64::from(changed));
}
