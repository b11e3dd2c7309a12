//! The rules of a Deployment.

use crate::api::json::{Value, json};
use crate::tree::{field, has, int, text};
use crate::validate::common::{at_most_all, int_or_percent, plain_number};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload::{
    check_labels, collisions, counters, immutable_selector, lasting_template, required_selector,
};
use crate::validate::{go, meta, names};

/// Validates a new Deployment.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    deployment_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a Deployment.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    deployment_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn deployment_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "replicas", errors);
    if required_selector(path, spec, "deployment", errors) {
        check_labels(path, spec, errors);
        let template = path.child("template");
        // Upstream shares this rule with ReplicaSets, so the message names them.
        lasting_template(&template, field(spec, "template"), "ReplicaSet", errors);
    }
    deployment_strategy(&path.child("strategy"), field(spec, "strategy"), errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    nonnegative_field(path, spec, "revisionHistoryLimit", errors);
    if has(spec, "progressDeadlineSeconds") {
        nonnegative_field(path, spec, "progressDeadlineSeconds", errors);
        let deadline = int(spec, "progressDeadlineSeconds");
        // A Pod counts as progress only once it is available. The deadline would pass before any Pod could be.
        if deadline <= int(spec, "minReadySeconds") {
            errors.invalid(
                &path.child("progressDeadlineSeconds"),
                &json!(deadline),
                "must be greater than minReadySeconds",
            );
        }
    }
}

fn deployment_strategy(path: &Path<'_>, strategy: &Value, errors: &mut Errors) {
    let (rolling_path, rolling) = (
        path.child("rollingUpdate"),
        field(strategy, "rollingUpdate"),
    );
    match text(strategy, "type") {
        "Recreate" if !rolling.is_null() => errors.forbidden(
            &rolling_path,
            "may not be specified when strategy `type` is 'Recreate'",
        ),
        "Recreate" => {}
        "RollingUpdate" => {
            let (unavailable, surge) =
                (field(rolling, "maxUnavailable"), field(rolling, "maxSurge"));
            let unavailable_path = rolling_path.child("maxUnavailable");
            int_or_percent(&unavailable_path, unavailable, errors);
            int_or_percent(&rolling_path.child("maxSurge"), surge, errors);
            // With no Pod less and no Pod more, the rollout could never take a step.
            if plain_number(unavailable) == 0 && plain_number(surge) == 0 {
                let detail = "may not be 0 when `maxSurge` is 0";
                errors.invalid(&unavailable_path, unavailable, detail);
            }
            at_most_all(&unavailable_path, unavailable, errors);
        }
        _ => errors.not_supported_shown(
            path,
            &go::shown_as("DeploymentStrategy", strategy),
            &["Recreate", "RollingUpdate"],
        ),
    }
}

/// Validates an update of a Deployment's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "collisionCount",
    ];
    const LIMITS: &[(&str, &str, &str)] = &[
        ("updatedReplicas", "replicas", "status.replicas"),
        ("readyReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "readyReplicas", "readyReplicas"),
    ];
    meta::update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
    collisions(object, old, errors);
}
