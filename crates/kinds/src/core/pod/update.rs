//! Validation of updates of a Pod.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use crate::api::json::Value;
use crate::core::pod::validate::metadata_and_spec;
use crate::tree::{field, has, int, items, list, opt_int, set, set_or_remove, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{addresses, go, meta, names};

const UPDATABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
    `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
    existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was \
    previously negative)";

/// Validates an update of a Pod.
pub(crate) fn update(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    metadata_and_spec(pod, errors);
    let path = Path::root("spec");
    let (spec, before) = (field(pod, "spec"), field(old, "spec"));
    for name in ["containers", "initContainers"] {
        let (new, old) = (list(spec, name), list(before, name));
        // The comparison below pairs containers by index, so their numbers must be equal.
        if new.len() != old.len() {
            let detail = "pod updates may not add or remove containers";
            return errors.forbidden(&path.child(name), detail);
        }
        for (index, container) in new.iter().enumerate() {
            if text(container, "image").is_empty() {
                errors.required(&path.child(name).index(index).child("image"), "");
            }
        }
    }
    if !deadline(&path.child("activeDeadlineSeconds"), spec, before, errors) {
        return;
    }
    tolerations(&path.child("tolerations"), spec, before, errors);
    let gates = path.child("schedulingGates");
    let known: HashSet<&Value> = list(before, "schedulingGates").iter().collect();
    for (index, gate) in list(spec, "schedulingGates").iter().enumerate() {
        if !known.contains(gate) {
            let name = text(gate, "name");
            let detail =
                format!("only deletion is allowed, but found new scheduling gate '{name}'");
            errors.forbidden(&gates.index(index).child("name"), &detail);
        }
    }
    // Upstream resets the mutable fields and compares the rest, so a new field is immutable by default.
    if munged(spec, before) != *before {
        errors.forbidden(&path, UPDATABLE);
    }
}

/// Returns true if the remaining checks make sense.
fn deadline(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) -> bool {
    let name = "activeDeadlineSeconds";
    let detail = match (opt_int(spec, name), opt_int(before, name)) {
        (Some(new), Some(old)) if new > old => "must be less than or equal to previous value",
        (None, Some(_)) => "must not update from a positive integer to nil value",
        _ => return true,
    };
    errors.invalid(path, field(spec, name), detail);
    false
}

fn tolerations(path: &Path<'_>, spec: &Value, before: &Value, errors: &mut Errors) {
    let without_seconds = |toleration: &Value| {
        let mut same = toleration.clone();
        set_or_remove(&mut same, "tolerationSeconds", None);
        same
    };
    let new = list(spec, "tolerations").iter();
    let new: HashSet<Value> = new.map(without_seconds).collect();
    let mut old = list(before, "tolerations").iter().map(without_seconds);
    // Tolerations may be added, never removed: removing one could evict the Pod.
    if !old.all(|toleration| new.contains(&toleration)) {
        errors.forbidden(
            path,
            "existing toleration can not be modified except its tolerationSeconds",
        );
    }
}

/// Returns the new spec with every field reset that may change.
fn munged(spec: &Value, before: &Value) -> Value {
    let mut munged = spec.clone();
    for name in ["containers", "initContainers"] {
        for (container, old) in items(&mut munged, name).zip(list(before, name)) {
            set(container, "image", field(old, "image").clone());
        }
    }
    for name in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
        set_or_remove(&mut munged, name, before.get(name).cloned());
    }
    // While a gate blocks the Pod, the scheduler has not used these fields yet.
    if has(before, "schedulingGates") {
        for name in ["nodeSelector", "affinity"] {
            set_or_remove(&mut munged, name, before.get(name).cloned());
        }
    }
    let grace = "terminationGracePeriodSeconds";
    // Negative values are from before validation forbade them; 1 is how the kubelet treats them.
    if int(before, grace) < 0 && int(spec, grace) == 1 {
        set(&mut munged, grace, int(before, grace));
    }
    munged
}

/// Validates an update of a Pod's status.
pub(crate) fn status(pod: &Value, old: &Value, errors: &mut Errors) {
    meta::update(pod, old, errors);
    let path = Path::root("status");
    let (status, before) = (field(pod, "status"), field(old, "status"));
    let nominated = text(status, "nominatedNodeName");
    if nominated != text(before, "nominatedNodeName") && !nominated.is_empty() {
        errors.invalid_each(
            &path.child("nominatedNodeName"),
            nominated,
            names::dns1123_subdomain(nominated),
        );
    }
    meta::immutable(
        &path.child("qosClass"),
        field(status, "qosClass"),
        field(before, "qosClass"),
        errors,
    );
    if text(field(old, "spec"), "restartPolicy") == "Never" {
        restarts(&path.child("containerStatuses"), status, before, errors);
    }
    for (name, shown) in [("podIPs", "PodIP"), ("hostIPs", "HostIP")] {
        addresses(&path.child(name), list(status, name), shown, errors);
    }
}

/// Rejects restarted containers in a Pod whose containers never restart.
fn restarts(path: &Path<'_>, status: &Value, before: &Value, errors: &mut Errors) {
    let ended = |s: &Value| has(field(s, "state"), "terminated");
    // Of two statuses with the same name the first counts.
    let old = list(before, "containerStatuses").iter().rev();
    let ended_before: HashMap<&str, bool> =
        old.map(|old| (text(old, "name"), ended(old))).collect();
    for (index, new) in list(status, "containerStatuses").iter().enumerate() {
        if ended_before.get(text(new, "name")) == Some(&true) && !ended(new) {
            errors.forbidden(
                &path.index(index).child("state"),
                "may not be transitioned to non-terminated state",
            );
        }
    }
}

fn addresses(path: &Path<'_>, all: &[Value], shown: &str, errors: &mut Errors) {
    for (index, address) in all.iter().enumerate() {
        let ip = text(address, "ip");
        errors.invalid_each(&path.index(index), ip, addresses::ip(ip, true));
    }
    let versions: Vec<bool> = all
        .iter()
        // Invalid addresses were reported above; they belong to no family.
        .filter_map(|a| text(a, "ip").parse::<IpAddr>().ok())
        .map(|ip| ip.is_ipv4())
        .collect();
    let one_each = matches!(
        versions.as_slice(),
        [] | [_] | [true, false] | [false, true]
    );
    if all.len() > 1 && !one_each && versions.len() == all.len() {
        errors.invalid_shown(
            path,
            &go::shown_list(shown, all),
            "may specify no more than one IP for each IP family",
        );
    }
}
