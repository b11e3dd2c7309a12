//! Clusters for tests of this layer and those below it: real directories, a stopped clock, a fixed seed.

use std::sync::Arc;

use crate::api::json::{Value, json};
use crate::cluster::{Cluster, Open};
use crate::hand_edit::KubernetesAdmit;
use crate::kinds;
use crate::request::Place;
use crate::store::{ClockMode, MemoryStore, Settings};
use crate::sys::clock::Clock;
use crate::sys::entropy::Seed;
use crate::sys::scratch::ScratchDir;

/// A cluster with its own directory, which is removed with it.
pub struct Scratch {
    /// The cluster.
    pub cluster: Cluster,
    /// Its directory.
    pub directory: ScratchDir,
}

impl std::ops::Deref for Scratch {
    type Target = Cluster;

    fn deref(&self) -> &Cluster {
        &self.cluster
    }
}

/// Returns the options with which tests open clusters: at noon of a day that never ends.
pub fn open() -> Open {
    let mut open = Open::default();
    open.options.clock = Clock::Fixed("2026-01-02T12:00:00Z".parse().unwrap());
    open.options.command = "test".to_owned();
    open.options.admit = Arc::new(KubernetesAdmit);
    open
}

/// Returns a cluster with the objects of a fresh one, on a virtual clock.
pub fn fresh() -> Scratch {
    let directory = ScratchDir::new("ctl-test-").unwrap();
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let (cluster, _) = Cluster::init(directory.path(), open(), settings).unwrap();
    cluster.bootstrap().unwrap();
    Scratch { cluster, directory }
}

/// Returns a cluster in memory with the objects of a fresh one, on a virtual clock.
pub fn in_memory() -> Cluster {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let cluster = Cluster::in_memory(&open(), settings);
    cluster.bootstrap().unwrap();
    cluster
}

/// Returns a cluster in memory in which the objects of a commit share a revision, as on etcd.
pub fn with_shared_revisions() -> Cluster {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let open = open();
    let store = MemoryStore::with_shared_revisions(open.options.clock.clone(), settings);
    let cluster = Cluster::on(Arc::new(store), open.options.command, true);
    cluster.bootstrap().unwrap();
    cluster
}

/// Returns the place of a kind, such as `pods`: in the namespace `default` if it is namespaced.
pub fn place(resource: &str) -> Place {
    Place::new(
        kinds::Catalogue::default().resolve(resource).unwrap(),
        "default",
    )
}

/// Returns a Pod with only the required fields.
pub fn pod(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]}})
}
