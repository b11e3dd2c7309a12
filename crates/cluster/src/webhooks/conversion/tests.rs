//! A definition with two versions, stored at v2, and a webhook that turns `size` into `width` and `height` and back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::api::json::{Value, json};
use crate::kinds::tree::{field, list, text};
use crate::read::list::WatchEvent;
use crate::store::{ClockMode, Settings};
use crate::sys::entropy::Seed;
use crate::testing::{open, place};
use crate::{Call, Caller, Cluster, ListOptions, PatchType, Place, Reply, Selection, WriteOptions};

/// The calls so far: the number of objects of each.
#[derive(Debug, Default)]
struct Fake(Mutex<Vec<usize>>);

impl Caller for Fake {
    fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>> {
        calls.iter().map(|call| self.one(call)).collect()
    }
}

impl Fake {
    fn one(&self, call: &Call) -> Result<Reply, String> {
        let review: Value = serde_json::from_slice(&call.body).unwrap();
        let request = field(&review, "request");
        let objects = list(request, "objects");
        self.0.lock().unwrap().push(objects.len());
        if objects
            .iter()
            .any(|o| text(field(o, "metadata"), "name") == "wreck")
        {
            return Err("dial tcp 127.0.0.1:1: connect: connection refused".to_owned());
        }
        let to = text(request, "desiredAPIVersion");
        let objects: Vec<Value> = objects.iter().map(|object| converted(object, to)).collect();
        let response = json!({
            "uid": field(request, "uid"), "convertedObjects": objects, "result": {"status": "Success"},
        });
        let kind = ("apiextensions.k8s.io/v1", "ConversionReview");
        let review = json!({"apiVersion": kind.0, "kind": kind.1, "response": response});
        Ok(Reply {
            code: 200,
            content_type: "application/json".to_owned(),
            body: review.to_string().into_bytes(),
        })
    }

    /// Returns the numbers of objects of the calls since the last time.
    fn calls(&self) -> Vec<usize> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

fn converted(object: &Value, to: &str) -> Value {
    let spec = field(object, "spec");
    let new = match to {
        "example.com/v1" => {
            json!({"size": format!("{}x{}", field(spec, "width"), field(spec, "height"))})
        }
        _ => {
            let (width, height) = text(spec, "size").split_once('x').unwrap();
            let number = |text: &str| json!(text.parse::<i64>().unwrap());
            json!({"width": number(width), "height": number(height)})
        }
    };
    let mut object = object.clone();
    object["apiVersion"] = json!(to);
    object["spec"] = new;
    object
}

fn definition() -> Value {
    let version = |name: &str, fields: Value| {
        json!({
            "name": name, "served": true, "storage": name == "v2",
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": fields},
            }}},
            "selectableFields": match name {
                "v1" => json!([{"jsonPath": ".spec.size"}]),
                _ => json!([]),
            },
        })
    };
    let number = json!({"type": "integer"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "sails.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Sail", "plural": "sails"},
            "versions": [
                version("v1", json!({"size": {"type": "string"}})),
                version("v2", json!({"width": number, "height": number})),
            ],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://localhost:1/convert"},
            }},
        },
    })
}

fn world() -> (Cluster, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    let mut open = open();
    open.webhooks = Some(Arc::clone(&fake) as Arc<dyn Caller>);
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let cluster = Cluster::in_memory(&open, settings);
    cluster.bootstrap().unwrap();
    let definitions = place("customresourcedefinitions");
    let options = WriteOptions::default();
    let _ = cluster
        .create(&definitions, &definition(), &options)
        .unwrap();
    (cluster, fake)
}

fn sails(cluster: &Cluster, version: &str) -> Place {
    let kinds = cluster.kinds().unwrap();
    let kind = kinds.find("example.com", version, "Sail").unwrap();
    Place::new(kind, "default")
}

fn create(cluster: &Cluster, name: &str) {
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Sail", "metadata": {"name": name},
        "spec": {"size": "3x4"},
    });
    let options = WriteOptions::default();
    let made = cluster
        .create(&sails(cluster, "v1"), &object, &options)
        .unwrap()
        .object;
    assert_eq!(made["spec"], json!({"size": "3x4"}));
}

#[test]
fn objects_are_converted_only_at_another_version() {
    let (cluster, fake) = world();
    create(&cluster, "jib");
    assert_eq!(fake.calls(), [1]);
    let stored = cluster.get(&sails(&cluster, "v2"), "jib").unwrap();
    assert_eq!(stored["spec"], json!({"width": 3, "height": 4}));
    assert_eq!(fake.calls(), [0; 0]);
    let old = cluster.get(&sails(&cluster, "v1"), "jib").unwrap();
    assert_eq!(
        (&old["spec"], &old["apiVersion"]),
        (&json!({"size": "3x4"}), &json!("example.com/v1"))
    );
    assert_eq!(old["metadata"]["uid"], stored["metadata"]["uid"]);
    assert_eq!(fake.calls(), [1]);
    // To the version of the patch, and back to the stored version.
    let patch = json!({"spec": {"size": "5x6"}});
    let at = sails(&cluster, "v1");
    let how = (PatchType::Merge, &patch);
    let changed = cluster
        .patch(&at, "jib", how, false, &WriteOptions::default())
        .unwrap();
    assert_eq!(changed.object["spec"], json!({"size": "5x6"}));
    assert_eq!(fake.calls(), [1, 1]);
    let stored = cluster.get(&sails(&cluster, "v2"), "jib").unwrap();
    assert_eq!(stored["spec"], json!({"width": 5, "height": 6}));
}

#[test]
fn the_objects_of_a_list_are_converted_together() {
    let (cluster, fake) = world();
    for name in ["genoa", "jib", "main"] {
        create(&cluster, name);
    }
    fake.calls();
    let select = |version: &str, options: ListOptions| {
        cluster.select(&sails(&cluster, version), &options).unwrap()
    };
    assert_eq!(select("v2", ListOptions::default()).items.len(), 3);
    assert_eq!(fake.calls(), [0; 0]);
    let all = select("v1", ListOptions::default()).items;
    assert!(all.iter().all(|sail| sail["spec"]["size"] == "3x4"));
    assert_eq!((all.len(), fake.calls()), (3, vec![3]));
    // A field of the requested version selects, although the stored version does not have it.
    let sized = |size: &str| ListOptions {
        fields: format!("spec.size={size}"),
        ..ListOptions::default()
    };
    assert_eq!(select("v1", sized("3x4")).items.len(), 3);
    assert_eq!(select("v1", sized("9x9")).items.len(), 0);
    fake.calls();
    let page = ListOptions {
        limit: 2,
        ..ListOptions::default()
    };
    let first = select("v1", page.clone());
    assert_eq!(
        (first.items.len(), first.remaining, fake.calls()),
        (2, Some(1), vec![2])
    );
    let rest = select(
        "v1",
        ListOptions {
            continue_token: first.continue_token,
            ..page
        },
    );
    assert_eq!((rest.items.len(), fake.calls()), (1, vec![1]));
    let at = sails(&cluster, "v1");
    let everything = Selection::everything(at.kind);
    let mut size = |sail: &Value| sail["spec"]["size"].clone();
    let sizes = cluster
        .feed()
        .map_fields(&at, &everything, &mut size)
        .unwrap();
    assert_eq!((sizes.len(), fake.calls()), (3, vec![3]));
}

#[test]
fn a_watch_shows_changes_at_its_version() {
    let (cluster, fake) = world();
    create(&cluster, "jib");
    let mut watch = cluster
        .watch(&sails(&cluster, "v1"), &ListOptions::default())
        .unwrap();
    let sizes = |events: Vec<WatchEvent>| -> Vec<Value> {
        let size = |event: WatchEvent| match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                object["spec"]["size"].clone()
            }
            other => panic!("{other:?}"),
        };
        events.into_iter().map(size).collect()
    };
    assert_eq!(sizes(watch.next(Duration::ZERO).unwrap()), ["3x4"]);
    create(&cluster, "main");
    fake.calls();
    assert_eq!(sizes(watch.next(Duration::ZERO).unwrap()), ["3x4"]);
    assert_eq!(fake.calls(), [1]);
}

#[test]
fn a_failing_webhook_is_reported_with_the_servers_text() {
    let (cluster, _) = world();
    let object = json!({
        "apiVersion": "example.com/v1", "kind": "Sail", "metadata": {"name": "wreck"}, "spec": {"size": "1x1"},
    });
    let refused = cluster.create(&sails(&cluster, "v1"), &object, &WriteOptions::default());
    let status = refused.unwrap_err().into_status();
    assert_eq!(status.code, 500);
    assert_eq!(
        status.message,
        "conversion webhook for example.com/v1, Kind=Sail failed: Post \"https://localhost:1/convert?timeout=30s\": \
         dial tcp 127.0.0.1:1: connect: connection refused"
    );
    let none = cluster.get(&sails(&cluster, "v2"), "wreck").unwrap_err();
    assert_eq!(none.status().map(|status| status.code), Some(404));
}

/// Returns the kind that informers read.
fn watched(cluster: &Cluster) -> Place {
    let kinds = cluster.feed().watchable().unwrap();
    let sail = kinds.into_iter().find(|kind| kind.kind == "Sail").unwrap();
    Place::new(sail, "")
}

#[test]
fn controllers_read_the_stored_version_without_calls() {
    let (cluster, fake) = world();
    create(&cluster, "jib");
    fake.calls();
    let sails = watched(&cluster);
    assert_eq!(sails.kind.version, "v2");
    let listed = cluster.feed().objects_of(&sails).unwrap();
    assert_eq!((listed.items.len(), fake.calls()), (1, Vec::new()));
    assert_eq!(listed.items[0]["spec"], json!({"width": 3, "height": 4}));
}

#[test]
fn controllers_read_objects_of_an_earlier_stored_version_without_calls() {
    let (cluster, fake) = world();
    create(&cluster, "jib");
    let mut versions = definition()["spec"]["versions"].clone();
    versions[0]["storage"] = json!(true);
    versions[1]["storage"] = json!(false);
    let patch = json!({"spec": {"versions": versions}});
    let how = (PatchType::Merge, &patch);
    let options = WriteOptions::default();
    let definitions = place("customresourcedefinitions");
    let _ = cluster
        .patch(&definitions, "sails.example.com", how, false, &options)
        .unwrap();
    fake.calls();
    let all = watched(&cluster);
    assert_eq!(all.kind.version, "v1");
    let jib = cluster.feed().objects_of(&all).unwrap().items.remove(0);
    assert_eq!(
        (&jib["apiVersion"], fake.calls()),
        (&json!("example.com/v1"), Vec::new())
    );
    assert_eq!(jib["metadata"]["name"], "jib");
    // A write that follows from such a read keeps the fields that it lacks.
    let revision = jib["metadata"]["resourceVersion"].as_str().unwrap();
    let options = WriteOptions {
        seen: Some((revision.parse().unwrap(), jib.clone())),
        ..WriteOptions::default()
    };
    let patch = json!({"metadata": {"labels": {"x": "y"}}});
    let how = (PatchType::Merge, &patch);
    let changed = cluster.patch(&sails(&cluster, "v1"), "jib", how, false, &options);
    assert_eq!(changed.unwrap().object["spec"], json!({"size": "3x4"}));
}
