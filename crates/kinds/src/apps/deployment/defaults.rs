//! The defaults of a Deployment.

use crate::api::json::Value;
use crate::defaults::workload::template;
use crate::tree::{ensure, set_default, text};

/// Sets the defaults of the spec of a Deployment: a rolling update that replaces a quarter of the Pods at a time.
pub(crate) fn spec(spec: &mut Value) {
    template(spec);
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", 10);
    set_default(spec, "progressDeadlineSeconds", 600);
    let strategy = ensure(spec, "strategy");
    set_default(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let rolling = ensure(strategy, "rollingUpdate");
        set_default(rolling, "maxUnavailable", "25%");
        set_default(rolling, "maxSurge", "25%");
    }
}
