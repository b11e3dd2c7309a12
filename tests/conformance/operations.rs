//! The steps that the tests of many kinds share: discovery, create, get, list, watch, patch, update, delete, and the
//! deletion of a collection.

use serde_json::{Value, json};

use crate::cluster::Api;
use crate::resource::{Resource, name, names, plural, revision};

/// Checks that the discovery documents contain the resources of a group and version.
#[track_caller]
pub fn discovered(api: &Api, version: &str, resources: &[&str]) {
    let root = match version.split_once('/') {
        None => format!("/api/{version}"),
        Some((group, _)) => {
            let groups = api.get("/apis").ok();
            let groups = groups["groups"].as_array().unwrap();
            let found = groups.iter().find(|g| g["name"] == group).unwrap();
            let all = api.get(&format!("/apis/{group}")).ok();
            for versions in [&found["versions"], &all["versions"]] {
                let versions = versions.as_array().unwrap();
                assert!(
                    versions.iter().any(|v| v["groupVersion"] == version),
                    "{versions:?}"
                );
            }
            format!("/apis/{version}")
        }
    };
    let list = api.get(&root).ok();
    for resource in resources {
        let listed = list["resources"].as_array().unwrap();
        assert!(
            listed.iter().any(|r| r["name"] == *resource),
            "{resource} is not in {list}"
        );
    }
}

/// Checks every operation of a kind. `make` returns the object of a number, with its name.
#[track_caller]
pub fn supported(api: &Api, version: &str, kind: &str, global: bool, make: &dyn Fn(u32) -> Value) {
    discovered(api, version, &[&plural(kind)]);
    let all = api.global(version, kind);
    let own = if global {
        all.clone()
    } else {
        api.of(version, kind)
    };
    let label = format!("conformance={}", api.namespace);
    let labeled = |number| {
        let mut object = make(number);
        object["metadata"]["labels"] = json!({"conformance": api.namespace});
        object
    };
    let first = own.create(labeled(1));
    assert_eq!(
        own.get(name(&first))["metadata"]["uid"],
        first["metadata"]["uid"]
    );
    let second = own.create(labeled(2));
    let third = own.create(labeled(3));
    let mut made = names(&[first.clone(), second, third]);
    for place in [&own, &all] {
        assert_eq!(names(&place.list(&label)), made);
    }
    changes_are_watched(&own, &first);
    own.delete(name(&first));
    own.until_gone(name(&first));
    assert_eq!(own.try_get(name(&first)).code, 404);
    made.retain(|other| other != name(&first));
    assert_eq!(names(&own.list(&label)), made);
    own.delete_all(&label);
    own.until_all(&label, "are deleted", <[Value]>::is_empty);
}

/// Patches and updates an object, and checks that a watch reports both.
#[track_caller]
fn changes_are_watched(own: &Resource<'_>, first: &Value) {
    let name = name(first);
    let query = format!(
        "fieldSelector=metadata.name%3D{name}&resourceVersion={}",
        revision(first)
    );
    let mut watch = own.watch(&query);
    let note = json!({"metadata": {"annotations": {"patched": "true"}}});
    let patched = own.merge(name, "", note);
    assert_eq!(patched["metadata"]["annotations"]["patched"], "true");
    let updated = own.edit(name, "", |object| {
        object["metadata"]["annotations"]["updated"] = json!("true");
    });
    assert_eq!(updated["metadata"]["annotations"]["updated"], "true");
    watch.find("MODIFIED", |object| {
        let notes = &object["metadata"]["annotations"];
        notes["patched"] == "true" && notes["updated"].is_null()
    });
    watch.find("MODIFIED", |object| {
        let notes = &object["metadata"]["annotations"];
        notes["patched"] == "true" && notes["updated"] == "true"
    });
}

/// Patches and updates the conditions of an object's status, and checks that a later read shows both.
#[track_caller]
pub fn status_changes(own: &Resource<'_>, name: &str, patched: &Value, updated: &Value) {
    let before = own.part(name, "status");
    assert_eq!(before["metadata"]["name"], name);
    own.merge(
        name,
        "status",
        json!({"metadata": {"annotations": {"patchedstatus": "true"}}}),
    );
    let append = |object: &mut Value, new: &Value| {
        if !object["status"].is_object() {
            object["status"] = json!({});
        }
        if !object["status"]["conditions"].is_array() {
            object["status"]["conditions"] = json!([]);
        }
        object["status"]["conditions"]
            .as_array_mut()
            .unwrap()
            .push(new.clone());
    };
    own.edit(name, "status", |object| append(object, updated));
    own.until(name, "has the updated condition", |object| {
        has(object, updated)
    });
    own.merge(name, "status", json!({"status": {"conditions": [patched]}}));
    own.until(name, "has the patched condition", |object| {
        has(object, patched)
    });
    let read = own.get(name);
    assert_eq!(
        read["metadata"]["annotations"]["patchedstatus"], "true",
        "{read}"
    );
}

fn has(object: &Value, wanted: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.is_some_and(|all| all.iter().any(|c| c["type"] == wanted["type"]))
}
