//! The rules for writes to the subresources of a Pod.

use crate::api::json::{Map, Value, json};
use crate::core::pod::admission::MIRROR;
use crate::core::pod::cells::is_sidecar;
use crate::core::pod::validate::metadata_and_spec;
use crate::pod::qos;
use crate::tree::{ensure, entries, field, has, len, list, set_or_remove, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

/// Validates an update of `/ephemeralcontainers`: existing containers cannot change.
pub(crate) fn ephemeral_containers(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    if is_mirror(old) {
        *errors = Errors::default();
        let detail = "static pods do not support ephemeral containers";
        return errors.forbidden(&Path::root(""), detail);
    }
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
    if has_amounts(old) || has_amounts(pod) {
        resize_pod(pod, old, errors);
    }
    // The remaining rules compare containers pair by pair.
    if !are_same_containers(pod, old, errors) {
        return;
    }
    for all in ["initContainers", "containers"] {
        for (index, (before, now)) in pairs(pod, old, all) {
            let path = path.child(all);
            let path = path.index(index);
            keeps_amounts(&path.child("resources"), "resource", now, before, errors);
        }
    }
    // Upstream reports the spec and not the container.
    for (_, (before, now)) in pairs(pod, old, "containers") {
        if !equal_but_compute(now, before) {
            errors.forbidden(&path, "only cpu and memory resources are mutable");
        }
    }
    for (index, (before, now)) in pairs(pod, old, "initContainers") {
        let path = path.child("initContainers");
        let path = path.index(index);
        if !equal_but_compute(now, before) {
            let detail = "only cpu and memory resources for init or sidecar containers are mutable";
            errors.forbidden(&path, detail);
        }
        let mut policies = list(now, "resizePolicy").iter();
        let restarts = policies.any(|policy| text(policy, "restartPolicy") == "RestartContainer");
        if restarts && now != before && !is_sidecar(now) {
            let detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized";
            errors.forbidden(&path, detail);
        }
    }
}

/// Returns the containers of both Pods in pairs, the old one first.
fn pairs<'a>(
    pod: &'a Value,
    old: &'a Value,
    all: &str,
) -> impl Iterator<Item = (usize, (&'a Value, &'a Value))> {
    let now = list(field(pod, "spec"), all).iter();
    list(field(old, "spec"), all).iter().zip(now).enumerate()
}

/// Returns true if a Pod has resources of its own, beside those of its containers.
fn has_amounts(pod: &Value) -> bool {
    let resources = field(field(pod, "spec"), "resources");
    ["requests", "limits"]
        .iter()
        .any(|which| len(resources, which) > 0)
}

/// Validates a change of the resources of the Pod itself.
fn resize_pod(pod: &Value, old: &Value, errors: &mut Errors) {
    let (spec, before) = (field(pod, "spec"), field(old, "spec"));
    let path = Path::root("spec");
    let resources = path.child("resources");
    if has(before, "resources") && !has(spec, "resources") {
        return errors.forbidden(&resources, "pod-level resources cannot be removed");
    }
    keeps_amounts(&resources, "pod-level resource", spec, before, errors);
    let alone = |spec: &Value| json!({"resources": field(spec, "resources")});
    if !equal_but_compute(&alone(spec), &alone(before)) {
        let detail = "only cpu and memory resources are mutable at pod-level";
        errors.forbidden(&path, detail);
    }
}

fn is_mirror(pod: &Value) -> bool {
    has(field(field(pod, "metadata"), "annotations"), MIRROR)
}

/// Returns the reason why a Pod can never be resized, if there is one.
fn never_resized(pod: &Value) -> Option<&'static str> {
    if is_mirror(pod) {
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
fn keeps_amounts(path: &Path<'_>, called: &str, now: &Value, before: &Value, errors: &mut Errors) {
    for which in ["requests", "limits"] {
        let amounts = field(field(now, "resources"), which);
        let lost = |name: &str| !has(amounts, name);
        if entries(field(before, "resources"), which).any(|(name, _)| lost(name)) {
            let detail = format!("{called} {which} cannot be removed");
            errors.forbidden(&path.child(which), &detail);
        }
    }
}

/// Returns true if a resize of a container changes nothing but its CPU and memory.
fn equal_but_compute(now: &Value, before: &Value) -> bool {
    let empty = |value: &Value| value.is_null() || value.as_object().is_some_and(Map::is_empty);
    let (mut reset, mut before) = (now.clone(), before.clone());
    let resources = ensure(&mut reset, "resources");
    // Upstream forgets the claims, so that a container with claims cannot be resized.
    set_or_remove(resources, "claims", None);
    for which in ["limits", "requests"] {
        let old = field(field(&before, "resources"), which);
        let amounts = ensure(resources, which);
        for name in ["cpu", "memory"] {
            set_or_remove(amounts, name, old.get(name).cloned());
        }
        let had_none = empty(old);
        if empty(amounts) {
            set_or_remove(resources, which, None);
        }
        if had_none {
            set_or_remove(ensure(&mut before, "resources"), which, None);
        }
    }
    let same = |name: &str| {
        let (new, old) = (field(&reset, name), field(&before, name));
        new == old || empty(new) && empty(old)
    };
    let names = |container: &Value| -> Vec<String> {
        let map = container.as_object().into_iter().flatten();
        map.map(|(name, _)| name.to_string()).collect()
    };
    names(&reset)
        .into_iter()
        .chain(names(&before))
        .all(|name| same(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(check: fn(&Value, &Value, &mut Errors), new: Value, old: Value) -> Vec<String> {
        let pod = |spec: Value| {
            let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec,
                "metadata": {"name": "p", "namespace": "default"}});
            let kind = crate::find("", "v1", "Pod").unwrap();
            crate::shape::normalize(kind, &mut pod);
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
    fn ephemeral_containers_may_set_few_fields() {
        let spec = |ephemeral: Value| {
            json!({"volumes": [{"name": "v", "emptyDir": {}}],
                "containers": [{"name": "c", "image": "i"}], "ephemeralContainers": ephemeral})
        };
        let new = json!([{"name": "e", "image": "i", "restartPolicy": "Always",
            "resources": {"limits": {"cpu": "1"}}, "readinessProbe": {"tcpSocket": {"port": 1}},
            "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
            "volumeMounts": [{"name": "v", "mountPath": "/v", "subPath": "a"}]}]);
        let all = messages(ephemeral_containers, spec(new), spec(json!([])));
        let fields = all.iter().map(|message| {
            let (field, detail) = message.split_once(": ").unwrap();
            assert_eq!(
                detail,
                "Forbidden: cannot be set for an Ephemeral Container"
            );
            field.strip_prefix("spec.ephemeralContainers[0].").unwrap()
        });
        assert_eq!(
            fields.collect::<Vec<_>>(),
            [
                "resources",
                "resizePolicy",
                "restartPolicy",
                "readinessProbe",
                "volumeMounts[0].subPath"
            ]
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
        let more = json!({"cpu": "1", "ephemeral-storage": "1Gi"});
        assert_eq!(
            check(more, json!({"cpu": "1"})),
            ["spec: Forbidden: only cpu and memory resources are mutable"]
        );
        // As recorded in row h164 of the requests.
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
    fn resize_changes_compute_resources_only() {
        let amounts = |cpu: &str| json!({"requests": {"cpu": cpu}});
        let spec = |init: Value, policy: &str, cpu: &str| {
            json!({"containers": [{"name": "c", "image": "i", "resources": amounts(cpu),
                "resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}]}],
                "initContainers": [init]})
        };
        let init = |resources: Value| json!({"name": "n", "image": "i", "resources": resources});
        let sidecar = |resources: Value| json!({"name": "n", "image": "i", "restartPolicy": "Always", "resources": resources});
        let check = |new: Value, old: Value| messages(resize, new, old);
        let kept = "NotRequired";
        let old = spec(init(amounts("1")), kept, "1");
        assert!(check(spec(init(amounts("2")), kept, "2"), old.clone()).is_empty());
        assert_eq!(
            check(spec(init(amounts("1")), "RestartContainer", "1"), old),
            ["spec: Forbidden: only cpu and memory resources are mutable"]
        );
        let storage = json!({"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}});
        let container: [&dyn Fn(Value) -> Value; 2] = [&init, &sidecar];
        for container in container {
            let old = spec(container(amounts("1")), kept, "1");
            assert!(check(spec(container(amounts("2")), kept, "1"), old.clone()).is_empty());
            assert_eq!(
                check(spec(container(storage.clone()), kept, "1"), old),
                [
                    "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers \
                     are mutable"
                ]
            );
        }
    }

    #[test]
    fn resize_changes_the_resources_of_the_pod_itself() {
        let check = |resources: Value, before: Value| {
            let spec = |resources: Value| json!({"containers": [{"name": "c", "image": "i"}], "resources": resources});
            let (mut new, old) = (
                json!({"spec": spec(resources)}),
                json!({"spec": spec(before)}),
            );
            crate::strategy::prepare_resize(&mut new, &old);
            messages(resize, new["spec"].clone(), old["spec"].clone())
        };
        let old = json!({"requests": {"cpu": "1", "memory": "1Gi"}});
        let more = json!({"requests": {"cpu": "2", "memory": "1Gi"}});
        assert_eq!(check(more, old.clone()), [""; 0]);
        assert_eq!(
            check(json!({"requests": {"cpu": "2"}}), old),
            ["spec.resources.requests: Forbidden: pod-level resource requests cannot be removed"]
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
