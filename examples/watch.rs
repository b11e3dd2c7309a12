//! A watch on Pods: existing objects first, then every change in order.
//!
//! `cargo run --example watch -- EMPTY_DIRECTORY`

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ctl::api::json::{Value, json};
use ctl::cluster::{
    Cluster, DeleteOptions, ListOptions, Open, PatchType, Place, WatchEvent, WriteOptions,
};

fn pod(name: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "web", "image": "nginx"}]}})
}

fn line(event: &WatchEvent) -> Option<String> {
    let (word, object) = match event {
        WatchEvent::Added(object) => ("ADDED", object),
        WatchEvent::Modified(object) => ("MODIFIED", object),
        WatchEvent::Deleted(object) => ("DELETED", object),
        WatchEvent::Bookmark(_) => return None,
    };
    Some(format!("{word} {}", object["metadata"]["name"].as_str()?))
}

/// Runs the scenario in a new cluster. Returns the events of a watch on `app=web`.
pub(crate) fn scenario(directory: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let cluster = Cluster::open(directory, Open::as_writer("watch"))?;
    cluster.bootstrap()?;
    let pods = Place::new(cluster.kind("pods")?, "default");
    let options = WriteOptions::default();
    cluster.create(&pods, &pod("first"), &options)?;
    let selected = ListOptions {
        labels: "app=web".to_owned(),
        ..ListOptions::default()
    };
    let mut watch = cluster.watch(&pods, &selected)?;
    let mut events = watch.next(Duration::ZERO)?;
    cluster.create(&pods, &pod("second"), &options)?;
    let label = json!({"metadata": {"labels": {"tier": "front"}}});
    cluster.patch(&pods, "first", (PatchType::Merge, &label), false, &options)?;
    // To the watch, a Pod that no longer matches the selector is deleted.
    let other = json!({"metadata": {"labels": {"app": "other"}}});
    cluster.patch(&pods, "first", (PatchType::Merge, &other), false, &options)?;
    let now = DeleteOptions {
        grace_period: Some(0),
        ..DeleteOptions::default()
    };
    cluster.delete(&pods, "second", &now)?;
    while events.len() < 5 {
        events.extend(watch.next(Duration::from_secs(1))?);
    }
    Ok(events.iter().filter_map(line).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("name an empty directory for the cluster")?;
    let events = scenario(&directory)?;
    let expected = [
        "ADDED first",
        "ADDED second",
        "MODIFIED first",
        "DELETED first",
        "DELETED second",
    ];
    assert_eq!(events, expected);
    Ok(())
}
