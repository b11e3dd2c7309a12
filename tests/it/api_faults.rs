//! Tests `ctl fault api`: commands, the server and the controllers receive the same API errors.

use std::collections::BTreeMap;

use ctl::api::json::{List, Value, json};
use ctl::sys::clock::Stopwatch;

use crate::support::World;
use crate::support::http::Server;

fn fault(world: &World, words: &str) {
    let words: Vec<&str> = words.split(' ').collect();
    let _ = world.run(&[&["fault", "api"], &words[..]].concat()).ok();
}

#[test]
fn fault_rules_affect_commands_and_http_until_cleared() {
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let mut client = server.client();
    let maps = "/api/v1/namespaces/default/configmaps";
    let _ = client.get(maps).ok();
    fault(&world, "--verb list,get --kind cm --code 503");
    fault(
        &world,
        "busy --kind Pod --verb create --code 429 --rate 100%",
    );
    assert_eq!(
        world.run(&["fault", "list"]).ok(),
        "api/1: list,get of configmaps: requests return 503\napi/busy: create of pods: requests return 429\n"
    );
    let words = "the server is currently unable to handle the request";
    let refused = world.run(&["get", "configmaps"]).fails();
    assert!(refused.contains(words), "{refused}");
    let refused = world.run(&["run", "a", "--image", "nginx:1"]).fails();
    let many = "Error from server (TooManyRequests): Too many requests, please try again later.";
    assert_eq!(refused.trim_end(), many);
    // A server that was already running returns the error, too.
    assert_eq!(
        client.get(maps).refused(503)["reason"],
        "ServiceUnavailable"
    );
    let other = client.get("/api/v1/namespaces/default/pods").ok();
    assert_eq!(
        other["items"].as_array().map(|items: &List| items.len()),
        Some(0)
    );
    let pod: Value = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}});
    let answer = client.post("/api/v1/namespaces/default/pods", &pod);
    assert!(answer.head.contains("Retry-After: 1"), "{answer:?}");
    let text = std::fs::read_to_string(world.path("cluster.yaml")).unwrap();
    assert!(text.contains("\"name\":\"busy\""), "{text}");
    assert_eq!(
        world.run(&["fault", "clear", "api", "1"]).ok(),
        "api/1 removed\n"
    );
    let _ = world.run(&["get", "configmaps"]).ok();
    assert_eq!(
        world.run(&["fault", "clear", "api"]).ok(),
        "api/busy removed\n"
    );
    assert_eq!(
        world.run(&["fault", "list"]).ok(),
        "no faults are injected\n"
    );
    let _ = client.post("/api/v1/namespaces/default/pods", &pod).ok();
    for words in [
        &["--verb", "get"][..],
        &["--code", "200"],
        &["--code", "500", "--kind", "ships"],
        &["--code", "500", "--verb", "put"],
        &["--latency", "soon"],
        &["--code", "500", "--rate", "2"],
    ] {
        let _ = world.run(&[&["fault", "api"], words].concat()).fails();
    }
    assert_eq!(server.stop().code, 0);
}

#[test]
fn same_commands_meet_the_same_faults() {
    let run = || {
        let world = World::fresh();
        fault(&world, "--verb create,update,patch --rate 40% --code 500");
        let create = |n: i32| {
            let made = world.run(&["create", "configmap", &format!("m{n}")]);
            made.code
        };
        let codes: Vec<i32> = (0..20).map(create).collect();
        let settled = world.run(&["settle"]);
        (codes, settled.code, settled.err, world.list())
    };
    let (first, second) = (run(), run());
    assert_eq!(first, second);
    let refused = first.0.iter().filter(|code| **code == 1).count();
    assert!((2..16).contains(&refused), "{:?}", first.0);
}

/// Returns the number of Pods by image and readiness, the ReplicaSets with their revisions, and the Deployment.
fn end(world: &World) -> (BTreeMap<String, usize>, String, String) {
    let pods = world.run(&["get", "pods", "-o", "json"]).ok();
    let pods: Value = serde_json::from_str(&pods).unwrap();
    let mut counts = BTreeMap::new();
    for pod in pods["items"].as_array().unwrap() {
        let image = &pod["spec"]["containers"][0]["image"];
        let text = format!(
            "{image} {} {}",
            pod["status"]["phase"], pod["metadata"]["labels"]
        );
        *counts.entry(text).or_default() += 1;
    }
    let template = "{range .items[*]}{.metadata.name} {.spec.replicas} {.status.readyReplicas} \
                    {.metadata.annotations.deployment\\.kubernetes\\.io/revision}{\"\\n\"}{end}";
    let sets = world
        .run(&["get", "rs", "-o", &format!("jsonpath={template}")])
        .ok();
    let web = "jsonpath={.status.replicas} {.status.updatedReplicas} {.status.availableReplicas} \
               {.status.conditions[*].reason}";
    (
        counts,
        sets,
        world.run(&["get", "deploy/web", "-o", web]).ok(),
    )
}

#[test]
fn rolling_update_reaches_the_same_state_despite_rejected_writes() {
    let rollout = |faults: &[&str]| {
        let world = World::fresh();
        let words = [
            "create",
            "deployment",
            "web",
            "--image",
            "shop:1",
            "--replicas",
            "10",
        ];
        let _ = world.run(&words).ok();
        let _ = world.run(&["settle"]).ok();
        let _ = world
            .run(&["set", "image", "deploy/web", "shop=shop:2"])
            .ok();
        for words in faults {
            fault(&world, words);
        }
        // A controller gives up after several rejections in a row; the next run continues.
        let settles = || world.run(&["settle"]).code == 0;
        assert!((0..5).any(|_| settles()));
        let _ = world.run(&["fault", "clear", "api"]).ok();
        end(&world)
    };
    let smooth = rollout(&[]);
    assert_eq!(smooth.0.values().sum::<usize>(), 10);
    for seed in 1..4 {
        let seed = format!("--seed {seed}");
        let write = "--verb create,update,patch,delete";
        let rough = rollout(&[
            &format!("{write} --rate 30% --code 500 {seed}"),
            &format!("{write} --rate 10% --code 409 {seed}"),
            &format!("--verb list --rate 20% --code 503 {seed}"),
        ]);
        assert_eq!(rough, smooth, "{seed}");
    }
}

#[test]
fn fault_latency_on_virtual_clock_takes_no_real_time() {
    let world = World::fresh();
    let _ = world
        .run(&["create", "deployment", "web", "--image", "shop:1"])
        .ok();
    let _ = world.run(&["settle"]).ok();
    fault(&world, "--verb get --kind deploy --latency 10m");
    let time =
        |world: &World| -> jiff::Timestamp { world.run(&["clock"]).ok().trim().parse().unwrap() };
    let (before, watch) = (time(&world), Stopwatch::start());
    let _ = world.run(&["get", "deploy/web", "-o", "name"]).ok();
    assert_eq!(time(&world).duration_since(before).as_secs(), 600);
    assert!(watch.elapsed().as_secs() < 60);
}

#[test]
fn settle_reports_the_error_of_an_api_fault() {
    let world = World::fresh();
    fault(&world, "--verb create --kind pods --code 500");
    let _ = world
        .run(&["create", "deployment", "web", "--image", "shop:1"])
        .ok();
    let stuck = world.run(&["settle"]).fails();
    assert!(
        stuck.contains("Internal error occurred: fault 1"),
        "{stuck}"
    );
    let _ = world.run(&["fault", "clear", "api"]).ok();
    let _ = world.run(&["settle"]).ok();
    fault(&world, "--verb list --code 503");
    let refused = world.run(&["settle"]).fails();
    assert!(refused.contains("currently unable to handle"), "{refused}");
}
