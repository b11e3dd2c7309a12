//! The table cells of a StorageClass.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{age, or};
use crate::tree::{field, flag, text};

fn is_default(object: &Value, annotation: &str) -> bool {
    let annotations = field(field(object, "metadata"), "annotations");
    text(annotations, annotation) == "true"
}

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let own = text(field(object, "metadata"), "name");
    let default = is_default(object, "storageclass.kubernetes.io/is-default-class")
        // Upstream still honors the beta annotation, both in the table and in admission.
        || is_default(object, "storageclass.beta.kubernetes.io/is-default-class");
    let shown = match default {
        true => format!("{own} (default)"),
        false => own.to_owned(),
    };
    vec![
        json!(shown),
        json!(text(object, "provisioner")),
        or(text(object, "reclaimPolicy"), "Delete"),
        or(text(object, "volumeBindingMode"), "Immediate"),
        json!(flag(object, "allowVolumeExpansion")),
        json!(age(object, now)),
    ]
}
