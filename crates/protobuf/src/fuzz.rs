//! The entry point of fuzzers and of its counterpart in `cargo test`: any bytes are an object or an error, and
//! encoding a decoded object preserves its meaning.

use super::{decode, encode, encode_watch_event};
use crate::api::json::Value;

/// The maximum nesting of an object whose encoding is certain to be decodable.
const READABLE: usize = 32;

/// Decodes bytes as a body, then encodes and decodes the object again.
pub fn body(bytes: &[u8]) {
    let Ok(first) = decode(bytes) else {
        return;
    };
    // A body may contain JSON of a kind that has no message.
    let Some(again) = encode(&first) else {
        return;
    };
    // Objects embedded in others become JSON, whose reader has a limit of its own.
    let second = match decode(&again) {
        Ok(second) => second,
        Err(e) => return assert!(depth(&first) > READABLE, "{e}: {first}"),
    };
    // The first decoding may contain values that no client of this version can set, such as a time with more
    // precision. They are gone by now.
    let again = encode(&second);
    let third = again.as_deref().map(decode);
    assert_eq!(third, Some(Ok(second.clone())), "{first}");
    let frame = encode_watch_event("ADDED", &second);
    let length = frame.as_deref().and_then(|frame| frame.first_chunk());
    let length = length.map(|length| u32::from_be_bytes(*length) as usize);
    assert_eq!(length, frame.map(|frame| frame.len() - 4));
}

/// Returns the nesting depth of a value.
fn depth(value: &Value) -> usize {
    let mut level: Vec<&Value> = vec![value];
    let mut levels = 0;
    while !level.is_empty() {
        levels += 1;
        let inner = level.iter().flat_map(|value| {
            let members = value.as_object().into_iter().flat_map(|map| map.values());
            members.chain(value.as_array().into_iter().flatten())
        });
        level = inner.collect();
    }
    levels
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::api::json::json;

    /// Bodies of objects with every type of field.
    static BODIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let pod = json!({
            "metadata": {"name": "a", "labels": {"x": "y"}, "creationTimestamp": "2026-01-02T03:04:05Z",
                "managedFields": [{"manager": "m", "operation": "Update", "fieldsV1": {"f:spec": {}}}]},
            "spec": {"terminationGracePeriodSeconds": 0, "containers": [{
                "name": "c", "image": "i", "resources": {"limits": {"cpu": "100m", "memory": "1Gi"}},
                "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 3},
            }]},
        });
        let typed = |version: &str, kind: &str, object: Value| {
            let mut object = object;
            object["apiVersion"] = json!(version);
            object["kind"] = json!(kind);
            object
        };
        let schema = json!({"type": "object", "additionalProperties": {"type": "string"}, "maximum": 1.5,
            "properties": {"a": {"items": {"type": "integer"}, "default": [1, {"b": null}], "enum": [1, "x"]}}});
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
        [
            typed("v1", "Pod", pod.clone()),
            typed("v1", "List", json!({"items": [typed("v1", "Pod", pod)]})),
            typed("v1", "Secret", json!({"data": {"k": "AAEC"}})),
            typed(
                "coordination.k8s.io/v1",
                "Lease",
                json!({"spec": {"renewTime": "2026-01-02T03:04:05.000001Z"}}),
            ),
            typed(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                json!({"spec": {"versions": [version]}}),
            ),
            typed(
                "authorization.k8s.io/v1",
                "SubjectAccessReview",
                json!({"spec": {"extra": {"a": ["b", "c"]}}}),
            ),
            typed(
                "v1",
                "DeleteOptions",
                json!({"preconditions": {"uid": "u"}, "gracePeriodSeconds": 0}),
            ),
        ]
        .iter()
        .map(|object| encode(object).unwrap())
        .collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn a_changed_body_is_an_object_or_an_error(
            which in any::<prop::sample::Index>(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..6),
        ) {
            let mut bytes = which.get(&BODIES).clone();
            for (at, byte, how) in changes {
                let at = at.index(bytes.len());
                match how {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    // The lengths before it stay the same, so the reader is misled.
                    2 if bytes.len() > 8 => { bytes.remove(at); }
                    _ => bytes[at] = bytes[at].wrapping_add(1),
                }
            }
            body(&bytes);
        }

        #[test]
        fn any_bytes_are_an_object_or_an_error(
            kind in prop::sample::select(vec!["Pod", "List", "ConfigMap", "Scale", "Nothing"]),
            raw in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            body(&raw);
            let mut meta = Vec::new();
            crate::wire::put_bytes(&mut meta, 1, b"v1");
            crate::wire::put_bytes(&mut meta, 2, kind.as_bytes());
            let mut bytes = crate::MAGIC.to_vec();
            crate::wire::put_bytes(&mut bytes, 1, &meta);
            crate::wire::put_bytes(&mut bytes, 2, &raw);
            body(&bytes);
        }
    }

    #[test]
    fn endless_nesting_is_an_error() {
        let mut bytes = Vec::new();
        for _ in 0..4_000 {
            let mut raw = Vec::new();
            crate::wire::put_bytes(&mut raw, 1, &bytes);
            let mut list = Vec::new();
            crate::wire::put_bytes(&mut list, 2, &raw);
            bytes = [crate::MAGIC, b"\x0a\x0a\x0a\x02v1\x12\x04List".as_slice()].concat();
            crate::wire::put_bytes(&mut bytes, 2, &list);
        }
        assert!(decode(&bytes).is_err());
        body(&bytes);
    }
}
