//! The workloads that keep Pods running, and the templates they are made from.

use serde_json::{Value, json};

use super::common::{
    at_most_all, int_or_percent, is_empty_selector, label_selector, one_of, plain_number, selects,
    shown_selector,
};
use super::errors::Errors;
use super::meta::{nonnegative_field, update as meta_update};
use super::path::Path;
use super::{go, meta, names, pod, storage};
use crate::kinds::tree::{ensure, field, has, int, len, list, push, set_or_remove, text};

const MISMATCH: &str = "`selector` does not match template `labels`";
const STATEFUL_SET_UPDATES: &str = "updates to statefulset spec for fields other than 'replicas', \
    'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
    'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// A new PodTemplate.
pub(super) fn pod_template(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    template(&Path::root("template"), field(object, "template"), errors);
}

/// An update of a PodTemplate.
pub(super) fn pod_template_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    template(&Path::root("template"), field(object, "template"), errors);
}

/// The template of a workload at `path`.
pub(super) fn template(path: &Path<'_>, template: &Value, errors: &mut Errors) {
    let metadata = field(template, "metadata");
    meta::labels(&path.child("labels"), metadata, "labels", errors);
    meta::annotations(&path.child("annotations"), metadata, errors);
    let (path, spec) = (path.child("spec"), field(template, "spec"));
    pod::template_spec(&path, spec, errors);
    if len(spec, "ephemeralContainers") > 0 {
        errors.forbidden(
            &path.child("ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// A template whose Pods run for ever.
fn lasting_template(path: &Path<'_>, value: &Value, kind: &str, errors: &mut Errors) {
    template(path, value, errors);
    let (path, spec) = (path.child("spec"), field(value, "spec"));
    one_of(&path, spec, "restartPolicy", &["Always"], errors);
    if has(spec, "activeDeadlineSeconds") {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.forbidden(&path.child("activeDeadlineSeconds"), &detail);
    }
}

/// Whether a selector misses the labels of the template; a missing selector selects nothing.
fn misses(selector: &Value, labels: &Value) -> bool {
    selector.is_null() || selects(selector, labels) == Some(false)
}

fn check_labels(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if misses(field(spec, "selector"), labels) {
        let template = path.child("template");
        errors.invalid(
            &template.child("metadata").child("labels"),
            labels,
            MISMATCH,
        );
    }
}

/// The selector must be there, say something, and be well-formed. Answers whether it is.
fn required_selector(path: &Path<'_>, spec: &Value, called: &str, errors: &mut Errors) -> bool {
    let (path, selector) = (path.child("selector"), field(spec, "selector"));
    if selector.is_null() {
        errors.required(&path, "");
        return true;
    }
    label_selector(&path, selector, errors);
    let shown = shown_selector(selector);
    if is_empty_selector(selector) {
        let detail = format!("empty selector is invalid for {called}");
        errors.invalid_shown(&path, &shown, &detail);
    } else if selects(selector, &Value::Null).is_none() {
        errors.invalid_shown(&path, &shown, "invalid label selector");
        return false;
    }
    true
}

fn immutable_selector(object: &Value, old: &Value, errors: &mut Errors) {
    let selector = |object| field(field(object, "spec"), "selector");
    if selector(object) != selector(old) {
        let path = Path::root("spec");
        let shown = shown_selector(selector(object));
        errors.invalid_shown(&path.child("selector"), &shown, "field is immutable");
    }
}

/// A new Deployment.
pub(super) fn deployment(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    deployment_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a Deployment.
pub(super) fn deployment_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    deployment_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn deployment_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "replicas", errors);
    if required_selector(path, spec, "deployment", errors) {
        check_labels(path, spec, errors);
        let template = path.child("template");
        lasting_template(&template, field(spec, "template"), "ReplicaSet", errors);
    }
    deployment_strategy(&path.child("strategy"), field(spec, "strategy"), errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    nonnegative_field(path, spec, "revisionHistoryLimit", errors);
    if has(spec, "progressDeadlineSeconds") {
        nonnegative_field(path, spec, "progressDeadlineSeconds", errors);
        let deadline = int(spec, "progressDeadlineSeconds");
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

/// Counters in a status: none negative, and some no greater than others.
fn counters(object: &Value, names: &[&str], limits: &[(&str, &str, &str)], errors: &mut Errors) {
    let (path, status) = (Path::root("status"), field(object, "status"));
    for name in names {
        nonnegative_field(&path, status, name, errors);
    }
    for (name, limit, called) in limits {
        let value = int(status, name);
        if value > int(status, limit) {
            let detail = format!("cannot be greater than {called}");
            errors.invalid(&path.child(name), &json!(value), &detail);
        }
    }
}

/// An update of a Deployment's status.
pub(super) fn deployment_status(object: &Value, old: &Value, errors: &mut Errors) {
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
    meta_update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
}

/// A new ReplicaSet.
pub(super) fn replica_set(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a ReplicaSet.
pub(super) fn replica_set_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    replica_set_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn replica_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "replicas", errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    if required_selector(path, spec, "deployment", errors) {
        check_labels(path, spec, errors);
        let template = path.child("template");
        lasting_template(&template, field(spec, "template"), "ReplicaSet", errors);
    }
}

/// An update of the status of a ReplicaSet or ReplicationController.
pub(super) fn replica_set_status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "replicas",
        "fullyLabeledReplicas",
        "readyReplicas",
        "availableReplicas",
        "observedGeneration",
    ];
    const LIMITS: &[(&str, &str, &str)] = &[
        ("fullyLabeledReplicas", "replicas", "status.replicas"),
        ("readyReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "readyReplicas", "readyReplicas"),
    ];
    meta_update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
}

/// A new ReplicationController.
pub(super) fn replication_controller(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    controller_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a ReplicationController.
pub(super) fn replication_controller_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    controller_spec(&Path::root("spec"), field(object, "spec"), errors);
}

fn controller_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    nonnegative_field(path, spec, "minReadySeconds", errors);
    let selector = field(spec, "selector");
    if len(spec, "selector") == 0 {
        errors.required(&path.child("selector"), "");
    }
    nonnegative_field(path, spec, "replicas", errors);
    let template_path = path.child("template");
    if !has(spec, "template") {
        return errors.required(&template_path, "");
    }
    let labels = field(field(field(spec, "template"), "metadata"), "labels");
    if selects(&json!({"matchLabels": selector}), labels) == Some(false) {
        errors.invalid(
            &template_path.child("metadata").child("labels"),
            labels,
            MISMATCH,
        );
    }
    lasting_template(
        &template_path,
        field(spec, "template"),
        "ReplicationController",
        errors,
    );
}

/// A new DaemonSet.
pub(super) fn daemon_set(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    daemon_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a DaemonSet.
pub(super) fn daemon_set_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    daemon_set_spec(&Path::root("spec"), field(object, "spec"), errors);
    immutable_selector(object, old, errors);
}

fn daemon_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    let selector = field(spec, "selector");
    let selector_path = path.child("selector");
    label_selector(&selector_path, selector, errors);
    check_labels(path, spec, errors);
    if !selector.is_null() && is_empty_selector(selector) {
        let shown = shown_selector(selector);
        errors.invalid_shown(
            &selector_path,
            &shown,
            "empty selector is invalid for daemonset",
        );
    }
    let template = path.child("template");
    lasting_template(&template, field(spec, "template"), "DaemonSet", errors);
    daemon_set_strategy(
        &path.child("updateStrategy"),
        field(spec, "updateStrategy"),
        errors,
    );
    nonnegative_field(path, spec, "minReadySeconds", errors);
    nonnegative_field(path, spec, "revisionHistoryLimit", errors);
}

fn daemon_set_strategy(path: &Path<'_>, strategy: &Value, errors: &mut Errors) {
    match text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let rolling = field(strategy, "rollingUpdate");
            let path = path.child("rollingUpdate");
            for name in ["maxUnavailable", "maxSurge"] {
                int_or_percent(&path.child(name), field(rolling, name), errors);
                at_most_all(&path.child(name), field(rolling, name), errors);
            }
            let surge = field(rolling, "maxSurge");
            match (
                plain_number(field(rolling, "maxUnavailable")) != 0,
                plain_number(surge) != 0,
            ) {
                (true, true) => errors.invalid(
                    &path.child("maxSurge"),
                    surge,
                    "may not be set when maxUnavailable is non-zero",
                ),
                (false, false) => errors.required(
                    &path.child("maxUnavailable"),
                    "cannot be 0 when maxSurge is 0",
                ),
                _ => {}
            }
        }
        _ => errors.not_supported_shown(
            path,
            &go::shown_as("DaemonSetUpdateStrategy", strategy),
            &["RollingUpdate", "OnDelete"],
        ),
    }
}

/// An update of a DaemonSet's status.
pub(super) fn daemon_set_status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ];
    meta_update(object, old, errors);
    counters(object, NAMES, &[], errors);
}

/// A new StatefulSet.
pub(super) fn stateful_set(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_label, errors);
    stateful_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// An update of a StatefulSet.
pub(super) fn stateful_set_update(object: &Value, old: &Value, errors: &mut Errors) {
    const FREE: &[&str] = &[
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "ordinals",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
    ];
    meta_update(object, old, errors);
    let (path, before) = (Path::root("spec"), field(old, "spec"));
    stateful_set_spec(&path, field(object, "spec"), errors);
    let mut fixed = field(object, "spec").clone();
    for name in FREE {
        set_or_remove(&mut fixed, name, before.get(name).cloned());
    }
    if fixed != *before {
        errors.forbidden(&path, STATEFUL_SET_UPDATES);
    }
}

fn stateful_set_spec(path: &Path<'_>, spec: &Value, errors: &mut Errors) {
    match text(spec, "podManagementPolicy") {
        "OrderedReady" | "Parallel" => {}
        "" => errors.required(&path.child("podManagementPolicy"), ""),
        policy => errors.invalid_shown(
            &path.child("podManagementPolicy"),
            &go::quoted(policy),
            "must be 'OrderedReady' or 'Parallel'",
        ),
    }
    let strategy = field(spec, "updateStrategy");
    stateful_set_strategy(&path.child("updateStrategy"), strategy, errors);
    let retention_path = path.child("persistentVolumeClaimRetentionPolicy");
    let retention = field(spec, "persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        one_of(
            &retention_path,
            retention,
            name,
            &["Retain", "Delete"],
            errors,
        );
    }
    nonnegative_field(path, spec, "replicas", errors);
    nonnegative_field(path, spec, "minReadySeconds", errors);
    let ordinals = field(spec, "ordinals");
    nonnegative_field(&path.child("ordinals"), ordinals, "start", errors);
    if required_selector(path, spec, "statefulset", errors) {
        check_labels(path, spec, errors);
        let template = with_claims(spec);
        lasting_template(&path.child("template"), &template, "StatefulSet", errors);
    }
    super::common::optional_name(path, spec, "serviceName", names::dns1123_label, errors);
    let claims = path.child("volumeClaimTemplates");
    for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
        let path = claims.index(index);
        storage::claim_spec(&path.child("spec"), field(claim, "spec"), errors);
    }
}

/// The template with the volumes that the claims will give its Pods.
fn with_claims(spec: &Value) -> Value {
    let mut template = field(spec, "template").clone();
    let pod = ensure(&mut template, "spec");
    for claim in list(spec, "volumeClaimTemplates") {
        let name = text(field(claim, "metadata"), "name");
        let known = list(pod, "volumes").iter().any(|v| text(v, "name") == name);
        if !known && names::dns1123_label(name).is_empty() {
            let source = json!({"claimName": name});
            push(
                pod,
                "volumes",
                json!({"name": name, "persistentVolumeClaim": source}),
            );
        }
    }
    template
}

fn stateful_set_strategy(path: &Path<'_>, strategy: &Value, errors: &mut Errors) {
    let (rolling_path, rolling) = (
        path.child("rollingUpdate"),
        field(strategy, "rollingUpdate"),
    );
    match text(strategy, "type") {
        "" => errors.required(path, ""),
        "OnDelete" if !rolling.is_null() => errors.invalid_shown(
            &rolling_path,
            &go::shown_as("RollingUpdateStatefulSetStrategy", rolling),
            "only allowed for updateStrategy 'RollingUpdate'",
        ),
        "OnDelete" => {}
        "RollingUpdate" => nonnegative_field(&rolling_path, rolling, "partition", errors),
        _ => errors.invalid_shown(
            path,
            &go::shown_as("StatefulSetUpdateStrategy", strategy),
            "must be 'RollingUpdate' or 'OnDelete'",
        ),
    }
}

/// An update of a StatefulSet's status.
pub(super) fn stateful_set_status(object: &Value, old: &Value, errors: &mut Errors) {
    const NAMES: &[&str] = &[
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    ];
    const LIMITS: &[(&str, &str, &str)] = &[
        ("readyReplicas", "replicas", "status.replicas"),
        ("currentReplicas", "replicas", "status.replicas"),
        ("updatedReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "replicas", "status.replicas"),
        ("availableReplicas", "readyReplicas", "status.readyReplicas"),
    ];
    meta_update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
}

/// A new ControllerRevision.
pub(super) fn controller_revision(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    revision(object, errors);
}

/// An update of a ControllerRevision.
pub(super) fn controller_revision_update(object: &Value, old: &Value, errors: &mut Errors) {
    meta_update(object, old, errors);
    revision(object, errors);
    meta::immutable(
        &Path::root("data"),
        field(object, "data"),
        field(old, "data"),
        errors,
    );
}

fn revision(object: &Value, errors: &mut Errors) {
    if !has(object, "data") {
        errors.required(&Path::root("data"), "data is mandatory");
    }
    meta::nonnegative(&Path::root("revision"), int(object, "revision"), errors);
}
