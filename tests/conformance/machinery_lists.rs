//! SIG API Machinery: watches, lists in chunks, tables, discovery and the version of the server.

use serde_json::{Value, json};

use crate::cluster::{Api, Server, namespace};
use crate::objects::data;
use crate::operations::{discovered, supported};
use crate::resource::{name, revision};

fn space(name: &str) -> Api {
    namespace("machinery", name)
}

fn labeled(name: &str, label: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"watch": label}}})
}

fn mutation(number: u32) -> Value {
    json!({"data": {"mutation": number.to_string()}})
}

#[test]
fn watches_see_their_objects_and_no_others() {
    let api = space("watch-labels");
    let maps = api.of("v1", "ConfigMap");
    let mut a = maps.watch("labelSelector=watch%3Da");
    let mut b = maps.watch("labelSelector=watch%3Db");
    let mut both = maps.watch("labelSelector=watch%20in%20(a,b)");
    maps.create(labeled("first", "a"));
    maps.merge("first", "", mutation(1));
    maps.merge("first", "", mutation(2));
    maps.delete("first");
    for watch in [&mut a, &mut both] {
        assert_eq!(name(&watch.expect("ADDED")), "first");
        assert_eq!(watch.expect("MODIFIED")["data"]["mutation"], "1");
        assert_eq!(watch.expect("MODIFIED")["data"]["mutation"], "2");
        assert_eq!(name(&watch.expect("DELETED")), "first");
    }
    maps.create(labeled("second", "b"));
    maps.delete("second");
    for watch in [&mut b, &mut both] {
        assert_eq!(name(&watch.expect("ADDED")), "second");
        assert_eq!(name(&watch.expect("DELETED")), "second");
    }
    // The watch of the first label saw nothing of the second object.
    maps.create(labeled("third", "a"));
    assert_eq!(name(&a.expect("ADDED")), "third");
}

#[test]
fn watch_starts_at_a_revision() {
    let api = space("watch-from");
    let maps = api.of("v1", "ConfigMap");
    maps.create(labeled("map", "from"));
    let first = maps.merge("map", "", mutation(1));
    maps.merge("map", "", mutation(2));
    maps.delete("map");
    let query = format!(
        "labelSelector=watch%3Dfrom&resourceVersion={}",
        revision(&first)
    );
    let mut watch = maps.watch(&query);
    assert_eq!(watch.expect("MODIFIED")["data"]["mutation"], "2");
    assert_eq!(watch.expect("DELETED")["data"]["mutation"], "2");
}

#[test]
fn watch_restarts_at_its_last_revision() {
    let api = space("watch-restart");
    let maps = api.of("v1", "ConfigMap");
    let mut watch = maps.watch("labelSelector=watch%3Drestart");
    maps.create(labeled("map", "restart"));
    maps.merge("map", "", mutation(1));
    watch.expect("ADDED");
    let last = watch.expect("MODIFIED");
    drop(watch);
    maps.merge("map", "", mutation(2));
    maps.delete("map");
    let query = format!(
        "labelSelector=watch%3Drestart&resourceVersion={}",
        revision(&last)
    );
    let mut watch = maps.watch(&query);
    assert_eq!(watch.expect("MODIFIED")["data"]["mutation"], "2");
    watch.expect("DELETED");
}

#[test]
fn object_that_leaves_the_selector_is_deleted_for_the_watch() {
    let api = space("watch-leave");
    let maps = api.of("v1", "ConfigMap");
    let relabel = |label: &str| json!({"metadata": {"labels": {"watch": label}}});
    let mut watch = maps.watch("labelSelector=watch%3Dhere");
    maps.create(labeled("map", "here"));
    maps.merge("map", "", mutation(1));
    maps.merge("map", "", relabel("elsewhere"));
    watch.expect("ADDED");
    watch.expect("MODIFIED");
    watch.expect("DELETED");
    maps.merge("map", "", mutation(2));
    maps.merge("map", "", relabel("here"));
    maps.merge("map", "", mutation(3));
    maps.delete("map");
    assert_eq!(watch.expect("ADDED")["data"]["mutation"], "2");
    assert_eq!(watch.expect("MODIFIED")["data"]["mutation"], "3");
    watch.expect("DELETED");
}

#[test]
fn concurrent_watches_have_one_order() {
    const EVENTS: usize = 30;
    let api = space("watch-order");
    let writer = api.with("");
    let start = revision(&api.of("v1", "ConfigMap").query("")).to_owned();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let maps = writer.of("v1", "ConfigMap");
            for number in 0..EVENTS / 3 {
                let name = format!("map-{number}");
                maps.create(data(&name, json!({})));
                maps.merge(&name, "", mutation(1));
                maps.delete(&name);
            }
        });
        let maps = api.of("v1", "ConfigMap");
        let read = |from: &str, count: usize| -> Vec<String> {
            let watch = maps.watch(&format!("resourceVersion={from}"));
            let events = watch.take(count);
            events
                .map(|event| revision(&event["object"]).to_owned())
                .collect()
        };
        let all = read(&start, EVENTS);
        assert_eq!(all.len(), EVENTS);
        for begin in [1, 7, 15, 29] {
            assert_eq!(read(&all[begin - 1], EVENTS - begin), all[begin..]);
        }
    });
}

fn fill(api: &Api, count: usize) {
    let templates = api.of("v1", "PodTemplate");
    for number in 0..count {
        let template = json!({"spec": {"containers": [{"name": "test", "image": "test2"}]}});
        templates.create(json!({
            "metadata": {"name": format!("template-{number:04}")}, "template": template,
        }));
    }
}

#[test]
fn lists_come_in_chunks() {
    const TOTAL: usize = 43;
    let api = space("chunks");
    fill(&api, TOTAL);
    let templates = api.of("v1", "PodTemplate");
    for limit in [1, 10, 42, 43, 44] {
        let (mut seen, mut token, mut first) = (0, String::new(), String::new());
        loop {
            let list = templates.query(&format!("limit={limit}&continue={token}"));
            let items = list["items"].as_array().unwrap();
            assert!(items.len() <= limit, "{list}");
            for item in items {
                assert_eq!(name(item), format!("template-{seen:04}"));
                seen += 1;
            }
            if first.is_empty() {
                revision(&list).clone_into(&mut first);
            }
            assert_eq!(revision(&list), first, "one list has one revision");
            token = list["metadata"]["continue"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            if token.is_empty() {
                assert!(list["metadata"]["remainingItemCount"].is_null(), "{list}");
                break;
            }
            assert_eq!(list["metadata"]["remainingItemCount"], TOTAL - seen);
        }
        assert_eq!(seen, TOTAL);
    }
    assert_eq!(templates.list("").len(), TOTAL);
}

#[test]
fn expired_chunk_continues_inconsistently() {
    const TOTAL: usize = 20;
    let server = Server::on_virtual_clock();
    let api = server.namespace("expired");
    fill(&api, TOTAL);
    let templates = api.of("v1", "PodTemplate");
    let first = templates.query("limit=8");
    assert_eq!(first["metadata"]["remainingItemCount"], TOTAL - 8);
    let token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    // The history of the next five minutes replaces that of the first chunk.
    for number in 0..3 {
        server.advance("6m");
        api.of("v1", "ConfigMap")
            .create(data(&format!("map-{number}"), json!({})));
    }
    let refused = api.get(&format!("{}?limit=8&continue={token}", templates.path));
    refused.says(410, "The provided continue parameter is too old");
    let status = refused.json();
    assert_eq!(status["reason"], "Expired");
    let token = status["metadata"]["continue"].as_str().unwrap();
    let second = templates.query(&format!("limit=8&continue={token}"));
    assert_eq!(name(&second["items"][0]), "template-0008");
    assert_eq!(second["items"].as_array().unwrap().len(), 8);
    assert_ne!(revision(&second), revision(&first));
    assert_eq!(second["metadata"]["remainingItemCount"], 4);
    let token = second["metadata"]["continue"].as_str().unwrap();
    let last = templates.query(&format!("limit=8&continue={token}"));
    assert_eq!(last["items"].as_array().unwrap().len(), 4);
    assert_eq!(revision(&last), revision(&second));
    assert!(last["metadata"]["remainingItemCount"].is_null());
}

#[test]
fn review_has_no_table() {
    let api = space("tables");
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}},
    });
    let as_table = api.with("Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let answer = as_table.ask("POST", path, "application/json", &review.to_string());
    assert_eq!(answer.code, 406, "{answer:?}");
}

#[test]
fn server_version_consists_of_integers() {
    let api = space("version");
    let version = api.get("/version").ok();
    for part in ["major", "minor"] {
        let number = version[part].as_str().unwrap().parse::<u32>();
        assert!(number.is_ok(), "{version}");
    }
}

fn name_of(group: &Value) -> &str {
    group["name"].as_str().unwrap()
}

#[test]
fn every_group_has_a_valid_preferred_version() {
    let api = space("preferred");
    let groups = api.get("/apis").ok();
    let groups = groups["groups"].as_array().unwrap();
    assert!(groups.len() > 15, "{groups:?}");
    // Other tests add and remove the groups of example.com.
    let lasts = |group: &&Value| !name_of(group).ends_with("example.com");
    for group in groups.iter().filter(lasts) {
        let preferred = &group["preferredVersion"]["groupVersion"];
        let versions = group["versions"].as_array().unwrap();
        assert!(
            versions.iter().any(|v| v["groupVersion"] == *preferred),
            "{group}"
        );
        let path = format!("/apis/{}", preferred.as_str().unwrap());
        assert_eq!(api.get(&path).ok()["groupVersion"], *preferred);
    }
}

#[test]
fn every_group_has_its_resources() {
    let api = space("resources");
    for (version, resource) in [
        (
            "admissionregistration.k8s.io/v1",
            "validatingwebhookconfigurations",
        ),
        ("apiextensions.k8s.io/v1", "customresourcedefinitions"),
        ("apiregistration.k8s.io/v1", "apiservices"),
        ("apps/v1", "deployments"),
        ("authentication.k8s.io/v1", "tokenreviews"),
        ("authorization.k8s.io/v1", "selfsubjectaccessreviews"),
        ("autoscaling/v1", "horizontalpodautoscalers"),
        ("autoscaling/v2", "horizontalpodautoscalers"),
        ("batch/v1", "jobs"),
        ("certificates.k8s.io/v1", "certificatesigningrequests"),
        ("coordination.k8s.io/v1", "leases"),
        ("discovery.k8s.io/v1", "endpointslices"),
        ("events.k8s.io/v1", "events"),
        ("networking.k8s.io/v1", "ingresses"),
        ("node.k8s.io/v1", "runtimeclasses"),
        ("policy/v1", "poddisruptionbudgets"),
        ("scheduling.k8s.io/v1", "priorityclasses"),
        ("v1", "pods"),
    ] {
        discovered(&api, version, &[resource]);
    }
}

#[test]
fn flow_schemas_support_all_operations() {
    let api = space("flows");
    let version = "flowcontrol.apiserver.k8s.io/v1";
    discovered(&api, version, &["flowschemas", "flowschemas/status"]);
    supported(&api, version, "FlowSchema", true, &|number| {
        json!({"metadata": {"name": format!("flow-{number}")}, "spec": {
            "matchingPrecedence": 10_000 - number, "priorityLevelConfiguration": {"name": "global-default"},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "example-e2e-non-existent-user"}}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        }})
    });
    status_of(&api, "FlowSchema", "global-default");
}

#[test]
fn priority_levels_support_all_operations() {
    let api = space("levels");
    let version = "flowcontrol.apiserver.k8s.io/v1";
    let resource = "prioritylevelconfigurations";
    discovered(&api, version, &[resource, &format!("{resource}/status")]);
    supported(
        &api,
        version,
        "PriorityLevelConfiguration",
        true,
        &|number| {
            json!({"metadata": {"name": format!("level-{number}")}, "spec": {
                "type": "Limited",
                "limited": {"nominalConcurrencyShares": 2, "limitResponse": {"type": "Reject"}},
            }})
        },
    );
    status_of(&api, "PriorityLevelConfiguration", "global-default");
}

/// Patches and updates the status of an object that already exists.
fn status_of(api: &Api, kind: &str, name: &str) {
    let all = api.global("flowcontrol.apiserver.k8s.io/v1", kind);
    let stamp = "2026-01-01T00:00:00Z";
    let mut conditions = json!([{
        "type": "PatchStatusFailed", "status": "False", "reason": "TestPatch", "message": "m",
        "lastTransitionTime": stamp,
    }]);
    let patched = all.merge(
        name,
        "status",
        json!({"status": {"conditions": conditions}}),
    );
    assert_eq!(patched["status"]["conditions"], conditions);
    conditions[0]["type"] = json!("Updated");
    let updated = all.edit(name, "status", |object| {
        object["status"]["conditions"] = conditions.clone();
    });
    assert_eq!(updated["status"]["conditions"], conditions);
    assert_eq!(all.part(name, "status")["metadata"]["name"], name);
}

/// Returns a discovery document in its aggregated form.
fn aggregated(api: &Api, path: &str) -> Value {
    let accept = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n";
    let answer = api.with(accept).get(path);
    let document = answer.ok();
    assert_eq!(document["kind"], "APIGroupDiscoveryList", "{}", answer.head);
    assert_eq!(document["apiVersion"], "apidiscovery.k8s.io/v2");
    document
}

/// Returns true if an aggregated document contains a resource of a group and version.
fn contains(document: &Value, group: &str, version: &str, resource: &str) -> bool {
    let mut groups = document["items"].as_array().unwrap().iter();
    let found = groups.find(|g| g["metadata"]["name"].as_str().unwrap_or_default() == group);
    let versions = found
        .and_then(|g| g["versions"].as_array())
        .into_iter()
        .flatten();
    let resources = versions.filter(|v| v["version"] == version);
    let mut resources = resources.flat_map(|v| v["resources"].as_array().unwrap());
    resources.any(|r| r["resource"] == resource)
}

#[test]
fn aggregated_discovery_contains_built_in_resources() {
    let api = space("aggregated");
    let core = aggregated(&api, "/api");
    for resource in [
        "namespaces",
        "nodes",
        "pods",
        "services",
        "secrets",
        "configmaps",
        "events",
        "endpoints",
        "serviceaccounts",
        "persistentvolumes",
        "persistentvolumeclaims",
        "resourcequotas",
        "limitranges",
        "podtemplates",
        "replicationcontrollers",
        "bindings",
        "componentstatuses",
    ] {
        assert!(contains(&core, "", "v1", resource), "{resource}");
    }
    let groups = aggregated(&api, "/apis");
    for (group, version, resource) in [
        (
            "admissionregistration.k8s.io",
            "v1",
            "mutatingwebhookconfigurations",
        ),
        ("apiextensions.k8s.io", "v1", "customresourcedefinitions"),
        ("apps", "v1", "controllerrevisions"),
        ("apps", "v1", "statefulsets"),
        ("authentication.k8s.io", "v1", "tokenreviews"),
        ("authorization.k8s.io", "v1", "localsubjectaccessreviews"),
        ("batch", "v1", "cronjobs"),
        ("certificates.k8s.io", "v1", "certificatesigningrequests"),
        ("coordination.k8s.io", "v1", "leases"),
        ("discovery.k8s.io", "v1", "endpointslices"),
        ("networking.k8s.io", "v1", "networkpolicies"),
        ("policy", "v1", "poddisruptionbudgets"),
        ("rbac.authorization.k8s.io", "v1", "clusterroles"),
        ("scheduling.k8s.io", "v1", "priorityclasses"),
        ("storage.k8s.io", "v1", "csinodes"),
    ] {
        assert!(
            contains(&groups, group, version, resource),
            "{group} {resource}"
        );
    }
}

#[test]
fn aggregated_discovery_contains_custom_resources() {
    let api = space("aggregated-custom");
    let definitions = api.global("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    definitions.create(json!({
        "metadata": {"name": "kites.aggregated.example.com"},
        "spec": {
            "group": "aggregated.example.com", "scope": "Cluster",
            "names": {"plural": "kites", "singular": "kite", "kind": "Kite", "listKind": "KiteList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    }));
    crate::cluster::eventually("the document contains kites", || {
        let groups = aggregated(&api, "/apis");
        contains(&groups, "aggregated.example.com", "v1", "kites").then_some(())
    });
    definitions.delete("kites.aggregated.example.com");
}
