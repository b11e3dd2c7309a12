use super::*;
use crate::api::json::{Value, json};
use crate::runtime::Outcome;
use crate::testing::{Table, World, lines, noon};
use crate::workload::stamp;

fn set(spec: Value) -> Value {
    let mut set = json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "agent"}, "spec": {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": {"metadata": {"labels": {"app": "agent"}},
            "spec": {"containers": [{"name": "c", "image": "agent:1"}]}}}});
    crate::api::patch::merge::apply(&mut set, &json!({"spec": spec}));
    set
}

/// Returns a Pod of the set on a node: ready or not, with the hash `old` or the current template.
fn pod(node: &str, ready: bool, updated: bool) -> Value {
    let generation = if updated { "1" } else { "0" };
    json!({
        "metadata": {"labels": {"app": "agent", HASH: "old", "pod-template-generation": generation},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent",
                "uid": "uid-agent", "controller": true}]},
        "spec": {"nodeName": node},
        "status": {"phase": "Running", "conditions": [{"type": "Ready",
            "status": if ready { "True" } else { "False" },
            "lastTransitionTime": stamp(noon())}]},
    })
}

fn table(spec: Value, nodes: &[(&str, Value)], pods: &[(&str, Value)]) -> Table {
    let mut table = Table::new(&DaemonSets::default());
    let mut set = set(spec);
    set["metadata"]["annotations"] = json!({"deprecated.daemonset.template.generation": "1"});
    table.put(watched::daemon_sets(), "agent", &set);
    for (name, extra) in nodes {
        table.put(watched::nodes(), name, extra);
    }
    for (name, extra) in pods {
        table.put(watched::pods(), name, extra);
    }
    table
}

/// Returns the Pod writes, without revisions and status.
fn steps(table: &Table) -> Vec<String> {
    let all = lines(&table.plan(&mut DaemonSets::default(), "agent"));
    let other = ["revision", "status", "history"];
    all.into_iter()
        .filter(|line| {
            !other
                .iter()
                .any(|rule| line.contains(&format!(": {rule}: ")))
        })
        .collect()
}

fn tainted(effect: &str) -> Value {
    json!({"spec": {"taints": [{"key": "k", "effect": effect}]}})
}

#[test]
fn eligible_nodes_get_a_daemon_pod() {
    let nodes = [
        ("a", json!({"metadata": {"labels": {"disk": "ssd"}}})),
        ("b", json!({})),
        ("c", tainted("NoSchedule")),
        ("d", tainted("NoExecute")),
        (
            "e",
            json!({"spec": {"unschedulable": true, "taints": [
            {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}}),
        ),
    ];
    let plain = table(json!({}), &nodes, &[]);
    let made = |names: &[&str]| -> Vec<String> {
        let line = |n: &&str| format!("create : create: node {n} has no Pod");
        names.iter().map(line).collect()
    };
    assert_eq!(steps(&plain), made(&["a", "b", "e"]));
    let ssd = json!({"template": {"spec": {"nodeSelector": {"disk": "ssd"}}}});
    assert_eq!(steps(&table(ssd, &nodes, &[])), made(&["a"]));
    let one = json!({"template": {"spec": {"nodeName": "b"}}});
    assert_eq!(steps(&table(one, &nodes, &[])), made(&["b"]));
    let all = json!({"template": {"spec": {"tolerations": [{"operator": "Exists"}]}}});
    assert_eq!(
        steps(&table(all, &nodes, &[])),
        made(&["a", "b", "c", "d", "e"])
    );
}

#[test]
fn misplaced_and_surplus_daemon_pods_are_deleted() {
    let nodes = [
        ("a", tainted("NoSchedule")),
        ("b", tainted("NoExecute")),
        ("c", json!({})),
    ];
    let pods = [
        ("pa", pod("a", true, true)),
        ("pb", pod("b", true, true)),
        ("pc", pod("c", true, true)),
        ("pc2", pod("c", true, true)),
    ];
    let table = table(json!({}), &nodes, &pods);
    assert_eq!(
        steps(&table),
        [
            "delete pb: misplaced: b is not an eligible node",
            "delete pc2: surplus: its node has an older Pod of the set"
        ]
    );
}

#[test]
fn taint_against_new_pods_leaves_the_status_as_it_is() {
    let status = |pods: i64, misplaced: i64| {
        json!({"observedGeneration": 1, "desiredNumberScheduled": pods, "currentNumberScheduled": pods,
            "numberMisscheduled": misplaced, "numberReady": pods, "numberAvailable": pods,
            "updatedNumberScheduled": pods})
    };
    let write = |stored: Value, taint: Value, ready: bool| {
        let pods = [("pa", pod("a", true, true)), ("pb", pod("b", ready, true))];
        let mut table = table(json!({}), &[("a", taint), ("b", json!({}))], &pods);
        let mut own = set(json!({}));
        own["metadata"]["annotations"] = json!({"deprecated.daemonset.template.generation": "1"});
        own["metadata"]["generation"] = json!(1);
        own["status"] = stored;
        table.put(watched::daemon_sets(), "agent", &own);
        let plan = table.plan(&mut DaemonSets::default(), "agent");
        let written = plan
            .status
            .first()
            .map(|write| crate::harness::content(write)["status"].clone());
        written.map(|status| int(&status, "numberMisscheduled"))
    };
    let taint = || tainted("NoSchedule");
    assert_eq!(write(status(2, 0), taint(), true), None);
    assert_eq!(write(status(1, 1), json!({}), true), None);
    // Another change is noticed, and the taint with it.
    assert_eq!(write(status(2, 0), taint(), false), Some(1));
    assert_eq!(write(status(1, 1), json!({}), false), Some(0));
}

#[test]
fn rolling_update_respects_max_unavailable_and_max_surge() {
    let nodes = ["a", "b", "c", "d"].map(|n| (n, json!({})));
    let all = |sound: bool| {
        [
            ("pa", pod("a", true, false)),
            ("pb", pod("b", true, false)),
            ("pc", pod("c", true, false)),
            ("pd", pod("d", sound, false)),
        ]
    };
    let names = |rolling: Value, sound: bool| -> Vec<String> {
        let spec = json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}});
        let steps = steps(&table(spec, &nodes, &all(sound)));
        let name = |s: &String| s.split(": ").next().unwrap().to_owned();
        steps.iter().map(name).collect()
    };
    assert_eq!(names(json!({"maxUnavailable": 1}), true), ["delete pa"]);
    assert_eq!(names(json!({"maxUnavailable": 1}), false), ["delete pd"]);
    assert_eq!(
        names(json!({"maxUnavailable": "30%"}), false),
        ["delete pd", "delete pa"]
    );
    let surge = |n: Value| json!({"maxUnavailable": 0, "maxSurge": n});
    assert_eq!(names(surge(json!(1)), true), ["create "]);
    assert_eq!(names(surge(json!("50%")), false), ["create "; 3]);
    let on_delete = json!({"updateStrategy": {"type": "OnDelete"}});
    assert!(steps(&table(on_delete, &nodes, &all(false))).is_empty());
}

#[test]
fn surge_deletes_old_pod_when_new_one_is_available() {
    let spec = json!({"updateStrategy": {"type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}});
    let plan = |ready| {
        let pods = [
            ("old", pod("a", true, false)),
            ("young", pod("a", ready, true)),
        ];
        steps(&table(spec.clone(), &[("a", json!({}))], &pods))
    };
    assert!(plan(false).is_empty());
    assert_eq!(plan(true), ["delete old: surged: the new Pod is available"]);
}

#[test]
fn surge_leaves_out_nodes_that_no_longer_fit() {
    let spec = json!({"updateStrategy": {"type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}});
    let nodes = [("a", tainted("NoSchedule")), ("b", json!({}))];
    let plan = |a: bool, b: bool| {
        let pods = [("pa", pod("a", a, false)), ("pb", pod("b", b, false))];
        steps(&table(spec.clone(), &nodes, &pods))
    };
    let surge = "create : surge: 0 of maxSurge 1 are in use";
    let spare = "delete pa: misplaced: enough other Pods are available";
    assert_eq!(plan(true, true), [surge, spare]);
    let broken = "create : surge: the old Pod is not available";
    assert_eq!(plan(true, false), [broken]);
    let gone = "delete pa: misplaced: it is not available";
    assert_eq!(plan(false, true), [surge, gone]);
}

#[test]
fn failed_daemon_pods_are_replaced_with_back_off() {
    let mut failed = pod("a", false, true);
    failed["status"] = json!({"phase": "Failed"});
    let table = table(json!({}), &[("a", json!({}))], &[("p", failed)]);
    let pod = table
        .cache
        .get(watched::pods(), "default", "p")
        .unwrap()
        .clone();
    let mut controller = DaemonSets::default();
    let mut at = |millis| {
        let now = noon() + SignedDuration::from_millis(millis);
        let plan = table.plan_at(&mut controller, "agent", now);
        let deletes = plan.changes.iter().filter(|w| w.is_delete()).count();
        for write in plan.changes.iter().filter(|w| w.is_delete()) {
            controller.on_written(&CompletedWrite {
                at: now,
                rule: &write.rule,
                object: &pod,
            });
        }
        let reasons = plan.events.iter().map(|n| n.reason.clone());
        (
            deletes,
            plan.requeue_after.map(|a| a.as_millis()),
            reasons.count(),
        )
    };
    assert_eq!(at(0), (1, None, 1));
    assert_eq!(at(400), (0, Some(600), 0));
    assert_eq!(at(1000), (1, None, 1));
    assert_eq!(at(1500), (0, Some(1500), 0));
    assert_eq!(at(3000), (1, None, 1));
}

#[test]
fn daemon_set_creation_update_and_deletion_settle() {
    // The fresh cluster has three nodes.
    let world = World::new();
    let tolerant = json!({"template": {"spec": {"tolerations": [{"operator": "Exists"}]}}});
    world.create(watched::daemon_sets(), &set(tolerant));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = json!({"observedGeneration": 1, "desiredNumberScheduled": 3,
        "currentNumberScheduled": 3, "numberMisscheduled": 0, "numberReady": 3,
        "numberAvailable": 3, "updatedNumberScheduled": 3});
    assert_eq!(world.get(watched::daemon_sets(), "agent")["status"], status);
    let image = json!([{"name": "c", "image": "agent:2"}]);
    let patch = json!({"spec": {"template": {"spec": {"containers": image}}}});
    world.patch(watched::daemon_sets(), "agent", patch);
    assert_eq!(world.settle(), Outcome::Settled);
    let pods = world.list(watched::pods());
    assert_eq!(pods.len(), 3);
    for pod in pods {
        let labels = &pod["metadata"]["labels"];
        assert_eq!(pod["spec"]["containers"][0]["image"], "agent:2");
        assert_eq!(labels["pod-template-generation"], "2");
        let name = format!("agent-{}", labels[HASH].as_str().unwrap());
        assert!(world.names(watched::revisions()).contains(&name));
    }
    world.delete(watched::daemon_sets(), "agent");
    assert_eq!(world.settle(), Outcome::Settled);
    assert!(world.names(watched::pods()).is_empty());
    assert!(world.names(watched::revisions()).is_empty());
}
