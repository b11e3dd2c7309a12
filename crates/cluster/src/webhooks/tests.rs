//! Webhooks with a real cluster: the calls, their content, and the outcome of the request.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Call, Caller, Reply};
use crate::api::json::{Value, json};
use crate::request::options::WriteOptions;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::store::{ClockMode, Settings};
use crate::sys::entropy::Seed;
use crate::testing::{open, place, pod};
use crate::{Cluster, DeleteOptions, PatchType, Request, Verb};

/// The part of a webhook that decides: an address and the request of a review become a response.
type Decide = dyn Fn(&str, &Value) -> Value + Send + Sync;

struct Fake {
    decide: Box<Decide>,
    reviews: Mutex<Vec<Value>>,
    calls: Mutex<Vec<Call>>,
}

impl std::fmt::Debug for Fake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fake")
    }
}

impl Caller for Fake {
    fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>> {
        calls.iter().map(|call| self.one(call)).collect()
    }
}

impl Fake {
    fn one(&self, call: &Call) -> Result<Reply, String> {
        let review: Value = serde_json::from_slice(&call.body).unwrap();
        let path = call.url.split(['/', '?']).nth(3).unwrap();
        let mut response = (self.decide)(path, &review["request"]);
        self.reviews.lock().unwrap().push(review["request"].clone());
        self.calls.lock().unwrap().push(call.clone());
        if response.is_string() {
            return Err(response.as_str().unwrap().to_owned());
        }
        response["uid"] = review["request"]["uid"].clone();
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response});
        Ok(Reply {
            code: 200,
            content_type: "application/json".to_owned(),
            body: review.to_string().into_bytes(),
        })
    }

    /// Returns the webhooks that were called since the last time, by path, operation and name.
    fn called(&self) -> Vec<String> {
        let calls = std::mem::take(&mut *self.calls.lock().unwrap());
        let reviews = std::mem::take(&mut *self.reviews.lock().unwrap());
        let line = |(call, request): (&Call, &Value)| {
            let path = call.url.split(['/', '?']).nth(3).unwrap();
            let text = |name: &str| request[name].as_str().unwrap_or("-").to_owned();
            format!("{path} {} {}", text("operation"), text("name"))
        };
        calls.iter().zip(&reviews).map(line).collect()
    }
}

/// Returns a response with a JSON patch.
fn patch(steps: &Value) -> Value {
    json!({"allowed": true, "patchType": "JSONPatch", "patch": STANDARD.encode(steps.to_string())})
}

/// Returns a webhook that sets a label to its own path.
fn labels(path: &str, request: &Value) -> Value {
    match request["object"]["metadata"]["labels"].is_object() {
        true => patch(&json!([{"op": "add", "path": "/metadata/labels/by", "value": path}])),
        false => patch(&json!([{"op": "add", "path": "/metadata/labels", "value": {"by": path}}])),
    }
}

fn cluster(decide: impl Fn(&str, &Value) -> Value + Send + Sync + 'static) -> (Cluster, Arc<Fake>) {
    let fake = Arc::new(Fake {
        decide: Box::new(decide),
        reviews: Mutex::default(),
        calls: Mutex::default(),
    });
    let mut open = open();
    open.webhooks = Some(Arc::clone(&fake) as Arc<dyn Caller>);
    let settings = Settings {
        clock: ClockMode::Virtual,
        ..Settings::new(Seed(7))
    };
    let cluster = Cluster::in_memory(&open, settings);
    cluster.bootstrap().unwrap();
    (cluster, fake)
}

/// Adds a configuration with one webhook at `https://hooks/NAME`; `more` has the fields that differ from the defaults.
fn hook(cluster: &Cluster, kind: &str, name: &str, more: &Value) {
    let mut hook = json!({
        "name": format!("{name}.example.com"), "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "clientConfig": {"url": format!("https://hooks/{name}")},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps", "pods"]}],
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        hook[field.as_str()] = value.clone();
    }
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
        "metadata": {"name": name}, "webhooks": [hook],
    });
    let resource = format!("{}webhookconfigurations", kind.to_lowercase());
    create(cluster, &resource, &configuration).unwrap();
}

fn create(cluster: &Cluster, resource: &str, object: &Value) -> Result<Value, ApiError> {
    let answer = cluster.create(&place(resource), object, &WriteOptions::default())?;
    Ok(answer.object)
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

fn message<T>(outcome: Result<T, ApiError>) -> String {
    outcome.map_or_else(|e| e.to_string(), |_| "done".to_owned())
}

#[test]
fn validating_webhooks_receive_the_result_of_mutating_webhooks() {
    let (cluster, fake) = cluster(|path, request| match path {
        "check" => {
            json!({"allowed": request["object"]["metadata"]["labels"]["by"] == "b", "warnings": ["seen"]})
        }
        path => labels(path, request),
    });
    hook(&cluster, "Validating", "check", &json!({}));
    hook(&cluster, "Mutating", "b", &json!({}));
    hook(&cluster, "Mutating", "a", &json!({}));
    let answer = cluster
        .create(&place("configmaps"), &map("m"), &WriteOptions::default())
        .unwrap();
    assert_eq!(answer.object["metadata"]["labels"], json!({"by": "b"}));
    assert_eq!(answer.warnings, ["seen"]);
    assert_eq!(
        fake.called(),
        ["a CREATE m", "b CREATE m", "check CREATE m"]
    );
    let label = json!({"metadata": {"annotations": {"x": "y"}}});
    let how = (PatchType::Merge, &label);
    cluster
        .patch(
            &place("configmaps"),
            "m",
            how,
            false,
            &WriteOptions::default(),
        )
        .unwrap();
    assert_eq!(
        fake.called(),
        ["a UPDATE m", "b UPDATE m", "check UPDATE m"]
    );
    cluster
        .delete(&place("configmaps"), "m", &DeleteOptions::default())
        .unwrap_err();
    assert_eq!(
        fake.called(),
        ["a DELETE m", "b DELETE m"],
        "a patch of nothing is an error"
    );
}

#[test]
fn webhook_is_reinvoked_once_after_later_changes_if_needed() {
    let (cluster, fake) = cluster(labels);
    hook(
        &cluster,
        "Mutating",
        "a",
        &json!({"reinvocationPolicy": "IfNeeded"}),
    );
    hook(&cluster, "Mutating", "b", &json!({}));
    hook(
        &cluster,
        "Mutating",
        "c",
        &json!({"reinvocationPolicy": "IfNeeded"}),
    );
    let made = create(&cluster, "configmaps", &map("m")).unwrap();
    assert_eq!(made["metadata"]["labels"], json!({"by": "c"}));
    // The second call of `a` changes the object, so `c` receives the change.
    let calls = [
        "a CREATE m",
        "b CREATE m",
        "c CREATE m",
        "a CREATE m",
        "c CREATE m",
    ];
    assert_eq!(fake.called(), calls);
}

#[test]
fn a_generated_name_is_made_after_the_mutating_webhooks() {
    let (cluster, fake) = cluster(|_, _| json!({"allowed": true}));
    hook(&cluster, "Mutating", "a", &json!({}));
    hook(&cluster, "Validating", "b", &json!({}));
    let mut object = pod("x");
    object["metadata"] = json!({"generateName": "p-"});
    let made = create(&cluster, "pods", &object).unwrap();
    let name = made["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("p-") && name.len() == 7);
    assert_eq!(
        fake.called(),
        ["a CREATE -".to_owned(), format!("b CREATE {name}")]
    );
}

#[test]
fn concurrent_commits_do_not_repeat_webhook_calls() {
    let other: Arc<Mutex<Option<Cluster>>> = Arc::default();
    let theirs = Arc::clone(&other);
    let (cluster, fake) = cluster(move |_, _| {
        // Somebody else writes while the webhook decides.
        if let Some(other) = &*theirs.lock().unwrap() {
            let secret =
                json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"generateName": "s-"}});
            create(other, "secrets", &secret).unwrap();
        }
        json!({"allowed": true})
    });
    hook(&cluster, "Mutating", "a", &json!({}));
    hook(&cluster, "Validating", "b", &json!({}));
    *other.lock().unwrap() = Some(cluster.stored().written_by("other"));
    let mut object = pod("x");
    object["metadata"] = json!({"generateName": "p-"});
    create(&cluster, "pods", &object).unwrap();
    assert_eq!(fake.called().len(), 2);
    *other.lock().unwrap() = None;
}

#[test]
fn a_failing_webhook_refuses_the_request_unless_it_may_be_ignored() {
    let (cluster, fake) = cluster(|_, _| json!("dial tcp: lookup hooks: no such host"));
    hook(&cluster, "Validating", "a", &json!({"timeoutSeconds": 3}));
    let failed = "Internal error occurred: failed calling webhook \"a.example.com\": failed to call webhook: \
                  Post \"https://hooks/a?timeout=3s\": dial tcp: lookup hooks: no such host";
    assert_eq!(message(create(&cluster, "configmaps", &map("m"))), failed);
    let ignored =
        json!([{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]);
    let configurations = place("validatingwebhookconfigurations");
    let how = (PatchType::Json, &ignored);
    cluster
        .patch(&configurations, "a", how, false, &WriteOptions::default())
        .unwrap();
    assert_eq!(message(create(&cluster, "configmaps", &map("m"))), "done");
    assert_eq!(fake.called().len(), 2);
}

#[test]
fn dry_run_and_fork_send_dry_run_reviews() {
    let (cluster, fake) = cluster(|_, _| json!({"allowed": true}));
    hook(
        &cluster,
        "Validating",
        "a",
        &json!({"sideEffects": "NoneOnDryRun"}),
    );
    let dry = WriteOptions {
        dry_run: true,
        ..WriteOptions::default()
    };
    cluster
        .create(&place("configmaps"), &map("m"), &dry)
        .unwrap();
    create(&cluster.fork(None).unwrap(), "configmaps", &map("m")).unwrap();
    create(&cluster, "configmaps", &map("m")).unwrap();
    let runs: Vec<_> = fake
        .reviews
        .lock()
        .unwrap()
        .iter()
        .map(|r| r["dryRun"].clone())
        .collect();
    assert_eq!(runs, [json!(true), json!(true), json!(false)]);
}

#[test]
fn match_conditions_filter_calls_and_their_errors_reject() {
    let (cluster, fake) = cluster(|_, _| json!({"allowed": false}));
    let conditions = json!([{"name": "c", "expression": "object.metadata.labels['a'] == 'b'"}]);
    hook(
        &cluster,
        "Validating",
        "a",
        &json!({"matchConditions": conditions}),
    );
    let mut other = map("other");
    other["metadata"]["labels"] = json!({"a": "c"});
    create(&cluster, "configmaps", &other).unwrap();
    let bare = message(create(&cluster, "configmaps", &map("bare")));
    assert_eq!(
        bare,
        "configmaps \"bare\" is forbidden: expression 'object.metadata.labels['a'] == 'b'' resulted in error: \
         no such key: labels"
    );
    assert!(fake.called().is_empty());
}

#[test]
fn a_service_is_reached_at_the_address_in_its_annotation() {
    let (cluster, fake) = cluster(|_, _| json!({"allowed": true}));
    let service = json!({"name": "guard", "namespace": "default", "path": "/a"});
    hook(
        &cluster,
        "Validating",
        "a",
        &json!({"clientConfig": {"service": service}}),
    );
    let post = "Internal error occurred: failed calling webhook \"a.example.com\": failed to call webhook: \
                Post \"https://guard.default.svc:443/a?timeout=10s\": ";
    let try_it = || message(create(&cluster, "configmaps", &map("m")));
    assert_eq!(try_it(), format!("{post}service \"guard\" not found"));
    let mut object = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "guard"},
        "spec": {"ports": [{"port": 8443}]}});
    create(&cluster, "services", &object).unwrap();
    assert_eq!(
        try_it(),
        format!("{post}no service port 443 found for service \"guard\"")
    );
    cluster
        .delete(&place("services"), "guard", &DeleteOptions::default())
        .unwrap();
    object["spec"]["ports"][0]["port"] = json!(443);
    let made = create(&cluster, "services", &object).unwrap();
    assert!(try_it().starts_with(&format!(
        "{post}no endpoints available for service \"guard\""
    )));
    let mut made = made;
    made["metadata"]["annotations"] = json!({"ctl.dev/forward": "127.0.0.1:9443"});
    cluster
        .update(&place("services"), "guard", &made, &WriteOptions::default())
        .unwrap();
    assert_eq!(try_it(), "done");
    let connect = fake.calls.lock().unwrap()[0].connect.clone();
    assert_eq!(connect.as_deref(), Some("127.0.0.1:9443"));
}

#[test]
fn batch_calls_webhooks_and_keeps_the_write_order() {
    let (cluster, fake) = cluster(|_, request| match request["object"]["data"]["n"].as_str() {
        Some("0") => json!({"allowed": true}),
        _ => json!({"allowed": request["name"] != "m7"}),
    });
    hook(&cluster, "Validating", "a", &json!({}));
    let mut requests: Vec<_> = (0..60)
        .map(|n| Request::create(place("configmaps"), map(&format!("m{n}"))))
        .collect();
    let set = |n: u8| Verb::Patch {
        part: Part::Whole,
        how: PatchType::Merge,
        patch: json!({"data": {"n": n.to_string()}}),
    };
    for n in 0..3 {
        requests.push(Request::new(place("configmaps"), "m3", set(n)));
    }
    let answers = cluster.batch("test", None, &requests).unwrap();
    let refused: Vec<usize> = (0..answers.len())
        .filter(|n| answers[*n].is_err())
        .collect();
    assert_eq!(refused, [7]);
    assert_eq!(fake.called().len(), 63);
    let last = cluster.get(&place("configmaps"), "m3").unwrap();
    assert_eq!(last["data"]["n"], "2");
}

#[test]
fn webhooks_are_not_called_for_webhook_configurations() {
    let (cluster, fake) = cluster(|_, _| json!({"allowed": false}));
    let all = json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]);
    hook(&cluster, "Validating", "a", &json!({"rules": all}));
    let configurations = place("validatingwebhookconfigurations");
    assert!(
        message(create(
            &cluster,
            "secrets",
            &json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}})
        ))
        .contains("denied the request without explanation")
    );
    cluster
        .delete(&configurations, "a", &DeleteOptions::default())
        .unwrap();
    assert_eq!(fake.called(), ["a CREATE s"]);
}

#[test]
fn a_mutating_webhook_changes_a_binding() {
    let (cluster, fake) = cluster(|path, request| match path {
        "b" => labels(path, request),
        "elsewhere" => patch(
            &json!([{"op": "replace", "path": "/target/name", "value": "node-2"},
                {"op": "replace", "path": "/metadata/name", "value": "q"}]),
        ),
        _ => json!({"allowed": request["object"]["metadata"]["labels"]["by"] == "b"}),
    });
    let rules = json!({"rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
        "resources": ["pods/binding"]}]});
    hook(&cluster, "Mutating", "b", &rules);
    hook(&cluster, "Validating", "check", &rules);
    let options = WriteOptions::default();
    let bind = |name: &str| {
        create(&cluster, "pods", &pod(name)).unwrap();
        let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": "node-1"}});
        let subresources = cluster.subresources();
        subresources.bind(&place("pods"), name, &binding, &options)
    };
    let bound = bind("p").unwrap().object;
    assert_eq!(bound["metadata"]["labels"]["by"], "b");
    assert_eq!(fake.called(), ["b CREATE p", "check CREATE p"]);
    // The object after the webhook is checked as if the client had sent it.
    hook(&cluster, "Mutating", "elsewhere", &rules);
    let why = "name in URL does not match name in Binding object";
    assert_eq!(message(bind("r")), why);
}

#[test]
fn webhooks_admit_reviews_but_policies_do_not() {
    let (cluster, fake) = cluster(|path, request| match path {
        "verb" => patch(
            &json!([{"op": "replace", "path": "/spec/resourceAttributes/verb", "value": "fly"}]),
        ),
        _ => {
            let verb = &request["object"]["spec"]["resourceAttributes"]["verb"];
            json!({"allowed": *verb == "fly", "warnings": ["seen"]})
        }
    });
    let rule = json!({"apiGroups": ["authorization.k8s.io"], "apiVersions": ["v1"], "operations": ["CREATE"],
        "resources": ["*"]});
    hook(&cluster, "Validating", "check", &json!({"rules": [rule]}));
    let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"}, "spec": {"matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "false"}]}});
    let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"},
        "spec": {"policyName": "p", "validationActions": ["Deny"]}});
    create(&cluster, "validatingadmissionpolicies", &policy).unwrap();
    create(&cluster, "validatingadmissionpolicybindings", &binding).unwrap();
    let reviews = place("selfsubjectaccessreviews");
    let mut review = json!({"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let refused = message(create(&cluster, "selfsubjectaccessreviews", &review));
    assert!(
        refused.starts_with("admission webhook \"check.example.com\" denied the request"),
        "{refused}"
    );
    hook(&cluster, "Mutating", "verb", &json!({"rules": [rule]}));
    fake.called();
    let options = WriteOptions::default();
    let answer = cluster.create(&reviews, &review, &options).unwrap();
    assert_eq!(answer.object["spec"]["resourceAttributes"]["verb"], "fly");
    assert_eq!(answer.object["status"]["allowed"], true);
    assert_eq!(answer.warnings, ["seen"]);
    assert_eq!(fake.called(), ["verb CREATE -", "check CREATE -"]);
    // The server's own check runs before the validating webhooks.
    review["spec"]["nonResourceAttributes"] = json!({"verb": "get", "path": "/"});
    create(&cluster, "selfsubjectaccessreviews", &review).unwrap_err();
    assert_eq!(fake.called(), ["verb CREATE -"]);
}
