//! Annotations that have a defined meaning on Pods.

use super::super::common::descending_path;
use super::super::errors::Errors;
use super::super::go;
use super::super::path::Path;
use super::operating_system::each_container;
use super::scheduling;
use crate::api::json::{Value, from_bytes};
use crate::api::json_syntax;
use crate::tree::{as_text, field, has, list, text};

const MIRROR: &str = "kubernetes.io/config.mirror";
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APPARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// Validates the annotations at `path` of a Pod or a template with the given spec.
pub(crate) fn annotations(path: &Path<'_>, all: &Value, spec: &Value, errors: &mut Errors) {
    // Only a kubelet creates mirror Pods: they represent the static Pods of its own node.
    if has(all, MIRROR) && text(spec, "nodeName").is_empty() {
        errors.invalid_shown(
            &path.key(MIRROR),
            &go::quoted(text(all, MIRROR)),
            "must set spec.nodeName if mirror pod annotation is set",
        );
    }
    if !text(all, TOLERATIONS).is_empty() {
        tolerations(path, text(all, TOLERATIONS), errors);
    }
    // The ReplicaSet controller would silently treat an unreadable cost as 0.
    if has(all, COST) && !is_cost(text(all, COST)) {
        let shown = go::quoted(text(all, COST));
        errors.invalid_shown(&path.key(COST), &shown, "must be a 32bit integer");
    }
    if has(all, SECCOMP) {
        // Upstream appends the key like a field name.
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
        // An empty profile stands for the default of the container runtime.
        let known = matches!(profile, "" | "runtime/default" | "unconfined");
        if !known && !profile.starts_with("localhost/") {
            let profile = go::quoted(profile);
            let detail = format!("invalid AppArmor profile name: {profile}");
            errors.invalid_shown(&path, &profile, &detail);
        }
    }
}

/// Requires the annotations of a new Pod to agree with the fields that replaced them.
pub(crate) fn match_fields(path: &Path<'_>, all: &Value, spec: &Value, errors: &mut Errors) {
    let context = field(spec, "securityContext");
    let of_pod = Profile {
        called: "seccomp",
        default: &["runtime/default", "docker/default"],
        annotation: all.get(SECCOMP),
        field: field(context, "seccompProfile"),
    };
    let context_path = path.child("securityContext");
    of_pod.check(&context_path.child("seccompProfile"), errors);
    each_container(path, spec, &mut |path, container| {
        let key = format!("{SECCOMP_OF_CONTAINER}{}", text(container, "name"));
        let own = Profile {
            annotation: all.get(&key),
            field: field(field(container, "securityContext"), "seccompProfile"),
            ..of_pod
        };
        let path = path.child("securityContext");
        own.check(&path.child("seccompProfile"), errors);
    });
    // Windows has no AppArmor, and a separate rule rejects the fields.
    if text(field(spec, "os"), "name") == "windows" {
        return;
    }
    each_container(path, spec, &mut |path, container| {
        let key = format!("{APPARMOR}{}", text(container, "name"));
        let mut profile = field(field(container, "securityContext"), "appArmorProfile");
        // A container without a profile uses the profile of the Pod.
        if profile.is_null() {
            profile = field(context, "appArmorProfile");
        }
        let own = Profile {
            called: "apparmor",
            default: &["runtime/default"],
            annotation: all.get(&key),
            field: profile,
        };
        let path = path.child("securityContext");
        own.check(&path.child("appArmorProfile"), errors);
    });
}

/// A profile that may be set by an annotation, a field, or both.
#[derive(Clone, Copy)]
struct Profile<'a> {
    called: &'a str,
    /// The annotation values that correspond to the type `RuntimeDefault`.
    default: &'a [&'a str],
    annotation: Option<&'a Value>,
    field: &'a Value,
}

impl Profile<'_> {
    /// Reports a difference between the annotation and the field at `path`.
    fn check(&self, path: &Path<'_>, errors: &mut Errors) {
        let Some(annotation) = self.annotation.map(as_text) else {
            return;
        };
        let local = annotation.strip_prefix("localhost/");
        let same = match text(self.field, "type") {
            "Unconfined" => annotation == "unconfined",
            "RuntimeDefault" => self.default.contains(&annotation),
            "Localhost" => local.is_some(),
            _ => true,
        };
        if !same {
            let detail = format!("{} type in annotation and field must match", self.called);
            errors.forbidden(&path.child("type"), &detail);
        } else if text(self.field, "type") == "Localhost"
            && field(self.field, "localhostProfile").as_str() != local
        {
            let detail = format!("{} profile in annotation and field must match", self.called);
            errors.forbidden(&path.child("localhostProfile"), &detail);
        }
    }
}

/// Rejects changes of annotations that are fixed once the Pod exists.
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

/// Returns true if `text` is a 32-bit number in the form that the ReplicaSet controller reads.
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

/// Validates the tolerations in the JSON text of an annotation.
fn tolerations(path: &Path<'_>, json: &str, errors: &mut Errors) {
    let parsed = json_syntax::check(json.as_bytes())
        .and_then(|_| from_bytes(json.as_bytes(), &[]).map_err(|wrong| wrong.to_string()));
    match parsed {
        Ok(list) => {
            let holder = Value::Object([("tolerations".to_owned(), list)].into_iter().collect());
            scheduling::tolerations(&path.child(TOLERATIONS), &holder, errors);
        }
        // Upstream shows the key instead of the value.
        Err(wrong) => errors.invalid_shown(path, &go::quoted(TOLERATIONS), &wrong),
    }
}

fn has_container(spec: &Value, name: &str) -> bool {
    let mut all = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .flat_map(|kind| list(spec, kind));
    all.any(|container| text(container, "name") == name)
}
