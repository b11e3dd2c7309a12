//! The defaults of a Namespace.

use crate::api::json::Value;
use crate::tree::{ensure, field, set, text};

/// Sets the defaults of a Namespace: its name as a label.
pub(crate) fn apply(object: &mut Value) {
    let name = text(field(object, "metadata"), "name").to_owned();
    if !name.is_empty() {
        let labels = ensure(ensure(object, "metadata"), "labels");
        set(labels, "kubernetes.io/metadata.name", name);
    }
}
