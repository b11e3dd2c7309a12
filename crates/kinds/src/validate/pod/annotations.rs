//! Annotations of Pods that have a meaning of their own.

use super::super::common::descending_path;
use super::super::errors::Errors;
use super::super::go;
use super::super::path::Path;
use crate::api::json::Value;
use crate::tree::{as_text, has, list, text};

const MIRROR: &str = "kubernetes.io/config.mirror";
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Validates the annotations at `path` of a Pod or a template with this spec.
pub(crate) fn annotations(path: &Path<'_>, all: &Value, spec: &Value, errors: &mut Errors) {
    // Only a kubelet creates mirror Pods, of the static Pods on its own node.
    if has(all, MIRROR) && text(spec, "nodeName").is_empty() {
        errors.invalid_shown(
            &path.key(MIRROR),
            &go::quoted(text(all, MIRROR)),
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    // A cost that the ReplicaSet controller cannot read would count as 0 without a word.
    if has(all, COST) && !is_cost(text(all, COST)) {
        let shown = go::quoted(text(all, COST));
        errors.invalid_shown(&path.key(COST), &shown, "must be a 32bit integer");
    }
    if has(all, SECCOMP) {
        // Upstream appends the key as if it were a field.
        seccomp(&path.child(SECCOMP), text(all, SECCOMP), errors);
    }
    for (key, profile) in pairs(all).filter(|(key, _)| key.starts_with(SECCOMP_OF_CONTAINER)) {
        seccomp(&path.child(key), as_text(profile), errors);
    }
    for (key, profile) in pairs(all) {
        let Some(container) = key.strip_prefix(APPARMOR) else {
            continue;
        };
        let (path, profile) = (path.key(key), as_text(profile));
        if !has_container(spec, container) {
            errors.invalid_shown(&path, &go::quoted(container), "container not found");
        }
        // An absent profile is the one of the runtime.
        let known = matches!(profile, "" | "runtime/default" | "unconfined");
        if !known && !profile.starts_with("localhost/") {
            let profile = go::quoted(profile);
            let detail = format!("invalid AppArmor profile name: {profile}");
            errors.invalid_shown(&path, &profile, &detail);
        }
    }
}

/// Validates the change of annotations that are fixed once the Pod exists.
pub(crate) fn changes(path: &Path<'_>, new: &Value, old: &Value, errors: &mut Errors) {
    let fixed = |key: &str| match key {
        MIRROR => Some("mirror pod annotation"),
        key if key.starts_with(APPARMOR) => Some("AppArmor annotations"),
        _ => None,
    };
    for (key, value) in pairs(old) {
        if let Some(what) = fixed(key).filter(|_| new.get(key) != Some(value)) {
            errors.forbidden(&path.key(key), &format!("may not remove or update {what}"));
        }
    }
    for (key, _) in pairs(new) {
        if let Some(what) = fixed(key).filter(|_| old.get(key).is_none()) {
            errors.forbidden(&path.key(key), &format!("may not add {what}"));
        }
    }
}

/// Returns the annotations, sorted by their keys.
fn pairs(annotations: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let map = annotations.as_object().into_iter().flatten();
    map.map(|(key, value)| (key.as_str(), value))
}

/// Returns true for a number of 32 bits in the form that the ReplicaSet controller reads.
fn is_cost(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = text.starts_with('-') || digits == "0" || !digits.starts_with('0');
    plain && !text.starts_with('+') && text.parse::<i32>().is_ok()
}

fn seccomp(path: &Path<'_>, profile: &str, errors: &mut Errors) {
    match profile {
        "runtime/default" | "docker/default" | "unconfined" => {}
        profile => match profile.strip_prefix("localhost/") {
            Some(file) => descending_path(path, file, errors),
            None => {
                let detail = "must be a valid seccomp profile";
                errors.invalid_shown(path, &go::quoted(profile), detail);
            }
        },
    }
}

fn has_container(spec: &Value, name: &str) -> bool {
    let mut all = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .flat_map(|kind| list(spec, kind));
    all.any(|container| text(container, "name") == name)
}
