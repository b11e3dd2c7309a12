//! The requests in order, each with the expected reason of its error.

use ctl::api::json::{Value, json};
use ctl::cluster::{Part, PatchType, Propagation};

use super::ask::{Ask, Do};
use super::map;

/// Returns a Deployment. No controllers run that would act on it.
fn deployment(image: &str) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": image}]}},
    }})
}

fn pod(name: &str, image: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": image}]}})
}

fn budget() -> Value {
    json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}})
}

fn scale(replicas: i64) -> Value {
    json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web", "namespace": "default"},
        "spec": {"replicas": replicas}})
}

fn binding(pod: &str, node: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod, "namespace": "default"},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node}})
}

/// Returns an object with an additional field in one of its parts.
fn with(mut object: Value, part: &str, field: &str, value: Value) -> Value {
    object[part][field] = value;
    object
}

pub fn rows() -> Vec<(Ask, &'static str)> {
    [
        config_maps(),
        patches(),
        workloads(),
        pods(),
        rights(),
        ends(),
    ]
    .concat()
}

fn config_maps() -> Vec<(Ask, &'static str)> {
    let ask = |name, verb| Ask::new("configmaps", name, verb);
    let create = |object| ask("", Do::Create(object));
    let generated =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "g-"}});
    let stale = with(map("a", "x"), "metadata", "resourceVersion", json!("1"));
    vec![
        (create(map("a", "x")), ""),
        (create(map("a", "x")), "AlreadyExists"),
        (create(map("b", "y")), ""),
        (create(map("c", "x")).dry(), ""),
        (create(map("c", "x")), ""),
        (create(generated), ""),
        (create(map("Bad_Name", "x")), "Invalid"),
        (
            create(with(
                map("d", "-x-"),
                "metadata",
                "namespace",
                json!("default"),
            )),
            "Invalid",
        ),
        (
            create(with(map("d", "x"), "metadata", "nosuch", json!(1))),
            "BadRequest",
        ),
        (ask("a", Do::Get(Part::Whole)), ""),
        (ask("zzz", Do::Get(Part::Whole)), "NotFound"),
        (ask("", Do::List("", "", 0)), ""),
        (ask("", Do::List("app=x", "", 0)), ""),
        (ask("", Do::List("app!=x", "metadata.name=b", 0)), ""),
        (ask("", Do::List("app==", "metadata.name!=b", 0)), ""),
        (ask("", Do::List("", "data.k=v", 0)), "BadRequest"),
        (ask("", Do::List("a b", "", 0)), "BadRequest"),
        (ask("", Do::List("", "", 2)), ""),
        (ask("", Do::NextPage(2)), ""),
        (
            ask(
                "a",
                Do::Update(Part::Whole, with(map("a", "x"), "data", "k", json!("w"))),
            ),
            "",
        ),
        (ask("a", Do::Update(Part::Whole, stale)), "Conflict"),
        (
            ask("zzz", Do::Update(Part::Whole, map("zzz", "x"))),
            "NotFound",
        ),
        (
            ask(
                "a",
                Do::Update(Part::Whole, with(map("a", "x"), "data", "b_d", json!("w"))),
            )
            .dry(),
            "",
        ),
    ]
}

fn patches() -> Vec<(Ask, &'static str)> {
    let ask = |verb| Ask::new("configmaps", "a", verb);
    let patch = |how, patch: Value| ask(Do::Patch(Part::Whole, how, patch));
    let apply = |object, force| ask(Do::Apply(object, force));
    let test = json!([{"op": "test", "path": "/data/k", "value": "no"}]);
    let owned = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}, "data": {"k": "mine"}});
    let taken = |force| Ask::new("configmaps", "b", Do::Apply(owned.clone(), force));
    vec![
        (patch(PatchType::Merge, json!({"data": {"m": "1"}})), ""),
        (patch(PatchType::Merge, json!({"data": {"m": "1"}})), ""),
        (
            patch(
                PatchType::Json,
                json!([{"op": "add", "path": "/data/j", "value": "2"}]),
            ),
            "",
        ),
        (patch(PatchType::Json, test), "Invalid"),
        (
            patch(
                PatchType::Strategic,
                json!({"metadata": {"labels": {"s": "3"}}}),
            ),
            "",
        ),
        (
            patch(PatchType::Merge, json!({"data": {"m": "9"}})).dry(),
            "",
        ),
        (
            patch(PatchType::Merge, json!({"metadata": {"name": "other"}})),
            "BadRequest",
        ),
        (
            patch(
                PatchType::Merge,
                json!({"metadata": {"resourceVersion": "1"}, "data": {"m": "8"}}),
            ),
            "Conflict",
        ),
        (
            apply(with(map("a", "x"), "data", "k", json!("applied")), true),
            "",
        ),
        (
            Ask::new("configmaps", "new", Do::Apply(map("new", "x"), false)),
            "",
        ),
        (taken(false), "Conflict"),
        (taken(true).dry(), ""),
        (taken(true), ""),
    ]
}

fn workloads() -> Vec<(Ask, &'static str)> {
    let ask = |verb| Ask::new("deployments", "web", verb);
    let image = |image: &str| json!({"spec": {"template": {"spec": {"containers": [{"name": "c", "image": image}]}}}});
    let status = json!({"status": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 1}});
    let mut selector = deployment("nginx:1");
    selector["spec"]["selector"]["matchLabels"]["app"] = json!("other");
    vec![
        (ask(Do::Create(deployment("nginx:1"))), ""),
        (ask(Do::Get(Part::Scale)), ""),
        (ask(Do::Update(Part::Scale, scale(3))), ""),
        (ask(Do::Update(Part::Scale, scale(-3))), "Invalid"),
        (
            ask(Do::Patch(
                Part::Scale,
                PatchType::Merge,
                json!({"spec": {"replicas": 4}}),
            )),
            "",
        ),
        (ask(Do::Patch(Part::Status, PatchType::Merge, status)), ""),
        (ask(Do::Get(Part::Status)), ""),
        (
            ask(Do::Patch(
                Part::Whole,
                PatchType::Strategic,
                image("nginx:2"),
            )),
            "",
        ),
        (ask(Do::Update(Part::Whole, selector)), "Invalid"),
        (
            Ask::new("configmaps", "a", Do::Get(Part::Status)),
            "NotFound",
        ),
        (
            Ask::new(
                "configmaps",
                "a",
                Do::Patch(Part::Status, PatchType::Merge, json!({"status": {}})),
            ),
            "NotFound",
        ),
    ]
}

fn pods() -> Vec<(Ask, &'static str)> {
    let ask = |name, verb| Ask::new("pods", name, verb);
    let unnamed = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"image": "x"}]}});
    let request = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"audiences": ["here"], "expirationSeconds": 3600}});
    let running = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let short = with(request.clone(), "spec", "expirationSeconds", json!(1));
    let account = |name, request| Ask::new("serviceaccounts", name, Do::Token(request));
    vec![
        (ask("", Do::Create(pod("p", "nginx"))), ""),
        (ask("", Do::Create(pod("q", "nginx"))), ""),
        (ask("", Do::Create(unnamed)), "Invalid"),
        (
            ask("p", Do::Update(Part::Whole, pod("p", "nginx:new"))),
            "Invalid",
        ),
        (ask("p", Do::Bind(binding("p", "node-1"))), ""),
        (ask("p", Do::Bind(binding("p", "node-2"))), "Conflict"),
        (ask("zzz", Do::Bind(binding("zzz", "node-1"))), "NotFound"),
        // A Pod that never ran may always be evicted, so it must be running.
        (
            ask("p", Do::Patch(Part::Status, PatchType::Strategic, running)),
            "",
        ),
        (ask("", Do::List("", "spec.nodeName=node-1", 0)), ""),
        (
            Ask::new("poddisruptionbudgets", "web", Do::Create(budget())),
            "",
        ),
        (ask("p", Do::Evict), "TooManyRequests"),
        (ask("q", Do::Evict).dry(), ""),
        (ask("zzz", Do::Evict), "NotFound"),
        (
            Ask::new("poddisruptionbudgets", "web", Do::Delete(None, Value::Null)),
            "",
        ),
        (ask("p", Do::Evict), ""),
        (account("default", request.clone()), ""),
        (account("default", short), "Invalid"),
        (account("zzz", request), "NotFound"),
    ]
}

fn rights() -> Vec<(Ask, &'static str)> {
    let review = |resource, kind: &str, spec: Value| {
        let body = json!({"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec});
        Ask::new(resource, "", Do::Create(body))
    };
    let pods = json!({"verb": "get", "resource": "pods", "namespace": "default"});
    let own = json!({"resourceAttributes": pods});
    let of = json!({"user": "ann", "groups": ["system:masters"], "resourceAttributes": pods});
    let nothing = json!({"user": "ann"});
    let who = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let maps = |name, verb| Ask::new("configmaps", name, verb).by("ann");
    vec![
        (
            review(
                "selfsubjectaccessreviews",
                "SelfSubjectAccessReview",
                own.clone(),
            ),
            "",
        ),
        (
            review("selfsubjectaccessreviews", "SelfSubjectAccessReview", own).by("ann"),
            "",
        ),
        (
            review("subjectaccessreviews", "SubjectAccessReview", of),
            "",
        ),
        (
            review("subjectaccessreviews", "SubjectAccessReview", nothing),
            "Invalid",
        ),
        (
            Ask::new("selfsubjectreviews", "", Do::Create(who)).by("ann"),
            "",
        ),
        (maps("a", Do::Get(Part::Whole)), "Forbidden"),
        (maps("", Do::List("", "", 0)), "Forbidden"),
        (maps("", Do::Create(map("z", "x"))), "Forbidden"),
        (maps("a", Do::Apply(map("a", "x"), false)), "Forbidden"),
        (maps("a", Do::Delete(None, Value::Null)), "Forbidden"),
        (maps("", Do::DeleteCollection("app=x")), "Forbidden"),
    ]
}

fn ends() -> Vec<(Ask, &'static str)> {
    let ask = |name, verb| Ask::new("configmaps", name, verb);
    let delete = |name, policy| ask(name, Do::Delete(policy, Value::Null));
    let kept = json!({"metadata": {"finalizers": ["example.com/a"]}});
    let web = |policy| Ask::new("deployments", "web", Do::Delete(Some(policy), Value::Null));
    vec![
        (
            ask("a", Do::Delete(None, json!({"uid": "other"}))),
            "Conflict",
        ),
        (
            ask("a", Do::Delete(None, json!({"resourceVersion": "1"}))),
            "Conflict",
        ),
        (delete("a", None).dry(), ""),
        (delete("a", Some(Propagation::Background)), ""),
        (delete("a", None), "NotFound"),
        (ask("b", Do::Patch(Part::Whole, PatchType::Merge, kept)), ""),
        (delete("b", None), ""),
        (ask("b", Do::Get(Part::Whole)), ""),
        (web(Propagation::Orphan), ""),
        (ask("", Do::DeleteCollection("app=x")), ""),
        (ask("", Do::List("", "", 0)), ""),
        (
            Ask::new(
                "pods",
                "q",
                Do::Delete(Some(Propagation::Foreground), Value::Null),
            ),
            "",
        ),
        (Ask::new("namespaces", "default", Do::Get(Part::Whole)), ""),
    ]
}
