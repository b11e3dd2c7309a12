//! The allocation of devices on caches made by hand.

use crate::api::json::{Value, json};
use crate::cluster::Verb;
use crate::harness::{ControllerHarness, content, lines};
use crate::runtime::Plan;
use crate::scheduler::Scheduler;

const RESOURCE: &str = "resource.k8s.io/v1";

/// Returns a cluster with two nodes, a class for every lamp, and lamps on the second node.
fn cluster() -> ControllerHarness<Scheduler> {
    let mut harness = ControllerHarness::new(Scheduler::default());
    for name in ["node-0", "node-1"] {
        let node = json!({"metadata": {"name": name, "labels": {"zone": name}}, "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
        }});
        harness.put("v1", "Node", node);
    }
    let class = json!({"metadata": {"name": "lamp"}, "spec": {
        "selectors": [{"cel": {"expression": "device.driver == 'lamps.example.com'"}}],
    }});
    harness.put(RESOURCE, "DeviceClass", class);
    harness
}

fn slice(name: &str, place: Value, devices: Value) -> Value {
    let mut slice = json!({"metadata": {"name": name}, "spec": {
        "driver": "lamps.example.com", "devices": devices,
        "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
    }});
    for (key, value) in place.as_object().unwrap() {
        slice["spec"][key] = value.clone();
    }
    slice
}

fn lamps() -> Value {
    json!([
        {"name": "red", "attributes": {"colour": {"string": "red"}, "watts": {"int": 5}}},
        {"name": "white", "attributes": {"colour": {"string": "white"}, "watts": {"int": 9}}},
        {"name": "snow", "attributes": {"colour": {"string": "white"}, "watts": {"int": 3}}},
    ])
}

fn local(harness: &mut ControllerHarness<Scheduler>) {
    let slice = slice("lamps", json!({"nodeName": "node-1"}), lamps());
    harness.put(RESOURCE, "ResourceSlice", slice);
}

fn claim(harness: &mut ControllerHarness<Scheduler>, name: &str, devices: Value) {
    let claim = json!({"metadata": {"name": name}, "spec": {"devices": devices}});
    harness.put(RESOURCE, "ResourceClaim", claim);
}

fn exactly(mut more: Value) -> Value {
    more["deviceClassName"] = json!("lamp");
    json!({"requests": [{"name": "light", "exactly": more}]})
}

fn pod(harness: &mut ControllerHarness<Scheduler>, name: &str, claim: &str) {
    let entry = json!({"name": "l", "resourceClaimName": claim});
    let pod = json!({"metadata": {"name": name}, "spec": {"resourceClaims": [entry]}});
    harness.put("v1", "Pod", pod);
}

/// Returns the devices of each allocation, and the nodes of the Pods.
fn outcome(plan: &Plan) -> (Vec<Vec<String>>, Vec<String>) {
    let (mut devices, mut nodes) = (Vec::new(), Vec::new());
    for write in &plan.changes {
        if let Verb::Bind(binding) = &write.verb {
            nodes.push(binding["target"]["name"].as_str().unwrap().to_owned());
        }
        let results = &content(write)["status"]["allocation"]["devices"]["results"];
        if let Some(results) = results.as_array() {
            let device = |result: &Value| result["device"].as_str().unwrap().to_owned();
            devices.push(results.iter().map(device).collect());
        }
    }
    (devices, nodes)
}

#[test]
fn pod_with_a_claim_binds_to_the_device_node() {
    let mut harness = cluster();
    pod(&mut harness, "p", "c");
    assert_eq!(harness.plan("", ""), Plan::done());
    claim(&mut harness, "c", exactly(json!({"count": 1})));
    let plan = harness.plan("", "");
    assert_eq!(
        plan.events[0].message,
        "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: \
         0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    );
    local(&mut harness);
    let plan = harness.plan("", "");
    assert_eq!(
        lines(&plan),
        [
            "patch resourceclaims c: reserve",
            "patch-status resourceclaims c: reserve",
            "bind pods p: schedule",
        ]
    );
    let status = &content(&plan.changes[1])["status"];
    assert_eq!(
        status["reservedFor"],
        json!([{"resource": "pods", "name": "p", "uid": "uid-p"}])
    );
    assert_eq!(
        status["allocation"]["nodeSelector"],
        json!({"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["node-1"]},
        ]}]})
    );
    assert_eq!(outcome(&plan).1, ["node-1"]);
}

#[test]
fn device_requests_are_satisfied_by_matching_devices() {
    let white = json!([{"cel": {"expression": "device.attributes['lamps.example.com'].colour == 'white'"}}]);
    let black = json!([{"cel": {"expression": "device.attributes['lamps.example.com'].colour == 'black'"}}]);
    let same = json!([{"matchAttribute": "lamps.example.com/colour"}]);
    let mut matched = exactly(json!({"count": 2}));
    matched["constraints"] = same;
    let cases = [
        (exactly(json!({"count": 2})), vec!["red", "white"]),
        (
            exactly(json!({"allocationMode": "All"})),
            vec!["red", "white", "snow"],
        ),
        (
            exactly(json!({"count": 2, "selectors": white})),
            vec!["white", "snow"],
        ),
        (matched, vec!["white", "snow"]),
        (
            json!({"requests": [{"name": "light", "firstAvailable": [
                {"name": "dark", "deviceClassName": "lamp", "selectors": black},
                {"name": "any", "deviceClassName": "lamp"},
            ]}]}),
            vec!["red"],
        ),
        (exactly(json!({"count": 4})), vec![]),
    ];
    for (devices, expected) in cases {
        let mut harness = cluster();
        local(&mut harness);
        claim(&mut harness, "c", devices.clone());
        pod(&mut harness, "p", "c");
        let plan = harness.plan("", "");
        let (found, _) = outcome(&plan);
        assert_eq!(found.concat(), expected, "{devices}");
    }
}

#[test]
fn shared_claim_leaves_remaining_devices_for_other_pods() {
    let mut harness = cluster();
    local(&mut harness);
    claim(&mut harness, "shared", exactly(json!({"count": 2})));
    claim(
        &mut harness,
        "rest",
        exactly(json!({"allocationMode": "ExactCount"})),
    );
    claim(&mut harness, "late", exactly(json!({})));
    for (name, claim) in [
        ("a", "shared"),
        ("b", "shared"),
        ("c", "rest"),
        ("d", "late"),
    ] {
        pod(&mut harness, name, claim);
    }
    let plan = harness.plan("", "");
    let (devices, nodes) = outcome(&plan);
    assert_eq!(devices.concat(), ["red", "white", "snow"]);
    assert_eq!(nodes, ["node-1", "node-1", "node-1"]);
    let reserved = plan.changes.iter().rfind(|w| w.name == "shared").unwrap();
    let users = content(reserved)["status"]["reservedFor"]
        .as_array()
        .unwrap();
    assert_eq!(users.len(), 2);
}

#[test]
fn network_devices_serve_all_nodes_and_tainted_ones_none() {
    let mut harness = cluster();
    let mut devices = lamps();
    devices[0]["taints"] = json!([{"key": "broken", "effect": "NoSchedule"}]);
    let slice = slice("net", json!({"allNodes": true}), devices);
    harness.put(RESOURCE, "ResourceSlice", slice);
    claim(&mut harness, "c", exactly(json!({})));
    pod(&mut harness, "p", "c");
    let plan = harness.plan("", "");
    assert_eq!(outcome(&plan).0.concat(), ["white"]);
    let allocation = &content(&plan.changes[1])["status"]["allocation"];
    assert_eq!(allocation.get("nodeSelector"), None);
}

#[test]
fn a_request_for_all_devices_fails_with_a_tainted_one() {
    for (tolerations, expected) in [
        (json!([]), &[][..]),
        (json!([{"operator": "Exists"}]), &["red", "white", "snow"]),
    ] {
        let mut harness = cluster();
        let mut devices = lamps();
        devices[0]["taints"] = json!([{"key": "broken", "effect": "NoSchedule"}]);
        let slice = slice("net", json!({"allNodes": true}), devices);
        harness.put(RESOURCE, "ResourceSlice", slice);
        let all = json!({"allocationMode": "All", "tolerations": tolerations});
        claim(&mut harness, "c", exactly(all));
        pod(&mut harness, "p", "c");
        let found = outcome(&harness.plan("", "")).0.concat();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_missing_class_and_a_failing_selector_are_reported() {
    let mut harness = cluster();
    local(&mut harness);
    let mut devices = exactly(json!({}));
    devices["requests"][0]["exactly"]["deviceClassName"] = json!("torch");
    claim(&mut harness, "c", devices);
    pod(&mut harness, "p", "c");
    assert_eq!(
        harness.plan("", "").events[0].message,
        "0/2 nodes are available: request light: device class torch does not exist. still not \
         schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
    );
    let mut harness = cluster();
    local(&mut harness);
    let wrong = "device.attributes['lamps.example.com'].height > 1";
    claim(
        &mut harness,
        "c",
        exactly(json!({"selectors": [{"cel": {"expression": wrong}}]})),
    );
    pod(&mut harness, "p", "c");
    let plan = harness.plan("", "");
    assert_eq!(
        plan.events[0].message,
        "running \"DynamicResources\" filter plugin: claim default/c: selector #0: CEL runtime error: \
         no such key: height"
    );
    let reason = &content(&plan.changes[0])["status"]["conditions"][0]["reason"];
    assert_eq!(reason, "SchedulerError");
}

#[test]
fn allocated_claim_restricts_its_pods_to_its_nodes() {
    let mut harness = cluster();
    let claim = json!({"metadata": {"name": "c"}, "spec": {"devices": {}}, "status": {"allocation": {
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["node-1"]},
        ]}]},
    }}});
    harness.put(RESOURCE, "ResourceClaim", claim);
    pod(&mut harness, "p", "c");
    assert_eq!(outcome(&harness.plan("", "")).1, ["node-1"]);
}
