//! Objects and clusters for the tests of this crate.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::cluster::WriteOptions;
use crate::cluster::testing::{Scratch, fresh, place};
use crate::{Frame, Node, ObjectState, Rollout, Scene, State, Status, Timeline, Track};

/// Returns the current time in the tests.
pub(crate) fn now() -> Timestamp {
    "2026-01-02T12:00:00Z".parse().unwrap()
}

fn created(cluster: &Scratch, resource: &str, object: &Value) -> String {
    let made = cluster.create(&place(resource), object, &WriteOptions::default());
    let made = made.unwrap().object;
    made["metadata"]["uid"].as_str().unwrap().to_owned()
}

/// Creates a Pod with an owner.
pub(crate) fn owned_pod(
    cluster: &Scratch,
    name: &str,
    owner: Option<(&str, &str, &str)>,
) -> String {
    let mut pod = crate::cluster::testing::pod(name);
    if let Some((kind, name, uid)) = owner {
        pod["metadata"]["ownerReferences"] = json!([
            {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}]);
    }
    created(cluster, "pods", &pod)
}

/// Returns a cluster with a ReplicaSet `web` of two Pods, one of them on a node, and a Pod without an owner.
pub(crate) fn small() -> Scratch {
    let cluster = fresh();
    let template = json!({"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}});
    let uid = created(&cluster, "replicasets", &set);
    for name in ["web-a", "web-b"] {
        owned_pod(&cluster, name, Some(("ReplicaSet", "web", &uid)));
    }
    owned_pod(&cluster, "alone", None);
    cluster
}

/// Returns a Deployment that is progressing, with a ready Pod and one that fails for a reason full of special
/// characters.
pub(crate) fn a_scene() -> Scene {
    let node = |kind: &str, name: &str, status: Status| Node {
        kind: kind.to_owned(),
        resource: kind.to_lowercase(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        age: "2m".to_owned(),
        status,
        ..Node::default()
    };
    let status = |state, word: &str, ready| Status {
        state,
        word: word.to_owned(),
        ready,
        ..Status::default()
    };
    let mut failing = status(State::Failing, "Error", None);
    failing.reason = "a <b>\"hostile\"</b> & ]]> # reason\u{1b}".to_owned();
    let mut root = node(
        "Deployment",
        "web",
        status(State::Progressing, "Progressing", Some((1, 2))),
    );
    root.children = vec![
        node("Pod", "web-a", failing),
        node(
            "Pod",
            "web-b",
            status(State::Ready, "Running", Some((1, 1))),
        ),
    ];
    Scene {
        revision: 7,
        time: now(),
        roots: vec![root],
    }
}

/// Returns three frames: a Deployment, and a Pod with special characters in its name that is created, becomes ready
/// and is deleted.
pub(crate) fn a_timeline() -> Timeline {
    let shot = |state, word: &str| {
        Some(ObjectState {
            status: Status {
                state,
                word: word.to_owned(),
                ready: Some((1, 1)),
                ..Status::default()
            },
            ..ObjectState::default()
        })
    };
    let mut deployment = shot(State::Progressing, "Progressing").unwrap();
    deployment.rollout = Some(Rollout {
        old: 1,
        new: 2,
        ready: 2,
        desired: 3,
    });
    let track = |label: &str, depth, shots| Track {
        label: label.to_owned(),
        namespace: "default".to_owned(),
        depth,
        shots,
    };
    let frame = |number: u64, writer: &str| Frame {
        revision: number,
        time: now(),
        writer: writer.to_owned(),
        rule: "scale-up".to_owned(),
    };
    let pod = vec![
        (0, shot(State::Progressing, "Pending")),
        (1, shot(State::Ready, "Running")),
        (2, None),
    ];
    Timeline {
        frames: vec![frame(7, ""), frame(8, "deployment"), frame(9, "<img>")],
        tracks: vec![
            track("deployment/web", 0, vec![(0, Some(deployment))]),
            track("pod/web-</script><b>", 1, pod),
        ],
    }
}
