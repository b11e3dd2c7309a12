//! The objects that tests create, and the states they wait for.

use serde_json::{Value, json};

use crate::resource::{Resource, is_true};

/// An image whose fake container runs until it is stopped.
pub const PAUSE: &str = "registry.k8s.io/pause:3.10.1";
pub const HTTPD: &str = "registry.k8s.io/e2e-test-images/httpd:2.4.38-4";
pub const NEW_HTTPD: &str = "registry.k8s.io/e2e-test-images/httpd:2.4.39-4";
pub const BUSYBOX: &str = "registry.k8s.io/e2e-test-images/busybox:1.29-4";

/// Returns a spec with one container.
pub fn spec(image: &str) -> Value {
    json!({"containers": [{"name": "main", "image": image}], "terminationGracePeriodSeconds": 0})
}

/// Returns a spec whose container runs a script once.
pub fn script(text: &str) -> Value {
    json!({
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": BUSYBOX, "command": ["sh", "-c", text]}],
    })
}

/// Returns a Pod with the label `name`.
pub fn pod(name: &str, spec: Value) -> Value {
    json!({"metadata": {"name": name, "labels": {"name": name}}, "spec": spec})
}

fn template(app: &str, spec: Value) -> Value {
    json!({"metadata": {"labels": {"app": app}}, "spec": spec})
}

/// Returns a Deployment, a ReplicaSet or a StatefulSet whose Pods have the label `app`.
pub fn workload(name: &str, replicas: u32, image: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}},
            "template": template(name, spec(image)),
        },
    })
}

/// Returns a ReplicationController.
pub fn controller(name: &str, replicas: u32, image: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {
            "replicas": replicas, "selector": {"app": name}, "template": template(name, spec(image)),
        },
    })
}

/// Returns a StatefulSet with a governing Service.
pub fn stateful(name: &str, replicas: u32, image: &str) -> Value {
    let mut set = workload(name, replicas, image);
    set["spec"]["serviceName"] = json!("test");
    set
}

/// Returns a DaemonSet.
pub fn daemon(name: &str, image: &str) -> Value {
    let mut set = workload(name, 0, image);
    set["spec"].as_object_mut().unwrap().remove("replicas");
    set
}

/// Returns a Service.
pub fn service(name: &str, spec: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

/// Returns a ConfigMap or a Secret with data.
pub fn data(name: &str, data: Value) -> Value {
    json!({"metadata": {"name": name}, "data": data})
}

/// Waits until a Pod runs and is ready.
#[track_caller]
pub fn until_ready(pods: &Resource<'_>, name: &str) -> Value {
    pods.until(name, "is ready", |pod| is_true(pod, "Ready"))
}

/// Waits until this many Pods with the label `app` are ready, and no others exist.
#[track_caller]
pub fn until_ready_pods(pods: &Resource<'_>, app: &str, count: usize) -> Vec<Value> {
    pods.until_all(&format!("app={app}"), &format!("{count} ready"), |pods| {
        pods.len() == count && pods.iter().all(|pod| is_true(pod, "Ready"))
    })
}

/// Waits until a Pod is in a phase.
#[track_caller]
pub fn until_phase(pods: &Resource<'_>, name: &str, phase: &str) -> Value {
    pods.until(name, phase, |pod| pod["status"]["phase"] == phase)
}

/// Runs a Pod to its successful end, and returns the log of its first container.
#[track_caller]
pub fn log_of(pods: &Resource<'_>, pod: Value) -> String {
    let made = pods.create(pod);
    let name = crate::resource::name(&made);
    until_phase(pods, name, "Succeeded");
    pods.api.get(&format!("{}/{name}/log", pods.path)).body
}
