//! Bindings that the API server refuses.

use super::*;
use crate::api::status::Status;
use crate::runtime::Failure;

#[test]
fn a_refused_binding_is_reported_at_its_pod() {
    let mut cluster = ControllerHarness::with_nodes(1);
    cluster.asking("p", 100, json!({}));
    let plan = cluster.plan();
    let note = plan.changes[0].on_failure.clone().unwrap();
    assert_eq!(
        (note.reason.as_str(), note.action.as_str()),
        ("FailedScheduling", "Scheduling")
    );
    let why = "running Bind plugin \"DefaultBinder\": ";
    assert_eq!(note.message, format!("{why}{{error}}"));
    for (status, expected) in [
        (Status::internal("no"), 1),
        // The Pod has a node by now.
        (Status::conflict("pods/binding", "p", "no"), 0),
    ] {
        let refused = [Failure {
            rule: "schedule".to_owned(),
            index: Some(0),
            status,
        }];
        let plan = plan_after(&mut cluster, &refused);
        assert!(plan.changes.is_empty() && plan.error.is_some());
        assert_eq!(plan.status.len(), expected);
        for write in &plan.status {
            let condition = &crate::harness::content(write)["status"]["conditions"][0];
            assert_eq!(condition["reason"], "SchedulerError");
            assert_eq!(condition["message"], format!("{why}no"));
        }
    }
}

fn plan_after(cluster: &mut ControllerHarness, refused: &[Failure]) -> Plan {
    cluster.scheduler.plan(&ReconcileContext {
        key: &Key::all(),
        cache: &cluster.cache,
        now: cluster.now,
        failures: 1,
        refused,
        seed: crate::runtime::Seed(7),
        pods: PodMode::Default,
        identity: crate::harness::identity(),
    })
}
