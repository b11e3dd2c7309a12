use super::*;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::store::{ClockMode, Settings};
use crate::sys::entropy::Seed;
use crate::testing::{in_memory, open};

fn empty() -> Cluster {
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(8))
    };
    Cluster::in_memory(&open(), settings)
}

fn object(api_version: &str, kind: &str, name: &str, uid: &str) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {
            "name": name, "namespace": "shop", "uid": uid, "resourceVersion": "77",
            "creationTimestamp": "2025-05-05T05:05:05Z",
        },
    })
}

fn owned(mut object: Value, kind: &str, name: &str, uid: &str) -> Value {
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid}]);
    object
}

fn pod(name: &str, uid: &str, node: &str) -> Value {
    let mut pod = object("v1", "Pod", name, uid);
    pod["spec"] = json!({"nodeName": node, "containers": [{"name": "c", "image": "i"}]});
    pod["status"] = json!({"phase": "Running", "podIP": "10.1.1.1"});
    pod
}

fn get(cluster: &Cluster, kind: &str, namespace: &str, name: &str) -> Value {
    let place = Place::new(cluster.kind(kind).unwrap(), namespace);
    cluster.get(&place, name).unwrap()
}

#[test]
fn import_keeps_uids_and_owners_and_creates_nodes() {
    let cluster = empty();
    let replicas = object("apps/v1", "ReplicaSet", "web-1", "u-rs");
    let report = cluster
        .stored()
        .import(vec![
            owned(pod("web-1-a", "u-a", "far"), "ReplicaSet", "web-1", "u-rs"),
            owned(pod("lost", "u-b", "far"), "ReplicaSet", "gone", "u-gone"),
            replicas,
        ])
        .unwrap();
    assert_eq!(report.written["pods"], 2);
    assert_eq!(
        (report.nodes, report.namespaces),
        (vec!["far".to_owned()], vec!["shop".to_owned()])
    );
    let dropped = DroppedOwner {
        object: "pods/lost in namespace shop".to_owned(),
        owner: "ReplicaSet/gone".to_owned(),
    };
    assert_eq!(report.dropped, [dropped]);
    let found = get(&cluster, "pods", "shop", "web-1-a");
    assert_eq!(found["metadata"]["uid"], "u-a");
    assert_eq!(
        found["metadata"]["creationTimestamp"],
        "2025-05-05T05:05:05Z"
    );
    assert_eq!(found["metadata"]["ownerReferences"][0]["uid"], "u-rs");
    assert_eq!(found["status"]["podIP"], "10.1.1.1");
    assert_ne!(found["metadata"]["resourceVersion"], "77");
    assert!(get(&cluster, "pods", "shop", "lost")["metadata"]["ownerReferences"].is_null());
    // The cluster works: it has the objects of a fresh one, and only the imported nodes.
    let nodes = cluster.kind("nodes").unwrap();
    let nodes = cluster
        .list(&Place::new(nodes, ""), &|_| true, None)
        .unwrap();
    assert_eq!(nodes.items.len(), 1);
    let _ = get(&cluster, "serviceaccounts", "default", "default");
}

#[test]
fn repeated_import_writes_nothing_and_keeps_other_uids() {
    let cluster = empty();
    let dump = || {
        vec![
            object("v1", "ConfigMap", "c", "u-c"),
            object("v1", "Secret", "s", "u-s"),
        ]
    };
    let first = cluster.stored().import(dump()).unwrap();
    let again = cluster.stored().import(dump()).unwrap();
    assert_eq!((again.written.len(), again.revision), (0, first.revision));
    let place = Place::new(cluster.kind("configmaps").unwrap(), "shop");
    cluster
        .delete(&place, "c", &DeleteOptions::default())
        .unwrap();
    let other = json!({"metadata": {"name": "c"}, "data": {"mine": "1"}});
    let _ = cluster
        .create(&place, &other, &WriteOptions::default())
        .unwrap();
    let kept = cluster.stored().import(dump()).unwrap();
    assert_eq!(kept.kept, ["configmaps/c in namespace shop"]);
    assert_eq!(
        get(&cluster, "configmaps", "shop", "c")["data"]["mine"],
        "1"
    );
}

#[test]
fn dependents_of_an_object_that_stays_are_imported_without_it() {
    let cluster = empty();
    let replicas = object("apps/v1", "ReplicaSet", "web", "u-old");
    cluster.stored().import(vec![replicas]).unwrap();
    let report = cluster
        .stored()
        .import(vec![
            object("apps/v1", "ReplicaSet", "web", "u-new"),
            owned(pod("web-a", "u-a", "far"), "ReplicaSet", "web", "u-new"),
        ])
        .unwrap();
    assert_eq!(report.kept, ["replicasets.apps/web in namespace shop"]);
    assert_eq!(report.dropped.len(), 1, "{report:?}");
    let pod = get(&cluster, "pods", "shop", "web-a");
    assert!(pod["metadata"]["ownerReferences"].is_null(), "{pod}");
}

#[test]
fn import_stores_custom_resources_and_reports_unknown_kinds() {
    let cluster = empty();
    let mut definition = object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "tools.x.io",
        "u-d",
    );
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    });
    let names =
        json!({"plural": "tools", "kind": "Tool", "singular": "tool", "listKind": "ToolList"});
    definition["spec"] =
        json!({"group": "x.io", "scope": "Namespaced", "names": names, "versions": [version]});
    let condition = |kind: &str| {
        json!({
            "type": kind, "status": "True", "reason": "r", "message": "", "lastTransitionTime": "2025-05-05T05:05:05Z",
        })
    };
    definition["status"] = json!({
        "acceptedNames": names, "storedVersions": ["v1"],
        "conditions": [condition("NamesAccepted"), condition("Established")],
    });
    let _ = definition["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("namespace");
    let mut tool = object("x.io/v1", "Tool", "t", "u-t");
    tool["spec"] = json!({"size": 3});
    let mut strange = object("v1", "ConfigMap", "c", "u-c");
    strange["novel"] = json!(1);
    let dump = vec![
        tool,
        object("y.io/v1", "Other", "o", "u-o"),
        strange,
        definition,
    ];
    let report = cluster.stored().import(dump).unwrap();
    assert_eq!(get(&cluster, "tools.x.io", "shop", "t")["spec"]["size"], 3);
    let reason = "no matches for kind \"Other\" in version \"y.io/v1\"".to_owned();
    assert_eq!(report.refused, [("Other/o".to_owned(), reason)]);
    assert_eq!(
        report.unknown_fields,
        ["configmaps/c in namespace shop: novel"]
    );
}

#[test]
fn more_objects_than_a_batch_holds_are_several_commits() {
    let cluster = empty();
    let map = |n: usize| object("v1", "ConfigMap", &format!("c{n}"), &format!("u-{n}"));
    let mut told = Vec::new();
    let report = cluster
        .stored()
        .import_with_progress((0..5001).map(map).collect(), &mut |done| told.push(done))
        .unwrap();
    assert_eq!(report.written["configmaps"], 5001);
    assert_eq!(told.last(), Some(&5001));
    assert!(told.len() > 1 && told.is_sorted(), "{told:?}");
    let _ = get(&cluster, "configmaps", "shop", "c5000");
}

#[test]
fn object_without_a_uid_is_created_and_validated() {
    let cluster = empty();
    let mut bad = object("v1", "Service", "bad", "");
    bad["spec"] = json!({"ports": [{"port": 99_999}]});
    let report = cluster
        .stored()
        .import(vec![
            object("v1", "ConfigMap", "c", ""),
            bad,
            object("v1", "Secret", "s", "u-s"),
        ])
        .unwrap();
    assert_eq!(
        get(&cluster, "configmaps", "shop", "c")["metadata"]["uid"]
            .as_str()
            .unwrap()
            .len(),
        36
    );
    assert_eq!(report.refused[0].0, "services/bad in namespace shop");
    assert!(
        report.refused[0].1.contains("must be between 1 and 65535"),
        "{:?}",
        report.refused
    );
}

#[test]
fn a_full_dump_prevails_over_the_objects_of_a_fresh_cluster() {
    let source = in_memory();
    let mut dump = Vec::new();
    for kind in [
        "namespaces",
        "services",
        "nodes",
        "serviceaccounts",
        "clusterroles.rbac.authorization.k8s.io",
    ] {
        let place = Place::new(source.kind(kind).unwrap(), "");
        dump.extend(source.list(&place, &|_| true, None).unwrap().items);
    }
    let uid = |c: &Cluster| get(c, "namespaces", "", "default")["metadata"]["uid"].clone();
    let target = empty();
    let report = target
        .stored()
        .import(dump.iter().map(Value::clone).collect())
        .unwrap();
    assert_eq!(report.kept, Vec::<String>::new());
    assert_eq!(uid(&target), uid(&source));
}

#[test]
fn commits_of_an_import_have_room_for_the_field_owners() {
    // Without their field owners they would fit into one commit.
    const COUNT: usize = 1_990;
    let cluster = empty();
    let filler = "x".repeat(8_100);
    let object = |number: usize| {
        let name = format!("c{number:04}");
        let mut object = object("v1", "ConfigMap", &name, &name);
        object["data"] = json!({"filler": filler.as_str()});
        object
    };
    let before = cluster.stored().revision().unwrap();
    let report = cluster
        .stored()
        .import((0..COUNT).map(object).collect())
        .unwrap();
    assert_eq!(report.written["configmaps"], COUNT);
    assert!(report.revision >= before + COUNT as u64);
    let last = get(&cluster, "configmaps", "shop", "c1989");
    assert_eq!(last["metadata"]["uid"], "c1989");
    assert!(last["metadata"]["managedFields"].is_array(), "{last}");
}
