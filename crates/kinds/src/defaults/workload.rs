//! The defaults of Pod templates in workloads.

use crate::api::json::{Value, json};
use crate::defaults::pod;
use crate::tree::{at, child, ensure, field, len, set};

/// Sets the defaults of the Pod template of a workload's spec.
pub(crate) fn template(spec: &mut Value) {
    let template = ensure(spec, "template");
    pod::pod_spec(ensure(template, "spec"));
}

/// Copies the labels of the template to an object that has none.
pub(crate) fn labels_from_template(object: &mut Value) {
    let labels = at(object, &["spec", "template", "metadata", "labels"]).clone();
    if !labels.is_null()
        && labels != json!({})
        && len(field(object, "metadata"), "labels") == 0
        && let Some(metadata) = child(object, "metadata")
    {
        set(metadata, "labels", labels);
    }
}
