//! Patches and configurations as a table: each is tried on the same three objects, as a dry run.

use super::*;
use crate::api::json::json;
use crate::request::options::ApplyOptions;
use crate::testing::{Scratch, fresh, place};
use crate::{Cluster, Response};

/// The kind of patch (strategic, merge, json; apply and force are server-side apply), its target, the patch, and the
/// result: JSON at a pointer, `!` for an absent value, or the code and the text of a rejection.
const CASES: &str = r#"
# Strategic merge: maps.
strategic|deploy/web|{"spec":{"replicas":5}}|/spec/replicas=5;/metadata/generation=2
strategic|deploy/web|{"spec":{"replicas":2}}|/metadata/generation=1
strategic|deploy/web|{"spec":{"replicas":null}}|/spec/replicas=1
strategic|deploy/web|{"metadata":{"labels":{"old":null,"more":"yes"}}}|/metadata/labels={"app":"web","more":"yes"};/metadata/generation=1
strategic|deploy/web|{"metadata":{"labels":{"$patch":"replace","only":"x"}}}|/metadata/labels={"only":"x"}
strategic|deploy/web|{"metadata":{"annotations":{"$patch":"delete"}}}|/metadata/annotations!
strategic|deploy/web|{"metadata":{"annotations":{"note":"y"}}}|/metadata/annotations={"note":"y"};/metadata/generation=2
strategic|deploy/web|{"spec":{"template":{"spec":{"nodeSelector":{"zone":"a"}}}}}|/spec/template/spec/nodeSelector={"disk":"ssd","zone":"a"}
strategic|deploy/web|{"status":{"replicas":7}}|/status={};/metadata/generation=1
strategic|deploy/web|{"metadata":{"generation":99}}|/metadata/generation=1
strategic|cm/c|{"data":{"a":null}}|/data={"b":"2"}
strategic|cm/c|{"data":null}|/data!
strategic|cm/c|{"data":{"$patch":"replace"}}|/data!
strategic|cm/c|{}|/data={"a":"1","b":"2"}
strategic|cm/c|{"kind":"Secret","apiVersion":"v2"}|/kind="ConfigMap";/apiVersion="v1";/data={"a":"1","b":"2"}
# Strategic merge: lists.
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"b:2"}]}}}}|/spec/template/spec/containers/1/image="b:2";/spec/template/spec/containers/0/image="nginx:1.25"
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","args":["three"]}]}}}}|/spec/template/spec/containers/0/args=["three"]
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","env":[{"name":"B","value":"22"},{"name":"C","value":"3"}]}]}}}}|/spec/template/spec/containers/0/env=[{"name":"A","value":"1"},{"name":"B","value":"22"},{"name":"C","value":"3"}]
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","env":[{"name":"A","$patch":"delete"}]}]}}}}|/spec/template/spec/containers/0/env=[{"name":"B","value":"2"}]
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":80,"name":"web"}]}]}}}}|/spec/template/spec/containers/0/ports=[{"containerPort":80,"name":"web","protocol":"TCP"}]
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}|/spec/template/spec/containers/1!
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"$patch":"replace"},{"name":"only","image":"n"}]}}}}|/spec/template/spec/containers/0/name="only";/spec/template/spec/containers/1!
strategic|deploy/web|{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"side"},{"name":"main"}]}}}}|/spec/template/spec/containers/0/name="side";/spec/template/spec/containers/1/name="main"
strategic|deploy/web|{"spec":{"template":{"spec":{"tolerations":[{"key":"b","operator":"Exists"}]}}}}|/spec/template/spec/tolerations=[{"key":"b","operator":"Exists"}]
strategic|deploy/web|{"spec":{"template":{"spec":{"volumes":[{"name":"data","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]}}}}|/spec/template/spec/volumes/0={"hostPath":{"path":"/x","type":""},"name":"data"}
strategic|deploy/web|{"spec":{"template":{"spec":{"volumes":[{"name":"data","hostPath":{"path":"/x"}}]}}}}|422 Deployment.apps "web" is invalid: spec.template.spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type
strategic|deploy/web|{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}|/spec/strategy={"type":"Recreate"}
strategic|deploy/web|{"spec":{"strategy":{"type":"Recreate"}}}|422 Deployment.apps "web" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'
strategic|cm/c|{"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/a"]}}|/metadata/finalizers=["x.io/b"]
strategic|svc/s|{"spec":{"ports":[{"port":80,"targetPort":8080}]}}|/spec/ports/0/targetPort=8080;/spec/ports/1/port=443
strategic|svc/s|{"spec":{"ports":[{"port":443,"$patch":"delete"}]}}|/spec/ports/1!
strategic|svc/s|{"spec":{"selector":{"b":"c"}}}|/spec/selector={"a":"b","b":"c"}
# Strategic merge: what is refused.
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}}|500 map: map[image:x] does not contain declared merge key: name
strategic|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","$patch":"foo"}]}}}}|500 unknown patch type: foo in map: map[$patch:foo name:main]
strategic|deploy/web|{"spec":{"$patch":"foo"}}|500 unknown patch type: foo in map: map[$patch:foo]
strategic|deploy/web|{"spec":{"replicas":"x"}}|422  "" is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32
strategic|deploy/web|{"spec":{"replicas":-1}}|422 Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0
strategic|deploy/web|[]|400 json: cannot unmarshal array into Go value of type map[string]interface {}
strategic|svc/s|{"spec":{"ports":[{"port":80,"protocol":"TCP","targetPort":{}}]}}|422  "" is invalid: patch: Invalid value: "map[spec:map[ports:[map[port:80 protocol:TCP targetPort:map[]]]]]": json: cannot unmarshal object into Go value of type int32
# Merge.
merge|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"x"}]}}}}|/spec/template/spec/containers/0/image="x";/spec/template/spec/containers/0/args!;/spec/template/spec/containers/1!
merge|deploy/web|{"metadata":{"labels":null}}|/metadata/labels!
merge|deploy/web|{"spec":{"template":{"spec":{"nodeSelector":{"disk":null}}}}}|/spec/template/spec/nodeSelector!
merge|deploy/web|{"spec":{"strategy":{"type":"Recreate","rollingUpdate":null}}}|/spec/strategy={"type":"Recreate"}
merge|cm/c|{"metadata":{"finalizers":["x.io/z"]}}|/metadata/finalizers=["x.io/z"]
merge|cm/c|{"data":{"$patch":"replace"}}|422 ConfigMap "c" is invalid: data[$patch]: Invalid value: "$patch": a valid config key must consist of
merge|cm/c|{"immutable":true}|/immutable=true
merge|cm/c|[]|400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}
merge|cm/c|"x"|400 error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}
merge|cm/c|{"metadata":{"name":"zz"}}|400 the name of the object (zz) does not match the name on the URL (c)
merge|cm/c|{"metadata":{"namespace":"zz"}}|400 the namespace of the provided object does not match the namespace sent on the request
merge|cm/c|{"metadata":{"resourceVersion":"1"}}|409 Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again
merge|cm/c|{"metadata":{"resourceVersion":""}}|/data={"a":"1","b":"2"}
merge|cm/c|{"metadata":{"resourceVersion":"x"}}|500 strconv.ParseUint: parsing "x": invalid syntax
merge|deploy/web|{"spec":{"selector":{"matchLabels":{"app":"x"}}}}|422 Deployment.apps "web" is invalid: [spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`
merge|deploy/web|{"metadata":{"labels":{"a b":"c"}}}|422 Deployment.apps "web" is invalid: metadata.labels: Invalid value: "a b": name part must consist of
# JSON patch.
json|cm/c|[{"op":"add","path":"/data/c","value":"3"}]|/data={"a":"1","b":"2","c":"3"}
json|cm/c|[{"op":"add","path":"/data/a","value":"3"}]|/data/a="3"
json|cm/c|[{"op":"replace","path":"/data","value":{"z":"1"}}]|/data={"z":"1"}
json|cm/c|[{"op":"remove","path":"/data/a"}]|/data={"b":"2"}
json|cm/c|[{"op":"copy","from":"/data/a","path":"/data/c"},{"op":"move","from":"/data/b","path":"/data/d"}]|/data={"a":"1","c":"1","d":"2"}
json|cm/c|[{"op":"test","path":"/data/a","value":"1"},{"op":"replace","path":"/data/a","value":"2"}]|/data/a="2"
json|cm/c|[{"op":"replace","path":"/data/a","value":"2"},{"op":"test","path":"/data/a","value":"1"}]|422 the server rejected our request due to an error in our request
json|cm/c|[{"op":"add","path":"/metadata/annotations","value":{}},{"op":"add","path":"/metadata/annotations/a~1b","value":"x"},{"op":"add","path":"/metadata/annotations/c","value":"y"}]|/metadata/annotations={"a/b":"x","c":"y"}
json|cm/c|[{"op":"add","path":"/metadata/finalizers/-","value":"x.io/c"}]|/metadata/finalizers=["x.io/a","x.io/b","x.io/c"]
json|cm/c|[{"op":"add","path":"/metadata/finalizers/1","value":"x.io/c"}]|/metadata/finalizers=["x.io/a","x.io/c","x.io/b"]
json|cm/c|[{"op":"remove","path":"/metadata/finalizers/0"}]|/metadata/finalizers=["x.io/b"]
json|cm/c|[{"op":"remove","path":"/metadata/finalizers/2"}]|422 the server rejected our request due to an error in our request
json|cm/c|[{"op":"remove","path":"/nope"}]|422 the server rejected our request due to an error in our request
json|cm/c|[{"op":"burn","path":"/data"}]|422 the server rejected our request due to an error in our request
json|cm/c|[]|/data={"a":"1","b":"2"}
json|cm/c|{}|400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp
json|deploy/web|[{"op":"move","from":"/spec/template/spec/containers/1","path":"/spec/template/spec/containers/0"}]|/spec/template/spec/containers/0/name="side";/spec/template/spec/containers/1/name="main"
# Server-side apply beside whoever created the object.
apply|deploy/web|{"metadata":{"labels":{"new":"x"}}}|/metadata/labels={"app":"web","new":"x","old":"label"}
apply|deploy/web|{"spec":{"replicas":2}}|/spec/replicas=2;/metadata/generation=1
apply|deploy/web|{"spec":{"replicas":3}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.replicas
force|deploy/web|{"spec":{"replicas":3}}|/spec/replicas=3;/metadata/generation=2
apply|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"x"}]}}}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.template.spec.containers[name="main"].image
force|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"x"}]}}}}|/spec/template/spec/containers/0/image="x";/spec/template/spec/containers/1/name="side"
apply|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"extra","image":"x"}]}}}}|/spec/template/spec/containers/2/name="extra"
apply|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","env":[{"name":"C","value":"3"}]}]}}}}|/spec/template/spec/containers/0/env/2={"name":"C","value":"3"}
apply|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","args":["x"]}]}}}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.template.spec.containers[name="main"].args
apply|deploy/web|{"spec":{"template":{"spec":{"nodeSelector":{"zone":"a"}}}}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using apps/v1: .spec.template.spec.nodeSelector
force|deploy/web|{"spec":{"template":{"spec":{"nodeSelector":{"zone":"a"}}}}}|/spec/template/spec/nodeSelector={"zone":"a"}
force|deploy/web|{"spec":{"template":{"spec":{"tolerations":[{"key":"b","operator":"Exists"}]}}}}|/spec/template/spec/tolerations=[{"key":"b","operator":"Exists"}]
apply|deploy/web|{"spec":{"replicas":3,"paused":true,"minReadySeconds":4,"revisionHistoryLimit":3}}|409 Apply failed with 2 conflicts: conflicts with "kubectl-create" using apps/v1:
apply|deploy/web|{"status":{"replicas":3}}|/status={}
apply|deploy/web|{"spec":{"foo":1}}|500 failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema
apply|deploy/web|{"spec":{"replicas":"x"}}|500 failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string
apply|deploy/web|{"spec":{"template":{"spec":{"containers":[{"name":"main","ports":[{"containerPort":80},{"containerPort":80,"protocol":"TCP"}]}]}}}}|500 failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.template.spec.containers[name="main"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]
apply|cm/c|{"data":{"c":"1"}}|/data={"a":"1","b":"2","c":"1"}
apply|cm/c|{"data":{"a":"9"}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .data.a
apply|cm/c|{"data":{"a":"9","b":"9"}}|409 Apply failed with 2 conflicts: conflicts with "kubectl-create" using v1:
apply|cm/c|{"metadata":{"finalizers":["x.io/c"]}}|/metadata/finalizers=["x.io/a","x.io/b","x.io/c"]
apply|svc/s|{"spec":{"ports":[{"port":8080,"name":"more"}]}}|/spec/ports/2/port=8080
apply|svc/s|{"spec":{"ports":[{"port":80,"name":"http","targetPort":9}]}}|409 Apply failed with 1 conflict: conflict with "kubectl-create" using v1: .spec.ports[port=80,protocol="TCP"].targetPort
"#;

fn filled() -> Scratch {
    let cluster = fresh();
    let options = WriteOptions {
        field_manager: "kubectl-create".to_owned(),
        ..WriteOptions::default()
    };
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web", "old": "label"},
            "annotations": {"note": "x"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {
                "containers": [
                    {"name": "main", "image": "nginx:1.25", "args": ["one", "two"],
                        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                        "ports": [{"containerPort": 80, "name": "http"}]},
                    {"name": "side", "image": "busybox:1.36"}],
                "nodeSelector": {"disk": "ssd"},
                "tolerations": [{"key": "a", "operator": "Exists"}],
                "volumes": [{"name": "data", "emptyDir": {}},
                    {"name": "cfg", "configMap": {"name": "web"}}]}}}});
    let c = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "finalizers": ["x.io/a", "x.io/b"]},
        "data": {"a": "1", "b": "2"}});
    let s = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "name": "http"},
            {"port": 443, "name": "https"}]}});
    for (resource, object) in [("deploy", web), ("cm", c), ("svc", s)] {
        cluster.create(&place(resource), &object, &options).unwrap();
    }
    cluster
}

fn tried(
    cluster: &Cluster,
    how: &str,
    resource: &str,
    name: &str,
    body: Value,
) -> Result<Response, Status> {
    let place = place(resource);
    let write = WriteOptions {
        dry_run: true,
        field_manager: "tester".to_owned(),
        ..WriteOptions::default()
    };
    let patch_type = match how {
        "strategic" => PatchType::Strategic,
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        _ => {
            let mut config = body;
            config["apiVersion"] = json!(place.kind.api_version());
            config["kind"] = json!(place.kind.kind);
            config["metadata"]["name"] = json!(name);
            let options = ApplyOptions {
                write,
                force: how == "force",
                ..ApplyOptions::default()
            };
            let response = cluster.apply(&place, name, &config, &options);
            return response.map_err(|e| e.status().unwrap().clone());
        }
    };
    let response = cluster.patch(&place, name, (patch_type, &body), Part::Whole, &write);
    response.map_err(|e| e.status().unwrap().clone())
}

/// Returns the differences from the expectation of the case.
fn wrong(response: &Result<Response, Status>, expected: &str) -> Option<String> {
    let object = match response {
        Err(status) => {
            let got = format!("{} {}", status.code, status.message);
            return (!got.starts_with(expected)).then_some(got);
        }
        Ok(response) => &response.object,
    };
    if !expected.starts_with('/') {
        return Some("not refused".to_owned());
    }
    expected.split(';').find_map(|check| {
        let (pointer, value) = match check.split_once('=') {
            Some((pointer, json)) => (pointer, serde_json::from_str::<Value>(json).ok()),
            None => (check.trim_end_matches('!'), None),
        };
        let got = object.pointer(pointer);
        (got != value.as_ref()).then(|| format!("{pointer} is {got:?}"))
    })
}

#[test]
fn dry_run_patches_have_the_results_of_the_table() {
    let cluster = filled();
    let before = cluster.stored().revision().unwrap();
    let (mut checked, mut found) = (0, Vec::new());
    let cases = CASES
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    for case in cases {
        let cells: Vec<_> = case.splitn(4, '|').collect();
        let body = serde_json::from_str(cells[2]).unwrap();
        let (resource, name) = cells[1].split_once('/').unwrap();
        let response = tried(&cluster, cells[0], resource, name, body);
        found.extend(wrong(&response, cells[3]).map(|wrong| format!("{case}\n  {wrong}")));
        checked += 1;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(checked, 95);
    assert_eq!(
        cluster.stored().revision().unwrap(),
        before,
        "a dry run keeps nothing"
    );
}
