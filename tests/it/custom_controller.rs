//! Tests the controller of `examples/application.rs` together with all other controllers.

#[path = "../../examples/application.rs"]
#[expect(
    dead_code,
    reason = "its main is for `cargo run --example application`"
)]
mod application;

use std::time::Duration;

use crate::support::World;
use application::Applications;
use ctl::api::json::{Value, json};
use ctl::cluster::{Cluster, Open};
use ctl::runtime::{
    Cache, Config, Controller as _, Key, Manager, Object, Outcome, ReconcileContext, Seed, Until,
};

/// Returns a cluster in which the application `shop` (nginx:1.25, 2 replicas) was created.
fn world() -> (World, Cluster) {
    let world = World::fresh();
    let files = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/custom");
    for file in ["applications-crd.yaml", "application.yaml"] {
        let _ = world.run(&["apply", "-f", &format!("{files}/{file}")]).ok();
    }
    let cluster = Cluster::open(&world.state(), Open::as_writer("test")).unwrap();
    (world, cluster)
}

fn settle(cluster: &Cluster) -> Outcome {
    let mut all = ctl::controllers::wanted(&|_| true);
    all.extend(ctl::kubelet::controllers());
    all.push(Box::new(Applications::new(cluster).unwrap()));
    let mut manager = Manager::new(cluster, all, &|_| Config::default());
    manager.load().unwrap();
    let until = Until {
        pass: None,
        timeout: Some(Duration::from_secs(60)),
    };
    manager.settle(&until, &|| false).unwrap()
}

#[test]
fn custom_controller_creates_and_reconciles_its_deployment() {
    let (world, cluster) = world();
    let shop = || world.run(&["get", "app", "shop", "--no-headers"]).ok();
    let columns = |text: String| {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words[..5].join(" ")
    };
    assert_eq!(settle(&cluster), Outcome::Settled);
    assert_eq!(columns(shop()), "shop nginx:1.25 2 2 Ready");
    let events = world.run(&["get", "events", "-o", "wide"]).ok();
    assert!(events.contains("Created Deployment shop"), "{events}");
    // The application's spec takes precedence over any other change to the Deployment.
    let _ = world.run(&["scale", "deploy", "shop", "--replicas=5"]).ok();
    let change = r#"{"spec":{"image":"nginx:1.26","port":8080}}"#;
    let _ = world
        .run(&["patch", "app", "shop", "--type=merge", "-p", change])
        .ok();
    assert_eq!(settle(&cluster), Outcome::Settled);
    assert_eq!(columns(shop()), "shop nginx:1.26 2 2 Ready");
    let wide = world.run(&["get", "deploy", "shop", "-o", "yaml"]).ok();
    assert!(wide.contains("containerPort: 8080"), "{wide}");
    // Nothing is left to do, so no commit is made.
    let before = cluster.stored().revision().unwrap();
    assert_eq!(settle(&cluster), Outcome::Settled);
    assert_eq!(cluster.stored().revision().unwrap(), before);
    let _ = world.run(&["scale", "app", "shop", "--replicas=0"]).ok();
    assert_eq!(settle(&cluster), Outcome::Settled);
    assert_eq!(columns(shop()), "shop nginx:1.26 0 0 Ready");
    let _ = world.run(&["delete", "app", "shop"]).ok();
    assert_eq!(settle(&cluster), Outcome::Settled);
    let left = world.run(&["get", "deploy,rs,pods", "-o", "name"]).ok();
    assert_eq!(left, "");
}

#[test]
fn settle_reports_an_application_without_ready_replicas_as_stuck() {
    let (world, cluster) = world();
    let change = r#"{"spec":{"image":"nginx:404"}}"#;
    let _ = world
        .run(&["patch", "app", "shop", "--type=merge", "-p", change])
        .ok();
    let Outcome::Stuck(objects) = settle(&cluster) else {
        panic!("there is no such image");
    };
    let of_shop = objects
        .iter()
        .find(|stuck| stuck.object == "Application default/shop");
    assert_eq!(of_shop.unwrap().reason, "replicas ready: 0");
}

/// Returns the rules of a plan for an application and its Deployment, if it has one.
fn rules(cluster: &Cluster, spec: &Value, deployment: Option<&Value>) -> Vec<String> {
    let mut controller = Applications::new(cluster).unwrap();
    let mut cache = Cache::new([]);
    let mut put = |resource: &str, mut object: Value| {
        object["metadata"]["namespace"] = json!("default");
        object["metadata"]["resourceVersion"] = json!("1");
        cache.put(Object::new(cluster.kind(resource).unwrap(), object));
    };
    let app = json!({"metadata": {"name": "shop", "uid": "u"}, "spec": spec});
    put("applications.example.com", app);
    if let Some(deployment) = deployment {
        let mut deployment = deployment.clone();
        deployment["metadata"] = json!({"name": "shop", "generation": 1, "ownerReferences":
            [{"apiVersion": "example.com/v1", "kind": "Application", "name": "shop", "uid": "u",
              "controller": true}]});
        put("deployments.apps", deployment);
    }
    let plan = controller.plan(&ReconcileContext {
        key: &Key::new("default", "shop"),
        cache: &cache,
        now: cluster.now().unwrap(),
        failures: 0,
        refused: &[],
        seed: Seed(7),
        pods: cluster.settings().pods,
        identity: cluster.rights().keys(),
    });
    let writes = plan.changes.iter().chain(&plan.status);
    writes.map(|w| w.rule.clone()).collect()
}

#[test]
fn plan_depends_only_on_the_current_objects() {
    let (_world, cluster) = world();
    let spec = |image: &str| json!({"image": image, "replicas": 1, "port": 80});
    let deployment = |ready: u64| {
        json!({
            "spec": {"replicas": 1, "template": {"spec": {"containers":
                [{"image": "a", "ports": [{"containerPort": 80}]}]}}},
            "status": {"observedGeneration": 1, "updatedReplicas": 1, "readyReplicas": ready},
        })
    };
    let table = [
        (
            "a",
            None,
            vec!["create: no Deployment yet", "status: \"Pending\""],
        ),
        ("a", Some(0), vec!["status: \"Progressing\""]),
        ("a", Some(1), vec!["status: \"Ready\""]),
        (
            "b",
            Some(1),
            vec!["update: the application changed", "status: \"Ready\""],
        ),
    ];
    for (image, ready, expected) in table {
        let deployment = ready.map(deployment);
        let found = rules(&cluster, &spec(image), deployment.as_ref());
        assert_eq!(found, expected, "{image}, {ready:?}");
    }
}
