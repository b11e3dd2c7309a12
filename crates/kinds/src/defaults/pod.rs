//! The defaults of pod specs, shared by every workload that has a template.

use crate::api::json::Value;
use crate::defaults::volume;
use crate::pod::image;
use crate::tree::{child, empty, items, set, set_default, text};

/// Sets the defaults of a pod spec, in a Pod or a template.
pub(crate) fn pod_spec(spec: &mut Value) {
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

/// Sets both `serviceAccountName` and its old name `serviceAccount`.
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
        // Any tag but `latest` is assumed to refer to the same image forever.
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
                // A hook has the handler fields of a probe, but not its timings.
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
        // Paths are converted from this version. Upstream stores the default, so that their meaning stays fixed.
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
