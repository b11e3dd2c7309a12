//! Tests of the whole engine.

mod golden;
mod repeats;
mod stand;
mod started;

use crate::api::json::{Value, json};
use crate::play::PlayOutcome;

#[test]
fn status_that_a_user_writes_stays_with_pods_running() {
    let play = |pod: &Value| {
        golden::played(&json!({"mode": "running", "now": "2026-01-02T12:00:00Z", "pod": pod}))
    };
    let mut pod = json!({"metadata": {"name": "p", "namespace": "default", "uid": "u"},
        "spec": {"nodeName": "node-0", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Pending"}});
    pod["status"] = play(&pod).status.unwrap();
    let conditions = pod["status"]["conditions"].as_array_mut().unwrap();
    let ready = conditions.iter_mut().find(|c| c["type"] == "Ready");
    ready.unwrap()["status"] = json!("False");
    let by = |manager: &str| json!([{"manager": manager, "operation": "Update", "subresource": "status"}]);
    // A controller reports that the node is gone; the kubelet is back.
    pod["metadata"]["managedFields"] = by("kube-controller-manager");
    assert!(play(&pod).status.is_some());
    pod["metadata"]["managedFields"] = by("kubectl-patch");
    assert_eq!(play(&pod), PlayOutcome::default());
    let mut gated = pod.clone();
    gated["spec"]["readinessGates"] = json!([{"conditionType": "example.com/up"}]);
    assert!(play(&gated).status.is_some());
    gated["metadata"]["managedFields"][0]["fieldsV1"] =
        json!({"f:status": {"f:containerStatuses": {}}});
    assert_eq!(play(&gated), PlayOutcome::default());
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:30Z");
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
    assert!(play(&pod).delete);
}

#[test]
fn held_pod_without_a_grace_period_ends_and_is_not_deleted_again() {
    let play = |pod: &Value, mode: &str| {
        golden::played(&json!({"mode": mode, "now": "2026-01-02T12:00:30Z", "pod": pod}))
    };
    let mut pod = json!({"metadata": {"name": "p", "namespace": "default", "uid": "u"},
        "spec": {"nodeName": "node-0", "containers": [{"name": "c", "image": "i"}]},
        "status": {"phase": "Pending"}});
    pod["status"] = play(&pod, "default").status.unwrap();
    pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:30Z");
    pod["metadata"]["deletionGracePeriodSeconds"] = json!(0);
    // Without finalizers, the API server is about to remove it.
    assert_eq!(play(&pod, "default"), PlayOutcome::default());
    pod["metadata"]["finalizers"] = json!(["a.b/c"]);
    for mode in ["default", "running"] {
        let ended = play(&pod, mode);
        assert!(!ended.delete);
        let status = ended.status.unwrap();
        assert_eq!(status["phase"], "Failed");
        let state = &status["containerStatuses"][0]["state"];
        assert_eq!(state["terminated"]["exitCode"], 137);
        let mut over = pod.clone();
        over["status"] = status;
        assert_eq!(play(&over, mode), PlayOutcome::default());
    }
}
