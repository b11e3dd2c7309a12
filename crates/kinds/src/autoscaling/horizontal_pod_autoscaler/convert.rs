//! Autoscalers between v2 and v1, which keeps in annotations what it has no fields for.

use crate::api::json::{List, Value, json};
use crate::tree::{at, ensure, field, has, len, list, set, set_default, take, text};

/// Field of the new autoscaler and the annotation that carries it at the old version.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// Converts an autoscaler of the other version.
pub(super) fn convert(object: &mut Value, target: &str) {
    match target {
        "autoscaling/v1" => to_old_autoscaler(object),
        _ => to_new_autoscaler(object),
    }
}

fn is_cpu_percent(metric: &Value) -> bool {
    let target = at(metric, &["resource", "target"]);
    text(field(metric, "resource"), "name") == "cpu" && has(target, "averageUtilization")
}

fn to_old_autoscaler(object: &mut Value) {
    let spec = ensure(object, "spec");
    let mut metrics = list(spec, "metrics").to_vec();
    if let Some(at_) = metrics.iter().position(is_cpu_percent) {
        let metric = metrics.remove(at_);
        let percent = at(&metric, &["resource", "target", "averageUtilization"]).clone();
        set(spec, "targetCPUUtilizationPercentage", percent);
    }
    take(spec, "metrics");
    let behavior = take(spec, "behavior");
    let status = ensure(object, "status");
    let conditions = take(status, "conditions").filter(|c| !c.is_null());
    let mut current = take(status, "currentMetrics")
        .and_then(|metrics| metrics.as_array().cloned())
        .unwrap_or_default();
    let is_cpu = |metric: &Value| {
        let now = at(metric, &["resource", "current"]);
        text(field(metric, "resource"), "name") == "cpu" && has(now, "averageUtilization")
    };
    if let Some(position) = current.iter().position(is_cpu) {
        let metric = current.remove(position);
        let percent = at(&metric, &["resource", "current", "averageUtilization"]).clone();
        set(status, "currentCPUUtilizationPercentage", percent);
    }
    for (name, value) in [
        (METRICS, some_list(metrics.into())),
        (CURRENT, some_list(current)),
        (BEHAVIOR, behavior),
        (CONDITIONS, conditions),
    ] {
        if let Some(value) = value {
            let annotations = ensure(ensure(object, "metadata"), "annotations");
            set(annotations, name, value.to_string());
        }
    }
}

fn some_list(items: List) -> Option<Value> {
    (!items.is_empty()).then(|| json!(items))
}

fn to_new_autoscaler(object: &mut Value) {
    let mut carried = |name: &str| -> Option<Value> {
        let annotations = object.get_mut("metadata")?.get_mut("annotations")?;
        let text = take(annotations, name)?;
        serde_json::from_str(text.as_str()?).ok()
    };
    let (metrics, current) = (carried(METRICS), carried(CURRENT));
    let (behavior, conditions) = (carried(BEHAVIOR), carried(CONDITIONS));
    let spec = ensure(object, "spec");
    let mut all = Vec::new();
    if let Some(percent) = take(spec, "targetCPUUtilizationPercentage") {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        all.push(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
    }
    all.extend(
        metrics
            .iter()
            .filter_map(Value::as_array)
            .flatten()
            .cloned(),
    );
    set(spec, "metrics", json!(all));
    if let Some(behavior) = behavior {
        set(spec, "behavior", behavior);
    }
    let status = ensure(object, "status");
    let mut now = Vec::new();
    if let Some(percent) = take(status, "currentCPUUtilizationPercentage") {
        let value = json!({"averageUtilization": percent});
        now.push(json!({"type": "Resource", "resource": {"name": "cpu", "current": value}}));
    }
    now.extend(
        current
            .iter()
            .filter_map(Value::as_array)
            .flatten()
            .cloned(),
    );
    if !now.is_empty() {
        set(status, "currentMetrics", json!(now));
    }
    if let Some(conditions) = conditions {
        set_default(status, "conditions", conditions);
    }
    if len(field(object, "metadata"), "annotations") == 0 {
        take(ensure(object, "metadata"), "annotations");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::convert;
    use crate::{find, shape};

    #[test]
    fn autoscalers_keep_at_the_old_version_what_it_cannot_say() {
        let old = find("autoscaling", "v1", "HorizontalPodAutoscaler").unwrap();
        let new = find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
        let metric = |name: &str, percent: u32| {
            json!({"type": "Resource", "resource": {"name": name,
                "target": {"type": "Utilization", "averageUtilization": percent}}})
        };
        let mut object = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h"}, "spec": {"maxReplicas": 3,
                "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"},
                "metrics": [metric("cpu", 70), metric("memory", 60)]}});
        shape::settle(new, &mut object);
        let before = object.clone();
        convert(&mut object, old);
        assert_eq!(object["spec"]["targetCPUUtilizationPercentage"], 70);
        assert_eq!(object["spec"].get("metrics"), None);
        assert!(has(&object["metadata"]["annotations"], METRICS));
        convert(&mut object, new);
        assert_eq!(object, before);
    }
}
