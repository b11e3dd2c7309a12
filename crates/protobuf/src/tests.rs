//! Tests of bodies as Go clients send them, and of round trips.

use super::*;
use crate::api::json::{Value, json};

/// Decodes hexadecimal digits.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |p: &[u8]| u8::from_str_radix(std::str::from_utf8(p).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

#[test]
fn config_map_encoded_by_go_is_decoded() {
    // Go's marshaller writes every string of the metadata, set or not, and a generation of zero.
    let body = "6b387300
        0a0f 0a02 7631 1209 436f6e6669674d6170
        1222
          0a18 0a0161 1200 1a0764656661756c74 2200 2a00 3200 3800 4200
          1206 0a016b 120176
        1a00 2200";
    let bytes = hex(body);
    let object = decode(&bytes).unwrap();
    assert_eq!(
        object,
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "namespace": "default"},
            "data": {"k": "v"},
        })
    );
}

fn there_and_back(object: &Value) {
    let bytes = encode(object).unwrap_or_else(|| panic!("{object} has no message"));
    assert_eq!(&decode(&bytes).unwrap(), object);
}

#[test]
fn explicit_zeros_are_kept() {
    there_and_back(&json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 0, "revisionHistoryLimit": 0,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": "25%"}},
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {}, "spec": {
                "automountServiceAccountToken": false, "terminationGracePeriodSeconds": 0,
                "securityContext": {"runAsUser": 0, "runAsNonRoot": false},
                "containers": [{
                    "name": "web", "image": "nginx", "resources": {"limits": {"cpu": "100m"}},
                    "ports": [{"containerPort": 80}],
                    "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 3},
                    "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": false}}}],
                }],
                "volumes": [{"name": "v", "configMap": {"name": "c", "defaultMode": 420}}],
            }},
        },
    }));
}

#[test]
fn zeros_of_unset_fields_are_left_out() {
    let mut object = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"},
        "spec": {"hostNetwork": false, "nodeName": "", "containers": [{"name": "c", "stdin": false}]},
    });
    let bytes = encode(&object).unwrap();
    object["spec"] = json!({"containers": [{"name": "c"}]});
    assert_eq!(decode(&bytes).unwrap(), object);
}

#[test]
fn types_with_custom_json_survive_a_round_trip() {
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "a", "creationTimestamp": "2026-01-02T03:04:05Z", "generation": 7,
            "managedFields": [{"manager": "m", "fieldsV1": {"f:spec": {"f:nodeName": {}}}}],
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "o", "uid": "u", "controller": false}],
        },
        "spec": {"containers": [], "tolerations": [{"key": "k", "tolerationSeconds": 0}],
            "securityContext": {"supplementalGroups": [0, 5, -1]}},
    }).clone_without_empty_lists());
    there_and_back(&json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"holderIdentity": "", "leaseTransitions": 0, "renewTime": "2026-01-02T03:04:05.000600Z"},
    }));
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "AAECAw==", "b": ""},
    }));
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80, "targetPort": 8080}, {"port": 81, "targetPort": "web"}]},
    }));
    there_and_back(&json!({
        "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {},
        "spec": {"user": "bob", "extra": {"scopes": ["a", "b"]}}, "status": {"allowed": false},
    }));
    there_and_back(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "crops.farm"},
        "spec": {"group": "farm", "versions": [{"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": false, "minimum": 0, "maximum": 1.5,
            "properties": {
                "a": {"type": "array", "items": {"type": "string", "default": "x", "enum": ["x", 1, null]}},
                "b": {"additionalProperties": true}, "c": {"additionalProperties": false},
                "d": {"additionalProperties": {"type": "integer"}},
            },
        }}}]},
    }));
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure", "code": 404,
        "details": {"name": "a", "causes": [{"reason": "R", "message": "m", "field": "f"}]},
    }));
}

/// For expected values: Go writes nothing for an empty list.
trait WithoutEmptyLists {
    fn clone_without_empty_lists(self) -> Self;
}

impl WithoutEmptyLists for Value {
    fn clone_without_empty_lists(mut self) -> Self {
        if let Some(spec) = self["spec"].as_object_mut() {
            spec.retain(|_, value| {
                value
                    .as_array()
                    .is_none_or(|list| !list.as_slice().is_empty())
            });
        }
        self
    }
}

#[test]
fn lists_and_delete_options_survive_a_round_trip() {
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "7"},
        "items": [{"metadata": {"name": "a"}, "spec": {}, "status": {"phase": "Running"}}],
    }));
    there_and_back(&json!({
        "apiVersion": "apps/v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Orphan",
        "preconditions": {"uid": "u"},
    }));
    there_and_back(&json!({
        "apiVersion": "v1", "kind": "List", "metadata": {},
        "items": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}],
    }));
}

#[test]
fn watch_event_is_a_length_prefixed_frame() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    let frame = encode_watch_event("ADDED", &pod).unwrap();
    let length = u32::from_be_bytes(frame[..4].try_into().unwrap()) as usize;
    assert_eq!(length, frame.len() - 4);
    assert!(frame[4..].starts_with(b"\x0a\x05ADDED\x12"));
    let at = frame.windows(4).position(|w| w == MAGIC).unwrap();
    assert_eq!(decode(&frame[at..]).unwrap(), pod);
}

#[test]
fn invalid_bodies_are_errors() {
    let crop = json!({"apiVersion": "farm.example.org/v1", "kind": "Crop"});
    assert_eq!(encode(&crop), None);
    assert!(!knows("farm.example.org/v1", "Crop") && knows("v1", "Pod"));
    assert_eq!(decode(b"{}"), Err(DecodeError::Prefix));
    let whole =
        encode(&json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "abc"}})).unwrap();
    for length in 5..whole.len() {
        // If the bytes end between two fields of the envelope, the remaining fields are unset.
        let object = decode(&whole[..length]);
        let between = [15, whole.len() - 4, whole.len() - 2].contains(&length);
        assert_eq!(object.is_ok(), between, "{length}");
    }
    let unknown = hex("6b387300 0a09 0a0276311203666f6f 1200");
    assert!(matches!(
        decode(&unknown),
        Err(DecodeError::UnknownKind { .. })
    ));
}

#[test]
fn deeply_nested_crd_schema_is_an_error() {
    let mut schema = Vec::new();
    for _ in 0..1000 {
        let mut outer = Vec::new();
        wire::put_bytes(&mut outer, 28, &schema);
        schema = outer;
    }
    let mut body = Vec::new();
    let path = [1, 4, 7, 2];
    for number in path {
        let mut outer = Vec::new();
        wire::put_bytes(&mut outer, number, &schema);
        schema = outer;
    }
    let mut meta = Vec::new();
    wire::put_bytes(&mut meta, 1, b"apiextensions.k8s.io/v1");
    wire::put_bytes(&mut meta, 2, b"CustomResourceDefinition");
    body.extend(MAGIC);
    wire::put_bytes(&mut body, 1, &meta);
    wire::put_bytes(&mut body, 2, &schema);
    assert_eq!(decode(&body), Err(DecodeError::Broken("object")));
}
