//! Tests all controllers with the fake kubelet on a cluster of their own, on a virtual clock.

use std::sync::Arc;
use std::time::Duration;

use ctl::cluster::{
    ApiError, ClockMode, Cluster, DeleteOptions, Kind, KubernetesAdmit, Open, PatchType, Place,
    PodMode, Settings, WriteOptions,
};
use ctl::runtime::{Config, Manager, Outcome, Until};
use ctl::sys::clock::Clock;
use ctl::sys::entropy::Seed;
use tempfile::TempDir;

use crate::support::scratch;
use ctl::api::json::{Value, json};

struct World {
    cluster: Cluster,
    _directory: TempDir,
}

fn kind_of(resource: &str) -> &'static Kind {
    let groups = [
        ("", "v1"),
        ("apps", "v1"),
        ("autoscaling", "v2"),
        ("discovery.k8s.io", "v1"),
        ("policy", "v1"),
        ("storage.k8s.io", "v1"),
    ];
    let find = |(group, version)| ctl::kinds::find_resource(group, version, resource);
    groups.into_iter().find_map(find).unwrap()
}

fn place(resource: &str) -> Place {
    Place::new(kind_of(resource), "default")
}

/// Returns the options that open a cluster with a stopped clock.
pub fn opened() -> Open {
    let mut open = Open::default();
    open.options.clock = Clock::Fixed("2026-01-02T12:00:00Z".parse().unwrap());
    open.options.command = "test".to_owned();
    open.options.admit = Arc::new(KubernetesAdmit);
    open
}

/// Returns a cluster at noon on a virtual clock, with the objects of a new one.
pub fn new_cluster(pods: PodMode) -> (Cluster, TempDir) {
    let directory = scratch();
    let settings = Settings {
        clock: ClockMode::Virtual,
        pods,
        ..Settings::new(Seed(7))
    };
    let (cluster, _) = Cluster::init(directory.path(), opened(), settings).unwrap();
    cluster.bootstrap().unwrap();
    (cluster, directory)
}

impl World {
    fn new(pods: PodMode) -> Self {
        let (cluster, directory) = new_cluster(pods);
        Self {
            cluster,
            _directory: directory,
        }
    }

    fn settle(&self) -> Outcome {
        let mut all = ctl::controllers::wanted(&|_| true);
        all.extend(ctl::kubelet::controllers());
        let mut manager = Manager::new(&self.cluster, all, &|_| Config::default());
        manager.load().unwrap();
        let until = Until {
            pass: None,
            timeout: Some(Duration::from_secs(60)),
        };
        manager.settle(&until, &|| false).unwrap()
    }

    /// Runs the controllers until nothing is left to do, and checks that they settled.
    #[track_caller]
    fn settled(&self) {
        assert_eq!(self.settle(), Outcome::Settled);
    }

    fn create(&self, resource: &str, mut object: Value) {
        let place = place(resource);
        object["apiVersion"] = json!(place.kind.api_version());
        object["kind"] = json!(place.kind.kind);
        self.cluster
            .create(&place, &object, &WriteOptions::default())
            .unwrap();
    }

    fn merge(&self, resource: &str, name: &str, patch: Value) {
        let patch = (PatchType::Merge, &patch);
        self.cluster
            .patch(
                &place(resource),
                name,
                patch,
                false,
                &WriteOptions::default(),
            )
            .unwrap();
    }

    fn delete(&self, resource: &str, name: &str) {
        self.cluster
            .delete(&place(resource), name, &DeleteOptions::default())
            .unwrap();
    }

    fn get(&self, resource: &str, name: &str) -> Result<Value, ApiError> {
        self.cluster.get(&place(resource), name)
    }

    fn list(&self, resource: &str) -> Vec<Value> {
        self.cluster
            .list(&place(resource), &|_| true, None)
            .unwrap()
            .items
    }

    /// Returns the node and the phase of each Pod.
    fn pods(&self) -> Vec<(String, String)> {
        let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
        let pods = self.list("pods");
        pods.iter()
            .map(|p| (text(&p["spec"]["nodeName"]), text(&p["status"]["phase"])))
            .collect()
    }

    fn deployment(&self, replicas: i64) {
        self.create(
            "deployments",
            json!({
                "metadata": {"name": "web"},
                "spec": {
                    "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
                    "template": {
                        "metadata": {"labels": {"app": "web"}},
                        "spec": {"containers": [{"name": "c", "image": "nginx:1.25"}]},
                    },
                },
            }),
        );
    }
}

#[test]
fn a_deployment_runs_spread_over_the_nodes_behind_its_service() {
    let world = World::new(PodMode::Running);
    world.deployment(3);
    world.create(
        "services",
        json!({"metadata": {"name": "web"}, "spec": {
            "selector": {"app": "web"}, "ports": [{"port": 80}],
        }}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    let mut pods = world.pods();
    pods.sort();
    let running = |n: i32| (format!("node-{n}"), "Running".to_owned());
    assert_eq!(pods, [running(0), running(1), running(2)]);
    let endpoints = world.get("endpoints", "web").unwrap();
    assert_eq!(
        endpoints["subsets"][0]["addresses"]
            .as_array()
            .map(|list| list.len()),
        Some(3)
    );
    let slices = world.list("endpointslices");
    let of_web = |s: &&Value| s["metadata"]["labels"]["kubernetes.io/service-name"] == "web";
    let slice = slices.iter().find(of_web).unwrap();
    assert_eq!(slice["endpoints"][0]["conditions"]["ready"], true);
    let node = world.get("nodes", "node-1").unwrap();
    assert_eq!(
        node["metadata"]["annotations"]["node.alpha.kubernetes.io/ttl"],
        "0"
    );
    // Nothing is left to do, so no commit is made.
    let before = world.cluster.stored().revision().unwrap();
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.cluster.stored().revision().unwrap(), before);
}

#[test]
fn deletion_of_a_deployment_deletes_its_dependents() {
    let world = World::new(PodMode::Default);
    world.deployment(2);
    world.settled();
    world.delete("deployments", "web");
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(
        (world.pods(), world.list("replicasets").len()),
        (Vec::new(), 0)
    );
}

#[test]
fn deletion_of_a_namespace_deletes_its_objects() {
    let world = World::new(PodMode::Default);
    world.create("namespaces", json!({"metadata": {"name": "blue"}}));
    world.settled();
    let blue = Place::new(kind_of("configmaps"), "blue");
    assert!(world.cluster.get(&blue, "kube-root-ca.crt").is_ok());
    world.delete("namespaces", "blue");
    assert_eq!(world.settle(), Outcome::Settled);
    assert!(world.get("namespaces", "blue").is_err());
    assert!(world.cluster.get(&blue, "kube-root-ca.crt").is_err());
}

#[test]
fn pods_of_a_failed_node_are_replaced_on_others() {
    let world = World::new(PodMode::Default);
    world.deployment(3);
    world.settled();
    let down = json!({"metadata": {"annotations": {"ctl.dev/node-down": "2026-01-01T00:00:00Z"}}});
    world.merge("nodes", "node-0", down);
    world.settled();
    let node = world.get("nodes", "node-0").unwrap();
    let ready = node["status"]["conditions"].as_array().unwrap();
    let ready = ready.iter().find(|c| c["type"] == "Ready").unwrap();
    assert_eq!(
        (&ready["status"], &ready["reason"]),
        (&json!("Unknown"), &json!("NodeStatusUnknown"))
    );
    let elsewhere = world
        .list("pods")
        .iter()
        .filter(|p| p["spec"]["nodeName"] != "node-0" && p["status"]["phase"] == "Running")
        .count();
    assert_eq!(elsewhere, 3);
    world.merge(
        "nodes",
        "node-0",
        json!({"metadata": {"annotations": {"ctl.dev/node-down": null}}}),
    );
    world.settled();
    assert_eq!(
        world.get("nodes", "node-0").unwrap()["spec"]["taints"],
        Value::Null
    );
    assert_eq!(world.pods().len(), 3);
}

#[test]
fn unschedulable_pod_is_scheduled_after_a_node_matches() {
    let world = World::new(PodMode::Running);
    world.create(
        "pods",
        json!({"metadata": {"name": "picky"}, "spec": {
            "nodeSelector": {"disk": "ssd"}, "containers": [{"name": "c", "image": "nginx:1.25"}],
        }}),
    );
    let Outcome::Stuck(stuck) = world.settle() else {
        panic!("it is not stuck");
    };
    assert_eq!(stuck[0].object, "Pod default/picky");
    let pod = world.get("pods", "picky").unwrap();
    assert_eq!(
        pod["status"]["conditions"][0]["message"],
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. no new claims to \
         deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    );
    world.merge(
        "nodes",
        "node-2",
        json!({"metadata": {"labels": {"disk": "ssd"}}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.pods(), [("node-2".to_owned(), "Running".to_owned())]);
}

#[test]
fn budgets_quotas_and_autoscalers_follow_the_pods() {
    let world = World::new(PodMode::Running);
    world.create(
        "resourcequotas",
        json!({"metadata": {"name": "caps"}, "spec": {"hard": {"pods": "20"}}}),
    );
    world.deployment(4);
    world.create(
        "poddisruptionbudgets",
        json!({"metadata": {"name": "web"}, "spec": {
            "minAvailable": "75%", "selector": {"matchLabels": {"app": "web"}},
        }}),
    );
    world.create(
        "horizontalpodautoscalers",
        json!({"metadata": {"name": "web"}, "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 5, "maxReplicas": 8,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {
                "type": "Utilization", "averageUtilization": 60,
            }}}],
        }}),
    );
    world.settled();
    let budget = world.get("poddisruptionbudgets", "web").unwrap();
    assert_eq!(budget["status"]["disruptionsAllowed"], 1);
    assert_eq!(budget["status"]["expectedPods"], 5);
    let quota = world.get("resourcequotas", "caps").unwrap();
    assert_eq!(quota["status"]["used"]["pods"], "5");
    assert_eq!(world.pods().len(), 5);
}

#[test]
fn wait_for_first_consumer_claim_binds_on_first_pod() {
    let world = World::new(PodMode::Default);
    world.create(
        "storageclasses",
        json!({
            "metadata": {"name": "late"}, "provisioner": "disk.example.com",
            "volumeBindingMode": "WaitForFirstConsumer",
        }),
    );
    world.create(
        "persistentvolumeclaims",
        json!({"metadata": {"name": "data"}, "spec": {
            "storageClassName": "late", "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        }}),
    );
    world.settled();
    assert_eq!(
        world.get("persistentvolumeclaims", "data").unwrap()["status"]["phase"],
        "Pending"
    );
    world.create(
        "pods",
        json!({"metadata": {"name": "user"}, "spec": {
            "containers": [{"name": "c", "image": "nginx:1.25"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        }}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(
        world.get("persistentvolumeclaims", "data").unwrap()["status"]["phase"],
        "Bound"
    );
    assert_eq!(world.pods()[0].1, "Running");
    world.delete("pods", "user");
    world.delete("persistentvolumeclaims", "data");
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.list("persistentvolumes"), [] as [Value; 0]);
}

#[test]
fn the_same_commands_give_the_same_history() {
    let run = || {
        let world = World::new(PodMode::Default);
        world.deployment(5);
        world.settled();
        world.merge("deployments", "web", json!({"spec": {"replicas": 2}}));
        world.settled();
        let all = world.list("pods");
        (world.cluster.stored().revision().unwrap(), all)
    };
    assert_eq!(run(), run());
}
