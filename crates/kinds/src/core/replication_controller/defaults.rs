//! The defaults of a ReplicationController.

use crate::api::json::Value;
use crate::defaults::workload::{labels_from_template, template};
use crate::tree::{at, ensure, has, len, set, set_default};

/// Sets the defaults of a ReplicationController. The selector and the labels default to the labels of the template.
pub(crate) fn apply(object: &mut Value) {
    let labels = at(object, &["spec", "template", "metadata", "labels"]).clone();
    let spec = ensure(object, "spec");
    if has(spec, "template") {
        template(spec);
    }
    set_default(spec, "replicas", 1);
    if !labels.is_null() && len(spec, "selector") == 0 {
        set(spec, "selector", labels);
    }
    labels_from_template(object);
}
