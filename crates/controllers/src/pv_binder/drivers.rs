//! The storage drivers: those outside the controller create, expand and delete volumes, the built-in ones only delete.

use super::{
    PROVISIONED_BY, RESIZE, SELECTED_NODE, capacity, emit_event, is_for, requested, views, volumes,
    watched,
};
use crate::api::json::{Value, json};
use crate::cluster::{Place, PodMode};
use crate::kinds::fake;
use crate::kinds::tree::{at, field, has, text};
use crate::runtime::{Cache, EventNote, Object, Plan, PlannedWrite, ReconcileContext};

/// The component name of the CSI resizer sidecar in events.
const RESIZER: &str = "external-resizer";
// Provisioners watch one or the other, depending on their age, so kube-controller-manager sets both.
pub(super) const PROVISIONER: [&str; 2] = [
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
];

/// Grows the volume of a claim that requests more, in place of the driver's resizer. The claim's status follows the
/// volume.
pub(super) fn expand(claim: &Object, context: &ReconcileContext<'_>, plan: &mut Plan) {
    let name = views::claim(claim).volume_name();
    let volume = context.cache.get(volumes(), "", name);
    let bound = views::claim(claim).phase() == "Bound" && !claim.is_terminating();
    let Some(volume) = volume.filter(|v| bound && is_for(v, claim)) else {
        return;
    };
    let wanted = requested(claim);
    if wanted <= capacity(volume) || !grows(volume, context) {
        return;
    }
    let rule = format!("{RESIZE}: claim {} requests {wanted}", claim.name());
    let patch = json!({"spec": {"capacity": {"storage": wanted.to_string()}}});
    let started = format!("External resizer is resizing volume {name}");
    let write = PlannedWrite::merge(volume, patch, rule)
        .with_event(EventNote::normal(claim, "Resizing", started).reported_by(RESIZER))
        .with_event(
            EventNote::normal(claim, "VolumeResizeSuccessful", "Resize volume succeeded")
                .reported_by(RESIZER),
        );
    plan.changes.push(write);
}

/// Returns true if a driver grows a volume. Volumes that users created have none.
pub(super) fn grows(volume: &Object, context: &ReconcileContext<'_>) -> bool {
    drivers_run(context)
        && !views::volume(volume).driver().is_empty()
        && may_expand(volume, context.cache)
}

/// Returns true if the class of a volume allows expansion.
fn may_expand(volume: &Object, cache: &Cache) -> bool {
    let class = views::volume(volume).storage_class_name();
    let class = cache.get(watched::storage_classes(), "", class);
    class.is_some_and(|class| views::allows_expansion(class))
}

/// Returns true if the fake storage drivers run. With `--pods running` nothing outside the control plane exists.
fn drivers_run(context: &ReconcileContext<'_>) -> bool {
    context.pods != PodMode::Running
}

/// Returns the driver outside the controller that provisions for a provisioner, if one does. The names of Kubernetes' former
/// drivers mean the ones that replaced them.
pub(super) fn external(provisioner: &str) -> Option<&str> {
    match provisioner.strip_prefix("kubernetes.io/") {
        None => Some(provisioner),
        Some("aws-ebs") => Some("ebs.csi.aws.com"),
        Some("azure-disk") => Some("disk.csi.azure.com"),
        Some("azure-file") => Some("file.csi.azure.com"),
        Some("cinder") => Some("cinder.csi.openstack.org"),
        Some("gce-pd") => Some("pd.csi.storage.gke.io"),
        Some("portworx-volume") => Some("pxd.portworx.com"),
        Some("vsphere-volume") => Some("csi.vsphere.vmware.com"),
        Some(_) => None,
    }
}

/// Returns true if a driver deletes a released volume, unless [`undeletable`] has a reason against it. Volumes of
/// external drivers stay if none runs.
pub(super) fn deletes(volume: &Object, context: &ReconcileContext<'_>) -> bool {
    volume.annotation(PROVISIONED_BY).is_none() || drivers_run(context)
}

/// Returns the reason if no plugin can delete the storage of a volume. Drivers delete the volumes that they created.
pub(super) fn undeletable(volume: &Object) -> Option<String> {
    let spec = field(volume, "spec");
    if volume.annotation(PROVISIONED_BY).is_some() {
        return None;
    }
    if !has(spec, "hostPath") {
        let name = volume.name();
        // The controller knows three kinds of volumes; it leaves all others to drivers.
        let why = match has(spec, "nfs") || has(spec, "local") {
            true => "no deletable volume plugin matched",
            false => "no volume plugin matched",
        };
        return Some(format!(
            "error getting deleter volume plugin for volume \"{name}\": {why}"
        ));
    }
    let path = text(views::volume(volume).host_path(), "path");
    // The host path plugin's own safety check: it only ever deletes below /tmp.
    let temporary = path
        .split_once("/tmp/")
        .is_some_and(|(_, rest)| !rest.is_empty());
    (!temporary)
        .then(|| format!("host_path deleter only supports /tmp/.+ but received provided {path}"))
}

/// Creates the volume of a claim.
pub(super) fn provision(
    claim: &Object,
    class: &Object,
    provisioner: &str,
    context: &ReconcileContext<'_>,
    plan: &mut Plan,
) {
    // A name derived from the uid makes provisioning idempotent, and a second claim of the same name gets a volume of
    // its own.
    let name = format!("pvc-{}", claim.uid());
    // A reconcile of its own writes the annotation, because it hands the claim to an external provisioner, which may be
    // absent: the claim then waits, and each look at it repeats this event.
    let is_asked = claim.annotation(PROVISIONER[0]) == Some(provisioner);
    if !is_asked {
        let annotations: Value = PROVISIONER
            .iter()
            .map(|a| ((*a).to_owned(), json!(provisioner)))
            .collect::<crate::api::json::Map>()
            .into();
        let patch = json!({"metadata": {"annotations": annotations}});
        plan.changes.push(PlannedWrite::merge(
            claim,
            patch,
            format!("provision: by {provisioner}"),
        ));
    }
    if !is_asked || !drivers_run(context) {
        let message = format!(
            "Waiting for a volume to be created either by the external provisioner '{provisioner}' or \
             manually by the system administrator. If volume creation is delayed, please verify that \
             the provisioner is running and correctly registered."
        );
        emit_event(claim, plan, "ExternalProvisioning", &message);
        return;
    }
    if context.cache.get(volumes(), "", &name).is_some() {
        return;
    }
    let spec = field(claim, "spec");
    let policy = match text(class, "reclaimPolicy") {
        "" => "Delete",
        policy => policy,
    };
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: provisioner}},
        "spec": {
            "accessModes": spec["accessModes"],
            "capacity": {"storage": at(spec, &["resources", "requests", "storage"])},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.namespace(),
                "name": claim.name(), "uid": claim.uid(), "resourceVersion": claim.revision().to_string(),
            },
            "csi": {"driver": provisioner, "volumeHandle": name},
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": class.name(),
            "volumeMode": match text(spec, "volumeMode") { "" => "Filesystem", mode => mode },
        },
    });
    if let Some(options) = class.get("mountOptions").filter(|o| !o.is_null()) {
        volume["spec"]["mountOptions"] = options.clone();
    }
    // Only a local volume is tied to the node that the scheduler chose; a network volume stays usable everywhere.
    if let Some(node) = claim.annotation(SELECTED_NODE)
        && !fake::annotation(class, "ctl.dev/local").is_empty()
    {
        volume["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]},
        ]}]}});
    }
    let rule = format!("provision: {} for {}", provisioner, claim.name());
    plan.changes.push(PlannedWrite::create(
        Place::new(volumes(), ""),
        volume,
        rule,
    ));
}
