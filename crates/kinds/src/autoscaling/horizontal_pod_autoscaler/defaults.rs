//! The defaults of a HorizontalPodAutoscaler.

use super::convert::METRICS;
use crate::api::json::{Value, json};
use crate::tree::{at, child, ensure, has, len, set, set_default, text};

/// Sets the defaults of an autoscaler: at least one replica, and a target of 80 % CPU.
pub(crate) fn apply(object: &mut Value) {
    let old_version = text(object, "apiVersion") == "autoscaling/v1";
    let others = has(at(object, &["metadata", "annotations"]), METRICS);
    let spec = ensure(object, "spec");
    set_default(spec, "minReplicas", 1);
    if old_version {
        // An annotation with metrics is enough: the conversion adds the default metric if the annotation is empty.
        if !others {
            set_default(spec, "targetCPUUtilizationPercentage", 80);
        }
        return;
    }
    if len(spec, "metrics") == 0 {
        let target = json!({"type": "Utilization", "averageUtilization": 80});
        let metric = json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
        set(spec, "metrics", json!([metric]));
    }
    if let Some(given) = child(spec, "behavior") {
        behavior(given);
    }
}

/// Sets the defaults of the behavior at v2.
pub(super) fn behavior(behavior: &mut Value) {
    let up = ensure(behavior, "scaleUp");
    set_default(up, "stabilizationWindowSeconds", 0);
    rules(up, &[("Pods", 4), ("Percent", 100)]);
    rules(ensure(behavior, "scaleDown"), &[("Percent", 100)]);
}

fn rules(rules: &mut Value, policies: &[(&str, i32)]) {
    set_default(rules, "selectPolicy", "Max");
    let policies = policies
        .iter()
        .map(|(kind, value)| json!({"type": kind, "value": value, "periodSeconds": 15}));
    set_default(rules, "policies", policies.collect::<Value>());
}
