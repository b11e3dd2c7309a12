//! A cluster on which the kubelet runs.

use jiff::{SignedDuration, Timestamp};

use crate::api::json::{Value, json};
use crate::cluster::testing::{in_memory, place, pod};
use crate::cluster::{Cluster, Part, PatchType, WriteOptions};
use crate::controller::controllers;
use crate::runtime::{Config, Manager, Until};

/// A cluster with a node.
pub(super) struct Stand {
    pub(super) cluster: Cluster,
    pub(super) start: Timestamp,
}

impl Stand {
    pub(super) fn new(annotations: Value) -> Self {
        let cluster = in_memory();
        let start = cluster.now().unwrap();
        let stand = Self { cluster, start };
        let node = json!({"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "n", "annotations": annotations}});
        stand.create("nodes", &node);
        stand
    }

    /// Changes an object by a merge patch.
    pub(super) fn patch(&self, resource: &str, name: &str, patch: &Value) {
        let (place, options) = (place(resource), WriteOptions::default());
        let patch = (PatchType::Merge, patch);
        let changed = self
            .cluster
            .patch(&place, name, patch, Part::Whole, &options);
        changed.unwrap();
    }

    pub(super) fn create(&self, resource: &str, object: &Value) {
        let options = WriteOptions::default();
        let made = self.cluster.create(&place(resource), object, &options);
        made.unwrap();
    }

    /// Creates a Pod on the node.
    pub(super) fn pod(&self, spec: Value, container: Value) {
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
    pub(super) fn settle(&self, seconds: Option<i64>) {
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
    pub(super) fn jump(&self, seconds: i64) {
        let to = self.cluster.now().unwrap() + SignedDuration::from_secs(seconds);
        let election = self.cluster.election();
        election.move_clock("test", "test", None, to).unwrap();
    }
}
