//! Tests deletions with a table of the object, the request and the result.

use super::*;
use crate::api::json::{Value, json};
use crate::find;

const NOW: &str = "2026-01-01T00:01:00Z";
const HALF: &str = "2026-01-01T00:01:30Z";

fn ask(grace: Option<i64>, propagation: Option<Propagation>) -> Request {
    Request {
        grace,
        propagation,
        now: NOW.parse().unwrap(),
    }
}

/// Returns the remaining metadata, or `None` if the object is removed.
fn after(kind: &str, metadata: Value, request: &Request) -> Option<Value> {
    let (group, kind) = kind.rsplit_once('/').unwrap_or(("", kind));
    let kind = find(group, "v1", kind).unwrap();
    let old = json!({"metadata": metadata});
    match delete(kind, &old, request) {
        Step::Gone(_) => None,
        Step::Marked(new) => {
            assert_ne!(new, old);
            Some(new["metadata"].clone())
        }
        Step::Unchanged => Some(old["metadata"].clone()),
    }
}

fn marked(finalizers: &[&str]) -> Value {
    json!({"deletionTimestamp": NOW, "deletionGracePeriodSeconds": 0, "finalizers": finalizers})
}

#[test]
fn finalizers_follow_the_propagation_policy() {
    use Propagation::{Background, Foreground, Orphan};
    let with = |names: &[&str]| json!({"finalizers": names});
    for (kind, metadata, how, left) in [
        ("ConfigMap", json!({}), None, None),
        ("ConfigMap", json!({}), Some(Background), None),
        (
            "ConfigMap",
            json!({}),
            Some(Orphan),
            Some(marked(&[ORPHAN])),
        ),
        (
            "ConfigMap",
            json!({}),
            Some(Foreground),
            Some(marked(&[FOREGROUND])),
        ),
        ("ConfigMap", with(&["a/b"]), None, Some(marked(&["a/b"]))),
        (
            "ConfigMap",
            with(&["a/b"]),
            Some(Foreground),
            Some(marked(&["a/b", FOREGROUND])),
        ),
        // Without a propagation policy in the request, the object's finalizers decide.
        ("ConfigMap", with(&[ORPHAN]), None, Some(marked(&[ORPHAN]))),
        (
            "ConfigMap",
            with(&[FOREGROUND]),
            None,
            Some(marked(&[FOREGROUND])),
        ),
        ("ConfigMap", with(&[ORPHAN]), Some(Background), None),
        (
            "ConfigMap",
            with(&[ORPHAN]),
            Some(Foreground),
            Some(marked(&[FOREGROUND])),
        ),
        (
            "ConfigMap",
            with(&["a/b", ORPHAN]),
            Some(Background),
            Some(marked(&["a/b"])),
        ),
        // Kinds with rules of their own.
        (
            "ReplicationController",
            json!({}),
            None,
            Some(marked(&[ORPHAN])),
        ),
        ("ReplicationController", json!({}), Some(Background), None),
        ("batch/Job", json!({}), None, Some(marked(&[ORPHAN]))),
        (
            "batch/Job",
            with(&[FOREGROUND]),
            None,
            Some(marked(&[FOREGROUND])),
        ),
        ("apps/Deployment", json!({}), None, None),
        ("Event", json!({}), Some(Orphan), None),
        // A second deletion request.
        ("ConfigMap", marked(&["a/b"]), None, Some(marked(&["a/b"]))),
        (
            "ConfigMap",
            marked(&["a/b"]),
            Some(Orphan),
            Some(marked(&["a/b", ORPHAN])),
        ),
        ("ConfigMap", marked(&[FOREGROUND]), Some(Background), None),
    ] {
        let said = format!("{kind} {metadata} {how:?}");
        assert_eq!(after(kind, metadata, &ask(None, how)), left, "{said}");
    }
}

#[test]
fn first_delete_increments_the_generation_once() {
    let counted = json!({"generation": 3, "finalizers": ["a/b"]});
    let once = after("apps/Deployment", counted, &ask(None, None)).unwrap();
    assert_eq!(once["generation"], 4);
    let twice = after("apps/Deployment", once.clone(), &ask(None, None)).unwrap();
    assert_eq!(twice, once);
}

fn pod(spec: Value, phase: &str, metadata: Value) -> Value {
    json!({"metadata": metadata, "spec": spec, "status": {"phase": phase}})
}

#[test]
fn running_pods_have_a_grace_period() {
    let kind = find("", "v1", "Pod").unwrap();
    let runs = || json!({"nodeName": "n", "terminationGracePeriodSeconds": 30});
    let going = |end: &str, grace: i64| json!({"deletionTimestamp": end, "deletionGracePeriodSeconds": grace});
    let none = || json!({});
    for (spec, phase, metadata, asked, left) in [
        (runs(), "Running", none(), None, Some((HALF, 30))),
        (runs(), "Pending", none(), None, Some((HALF, 30))),
        (
            runs(),
            "Running",
            none(),
            Some(5),
            Some(("2026-01-01T00:01:05Z", 5)),
        ),
        (
            runs(),
            "Running",
            none(),
            Some(60),
            Some(("2026-01-01T00:02:00Z", 60)),
        ),
        (
            runs(),
            "Running",
            none(),
            Some(-1),
            Some(("2026-01-01T00:01:01Z", 1)),
        ),
        (runs(), "Running", none(), Some(0), None),
        (runs(), "Succeeded", none(), None, None),
        (runs(), "Failed", none(), Some(30), None),
        (
            json!({"terminationGracePeriodSeconds": 30}),
            "Pending",
            none(),
            Some(30),
            None,
        ),
        // A second request may only shorten the grace period that the first one started.
        (runs(), "Running", going(HALF, 30), None, Some((HALF, 30))),
        (
            runs(),
            "Running",
            going(HALF, 30),
            Some(30),
            Some((HALF, 30)),
        ),
        (
            runs(),
            "Running",
            going(HALF, 30),
            Some(90),
            Some((HALF, 30)),
        ),
        (
            runs(),
            "Running",
            going(HALF, 30),
            Some(10),
            Some(("2026-01-01T00:01:10Z", 10)),
        ),
        (runs(), "Running", going(HALF, 30), Some(0), None),
    ] {
        let old = pod(spec, phase, metadata);
        let said = format!("{old} {asked:?}");
        let metadata = match delete(kind, &old, &ask(asked, None)) {
            Step::Gone(_) => None,
            Step::Marked(new) => Some(new["metadata"].clone()),
            Step::Unchanged => Some(old["metadata"].clone()),
        };
        let left = left.map(|(end, grace)| going(end, grace));
        assert_eq!(metadata, left, "{said}");
    }
}

#[test]
fn pod_with_finalizers_survives_an_expired_grace_period() {
    let kind = find("", "v1", "Pod").unwrap();
    let old = pod(
        json!({"nodeName": "n"}),
        "Running",
        json!({"finalizers": ["a/b"], "generation": 1}),
    );
    let Step::Marked(new) = delete(kind, &old, &ask(Some(0), None)) else {
        panic!("the object was removed");
    };
    assert_eq!(new["metadata"]["deletionTimestamp"], NOW);
    assert_eq!(new["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(new["metadata"]["generation"], 2);
    let mut free = new.clone();
    free["metadata"]["finalizers"] = json!([]);
    assert!(ends(kind, &free, &new));
    assert!(!ends(kind, &new, &new));
}

#[test]
fn update_removes_terminating_object_without_finalizers() {
    let kind = find("", "v1", "ConfigMap").unwrap();
    let held = json!({"metadata": marked(&["a/b"])});
    let free = json!({"metadata": marked(&[])});
    assert!(ends(kind, &free, &held));
    assert!(!ends(
        kind,
        &free,
        &json!({"metadata": {"finalizers": ["a/b"]}})
    ));
    assert!(!ends(kind, &held, &held));
    let pods = find("", "v1", "Pod").unwrap();
    let graceful =
        json!({"metadata": {"deletionTimestamp": HALF, "deletionGracePeriodSeconds": 30}});
    assert!(!ends(pods, &graceful, &graceful));
}

#[test]
fn namespaces_wait_for_their_own_finalizers() {
    let kind = find("", "v1", "Namespace").unwrap();
    let active = json!({"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"}});
    let Step::Marked(going) = delete(kind, &active, &ask(None, Some(Propagation::Background)))
    else {
        panic!("the object is not marked");
    };
    assert_eq!(going["status"]["phase"], "Terminating");
    assert_eq!(
        going["metadata"],
        json!({"name": "n", "deletionTimestamp": NOW})
    );
    assert_eq!(delete(kind, &going, &ask(None, None)), Step::Unchanged);
    let mut finalized = going.clone();
    finalized["spec"] = json!({});
    assert!(ends(kind, &finalized, &going));
    assert!(matches!(
        delete(kind, &finalized, &ask(None, None)),
        Step::Gone(_)
    ));
    assert!(!ends(kind, &going, &going));
    // A namespace is marked first, even without finalizers.
    let bare = json!({"metadata": {"name": "n"}, "spec": {}, "status": {"phase": "Active"}});
    assert!(matches!(
        delete(kind, &bare, &ask(None, None)),
        Step::Marked(_)
    ));
}
