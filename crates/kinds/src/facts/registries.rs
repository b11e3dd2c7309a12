//! Checks that the lists of kinds agree with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::server::{folder, kind_of, read, yaml};
use crate::api::json::{Value, json};
use crate::registry::all;
use crate::{Kind, find_by_api_version};
use crate::{columns, fields, shape, validate};

#[test]
fn every_kind_has_one_cell_per_column() {
    let now = super::server::NOW.parse().unwrap();
    for kind in all().filter(|kind| kind.served && !kind.columns.is_empty()) {
        let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {"name": "x"}});
        shape::normalize(kind, &mut object);
        let cells = columns::cells(kind, &object, now);
        assert_eq!(cells.len(), kind.columns.len(), "{}", kind.qualified_kind());
    }
}

#[test]
fn every_kind_refuses_an_object_without_a_name() {
    for kind in all().filter(|kind| kind.served && kind.verbs.contains(&"create")) {
        let mut object = json!({"apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {}});
        shape::normalize(kind, &mut object);
        let causes = validate::create(kind, &object);
        assert!(
            causes.iter().any(|cause| cause.field == "metadata.name"),
            "{}",
            kind.qualified_kind()
        );
    }
}

#[test]
fn every_field_selector_has_a_value() {
    for kind in all() {
        for selector in kind.field_selectors {
            let value = fields::value(kind, &json!({"metadata": {}}), selector);
            assert!(value.is_some(), "{} {selector}", kind.qualified_kind());
        }
    }
}

/// Kinds with few facts: a valid object, and a required field.
const OWN: &[(&str, &str, &str)] = &[
    (
        "networking.k8s.io/v1 IPAddress",
        r#"{"metadata": {"name": "10.96.0.9"}, "spec": {"parentRef": {"resource": "services",
            "namespace": "default", "name": "web"}}}"#,
        "spec.parentRef",
    ),
    (
        "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding",
        r#"{"metadata": {"name": "x"}, "spec": {"policyName": "p"}}"#,
        "spec.policyName",
    ),
    (
        "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration",
        r#"{"metadata": {"name": "x"}, "webhooks": [{"name": "a.b.c", "sideEffects": "None",
            "admissionReviewVersions": ["v1"], "clientConfig": {"url": "https://a.example/b"}}]}"#,
        "webhooks[0].sideEffects",
    ),
    (
        "resource.k8s.io/v1 ResourceClaimTemplate",
        r#"{"metadata": {"name": "x", "namespace": "default"}, "spec": {"spec": {"devices": {
            "requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}}}"#,
        "spec.spec.devices.requests[0].name",
    ),
];

fn stored() -> impl Iterator<Item = &'static Kind> {
    let keeps = |kind: &&Kind| {
        kind.served
            && kind.group != "example.dev"
            && ["create", "get"].iter().all(|v| kind.verbs.contains(v))
    };
    all().filter(keeps)
}

fn called(kind: &Kind) -> String {
    format!("{} {}", kind.api_version(), kind.kind)
}

/// Returns the kinds in the files of defaults that a test covers.
fn kinds_of(names: impl Iterator<Item = String>) -> BTreeSet<String> {
    let kind = |name: String| called(kind_of(&yaml(&format!("defaults/{name}.in.yaml"))));
    names.map(kind).collect()
}

#[test]
fn resource_names_are_unique_per_group() {
    let mut seen: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for kind in all().filter(|kind| kind.served && kind.preferred) {
        let own = [kind.plural, kind.singular]
            .into_iter()
            .chain(kind.short_names.iter().copied());
        let own: BTreeSet<&str> = own.filter(|name| !name.is_empty()).collect();
        for name in own {
            let other = seen.insert((kind.group, name), kind.kind);
            assert_eq!(other, None, "{name} of {} and {}", kind.group, kind.kind);
        }
        assert!(kind.verbs.is_sorted() && kind.subresources.is_sorted_by_key(|s| s.name));
    }
}

#[test]
fn every_stored_kind_has_columns_defaults_and_validation_facts() {
    let files = std::fs::read_dir(folder().join("defaults")).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let pairs = kinds_of(files.filter_map(|f| f.strip_suffix(".in.yaml").map(str::to_owned)));
    let cases = read("validation.tsv");
    let bases = cases
        .lines()
        .skip(1)
        .filter_map(|line| line.split('\t').nth(1));
    let bases: BTreeSet<&str> = bases.collect();
    let broken = kinds_of(bases.into_iter().map(str::to_owned));
    for kind in stored() {
        let name = called(kind);
        assert!(!kind.columns.is_empty(), "{name} has no columns");
        let own = OWN.iter().find(|(own, ..)| *own == name);
        assert!(
            own.is_some() || pairs.contains(&name),
            "{name} has no sample"
        );
        assert!(
            own.is_some() || broken.contains(&name),
            "{name} has no broken rule"
        );
    }
}

#[test]
fn kinds_without_facts_have_a_valid_and_invalid_object() {
    for (name, text, lost) in OWN {
        let (version, kind) = name.split_once(' ').unwrap();
        let kind = find_by_api_version(version, kind).unwrap();
        let mut object: Value = serde_json::from_str(text).unwrap();
        object["apiVersion"] = json!(version);
        object["kind"] = json!(kind.kind);
        let causes = |object: &Value| {
            let mut object = shape::read(kind, object).unwrap().object;
            shape::normalize(kind, &mut object);
            validate::create(kind, &object)
        };
        assert_eq!(causes(&object), [], "{name}");
        let pointer = format!("/{}", lost.replace(['.', '['], "/").replace(']', ""));
        *object.pointer_mut(&pointer).unwrap() = Value::Null;
        let broken = causes(&object);
        assert!(
            broken.iter().any(|cause| cause.field.starts_with(lost)),
            "{name}: {broken:?}"
        );
    }
}
