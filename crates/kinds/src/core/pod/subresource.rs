//! The rules for writes to the subresources of a Pod.

use crate::api::json::Value;
use crate::core::pod::admission::MIRROR;
use crate::core::pod::validate::metadata_and_spec;
use crate::pod::qos;
use crate::tree::{ensure, entries, field, has, items, list, set_or_remove, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates an update of `/ephemeralcontainers`: existing containers cannot change.
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
                // Upstream's message ends with a line break.
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

/// Validates an update of `/resize`: only CPU and memory may change, and not the QoS class.
pub(crate) fn resize(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    if let Some(detail) = never_resized(old) {
        *errors = Errors::default();
        return errors.forbidden(&Path::root(""), detail);
    }
    let path = Path::root("spec");
    let class = qos::class(old);
    // The kubelet has chosen the cgroup and the eviction order of the Pod by its QoS class.
    if qos::class(pod) != class {
        let detail = "Pod QOS Class may not change as a result of resizing";
        errors.invalid_shown(&path, &go::quoted(class), detail);
    }
    // The remaining rules compare containers pair by pair.
    if !are_same_containers(pod, old, errors) {
        return;
    }
    for all in ["initContainers", "containers"] {
        let pairs = list(field(old, "spec"), all)
            .iter()
            .zip(list(field(pod, "spec"), all));
        let path = path.child(all);
        for (index, (before, now)) in pairs.enumerate() {
            keeps_amounts(&path.index(index), now, before, errors);
        }
    }
    if without_compute(pod) != without_compute(old) {
        errors.forbidden(&path, "only cpu and memory resources are mutable");
    }
}

/// Returns the reason why a Pod can never be resized, if there is one.
fn never_resized(pod: &Value) -> Option<&'static str> {
    let annotations = field(field(pod, "metadata"), "annotations");
    if has(annotations, MIRROR) {
        return Some("static pods cannot be resized");
    }
    let os = field(field(pod, "spec"), "os");
    (text(os, "name") == "windows").then_some("windows pods cannot be resized")
}

/// Rejects containers that are added, removed, moved or renamed.
fn are_same_containers(pod: &Value, old: &Value, errors: &mut Errors) -> bool {
    let (path, known) = (Path::root("spec"), errors.len());
    for all in ["containers", "initContainers"] {
        let path = path.child(all);
        let (now, before) = (list(field(pod, "spec"), all), list(field(old, "spec"), all));
        if now.len() != before.len() {
            let detail = format!("{all} may not be added or removed on resize");
            errors.forbidden(&path, &detail);
            continue;
        }
        for (index, (new, old)) in now.iter().zip(before).enumerate() {
            if text(new, "name") != text(old, "name") {
                let detail = format!("{all} may not be renamed or reordered on resize");
                errors.forbidden(&path.index(index).child("name"), &detail);
            }
        }
    }
    errors.len() == known
}

/// Rejects the removal of a request or limit, which the kubelet cannot undo in a running cgroup.
fn keeps_amounts(path: &Path<'_>, now: &Value, before: &Value, errors: &mut Errors) {
    let path = path.child("resources");
    for which in ["requests", "limits"] {
        let amounts = field(field(now, "resources"), which);
        let lost = |name: &str| !has(amounts, name);
        if entries(field(before, "resources"), which).any(|(name, _)| lost(name)) {
            let detail = format!("resource {which} cannot be removed");
            errors.forbidden(&path.child(which), &detail);
        }
    }
}

/// Returns the resources of all containers without CPU and memory.
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

    #[test]
    fn resize_keeps_the_containers_and_their_amounts() {
        let container = |name: &str, requests: Value| json!({"name": name, "image": "i", "resources": {"requests": requests}});
        let one = json!({"containers": [container("c", json!({"cpu": "1", "memory": "1Gi"}))]});
        let check = |containers: Value| {
            let mut new = json!({"spec": {"containers": containers}});
            let old = json!({"spec": one.clone()});
            crate::strategy::prepare_resize(&mut new, &old);
            messages(resize, new["spec"].clone(), one.clone())
        };
        assert!(
            check(json!([container(
                "c",
                json!({"cpu": "2", "memory": "1Gi"})
            )]))
            .is_empty()
        );
        assert_eq!(
            check(json!([container("c", json!({"cpu": "2"}))])),
            [
                "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"
            ]
        );
        let all = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(
            check(json!([
                container("c", all.clone()),
                container("d", all.clone())
            ])),
            ["spec.containers: Forbidden: containers may not be added or removed on resize"]
        );
        assert_eq!(
            check(json!([container("d", all)])),
            [
                "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"
            ]
        );
    }

    #[test]
    fn no_resize_of_pods_for_windows() {
        let spec = |cpu: &str| {
            json!({"os": {"name": "windows"}, "containers": [{"name": "c", "image": "i",
                "resources": {"requests": {"cpu": cpu}}}]})
        };
        assert_eq!(
            messages(resize, spec("2"), spec("1")),
            [": Forbidden: windows pods cannot be resized"]
        );
    }
}
