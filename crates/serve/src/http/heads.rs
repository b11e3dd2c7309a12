//! Tests of response headers: the warnings for accepted and rejected requests, and the coding of the body.

use std::sync::Arc;

use super::shared::Limits;
use super::tests::{codes, fresh, shared, told, told_to_the_end};
use crate::api::json::{Value, json};
use crate::cluster::testing::Scratch;
use crate::cluster::{Place, WriteOptions};

/// Sends a request, with a body unless it is null. Returns the status codes and the warnings in the response.
fn asked(cluster: &Arc<Scratch>, method: &str, path: &str, body: &Value) -> (String, Vec<String>) {
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    let sent = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let got = told_to_the_end(cluster, &sent, &shared(Limits::default()));
    let lines = got
        .lines()
        .filter_map(|line| line.strip_prefix("Warning: 299 - "));
    let warnings = lines.map(|text| text[1..text.len() - 1].replace("\\\"", "\""));
    (codes(&got).join(" "), warnings.collect())
}

fn make(cluster: &Scratch, resource: &str, object: &Value) {
    let place = Place::new(cluster.kind(resource).unwrap(), "default");
    cluster
        .create(&place, object, &WriteOptions::default())
        .unwrap();
}

/// Creates the custom resource `boats`, whose older version is deprecated.
fn boats(cluster: &Scratch) {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"sails": {"type": "integer"}}}}}});
    let version = |name: &str, old: bool| json!({"name": name, "served": true, "storage": !old, "deprecated": old, "schema": schema});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.sea.io"},
        "spec": {"group": "sea.io", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"},
            "versions": [version("v1beta1", true), version("v1", false)]},
    });
    make(cluster, "customresourcedefinitions", &definition);
}

#[test]
fn every_request_to_a_deprecated_version_returns_a_warning() {
    let cluster = fresh();
    boats(&cluster);
    let all = |version: &str| format!("/apis/sea.io/{version}/namespaces/default/boats");
    let (old, one) = (all("v1beta1"), format!("{}/b", all("v1beta1")));
    let boat = json!({"apiVersion": "sea.io/v1beta1", "kind": "Boat", "metadata": {"name": "b"}});
    let wrong = json!({"apiVersion": "sea.io/v1beta1", "kind": "Boat", "metadata": {"name": "c"},
        "spec": {"sails": "many"}});
    let said = vec!["sea.io/v1beta1 Boat is deprecated; use sea.io/v1 Boat".to_owned()];
    for (method, path, body, code) in [
        ("POST", &old, &boat, "201"),
        ("GET", &one, &Value::Null, "200"),
        ("GET", &old, &Value::Null, "200"),
        (
            "GET",
            &format!("{old}?watch=1&timeoutSeconds=1"),
            &Value::Null,
            "200",
        ),
        ("POST", &old, &wrong, "422"),
        ("GET", &format!("{old}/none"), &Value::Null, "404"),
        ("DELETE", &one, &Value::Null, "200"),
    ] {
        assert_eq!(
            asked(&cluster, method, path, body),
            (code.to_owned(), said.clone()),
            "{method} {path}"
        );
    }
    assert_eq!(
        asked(&cluster, "GET", &all("v1"), &Value::Null),
        ("200".to_owned(), Vec::new())
    );
    // This built-in kind is deprecated, too.
    let (code, warnings) = asked(
        &cluster,
        "GET",
        "/api/v1/namespaces/default/endpoints",
        &Value::Null,
    );
    assert_eq!((&*code, warnings.len()), ("200", 1), "{warnings:?}");
}

#[test]
fn rejected_request_returns_its_earlier_warnings() {
    let cluster = fresh();
    let binding = |name: &str, action: &str| {
        json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name}, "spec": {"policyName": name, "validationActions": [action]}})
    };
    for (name, action) in [("a-warns", "Warn"), ("b-denies", "Deny")] {
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["configmaps"]}]},
                "validations": [{"expression": "object.metadata.name != 'bad'", "message": "a bad name"}]},
        });
        make(&cluster, "validatingadmissionpolicies", &policy);
        make(
            &cluster,
            "validatingadmissionpolicybindings",
            &binding(name, action),
        );
    }
    let maps = "/api/v1/namespaces/default/configmaps";
    let bad =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bad"}, "more": 1});
    let warned = "Validation failed for ValidatingAdmissionPolicy 'a-warns' with binding 'a-warns': a bad name";
    let (code, warnings) = asked(
        &cluster,
        "POST",
        &format!("{maps}?fieldValidation=Warn"),
        &bad,
    );
    assert_eq!(
        (&*code, &warnings[..]),
        (
            "422",
            &["unknown field \"more\"".to_owned(), warned.to_owned()][..]
        )
    );
    // The fields of a body are checked before any policy.
    let wrong =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "No"}, "more": 1});
    let (code, warnings) = asked(
        &cluster,
        "POST",
        &format!("{maps}?fieldValidation=Warn"),
        &wrong,
    );
    assert_eq!(
        (&*code, &warnings[..]),
        ("422", &["unknown field \"more\"".to_owned()][..])
    );
    let (code, warnings) = asked(
        &cluster,
        "POST",
        &format!("{maps}?fieldValidation=Ignore"),
        &wrong,
    );
    assert_eq!((&*code, warnings.len()), ("422", 0));
}

#[test]
fn large_list_is_compressed_for_clients_accepting_gzip() {
    let cluster = fresh();
    let large = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"},
        "data": {"k": "x".repeat(200_000)}});
    make(&cluster, "configmaps", &large);
    let get = "GET /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n";
    let whole = told(&cluster, &format!("{get}\r\n"), &shared(Limits::default()));
    assert!(whole.len() > 200_000 && !whole.contains("Content-Encoding"));
    let sent = format!("{get}Accept-Encoding: gzip\r\n\r\n");
    let got = crate::fuzz::converse(
        &cluster,
        crate::fuzz::Sends {
            bytes: sent.as_bytes(),
            piece: 64,
            stays: false,
        },
        &shared(Limits::default()),
    );
    let head = String::from_utf8_lossy(&got[..got.len().min(400)]).into_owned();
    assert!(head.contains("\r\nContent-Encoding: gzip\r\n"), "{head}");
    assert!(head.contains("\r\nVary: Accept-Encoding\r\n"), "{head}");
    assert!(got.len() < 20_000, "{}", got.len());
}
