//! The rules of writes to the subresources of a Pod.

use crate::api::json::Value;
use crate::core::pod::validate::metadata_and_spec;
use crate::pod::qos;
use crate::tree::{ensure, field, items, list, set_or_remove, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates an update of `/ephemeralcontainers`: existing ones cannot change.
pub(crate) fn ephemeral_containers(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    let spec = Path::root("spec");
    let path = spec.child("ephemeralContainers");
    let now = list(field(pod, "spec"), "ephemeralContainers");
    for container in list(field(old, "spec"), "ephemeralContainers") {
        let name = text(container, "name");
        let quoted = go::quoted(name);
        match now.iter().find(|c| text(c, "name") == name) {
            None => {
                // The line break at the end is upstream's.
                let detail = format!("existing ephemeral containers {quoted} may not be removed\n");
                errors.forbidden(&path, &detail);
            }
            Some(same) if same == container => {}
            Some(_) => {
                let detail = format!("existing ephemeral containers {quoted} may not be changed");
                errors.forbidden(&path, &detail);
            }
        }
    }
}

/// Validates an update of `/resize`: CPU and memory, within the same class of service.
pub(crate) fn resize(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    let path = Path::root("spec");
    let class = qos::class(old);
    // The kubelet has placed the Pod's cgroup and its eviction order by the class.
    if qos::class(pod) != class {
        let detail = "Pod QOS Class may not change as a result of resizing";
        errors.invalid_shown(&path, &go::quoted(class), detail);
    }
    if without_compute(pod) != without_compute(old) {
        errors.forbidden(&path, "only cpu and memory resources are mutable");
    }
}

/// Returns the resources of the containers without CPU and memory.
fn without_compute(pod: &Value) -> Vec<Value> {
    let mut spec = field(pod, "spec").clone();
    let mut all = Vec::new();
    for kind in ["containers", "initContainers"] {
        for container in items(&mut spec, kind) {
            let resources = ensure(container, "resources");
            for which in ["limits", "requests"] {
                let amounts = ensure(resources, which);
                for name in ["cpu", "memory"] {
                    set_or_remove(amounts, name, None);
                }
            }
            all.push(resources.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn messages(check: fn(&Value, &Value, &mut Errors), new: Value, old: Value) -> Vec<String> {
        let pod = |spec: Value| {
            let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec,
                "metadata": {"name": "p", "namespace": "default"}});
            let kind = crate::find("", "v1", "Pod").unwrap();
            crate::shape::settle(kind, &mut pod);
            pod
        };
        let mut errors = Errors::default();
        check(&pod(new), &pod(old), &mut errors);
        errors
            .into_causes()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn ephemeral_containers_are_only_added() {
        let spec = |ephemeral: Value| json!({"containers": [{"name": "c", "image": "i"}], "ephemeralContainers": ephemeral});
        let one = json!([{"name": "e", "image": "i", "targetContainerName": "c"}]);
        let check = |new: Value, old: Value| messages(ephemeral_containers, spec(new), spec(old));
        assert!(check(one.clone(), json!([])).is_empty());
        assert_eq!(
            check(json!([]), one.clone()),
            [
                "spec.ephemeralContainers: Forbidden: existing ephemeral containers \"e\" may not be removed\n"
            ]
        );
        let clash = json!([{"name": "c", "image": "i"}]);
        assert_eq!(
            check(clash, json!([])),
            ["spec.ephemeralContainers[0].name: Duplicate value: \"c\""]
        );
    }

    #[test]
    fn resize_cannot_change_the_qos_class() {
        let spec = |requests: Value| json!({"containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}]});
        let check = |new: Value, old: Value| messages(resize, spec(new), spec(old));
        assert!(check(json!({"cpu": "2"}), json!({"cpu": "1"})).is_empty());
        assert_eq!(
            check(json!({"cpu": "1"}), json!({})),
            [
                "spec: Invalid value: \"BestEffort\": Pod QOS Class may not change as a result of resizing"
            ]
        );
        assert_eq!(
            check(json!({"ephemeral-storage": "1Gi"}), json!({})),
            ["spec: Forbidden: only cpu and memory resources are mutable"]
        );
    }
}
