//! The rules of a StatefulSet.

use std::collections::HashSet;

use crate::api::json::{Value, json};
use crate::tree::{ensure, field, list, push, set_or_remove, text};
use crate::validate::common::{one_of, optional_name};
use crate::validate::errors::Errors;
use crate::validate::meta::nonnegative_field;
use crate::validate::path::Path;
use crate::validate::workload::{
    check_labels, collisions, counters, lasting_template, required_selector,
};
use crate::validate::{claim, go, meta, names};

const STATEFUL_SET_UPDATES: &str = "updates to statefulset spec for fields other than 'replicas', \
    'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', \
    'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/// Validates a new StatefulSet.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_label, errors);
    stateful_set_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a StatefulSet.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    const FREE: &[&str] = &[
        "replicas",
        "template",
        "updateStrategy",
        "minReadySeconds",
        "ordinals",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
    ];
    meta::update(object, old, errors);
    let (path, before) = (Path::root("spec"), field(old, "spec"));
    stateful_set_spec(&path, field(object, "spec"), errors);
    // Reset the mutable fields to their old values. Any remaining difference is in an immutable field, and fields of
    // later versions count as immutable.
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
        // The controller gives every Pod a volume for each claim template, so containers may mount them.
        let template = with_claims(spec);
        lasting_template(&path.child("template"), &template, "StatefulSet", errors);
    }
    optional_name(path, spec, "serviceName", names::dns1123_label, errors);
    let claims = path.child("volumeClaimTemplates");
    for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
        let path = claims.index(index);
        claim::claim_spec(&path.child("spec"), field(claim, "spec"), errors);
    }
}

/// Returns the template with the volumes that the claim templates will add to its Pods.
fn with_claims(spec: &Value) -> Value {
    let mut template = field(spec, "template").clone();
    let pod = ensure(&mut template, "spec");
    let volumes = list(pod, "volumes").iter();
    let mut known: HashSet<String> = volumes.map(|v| text(v, "name").to_owned()).collect();
    for claim in list(spec, "volumeClaimTemplates") {
        let name = text(field(claim, "metadata"), "name");
        // A claim template replaces a volume of the same name, so count only one of them.
        if names::dns1123_label(name).is_empty() && known.insert(name.to_owned()) {
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
        // Without a rolling update, the partition has no meaning.
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

/// Validates an update of a StatefulSet's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
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
    meta::update(object, old, errors);
    counters(object, NAMES, LIMITS, errors);
    collisions(object, old, errors);
}
