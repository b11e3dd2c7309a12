//! The audit log of a cluster: the data of each request, and the omitted parts.

use std::sync::{Arc, Mutex};

use crate::api::json::{Value, json};
use crate::audit::{AuditLog, Level};
use crate::kinds::admission::User;
use crate::request::options::{DeleteOptions, WriteOptions};
use crate::request::{Request, Verb};
use crate::sys::clock::Clock;
use crate::sys::entropy::Seed;
use crate::sys::lines::Lines;
use crate::testing::{Scratch, fresh, place, pod};

/// A cluster with an audit log.
struct Watched {
    cluster: Scratch,
    directory: tempfile::TempDir,
}

impl Watched {
    fn new(level: Level) -> Self {
        let (mut cluster, directory) = (fresh(), tempfile::tempdir().unwrap());
        let lines = Lines::open(&directory.path().join("audit")).unwrap();
        let clock = Clock::Fixed("2026-01-02T03:04:05.000006Z".parse().unwrap());
        let log = AuditLog::new(lines, level, clock, Seed(1), Arc::new(|_| {}));
        cluster.cluster.configure().audit(Some(Arc::new(log)));
        Self { cluster, directory }
    }

    /// Returns the events since the last call.
    fn events(&self) -> Vec<Value> {
        let path = self.directory.path().join("audit");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::File::create(&path).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Creates an object and returns the last event.
    fn created(&self, resource: &str, object: &Value) -> Value {
        // The result is in the event.
        let _ = self
            .cluster
            .create(&place(resource), object, &WriteOptions::default());
        self.events().pop().unwrap()
    }
}

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}})
}

#[test]
fn each_request_has_received_and_complete_audit_events() {
    let watched = Watched::new(Level::Metadata);
    watched
        .cluster
        .create(&place("configmaps"), &map("a"), &WriteOptions::default())
        .unwrap();
    let events = watched.events();
    let [received, complete] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(received["auditID"], complete["auditID"]);
    assert_eq!(received["stage"], "RequestReceived");
    let mut complete = complete.clone();
    complete["auditID"] = Value::Null;
    assert_eq!(
        complete,
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": null,
            "stage": "ResponseComplete", "requestURI": "/api/v1/namespaces/default/configmaps", "verb": "create",
            "user": {"username": "admin", "groups": ["system:masters", "system:authenticated"]},
            "userAgent": complete["userAgent"],
            "objectRef": {"resource": "configmaps", "namespace": "default", "name": "a", "apiVersion": "v1"},
            "responseStatus": {"metadata": {}, "code": 201},
            "requestReceivedTimestamp": "2026-01-02T03:04:05.000006Z",
            "stageTimestamp": "2026-01-02T03:04:05.000006Z",
            "annotations": {"authorization.k8s.io/decision": "allow", "authorization.k8s.io/reason": ""},
        })
    );
}

#[test]
fn a_level_adds_bodies_but_never_those_of_secrets() {
    for (level, request, response) in [
        (Level::Metadata, false, false),
        (Level::Request, true, false),
        (Level::RequestResponse, true, true),
    ] {
        let watched = Watched::new(level);
        let event = watched.created("configmaps", &map("a"));
        assert_eq!(event["requestObject"]["data"]["k"] == "v", request);
        assert_eq!(event["responseObject"]["data"]["k"] == "v", response);
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
            "stringData": {"password": "hunter2"}});
        let event = watched.created("secrets", &secret);
        assert_eq!(event["level"], "Metadata");
        assert!(
            !event.to_string().contains("hunter2") && !event.to_string().contains("aHVudGVyMg")
        );
        let account = place("serviceaccounts");
        let _ = watched.cluster.subresources().token(
            &account,
            "default",
            &json!({"spec": {"audiences": ["a"]}}),
        );
        let event = watched.events().pop().unwrap();
        assert_eq!(event["objectRef"]["subresource"], "token");
        assert!(event["responseObject"].is_null() && event["requestObject"].is_null());
    }
}

#[test]
fn audit_event_of_rejection_has_reason_and_decision() {
    let mut watched = Watched::new(Level::RequestResponse);
    let event = watched.created("configmaps", &map("No"));
    assert_eq!(event["responseStatus"]["code"], 422);
    assert_eq!(event["responseStatus"]["reason"], "Invalid");
    let bob = User {
        name: "bob".to_owned(),
        ..User::default()
    };
    watched.cluster.cluster.act_as(bob);
    let event = watched.created("configmaps", &map("a"));
    assert_eq!(event["user"], json!({"username": "bob"}));
    assert_eq!(event["responseStatus"]["code"], 403);
    assert_eq!(
        event["annotations"]["authorization.k8s.io/decision"],
        "forbid"
    );
}

#[test]
fn each_batch_request_is_audited_with_its_writer() {
    let watched = Watched::new(Level::Metadata);
    let delete = Verb::Delete(Box::<DeleteOptions>::default());
    let requests = [
        Request::create(place("configmaps"), map("a")),
        Request::new(place("configmaps"), "none", delete),
    ];
    let answers = watched.cluster.batch("robot", None, &requests).unwrap();
    assert!(answers[0].is_ok() && answers[1].is_err());
    let events = watched.events();
    let line = |event: &Value| {
        let of = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let code = &event["responseStatus"]["code"];
        format!(
            "{} {} {} {code}",
            of("userAgent"),
            of("stage"),
            of("requestURI")
        )
    };
    let maps = "/api/v1/namespaces/default/configmaps";
    assert_eq!(
        events.iter().map(line).collect::<Vec<_>>(),
        [
            format!("robot RequestReceived {maps} null"),
            format!("robot RequestReceived {maps}/none null"),
            format!("robot ResponseComplete {maps} 201"),
            format!("robot ResponseComplete {maps}/none 404"),
        ]
    );
}

#[test]
fn policies_and_pod_security_annotate_the_request() {
    let watched = Watched::new(Level::Metadata);
    let policy = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                "operations": ["*"], "resources": ["configmaps"]}]},
            "validations": [{"expression": "true"}, {"expression": "object.metadata.name != 'odd'", "message": "odd"}],
            "auditAnnotations": [{"key": "named", "valueExpression": "'as ' + object.metadata.name"}]},
    });
    let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Audit"]}});
    watched.created("validatingadmissionpolicies", &policy);
    watched.created("validatingadmissionpolicybindings", &binding);
    let annotations = watched.created("configmaps", &map("odd"))["annotations"].clone();
    assert_eq!(annotations["p/named"], "as odd");
    let failure = annotations["validation.policy.admission.k8s.io/validation_failure"].as_str();
    let failure: Value = serde_json::from_str(failure.unwrap()).unwrap();
    assert_eq!(
        failure,
        json!([{"message": "odd", "policy": "p", "binding": "b", "expressionIndex": 1, "validationActions": ["Audit"]}])
    );
    let even = &watched.created("configmaps", &map("even"))["annotations"];
    assert!(
        even.get("validation.policy.admission.k8s.io/validation_failure")
            .is_none()
    );
    // Pods: the enforced level, and the violations of the label `audit`.
    let enforced = "pod-security.kubernetes.io/enforce-policy";
    assert_eq!(
        watched.created("pods", &pod("a"))["annotations"][enforced],
        "privileged:latest"
    );
    let labels = json!({"metadata": {"labels": {"pod-security.kubernetes.io/audit": "restricted",
        "pod-security.kubernetes.io/enforce": "baseline"}}});
    let how = (crate::PatchType::Merge, &labels);
    let namespaces = place("namespaces");
    watched
        .cluster
        .patch(&namespaces, "default", how, false, &WriteOptions::default())
        .unwrap();
    let annotations = &watched.created("pods", &pod("b"))["annotations"];
    assert_eq!(annotations[enforced], "baseline:latest");
    let found = annotations["pod-security.kubernetes.io/audit-violations"]
        .as_str()
        .unwrap();
    assert!(
        found.starts_with("would violate PodSecurity \"restricted:latest\": "),
        "{found}"
    );
}

#[test]
fn a_request_that_cannot_be_logged_is_not_done() {
    let watched = Watched::new(Level::Metadata);
    // Writes to this device fail as on a full disk.
    let full = Lines::open(std::path::Path::new("/dev/full")).unwrap();
    let log = AuditLog::new(
        full,
        Level::Metadata,
        Clock::System,
        Seed(1),
        Arc::new(|_| {}),
    );
    let mut other = watched.cluster.stored().written_by("other");
    other.configure().audit(Some(Arc::new(log)));
    let refused = other.create(&place("configmaps"), &map("a"), &WriteOptions::default());
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.starts_with("Internal error occurred: cannot write the audit log /dev/full: "),
        "{refused}"
    );
    other.configure().audit(None);
    assert!(other.get(&place("configmaps"), "a").is_err());
}

#[test]
fn webhook_audit_annotations_are_prefixed_with_the_webhook_name() {
    use crate::webhooks::{Call, Caller, Reply};

    /// Allows every request with an annotation, and fails for the webhook at `/broken`.
    #[derive(Debug, Default)]
    struct Fake(Mutex<usize>);

    impl Caller for Fake {
        fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>> {
            *self.0.lock().unwrap() += calls.len();
            let reply = |call: &Call| {
                let review: Value = serde_json::from_slice(&call.body).unwrap();
                if call.url.contains("/broken") {
                    return Err("no route".to_owned());
                }
                let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                    "response": {"uid": review["request"]["uid"], "allowed": true, "auditAnnotations": {"by": "me"}}});
                Ok(Reply {
                    code: 200,
                    content_type: "application/json".to_owned(),
                    body: review.to_string().into_bytes(),
                })
            };
            calls.iter().map(reply).collect()
        }
    }

    let mut watched = Watched::new(Level::Metadata);
    watched.cluster.cluster.context.webhooks = Some(Arc::new(Fake::default()));
    for (kind, name, policy) in [
        ("Mutating", "fine", "Fail"),
        ("Validating", "broken", "Ignore"),
    ] {
        let configuration = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
            "metadata": {"name": name}, "webhooks": [{
                "name": format!("{name}.example.com"), "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "clientConfig": {"url": format!("https://hooks/{name}")}, "failurePolicy": policy,
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
            }],
        });
        watched.created(
            &format!("{}webhookconfigurations", kind.to_lowercase()),
            &configuration,
        );
    }
    let event = watched.created("configmaps", &map("a"));
    let annotations = &event["annotations"];
    assert_eq!(annotations["fine.example.com/by"], "me", "{event}");
    let mutation = annotations["mutation.webhook.admission.k8s.io/round_0_index_0"].as_str();
    let mutation: Value = serde_json::from_str(mutation.unwrap()).unwrap();
    assert_eq!(
        mutation,
        json!({"configuration": "fine", "webhook": "fine.example.com", "mutated": false})
    );
    let open = "failed-open.validating.webhook.admission.k8s.io/round_0_index_0";
    assert_eq!(annotations[open], "broken.example.com");
}
