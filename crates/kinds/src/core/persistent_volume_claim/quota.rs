//! The usage of a quota by a PersistentVolumeClaim, and the limit ranges that bound it.

use crate::admission::limits;
use crate::admission::quota::count;
use crate::admission::scope::Scope;
use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::pod::resources::{Amounts, amounts};
use crate::tree::{at, field, text};

/// Adds a claim and its storage, once more under its class.
pub(super) fn usage(claim: &Value, used: &mut Amounts) {
    count(used, "persistentvolumeclaims");
    let spec = field(claim, "spec");
    let requests = amounts(field(spec, "resources"), "requests");
    let storage = requests.get("storage").copied().unwrap_or(Quantity::ZERO);
    used.insert("requests.storage".to_owned(), storage);
    let class = text(spec, "storageClassName");
    if !class.is_empty() {
        // A quota can bound each class by itself under this name.
        let class = format!("{class}.storageclass.storage.k8s.io");
        used.insert(format!("{class}/requests.storage"), storage);
        count(used, &format!("{class}/persistentvolumeclaims"));
    }
}

/// Returns true if a claim is in a scope of a quota: that of the classes that it has, had or gets.
pub(super) fn is_in(scope: &Scope<'_>, claim: &Value) -> bool {
    let status = field(claim, "status");
    // A change of the class takes a while, and until then the claim counts for both.
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

/// Checks the storage of a new claim against an item of a limit range.
pub(super) fn check_limits(item: &Value, claim: &Value, wrong: &mut Vec<String>) {
    if text(item, "type") == "PersistentVolumeClaim" {
        let requests = amounts(at(claim, &["spec", "resources"]), "requests");
        limits::claim(item, &requests, wrong);
    }
}
