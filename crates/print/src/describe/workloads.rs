//! Deployments, ReplicaSets, ReplicationControllers, StatefulSets and DaemonSets.

use super::events::events;
use super::meta::{
    controlled_by, created, labels, labels_and_annotations, name, name_and_namespace, parse, plain,
    short_conditions,
};
use super::related::{NONE, Related, RelatedKind};
use super::template::template;
use super::writer::Writer;
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kinds::columns;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, flag, has, int, list, text, texts};

/// Formats a selector. A selector of all objects is empty.
pub(super) fn selector(selector: &Value) -> String {
    match columns::label_selector(selector) {
        // kubectl prints the selector itself here, but `<none>` in tables.
        none if none == NONE => String::new(),
        shown => shown,
    }
}

pub(super) fn deployment(w: &mut Writer, deployment: &Value, related: &Related) {
    let (spec, status) = (field(deployment, "spec"), field(deployment, "status"));
    name_and_namespace(w, deployment);
    created(w, deployment, related);
    labels_and_annotations(w, deployment);
    w.field(0, "Selector", selector(field(spec, "selector")));
    w.field(
        0,
        "Replicas",
        format!(
            "{} desired | {} updated | {} total | {} available | {} unavailable",
            int(spec, "replicas"),
            int(status, "updatedReplicas"),
            int(status, "replicas"),
            int(status, "availableReplicas"),
            int(status, "unavailableReplicas")
        ),
    );
    w.field(0, "StrategyType", text(field(spec, "strategy"), "type"));
    w.field(0, "MinReadySeconds", int(spec, "minReadySeconds"));
    let update = at(spec, &["strategy", "rollingUpdate"]);
    // Only `RollingUpdate` has these fields: the API server sets defaults for no other type.
    if !update.is_null() {
        let amount = |name: &str| plain(field(update, name));
        let shown = format!(
            "{} max unavailable, {} max surge",
            amount("maxUnavailable"),
            amount("maxSurge")
        );
        w.field(0, "RollingUpdateStrategy", shown);
    }
    template(w, field(spec, "template"));
    short_conditions(w, deployment);
    let (new, old) = replica_sets(deployment, &related.replica_sets);
    // Before the controller's first reconcile, nothing is shown, not even `<none>`.
    if new.is_some() || !old.is_empty() {
        w.field(0, "OldReplicaSets", replicas(&old));
        let new: Vec<&Value> = new.into_iter().collect();
        w.field(0, "NewReplicaSet", replicas(&new));
    }
    events(w, related);
}

/// Returns the ReplicaSet with the current template, and all others, the oldest first.
fn replica_sets<'a>(deployment: &Value, all: &'a [Value]) -> (Option<&'a Value>, Vec<&'a Value>) {
    let metadata = |object: &'a Value| field(object, "metadata");
    let selector = LabelSelector::from_object(deployment.pointer("/spec/selector"))
        // An invalid selector selects nothing rather than everything.
        .unwrap_or_else(|_| LabelSelector::nothing());
    let mut owned: Vec<&Value> = all
        .iter()
        .filter(|set| is_controlled_by(set, deployment) && selector.matches_object(set))
        .collect();
    // If several ReplicaSets have the current template, the controller uses the oldest. Within the same second, the
    // name decides.
    owned.sort_by_cached_key(|set| {
        (
            parse(field(metadata(set), "creationTimestamp")),
            name(set).to_owned(),
        )
    });
    let wanted = without_hash(at(deployment, &["spec", "template"]));
    let new = owned
        .iter()
        .position(|set| without_hash(at(set, &["spec", "template"])) == wanted);
    let new = new.map(|at| owned.remove(at));
    (new, owned)
}

fn without_hash(template: &Value) -> Value {
    let mut template = template.clone();
    if let Some(labels) = template
        .pointer_mut("/metadata/labels")
        .and_then(Value::as_object_mut)
    {
        // The controller adds the hash to the templates of ReplicaSets, so it is removed before the comparison.
        labels.remove("pod-template-hash");
    }
    template
}

fn replicas(sets: &[&Value]) -> String {
    let shown = |set: &&Value| {
        let (have, want) = (
            int(field(set, "status"), "replicas"),
            int(field(set, "spec"), "replicas"),
        );
        format!("{} ({have}/{want} replicas created)", name(set))
    };
    let all: Vec<String> = sets.iter().map(shown).collect();
    super::meta::or_none(&all.join(", ")).to_owned()
}

fn is_controlled_by(object: &Value, owner: &Value) -> bool {
    let uid = text(field(owner, "metadata"), "uid");
    let owners = list(field(object, "metadata"), "ownerReferences");
    owners
        .iter()
        .any(|owner| flag(owner, "controller") && text(owner, "uid") == uid)
}

/// Counts a workload's Pods by phase.
fn pods_status(workload: &Value, selector: &LabelSelector, pods: &[Value]) -> String {
    let mut counts = [0; 4];
    let owned = pods
        .iter()
        // As in kubectl, matching Pods with another controller are not counted.
        .filter(|pod| is_controlled_by(pod, workload) && selector.matches_object(pod));
    for pod in owned {
        let phase = text(field(pod, "status"), "phase");
        let phases = ["Running", "Pending", "Succeeded", "Failed"];
        // A Pod in the phase `Unknown` is in none of the four columns.
        if let Some(at) = phases.iter().position(|known| *known == phase) {
            counts[at] += 1;
        }
    }
    let [running, waiting, succeeded, failed] = counts;
    format!("{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed")
}

fn by_selector(w: &mut Writer, workload: &Value, related: &Related) {
    let selector = LabelSelector::from_object(workload.pointer("/spec/selector"));
    let selector = selector.unwrap_or_else(|_| LabelSelector::nothing());
    // Of the workloads, kubectl describes only ReplicaSets if the user may not list Pods.
    let status = match related.refusal(RelatedKind::PodsOrError) {
        Some(why) => format!("error in fetching pods: {why}"),
        None => pods_status(workload, &selector, &related.pods),
    };
    w.field(0, "Pods Status", status);
}

pub(super) fn replica_set(w: &mut Writer, set: &Value, related: &Related) {
    let spec = field(set, "spec");
    name_and_namespace(w, set);
    w.field(
        0,
        "Selector",
        columns::label_selector(field(spec, "selector")),
    );
    labels_and_annotations(w, set);
    controlled_by(w, set);
    current_and_desired(w, set);
    by_selector(w, set, related);
    template(w, field(spec, "template"));
    short_conditions(w, set);
    events(w, related);
}

fn current_and_desired(w: &mut Writer, object: &Value) {
    let (have, want) = (
        int(field(object, "status"), "replicas"),
        int(field(object, "spec"), "replicas"),
    );
    w.field(0, "Replicas", format!("{have} current / {want} desired"));
}

pub(super) fn replication_controller(w: &mut Writer, controller: &Value, related: &Related) {
    let spec = field(controller, "spec");
    name_and_namespace(w, controller);
    w.field(0, "Selector", columns::labels(spec, "selector"));
    labels_and_annotations(w, controller);
    current_and_desired(w, controller);
    // A ReplicationController is the only workload whose selector is a plain map.
    let selector = LabelSelector::from_labels(spec.get("selector"))
        .unwrap_or_else(|_| LabelSelector::nothing());
    w.field(
        0,
        "Pods Status",
        pods_status(controller, &selector, &related.pods),
    );
    template(w, field(spec, "template"));
    short_conditions(w, controller);
    events(w, related);
}

pub(super) fn stateful_set(w: &mut Writer, set: &Value, related: &Related) {
    let (spec, status) = (field(set, "spec"), field(set, "status"));
    name_and_namespace(w, set);
    created(w, set, related);
    w.field(0, "Selector", selector(field(spec, "selector")));
    labels_and_annotations(w, set);
    let (want, have) = (int(spec, "replicas"), int(status, "replicas"));
    w.field(0, "Replicas", format!("{want} desired | {have} total"));
    w.field(
        0,
        "Update Strategy",
        text(field(spec, "updateStrategy"), "type"),
    );
    let update = at(spec, &["updateStrategy", "rollingUpdate"]);
    // kubectl nests `maxUnavailable` in `partition`, for which the API server always sets a default.
    if has(update, "partition") {
        w.field(1, "Partition", int(update, "partition"));
        if has(update, "maxUnavailable") {
            w.field(1, "MaxUnavailable", plain(field(update, "maxUnavailable")));
        }
    }
    by_selector(w, set, related);
    template(w, field(spec, "template"));
    claim_templates(w, list(spec, "volumeClaimTemplates"));
    events(w, related);
}

fn claim_templates(w: &mut Writer, templates: &[Value]) {
    if templates.is_empty() {
        return w.field(0, "Volume Claims", NONE);
    }
    w.line(0, "Volume Claims:");
    for claim in templates {
        let (metadata, spec) = (field(claim, "metadata"), field(claim, "spec"));
        w.field(1, "Name", name(claim));
        w.field(1, "StorageClass", super::storage::class_of(claim));
        labels(w, 1, "Labels", metadata, "labels");
        labels(w, 1, "Annotations", metadata, "annotations");
        let storage = at(spec, &["resources", "requests", "storage"]);
        match storage.is_null() {
            true => w.field(1, "Capacity", "<default>"),
            false => w.field(1, "Capacity", quantity(storage)),
        }
        w.field(
            1,
            "Access Modes",
            super::meta::go_list(texts(spec, "accessModes")),
        );
    }
}

pub(super) fn daemon_set(w: &mut Writer, set: &Value, related: &Related) {
    let (spec, status) = (field(set, "spec"), field(set, "status"));
    name_and_namespace(w, set);
    w.field(0, "Selector", selector(field(spec, "selector")));
    let node_selector = columns::labels(at(spec, &["template", "spec"]), "nodeSelector");
    w.field(0, "Node-Selector", node_selector);
    labels_and_annotations(w, set);
    for (title, name) in [
        (
            "Desired Number of Nodes Scheduled",
            "desiredNumberScheduled",
        ),
        (
            "Current Number of Nodes Scheduled",
            "currentNumberScheduled",
        ),
        (
            "Number of Nodes Scheduled with Up-to-date Pods",
            "updatedNumberScheduled",
        ),
        (
            "Number of Nodes Scheduled with Available Pods",
            "numberAvailable",
        ),
        ("Number of Nodes Misscheduled", "numberMisscheduled"),
    ] {
        // kubectl writes these lines without a tab, so the alignment of columns ignores them.
        w.line(0, format!("{title}: {}", int(status, name)));
    }
    by_selector(w, set, related);
    template(w, field(spec, "template"));
    events(w, related);
}
