//! Prepares an object before it is stored, by kind and verb.
//!
//! A new object starts with an empty status and generation 1; an update may not write the status, an
//! update of the status may write nothing else, and a change of the spec raises the generation.

pub mod deletion;
mod identity;
mod job;
mod paths;
mod pod;
mod reset;
mod restore;

use crate::api::json::{Text, Value, json};

pub use identity::{
    check_absent, check_conditional, check_create, check_update, is_created_by_update,
};
pub use paths::{prepare_approval, prepare_ephemeral_containers, prepare_finalize, prepare_resize};
pub use reset::reset_fields;
pub use restore::keep_assigned;

use super::custom;
use super::kind::Kind;
use super::tree::{
    as_text, empty, ensure, field, has, int, items, list, set, set_default, take, text,
};

/// The inputs of a write from outside the object.
#[derive(Debug, Clone, Copy)]
pub struct Outside<'a> {
    /// The time of the write, in RFC 3339.
    pub now: &'a str,
    /// The uid that the object gets.
    pub uid: &'a str,
    /// True if the writer gave the object labels, and not a default.
    pub labelled: bool,
}

/// Returns true if an object has labels as it was sent, before it gets defaults.
pub fn labelled(sent: &Value) -> bool {
    let labels = field(field(sent, "metadata"), "labels").as_object();
    labels.is_some_and(|labels| !labels.is_empty())
}

/// Kinds whose generation counts changes of their spec.
const COUNTED: &[&str] = &[
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "DeviceClass",
    "EndpointSlice",
    "FlowSchema",
    "Ingress",
    "IngressClass",
    "Job",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "NetworkPolicy",
    "Pod",
    "PodDisruptionBudget",
    "PodTemplate",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ReplicaSet",
    "ReplicationController",
    "ResourceSlice",
    "StatefulSet",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Prepares a new object for validation and storage.
pub fn prepare_create(kind: &Kind, object: &mut Value, outside: &Outside<'_>) {
    if let Some(custom) = kind.custom {
        return custom::prepare_create(custom, object);
    }
    let metadata = ensure(object, "metadata");
    take(metadata, "deletionTimestamp");
    take(metadata, "deletionGracePeriodSeconds");
    if counts(kind) {
        set(metadata, "generation", 1);
    }
    if kind.has_status() && kind.kind != "Node" {
        set(object, "status", empty());
    }
    match (kind.group, kind.kind) {
        ("", "Pod") => pod::prepare_create(object, outside),
        ("", "Namespace") => namespace(object),
        ("", "PersistentVolume") => set(
            object,
            "status",
            json!({"phase": "Pending", "lastPhaseTransitionTime": outside.now}),
        ),
        ("", "PersistentVolumeClaim") => {
            set(object, "status", json!({"phase": "Pending"}));
            data_sources(object);
        }
        ("", "Service") => cluster_ips(object),
        ("apps", "DaemonSet") => set_template_generation(object, 1),
        ("apps", "StatefulSet") => drop_disabled_stateful_set(object),
        ("batch", "Job") => job::generate_selector(object, outside),
        ("apiextensions.k8s.io", _) => stored_versions(object),
        ("apiregistration.k8s.io", _) => local_api_service(object, outside.now),
        _ => {}
    }
}

/// Prepares an update: the status stays as it was, and the generation follows the spec.
pub fn prepare_update(kind: &Kind, object: &mut Value, old: &Value) {
    if let Some(custom) = kind.custom {
        return custom::prepare_update(custom, object, old);
    }
    carry_metadata(object, old);
    if kind.has_status() {
        keep(object, old, "status");
    }
    match (kind.group, kind.kind) {
        ("", "Pod") => pod::prepare_update(object, old),
        ("", "Namespace") => {
            let finalizers = field(field(old, "spec"), "finalizers").clone();
            set(ensure(object, "spec"), "finalizers", finalizers);
        }
        ("", "PersistentVolumeClaim") => data_sources(object),
        ("", "Service") => update_cluster_ips(object, old),
        ("apps", "StatefulSet") => drop_disabled_stateful_set(object),
        ("apps", "DaemonSet") => template_generation(object, old),
        ("apiextensions.k8s.io", _) => stored_versions(object),
        ("certificates.k8s.io", _) => keep(object, old, "spec"),
        _ => {}
    }
    let annotated = kind.kind == "Deployment" && annotations(object) != annotations(old);
    if counts(kind) && annotated {
        let next = int(field(old, "metadata"), "generation") + 1;
        set(ensure(object, "metadata"), "generation", next);
    } else if counts(kind) {
        count_change(object, old);
    }
}

/// Prepares an update of the status: all but the status and the metadata stays as it was.
pub fn prepare_status(kind: &Kind, object: &mut Value, old: &Value) {
    if kind.custom.is_some() {
        return custom::prepare_status(object, old);
    }
    carry_metadata(object, old);
    let status = field(object, "status").clone();
    let metadata = field(object, "metadata").clone();
    let mut next = old.clone();
    set(&mut next, "metadata", metadata);
    set(&mut next, "status", status);
    if matches!(
        kind.kind,
        "Deployment" | "CustomResourceDefinition" | "ResourceClaim"
    ) {
        let labels = field(field(old, "metadata"), "labels").clone();
        set(ensure(&mut next, "metadata"), "labels", labels);
    }
    if kind.kind == "Pod" {
        pod::prepare_status(&mut next, old);
    }
    *object = next;
}

fn count_change(object: &mut Value, old: &Value) {
    if content(object) != content(old) {
        let next = int(field(old, "metadata"), "generation") + 1;
        set(ensure(object, "metadata"), "generation", next);
    }
}

fn counts(kind: &Kind) -> bool {
    COUNTED.contains(&kind.kind)
}

/// Carries over the metadata that no update may remove or set.
fn carry_metadata(object: &mut Value, old: &Value) {
    let before = field(old, "metadata");
    let metadata = ensure(object, "metadata");
    for name in ["uid", "creationTimestamp", "generation"] {
        if name == "generation" || !has(metadata, name) {
            keep(metadata, before, name);
        }
    }
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        if has(before, name) && !has(metadata, name) {
            keep(metadata, before, name);
        }
    }
}

fn keep(object: &mut Value, old: &Value, name: &str) {
    match old.get(name) {
        Some(value) => set(object, name, value.clone()),
        None => drop(take(object, name)),
    }
}

fn annotations(object: &Value) -> &Value {
    field(field(object, "metadata"), "annotations")
}

/// All that a generation counts: everything but metadata and status.
fn content(object: &Value) -> Vec<(&Text, &Value)> {
    let map = object.as_object();
    map.into_iter()
        .flatten()
        .filter(|(key, _)| !matches!(key.as_str(), "metadata" | "status" | "kind" | "apiVersion"))
        .collect()
}

fn namespace(object: &mut Value) {
    set(object, "status", json!({"phase": "Active"}));
    let spec = ensure(object, "spec");
    if !list(spec, "finalizers").iter().any(|f| f == "kubernetes") {
        super::tree::push(spec, "finalizers", "kubernetes");
    }
}

/// The old and the new field for where a claim's data comes from say the same, unless both are set.
fn data_sources(object: &mut Value) {
    let spec = ensure(object, "spec");
    let namespaced = has(field(spec, "dataSourceRef"), "namespace");
    match (has(spec, "dataSource"), has(spec, "dataSourceRef")) {
        (true, false) if volume_data_source(field(spec, "dataSource")) => {
            let source = field(spec, "dataSource").clone();
            set(spec, "dataSourceRef", source);
        }
        (true, false) => drop(take(spec, "dataSource")),
        (false, true) if !namespaced => {
            let source = field(spec, "dataSourceRef").clone();
            if volume_data_source(&source) {
                set(spec, "dataSource", source);
            }
        }
        _ => {}
    }
}

fn volume_data_source(source: &Value) -> bool {
    matches!(
        (text(source, "apiGroup"), text(source, "kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

/// `clusterIPs` follows `clusterIP` where only the old field is set.
fn cluster_ips(object: &mut Value) {
    let spec = ensure(object, "spec");
    let address = text(spec, "clusterIP").to_owned();
    if !address.is_empty() && list(spec, "clusterIPs").is_empty() {
        set(spec, "clusterIPs", json!([address]));
    }
}

/// On update, whichever of `clusterIP` and `clusterIPs` the writer changed moves the other.
fn update_cluster_ips(object: &mut Value, old: &Value) {
    let before = field(old, "spec");
    let spec = ensure(object, "spec");
    if text(spec, "type") == "ExternalName" {
        release_addresses(spec, before);
        release_node_ports(spec, before);
        return;
    }
    let same_type = text(spec, "type") == text(before, "type");
    for name in ["clusterIP", "clusterIPs"] {
        if same_type && !has(spec, name) {
            keep(spec, before, name);
        }
    }
    let same_list = field(spec, "clusterIPs") == field(before, "clusterIPs");
    if text(spec, "clusterIP") != text(before, "clusterIP") && same_list {
        let address = text(spec, "clusterIP").to_owned();
        set(spec, "clusterIPs", json!([address]));
    }
    if list(spec, "ipFamilies").is_empty() {
        keep(spec, before, "ipFamilies");
    }
    release_node_ports(spec, before);
}

/// A service that becomes a mere name gives its addresses back, unless the writer changed them.
fn release_addresses(spec: &mut Value, before: &Value) {
    if text(before, "type") == "ExternalName" {
        return;
    }
    if field(spec, "clusterIP") == field(before, "clusterIP")
        && field(spec, "clusterIPs") == field(before, "clusterIPs")
    {
        take(spec, "clusterIP");
        take(spec, "clusterIPs");
    }
    for name in ["ipFamilies", "ipFamilyPolicy"] {
        if field(spec, name) == field(before, name) {
            take(spec, name);
        }
    }
}

/// A service that stops being reachable from outside gives its node ports back.
fn release_node_ports(spec: &mut Value, before: &Value) {
    let external = |spec: &Value| matches!(text(spec, "type"), "NodePort" | "LoadBalancer");
    if external(spec) || !external(before) {
        return;
    }
    let ports: Vec<i64> = list(before, "ports")
        .iter()
        .map(|p| int(p, "nodePort"))
        .collect();
    for port in items(spec, "ports") {
        if ports.contains(&int(port, "nodePort")) {
            take(port, "nodePort");
        }
    }
    if field(spec, "externalTrafficPolicy") == field(before, "externalTrafficPolicy")
        && list(spec, "externalIPs").is_empty()
    {
        take(spec, "externalTrafficPolicy");
    }
    if field(spec, "allocateLoadBalancerNodePorts")
        == field(before, "allocateLoadBalancerNodePorts")
    {
        take(spec, "allocateLoadBalancerNodePorts");
    }
}

/// The limit of unavailable Pods in a StatefulSet's update is an alpha field, off by default.
fn drop_disabled_stateful_set(object: &mut Value) {
    if let Some(strategy) = super::tree::child(ensure(object, "spec"), "updateStrategy")
        && let Some(rolling) = super::tree::child(strategy, "rollingUpdate")
    {
        take(rolling, "maxUnavailable");
    }
}

fn set_template_generation(object: &mut Value, generation: i64) {
    let annotations = ensure(ensure(object, "metadata"), "annotations");
    set(annotations, TEMPLATE_GENERATION, generation.to_string());
}

fn template_generation(object: &mut Value, old: &Value) {
    let before = text(annotations(old), TEMPLATE_GENERATION)
        .parse()
        .unwrap_or(1);
    let changed = field(field(object, "spec"), "template") != field(field(old, "spec"), "template");
    set_template_generation(object, before + i64::from(changed));
}

/// Every version that was ever the storage version is remembered in the status.
fn stored_versions(object: &mut Value) {
    let versions = list(field(object, "spec"), "versions");
    let storage = versions.iter().find(|v| super::tree::flag(v, "storage"));
    let Some(name) = storage.map(|v| text(v, "name").to_owned()) else {
        return;
    };
    let status = ensure(object, "status");
    if !list(status, "storedVersions")
        .iter()
        .any(|v| as_text(v) == name)
    {
        if !has(status, "storedVersions") {
            set(status, "storedVersions", json!([]));
        }
        super::tree::push(status, "storedVersions", name);
    }
}

fn local_api_service(object: &mut Value, now: &str) {
    if has(field(object, "spec"), "service") {
        return;
    }
    let condition = json!({
        "type": "Available", "status": "True", "reason": "Local",
        "message": "Local APIServices are always available", "lastTransitionTime": now,
    });
    set_default(ensure(object, "status"), "conditions", json!([condition]));
}
