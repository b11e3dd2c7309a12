//! Tests that events of attempts are counted from the clock.

use jiff::{SignedDuration, Timestamp};

use crate::api::json::{Value, json};
use crate::cluster::testing::{in_memory, place, pod};
use crate::cluster::{Cluster, WriteOptions};
use crate::controller::controllers;
use crate::kinds::moment;
use crate::runtime::{Config, Manager, Until};

/// A cluster with a node, on which Pods fail.
struct Stand {
    cluster: Cluster,
    start: Timestamp,
}

impl Stand {
    fn new(annotations: Value) -> Self {
        let cluster = in_memory();
        let start = cluster.now().unwrap();
        let stand = Self { cluster, start };
        let node = json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n", "annotations": annotations}});
        stand.create("nodes", &node);
        stand
    }

    fn create(&self, resource: &str, object: &Value) {
        let options = WriteOptions::default();
        let made = self.cluster.create(&place(resource), object, &options);
        made.unwrap();
    }

    /// Creates a Pod on the node.
    fn pod(&self, spec: Value, container: Value) {
        let mut made = pod("p");
        made["spec"]["nodeName"] = json!("n");
        for (name, value) in spec.as_object().unwrap() {
            made["spec"][name.as_str()] = value.clone();
        }
        for (name, value) in container.as_object().unwrap() {
            made["spec"]["containers"][0][name.as_str()] = value.clone();
        }
        self.create("pods", &made);
    }

    /// Runs the controllers until they are done, or for some seconds.
    fn settle(&self, seconds: Option<i64>) {
        let mut manager = Manager::new(&self.cluster, controllers(), &|_| Config::default());
        manager.load().unwrap();
        let pass = seconds.map(SignedDuration::from_secs);
        let until = Until {
            pass,
            ..Until::default()
        };
        let _ = manager.settle(&until, &|| false).unwrap();
        let before = self.cluster.stored().revision().unwrap();
        let _ = manager.settle(&Until::default(), &|| false).unwrap();
        let after = self.cluster.stored().revision().unwrap();
        assert_eq!(after, before, "a second run writes nothing");
    }

    /// Moves the clock without any controller.
    fn jump(&self, seconds: i64) {
        let to = self.cluster.now().unwrap() + SignedDuration::from_secs(seconds);
        let election = self.cluster.election();
        election.move_clock("test", "test", None, to).unwrap();
    }

    /// Returns the warnings and back-offs with the beginnings of their messages, counts, and last times in seconds.
    fn told(&self) -> Vec<String> {
        let all = self.cluster.list(&place("events"), &|_| true, None);
        let events = all.unwrap().items;
        let line = |event: &Value| {
            let last = moment::read(&event["lastTimestamp"]).unwrap();
            let words = event["message"].as_str().unwrap().split(' ').take(3);
            let words: Vec<&str> = words.collect();
            let seconds = moment::since(self.start, last).as_secs();
            format!("{} x{} {seconds}s", words.join(" "), event["count"])
        };
        let is_own = |event: &&Value| event["involvedObject"]["kind"] == "Pod";
        events.iter().filter(is_own).map(line).collect()
    }
}

#[test]
fn back_off_of_a_crash_is_counted_over_its_time() {
    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"command": ["false"]}));
    stand.settle(None);
    // The second crash, after a restart at once.
    assert_eq!(stand.told(), ["Back-off restarting failed x1 0s"]);
    stand.settle(Some(25));
    // Restarts after 10 s and 30 s: 10, 23.
    assert_eq!(stand.told(), ["Back-off restarting failed x3 23s"]);
    stand.jump(3600);
    stand.settle(None);
    // The rate limit drops the first event of the next back-off.
    assert_eq!(stand.told(), ["Back-off restarting failed x280 3624s"]);
}

#[test]
fn simulated_day_of_crashes_is_counted_with_few_writes() {
    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"command": ["false"]}));
    stand.settle(Some(86_400));
    let told = stand.told();
    let count: i64 = told[0]
        .split(['x', ' '])
        .find_map(|word| word.parse().ok())
        .unwrap();
    // One in 13 s.
    assert!((6500..7000).contains(&count), "{told:?}");
    let events = stand
        .cluster
        .list(&place("events"), &|_| true, None)
        .unwrap();
    let writes = stand.cluster.stored().revision().unwrap();
    assert!(writes < 2400, "{writes} {:?}", events.items);
}

#[test]
fn missing_sources_are_counted_even_if_they_appear() {
    let stand = Stand::new(json!({"ctl.dev/node-events": "true"}));
    let env =
        json!([{"name": "V", "valueFrom": {"configMapKeyRef": {"name": "gone", "key": "a"}}}]);
    stand.pod(json!({}), json!({"image": "nginx:1", "env": env}));
    stand.settle(None);
    let first = [
        "Pulling image \"nginx:1\" x1 0s",
        "Successfully pulled image x1 0s",
        "Error: configmap \"gone\" x1 0s",
    ];
    assert_eq!(stand.told(), first);
    stand.settle(Some(20));
    let second = [
        first[0],
        first[1],
        "Error: configmap \"gone\" x2 13s",
        "Container image \"nginx:1\" x1 13s",
    ];
    assert_eq!(stand.told(), second);
    stand.jump(60);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone"}, "data": {"a": "1"}});
    stand.create("configmaps", &map);
    stand.settle(None);
    let told = stand.told();
    assert_eq!(told[2], "Error: configmap \"gone\" x7 78s");
    assert_eq!(told[3], "Container image \"nginx:1\" x7 80s");
    assert_eq!(
        told[4..],
        ["Container created x1 80s", "Container started x1 80s"]
    );
}

#[test]
fn volumes_and_images_are_counted() {
    let stand = Stand::new(json!({}));
    let volumes = json!([{"name": "v", "configMap": {"name": "gone"}}]);
    stand.pod(json!({"volumes": volumes}), json!({}));
    stand.settle(None);
    assert_eq!(stand.told(), ["MountVolume.SetUp failed for x1 0s"]);
    stand.jump(40);
    stand.settle(None);
    assert_eq!(stand.told(), ["MountVolume.SetUp failed for x6 31s"]);

    let stand = Stand::new(json!({}));
    stand.pod(json!({}), json!({"image": "nginx:404"}));
    stand.settle(Some(85));
    // Pulls at 0, 15, 40 and 85 s; back-offs at 10, 25, 38, 50, 63 and 76 s.
    assert_eq!(
        stand.told(),
        [
            "Pulling image \"nginx:404\" x4 85s",
            "Failed to pull x4 85s",
            "Error: ErrImagePull x4 85s",
            "Back-off pulling image x6 76s",
            "Error: ImagePullBackOff x6 76s",
        ]
    );
}
