//! Pods, and the parts of a Pod spec that Pod templates share.

use super::containers::{containers, resources};
use super::events::events;
use super::meta::{controlled_by, labels, labels_and_annotations, name_and_namespace, since, time};
use super::related::{NONE, Related};
use super::volumes::volumes;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::columns::label_selector;
use crate::kinds::pod::qos;
use crate::kinds::tree::{at, field, has, int, len, list, opt_int, text};

pub(super) fn pod(w: &mut Writer, pod: &Value, related: &Related) {
    let (spec, status) = (field(pod, "spec"), field(pod, "status"));
    name_and_namespace(w, pod);
    // Priority 0 is printed, a missing priority is not: the admission plugin sets it for each new Pod.
    if let Some(priority) = opt_int(spec, "priority") {
        w.field(0, "Priority", priority);
    }
    for (title, name) in [
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ] {
        if !text(spec, name).is_empty() {
            w.field(0, title, text(spec, name));
        }
    }
    match text(spec, "nodeName") {
        "" => w.field(0, "Node", NONE),
        node => w.field(0, "Node", format!("{node}/{}", text(status, "hostIP"))),
    }
    if has(status, "startTime") {
        w.field(0, "Start Time", time(field(status, "startTime"), related));
    }
    labels_and_annotations(w, pod);
    phase(w, pod, related);
    let profile = at(spec, &["securityContext", "seccompProfile"]);
    if !profile.is_null() {
        w.field(0, "SeccompProfile", text(profile, "type"));
        if text(profile, "type") == "Localhost" {
            w.field(0, "LocalhostProfile", text(profile, "localhostProfile"));
        }
    }
    addresses(w, status);
    controlled_by(w, pod);
    if !text(status, "nominatedNodeName").is_empty() {
        w.field(0, "NominatedNodeName", text(status, "nominatedNodeName"));
    }
    if has(spec, "resources") {
        w.line(0, "Resources:");
        resources(w, field(spec, "resources"), 1);
    }
    all_containers(w, pod, related);
    conditions(w, pod);
    volumes(w, list(spec, "volumes"), "");
    let class = match text(status, "qosClass") {
        // The kubelet reports the class. Without a kubelet, the same rule determines it here.
        "" => qos::class(pod),
        class => class,
    };
    w.field(0, "QoS Class", class);
    labels(w, 0, "Node-Selectors", spec, "nodeSelector");
    tolerations(w, 0, spec);
    topology_spread(w, spec, "");
    scheduling_group(w, spec, "");
    events(w, related);
}

fn phase(w: &mut Writer, pod: &Value, related: &Related) {
    let (metadata, status) = (field(pod, "metadata"), field(pod, "status"));
    let phase = text(status, "phase");
    // A finished Pod that is being deleted has nothing left to terminate, so its phase says more.
    if has(metadata, "deletionTimestamp") && !matches!(phase, "Failed" | "Succeeded") {
        let since = since(field(metadata, "deletionTimestamp"), related);
        // kubectl prints "lasts" for the time since the deletion was due.
        w.field(0, "Status", format!("Terminating (lasts {since})"));
        let grace = int(metadata, "deletionGracePeriodSeconds");
        w.field(0, "Termination Grace Period", format!("{grace}s"));
    } else {
        w.field(0, "Status", phase);
    }
    for (title, name) in [("Reason", "reason"), ("Message", "message")] {
        if !text(status, name).is_empty() {
            w.field(0, title, text(status, name));
        }
    }
}

fn addresses(w: &mut Writer, status: &Value) {
    w.field(0, "IP", text(status, "podIP"));
    if len(status, "podIPs") == 0 {
        return w.field(0, "IPs", NONE);
    }
    w.line(0, "IPs:");
    for address in list(status, "podIPs") {
        w.field(1, "IP", text(address, "ip"));
    }
}

fn all_containers(w: &mut Writer, pod: &Value, related: &Related) {
    let (spec, status) = (field(pod, "spec"), field(pod, "status"));
    for (title, name, statuses) in [
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        (
            "Ephemeral Containers",
            "ephemeralContainers",
            "ephemeralContainerStatuses",
        ),
    ] {
        // The title `Containers:` is always printed, the other two only if there are any.
        if len(spec, name) > 0 || name == "containers" {
            let statuses = list(status, statuses);
            containers(
                w,
                title,
                list(spec, name),
                statuses,
                Some((pod, related)),
                "",
            );
        }
    }
}

fn conditions(w: &mut Writer, pod: &Value) {
    let conditions = list(field(pod, "status"), "conditions");
    let gates = list(field(pod, "spec"), "readinessGates");
    if !gates.is_empty() {
        w.line(0, "Readiness Gates:");
        w.line(1, "Type\tStatus");
    }
    for gate in gates {
        let kind = text(gate, "conditionType");
        // The condition of this gate has not been set yet; until then, the Pod is not ready.
        let condition = conditions
            .iter()
            .find(|condition| text(condition, "type") == kind);
        let status = condition.map_or(NONE, |condition| text(condition, "status"));
        // kubectl prints the trailing blank.
        w.line(1, format!("{kind} \t{status} "));
    }
    if !conditions.is_empty() {
        w.line(0, "Conditions:");
        w.line(1, "Type\tStatus");
    }
    for condition in conditions {
        w.line(
            1,
            format!(
                "{} \t{} ",
                text(condition, "type"),
                text(condition, "status")
            ),
        );
    }
}

/// Writes the tolerations, sorted by key.
pub(super) fn tolerations(w: &mut Writer, level: usize, spec: &Value) {
    let mut sorted: Vec<&Value> = list(spec, "tolerations").iter().collect();
    sorted.sort_by_cached_key(|toleration| text(toleration, "key").to_owned());
    w.values(level, "Tolerations", sorted.into_iter().map(toleration));
}

fn toleration(toleration: &Value) -> String {
    let part = |before: &str, name: &str| match text(toleration, name) {
        "" => String::new(),
        value => format!("{before}{value}"),
    };
    let mut shown = format!(
        "{}{}{}",
        text(toleration, "key"),
        part("=", "value"),
        part(":", "effect")
    );
    // `Equal` is the default and never printed; `Exists` is printed only if there is no value.
    if text(toleration, "operator") == "Exists" && text(toleration, "value").is_empty() {
        shown.push_str(if shown.is_empty() {
            "op=Exists"
        } else {
            " op=Exists"
        });
    }
    if let Some(seconds) = opt_int(toleration, "tolerationSeconds") {
        shown.push_str(&format!(" for {seconds}s"));
    }
    shown
}

/// Writes the topology spread constraints, sorted by key.
pub(super) fn topology_spread(w: &mut Writer, spec: &Value, space: &str) {
    let mut sorted: Vec<&Value> = list(spec, "topologySpreadConstraints").iter().collect();
    if sorted.is_empty() {
        return;
    }
    sorted.sort_by_cached_key(|constraint| text(constraint, "topologyKey").to_owned());
    let shown = |constraint: &Value| {
        let selector = match has(constraint, "labelSelector") {
            true => format!(
                " for selector {}",
                label_selector(field(constraint, "labelSelector"))
            ),
            false => String::new(),
        };
        format!(
            "{}:{} when max skew {} is exceeded{selector}",
            text(constraint, "topologyKey"),
            text(constraint, "whenUnsatisfiable"),
            int(constraint, "maxSkew")
        )
    };
    for (at, constraint) in sorted.into_iter().enumerate() {
        let title = if at == 0 {
            "Topology Spread Constraints:"
        } else {
            ""
        };
        w.line(0, format!("{space}{title}\t{}", shown(constraint)));
    }
}

/// Writes the group of Pods to be scheduled together.
pub(super) fn scheduling_group(w: &mut Writer, spec: &Value, space: &str) {
    let group = field(spec, "schedulingGroup");
    if !group.is_null() {
        w.line(0, format!("{space}SchedulingGroup:"));
        w.field(1, "PodGroupName", text(group, "podGroupName"));
    }
}
