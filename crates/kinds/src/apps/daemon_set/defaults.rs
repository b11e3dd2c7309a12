//! The defaults of a DaemonSet.

use crate::api::json::Value;
use crate::defaults::workload::template;
use crate::tree::{ensure, set_default, text};

/// The annotation that counts the changes of the template.
pub(super) const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Sets the defaults of a DaemonSet: a rolling update replaces the Pod of one node at a time, and an annotation holds
/// the generation of the template.
pub(crate) fn apply(object: &mut Value) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    // Upstream's internal type has a field for it. The conversion to `apps/v1` writes it as an annotation even if it
    // is 0.
    set_default(annotations, TEMPLATE_GENERATION, "0");
    let spec = ensure(object, "spec");
    template(spec);
    set_default(spec, "revisionHistoryLimit", 10);
    let strategy = ensure(spec, "updateStrategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = ensure(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", 1);
        set_default(rolling, "maxSurge", 0);
    }
}
