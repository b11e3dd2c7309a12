//! The table cells of a HorizontalPodAutoscaler.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, UNKNOWN, UNSET, age, at_most};
use crate::columns::name;
use crate::tree::{as_text, at, field, has, int, list, opt_int, text};

pub(crate) fn row(object: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    let target = field(spec, "scaleTargetRef");
    let least = opt_int(spec, "minReplicas").map_or(UNSET.to_owned(), |n| n.to_string());
    vec![
        name(object),
        json!(format!("{}/{}", text(target, "kind"), text(target, "name"))),
        json!(targets(object)),
        json!(least),
        json!(int(spec, "maxReplicas")),
        json!(int(status, "currentReplicas")),
        json!(age(object, now)),
    ]
}

fn targets(object: &Value) -> String {
    let (spec, status) = (field(object, "spec"), field(object, "status"));
    // Only v1 objects have this field; they are printed without conversion.
    if let Some(target) = opt_int(spec, "targetCPUUtilizationPercentage") {
        let current = percent(field(status, "currentCPUUtilizationPercentage"), UNKNOWN);
        return format!("cpu: {current}/{target}%");
    }
    let now = list(status, "currentMetrics");
    let all: Vec<String> = list(spec, "metrics")
        .iter()
        .enumerate()
        // The controller writes current metrics in the order of the spec, and upstream pairs them by position.
        .map(|(index, metric)| target(metric, now.get(index).unwrap_or(&Value::Null)))
        .collect();
    match all.is_empty() {
        true => NONE.to_owned(),
        false => at_most(&all, 2, ", "),
    }
}

fn percent(value: &Value, otherwise: &str) -> String {
    match value.as_i64() {
        Some(number) => format!("{number}%"),
        None => otherwise.to_owned(),
    }
}

/// Formats one metric: the current value and the target.
fn target(metric: &Value, status: &Value) -> String {
    let (key, named) = match text(metric, "type") {
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "External" => ("external", false),
        _ => return "<unknown type>".to_owned(),
    };
    let (source, current) = (field(metric, key), at(status, &[key, "current"]));
    let wanted = field(source, "target");
    let amount = |holder: &Value, name: &str| match as_text(field(holder, name)) {
        "" => UNKNOWN.to_owned(),
        amount => amount.to_owned(),
    };
    let average = has(wanted, "averageValue");
    if named {
        let name = text(source, "name");
        return match average {
            true => format!(
                "{name}: {}/{}",
                amount(current, "averageValue"),
                amount(wanted, "averageValue")
            ),
            false => format!(
                "{name}: {}/{}",
                percent(field(current, "averageUtilization"), UNKNOWN),
                // Upstream prints this for a target of neither form, which validation rejects today.
                percent(field(wanted, "averageUtilization"), "<auto>")
            ),
        };
    }
    let (field, suffix) = match (key, average) {
        ("pods", _) => ("averageValue", ""),
        (_, true) => ("averageValue", " (avg)"),
        (_, false) => ("value", ""),
    };
    format!(
        "{}/{}{suffix}",
        amount(current, field),
        amount(wanted, field)
    )
}
