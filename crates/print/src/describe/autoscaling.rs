//! HorizontalPodAutoscalers, PodDisruptionBudgets and PriorityClasses.

use super::events::events;
use super::meta::{created, head, int_or_unset, name, name_and_namespace, plain};
use super::related::{Related, UNSET};
use super::writer::Writer;
use crate::api::go::quoted;
use crate::api::json::Value;
use crate::kinds::columns;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, flag, has, int, list, opt_int, text};

const UNKNOWN: &str = "<unknown>";

pub(super) fn horizontal_pod_autoscaler(w: &mut Writer, hpa: &Value, related: &Related) {
    let (spec, status) = (field(hpa, "spec"), field(hpa, "status"));
    head(w, hpa);
    created(w, hpa, related);
    let target = field(spec, "scaleTargetRef");
    let kind = text(target, "kind");
    w.field(0, "Reference", format!("{kind}/{}", text(target, "name")));
    // kubectl requests `v2` and falls back to `v1`, whose only metric is the CPU utilization.
    match text(hpa, "apiVersion") {
        "autoscaling/v1" => utilization(w, spec, status),
        _ => {
            w.field(0, "Metrics", "( current / target )");
            for (at, metric) in list(spec, "metrics").iter().enumerate() {
                // Current metrics have the same order as the metrics of the spec. A new autoscaler has none yet.
                let current = list(status, "currentMetrics")
                    .get(at)
                    .unwrap_or(&Value::Null);
                one_metric(w, metric, current);
            }
        }
    }
    w.field(0, "Min replicas", int_or_unset(spec, "minReplicas"));
    w.field(0, "Max replicas", int(spec, "maxReplicas"));
    if has(spec, "behavior") {
        w.line(0, "Behavior:");
        behavior(w, "Scale Up", at(spec, &["behavior", "scaleUp"]));
        behavior(w, "Scale Down", at(spec, &["behavior", "scaleDown"]));
    }
    let (have, want) = (
        int(status, "currentReplicas"),
        int(status, "desiredReplicas"),
    );
    w.field(
        0,
        &format!("{kind} pods"),
        format!("{have} current / {want} desired"),
    );
    let conditions = list(status, "conditions");
    if !conditions.is_empty() {
        w.line(0, "Conditions:");
        let row = |c: &Value| {
            let cells = ["type", "status", "reason", "message"].map(|name| text(c, name));
            cells.join("\t")
        };
        w.table(
            1,
            "Type\tStatus\tReason\tMessage",
            conditions.iter().map(row),
        );
    }
    events(w, related);
}

/// Writes the metric of `autoscaling/v1`: CPU utilization in percent.
fn utilization(w: &mut Writer, spec: &Value, status: &Value) {
    let Some(target) = opt_int(spec, "targetCPUUtilizationPercentage") else {
        return;
    };
    w.field(0, "Target CPU utilization", format!("{target}%"));
    let current = opt_int(status, "currentCPUUtilizationPercentage");
    let current = current.map_or(UNKNOWN.to_owned(), |current| current.to_string());
    w.field(0, "Current CPU utilization", format!("{current}%"));
}

fn one_metric(w: &mut Writer, metric: &Value, current: &Value) {
    let kind = text(metric, "type");
    let source = match kind {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        // A metric type from a newer API is shown by name rather than skipped.
        _ => return w.line(1, format!("<unknown metric type {}>", quoted(kind))),
    };
    let (metric, now) = (field(metric, source), at(current, &[source, "current"]));
    let target = field(metric, "target");
    let metric_name = text(field(metric, "metric"), "name");
    // The current value and the target have the same field names.
    let pair = |name: &str| {
        let now = match now.is_null()
            || (kind == "External" && name == "averageValue" && !has(now, name))
        {
            true => UNKNOWN.to_owned(),
            false => quantity(field(now, name)).to_string(),
        };
        format!("{now} / {}", quantity(field(target, name)))
    };
    match kind {
        // For external metrics, kubectl looks at the field that is set; for object metrics, at the type.
        "External" if has(target, "averageValue") => {
            w.field(
                1,
                &format!("{} (target average value)", quoted(metric_name)),
                pair("averageValue"),
            );
        }
        "External" => w.field(
            1,
            &format!("{} (target value)", quoted(metric_name)),
            pair("value"),
        ),
        "Pods" => w.field(
            1,
            &format!("{} on pods", quoted(metric_name)),
            pair("averageValue"),
        ),
        "Object" => {
            let of = field(metric, "describedObject");
            let title = format!(
                "\"{metric_name}\" on {}/{}",
                text(of, "kind"),
                text(of, "name")
            );
            match text(target, "type") {
                "AverageValue" => w.field(
                    1,
                    &format!("{title} (target average value)"),
                    pair("averageValue"),
                ),
                _ => w.field(1, &format!("{title} (target value)"), pair("value")),
            }
        }
        _ => {
            let of = match kind {
                "Resource" => String::new(),
                _ => format!(" of container \"{}\"", text(metric, "container")),
            };
            let title = format!("resource {}{of} on pods", text(metric, "name"));
            if has(target, "averageValue") {
                return w.field(1, &title, pair("averageValue"));
            }
            let current = opt_int(now, "averageUtilization")
                .map_or(UNKNOWN.to_owned(), |percent| {
                    format!("{percent}% ({})", quantity(field(now, "averageValue")))
                });
            let wanted = opt_int(target, "averageUtilization");
            // Without a target, the metric is only reported.
            let wanted = wanted.map_or("<auto>".to_owned(), |percent| format!("{percent}%"));
            // kubectl indents the second half once more, although it is on the same line.
            w.line(
                1,
                format!("{title}  (as a percentage of request):\t{current} / {wanted}"),
            );
        }
    }
}

fn behavior(w: &mut Writer, title: &str, rules: &Value) {
    if rules.is_null() {
        return;
    }
    w.line(1, format!("{title}:"));
    if let Some(seconds) = opt_int(rules, "stabilizationWindowSeconds") {
        w.line(2, format!("Stabilization Window: {seconds} seconds"));
    }
    let policies = list(rules, "policies");
    if policies.is_empty() {
        return;
    }
    // The API server's default, for objects that were stored without it.
    let select = super::meta::or(text(rules, "selectPolicy"), "Max");
    w.line(2, format!("Select Policy: {select}"));
    w.line(2, "Policies:");
    for policy in policies {
        let (kind, value) = (text(policy, "type"), int(policy, "value"));
        let period = int(policy, "periodSeconds");
        w.line(
            3,
            format!("- Type: {kind}\tValue: {value}\tPeriod: {period} seconds"),
        );
    }
}

pub(super) fn pod_disruption_budget(w: &mut Writer, budget: &Value, related: &Related) {
    let (spec, status) = (field(budget, "spec"), field(budget, "status"));
    name_and_namespace(w, budget);
    // Validation allows only one of the two.
    if has(spec, "minAvailable") {
        w.field(0, "Min available", plain(field(spec, "minAvailable")));
    } else if has(spec, "maxUnavailable") {
        w.field(0, "Max unavailable", plain(field(spec, "maxUnavailable")));
    }
    match has(spec, "selector") {
        true => w.field(
            0,
            "Selector",
            columns::label_selector(field(spec, "selector")),
        ),
        false => w.field(0, "Selector", UNSET),
    }
    w.line(0, "Status:");
    for (title, name) in [
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ] {
        w.field(2, title, int(status, name));
    }
    events(w, related);
}

pub(super) fn priority_class(w: &mut Writer, class: &Value, related: &Related) {
    w.field(0, "Name", name(class));
    w.field(0, "Value", int(class, "value"));
    w.field(0, "GlobalDefault", flag(class, "globalDefault"));
    w.field(0, "PreemptionPolicy", text(class, "preemptionPolicy"));
    w.field(0, "Description", text(class, "description"));
    w.field(
        0,
        "Annotations",
        columns::labels(field(class, "metadata"), "annotations"),
    );
    events(w, related);
}
