//! Writes to subresources: the decision on a certificate request, the finalizers of a namespace, the ephemeral
//! containers and the resources of a Pod.

use super::count_change;
use crate::api::json::Value;
use crate::tree::{ensure, field, has, items, list, set, set_default, set_or_remove, text};

/// Prepares a write to a Pod's `/ephemeralcontainers`: keeps all other fields.
pub fn prepare_ephemeral_containers(object: &mut Value, old: &Value) {
    let containers = field(object, "spec").get("ephemeralContainers").cloned();
    let mut next = as_it_was(object, old);
    set_or_remove(ensure(&mut next, "spec"), "ephemeralContainers", containers);
    count_change(&mut next, old);
    *object = next;
}

/// Prepares a write to a Pod's `/resize`: only the containers' resources change.
pub fn prepare_resize(object: &mut Value, old: &Value) {
    let wanted = field(object, "spec").clone();
    let mut next = as_it_was(object, old);
    let spec = ensure(&mut next, "spec");
    for kind in ["containers", "initContainers"] {
        for container in items(spec, kind) {
            // Matched by name: a client may send the containers in another order or leave some out.
            let name = text(container, "name").to_owned();
            let new = list(&wanted, kind).iter().find(|c| text(c, "name") == name);
            if let Some(resources) = new.and_then(|c| c.get("resources")) {
                set(container, "resources", resources.clone());
            }
            if let Some(policy) = new.and_then(|c| c.get("resizePolicy")) {
                set(container, "resizePolicy", policy.clone());
            }
        }
    }
    count_change(&mut next, old);
    *object = next;
}

/// Prepares a write to a certificate request's `/approval`: only the conditions change, and those
/// without a time get `now`.
pub fn prepare_approval(object: &mut Value, old: &Value, now: &str) {
    let conditions = field(object, "status").get("conditions").cloned();
    let mut next = as_it_was(object, old);
    let status = ensure(&mut next, "status");
    set_or_remove(status, "conditions", conditions);
    let before = list(field(old, "status"), "conditions");
    for condition in items(status, "conditions") {
        set_default(condition, "lastUpdateTime", now);
        if has(condition, "lastTransitionTime") {
            continue;
        }
        let same = before.iter().find(|b| {
            ["type", "status"]
                .iter()
                // An unchanged condition keeps the time of its last transition.
                .all(|name| text(b, name) == text(condition, name))
        });
        let since = same.map_or("", |b| text(b, "lastTransitionTime"));
        let since = if since.is_empty() { now } else { since };
        set(condition, "lastTransitionTime", since.to_owned());
    }
    *object = next;
}

/// Prepares a write to a namespace's `/finalize`: the finalizers of its spec change.
pub fn prepare_finalize(object: &mut Value, old: &Value) {
    let finalizers = field(object, "spec").get("finalizers").cloned();
    let mut next = as_it_was(object, old);
    set_or_remove(ensure(&mut next, "spec"), "finalizers", finalizers);
    *object = next;
}

/// Returns the old object with the metadata that an update may change.
fn as_it_was(object: &mut Value, old: &Value) -> Value {
    super::carry_metadata(object, old);
    let mut next = old.clone();
    set(&mut next, "metadata", field(object, "metadata").clone());
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn approval_updates_only_conditions_and_their_times() {
        let old = json!({"metadata": {"name": "r"}, "spec": {"signerName": "a/b"}, "status": {
            "certificate": "QQ==",
            "conditions": [{"type": "Failed", "status": "True", "lastTransitionTime": "then"}],
        }});
        let mut new = json!({"metadata": {"name": "r"}, "spec": {}, "status": {"conditions": [
            {"type": "Failed", "status": "True"}, {"type": "Approved", "status": "True"},
        ]}});
        prepare_approval(&mut new, &old, "now");
        assert_eq!(new["spec"], old["spec"]);
        assert_eq!(new["status"]["certificate"], "QQ==");
        let conditions = &new["status"]["conditions"];
        assert_eq!(conditions[0]["lastTransitionTime"], "then");
        assert_eq!(conditions[1]["lastTransitionTime"], "now");
        assert_eq!(conditions[1]["lastUpdateTime"], "now");
    }

    #[test]
    fn finalize_changes_only_finalizers() {
        let old = json!({"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Terminating"}});
        let mut new = json!({"metadata": {"name": "n"}, "spec": {}, "status": {"phase": "Active"}});
        prepare_finalize(&mut new, &old);
        assert!(new["spec"].get("finalizers").is_none());
        assert_eq!(new["status"]["phase"], "Terminating");
    }
}
