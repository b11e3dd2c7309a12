//! The rules of a HorizontalPodAutoscaler.

use crate::api::json::{Value, json};
use crate::kind::split_api_version;
use crate::pod::resources::quantity;
use crate::tree::{field, has, int, len, list, opt_int, set, take, text};
use crate::validate::common::{
    container_resource_name, label_selector, nonnegative_amount, one_of, required_name,
    shown_amount,
};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

/// The field of each metric type, in the order in which the API server checks them.
const SOURCES: &[(&str, &str)] = &[
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];

const TYPES: &[&str] = &[
    "ContainerResource",
    "External",
    "Object",
    "Pods",
    "Resource",
];
const TWO_TARGETS: &str = "may not set both a target raw value and a target utilization";
const NO_TARGET: &str = "must set either a target raw value or a target utilization";

/// Validates a new HorizontalPodAutoscaler of either version.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    spec(object, &Value::Null, errors);
}

/// Validates an update of a HorizontalPodAutoscaler.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    spec(object, old, errors);
}

/// Validates an update of a HorizontalPodAutoscaler's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in ["currentReplicas", "desiredReplicas"] {
        nonnegative_field(&path, status, name, errors);
    }
}

/// Converts a spec of `autoscaling/v1`, which has only the CPU metric, so that the same rules apply to both versions.
fn as_new_version(spec: &Value) -> Value {
    let mut spec = spec.clone();
    if let Some(percent) = take(&mut spec, "targetCPUUtilizationPercentage") {
        let target = json!({"type": "Utilization", "averageUtilization": percent});
        let metric = json!({"type": "Resource", "resource": {"name": "cpu", "target": target}});
        set(&mut spec, "metrics", json!([metric]));
    }
    spec
}

fn spec(object: &Value, old: &Value, errors: &mut Errors) {
    let spec = &as_new_version(field(object, "spec"));
    let path = Path::root("spec");
    let (least, most) = (opt_int(spec, "minReplicas"), int(spec, "maxReplicas"));
    if let Some(least) = least.filter(|least| *least < 1) {
        let detail = "must be greater than or equal to 1";
        errors.invalid(&path.child("minReplicas"), &json!(least), detail);
    }
    // A missing field is 0 in Go, so upstream reports all of these values as missing.
    if most < 1 {
        errors.required(&path.child("maxReplicas"), "must be set and greater than 0");
    }
    if least.is_some_and(|least| most < least) {
        let detail = "must be greater than or equal to `minReplicas`";
        errors.invalid(&path.child("maxReplicas"), &json!(most), detail);
    }
    let target = field(spec, "scaleTargetRef");
    let target_path = path.child("scaleTargetRef");
    reference(&target_path, target, errors);
    let before = field(field(old, "spec"), "scaleTargetRef");
    // Check the reference only if it changed, so that objects accepted by an older server stay valid.
    if ["apiVersion", "kind"]
        .iter()
        .any(|name| text(target, name) != text(before, name))
    {
        api_version(&target_path, target, errors);
    }
    let (group, _) = split_api_version(text(target, "apiVersion"));
    // Only one kind of the core group has a scale subresource, so a missing group is most likely a mistake.
    if group.is_empty() && text(target, "kind") != "ReplicationController" {
        let detail = "apiVersion must specify API group";
        let shown = go::quoted(text(target, "apiVersion"));
        errors.invalid_shown(&target_path.child("apiVersion"), &shown, detail);
    }
    metrics(&path.child("metrics"), spec, errors);
    let behavior = field(spec, "behavior");
    for name in ["scaleUp", "scaleDown"] {
        let path = path.child("behavior");
        scaling_rules(&path.child(name), field(behavior, name), errors);
    }
}

fn reference(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    for name in ["kind", "name"] {
        required_name(path, reference, name, names::path_segment, errors);
    }
}

fn api_version(path: &Path<'_>, reference: &Value, errors: &mut Errors) {
    let version = text(reference, "apiVersion");
    if version.matches('/').count() > 1 {
        let detail = format!("unexpected GroupVersion string: {version}");
        errors.invalid_shown(&path.child("apiVersion"), &go::quoted(version), &detail);
    }
}

fn metrics(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let mut wakes = false;
    for (index, metric) in list(spec, "metrics").iter().enumerate() {
        let path = path.index(index);
        // Once no Pod is left, Pod metrics cannot scale the workload up again.
        wakes |= matches!(text(metric, "type"), "Object" | "External");
        self::metric(&path, metric, errors);
    }
    if opt_int(spec, "minReplicas") == Some(0) && !wakes {
        errors.forbidden(
            path,
            "must specify at least one Object or External metric to support scaling to zero replicas",
        );
    }
}

fn metric(path: &Path<'_>, metric: &Value, errors: &mut Errors) {
    let kind = text(metric, "type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric source type");
    }
    let supported = |errors: &mut Errors| {
        errors.not_supported_shown(&path.child("type"), &go::quoted(kind), TYPES);
    };
    if !TYPES.contains(&kind) {
        supported(errors);
    }
    let present: Vec<&str> = SOURCES
        .iter()
        .map(|(_, name)| *name)
        .filter(|name| has(metric, name))
        .collect();
    // Only the first source is validated. All others are errors because they are present.
    if let Some(name) = present.first() {
        source(&path.child(name), name, field(metric, name), errors);
    }
    let Some((_, expected)) = SOURCES.iter().find(|(name, _)| *name == kind) else {
        // Like upstream, report the type twice.
        return supported(errors);
    };
    if !present.contains(expected) {
        let detail = "must populate information for the given metric source";
        errors.required(&path.child(expected), detail);
    }
    if present.len() != 1 {
        for name in present.iter().filter(|name| *name != expected) {
            let detail = "must populate the given metric source only";
            errors.forbidden(&path.child(name), detail);
        }
    }
}

fn source(path: &Path<'_>, name: &str, source: &Value, errors: &mut Errors) {
    let target = field(source, "target");
    let target_path = path.child("target");
    if matches!(name, "resource" | "containerResource") {
        if name == "containerResource" {
            let path = path.child("container");
            match text(source, "container") {
                "" => errors.required(&path, "must specify a container"),
                name => errors.invalid_each(&path, name, names::dns1123_label(name)),
            }
        }
        match text(source, "name") {
            "" => errors.required(&path.child("name"), "must specify a resource name"),
            resource if name == "containerResource" => {
                container_resource_name(&path.child("name"), resource, errors);
            }
            _ => {}
        }
    } else {
        if name == "object" {
            let described = field(source, "describedObject");
            let path = path.child("describedObject");
            reference(&path, described, errors);
            api_version(&path, described, errors);
        }
        let metric = field(source, "metric");
        let metric_path = path.child("metric");
        match text(metric, "name") {
            "" => errors.required(&metric_path.child("name"), "must specify a metric name"),
            name => {
                errors.invalid_each(&metric_path.child("name"), name, names::path_segment(name))
            }
        }
        label_selector(
            &metric_path.child("selector"),
            field(metric, "selector"),
            errors,
        );
    }
    self::target(&target_path, target, errors);
    let (value, average) = (has(target, "value"), has(target, "averageValue"));
    let average_path = target_path.child("averageValue");
    match name {
        "object" if !value && !average => {
            errors.required(
                &average_path,
                "must set either a target value or averageValue",
            );
        }
        "external" if !value && !average => errors.required(
            &average_path,
            "must set either a target value for metric or a per-pod target",
        ),
        "external" if value && average => errors.forbidden(
            &target_path.child("value"),
            "may not set both a target value for metric and a per-pod target",
        ),
        // An absent quantity is zero, so this also covers a missing average.
        "pods" if quantity(field(target, "averageValue")).signum() <= 0 => {
            errors.required(&average_path, "must specify a positive target averageValue");
        }
        "resource" | "containerResource" => match (has(target, "averageUtilization"), average) {
            (false, false) => {
                errors.required(&target_path.child("averageUtilization"), NO_TARGET);
            }
            (true, true) => errors.forbidden(&average_path, TWO_TARGETS),
            _ => {}
        },
        _ => {}
    }
}

fn target(path: &Path<'_>, target: &Value, errors: &mut Errors) {
    let kind = text(target, "type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "must specify a metric target type");
    }
    // A missing type gets both errors.
    match kind {
        "Utilization" | "Value" | "AverageValue" => {}
        other => errors.invalid_shown(
            &path.child("type"),
            &go::quoted(other),
            "must be either Utilization, Value, or AverageValue",
        ),
    }
    for name in ["value", "averageValue"] {
        let amount = quantity(field(target, name));
        if has(target, name) && amount.signum() <= 0 {
            errors.invalid_shown(
                &path.child(name),
                &shown_amount(&amount),
                "must be positive",
            );
        }
    }
    if let Some(percent) = opt_int(target, "averageUtilization").filter(|p| *p < 1) {
        let detail = "must be greater than 0";
        errors.invalid(&path.child("averageUtilization"), &json!(percent), detail);
    }
}

fn scaling_rules(path: &Path<'_>, rules: &Value, errors: &mut Errors) {
    if rules.is_null() {
        return;
    }
    let window = int(rules, "stabilizationWindowSeconds");
    let wrong = match window {
        ..0 => "must be greater than or equal to zero",
        // `MaxStabilizationWindowSeconds`: the controller keeps recommendations for this long.
        3601.. => "must be less than or equal to 3600",
        _ => "",
    };
    if !wrong.is_empty() {
        errors.invalid(
            &path.child("stabilizationWindowSeconds"),
            &json!(window),
            wrong,
        );
    }
    let policies = &["Disabled", "Max", "Min"];
    one_of(path, rules, "selectPolicy", policies, errors);
    let policies = path.child("policies");
    if len(rules, "policies") == 0 {
        errors.required(&policies, "must specify at least one Policy");
    }
    for (index, policy) in list(rules, "policies").iter().enumerate() {
        let path = policies.index(index);
        one_of(&path, policy, "type", &["Percent", "Pods"], errors);
        let (value, period) = (int(policy, "value"), int(policy, "periodSeconds"));
        if value <= 0 {
            errors.invalid(
                &path.child("value"),
                &json!(value),
                "must be greater than zero",
            );
        }
        let path = path.child("periodSeconds");
        if period <= 0 {
            errors.invalid(&path, &json!(period), "must be greater than zero");
        // `MaxPeriodSeconds`: the controller keeps scale events for this long.
        } else if period > 1800 {
            errors.invalid(&path, &json!(period), "must be less than or equal to 1800");
        }
    }
    if has(rules, "tolerance") {
        let amount = quantity(field(rules, "tolerance"));
        nonnegative_amount(&path.child("tolerance"), &amount, errors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(target: &str, metric: &Value, old: &Value) -> Vec<String> {
        let mut errors = Errors::default();
        let object = json!({"spec": {"maxReplicas": 2, "metrics": [metric],
            "scaleTargetRef": {"apiVersion": target, "kind": "Deployment", "name": "d"}}});
        spec(&object, old, &mut errors);
        let causes = errors.into_causes();
        causes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_api_version_of_a_target_has_one_slash() {
        let metric = json!({"type": "Resource", "resource": {"name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 50}}});
        assert!(messages("apps/v1", &metric, &Value::Null).is_empty());
        assert_eq!(
            messages("a/b/c", &metric, &Value::Null),
            [
                "spec.scaleTargetRef.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c"
            ]
        );
        let old =
            json!({"spec": {"scaleTargetRef": {"apiVersion": "a/b/c", "kind": "Deployment"}}});
        assert!(messages("a/b/c", &metric, &old).is_empty());
    }

    #[test]
    fn absent_types_are_unsupported_as_well() {
        let metric = json!({"type": "", "containerResource": {"name": "cpu", "container": "A b",
            "target": {"averageUtilization": 50}}});
        let short: Vec<_> = messages("apps/v1", &metric, &Value::Null)
            .iter()
            .map(|message| message.chars().take(64).collect::<String>())
            .collect();
        let of = |place: &str, error: &str| format!("spec.metrics[0].{place}: {error}");
        let cut = |text: String| text.chars().take(64).collect::<String>();
        assert_eq!(
            short,
            [
                of("type", "Required value: must specify a metric source type"),
                of("type", "Unsupported value: \"\": supported values: \"Co"),
                of(
                    "containerResource.container",
                    "Invalid value: \"A b\": a lowercase"
                ),
                of(
                    "containerResource.target.type",
                    "Required value: must specify a"
                ),
                of(
                    "containerResource.target.type",
                    "Invalid value: \"\": must be either"
                ),
                of("type", "Unsupported value: \"\": supported values: \"Co"),
            ]
            .map(cut)
        );
    }
}
