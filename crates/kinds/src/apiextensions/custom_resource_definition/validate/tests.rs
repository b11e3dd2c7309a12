//! Tests definitions in the forms that operators publish, and schemas that are rejected.

use super::*;
use crate::api::json::json;
use crate::api::yaml::{self, Mode};
use crate::{find, shape, strategy, validate};

const SHAPES: &str = include_str!("../../../../../../testdata/custom/shapes.yaml");
const REFUSED: &str = include_str!("../../../../../../testdata/custom/refused-schemas.tsv");

/// Returns the validation errors of a new definition, as `FIELD: MESSAGE`.
fn broken(definition: &Value) -> Vec<String> {
    let kind = find("apiextensions.k8s.io", "v1", "CustomResourceDefinition").unwrap();
    let read = shape::read(kind, definition).unwrap();
    assert_eq!(read.unknown, Vec::<String>::new());
    let mut object = read.object;
    let write_context = strategy::WriteContext {
        now: "2026-01-02T12:00:00Z",
        uid: "u",
        labeled: false,
    };
    strategy::prepare_create(kind, &mut object, &write_context);
    let causes = validate::create(kind, &object);
    causes
        .iter()
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .collect()
}

/// Returns the errors of an update that merges a patch into an established or a new definition.
fn updated(established: bool, patch: &Value) -> Vec<String> {
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let mut old =
        definition(&json!({"name": "v1", "served": true, "storage": true, "schema": schema}));
    let state = if established { "True" } else { "False" };
    old["status"] = json!({"storedVersions": ["v1"], "acceptedNames": {"plural": "foos"},
        "conditions": [{"type": "Established", "status": state}]});
    old["spec"]["names"] =
        json!({"plural": "foos", "singular": "foo", "kind": "Foo", "listKind": "FooList"});
    let mut new = old.clone();
    crate::api::patch::merge::apply(&mut new, patch);
    let mut errors = Errors::default();
    update(&new, &old, &mut errors);
    let causes = errors.into_causes();
    causes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_definition_that_is_not_established_can_change_its_scope_and_kind() {
    let patch = json!({"spec": {"scope": "Cluster", "group": "b.com", "names": {"plural": "bars", "kind": "Bar"}}});
    let group = "spec.group: Invalid value: \"b.com\": field is immutable";
    let plural = "spec.names.plural: Invalid value: \"bars\": field is immutable";
    assert_eq!(updated(false, &patch), [group, plural]);
    let scope = "spec.scope: Invalid value: \"Cluster\": field is immutable";
    let kind = "spec.names.kind: Invalid value: \"Bar\": field is immutable";
    assert_eq!(updated(true, &patch), [scope, kind, group, plural]);
}

#[test]
fn the_accepted_names_follow_the_rules_of_names() {
    let rule = |value: &str| names::dns1035_label(value).join(",");
    let patch = json!({"status": {"acceptedNames": {"plural": "X", "kind": "K", "listKind": "K",
        "shortNames": ["S"], "categories": ["C"]}}});
    assert_eq!(
        updated(true, &patch),
        [
            format!("status.acceptedNames.plural: Invalid value: \"X\": {}", rule("X")),
            format!("status.acceptedNames.shortNames[0]: Invalid value: \"S\": {}", rule("S")),
            "status.acceptedNames.listKind: Invalid value: \"K\": kind and listKind may not be the same".to_owned(),
            format!("status.acceptedNames.categories[0]: Invalid value: \"C\": {}", rule("C")),
        ]
    );
}

#[test]
fn an_established_definition_gets_no_invalid_certificates() {
    let patch = json!({"spec": {"conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://a/b", "caBundle": "AAAA"}}}}});
    assert_eq!(updated(false, &patch), [""; 0]);
    assert_eq!(
        updated(true, &patch),
        [
            "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"AAAA\": data does not contain any valid RSA \
          or ECDSA certificates"
        ]
    );
}

fn definition(version: &Value) -> Value {
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "foos.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"plural": "foos", "kind": "Foo"}, "versions": [version]}})
}

#[test]
fn groups_of_kubernetes_need_an_approval_that_stays() {
    let approved = |annotation: &str| {
        let mut object = json!({"metadata": {"annotations": {APPROVAL: annotation}}, "spec": {"group": "x.k8s.io"}});
        if annotation.is_empty() {
            object["metadata"] = json!({});
        }
        object
    };
    let refused = |new: &str, old: Option<&str>| {
        let mut errors = Errors::default();
        approval(&approved(new), old.map(approved).as_ref(), &mut errors);
        !errors.into_causes().is_empty()
    };
    for good in ["https://example.com/1", "unapproved, for a test"] {
        assert!(!refused(good, None));
        assert!(refused("", Some(good)) && refused("nope", Some(good)));
    }
    assert!(refused("", None) && refused("nope", None));
    assert!(!refused("", Some("")) && !refused("none", Some("nope")));
}

#[test]
fn crd_schemas_of_common_operators_are_valid() {
    let all = yaml::parse(SHAPES.as_bytes(), Mode::Strict).unwrap();
    assert_eq!(all.len(), 3);
    for definition in all.iter().map(|document| &document.value) {
        let name = &definition["metadata"]["name"];
        assert_eq!(broken(definition), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_default_may_repeat_items_of_a_set() {
    let set = json!({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}, "default": ["a", "a"]});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"a": set}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    assert_eq!(broken(&definition(&version)), [""; 0]);
}

#[test]
fn invalid_crd_schemas_fail_with_the_api_server_errors() {
    for line in REFUSED.lines().filter(|line| !line.starts_with('#')) {
        let (schema, expected) = line.split_once('\t').unwrap();
        let schema: Value = serde_json::from_str(schema).unwrap();
        let version = json!({"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": schema}});
        let found = broken(&definition(&version));
        let found: Vec<_> = found
            .iter()
            .map(|told| told.trim_start_matches("spec.validation.openAPIV3Schema."))
            .collect();
        assert_eq!(found.join(" | "), expected, "{schema}");
    }
}

#[test]
fn crd_version_fields_are_validated() {
    let version = |more: &Value| {
        let mut version = json!({"name": "v1", "served": true, "storage": true, "schema": {
            "openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
                "properties": {"a": {"type": "string"}, "l": {"type": "object"}}}}}}});
        crate::api::patch::merge::apply(&mut version, more);
        broken(&definition(&version))
    };
    for (more, expected) in [
        (
            json!({"deprecationWarning": "old"}),
            "spec.versions[0].deprecationWarning: Invalid value: \"old\": can only be set for deprecated versions",
        ),
        (
            json!({"deprecated": true, "deprecationWarning": ""}),
            "spec.versions[0].deprecationWarning: Invalid value: \"\": must not be an empty string",
        ),
        (
            json!({"additionalPrinterColumns": [{"name": "a", "type": "string", "jsonPath": ".a", "format": "x"}]}),
            "spec.additionalPrinterColumns[0].format: Invalid value: \"x\": must be one of \
             byte,date,date-time,double,float,int32,int64,password",
        ),
        (
            json!({"selectableFields": [{"jsonPath": ".spec.none"}]}),
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.none\": is an invalid path: does not \
             refer to a valid field",
        ),
        (
            json!({"selectableFields": [{"jsonPath": ".spec.l"}]}),
            "spec.selectableFields[0].jsonPath: Invalid value: \".spec.l\": must point to a field of type \
             string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
        (
            json!({"selectableFields": [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.a"}]}),
            "spec.selectableFields[1].jsonPath: Duplicate value: \".spec.a\"",
        ),
        (
            json!({"subresources": {"scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.b",
                "labelSelectorPath": ".meta"}}}),
            "spec.subresources.scale.labelSelectorPath: Invalid value: \".meta\": should be a json path \
             under either .spec or .status",
        ),
    ] {
        assert_eq!(version(&more), [expected], "{more}");
    }
}
