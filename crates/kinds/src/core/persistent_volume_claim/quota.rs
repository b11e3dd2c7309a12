//! The quota usage of a PersistentVolumeClaim, and the limit ranges that bound it.

use crate::admission::limits;
use crate::admission::quota::count;
use crate::admission::scope::Scope;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::{ResourceList, resource_list};
use crate::tree::{at, field, text};

/// Counts a claim and its storage, both in total and for its StorageClass.
pub(super) fn usage(claim: &Value, used: &mut ResourceList) {
    count(used, "persistentvolumeclaims");
    let spec = field(claim, "spec");
    let requests = resource_list(field(spec, "resources"), "requests");
    let storage = requests.get("storage").copied().unwrap_or(Quantity::ZERO);
    used.insert("requests.storage".to_owned(), storage);
    let annotations = at(claim, &["metadata", "annotations"]);
    // The annotation that preceded the field still has precedence.
    let class = match text(annotations, "volume.beta.kubernetes.io/storage-class") {
        "" => text(spec, "storageClassName"),
        class => class,
    };
    if !class.is_empty() {
        // Under this name, a quota can limit each class separately.
        let class = format!("{class}.storageclass.storage.k8s.io");
        used.insert(format!("{class}/requests.storage"), storage);
        count(used, &format!("{class}/persistentvolumeclaims"));
    }
}

/// Returns true if a scope of a quota includes a claim: if it names a class that the claim has, had or will get.
pub(super) fn is_in(scope: &Scope<'_>, claim: &Value) -> bool {
    let status = field(claim, "status");
    // A change of class takes a while. Until it is done, the claim counts for both classes.
    let names = [
        text(field(claim, "spec"), "volumeAttributesClassName"),
        text(status, "currentVolumeAttributesClassName"),
        text(
            field(status, "modifyVolumeStatus"),
            "targetVolumeAttributesClassName",
        ),
    ];
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    scope.name == "VolumeAttributesClass" && scope.has_any(&names)
}

/// Checks the storage of a new claim against an item of a LimitRange.
pub(super) fn check_limits(item: &Value, claim: &Value, wrong: &mut Vec<String>) {
    if text(item, "type") == "PersistentVolumeClaim" {
        let requests = resource_list(at(claim, &["spec", "resources"]), "requests");
        limits::claim(item, &requests, wrong);
    }
}
