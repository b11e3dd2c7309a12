//! Converts autoscalers between v2 and v1. Annotations hold the metrics for which v1 has no field.

use super::defaults;
use crate::api::json::{Value, json};
use crate::tree::{at, ensure, field, has, len, set, set_default, take, text};
use crate::validate::go;

/// The annotation that holds the metrics at v1.
pub(super) const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";

/// Converts an autoscaler to the other version.
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
    let metrics = take(spec, "metrics");
    let metrics = metrics.as_ref().and_then(Value::as_array);
    let (percents, others): (Vec<&Value>, Vec<&Value>) = metrics
        .into_iter()
        .flatten()
        .partition(|m| is_cpu_percent(m));
    // The field holds one percentage. Upstream's loop overwrites it for each of these metrics, so the last one
    // remains.
    if let Some(metric) = percents.last() {
        let percent = at(metric, &["resource", "target", "averageUtilization"]).clone();
        set(spec, "targetCPUUtilizationPercentage", percent);
    }
    let behavior = take(spec, "behavior").filter(Value::is_object);
    let status = ensure(object, "status");
    let conditions = take(status, "conditions");
    let current = take(status, "currentMetrics");
    let current = current.as_ref().and_then(Value::as_array);
    // The annotation also includes the metric of the field, which has no place for the raw value.
    let current: Vec<&Value> = current.into_iter().flatten().collect();
    let percent = |metric: &&&Value| {
        let is_cpu = text(field(metric, "resource"), "name") == "cpu";
        is_cpu && has(at(metric, &["resource", "current"]), "averageUtilization")
    };
    if let Some(metric) = current.iter().rfind(percent) {
        let percent = at(metric, &["resource", "current", "averageUtilization"]).clone();
        set(status, "currentCPUUtilizationPercentage", percent);
    }
    let conditions = conditions.as_ref().and_then(Value::as_array);
    let conditions = conditions.filter(|all| !all.is_empty());
    let carried = [
        (METRICS, flattened(&others, Side::Target)),
        (CURRENT, flattened(&current, Side::Current)),
        (BEHAVIOR, behavior.map(|b| go::shown_as("HPABehavior", &b))),
        (
            CONDITIONS,
            conditions.map(|all| go::shown_list("HPACondition", all)),
        ),
    ];
    for (name, value) in carried {
        if let Some(value) = value {
            let annotations = ensure(ensure(object, "metadata"), "annotations");
            set(annotations, name, value);
        }
    }
}

/// The side of a metric: its target or its current value.
#[derive(Clone, Copy)]
enum Side {
    Target,
    Current,
}

impl Side {
    /// Returns the field of a v2 metric that holds the values.
    fn values(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Current => "current",
        }
    }

    /// Returns the values of a metric type: the name within the values at v2, and the name at v1.
    fn names(self, kind: &str) -> &'static [(&'static str, &'static str)] {
        match (self, kind) {
            (Self::Target, "object") => &[("value", "targetValue"), AVERAGE],
            (Self::Current, "object") => &[("value", "currentValue"), AVERAGE],
            (Self::Target, "external") => &[
                ("value", "targetValue"),
                ("averageValue", "targetAverageValue"),
            ],
            (Self::Current, "external") => &[
                ("value", "currentValue"),
                ("averageValue", "currentAverageValue"),
            ],
            (Self::Target, _) => &[
                ("averageUtilization", "targetAverageUtilization"),
                ("averageValue", "targetAverageValue"),
            ],
            (Self::Current, _) => &[
                ("averageUtilization", "currentAverageUtilization"),
                ("averageValue", "currentAverageValue"),
            ],
        }
    }
}

const AVERAGE: (&str, &str) = ("averageValue", "averageValue");
/// The metric types, by the name of their field.
const KINDS: [&str; 5] = [
    "object",
    "pods",
    "resource",
    "containerResource",
    "external",
];

/// Returns the name of the field that holds the selector of a v1 metric.
fn selector_name(kind: &str) -> &'static str {
    match kind {
        "external" => "metricSelector",
        _ => "selector",
    }
}

/// Returns metrics as the annotation stores them: with the fields of v1, in the order of its structs.
fn flattened(metrics: &[&Value], side: Side) -> Option<String> {
    let flat = |metric: &&Value| {
        let mut flat = json!({"type": text(metric, "type")});
        for kind in KINDS.into_iter().filter(|kind| has(metric, kind)) {
            flat[kind] = flat_source(kind, field(metric, kind), side);
        }
        flat
    };
    let flat: Vec<Value> = metrics.iter().map(flat).collect();
    (!flat.is_empty()).then(|| go::shown_list("V1MetricSpec", &flat))
}

fn flat_source(kind: &str, source: &Value, side: Side) -> Value {
    let mut flat = json!({});
    let metric = field(source, "metric");
    match has(source, "metric") {
        true => {
            flat["metricName"] = field(metric, "name").clone();
            if has(metric, "selector") {
                flat[selector_name(kind)] = field(metric, "selector").clone();
            }
        }
        false => flat["name"] = field(source, "name").clone(),
    }
    if has(source, "container") {
        flat["container"] = field(source, "container").clone();
    }
    if kind == "object" {
        flat["target"] = field(source, "describedObject").clone();
    }
    let values = field(source, side.values());
    for (new, old) in side.names(kind) {
        if has(values, new) {
            flat[*old] = field(values, new).clone();
        }
    }
    // Go cannot omit a quantity that is not a pointer.
    let always = match (side, kind) {
        (Side::Target, "object") => Some("targetValue"),
        (Side::Target, "pods") => Some("targetAverageValue"),
        (Side::Current, "object" | "external") => Some("currentValue"),
        (Side::Current, _) => Some("currentAverageValue"),
        _ => None,
    };
    if let Some(name) = always.filter(|name| !has(&flat, name)) {
        flat[name] = json!("0");
    }
    flat
}

/// Returns the metrics in an annotation. Like the API server, returns none if it cannot be parsed.
fn unflattened(annotation: Option<Value>, side: Side) -> Vec<Value> {
    let metrics = annotation.as_ref().and_then(Value::as_array);
    let unflat = |metric: &Value| {
        let mut new = json!({"type": text(metric, "type")});
        for kind in KINDS.into_iter().filter(|kind| has(metric, kind)) {
            new[kind] = source(kind, field(metric, kind), side);
        }
        new
    };
    metrics.into_iter().flatten().map(unflat).collect()
}

fn source(kind: &str, flat: &Value, side: Side) -> Value {
    let mut source = json!({});
    if has(flat, "metricName") {
        source["metric"] = json!({"name": text(flat, "metricName")});
        let selector = selector_name(kind);
        if has(flat, selector) {
            source["metric"]["selector"] = field(flat, selector).clone();
        }
    } else {
        source["name"] = field(flat, "name").clone();
    }
    if has(flat, "container") {
        source["container"] = field(flat, "container").clone();
    }
    if kind == "object" {
        source["describedObject"] = field(flat, "target").clone();
    }
    let mut values = json!({});
    for (new, old) in side.names(kind) {
        // A zero means an absent value if there is also an average or a utilization.
        let zero = text(flat, old) == "0" && values_beside(flat, side.names(kind), old);
        if has(flat, old) && !zero {
            values[*new] = field(flat, old).clone();
        }
    }
    if matches!(side, Side::Target) {
        let kind = [
            ("averageUtilization", "Utilization"),
            ("value", "Value"),
            ("averageValue", "AverageValue"),
        ];
        if let Some((_, kind)) = kind.iter().find(|(name, _)| has(&values, name)) {
            values["type"] = json!(kind);
        }
    }
    source[side.values()] = values;
    source
}

/// Returns true if a metric has a value other than `name`.
fn values_beside(flat: &Value, names: &[(&str, &str)], name: &str) -> bool {
    let mut others = names.iter().filter(|(_, old)| *old != name);
    others.any(|(_, old)| has(flat, old))
}

/// Returns a behavior with the field names of v2. In the annotation, it has those of Go's structs.
fn unshown_behavior(behavior: &Value) -> Value {
    let names = [
        ("ScaleUp", "scaleUp"),
        ("ScaleDown", "scaleDown"),
        ("StabilizationWindowSeconds", "stabilizationWindowSeconds"),
        ("SelectPolicy", "selectPolicy"),
        ("Policies", "policies"),
        ("Tolerance", "tolerance"),
        ("Type", "type"),
        ("Value", "value"),
        ("PeriodSeconds", "periodSeconds"),
    ];
    match behavior {
        Value::Object(map) => {
            let known = map.iter().filter(|(_, value)| !value.is_null());
            let renamed = known.filter_map(|(name, value)| {
                // Go ignores case when it decodes field names.
                let found = names.iter().find(|(go, _)| go.eq_ignore_ascii_case(name));
                Some((found?.1.to_owned(), unshown_behavior(value)))
            });
            renamed.collect::<crate::api::json::Map>().into()
        }
        Value::Array(items) => items
            .iter()
            .map(unshown_behavior)
            .collect::<Vec<_>>()
            .into(),
        other => other.clone(),
    }
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
    let mut all = unflattened(metrics, Side::Target);
    let percent = take(spec, "targetCPUUtilizationPercentage");
    // At v1, an autoscaler without metrics has an implicit one.
    let percent = percent.or_else(|| all.is_empty().then(|| json!(80)));
    if let Some(percent) = percent {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        all.push(json!({"type": "Resource", "resource": {"name": "cpu", "target": target}}));
    }
    set(spec, "metrics", json!(all));
    let behavior = behavior.as_ref().map(unshown_behavior);
    if let Some(mut behavior) = behavior.filter(|b| b.as_object().is_some_and(|b| !b.is_empty())) {
        // The stored version is v2, whose defaults a server sets each time it reads the object.
        defaults::behavior(&mut behavior);
        set(spec, "behavior", behavior);
    }
    let status = ensure(object, "status");
    let mut now = unflattened(current, Side::Current);
    if let Some(percent) = take(status, "currentCPUUtilizationPercentage")
        // The annotation includes the metric of the field, so the field counts only if there is no annotation.
        && now.is_empty()
    {
        let value = json!({"averageUtilization": percent});
        now.push(json!({"type": "Resource", "resource": {"name": "cpu", "current": value}}));
    }
    if !now.is_empty() {
        set(status, "currentMetrics", json!(now));
    }
    if let Some(conditions) = conditions {
        set_default(status, "conditions", conditions);
    }
    // Go omits an empty map.
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
    fn autoscaling_v1_annotations_round_trip_v2_fields() {
        let old = find("autoscaling", "v1", "HorizontalPodAutoscaler").unwrap();
        let new = find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
        let metric = |name: &str, percent: u32| {
            json!({"type": "Resource", "resource": {"name": name,
                "target": {"type": "Utilization", "averageUtilization": percent}}})
        };
        let mut object = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h"}, "spec": {"maxReplicas": 3,
                "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"},
                "metrics": [metric("memory", 60), metric("cpu", 70)]}});
        shape::normalize(new, &mut object);
        let before = object.clone();
        convert(&mut object, old);
        assert_eq!(object["spec"]["targetCPUUtilizationPercentage"], 70);
        assert_eq!(object["spec"].get("metrics"), None);
        assert!(has(&object["metadata"]["annotations"], METRICS));
        convert(&mut object, new);
        assert_eq!(object, before);
    }

    #[test]
    fn behavior_of_a_v1_annotation_gets_the_defaults_of_v2() {
        let new = find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
        let annotations = json!({BEHAVIOR: r#"{"ScaleUp": {"SelectPolicy": "Disabled"}}"#});
        let mut object = json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h", "annotations": annotations}, "spec": {"maxReplicas": 3}});
        convert(&mut object, new);
        let behavior = &object["spec"]["behavior"];
        assert_eq!(behavior["scaleUp"]["selectPolicy"], "Disabled");
        assert_eq!(behavior["scaleDown"]["policies"][0]["value"], 100);
    }

    #[test]
    fn autoscaling_annotations_contain_v1_metrics() {
        let old = find("autoscaling", "v1", "HorizontalPodAutoscaler").unwrap();
        let new = find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
        let mut object = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h"}, "spec": {"maxReplicas": 3,
                "scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"},
                "metrics": [
                    {"type": "Resource", "resource": {"name": "memory",
                        "target": {"type": "AverageValue", "averageValue": "200Mi"}}},
                    {"type": "Pods", "pods": {"metric": {"name": "hits", "selector": {"matchLabels": {"a": "b"}}},
                        "target": {"type": "AverageValue", "averageValue": "12"}}},
                    {"type": "Object", "object": {"metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "3"},
                        "describedObject": {"apiVersion": "v1", "kind": "Service", "name": "s"}}},
                    {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "5"}}},
                    {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c",
                        "target": {"type": "Utilization", "averageUtilization": 60}}},
                ],
                "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60,
                    "policies": [{"type": "Pods", "value": 2, "periodSeconds": 30}]}}},
            "status": {"currentMetrics": [{"type": "Resource", "resource": {"name": "cpu",
                "current": {"averageUtilization": 40, "averageValue": "40m"}}}]}});
        shape::normalize(new, &mut object);
        let before = object.clone();
        convert(&mut object, old);
        let annotation = |name: &str| text(&object["metadata"]["annotations"], name).to_owned();
        assert_eq!(
            annotation(METRICS),
            r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"200Mi"}},{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"12","selector":{"matchLabels":{"a":"b"}}}},{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"rps","targetValue":"0","averageValue":"3"}},{"type":"External","external":{"metricName":"queue","targetValue":"5"}},{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":60,"container":"c"}}]"#
        );
        assert_eq!(
            annotation(BEHAVIOR),
            r#"{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":60,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":2,"PeriodSeconds":30}],"Tolerance":null}}"#
        );
        assert_eq!(
            annotation(CURRENT),
            r#"[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":40,"currentAverageValue":"40m"}}]"#
        );
        assert_eq!(object["status"]["currentCPUUtilizationPercentage"], 40);
        convert(&mut object, new);
        assert_eq!(object, before);
    }

    #[test]
    fn an_invalid_annotation_drops_its_content() {
        let mut object = json!({"apiVersion": "autoscaling/v1", "metadata": {"annotations": {
            METRICS: "rubbish", BEHAVIOR: "{", "mine": "x",
        }}, "spec": {"maxReplicas": 3}});
        to_new_autoscaler(&mut object);
        assert_eq!(object["metadata"]["annotations"], json!({"mine": "x"}));
        let target = &object["spec"]["metrics"][0]["resource"]["target"];
        assert_eq!(target["averageUtilization"], 80);
        assert_eq!(object["spec"].get("behavior"), None);
    }
}
