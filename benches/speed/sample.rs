//! Makes objects of realistic size, and stores that contain them.

use std::path::Path;
use std::sync::Arc;

use ctl::store::{Batch, Cause, Expect, FileStore, Key, Op, Options, Settings, Store as _};
use ctl::sys::entropy::Seed;
use ctl::sys::real_fs::RealFs;

/// Returns a Pod of about 2.5 KB in the API server's stored form.
pub(crate) fn pod(name: &str, value: usize) -> Vec<u8> {
    let condition = |kind: &str| {
        ctl::api::json::json!({
            "lastProbeTime": null, "lastTransitionTime": "2026-01-01T00:00:00Z",
            "observedGeneration": 1, "status": "True", "type": kind,
        })
    };
    let container = ctl::api::json::json!({
        "image": "nginx:1.25", "imagePullPolicy": "IfNotPresent", "name": "web",
        "ports": [{"containerPort": 80, "name": "http", "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}, "requests": {"cpu": "250m"}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        "volumeMounts": [{
            "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
            "name": "kube-api-access-x7k2p", "readOnly": true,
        }],
    });
    let pod = ctl::api::json::json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"note": format!("{value}"), "filler": "x".repeat(700)},
            "creationTimestamp": "2026-01-01T00:00:00Z", "generateName": "web-7d8f9c6b5d-",
            "labels": {"app": "web", "pod-template-hash": "7d8f9c6b5d"},
            "name": name, "namespace": "default",
            "ownerReferences": [{
                "apiVersion": "apps/v1", "blockOwnerDeletion": true, "controller": true,
                "kind": "ReplicaSet", "name": "web-7d8f9c6b5d",
                "uid": "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
            }],
            "uid": "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        },
        "spec": {
            "containers": [container], "dnsPolicy": "ClusterFirst", "nodeName": "node-0",
            "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "securityContext": {}, "serviceAccountName": "default",
            "terminationGracePeriodSeconds": 30,
        },
        "status": {
            "conditions": [
                condition("Initialized"), condition("Ready"), condition("ContainersReady"),
                condition("PodScheduled"),
            ],
            "hostIP": "10.0.0.1", "phase": "Running", "podIP": "10.244.0.7", "qosClass": "Burstable",
        },
    });
    serde_json::to_vec(&pod).unwrap()
}

pub(crate) fn key(name: &str) -> Key {
    Key::new("pods", Some("default"), name).unwrap()
}

pub(crate) fn store(dir: &Path) -> FileStore {
    let options = Options {
        path: Some(dir.to_path_buf()),
        ..Options::default()
    };
    let fs = Arc::new(RealFs::create(dir).unwrap());
    FileStore::open_or_create(fs, options, Settings::new(Seed(1))).unwrap()
}

pub(crate) fn cause() -> Cause {
    Cause::new("bench", "bench")
}

/// Stores `count` Pods in batches of a thousand.
pub(crate) fn fill(store: &FileStore, count: usize) {
    let names: Vec<String> = (0..count).map(|n| format!("web-{n:06}")).collect();
    for part in names.chunks(1000) {
        let ops = part
            .iter()
            .map(|n| Op::put(key(n), pod(n, 0), Expect::Any))
            .collect();
        store.commit(&cause(), Batch::new(ops)).unwrap();
    }
}
