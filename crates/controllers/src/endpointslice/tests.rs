use super::*;
use crate::harness::{ControllerHarness, content, lines};

fn pod(number: usize, ready: bool) -> Value {
    json!({
        "metadata": {"name": format!("p{number}"), "labels": {"app": "web"}},
        "spec": {"nodeName": "node-0"},
        "status": {"podIP": format!("10.0.{}.{}", number / 200, 1 + number % 200), "conditions": [
            {"type": "Ready", "status": if ready { "True" } else { "False" }},
        ]},
    })
}

fn harness(pods: usize) -> ControllerHarness<EndpointSlices> {
    let mut harness = ControllerHarness::new(EndpointSlices::default());
    harness.put(
        "v1",
        "Service",
        json!({"metadata": {"name": "web"}, "spec": {
            "selector": {"app": "web"}, "ports": [{"name": "http", "port": 8080, "targetPort": 80}],
        }}),
    );
    (0..pods).for_each(|n| drop(harness.put("v1", "Pod", pod(n, true))));
    harness
}

/// Applies a plan; returns the writes and the resulting sizes of the slices.
fn apply(harness: &mut ControllerHarness<EndpointSlices>) -> (Vec<String>, Vec<usize>) {
    let plan = harness.plan("default", "web");
    let kind = watched::endpoint_slices();
    for (number, write) in plan.changes.iter().enumerate() {
        let mut object = content(write).clone();
        if object.is_null() {
            let gone = harness
                .cache
                .get(kind, "default", &write.name)
                .unwrap()
                .clone();
            harness.remove(&gone);
            continue;
        }
        if write.name.is_empty() {
            let count = harness.cache.keys(kind).len();
            object["metadata"]["name"] = json!(format!("web-{number}{count}"));
        }
        harness.put("discovery.k8s.io/v1", "EndpointSlice", object);
    }
    let slices = harness.cache.list(kind, "default");
    let mut sizes: Vec<_> = slices.map(|s| list(s, "endpoints").len()).collect();
    sizes.sort_unstable();
    (
        lines(&plan)
            .iter()
            .map(|l| l.split(' ').next().unwrap().to_owned())
            .collect(),
        sizes,
    )
}

#[test]
fn slice_contains_ports_endpoints_labels_and_owner() {
    let mut harness = harness(1);
    let plan = harness.plan("default", "web");
    let slice = content(&plan.changes[0]);
    assert_eq!(
        slice["ports"],
        json!([{"name": "http", "port": 80, "protocol": "TCP"}])
    );
    assert_eq!(
        slice["endpoints"][0],
        json!({
            "addresses": ["10.0.0.1"], "nodeName": "node-0",
            "conditions": {"ready": true, "serving": true, "terminating": false},
            "targetRef": {"kind": "Pod", "namespace": "default", "name": "p0", "uid": "uid-p0"},
        })
    );
    assert_eq!(
        slice["metadata"]["labels"],
        json!({
            "kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
        })
    );
    assert_eq!(slice["metadata"]["ownerReferences"][0]["controller"], true);
}

#[test]
fn trigger_time_is_that_of_the_changed_pods_or_absent() {
    let mut harness = harness(1);
    let trigger = |harness: &mut ControllerHarness<EndpointSlices>| {
        apply(harness);
        let mut slices = harness.cache.list(watched::endpoint_slices(), "default");
        let time = slices.next().unwrap().annotation(of::TRIGGER_TIME);
        time.map(str::to_owned)
    };
    let created = trigger(&mut harness);
    assert_eq!(created.as_deref(), Some("2026-01-02T12:00:00Z"));
    let mut unready = pod(0, false);
    unready["status"]["conditions"][0]["lastTransitionTime"] = json!("2026-01-02T12:05:00Z");
    let unready = harness.put("v1", "Pod", unready);
    let changed = trigger(&mut harness);
    assert_eq!(changed.as_deref(), Some("2026-01-02T12:05:00Z"));
    harness.remove(&unready);
    assert_eq!(trigger(&mut harness), None);
}

#[test]
fn modified_endpoint_fields_are_restored() {
    let mut harness = harness(1);
    apply(&mut harness);
    let kind = watched::endpoint_slices();
    let slice = harness
        .cache
        .list(kind, "default")
        .next()
        .unwrap()
        .to_value();
    for wrong in [
        json!({"addresses": ["10.9.9.9"]}),
        json!({"addresses": ["10.0.0.1", "10.9.9.9"]}),
        json!({"conditions": {"ready": false}}),
        json!({"conditions": {"more": true}}),
        json!({"nodeName": "node-1"}),
        json!({"nodeName": null}),
        json!({"zone": "z"}),
        json!({"hints": {}}),
        json!({"targetRef": {"name": "other"}}),
    ] {
        let mut edited = slice.clone();
        crate::api::patch::merge::apply(&mut edited["endpoints"][0], &wrong);
        harness.put("discovery.k8s.io/v1", "EndpointSlice", edited);
        assert_eq!(apply(&mut harness).0, ["update"], "{wrong}");
        let right = harness.cache.list(kind, "default").next().unwrap();
        assert_eq!(right["endpoints"], slice["endpoints"], "{wrong}");
    }
    assert_eq!(apply(&mut harness).0, [""; 0]);
}

#[test]
fn a_service_without_pods_has_one_empty_slice() {
    let mut harness = harness(0);
    assert_eq!(apply(&mut harness), (vec!["create".to_owned()], vec![0]));
    assert_eq!(apply(&mut harness), (Vec::new(), vec![0]));
    harness.put("v1", "Pod", pod(0, true));
    // The slice keeps its name when it gets endpoints.
    assert_eq!(apply(&mut harness), (vec!["update".to_owned()], vec![1]));
}

#[test]
fn slices_contain_at_most_100_endpoints() {
    let mut harness = harness(205);
    let (verbs, sizes) = apply(&mut harness);
    assert_eq!((verbs.len(), sizes), (3, vec![5, 100, 100]));
    harness.put("v1", "Pod", pod(205, false));
    assert_eq!(
        apply(&mut harness),
        (vec!["update".to_owned()], vec![6, 100, 100])
    );
    assert_eq!(apply(&mut harness).0, [""; 0]);
}

#[test]
fn slice_stays_empty_after_its_pods_are_deleted() {
    let mut harness = harness(3);
    apply(&mut harness);
    for number in 0..3 {
        let gone = harness
            .cache
            .get(watched::pods(), "default", &format!("p{number}"))
            .unwrap()
            .clone();
        harness.remove(&gone);
    }
    let (_, sizes) = apply(&mut harness);
    assert_eq!(sizes, [0]);
    let unselective = json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}});
    let service = harness.put("v1", "Service", unselective);
    assert_eq!(apply(&mut harness), (vec![], vec![0]));
    harness.remove(&service);
    assert_eq!(apply(&mut harness), (vec![], vec![0]));
}

/// Returns a Pod with one of two ports `http`, one of two apps and one of two nodes.
fn drawn_pod(number: usize, draw: &mut dyn FnMut(usize) -> usize) -> Value {
    let mut pod = pod(number, draw(4) > 0);
    pod["metadata"]["labels"]["app"] = json!(["web", "web", "db"][draw(3)]);
    pod["spec"]["nodeName"] = json!(format!("node-{}", draw(2)));
    pod["spec"]["containers"] =
        json!([{"ports": [{"name": "http", "containerPort": 80 + draw(2)}]}]);
    match draw(9) {
        0 => pod["status"]["podIP"] = json!(""),
        1 => pod["status"]["phase"] = json!("Failed"),
        2 => pod["metadata"]["deletionTimestamp"] = json!("2026-01-02T12:00:00Z"),
        _ => {}
    }
    pod
}

#[test]
fn partial_and_full_comparison_produce_the_same_plan() {
    let slices = watched::endpoint_slices();
    for target in [json!(80), json!("http")] {
        let mut harness = harness(0);
        let mut drawn = 5_usize;
        let mut draw = |below: usize| {
            drawn = drawn
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (drawn >> 33) % below
        };
        let service = |labels: Value| {
            json!({"metadata": {"name": "web", "labels": labels}, "spec": {
                "selector": {"app": "web"}, "ports": [{"name": "p", "port": 80, "targetPort": target}]}})
        };
        harness.put("v1", "Service", service(json!({})));
        let mut done = 0;
        for round in 0..150 {
            for _ in 0..draw(8) {
                let pod = drawn_pod(draw(400), &mut draw);
                harness.put("v1", "Pod", pod);
            }
            let all: Vec<Object> = harness.cache.list(slices, "default").cloned().collect();
            match (draw(9), all.get(draw(all.len() + 1))) {
                (0, Some(slice)) => {
                    // A Pod that another slice names, or the other way round.
                    let mut value = slice.to_value();
                    let other = &all[draw(all.len())];
                    value["endpoints"] = json!([list(other, "endpoints").first()]);
                    harness.put("discovery.k8s.io/v1", "EndpointSlice", value);
                }
                (1, Some(slice)) => harness.remove(slice),
                (2, _) => {
                    drop(harness.put("v1", "Service", service(json!({"l": draw(3).to_string()}))))
                }
                (3, _) => {
                    let labels = json!({"topology.kubernetes.io/zone": format!("z{}", draw(2))});
                    harness.put(
                        "v1",
                        "Node",
                        json!({"metadata": {"name": "node-1", "labels": labels}}),
                    );
                }
                (4, Some(_)) => {
                    let pods: Vec<Object> =
                        harness.cache.list(watched::pods(), "").cloned().collect();
                    harness.remove(&pods[draw(pods.len())]);
                }
                _ => {}
            }
            let plan = harness.plan_of(EndpointSlices::default(), "default", "web");
            assert_eq!(harness.plan("default", "web"), plan, "round {round}");
            // Sometimes the plan is not applied.
            if draw(5) > 0 {
                done += apply(&mut harness).0.len();
            }
        }
        assert!(done > 100, "{done}");
    }
}

#[test]
fn traffic_distribution_sets_topology_hints() {
    let mut harness = harness(1);
    harness.put("v1", "Pod", pod(1, false));
    let labels = json!({"topology.kubernetes.io/zone": "east"});
    let node = json!({"metadata": {"name": "node-0", "labels": labels}});
    harness.put("v1", "Node", node);
    apply(&mut harness);
    let kind = watched::endpoint_slices();
    let zone = json!([{"name": "east"}]);
    for (near, hints) in [
        ("PreferSameZone", json!({"forZones": zone})),
        (
            "PreferSameNode",
            json!({"forZones": zone, "forNodes": [{"name": "node-0"}]}),
        ),
        ("PreferClose", json!({"forZones": zone})),
        ("", Value::Null),
    ] {
        let service = harness.cache.get(watched::services(), "default", "web");
        let mut service = service.unwrap().to_value();
        service["spec"]["trafficDistribution"] = json!(near);
        harness.put("v1", "Service", service);
        assert_eq!(apply(&mut harness).0, ["update"], "{near}");
        let slice = harness.cache.list(kind, "default").next().unwrap();
        let said = list(slice, "endpoints").iter().map(|e| &e["hints"]);
        // The second Pod is not ready.
        assert_eq!(said.collect::<Vec<_>>(), [&hints, &Value::Null], "{near}");
        assert_eq!(apply(&mut harness).0, [""; 0], "{near}");
    }
}

#[test]
fn terminating_service_gets_no_new_slices() {
    let mut harness = harness(1);
    assert_eq!(apply(&mut harness).1, [1]);
    let kind = watched::endpoint_slices();
    let slice = harness.cache.list(kind, "default").next().unwrap().clone();
    harness.remove(&slice);
    harness.put(
        "v1",
        "Service",
        json!({"metadata": {"name": "web", "deletionTimestamp": "2026-01-02T12:00:00Z",
            "finalizers": ["foregroundDeletion"]}, "spec": {
            "selector": {"app": "web"}, "ports": [{"name": "http", "port": 8080, "targetPort": 80}],
        }}),
    );
    assert_eq!(apply(&mut harness), (vec![], vec![]));
}

fn node(name: &str, zone: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"topology.kubernetes.io/zone": zone}}, "status": {
        "allocatable": {"cpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}],
    }})
}

/// Returns the harness of a Service with the topology mode and six Pods on nodes in zones a, b and b.
fn automatic() -> ControllerHarness<EndpointSlices> {
    let mut harness = harness(6);
    for (name, zone) in [("node-0", "a"), ("node-1", "b"), ("node-2", "b")] {
        harness.put("v1", "Node", node(name, zone));
    }
    for number in 0..6 {
        let mut pod = pod(number, true);
        pod["spec"]["nodeName"] = json!(["node-0", "node-1"][number % 2]);
        harness.put("v1", "Pod", pod);
    }
    set_mode(
        &mut harness,
        json!({"service.kubernetes.io/topology-mode": "Auto"}),
    );
    harness
}

fn set_mode(harness: &mut ControllerHarness<EndpointSlices>, annotations: Value) {
    let service = harness
        .cache
        .get(watched::services(), "default", "web")
        .unwrap();
    let mut service = service.to_value();
    service["metadata"]["annotations"] = annotations;
    harness.put("v1", "Service", service);
}

/// Returns the zones of all hints, sorted.
fn hinted(harness: &ControllerHarness<EndpointSlices>) -> Vec<String> {
    let slices = harness.cache.list(watched::endpoint_slices(), "default");
    let endpoints = slices.flat_map(|slice| list(slice, "endpoints"));
    let hints = endpoints.flat_map(|endpoint| list(field(endpoint, "hints"), "forZones"));
    let mut zones: Vec<String> = hints.map(|zone| text(zone, "name").to_owned()).collect();
    zones.sort();
    zones
}

fn told(harness: &mut ControllerHarness<EndpointSlices>) -> Vec<(String, String)> {
    let events = harness.plan("default", "web").events;
    events
        .into_iter()
        .map(|note| (note.reason, note.message))
        .collect()
}

#[test]
fn hints_of_the_topology_mode_follow_the_cpus_of_the_zones() {
    let mut harness = automatic();
    let said = |reason: &str, message: &str| vec![(reason.to_owned(), message.to_owned())];
    assert_eq!(
        told(&mut harness),
        said(
            "TopologyAwareHintsEnabled",
            "Topology Aware Hints has been enabled, addressType: IPv4"
        )
    );
    apply(&mut harness);
    // Three Pods are in each zone, and one third of the CPUs is in zone a.
    assert_eq!(hinted(&harness), ["a", "a", "b", "b", "b", "b"]);
    assert_eq!(
        (told(&mut harness), apply(&mut harness).0),
        (vec![], vec![])
    );
    harness.put(
        "v1",
        "Event",
        json!({"metadata": {"name": "e"}, "reason": "TopologyAwareHintsEnabled",
        "involvedObject": {"uid": "uid-web"}}),
    );
    set_mode(&mut harness, json!({}));
    assert_eq!(
        told(&mut harness),
        said(
            "TopologyAwareHintsDisabled",
            "Topology Aware Hints has been disabled"
        )
    );
    apply(&mut harness);
    assert_eq!(hinted(&harness), [] as [&str; 0]);
}

#[test]
fn topology_mode_without_hints_says_why() {
    for (nodes, pods, why) in [
        (
            vec![("node-0", "a"), ("node-1", "")],
            2,
            "Insufficient Node information: allocatable CPU or zone not \
            specified on one or more nodes, addressType: IPv4",
        ),
        (
            vec![("node-0", "a")],
            2,
            "Nodes only ready in one zone, addressType: IPv4",
        ),
        (
            vec![("node-0", "a"), ("node-1", "b")],
            1,
            "Insufficient number of endpoints (1 endpoints, 2 zones), \
            addressType: IPv4",
        ),
        (
            vec![("node-1", "a"), ("node-2", "b")],
            2,
            "One or more endpoints do not have a zone specified, \
            addressType: IPv4",
        ),
    ] {
        let mut harness = harness(pods);
        for (name, zone) in nodes {
            harness.put("v1", "Node", node(name, zone));
        }
        set_mode(
            &mut harness,
            json!({"service.kubernetes.io/topology-aware-hints": "auto"}),
        );
        let told = told(&mut harness);
        assert_eq!(
            told,
            [("TopologyAwareHintsDisabled".to_owned(), why.to_owned())]
        );
        apply(&mut harness);
        assert_eq!(hinted(&harness), [] as [&str; 0]);
    }
}

#[test]
fn slices_lose_the_hints_of_a_zone_that_has_no_nodes() {
    let mut harness = automatic();
    apply(&mut harness);
    let node = harness.put("v1", "Node", node("node-0", "b"));
    assert_eq!(
        zones::services_of_node(
            &Change {
                before: None,
                after: Some(node)
            },
            &harness.cache
        )
        .len(),
        1
    );
    let events = told(&mut harness);
    assert_eq!(
        events[0].1,
        "Nodes only ready in one zone, addressType: IPv4"
    );
    apply(&mut harness);
    assert_eq!(hinted(&harness), [] as [&str; 0]);
}
