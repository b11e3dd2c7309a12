//! Volumes and the claims that bind them.

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, flag, has, list, opt_int, text};

/// A PersistentVolumeClaim.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a>(&'a Value);

/// Reads a PersistentVolumeClaim.
pub(crate) fn claim(object: &Value) -> Claim<'_> {
    Claim(object)
}

impl<'a> Claim<'a> {
    /// Returns the phase, such as `Bound`.
    pub(crate) fn phase(self) -> &'a str {
        text(field(self.0, "status"), "phase")
    }

    /// Returns the bound volume; empty until it is bound.
    pub(crate) fn volume_name(self) -> &'a str {
        text(field(self.0, "spec"), "volumeName")
    }

    /// Returns the storage class.
    pub(crate) fn storage_class_name(self) -> &'a str {
        class_of(self.0)
    }

    /// Returns the requested amount of storage.
    pub(crate) fn requested(self) -> Quantity {
        quantity(at(self.0, &["spec", "resources", "requests", "storage"]))
    }
}

/// A PersistentVolume.
#[derive(Clone, Copy)]
pub(crate) struct Volume<'a>(&'a Value);

/// Reads a PersistentVolume.
pub(crate) fn volume(object: &Value) -> Volume<'_> {
    Volume(object)
}

impl<'a> Volume<'a> {
    /// Returns the phase, such as `Available`.
    pub(crate) fn phase(self) -> &'a str {
        text(field(self.0, "status"), "phase")
    }

    /// Returns the explanation of its phase; empty for none.
    pub(crate) fn message(self) -> &'a str {
        text(field(self.0, "status"), "message")
    }

    /// Returns the amount of storage that it has.
    pub(crate) fn capacity(self) -> Quantity {
        quantity(at(self.0, &["spec", "capacity", "storage"]))
    }

    /// Returns the storage class.
    pub(crate) fn storage_class_name(self) -> &'a str {
        class_of(self.0)
    }

    /// Returns the VolumeAttributesClass.
    pub(crate) fn attributes_class_name(self) -> &'a str {
        text(field(self.0, "spec"), "volumeAttributesClassName")
    }

    /// Returns the directory of its node, or null.
    pub(crate) fn host_path(self) -> &'a Value {
        at(self.0, &["spec", "hostPath"])
    }

    /// Returns the NFS share, or null.
    pub(crate) fn nfs(self) -> &'a Value {
        at(self.0, &["spec", "nfs"])
    }

    /// Returns the driver of a CSI volume; empty for others.
    pub(crate) fn driver(self) -> &'a str {
        text(at(self.0, &["spec", "csi"]), "driver")
    }

    /// Returns the name that the driver of a CSI volume gave to it.
    pub(crate) fn handle(self) -> &'a str {
        text(at(self.0, &["spec", "csi"]), "volumeHandle")
    }

    /// Returns the reference to the bound claim, or null.
    pub(crate) fn claim(self) -> &'a Value {
        field(field(self.0, "spec"), "claimRef")
    }

    /// Returns the policy for a released volume.
    pub(crate) fn reclaim_policy(self) -> &'a str {
        text(field(self.0, "spec"), "persistentVolumeReclaimPolicy")
    }
}

/// The annotation that preceded the field `storageClassName`, and still has precedence.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Returns the storage class of a claim or a volume.
fn class_of(object: &Value) -> &str {
    let annotations = at(object, &["metadata", "annotations"]);
    match has(annotations, CLASS) {
        true => text(annotations, CLASS),
        false => text(field(object, "spec"), "storageClassName"),
    }
}

/// Returns true if the volumes of a StorageClass may grow.
pub(crate) fn allows_expansion(class: &Value) -> bool {
    flag(class, "allowVolumeExpansion")
}

/// Returns the name of the program that provisions the volumes of a StorageClass.
pub(crate) fn provisioner(class: &Value) -> &str {
    text(class, "provisioner")
}

/// Returns true if a CSIDriver reports the storage that nodes have.
pub(crate) fn reports_storage(driver: &Value) -> bool {
    flag(field(driver, "spec"), "storageCapacity")
}

/// Returns the StorageClass that a CSIStorageCapacity is about.
pub(crate) fn free_storage_class(capacity: &Value) -> &str {
    text(capacity, "storageClassName")
}

/// Returns the drivers of a CSINode that limit the number of volumes, with their limits.
pub(crate) fn attach_limits(csi_node: &Value) -> impl Iterator<Item = (&str, usize)> {
    let drivers = list(field(csi_node, "spec"), "drivers").iter();
    drivers.filter_map(|driver| {
        let count = opt_int(field(driver, "allocatable"), "count")?;
        Some((text(driver, "name"), usize::try_from(count).unwrap_or(0)))
    })
}
