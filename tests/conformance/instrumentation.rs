//! SIG Instrumentation: events of both APIs.

use serde_json::{Value, json};

use crate::cluster::{Api, namespace};
use crate::resource::{name, names};

fn space(name: &str) -> Api {
    namespace("api", name)
}

fn old(name: &str, namespace: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"testevent": namespace}}, "message": "This is a test event",
        "reason": "Test", "type": "Normal", "count": 1, "source": {"component": "event-test"},
        "involvedObject": {"kind": "Pod", "name": "a", "namespace": namespace},
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:00Z",
    })
}

fn new(name: &str, namespace: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"testevent": namespace}}, "note": "This is a test event",
        "eventTime": "2026-01-01T00:00:00.000000Z", "action": "Do", "reason": "Test", "type": "Normal",
        "reportingController": "test-controller", "reportingInstance": "test-node",
        "regarding": {"kind": "Node", "name": "a", "namespace": namespace},
    })
}

#[test]
fn core_event_has_a_lifecycle() {
    let api = space("events-core");
    let events = api.of("v1", "Event");
    events.create(old("event-test", "events-core"));
    let label = "testevent=events-core";
    assert_eq!(
        names(&api.global("v1", "Event").list(label)),
        ["event-test"]
    );
    let patch = json!({"message": "This is a test event - patched"});
    events
        .try_patch("event-test", "", "strategic-merge", &patch)
        .ok();
    assert_eq!(
        events.get("event-test")["message"],
        "This is a test event - patched"
    );
    let series = json!({"count": 100, "lastObservedTime": "2026-01-02T00:00:00.000000Z"});
    events.edit("event-test", "", |event| event["series"] = series.clone());
    assert_eq!(events.get("event-test")["series"], series);
    events.delete("event-test");
    assert!(api.global("v1", "Event").list(label).is_empty());
}

#[test]
fn core_events_are_deleted_together() {
    let api = space("events-core-all");
    let events = api.of("v1", "Event");
    for name in ["test-event-1", "test-event-2", "test-event-3"] {
        events.create(old(name, "events-core-all"));
    }
    let label = "testevent=events-core-all";
    assert_eq!(events.list(label).len(), 3);
    events.delete_all(label);
    assert!(events.list(label).is_empty());
}

#[test]
fn new_event_has_a_lifecycle() {
    let api = space("events-new");
    let events = api.of("events.k8s.io/v1", "Event");
    let made = events.create(new("event-test", "events-new"));
    let label = "testevent=events-new";
    for list in [
        events.list(label),
        api.global("events.k8s.io/v1", "Event").list(label),
    ] {
        assert_eq!(names(&list), ["event-test"]);
    }
    let series = json!({"count": 2, "lastObservedTime": "2014-01-01T00:00:00.000000Z"});
    events.merge("event-test", "", json!({"series": series}));
    let read = events.get("event-test");
    assert_eq!(read["series"], series);
    assert_eq!(read["note"], made["note"]);
    let series = json!({"count": 100, "lastObservedTime": "2014-02-01T00:00:00.000000Z"});
    events.edit("event-test", "", |event| event["series"] = series.clone());
    assert_eq!(events.get("event-test")["series"], series);
    // The event is the same in the core group.
    assert_eq!(name(&api.of("v1", "Event").get("event-test")), "event-test");
    events.delete("event-test");
    assert!(events.list(label).is_empty());
}

#[test]
fn new_events_are_deleted_together() {
    let api = space("events-new-all");
    let events = api.of("events.k8s.io/v1", "Event");
    for name in ["test-event-1", "test-event-2", "test-event-3"] {
        events.create(new(name, "events-new-all"));
    }
    let label = "testevent=events-new-all";
    assert_eq!(events.list(label).len(), 3);
    events.delete_all(label);
    assert!(events.list(label).is_empty());
}
