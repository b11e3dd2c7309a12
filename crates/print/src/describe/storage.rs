//! PersistentVolumes, PersistentVolumeClaims and their classes.

use super::events::events;
use super::meta::{
    cluster_head, created, flag_or_unset, go_list, labels_and_annotations, name,
    name_and_namespace, since, time,
};
use super::related::{NONE, Related};
use super::volumes::persistent;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::columns;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, has, len, list, opt_int, text, texts};

/// The annotation that preceded the field `storageClassName`.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the storage class of a claim or volume.
pub(super) fn class_of(object: &Value) -> &str {
    let annotations = at(object, &["metadata", "annotations"]);
    // The annotation wins even if it is empty, as in the volume controller.
    match has(annotations, CLASS) {
        true => text(annotations, CLASS),
        false => text(field(object, "spec"), "storageClassName"),
    }
}

/// Returns the abbreviated access modes, without duplicates, in kubectl's order.
fn access_modes(holder: &Value) -> String {
    let modes: Vec<&str> = texts(holder, "accessModes").collect();
    let known = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let found = known
        .iter()
        .filter(|(mode, _)| modes.contains(mode))
        .map(|(_, short)| *short);
    found.collect::<Vec<_>>().join(",")
}

fn finalizers(w: &mut Writer, object: &Value) {
    w.field(
        0,
        "Finalizers",
        go_list(texts(field(object, "metadata"), "finalizers")),
    );
}

fn phase(w: &mut Writer, object: &Value, related: &Related) {
    // A finalizer such as `pvc-protection` may keep a deleted claim for a long time, so the time since its deletion
    // replaces the phase.
    let deleted = at(object, &["metadata", "deletionTimestamp"]);
    match deleted.is_null() {
        true => w.field(0, "Status", text(field(object, "status"), "phase")),
        false => w.field(
            0,
            "Status",
            format!("Terminating (lasts {})", since(deleted, related)),
        ),
    }
}

pub(super) fn persistent_volume(w: &mut Writer, volume: &Value, related: &Related) {
    let spec = field(volume, "spec");
    cluster_head(w, volume);
    finalizers(w, volume);
    w.field(0, "StorageClass", class_of(volume));
    phase(w, volume, related);
    let claim = field(spec, "claimRef");
    match claim.is_null() {
        true => w.field(0, "Claim", ""),
        false => w.field(
            0,
            "Claim",
            format!("{}/{}", text(claim, "namespace"), text(claim, "name")),
        ),
    }
    w.field(
        0,
        "Reclaim Policy",
        text(spec, "persistentVolumeReclaimPolicy"),
    );
    w.field(0, "Access Modes", access_modes(spec));
    if has(spec, "volumeMode") {
        w.field(0, "VolumeMode", text(spec, "volumeMode"));
    }
    w.field(0, "Capacity", quantity(at(spec, &["capacity", "storage"])));
    node_affinity(w, spec);
    w.field(0, "Message", text(field(volume, "status"), "message"));
    w.line(0, "Source:");
    persistent(w, spec);
    events(w, related);
}

fn node_affinity(w: &mut Writer, spec: &Value) {
    let required = at(spec, &["nodeAffinity", "required"]);
    if required.is_null() {
        return w.field(0, "Node Affinity", NONE);
    }
    w.field(0, "Node Affinity", "");
    let terms = list(required, "nodeSelectorTerms");
    if terms.is_empty() {
        return w.field(1, "Required Terms", NONE);
    }
    w.field(1, "Required Terms", "");
    for (at, term) in terms.iter().enumerate() {
        // The API has `In`, kubectl prints `in`. The allowed topologies of a class know no other operator.
        let shown = |one: &Value| requirement(one, &text(one, "operator").to_lowercase());
        requirements(w, 2, at, list(term, "matchExpressions"), shown);
    }
}

fn requirement(requirement: &Value, operator: &str) -> String {
    let values = texts(requirement, "values").collect::<Vec<_>>().join(", ");
    match len(requirement, "values") {
        0 => format!("{} {operator}", text(requirement, "key")),
        _ => format!("{} {operator} [{values}]", text(requirement, "key")),
    }
}

fn requirements(
    w: &mut Writer,
    level: usize,
    number: usize,
    all: &[Value],
    shown: impl Fn(&Value) -> String,
) {
    if all.is_empty() {
        w.field(level, &format!("Term {number}"), NONE);
    }
    for (at, one) in all.iter().enumerate() {
        let title = if at == 0 {
            format!("Term {number}:")
        } else {
            String::new()
        };
        w.line(level, format!("{title}\t{}", shown(one)));
    }
}

pub(super) fn persistent_volume_claim(w: &mut Writer, object: &Value, related: &Related) {
    claim(w, object, Some(related));
    w.values(
        0,
        "Used By",
        users(object, &related.pods).into_iter().map(str::to_owned),
    );
    let conditions = list(field(object, "status"), "conditions");
    if !conditions.is_empty() {
        w.line(0, "Conditions:");
        w.line(
            1,
            "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage",
        );
        w.line(
            1,
            // kubectl's dashes do not match its headers, so this line is written out.
            "----\t------\t-----------------\t------------------\t------\t-------",
        );
    }
    for c in conditions {
        let stamp = |name: &str| time(field(c, name), related);
        w.line(
            1,
            format!(
                "{} \t{} \t{} \t{} \t{} \t{}",
                text(c, "type"),
                text(c, "status"),
                stamp("lastProbeTime"),
                stamp("lastTransitionTime"),
                text(c, "reason"),
                text(c, "message")
            ),
        );
    }
    events(w, related);
}

/// Returns the names of the Pods that mount or own a claim, once for each volume.
fn users<'a>(claim: &Value, pods: &'a [Value]) -> Vec<&'a str> {
    let mounts = |pod: &Value| {
        let volumes = list(field(pod, "spec"), "volumes").iter();
        let claims =
            volumes.map(|volume| text(field(volume, "persistentVolumeClaim"), "claimName"));
        claims.filter(|mounted| *mounted == name(claim)).count()
    };
    // The claim of a generic ephemeral volume is owned by the Pod, whose spec does not name it.
    let owners = list(field(claim, "metadata"), "ownerReferences");
    let owns = |pod: &Value| {
        let uid = text(field(pod, "metadata"), "uid");
        owners
            .iter()
            .any(|owner| text(owner, "kind") == "Pod" && text(owner, "uid") == uid)
    };
    let times = |pod: &Value| mounts(pod).max(usize::from(owns(pod)));
    let mut users: Vec<&str> = pods
        .iter()
        .flat_map(|pod| std::iter::repeat_n(name(pod), times(pod)))
        .collect();
    users.sort_unstable();
    users
}

/// Writes a claim, or a claim template, which has neither name nor state.
pub(super) fn claim(w: &mut Writer, claim: &Value, whole: Option<&Related>) {
    let (spec, status) = (field(claim, "spec"), field(claim, "status"));
    if whole.is_some() {
        name_and_namespace(w, claim);
    }
    w.field(0, "StorageClass", class_of(claim));
    if let Some(related) = whole {
        phase(w, claim, related);
    }
    w.field(0, "Volume", text(spec, "volumeName"));
    labels_and_annotations(w, claim);
    if whole.is_some() {
        finalizers(w, claim);
    }
    // Once the claim is bound, capacity and modes come from the status; before, it has only requests.
    let is_bound = !text(spec, "volumeName").is_empty();
    let capacity = match is_bound {
        true => quantity(at(status, &["capacity", "storage"])).to_string(),
        false => String::new(),
    };
    w.field(0, "Capacity", capacity);
    w.field(
        0,
        "Access Modes",
        if is_bound {
            access_modes(status)
        } else {
            String::new()
        },
    );
    if has(spec, "volumeMode") {
        w.field(0, "VolumeMode", text(spec, "volumeMode"));
    }
    let source = field(spec, "dataSource");
    if !source.is_null() {
        w.line(0, "DataSource:");
        if has(source, "apiGroup") {
            w.field(1, "APIGroup", text(source, "apiGroup"));
        }
        w.field(1, "Kind", text(source, "kind"));
        w.field(1, "Name", text(source, "name"));
    }
}

pub(super) fn storage_class(w: &mut Writer, class: &Value, related: &Related) {
    // As in the admission plugin, either annotation makes a class the default.
    const DEFAULT: [&str; 2] = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ];
    let metadata = field(class, "metadata");
    let annotations = field(metadata, "annotations");
    let is_default = DEFAULT.iter().any(|name| text(annotations, name) == "true");
    w.field(0, "Name", name(class));
    w.field(0, "IsDefaultClass", if is_default { "Yes" } else { "No" });
    w.field(0, "Annotations", columns::labels(metadata, "annotations"));
    w.field(0, "Provisioner", text(class, "provisioner"));
    w.field(0, "Parameters", columns::labels(class, "parameters"));
    w.field(
        0,
        "AllowVolumeExpansion",
        flag_or_unset(field(class, "allowVolumeExpansion")),
    );
    match len(class, "mountOptions") {
        0 => w.field(0, "MountOptions", NONE),
        _ => w.line(0, "MountOptions:"),
    }
    for option in texts(class, "mountOptions") {
        w.line(1, option);
    }
    for (title, name) in [
        ("ReclaimPolicy", "reclaimPolicy"),
        ("VolumeBindingMode", "volumeBindingMode"),
    ] {
        if has(class, name) {
            w.field(0, title, text(class, name));
        }
    }
    let topologies = list(class, "allowedTopologies");
    if !topologies.is_empty() {
        w.field(0, "AllowedTopologies", "");
    }
    for (at, term) in topologies.iter().enumerate() {
        requirements(w, 1, at, list(term, "matchLabelExpressions"), |one| {
            requirement(one, "in")
        });
    }
    events(w, related);
}

pub(super) fn volume_attributes_class(w: &mut Writer, class: &Value, related: &Related) {
    w.field(0, "Name", name(class));
    w.field(
        0,
        "Annotations",
        columns::labels(field(class, "metadata"), "annotations"),
    );
    w.field(0, "DriverName", text(class, "driverName"));
    w.field(0, "Parameters", columns::labels(class, "parameters"));
    events(w, related);
}

pub(super) fn csi_node(w: &mut Writer, node: &Value, related: &Related) {
    cluster_head(w, node);
    created(w, node, related);
    w.line(0, "Spec:");
    let drivers = field(field(node, "spec"), "drivers");
    // kubectl tests the pointer: the title is printed for an empty list, but not for a missing one.
    if !drivers.is_null() {
        w.line(1, "Drivers:");
    }
    for driver in list(field(node, "spec"), "drivers") {
        w.line(2, format!("{}:", text(driver, "name")));
        w.field(3, "Node ID", text(driver, "nodeID"));
        // A missing `count` means no limit, unlike 0.
        if let Some(count) = opt_int(field(driver, "allocatable"), "count") {
            w.line(3, "Allocatables:");
            w.field(4, "Count", count);
        }
        if has(driver, "topologyKeys") {
            w.field(3, "Topology Keys", go_list(texts(driver, "topologyKeys")));
        }
    }
    events(w, related);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn pod_with_two_volumes_of_a_claim_is_named_twice() {
        let volume = json!({"persistentVolumeClaim": {"claimName": "data"}});
        let pod = |name: &str, volumes: Value| json!({"metadata": {"name": name, "uid": name}, "spec": {"volumes": volumes}});
        let pods = [
            pod("web", json!([volume])),
            pod("app", json!([volume, {"emptyDir": {}}, volume])),
            pod("own", json!([{"ephemeral": {}}])),
            pod("other", json!([])),
        ];
        let owner = json!([{"kind": "Pod", "uid": "own"}, {"kind": "Pod", "uid": "web"}]);
        let claim = json!({"metadata": {"name": "data", "ownerReferences": owner}});
        assert_eq!(users(&claim, &pods), ["app", "app", "own", "web"]);
    }
}
