//! Rebuilds managed fields: the YAML tree shows objects without them, so a tree without its journal
//! has lost them.

use crate::api::json::{Map, Value};
use crate::kinds::{Kind, last_applied, shape};
use crate::rules::managed::{FieldWriter, note};

/// The manager that `kubectl apply` writes as.
const CLIENT_SIDE_APPLY: &str = "kubectl-client-side-apply";

/// The manager that Kubernetes assigns to fields without a known owner.
const UNKNOWN: &str = "before-first-apply";

/// Records the owners of an object's fields from its content: client-side apply by its annotation, and an unknown
/// manager for the rest.
pub(crate) fn rebuild_owners(kind: &Kind, object: &mut Value) {
    if object["metadata"]["managedFields"].is_array() {
        return;
    }
    // The only time in the object itself.
    let time = match object["metadata"]["creationTimestamp"].as_str() {
        Some(time) => time.to_owned(),
        None => return,
    };
    let by = |manager| FieldWriter {
        manager,
        subresource: "",
        time: &time,
    };
    let mut applied = applied(kind, object);
    if let Some(applied) = &mut applied {
        note(kind, None, applied, by(CLIENT_SIDE_APPLY));
        object["metadata"]["managedFields"] = applied["metadata"]["managedFields"].clone();
    }
    // The status is written through a separate subresource and so has a separate entry.
    let status = object.as_object_mut().and_then(|o| o.remove("status"));
    note(kind, applied.as_ref(), object, by(UNKNOWN));
    if let Some(status) = status {
        let without = object.clone();
        object["status"] = status;
        let subresource = if kind.has_status() { "status" } else { "" };
        let by = FieldWriter {
            subresource,
            ..by(UNKNOWN)
        };
        note(kind, Some(&without), object, by);
    }
}

/// Returns the last applied configuration.
fn applied(kind: &Kind, object: &Value) -> Option<Value> {
    let annotation = last_applied::of(object)?;
    let config: Value = serde_json::from_str(annotation).ok()?;
    let mut applied = shape::read(kind, &last_applied::annotated(&config))
        .ok()?
        .object;
    if applied.get("status").is_some()
        && let Some(fields) = applied.as_object_mut()
    {
        fields.remove("status");
    }
    if !applied["metadata"].is_object() {
        applied["metadata"] = Value::Object(Map::new());
    }
    Some(applied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::kinds::registry;

    fn owners(object: &Value) -> Vec<(String, String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let entries = object["metadata"]["managedFields"].as_array().unwrap();
        let entry = |e: &Value| {
            (
                text(&e["manager"]),
                text(&e["subresource"]),
                e["fieldsV1"].to_string(),
            )
        };
        entries.iter().map(entry).collect()
    }

    #[test]
    fn rebuild_assigns_applied_fields_to_kubectl() {
        let kind = registry::all().find(|k| k.kind == "Deployment").unwrap();
        let config = json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"}, "spec": {"replicas": 2}});
        let mut object = last_applied::annotated(&config);
        object["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
        object["metadata"]["labels"] = json!({"hand": "made"});
        object["spec"]["replicas"] = json!(5);
        object["spec"]["paused"] = json!(true);
        object["status"] = json!({"replicas": 5});
        rebuild_owners(kind, &mut object);
        let owners = owners(&object);
        let of = |manager: &str, subresource: &str| -> &str {
            let found = owners
                .iter()
                .find(|(m, s, _)| m == manager && s == subresource);
            &found.unwrap_or_else(|| panic!("{manager} in {owners:?}")).2
        };
        let applied = of(CLIENT_SIDE_APPLY, "");
        assert!(applied.contains("f:kubectl.kubernetes.io/last-applied-configuration"));
        assert!(!applied.contains("f:replicas"), "another one set it since");
        let rest = of(UNKNOWN, "");
        for field in ["f:replicas", "f:paused", "f:hand"] {
            assert!(rest.contains(field), "{field} in {rest}");
        }
        assert!(of(UNKNOWN, "status").contains("f:replicas"));
        let before = object.clone();
        rebuild_owners(kind, &mut object);
        assert_eq!(object, before, "known owners stay");
    }
}
