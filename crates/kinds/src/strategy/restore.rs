//! Prepares a restore: keeps the values that the system has assigned since the restored version.
//!
//! A restore is an update that brings back what users wrote in an older version. It must not remove fields that the
//! system assigns once, and the old annotations of controllers would no longer be true.

use crate::Kind;
use crate::api::json::{List, Map, Value};
use crate::tree::{as_text, at, ensure, field, flag, has, list, set, take};

/// The prefixes of the annotations that controllers write.
const CONTROLLER_ANNOTATIONS: &[&str] = &[
    "deployment.kubernetes.io/",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/storage-provisioner",
    "node.alpha.kubernetes.io/",
    "control-plane.alpha.kubernetes.io/",
    "endpoints.kubernetes.io/",
];

/// The finalizers that the system itself sets and removes.
const OWN_FINALIZERS: &[&str] = &[
    "kubernetes.io/pvc-protection",
    "kubernetes.io/pv-protection",
    "batch.kubernetes.io/job-tracking",
    "foregroundDeletion",
    "orphan",
];

/// Sets in `object`, an earlier version, the values that the system has assigned to `current` since.
pub fn keep_assigned(kind: &Kind, object: &mut Value, current: &Value) {
    keep_annotations(object, current);
    keep_finalizers(object, current);
    keep_controller(object, current);
    let Some(assigned) = kind.hooks.assigned else {
        return;
    };
    // The hook gets both versions because a Service keeps its address only if both have one.
    let always = assigned(object, current);
    for name in always {
        let assigned = field(field(current, "spec"), name);
        if !assigned.is_null() {
            set(ensure(object, "spec"), name, assigned.clone());
        }
    }
}

fn is_note(name: &str) -> bool {
    CONTROLLER_ANNOTATIONS
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

fn keep_annotations(object: &mut Value, current: &Value) {
    let notes = |object: &Value, ours: bool| -> Vec<(String, Value)> {
        let annotations = at(object, &["metadata", "annotations"]).as_object();
        let entries = annotations.into_iter().flat_map(Map::iter);
        entries
            .filter(|(name, _)| is_note(name) == ours)
            .map(|(name, value)| (name.to_string(), value.clone()))
            .collect()
    };
    let (kept, then) = (notes(current, true), notes(object, true));
    // In the usual case, nothing differs. Return without copying the map, so that it stays shared.
    if kept == then {
        return;
    }
    let mut all: Vec<_> = notes(object, false);
    all.extend(kept);
    let metadata = ensure(object, "metadata");
    if all.is_empty() {
        drop(take(metadata, "annotations"));
    } else {
        set(
            metadata,
            "annotations",
            Value::Object(all.into_iter().collect()),
        );
    }
}

fn keep_finalizers(object: &mut Value, current: &Value) {
    let finalizers = |object: &Value| list(field(object, "metadata"), "finalizers").to_vec();
    let (then, now) = (finalizers(object), finalizers(current));
    let own = |finalizer: &Value| OWN_FINALIZERS.contains(&as_text(finalizer));
    // The remaining finalizers keep their current order, because a mere reordering would count as a change.
    let mut all: Vec<Value> = now
        .iter()
        .filter(|f| own(f) || then.contains(f))
        .cloned()
        .collect();
    all.extend(then.iter().filter(|f| !own(f) && !now.contains(f)).cloned());
    if all != then {
        put_list(object, "finalizers", all);
    }
}

/// Keeps the controller reference: only controllers adopt and release objects.
fn keep_controller(object: &mut Value, current: &Value) {
    let owners = |object: &Value| list(field(object, "metadata"), "ownerReferences").to_vec();
    let (then, now) = (owners(object), owners(current));
    let mut all: Vec<Value> = now
        .into_iter()
        .filter(|owner| flag(owner, "controller"))
        .collect();
    if all.is_empty() {
        return;
    }
    all.extend(then.iter().filter(|o| !flag(o, "controller")).cloned());
    if all != then {
        put_list(object, "ownerReferences", all);
    }
}

fn put_list(object: &mut Value, name: &str, items: Vec<Value>) {
    let metadata = ensure(object, "metadata");
    if items.is_empty() && has(metadata, name) {
        drop(take(metadata, name));
    } else if !items.is_empty() {
        set(metadata, name, Value::Array(List::from(items)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::registry;

    fn restored(kind: &str, mut object: Value, current: &Value) -> Value {
        let kind = registry::all().find(|k| k.kind == kind).unwrap();
        keep_assigned(kind, &mut object, current);
        object
    }

    #[test]
    fn a_restore_keeps_the_assigned_values() {
        for (kind, then, now, expected) in [
            (
                "Pod",
                json!({"spec": {"x": 1}}),
                json!({"spec": {"nodeName": "n1", "x": 2}}),
                json!({"spec": {"nodeName": "n1", "x": 1}}),
            ),
            (
                "PersistentVolumeClaim",
                json!({"spec": {}}),
                json!({"spec": {"volumeName": "pv"}}),
                json!({"spec": {"volumeName": "pv"}}),
            ),
            (
                "Service",
                json!({"spec": {"clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"]}}),
                json!({"spec": {"clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"]}}),
                json!({"spec": {"clusterIP": "10.96.0.9", "clusterIPs": ["10.96.0.9"]}}),
            ),
            (
                "Service",
                json!({"spec": {"type": "ExternalName"}}),
                json!({"spec": {"clusterIP": "10.96.0.9"}}),
                json!({"spec": {"type": "ExternalName"}}),
            ),
            (
                "Deployment",
                json!({"metadata": {"annotations": {"a": "1", "deployment.kubernetes.io/revision": "1"}}}),
                json!({"metadata": {"annotations": {"a": "2", "deployment.kubernetes.io/revision": "3"}}}),
                json!({"metadata": {"annotations": {"a": "1", "deployment.kubernetes.io/revision": "3"}}}),
            ),
            (
                "ConfigMap",
                json!({"metadata": {"finalizers": ["a/b"]}}),
                json!({"metadata": {"finalizers": ["foregroundDeletion", "c/d"]}}),
                json!({"metadata": {"finalizers": ["foregroundDeletion", "a/b"]}}),
            ),
        ] {
            assert_eq!(restored(kind, then, &now), expected);
        }
    }

    #[test]
    fn restore_keeps_the_current_controller_reference() {
        let owner = |name: &str, controller: bool| json!({"name": name, "controller": controller});
        let of = |owners: Value| json!({"metadata": {"ownerReferences": owners}});
        let now = of(json!([owner("rs", true), owner("other", false)]));
        let free = restored("Pod", json!({"metadata": {}}), &now);
        assert_eq!(free, of(json!([owner("rs", true)])));
        let mine = restored("Pod", of(json!([owner("mine", false)])), &now);
        assert_eq!(mine, of(json!([owner("rs", true), owner("mine", false)])));
        let orphan = json!({"metadata": {}});
        let owned = of(json!([owner("rs", true)]));
        assert_eq!(restored("Pod", owned.clone(), &orphan), owned);
    }
}
