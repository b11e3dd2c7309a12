//! Compares the result for each input in `stages/golden` with the output next to it.
//!
//! `CTL_UPDATE=1 cargo test golden` rewrites the outputs; review the diff before committing it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::api::json::{Value, json};
use crate::cluster::PodMode;
use crate::kinds::moment;
use crate::play::{self, PlayOutcome, World};
use crate::reported_event::ReportedEvent;
use crate::sources::Missing;
use crate::sys::entropy::Seed;
use crate::{image, nodes, stage};

fn inputs() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../stages/golden");
    let all = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut inputs: Vec<_> = all
        .filter(|p| p.to_str().unwrap().ends_with(".input.yaml"))
        .collect();
    inputs.sort();
    inputs
}

fn shown(played: &PlayOutcome) -> Value {
    let event = |e: &ReportedEvent| json!([e.kind, e.reason, e.message, e.field]);
    let mut shown = json!({
        "status": played.status,
        "events": played.events.iter().map(event).collect::<Vec<_>>(),
        "delete": played.delete,
        "wake": played.wake.map(moment::text),
        "endless": played.endless,
        "stages": played.stages,
    });
    if !played.repeats.is_empty() {
        shown["repeats"] = played.repeats.iter().map(event).collect();
    }
    shown
}

/// Plays an input: `now`, `mode`, additional `stages`, the `missing` sources, the `images` of a node that reports
/// ordinary starts and ends of containers, and a `pod` (on a `node`) or only a `node`.
pub(super) fn played(input: &Value) -> PlayOutcome {
    let further = input["stages"].as_str().unwrap_or_default();
    let mut stages = stage::read("further", further).unwrap();
    stages.extend(stage::built_in().iter().cloned());
    let own = input["node"].as_object().map(|_| input["node"].clone());
    let standard = json!({"metadata": {"name": "node-0"}, "status": {"addresses": [
        {"type": "InternalIP", "address": "172.18.1.1"},
    ]}});
    let node = own.unwrap_or(standard);
    let all = |name: &str| {
        let told = input["missing"][name].as_object().into_iter().flatten();
        let told = told.map(|(key, why)| (key.to_string(), why.as_str().unwrap().to_owned()));
        told.collect::<Vec<_>>()
    };
    let missing = Missing {
        volumes: all("volumes"),
        containers: all("containers").into_iter().collect(),
    };
    let images = input["images"].as_array().into_iter().flatten();
    let images: Vec<String> = images.filter_map(Value::as_str).map(image::id).collect();
    let images: BTreeSet<&str> = images.iter().map(String::as_str).collect();
    let world = World {
        stages: &stages,
        mode: match input["mode"].as_str() {
            Some("running") => PodMode::Running,
            _ => PodMode::Default,
        },
        now: moment::read(&input["now"]).unwrap(),
        seed: Seed(7),
        node: Some(&node),
        address: "10.200.0.1",
        missing: Some(&missing).filter(|m| !m.is_empty()),
        resize: None,
        images: input["images"].as_array().map(|_| &images),
    };
    match &input["pod"] {
        Value::Null => nodes::node(&node, &world),
        pod => play::pod(pod, &world),
    }
}

#[test]
fn golden_outputs_match_and_cover_every_stage() {
    let bless = std::env::var_os("CTL_UPDATE").is_some();
    let mut seen = BTreeSet::new();
    for path in inputs() {
        let name = path.to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let input: Value = serde_yaml::from_str(&text).unwrap();
        let played = played(&input);
        seen.extend(played.stages.iter().cloned());
        let output = PathBuf::from(name.replace(".input.", ".output."));
        let got = shown(&played);
        if bless {
            use std::io::Write as _;
            let mut file = std::fs::File::create(&output).unwrap();
            file.write_all(serde_yaml::to_string(&got).unwrap().as_bytes())
                .unwrap();
        }
        let want = std::fs::read_to_string(&output).unwrap_or_default();
        let want: Value = serde_yaml::from_str(&want).unwrap();
        assert_eq!(got, want, "{name}");
    }
    let all: BTreeSet<_> = stage::built_in().iter().map(|s| s.name.clone()).collect();
    let unplayed: Vec<_> = all.difference(&seen).collect();
    assert!(unplayed.is_empty(), "no input plays {unplayed:?}");
}

#[test]
fn playing_an_object_twice_changes_nothing() {
    for path in inputs() {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut input: Value = serde_yaml::from_str(&text).unwrap();
        let first = played(&input);
        let subject = if input["pod"].is_null() {
            "node"
        } else {
            "pod"
        };
        if let Some(status) = first.status.filter(|_| !first.delete) {
            input[subject]["status"] = status;
            let second = played(&input);
            assert_eq!(second.status, None, "{}", path.display());
            assert_eq!(second.events, [], "{}", path.display());
        }
    }
}
