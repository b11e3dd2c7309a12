//! Tests of field ownership after sequences of writes.

use super::*;

#[test]
fn a_create_owns_the_recorded_fields() {
    let mut server = Server::deployments();
    let mut object = deployment(json!([{"name": "c", "image": "i", "resources": {},
        "imagePullPolicy": "Always", "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File"}]));
    let spec = object["spec"].as_object_mut().unwrap();
    spec.extend([
        ("progressDeadlineSeconds", json!(600)),
        ("revisionHistoryLimit", json!(10)),
        (
            "strategy",
            json!({"type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}),
        ),
    ]);
    let pod = spec["template"]["spec"].as_object_mut().unwrap();
    pod.extend([
        ("dnsPolicy", json!("ClusterFirst")),
        ("restartPolicy", json!("Always")),
        ("schedulerName", json!("default-scheduler")),
        ("securityContext", json!({})),
        ("terminationGracePeriodSeconds", json!(30)),
    ]);
    server.put("kubectl", object);
    server.owned(&[("kubectl Update", json!({"f:spec": {
        "f:progressDeadlineSeconds": {}, "f:replicas": {}, "f:revisionHistoryLimit": {},
        "f:selector": {},
        "f:strategy": {"f:rollingUpdate": {".": {}, "f:maxSurge": {}, "f:maxUnavailable": {}}, "f:type": {}},
        "f:template": {
            "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
            "f:spec": {
                "f:containers": {"k:{\"name\":\"c\"}": {".": {}, "f:image": {}, "f:imagePullPolicy": {},
                    "f:name": {}, "f:resources": {}, "f:terminationMessagePath": {},
                    "f:terminationMessagePolicy": {}}},
                "f:dnsPolicy": {}, "f:restartPolicy": {}, "f:schedulerName": {},
                "f:securityContext": {}, "f:terminationGracePeriodSeconds": {}}}}}))]);
}

#[test]
fn updated_field_stays_after_its_applier_drops_it() {
    let mut server = Server::configmaps();
    server.apply("a", json!({"data": {"x": "1", "y": "1"}}));
    server.patch("hand", json!({"data": {"x": "2"}}));
    server.owned(&[
        ("a Apply", json!({"f:data": {"f:y": {}}})),
        ("hand Update", json!({"f:data": {"f:x": {}}})),
    ]);
    server.apply("a", json!({"data": {"y": "1"}}));
    assert_eq!(server.at("/data"), json!({"x": "2", "y": "1"}));
    // Applying an equal value shares the ownership without a conflict.
    server.apply("a", json!({"data": {"x": "2", "y": "1"}}));
    server.owned(&[
        ("a Apply", json!({"f:data": {"f:x": {}, "f:y": {}}})),
        ("hand Update", json!({"f:data": {"f:x": {}}})),
    ]);
    // Removing a field in an ordinary write takes it from all its owners.
    server.patch("hand", json!({"data": {"x": null}}));
    server.owned(&[("a Apply", json!({"f:data": {"f:y": {}}}))]);
}

#[test]
fn spec_and_status_writers_own_only_their_part() {
    let mut server = Server::deployments();
    let mut object = deployment(json!([]));
    object["status"] = json!({"replicas": 1});
    server.put("a", object);
    assert!(!server.owners()[0].1.to_string().contains("f:status"));
    server.reset = FieldSet::of_fields([&["spec"][..]]);
    server.patch(
        "controller/status",
        json!({"status": {"replicas": 2}, "spec": {"replicas": 9}}),
    );
    server.owned(&[
        server_owner(&server, 0),
        (
            "controller Update/status",
            json!({"f:status": {"f:replicas": {}}}),
        ),
    ]);
}

fn server_owner<S: Shape>(server: &Server<S>, at: usize) -> (&'static str, Value) {
    ("a Update", server.owners()[at].1.clone())
}

#[test]
fn repeated_apply_keeps_the_managed_fields_time() {
    let mut server = Server::deployments();
    server.apply("a", deployment(json!([{"name": "c", "image": "i"}])));
    server.patch("hand", json!({"metadata": {"labels": {"x": "y"}}}));
    let before = server.live.clone();
    server.apply("a", deployment(json!([{"name": "c", "image": "i"}])));
    assert_eq!(server.live, before);
    server.patch("hand", json!({}));
    assert_eq!(server.live, before);
    server.patch("hand", json!({"metadata": {"labels": {"x": "z"}}}));
    assert_eq!(
        server.live["metadata"]["managedFields"][1]["time"],
        "2026-11-20T22:05:00Z"
    );
}

#[test]
fn first_apply_adds_the_before_first_apply_manager() {
    let mut server = Server::configmaps();
    server.live = json!({"apiVersion": "v1", "kind": "K", "metadata": {"name": "x", "uid": "u"}, "data": {"a": "1"}});
    server.patch("hand", json!({"data": {"b": "1"}}));
    server.owned(&[]);
    server.fails(
        "a",
        json!({"data": {"a": "2"}}),
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a",
    );
    server.force("a", json!({"data": {"a": "2"}}));
    server.owned(&[
        ("a Apply", json!({"f:data": {"f:a": {}}})),
        (
            "before-first-apply Update",
            json!({"f:data": {".": {}, "f:b": {}}}),
        ),
    ]);
}

#[test]
fn managed_fields_survive_omission_and_accept_a_reset() {
    let mut server = Server::configmaps();
    server.put("a", json!({"data": {"x": "1"}}));
    // This client does not send the managed fields back.
    server.put("b", json!({"data": {"x": "1", "y": "2"}}));
    assert_eq!(server.owners().len(), 2);
    for emptied in [json!([]), json!([{}])] {
        let mut again = Server::configmaps();
        again.put("a", json!({"data": {"x": "1"}}));
        again.put(
            "b",
            json!({"metadata": {"managedFields": emptied}, "data": {"x": "1"}}),
        );
        again.owned(&[]);
    }
    let given = json!([{"manager": "z", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "time": T0, "fieldsV1": {"f:data": {"f:x": {}}}}]);
    server.put(
        "b",
        json!({"metadata": {"managedFields": given}, "data": {"x": "1", "y": "2"}}),
    );
    assert_eq!(server.at("/metadata/managedFields"), given);
    // A write to a subresource ignores managed fields.
    server.put(
        "b/status",
        json!({"metadata": {"managedFields": []}, "data": {"x": "1", "y": "2"}}),
    );
    assert_eq!(server.at("/metadata/managedFields"), given);
}

#[test]
fn oldest_update_entries_merge_into_ancient_changes() {
    let mut server = Server::configmaps();
    for n in 0..13 {
        server.patch(
            &format!("m{n:02}"),
            json!({"data": {format!("k{n:02}"): "v"}, "metadata": {"name": "x"}}),
        );
    }
    let owners = server.owners();
    assert_eq!(owners.len(), 10);
    assert_eq!(owners[0].0, "ancient-changes Update");
    assert_eq!(
        owners[0].1,
        json!({"f:data": {".": {}, "f:k00": {}, "f:k01": {}, "f:k02": {}, "f:k03": {}}})
    );
    assert_eq!(owners[1].0, "m04 Update");
}
