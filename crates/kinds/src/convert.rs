//! Objects that are served at two versions: what is written at one is read at the other.
//!
//! Events are the core group's and `events.k8s.io`'s; autoscalers are v2 and v1. All other kinds with
//! several versions have the same fields at each.

use super::kind::Kind;
use super::schema::Known;
use super::shape;
use super::tree::{at, ensure, field, has, len, list, set, set_default, take, text};
use crate::api::json::{List, Value, json};

/// Core field and `events.k8s.io` field.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// Field of the new autoscaler and the annotation that carries it at the old version.
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// The kind at which objects of `kind` are stored: itself, but for events and old autoscalers.
pub fn stored_as(kind: &'static Kind) -> &'static Kind {
    if let Some(custom) = kind.custom {
        return custom.stored_as().unwrap_or(kind);
    }
    let (group, version) = match (kind.group, kind.kind) {
        ("events.k8s.io", "Event") => ("", "v1"),
        ("autoscaling", "HorizontalPodAutoscaler") => ("autoscaling", "v2"),
        _ => return kind,
    };
    super::kind::find(group, version, kind.kind).unwrap_or(kind)
}

/// Turns an object into another version of its kind.
pub fn convert(object: &mut Value, to: &Kind) {
    if let Some(custom) = to.custom {
        return super::custom::convert(custom, object);
    }
    let from = text(object, "apiVersion").to_owned();
    let target = to.api_version();
    if from == target {
        return;
    }
    match (to.kind, target.as_str()) {
        ("Event", "v1") => rename(object, EVENT_FIELDS.iter().map(|(old, new)| (*new, *old))),
        ("Event", _) => rename(object, EVENT_FIELDS.iter().copied()),
        ("HorizontalPodAutoscaler", "autoscaling/v1") => to_old_autoscaler(object),
        ("HorizontalPodAutoscaler", _) => to_new_autoscaler(object),
        _ => {}
    }
    set(object, "apiVersion", target);
    shape::canonical(to, object, Known::NOTHING);
}

fn rename<'a>(object: &mut Value, names: impl Iterator<Item = (&'a str, &'a str)>) {
    for (from, to) in names {
        if let Some(value) = take(object, from) {
            set(object, to, value);
        }
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
    use crate::find;

    #[test]
    fn events_are_the_same_in_both_groups() {
        let old = find("", "v1", "Event").unwrap();
        let new = find("events.k8s.io", "v1", "Event").unwrap();
        assert!(std::ptr::eq(stored_as(new), old));
        let mut event = json!({"apiVersion": "v1", "kind": "Event", "message": "m",
            "involvedObject": {"kind": "Pod", "name": "p"}, "source": {"component": "kubelet"}});
        shape::settle(old, &mut event);
        let before = event.clone();
        convert(&mut event, new);
        assert_eq!(event["note"], "m");
        assert_eq!(event["regarding"]["name"], "p");
        assert_eq!(event["deprecatedSource"]["component"], "kubelet");
        convert(&mut event, old);
        assert_eq!(event, before);
    }

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
