//! Prepares a DaemonSet: an annotation holds the generation of its template.

use crate::api::json::Value;
use crate::strategy::{WriteContext, annotations};
use crate::tree::{ensure, field, set, text};

use super::defaults::TEMPLATE_GENERATION;

/// Sets the initial generation of the template, unless the object already has one.
pub(super) fn prepare_create(object: &mut Value, _: &WriteContext<'_>) {
    let given = text(annotations(object), TEMPLATE_GENERATION).parse();
    set_template_generation(object, given.unwrap_or(0).max(1));
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
    // Only the API server counts, so a value from the client is overwritten.
    let changed = field(field(object, "spec"), "template") != field(field(old, "spec"), "template");
    set_template_generation(object, before + i64::from(changed));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn create_keeps_a_valid_template_generation() {
        for (given, stored) in [("0", "1"), ("1", "1"), ("4", "4"), ("x", "1")] {
            let mut object = json!({"metadata": {"annotations": {TEMPLATE_GENERATION: given}}});
            let write_context = WriteContext {
                now: "2026-01-01T00:00:00Z",
                uid: "u",
                labeled: false,
            };
            prepare_create(&mut object, &write_context);
            assert_eq!(text(annotations(&object), TEMPLATE_GENERATION), stored);
        }
    }
}
