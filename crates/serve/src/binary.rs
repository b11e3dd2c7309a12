//! Tests of a Go client's requests in protobuf, end to end.

use super::{Flow as _, Reply, Request, Response, Service as _};
use crate::api::json::{Value, json};
use crate::cluster::administrator;
use crate::cluster::testing::{Scratch, fresh};
use crate::protobuf::{self, MEDIA_TYPE};

/// Sends a request with an object in protobuf. Returns the status code and the decoded response.
fn send(cluster: &Scratch, method: &str, path: &str, object: Option<&Value>) -> (u16, Value) {
    let body = object.map(|object| protobuf::encode(object).unwrap());
    let request = Request {
        method,
        content_type: MEDIA_TYPE,
        accept: "application/vnd.kubernetes.protobuf,application/json",
        user_agent: "manager/v1.0",
        body: body.as_deref().unwrap_or_default(),
        ..Request::get(path, administrator())
    };
    let Reply::Whole(response) = cluster.cluster.open(&request) else {
        panic!("{path} is a watch");
    };
    decoded(&response, &request)
}

fn decoded(response: &Response, request: &Request<'_>) -> (u16, Value) {
    let (media, bytes) = response.clone().encode(request);
    let object = match media {
        MEDIA_TYPE => protobuf::decode(&bytes).unwrap(),
        "application/json" => serde_json::from_slice(&bytes).unwrap(),
        other => panic!("{other}"),
    };
    (response.code, object)
}

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn deployment(replicas: i64) -> Value {
    let labels = json!({"app": "web"});
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": (labels.clone())}, "strategy": {},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": "nginx:1", "resources": {}}]},
            },
        },
        "status": {},
    })
}

#[test]
fn protobuf_client_creates_updates_lists_and_deletes() {
    let cluster = fresh();
    let (code, made) = send(&cluster, "POST", DEPLOYMENTS, Some(&deployment(0)));
    assert_eq!(code, 201, "{made}");
    assert_eq!(
        made["spec"]["replicas"],
        json!(0),
        "a zero that was set is no default"
    );
    assert_eq!(made["spec"]["strategy"]["type"], json!("RollingUpdate"));
    assert_eq!(
        made["metadata"]["managedFields"][0]["manager"],
        json!("manager")
    );
    let mut changed = made.clone();
    changed["spec"]["replicas"] = json!(3);
    let one = format!("{DEPLOYMENTS}/web");
    let (code, updated) = send(&cluster, "PUT", &one, Some(&changed));
    assert_eq!(
        (code, &updated["spec"]["replicas"]),
        (200, &json!(3)),
        "{updated}"
    );
    let (code, conflict) = send(&cluster, "PUT", &one, Some(&changed));
    assert_eq!(
        (code, &conflict["kind"]),
        (409, &json!("Status")),
        "{conflict}"
    );
    let (_, list) = send(&cluster, "GET", DEPLOYMENTS, None);
    assert_eq!(list["kind"], json!("DeploymentList"));
    assert_eq!(list["items"][0]["spec"]["replicas"], json!(3));
    let scale = json!({
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": 5},
    });
    let (code, scaled) = send(&cluster, "PUT", &format!("{one}/scale"), Some(&scale));
    assert_eq!(
        (code, &scaled["spec"]["replicas"]),
        (200, &json!(5)),
        "{scaled}"
    );
    let options =
        json!({"apiVersion": "apps/v1", "kind": "DeleteOptions", "propagationPolicy": "Orphan"});
    let (code, gone) = send(&cluster, "DELETE", &one, Some(&options));
    assert_eq!(code, 200, "{gone}");
}

#[test]
fn protobuf_and_json_bodies_store_the_same_object() {
    let stored = |media: &str, body: &[u8]| {
        let cluster = fresh();
        let request = Request {
            method: "POST",
            content_type: media,
            body,
            ..Request::get(DEPLOYMENTS, administrator())
        };
        let Reply::Whole(response) = cluster.cluster.open(&request) else {
            panic!("no watch");
        };
        decoded(&response, &request)
    };
    let object = deployment(2);
    let binary = stored(MEDIA_TYPE, &protobuf::encode(&object).unwrap());
    assert_eq!(binary, stored("", object.to_string().as_bytes()));
}

#[test]
fn truncated_protobuf_and_custom_resource_bodies_are_rejected() {
    let cluster = fresh();
    let whole = protobuf::encode(&deployment(1)).unwrap();
    let cut = Request {
        method: "POST",
        content_type: MEDIA_TYPE,
        body: &whole[..whole.len() / 2],
        ..Request::get(DEPLOYMENTS, administrator())
    };
    let Reply::Whole(response) = cluster.cluster.open(&cut) else {
        panic!("no watch");
    };
    assert_eq!(response.code, 400);
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "crops.farm.example.org"},
        "spec": {
            "group": "farm.example.org", "scope": "Namespaced",
            "names": {"plural": "crops", "singular": "crop", "kind": "Crop", "listKind": "CropList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"spec": {"type": "object", "additionalProperties": {"type": "string"}}},
            }}}],
        },
    });
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let (code, made) = send(&cluster, "POST", definitions, Some(&definition));
    assert_eq!(code, 201, "{made}");
    let crops = "/apis/farm.example.org/v1/namespaces/default/crops";
    let (code, refused) = send(&cluster, "POST", crops, Some(&deployment(1)));
    assert_eq!(code, 415, "{refused}");
    let (code, list) = send(&cluster, "GET", crops, None);
    assert_eq!((code, &list["kind"]), (200, &json!("CropList")), "as JSON");
}

#[test]
fn protobuf_watch_sends_length_prefixed_frames() {
    let cluster = fresh();
    let (code, _) = send(&cluster, "POST", DEPLOYMENTS, Some(&deployment(1)));
    assert_eq!(code, 201);
    let path = format!("{DEPLOYMENTS}?watch=true&timeoutSeconds=5");
    let request = Request {
        accept: "application/vnd.kubernetes.protobuf;stream=watch,application/json",
        ..Request::get(&path, administrator())
    };
    let Reply::Watch(mut stream) = cluster.cluster.open(&request) else {
        panic!("no watch");
    };
    assert_eq!(
        stream.media(),
        "application/vnd.kubernetes.protobuf;stream=watch"
    );
    let frames = stream.next(std::time::Duration::ZERO).unwrap();
    let length = u32::from_be_bytes(frames[..4].try_into().unwrap()) as usize;
    assert_eq!(length + 4, frames.len(), "one event");
    let at = frames
        .windows(4)
        .position(|w| w == protobuf::MAGIC)
        .unwrap();
    let object = protobuf::decode(&frames[at..]).unwrap();
    assert_eq!(object["metadata"]["name"], json!("web"));
}
