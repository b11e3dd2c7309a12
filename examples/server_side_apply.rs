//! Server-side apply with two field managers: a conflict, and how to resolve it.
//!
//! `cargo run --example server_side_apply -- EMPTY_DIRECTORY`

use std::error::Error;
use std::path::{Path, PathBuf};

use ctl::api::json::{Value, json};
use ctl::cluster::{ApplyOptions, Cluster, Open, Place, WriteOptions};

fn by(manager: &str, force: bool) -> ApplyOptions {
    ApplyOptions {
        write: WriteOptions {
            field_manager: manager.to_owned(),
            ..WriteOptions::default()
        },
        force,
        ..ApplyOptions::default()
    }
}

fn settings(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": data})
}

/// Runs the scenario in a new cluster. Returns the message of the conflict and the final data.
pub(crate) fn scenario(directory: &Path) -> Result<(String, Value), Box<dyn Error>> {
    let cluster = Cluster::open(directory, Open::as_writer("server-side-apply"))?;
    cluster.bootstrap()?;
    let place = Place::new(cluster.kind("configmaps")?, "default");
    let apply = |data: &Value, options: &ApplyOptions| {
        cluster.apply(&place, "settings", &settings(data), options)
    };
    apply(&json!({"level": "info", "region": "eu"}), &by("ops", false))?;
    // Another manager may set other fields, but not a field that `ops` owns.
    apply(&json!({"color": "blue"}), &by("design", false))?;
    let conflict = match apply(
        &json!({"color": "blue", "level": "debug"}),
        &by("design", false),
    ) {
        Err(error) => error.to_string(),
        Ok(_) => return Err("the conflict was not detected".into()),
    };
    // With force, `design` takes the field over. `ops` gives up `region` by leaving it out.
    apply(
        &json!({"color": "blue", "level": "debug"}),
        &by("design", true),
    )?;
    apply(&json!({}), &by("ops", false))?;
    Ok((conflict, cluster.get(&place, "settings")?["data"].clone()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).map(PathBuf::from);
    let directory = directory.ok_or("name an empty directory for the cluster")?;
    let (conflict, data) = scenario(&directory)?;
    assert!(conflict.contains("conflict with \"ops\""), "{conflict}");
    assert_eq!(data, json!({"color": "blue", "level": "debug"}));
    Ok(())
}
