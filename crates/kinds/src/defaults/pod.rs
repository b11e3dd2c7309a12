//! Pods and pod specs, shared by every workload that has a template.

use super::volume;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::{image, resources};
use crate::tree::{
    child, empty, ensure, entries, field, flag, has, int, items, list, set, set_default, text,
};

/// A Pod: its spec, and what templates leave to the Pods made from them.
pub(super) fn pod(object: &mut Value) {
    let spec = ensure(object, "spec");
    pod_spec(spec);
    for name in ["containers", "initContainers"] {
        items(spec, name).for_each(request_what_is_limited);
    }
    if has(spec, "resources") {
        pod_level_requests(spec);
    }
    set_default(spec, "enableServiceLinks", true);
    if flag(spec, "hostNetwork") {
        for name in ["containers", "initContainers"] {
            items(spec, name).for_each(|c| items(c, "ports").for_each(host_port));
        }
    }
}

/// A pod spec, in a Pod or a template.
pub(super) fn pod_spec(spec: &mut Value) {
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "securityContext", empty());
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default(spec, "schedulerName", "default-scheduler");
    service_account(spec);
    for name in ["containers", "initContainers", "ephemeralContainers"] {
        items(spec, name).for_each(container);
    }
    items(spec, "volumes").for_each(volume::volume);
}

/// `serviceAccount` is the old name of `serviceAccountName`; both are written.
fn service_account(spec: &mut Value) {
    let name = match text(spec, "serviceAccountName") {
        "" => text(spec, "serviceAccount"),
        name => name,
    };
    if !name.is_empty() {
        let name = name.to_owned();
        set(spec, "serviceAccount", name.clone());
        set(spec, "serviceAccountName", name);
    }
}

fn container(container: &mut Value) {
    let policy = match image::is_latest(text(container, "image")) {
        true => "Always",
        false => "IfNotPresent",
    };
    set_default(container, "imagePullPolicy", policy);
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
    items(container, "ports").for_each(|port| set_default(port, "protocol", "TCP"));
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(value) = child(container, name) {
            probe(value);
        }
    }
    if let Some(lifecycle) = child(container, "lifecycle") {
        for name in ["postStart", "preStop"] {
            if let Some(handler) = child(lifecycle, name) {
                http_get(handler);
            }
        }
    }
    items(container, "env").for_each(environment);
}

fn environment(variable: &mut Value) {
    let Some(source) = child(variable, "valueFrom") else {
        return;
    };
    if let Some(reference) = child(source, "fieldRef") {
        set_default(reference, "apiVersion", "v1");
    }
    if let Some(reference) = child(source, "fileKeyRef") {
        set_default(reference, "optional", false);
    }
}

fn probe(probe: &mut Value) {
    set_default(probe, "timeoutSeconds", 1);
    set_default(probe, "periodSeconds", 10);
    set_default(probe, "successThreshold", 1);
    set_default(probe, "failureThreshold", 3);
    http_get(probe);
    if let Some(grpc) = child(probe, "grpc") {
        set_default(grpc, "service", "");
    }
}

fn http_get(handler: &mut Value) {
    if let Some(action) = child(handler, "httpGet") {
        set_default(action, "path", "/");
        set_default(action, "scheme", "HTTP");
    }
}

fn host_port(port: &mut Value) {
    let container_port = int(port, "containerPort");
    if container_port != 0 {
        set_default(port, "hostPort", container_port);
    }
}

/// A limit without a request is a request too.
fn request_what_is_limited(container: &mut Value) {
    let Some(needs) = child(container, "resources") else {
        return;
    };
    let limits = field(needs, "limits").clone();
    if let Value::Object(limits) = limits
        && !limits.is_empty()
    {
        let requests = ensure(needs, "requests");
        for (name, limit) in limits {
            set_default(requests, &name, limit);
        }
    }
}

/// Pod-level requests come from the containers' requests where limits are set, else from the limits.
fn pod_level_requests(spec: &mut Value) {
    let mut sums: std::collections::BTreeMap<String, Quantity> = std::collections::BTreeMap::new();
    for container in list(spec, "containers") {
        for (name, amount) in entries(field(container, "resources"), "requests") {
            let sum = sums.entry(name.to_owned()).or_insert(Quantity::ZERO);
            sum.add(&resources::quantity(amount));
        }
    }
    let Some(needs) = child(spec, "resources") else {
        return;
    };
    let limits = field(needs, "limits").clone();
    let Value::Object(limits) = limits else {
        return;
    };
    let requests = ensure(needs, "requests");
    let supported = |name: &str| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-");
    for (name, limit) in limits.into_iter().filter(|(name, _)| supported(name)) {
        let request = sums
            .get(name.as_str())
            .map_or(limit, |sum| Value::from(sum.to_string()));
        set_default(requests, &name, request);
    }
}
