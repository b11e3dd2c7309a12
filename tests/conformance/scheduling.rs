//! SIG Scheduling: predicates, preemption and priority classes; SIG Node: eviction by taints.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::{PAUSE, pod, spec, until_ready, until_ready_pods, workload};
use crate::resource::{condition, is_true, name, names};

const SCHEDULING: &str = "scheduling.k8s.io/v1";

/// Returns a client of a server whose nodes only this test uses.
fn own(server: &Server, name: &str) -> Api {
    server.namespace(name)
}

/// Checks that a Pod stays without a node.
#[track_caller]
fn unscheduled(api: &Api, name: &str) {
    let pods = api.of("v1", "Pod");
    let waiting = pods.until(name, "cannot be scheduled", |pod| {
        condition(pod, "PodScheduled").is_some_and(|c| c["reason"] == "Unschedulable")
    });
    assert!(waiting["spec"]["nodeName"].is_null(), "{waiting}");
}

/// Gives a node an amount of a resource that only tests use.
fn offer(api: &Api, node: &str, amount: &str) {
    let capacity = json!({"scheduling.k8s.io/foo": amount});
    let patch = json!({"status": {"capacity": capacity, "allocatable": capacity}});
    api.global("v1", "Node").merge(node, "status", patch);
}

fn asking(name: &str, amount: &str, class: &str) -> Value {
    let mut made = pod(name, spec(PAUSE));
    let amounts = json!({"scheduling.k8s.io/foo": amount});
    made["spec"]["containers"][0]["resources"] = json!({"requests": amounts, "limits": amounts});
    made["spec"]["priorityClassName"] = json!(class);
    made
}

fn classes(api: &Api, values: &[(&str, i32)]) {
    for (name, value) in values {
        api.global(SCHEDULING, "PriorityClass")
            .create(json!({"metadata": {"name": name}, "value": value}));
    }
}

#[test]
fn resources_of_a_node_limit_its_pods() {
    let server = Server::start();
    let api = own(&server, "limits");
    let pods = api.of("v1", "Pod");
    let nodes = names(&api.global("v1", "Node").list(""));
    for node in &nodes {
        offer(&api, node, "10");
        let name = format!("filler-{node}");
        let mut filler = asking(&name, "7", "");
        filler["spec"]["nodeName"] = json!(node);
        pods.create(filler);
        until_ready(&pods, &name);
    }
    pods.create(asking("additional", "5", ""));
    unscheduled(&api, "additional");
}

#[test]
fn node_selector_is_respected() {
    let server = Server::start();
    let api = own(&server, "selector");
    let (pods, nodes) = (api.of("v1", "Pod"), api.global("v1", "Node"));
    let mut made = pod("restricted", spec(PAUSE));
    made["spec"]["nodeSelector"] = json!({"label": "nonempty"});
    pods.create(made);
    unscheduled(&api, "restricted");
    let node = name(&nodes.list("")[1]).to_owned();
    nodes.merge(
        &node,
        "",
        json!({"metadata": {"labels": {"kubernetes.io/e2e": "42"}}}),
    );
    let mut made = pod("with-labels", spec(PAUSE));
    made["spec"]["nodeSelector"] = json!({"kubernetes.io/e2e": "42"});
    pods.create(made);
    assert_eq!(until_ready(&pods, "with-labels")["spec"]["nodeName"], node);
}

#[test]
fn host_port_on_all_addresses_conflicts() {
    let server = Server::start();
    let api = own(&server, "hostport-all");
    let pods = api.of("v1", "Pod");
    let node = api.global("v1", "Node").list("")[0]["metadata"]["name"].clone();
    for (name, address) in [("pod4", "0.0.0.0"), ("pod5", "127.0.0.1")] {
        let mut made = pod(name, spec(PAUSE));
        made["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": node});
        made["spec"]["containers"][0]["ports"] = json!([
            {"hostPort": 54322, "containerPort": 8080, "protocol": "TCP", "hostIP": address},
        ]);
        pods.create(made);
        match name {
            "pod4" => drop(until_ready(&pods, name)),
            _ => unscheduled(&api, name),
        }
    }
}

/// Fills the nodes with Pods, creates a more important one, and checks which Pod makes room.
fn preempts(name_space: &str, critical: bool) {
    let server = Server::start();
    let api = own(&server, name_space);
    classes(&api, &[("p-low", 1), ("p-medium", 100), ("p-high", 1000)]);
    let pods = api.of("v1", "Pod");
    let nodes = names(&api.global("v1", "Node").list(""));
    for (number, node) in nodes.iter().enumerate() {
        offer(&api, node, "1");
        let name = format!("pod{number}");
        let class = if number == 0 { "p-low" } else { "p-medium" };
        let mut made = asking(&name, "1", class);
        made["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": node});
        pods.create(made);
        until_ready(&pods, &name);
    }
    let mut system = api.with("");
    let class = if critical {
        "system-cluster-critical"
    } else {
        "p-high"
    };
    if critical {
        "kube-system".clone_into(&mut system.namespace);
    }
    let important = system.of("v1", "Pod");
    important.create(asking("preemptor", "1", class));
    let placed = until_ready(&important, "preemptor");
    assert_eq!(placed["spec"]["nodeName"], nodes[0]);
    pods.until_gone("pod0");
    assert!(
        is_true(&pods.get("pod1"), "Ready"),
        "the other Pod is more important"
    );
}

#[test]
fn more_important_pod_preempts() {
    preempts("preempt", false);
}

#[test]
fn critical_pod_preempts() {
    preempts("preempt-critical", true);
}

#[test]
fn preempted_pod_has_a_condition() {
    let server = Server::start();
    let api = own(&server, "preempt-condition");
    classes(&api, &[("p-low", 1), ("p-high", 1000)]);
    let pods = api.of("v1", "Pod");
    for node in names(&api.global("v1", "Node").list("")) {
        offer(&api, &node, "0");
    }
    let node = names(&api.global("v1", "Node").list(""))[0].clone();
    offer(&api, &node, "1");
    let mut victim = asking("victim", "1", "p-low");
    victim["metadata"]["finalizers"] = json!(["example.com/test-finalizer"]);
    pods.create(victim);
    until_ready(&pods, "victim");
    pods.create(asking("preemptor", "1", "p-high"));
    let preempted = pods.until("victim", "is preempted", |pod| {
        is_true(pod, "DisruptionTarget")
    });
    assert_eq!(
        condition(&preempted, "DisruptionTarget").unwrap()["reason"],
        "PreemptionByScheduler"
    );
    pods.until("victim", "is deleted", |pod| {
        pod["metadata"]["deletionTimestamp"].is_string()
    });
    pods.merge("victim", "", json!({"metadata": {"finalizers": null}}));
    pods.until_gone("victim");
    until_ready(&pods, "preemptor");
}

#[test]
fn replica_sets_preempt_each_other() {
    let server = Server::start();
    let api = own(&server, "preempt-sets");
    classes(&api, &[("p1", 1), ("p2", 2), ("p3", 3), ("p4", 4)]);
    let nodes = names(&api.global("v1", "Node").list(""));
    for node in &nodes {
        offer(&api, node, "0");
    }
    offer(&api, &nodes[0], "1k");
    let (sets, pods) = (api.of("apps/v1", "ReplicaSet"), api.of("v1", "Pod"));
    for (name, replicas, amount, class) in [
        ("rs1", 1, "200", "p1"),
        ("rs2", 1, "300", "p2"),
        ("rs3", 1, "450", "p3"),
    ] {
        let mut made = workload(name, replicas, PAUSE);
        made["spec"]["template"]["spec"] = asking("x", amount, class)["spec"].clone();
        sets.create(made);
        until_ready_pods(&pods, name, 1);
    }
    // The last one needs the room of the first two.
    let mut made = workload("rs4", 1, PAUSE);
    made["spec"]["template"]["spec"] = asking("x", "500", "p4")["spec"].clone();
    sets.create(made);
    until_ready_pods(&pods, "rs4", 1);
    for (name, count) in [("rs1", 0), ("rs2", 0), ("rs3", 1)] {
        sets.until(name, &format!("{count} ready"), |set| {
            set["status"]["readyReplicas"].as_u64().unwrap_or(0) == count
        });
    }
}

#[test]
fn priority_classes_are_patched_and_updated() {
    let api = namespace("api", "priorities");
    let all = api.global(SCHEDULING, "PriorityClass");
    for (name, value) in [("e2e-p1", 1), ("e2e-p2", 2)] {
        all.create(json!({"metadata": {"name": name}, "value": value, "preemptionPolicy": "PreemptLowerPriority"}));
    }
    assert!(all.list("").len() >= 4);
    let patched = all.merge("e2e-p1", "", json!({"description": "patched"}));
    assert_eq!(patched["description"], "patched");
    assert_eq!(
        all.try_patch("e2e-p1", "", "merge", &json!({"value": 3}))
            .code,
        422
    );
    let updated = all.edit("e2e-p2", "", |class| {
        class["description"] = json!("updated")
    });
    assert_eq!(updated["description"], "updated");
    let mut changed = all.get("e2e-p2");
    changed["value"] = json!(5);
    assert_eq!(all.try_update(&changed, "").code, 422);
    for name in ["e2e-p1", "e2e-p2"] {
        all.delete(name);
    }
}

fn tolerating(name: &str, node: &str, seconds: u32) -> Value {
    let mut made = pod(name, spec(PAUSE));
    made["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": node});
    made["spec"]["tolerations"] = json!([{
        "key": "kubernetes.io/e2e-evict-taint-key", "value": "evictTaintVal", "effect": "NoExecute",
        "tolerationSeconds": seconds,
    }]);
    made
}

fn taint(api: &Api, node: &str, taints: Value) {
    api.global("v1", "Node")
        .merge(node, "", json!({"spec": {"taints": taints}}));
}

fn evicts() -> Value {
    json!([{"key": "kubernetes.io/e2e-evict-taint-key", "value": "evictTaintVal", "effect": "NoExecute"}])
}

#[test]
fn removed_taint_cancels_the_eviction() {
    let server = Server::start();
    let api = own(&server, "taint-removed");
    let pods = api.of("v1", "Pod");
    let node = names(&api.global("v1", "Node").list(""))[0].clone();
    pods.create(tolerating("stays", &node, 600));
    until_ready(&pods, "stays");
    taint(&api, &node, evicts());
    // The eviction of another Pod shows that the controller has seen the taint.
    pods.create(tolerating("leaves", &node, 0));
    pods.until_gone("leaves");
    taint(&api, &node, json!(null));
    let events = api.of("v1", "Event");
    let note = "Cancelling deletion of Pod taint-removed/stays";
    events.until_all("", note, |events| {
        events.iter().any(|event| event["message"] == note)
    });
    assert!(pods.get("stays")["metadata"]["deletionTimestamp"].is_null());
}

#[test]
fn taint_evicts_after_the_shortest_toleration() {
    // The virtual clock jumps to the time of each eviction.
    let server = Server::on_virtual_clock();
    let api = own(&server, "taint-many");
    let pods = api.of("v1", "Pod");
    let node = names(&api.global("v1", "Node").list(""))[0].clone();
    pods.create(tolerating("first", &node, 5));
    pods.create(tolerating("second", &node, 25));
    for name in ["first", "second"] {
        until_ready(&pods, name);
    }
    let mut watch = pods.watch("");
    taint(&api, &node, evicts());
    let mut ends = Vec::new();
    for event in &mut watch {
        if event["type"] == "DELETED" {
            let mark = condition(&event["object"], "DisruptionTarget").unwrap();
            let time = mark["lastTransitionTime"].as_str().unwrap();
            ends.push((
                name(&event["object"]).to_owned(),
                time[17..19].parse::<u32>().unwrap(),
            ));
        }
        if ends.len() == 2 {
            break;
        }
    }
    assert_eq!((&*ends[0].0, &*ends[1].0), ("first", "second"));
    let between = (ends[1].1 + 60 - ends[0].1) % 60;
    assert!((20..=25).contains(&between), "{ends:?}");
}
