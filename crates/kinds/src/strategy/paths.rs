//! Prepares writes to subresources: the approval of a CertificateSigningRequest, the finalizers of a Namespace, and
//! the ephemeral containers and resources of a Pod.

use super::count_change;
use crate::api::json::Value;
use crate::tree::{ensure, field, has, items, len, list, set, set_default, set_or_remove, text};

/// Prepares a write to a Pod's `/ephemeralcontainers`, which keeps all other fields.
pub fn prepare_ephemeral_containers(object: &mut Value, old: &Value) {
    let containers = field(object, "spec").get("ephemeralContainers").cloned();
    super::keep_metadata(object, old);
    let mut next = as_it_was(object, old);
    set_or_remove(ensure(&mut next, "spec"), "ephemeralContainers", containers);
    count_change(&mut next, old);
    *object = next;
}

/// Prepares a write to a Pod's `/resize`, which changes only the resources of the Pod and its containers.
pub fn prepare_resize(object: &mut Value, old: &Value) {
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let (wanted, before) = (field(object, "spec").clone(), field(old, "spec"));
    let mut next = as_it_was(object, old);
    // Validation must see added or removed containers to reject them.
    if LISTS
        .iter()
        .any(|all| len(&wanted, all) != len(before, all))
    {
        set(&mut next, "spec", wanted);
        *object = next;
        return;
    }
    super::keep_metadata(&mut next, old);
    let spec = ensure(&mut next, "spec");
    set_or_remove(spec, "resources", wanted.get("resources").cloned());
    for all in LISTS {
        let sent = list(&wanted, all);
        let known = list(before, all).iter();
        if known
            .zip(sent)
            .any(|(a, b)| text(a, "name") != text(b, "name"))
        {
            // Validation must also see renamed or reordered containers to reject them.
            set(spec, all, sent.to_vec());
            continue;
        }
        for (container, new) in items(spec, all).zip(sent) {
            set(container, "resources", field(new, "resources").clone());
            if let Some(policy) = new.get("resizePolicy") {
                set(container, "resizePolicy", policy.clone());
            }
        }
    }
    count_change(&mut next, old);
    *object = next;
}

/// Prepares a write to the `/approval` of a CertificateSigningRequest, which changes only conditions. Conditions
/// without a time get `now`.
pub fn prepare_approval(object: &mut Value, old: &Value, now: &str) {
    let conditions = field(object, "status").get("conditions").cloned();
    let mut next = as_it_was(object, old);
    set_or_remove(ensure(&mut next, "status"), "conditions", conditions);
    date_conditions(&mut next, old, now);
    *object = next;
}

/// Sets `now` as the time of conditions that have none.
pub fn date_conditions(object: &mut Value, old: &Value, now: &str) {
    let before = list(field(old, "status"), "conditions");
    for condition in items(ensure(object, "status"), "conditions") {
        set_default(condition, "lastUpdateTime", now);
        if has(condition, "lastTransitionTime") {
            continue;
        }
        let same = before.iter().find(|b| {
            ["type", "status"]
                .iter()
                // A condition whose status is unchanged keeps the time of its last transition.
                .all(|name| text(b, name) == text(condition, name))
        });
        let since = same.map_or("", |b| text(b, "lastTransitionTime"));
        let since = if since.is_empty() { now } else { since };
        set(condition, "lastTransitionTime", since.to_owned());
    }
}

/// Prepares a write to a Namespace's `/finalize`, which changes only the finalizers of the spec.
pub fn prepare_finalize(object: &mut Value, old: &Value) {
    let finalizers = field(object, "spec").get("finalizers").cloned();
    let mut next = as_it_was(object, old);
    set_or_remove(ensure(&mut next, "spec"), "finalizers", finalizers);
    *object = next;
}

/// Returns the old object with the metadata of the new one.
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
