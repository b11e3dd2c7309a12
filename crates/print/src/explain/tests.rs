//! Compares recorded explanations, and tests the structure of all others.

use super::*;
use crate::api::json::{Value, json};
use crate::kinds::Catalogue;
use crate::kinds::custom::CustomKind;

fn resolve(name: &str) -> Option<&'static Kind> {
    Catalogue::default().resolve(name)
}

fn answer(kind: &Kind, path: &str, recursive: bool) -> Result<String, NoSuchField> {
    let path: Vec<&str> = path.split('.').filter(|part| !part.is_empty()).collect();
    explain(&Question {
        kind,
        path: &path,
        recursive,
    })
}

fn of(name: &str, path: &str) -> String {
    answer(resolve(name).unwrap(), path, false).unwrap()
}

#[test]
fn a_field_is_explained_as_recorded() {
    assert_eq!(
        of("deployment", "spec.replicas"),
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n\n\nDESCRIPTION:\n    \
         Number of desired pods. This is a pointer to distinguish between explicit\n    zero and not specified. \
         Defaults to 1.\n    \n\n"
    );
}

#[test]
fn a_kind_lists_its_fields_as_recorded() {
    let shown = of("configmap", "");
    let wanted = "KIND:       ConfigMap\nVERSION:    v1\n\nDESCRIPTION:\n    ConfigMap holds configuration data for \
         pods to consume.\n    \nFIELDS:\n  apiVersion\t<string>\n    APIVersion defines the versioned schema of this \
         representation of an object.\n    Servers should convert recognized schemas to the latest internal value, \
         and\n    may reject unrecognized values. More info:\n    \
         https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources\n\n";
    assert!(shown.starts_with(wanted), "{shown}");
    assert!(
        shown.contains(
            "  binaryData\t<map[string]string>\n    BinaryData contains the binary data."
        ),
        "{shown}"
    );
    assert!(
        shown.contains("  metadata\t<ObjectMeta>\n    Standard"),
        "{shown}"
    );
}

#[test]
fn unknown_field_fails_after_printing_the_header() {
    let missing = answer(resolve("pod").unwrap(), "spec.nope", false).unwrap_err();
    assert_eq!(missing.shown, "KIND:       Pod\nVERSION:    v1\n\n");
    assert_eq!(missing.message, "error: field \"nope\" does not exist");
    assert!(answer(resolve("pod").unwrap(), "spec.nodeName.x", false).is_err());
}

#[test]
fn types_requirements_and_values_are_shown() {
    let shown = of("pod", "spec");
    assert!(
        shown.contains("FIELD: spec <PodSpec>\n\n\nDESCRIPTION:\n    Specification of the desired behavior of the pod."),
        "{shown}"
    );
    assert!(
        shown.contains("  containers\t<[]Container> -required-\n"),
        "{shown}"
    );
    assert!(
        shown.contains(
            "  dnsPolicy\t<string>\n  enum: ClusterFirst, ClusterFirstWithHostNet, Default, None\n"
        ),
        "{shown}"
    );
    assert!(
        shown.contains("  nodeSelector\t<map[string]string>\n"),
        "{shown}"
    );
    assert!(
        shown.contains("  overhead\t<map[string]Quantity>\n"),
        "{shown}"
    );
    let policy = of("pod", "spec.dnsPolicy");
    assert!(
        policy.contains("FIELD: dnsPolicy <string>\nENUM:\n    ClusterFirst\n    ClusterFirstWithHostNet\n    Default\n    None\n\nDESC"),
        "{policy}"
    );
    // kubectl shows the values of a field, but not those of the items of a list.
    let modes = of("pvc", "spec.accessModes");
    assert!(
        modes.contains("FIELD: accessModes <[]string>\n\n\nDESC"),
        "{modes}"
    );
    let through = of("pod", "spec.containers.ports");
    assert!(
        through.contains("FIELD: ports <[]ContainerPort>"),
        "{through}"
    );
    let fields = of("pod", "metadata.managedFields");
    assert!(fields.contains("  fieldsV1\t<FieldsV1>\n"), "{fields}");
    assert!(fields.contains("  time\t<string>\n"), "{fields}");
}

#[test]
fn recursive_explain_lists_nested_fields_and_stops_at_cycles() {
    let pod = answer(resolve("pod").unwrap(), "spec.containers", true).unwrap();
    assert!(
        pod.contains("  env\t<[]EnvVar>\n    name\t<string> -required-\n    value\t<string>\n"),
        "{pod}"
    );
    assert!(!pod.contains("<no description>"), "{pod}");
    let crd = resolve("crd").unwrap();
    let shown = answer(crd, "spec.versions.schema", true).unwrap();
    assert!(shown.len() < 100_000, "{}", shown.len());
    assert!(
        shown.contains("    not\t<JSONSchemaProps>\n    nullable\t<boolean>\n"),
        "{shown}"
    );
}

#[test]
fn custom_resources_are_explained_by_their_definition() {
    let definition = json!({"spec": {"group": "sea.example.com", "scope": "Namespaced",
    "names": {"plural": "boats", "singular": "boat", "kind": "Boat"},
    "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
        "type": "object", "description": "A boat.", "properties": {
            "spec": {"type": "object", "required": ["length"], "properties": {
                "length": {"type": "integer", "description": "Length in metres."},
                "colour": {"type": "string", "enum": ["red", "white", ""]},
                "crew": {"type": "array", "items": {"type": "object", "description": "A sailor.",
                    "properties": {"name": {"type": "string"}}}},
                "rooms": {"type": "object", "additionalProperties": {"type": "integer"}},
            }},
        }}}}]}});
    let kind = boats(&definition);
    let length = answer(&kind, "spec.length", false).unwrap();
    assert_eq!(
        length,
        "GROUP:      sea.example.com\nKIND:       Boat\nVERSION:    v1\n\nFIELD: length <integer>\n\n\nDESCRIPTION:\n    \
         Length in metres.\n    \n\n"
    );
    let boat = answer(&kind, "", true).unwrap();
    assert!(boat.contains("DESCRIPTION:\n    A boat.\n    \nFIELDS:\n  apiVersion\t<string>\n  kind\t<string>\n  metadata\t<ObjectMeta>\n"), "{boat}");
    assert!(boat.contains(
        "  spec\t<Object>\n    colour\t<string>\n    enum: red, white, \"\"\n    crew\t<[]Object>\n      name\t<string>\n    \
         length\t<integer> -required-\n    rooms\t<map[string]integer>\n"
    ), "{boat}");
    let crew = answer(&kind, "spec.crew", false).unwrap();
    assert!(crew.contains("FIELD: crew <[]Object>\n\n\nDESCRIPTION:\n    A sailor.\n    \nFIELDS:\n  name\t<string>\n"), "{crew}");
}

/// Returns the kind that a CRD defines.
fn boats(definition: &Value) -> Kind {
    let custom = CustomKind::from_definition(definition).remove(0);
    Kind {
        group: "sea.example.com",
        version: "v1",
        kind: "Boat",
        custom: Some(Box::leak(Box::new(custom))),
        ..*resolve("cm").unwrap()
    }
}

#[test]
fn values_of_any_type_have_no_type_in_the_older_layout() {
    let free = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true,
        "properties": {"spec": {"type": "object"}}});
    let properties = json!({
        "a": {"type": "array", "items": {"type": "object"}}, "b": {"type": "array", "items": free}, "f": {"type": "object"},
        "g": free, "i": {"x-kubernetes-int-or-string": true}, "k": {"type": "object", "additionalProperties": free},
        "q": {"type": "array", "items": {"type": "string"}}, "r": embedded, "s": {"type": "string", "nullable": true},
        "t": {"type": "object", "nullable": true, "properties": {"x": {"type": "string"}}},
        "u": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"x": {"type": "string"}}},
    });
    let kind = boats(
        &json!({"metadata": {"name": "boats.sea.example.com"}, "spec": {
        "group": "sea.example.com", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}}}]}}),
    );
    let plain = |path: &[&str]| {
        let recursive = false;
        let kind = &kind;
        explain_v2(&Question {
            kind,
            path,
            recursive,
        })
        .unwrap()
    };
    // Recorded from kubectl 1.36.3.
    let spec = plain(&["spec"]);
    for line in [
        "a\t<[]map[string]>",
        "b\t<[]>",
        "f\t<map[string]>",
        "g\t<>",
        "i\t<>",
        "k\t<map[string]>",
        "q\t<[]string>",
        "r\t<Object>",
        "s\t<>",
        "t\t<Object>",
        "u\t<>",
    ] {
        assert!(spec.contains(&format!("\n   {line}\n")), "{line}: {spec}");
    }
    let head = "KIND:     Boat\nVERSION:  sea.example.com/v1\n\nDESCRIPTION:\n     <empty>\n";
    for name in ["a", "b", "f", "g", "k", "u"] {
        assert_eq!(plain(&["spec", name]), head, "{name}");
    }
    let whole = answer(&kind, "spec.r", false).unwrap();
    assert!(
        whole.contains("\n  metadata\t<ObjectMeta>\n") && whole.contains("\n  spec\t<Object>\n"),
        "{whole}"
    );
}

#[test]
fn fields_that_all_of_restricts_are_listed_again() {
    let spec = json!({"type": "object", "allOf": [{"required": ["min"], "properties": {"min": {"minimum": 1}}}],
    "properties": {
        "min": {"type": "integer", "description": "The minimum."},
        "name": {"type": "string", "allOf": [{"pattern": "^a"}]},
        "size": {"type": "integer"},
    }});
    let kind = boats(
        &json!({"metadata": {"name": "boats.sea.example.com"}, "spec": {
        "group": "sea.example.com", "scope": "Namespaced", "names": {"plural": "boats", "kind": "Boat"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
            "type": "object", "properties": {"spec": spec}}}}]}}),
    );
    let shown = answer(&kind, "spec", false).unwrap();
    let fields = "FIELDS:\n  min\t<integer>\n    The minimum.\n\n  name\t<Object>\n    <no description>\n\n  \
                  size\t<integer>\n    <no description>\n\n  min\t<Object> -required-\n    <no description>\n\n";
    assert!(shown.contains(fields), "{shown}");
    let all = answer(&kind, "", true).unwrap();
    let nested = "    min\t<integer>\n    name\t<Object>\n    size\t<integer>\n    min\t<Object> -required-\n";
    assert!(all.contains(nested), "{all}");
    // A path leads to the field itself.
    let one = answer(&kind, "spec.min", false).unwrap();
    assert!(one.contains("FIELD: min <integer>"), "{one}");
    let plain = explain_v2(&Question {
        kind: &kind,
        path: &["spec"],
        recursive: false,
    });
    assert_eq!(plain.unwrap().matches("min\t").count(), 1);
}
