//! The documents of the built-in kinds and of a custom one.

use super::*;
use crate::Body;
use crate::cluster::administrator;
use crate::kinds::custom;
use crate::protobuf::wire::{Reader, Wire};

fn of(words: &[&str]) -> Value {
    served(
        &Catalogue::default(),
        &[&["openapi", "v3"], words].concat(),
        "",
        "",
    )
    .0
}

fn served(kinds: &Catalogue, words: &[&str], query: &str, accept: &str) -> (Value, Response) {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let request = Request {
        accept,
        ..Request::get("/openapi", administrator())
    };
    let response = answer(kinds, &words, &request, &Query::parse(query)).unwrap();
    let object = match &response.body {
        Body::Object(object) => object.clone(),
        Body::Text(text) => json!(text),
        other => panic!("{other:?}"),
    };
    (object, response)
}

/// Returns a catalogue with the kinds of a modified CustomResourceDefinition.
fn with(change: impl FnOnce(&mut Value)) -> Catalogue {
    let mut definition = json!({
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": "Boat", "listKind": "BoatList", "plural": "boats", "singular": "boat"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "selectableFields": [{"jsonPath": ".spec.color"}],
                "schema": {"openAPIV3Schema": {"type": "object", "description": "A boat.", "properties": {
                    "spec": {"type": "object", "required": ["color"], "properties": {
                        "color": {"type": "string", "nullable": true, "default": "red"},
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                            "properties": {"x": {"type": "string"}}},
                        "either": {"anyOf": [{"type": "string"}], "type": "string"},
                    }},
                }}},
            }],
        },
    });
    change(&mut definition);
    Catalogue::new(custom::kinds_of(&definition).iter().collect())
}

#[test]
fn openapi_v3_documents_exist_and_have_no_dangling_references() {
    let index = of(&[]);
    let paths = index["paths"].as_object().unwrap();
    assert!(paths.len() > 20);
    for path in paths.keys() {
        let words: Vec<&str> = path.split('/').collect();
        let document = of(&words);
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let text = document.to_string();
        for (at, prefix) in text.match_indices("#/components/schemas/") {
            let name = text[at + prefix.len()..].split('"').next().unwrap();
            assert!(schemas.contains_key(name), "{path}: {name}");
        }
    }
    let core = of(&["api", "v1"]);
    let schemas = &core["components"]["schemas"];
    let modes =
        &schemas["io.k8s.api.core.v1.PersistentVolumeClaimSpec"]["properties"]["accessModes"];
    assert_eq!(
        (&modes["enum"], &modes["items"]["enum"][0]),
        (&Value::Null, &json!("ReadOnlyMany"))
    );
    let path = &schemas["io.k8s.api.core.v1.HostPathVolumeSource"]["properties"]["type"];
    assert_eq!(path["enum"][0], "");
    assert_eq!(of(&["api", "v9"]), "404 page not found\n");
}

#[test]
fn openapi_v3_contains_patch_options_and_merge_keys() {
    let document = of(&["apis", "apps", "v1"]);
    let path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    let patch = &document["paths"][path]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"]["kind"],
        "Deployment"
    );
    let options = patch["parameters"].as_array().unwrap();
    assert!(options.iter().any(|o| o["name"] == "fieldValidation"));
    let in_path = document["paths"][path]["parameters"].as_array().unwrap();
    let names: Vec<&str> = in_path.iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["name", "namespace", "pretty"]);
    assert_eq!(in_path[0]["required"], true);
    let spec = &document["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"];
    let containers = &spec["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
    assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
    assert_eq!(spec["required"], json!(["containers"]));
    assert_eq!(spec["description"], "PodSpec is a description of a pod.");
    let text = containers["description"].as_str().unwrap();
    assert!(
        text.starts_with("List of containers belonging to the pod."),
        "{text}"
    );
}

#[test]
fn options_have_the_types_and_places_of_the_api_server() {
    let document = of(&["api", "v1"]);
    let pods = &document["paths"]["/api/v1/namespaces/{namespace}/pods"];
    let names = |of: &Value| -> String {
        let all = of["parameters"].as_array().unwrap().iter();
        let names: Vec<&str> = all.filter_map(|p| p["name"].as_str()).collect();
        names.join(" ")
    };
    assert_eq!(names(pods), "namespace pretty");
    assert_eq!(
        names(&pods["get"]),
        "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion \
         resourceVersionMatch sendInitialEvents timeoutSeconds watch"
    );
    assert_eq!(pods["get"]["parameters"][4]["schema"]["type"], "integer");
    assert_eq!(pods["get"]["parameters"][9]["schema"]["type"], "boolean");
    assert_eq!(names(&pods["post"]), "dryRun fieldManager fieldValidation");
    let one = &document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"];
    assert_eq!(one["get"]["parameters"], Value::Null);
    assert_eq!(
        names(&one["delete"]),
        "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential \
         orphanDependents propagationPolicy"
    );
    let body = |operation: &Value, media: &str| {
        let body = &operation["requestBody"];
        let schema = body["content"][media]["schema"]["$ref"].as_str().unwrap();
        let name = schema.rsplit('/').next().unwrap().to_owned();
        (name, body["required"] == true)
    };
    let meta = |name: &str| format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}");
    assert_eq!(body(&one["delete"], "*/*"), (meta("DeleteOptions"), false));
    let merge = "application/merge-patch+json";
    assert_eq!(body(&one["patch"], merge), (meta("Patch"), true));
    // A path with a single operation has all query options at the path.
    let all = &document["paths"]["/api/v1/watch/namespaces/{namespace}/pods/{name}"];
    assert_eq!(all["get"]["operationId"], "watchCoreV1NamespacedPod");
    assert_eq!(all["get"]["parameters"], Value::Null);
    assert_eq!(all["parameters"].as_array().unwrap().len(), 13);
}

/// Operations in the document of Kubernetes 1.36: method, path, ID, action, kind.
const OPERATIONS: &str = "\
get | /api/v1/namespaces/{namespace}/pods/{name} | readCoreV1NamespacedPod | get | /v1 Pod
get | /api/v1/pods | listCoreV1PodForAllNamespaces | list | /v1 Pod
delete | /api/v1/namespaces/{namespace}/pods | deleteCoreV1CollectionNamespacedPod | deletecollection | /v1 Pod
put | /api/v1/namespaces/{namespace}/pods/{name}/status | replaceCoreV1NamespacedPodStatus | put | /v1 Pod
get | /api/v1/namespaces/{namespace}/pods/{name}/log | readCoreV1NamespacedPodLog | get | /v1 Pod
post | /api/v1/namespaces/{namespace}/pods/{name}/binding | createCoreV1NamespacedPodBinding | post | /v1 Binding
post | /api/v1/namespaces/{namespace}/pods/{name}/eviction | createCoreV1NamespacedPodEviction | post | policy/v1 Eviction
get | /api/v1/watch/pods | watchCoreV1PodListForAllNamespaces | watchlist | /v1 Pod
get | /api/v1/watch/namespaces/{namespace}/pods | watchCoreV1NamespacedPodList | watchlist | /v1 Pod
get | /api/v1/watch/nodes/{name} | watchCoreV1Node | watch | /v1 Node
post | /api/v1/namespaces/{namespace}/pods/{name}/exec | connectCoreV1PostNamespacedPodExec | connect | /v1 PodExecOptions
get | /api/v1/namespaces/{namespace}/pods/{name}/proxy/{path} | connectCoreV1GetNamespacedPodProxyWithPath | connect | /v1 PodProxyOptions
patch | /api/v1/namespaces/{namespace}/pods/{name}/ephemeralcontainers | patchCoreV1NamespacedPodEphemeralcontainers | patch | /v1 Pod
post | /api/v1/namespaces/{namespace}/serviceaccounts/{name}/token | createCoreV1NamespacedServiceAccountToken | post | authentication.k8s.io/v1 TokenRequest
put | /api/v1/namespaces/{name}/finalize | replaceCoreV1NamespaceFinalize | put | /v1 Namespace
head | /api/v1/nodes/{name}/proxy | connectCoreV1HeadNodeProxy | connect | /v1 NodeProxyOptions
get | /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale | readAppsV1NamespacedDeploymentScale | get | autoscaling/v1 Scale
patch | /apis/certificates.k8s.io/v1/certificatesigningrequests/{name}/approval | patchCertificatesV1CertificateSigningRequestApproval | patch | certificates.k8s.io/v1 CertificateSigningRequest
post | /apis/rbac.authorization.k8s.io/v1/clusterroles | createRbacAuthorizationV1ClusterRole | post | rbac.authorization.k8s.io/v1 ClusterRole
post | /apis/authorization.k8s.io/v1/subjectaccessreviews | createAuthorizationV1SubjectAccessReview | post | authorization.k8s.io/v1 SubjectAccessReview
";

#[test]
fn operation_ids_actions_and_kinds_match_the_api_server() {
    let v2 = served(&Catalogue::default(), &["openapi", "v2"], "", "").0;
    let v3 = [
        of(&["api", "v1"]),
        of(&["apis", "apps", "v1"]),
        of(&["apis", "rbac.authorization.k8s.io", "v1"]),
        of(&["apis", "certificates.k8s.io", "v1"]),
        of(&["apis", "authorization.k8s.io", "v1"]),
    ];
    for line in OPERATIONS.lines() {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [method, path, id, action, kind] = columns[..] else {
            panic!("{line}");
        };
        let mut found = 0;
        for document in v3.iter().chain([&v2]) {
            let operation = &document["paths"][path][method];
            if operation.is_null() {
                continue;
            }
            found += 1;
            let of = |name: &str| operation[MARK][name].as_str().unwrap().to_owned();
            let kind_of = format!("{}/{} {}", of("group"), of("version"), of("kind"));
            let told = (&operation["operationId"], &operation["x-kubernetes-action"]);
            assert_eq!(told, (&json!(id), &json!(action)), "{method} {path}");
            assert_eq!(
                kind_of.trim_start_matches('/'),
                kind.trim_start_matches('/'),
                "{path}"
            );
        }
        assert_eq!(found, 2, "{method} {path}");
    }
    assert_eq!(
        v3[2]["paths"]["/apis/rbac.authorization.k8s.io/v1/clusterroles"]["post"]["tags"],
        json!(["rbacAuthorization_v1"])
    );
}

#[test]
fn no_two_operations_have_the_same_id() {
    let boats = with(|_| {});
    let document = served(&boats, &["openapi", "v2"], "", "").0;
    let paths = document["paths"].as_object().unwrap().values();
    let operations = paths
        .flat_map(|item| item.as_object().unwrap().values())
        .filter(|operation| operation.is_object());
    let ids: Vec<String> = operations
        .map(|operation| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    let different: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(different.len(), ids.len());
    assert!(ids.contains(&"listExampleComV1BoatForAllNamespaces".to_owned()));
}

#[test]
fn openapi_v2_has_no_dangling_references() {
    let (document, _) = served(
        &Catalogue::default(),
        &["openapi", "v2"],
        "",
        "application/json",
    );
    assert_eq!(document["swagger"], "2.0");
    let definitions = document["definitions"].as_object().unwrap();
    let text = document.to_string();
    for (at, prefix) in text.match_indices("#/definitions/") {
        let name = text[at + prefix.len()..].split('"').next().unwrap();
        assert!(definitions.contains_key(name), "{name}");
    }
    // Old clients support neither alternatives nor `allOf`.
    for word in ["\"allOf\":[", "\"oneOf\":[", "#/components"] {
        assert!(!text.contains(word), "{word}");
    }
    let list = &document["definitions"]["io.k8s.api.core.v1.PodList"];
    assert_eq!(list[MARK][0]["kind"], "PodList");
    let path = "/api/v1/namespaces/{namespace}/pods/{name}";
    let patch = &document["paths"][path]["patch"];
    assert!(
        patch["consumes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c == "application/apply-patch+yaml")
    );
}

/// Returns the contents of the messages at a path of field numbers.
fn within<'b>(bytes: &'b [u8], path: &[u32]) -> Vec<&'b [u8]> {
    let Some((number, rest)) = path.split_first() else {
        return vec![bytes];
    };
    let (mut reader, mut found) = (Reader::new(bytes), Vec::new());
    while let Some((own, value)) = reader.field().unwrap() {
        if let Wire::Bytes(inner) = value
            && own == *number
        {
            found.extend(within(inner, rest));
        }
    }
    found
}

#[test]
fn openapi_v2_is_served_as_protobuf() {
    let accept = binary::OLD_MEDIA_TYPE;
    let (document, response) = served(&with(|_| {}), &["openapi", "v2"], "", accept);
    let request = Request {
        accept,
        ..Request::get("/openapi/v2", administrator())
    };
    let (media, bytes) = response.clone().encode(&request);
    assert_eq!(media, MEDIA_TYPE);
    let texts = |path: &[u32]| -> Vec<&str> {
        within(&bytes, path)
            .into_iter()
            .map(|text| std::str::from_utf8(text).unwrap())
            .collect()
    };
    assert_eq!(texts(&[1]), ["2.0"]);
    let names = document["definitions"].as_object().unwrap();
    let names: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(texts(&[9, 1, 1]), names);
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(texts(&[8, 2, 1]).len(), paths.iter().count());
    // The parameters of the patches, and the kind of each patch.
    assert!(texts(&[8, 2, 2, 8, 8, 1, 2, 3, 4]).contains(&"fieldValidation"));
    assert!(texts(&[8, 2, 2, 9, 1, 2, 4, 4]).contains(&"namespace"));
    let kind = r#"{"group":"example.com","kind":"Boat","version":"v1"}"#;
    assert!(texts(&[8, 2, 2, 8, 13, 2, 2]).contains(&kind));
    let boat = names
        .iter()
        .position(|name| *name == "com.example.v1.Boat")
        .unwrap();
    let boat = within(&bytes, &[9, 1, 2])[boat];
    assert_eq!(within(boat, &[22, 1]), [b"object"]);
    let fields: Vec<_> = within(boat, &[25, 1, 1]);
    assert_eq!(fields, [&b"apiVersion"[..], b"kind", b"metadata", b"spec"]);
    assert_eq!(within(boat, &[25, 1, 2, 25, 1, 2, 5, 2]), [b"\"red\""]);
}

#[test]
fn documents_have_tags_that_change_with_them() {
    let tag = |kinds: &Catalogue, words: &[&str], accept: &str| {
        let (_, response) = served(kinds, words, "", accept);
        let mut fields = response.fields.into_iter();
        fields.find(|(name, _)| *name == "etag").unwrap().1
    };
    let (boats, trees) = (
        with(|_| {}),
        with(|boat| boat["spec"]["names"]["kind"] = json!("Tree")),
    );
    let own = ["openapi", "v3", "apis", "example.com", "v1"];
    for words in [&["openapi", "v2"][..], &["openapi", "v3"], &own] {
        let before = tag(&boats, words, "");
        assert_eq!(before, tag(&boats, words, ""), "{words:?}");
        assert_ne!(before, tag(&trees, words, ""), "{words:?}");
        // A request with the current tag gets no document.
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let request = Request {
            if_none_match: &before,
            ..Request::get("/openapi", administrator())
        };
        let response = answer(&boats, &words, &request, &Query::parse("")).unwrap();
        assert_eq!(response.code, 304);
    }
    let of_type = |accept: &str| tag(&boats, &["openapi", "v2"], accept);
    assert_ne!(of_type(MEDIA_TYPE), of_type("application/json"));
}

#[test]
fn custom_resource_schemas_are_published_in_v2_and_v3() {
    let kinds = with(|_| {});
    let (new, _) = served(
        &kinds,
        &["openapi", "v3", "apis", "example.com", "v1"],
        "",
        "",
    );
    let boat = &new["components"]["schemas"]["com.example.v1.Boat"];
    assert_eq!(
        boat["properties"]["spec"]["properties"]["color"]["nullable"],
        true
    );
    assert_eq!(
        boat["x-kubernetes-selectable-fields"],
        json!([{"fieldPath": "spec.color"}])
    );
    let metadata = &boat["properties"]["metadata"]["allOf"][0]["$ref"];
    assert_eq!(
        metadata,
        "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    );
    let list = &new["components"]["schemas"]["com.example.v1.BoatList"];
    assert_eq!(list[MARK][0]["kind"], "BoatList");
    let (old, _) = served(&kinds, &["openapi", "v2"], "", "");
    let boat = &old["definitions"]["com.example.v1.Boat"];
    assert_eq!(boat["description"], "A boat.");
    let fields = &boat["properties"]["spec"]["properties"];
    assert_eq!(fields["color"], json!({"default": "red"}));
    assert_eq!(
        fields["free"],
        json!({"x-kubernetes-preserve-unknown-fields": true})
    );
    assert_eq!(fields["either"], json!({"type": "string"}));
    let free = with(|d| {
        d["spec"]["versions"][0]["schema"]["openAPIV3Schema"] =
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    });
    let (old, _) = served(&free, &["openapi", "v2"], "", "");
    let boat = &old["definitions"]["com.example.v1.Boat"];
    assert_eq!(
        (&boat["type"], &boat["properties"]),
        (&json!("object"), &Value::Null)
    );
}

#[test]
fn openapi_v3_hash_changes_only_with_its_definition() {
    let url = |kinds: &Catalogue, path: &str| {
        let (index, _) = served(kinds, &["openapi", "v3"], "", "");
        index["paths"][path]["serverRelativeURL"]
            .as_str()
            .map(str::to_owned)
    };
    let own = "apis/example.com/v1";
    let before = with(|_| {});
    let after = with(|d| d["spec"]["versions"][0]["selectableFields"] = json!([]));
    assert_eq!(url(&before, own), url(&with(|_| {}), own));
    assert_ne!(url(&before, own), url(&after, own));
    assert_eq!(url(&before, "apis/apps/v1"), url(&after, "apis/apps/v1"));
    assert_ne!(url(&before, "apis/apps/v1"), url(&before, "api/v1"));
    let unserved = with(|d| d["spec"]["versions"][0]["served"] = json!(false));
    assert_eq!(url(&unserved, own), None);
    // The URL in the index returns the document; an old URL redirects to the new one.
    let words = ["openapi", "v3", "apis", "example.com", "v1"];
    let hash = url(&before, own).unwrap();
    let (_, query) = hash.split_once('?').unwrap();
    assert_eq!(served(&before, &words, query, "").1.code, 200);
    let (_, moved) = served(&after, &words, query, "");
    let location = moved.fields.iter().find(|(name, _)| *name == "location");
    assert_eq!(
        (moved.code, location.map(|(_, to)| to.clone())),
        (301, url(&after, own))
    );
}

/// Bodies in the document of Kubernetes 1.36: method, path, status codes, schema.
const BODIES: &str = "\
get | /api/v1/namespaces/{namespace}/configmaps | 200,401 | api.core.v1.ConfigMapList
post | /api/v1/namespaces/{namespace}/configmaps | 200,201,202,401 | api.core.v1.ConfigMap
delete | /api/v1/namespaces/{namespace}/configmaps | 200,401 | apimachinery.pkg.apis.meta.v1.Status
put | /api/v1/namespaces/{namespace}/configmaps/{name} | 200,201,401 | api.core.v1.ConfigMap
patch | /api/v1/namespaces/{namespace}/configmaps/{name} | 200,201,401 | api.core.v1.ConfigMap
delete | /api/v1/namespaces/{namespace}/configmaps/{name} | 200,202,401 | apimachinery.pkg.apis.meta.v1.Status
get | /api/v1/nodes/{name} | 200,401 | api.core.v1.Node
delete | /api/v1/namespaces/{namespace}/pods/{name} | 200,202,401 | api.core.v1.Pod
put | /api/v1/namespaces/{namespace}/replicationcontrollers/{name}/scale | 200,201,401 | api.autoscaling.v1.Scale";

#[test]
fn openapi_operations_describe_their_bodies() {
    let (v2, _) = served(&Catalogue::default(), &["openapi", "v2"], "", "");
    let core = of(&["api", "v1"]);
    let codes_of = |operation: &Value| -> String {
        let codes = operation["responses"].as_object().unwrap().keys();
        codes.cloned().collect::<Vec<_>>().join(",")
    };
    for line in BODIES.lines() {
        let words: Vec<&str> = line.split(" | ").collect();
        let [method, path, codes, schema] = words[..] else {
            panic!("{line}")
        };
        let (old, new) = (&v2["paths"][path][method], &core["paths"][path][method]);
        assert_eq!((&*codes_of(old), &*codes_of(new)), (codes, codes), "{line}");
        let (name, body) = (
            format!("io.k8s.{schema}"),
            &old["responses"]["200"]["schema"],
        );
        assert_eq!(body["$ref"], format!("#/definitions/{name}"), "{line}");
        let content = &new["responses"]["200"]["content"];
        let reference = format!("#/components/schemas/{name}");
        for media in ["json", "yaml", "vnd.kubernetes.protobuf"] {
            let body = &content[&*format!("application/{media}")]["schema"];
            assert_eq!(body["$ref"], reference, "{line} {media}");
        }
        let streams = content.get("application/json;stream=watch").is_some();
        assert_eq!(streams, schema.ends_with("List"), "{line}");
        let sends = new["requestBody"]["required"] == true;
        assert_eq!(sends, matches!(method, "post" | "put" | "patch"), "{line}");
    }
}
