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
