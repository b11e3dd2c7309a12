//! The workloads that keep Pods running.

use jiff::Timestamp;

use super::format::{NONE, age, containers, label_selector, labels};
use super::name;
use crate::api::json::{Value, json};
use crate::kind::split_api_version;
use crate::tree::{at, field, flag, int, list, text};

fn template(object: &Value) -> &Value {
    at(object, &["spec", "template", "spec"])
}

fn selector(object: &Value) -> Value {
    json!(label_selector(at(object, &["spec", "selector"])))
}

pub(super) fn deployment(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let desired = int(field(object, "spec"), "replicas");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(format!("{}/{desired}", int(status, "readyReplicas"))),
        json!(int(status, "updatedReplicas")),
        json!(int(status, "availableReplicas")),
        json!(age(object, now)),
        names,
        images,
        selector(object),
    ]
}

pub(super) fn replica_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicas(object, now);
    cells.push(selector(object));
    cells
}

pub(super) fn replication_controller(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicas(object, now);
    cells.push(json!(labels(field(object, "spec"), "selector")));
    cells
}

fn replicas(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(int(field(object, "spec"), "replicas")),
        json!(int(status, "replicas")),
        json!(int(status, "readyReplicas")),
        json!(age(object, now)),
        names,
        images,
    ]
}

pub(super) fn stateful_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let ready = int(field(object, "status"), "readyReplicas");
    let desired = int(field(object, "spec"), "replicas");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(format!("{ready}/{desired}")),
        json!(age(object, now)),
        names,
        images,
    ]
}

pub(super) fn daemon_set(object: &Value, now: Timestamp) -> Vec<Value> {
    let status = field(object, "status");
    let [names, images] = containers(template(object));
    vec![
        name(object),
        json!(int(status, "desiredNumberScheduled")),
        json!(int(status, "currentNumberScheduled")),
        json!(int(status, "numberReady")),
        json!(int(status, "updatedNumberScheduled")),
        json!(int(status, "numberAvailable")),
        json!(labels(template(object), "nodeSelector")),
        json!(age(object, now)),
        names,
        images,
        selector(object),
    ]
}

pub(super) fn pod_template(object: &Value, _now: Timestamp) -> Vec<Value> {
    let template = field(object, "template");
    let [names, images] = containers(field(template, "spec"));
    let labels = labels(field(template, "metadata"), "labels");
    vec![name(object), names, images, json!(labels)]
}

pub(super) fn controller_revision(object: &Value, now: Timestamp) -> Vec<Value> {
    let owners = list(field(object, "metadata"), "ownerReferences");
    let owner = owners.iter().find(|owner| flag(owner, "controller"));
    let owner = owner.map_or(NONE.to_owned(), |owner| {
        let kind = text(owner, "kind").to_lowercase();
        let (group, _) = split_api_version(text(owner, "apiVersion"));
        match group {
            "" => format!("{kind}/{}", text(owner, "name")),
            group => format!("{kind}.{group}/{}", text(owner, "name")),
        }
    });
    vec![
        name(object),
        json!(owner),
        json!(int(object, "revision")),
        json!(age(object, now)),
    ]
}
