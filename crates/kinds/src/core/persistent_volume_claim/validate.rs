//! The rules of a PersistentVolumeClaim.

use crate::api::json::{Value, json};
use crate::pod::resources::quantity;
use crate::tree::{as_text, at, entries, field, has, set_or_remove, text};
use crate::validate::claim::claim_spec;
use crate::validate::common::is_native;
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta, names};

const CLAIM_IMMUTABLE: &str = "spec is immutable after creation except resources.requests and \
    volumeAttributesClassName for bound claims";

/// Validates a new PersistentVolumeClaim.
pub(crate) fn create(object: &Value, errors: &mut Errors) {
    meta::create(object, true, names::dns1123_subdomain, errors);
    claim_spec(&Path::root("spec"), field(object, "spec"), errors);
}

/// Validates an update of a PersistentVolumeClaim: a bound claim may grow, an unbound claim may be bound.
pub(crate) fn update(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    create(object, errors);
    class_annotation(object, old, errors);
    let (spec, before) = (field(object, "spec"), field(old, "spec"));
    let mut allowed = before.clone();
    let mut adopt = |name: &str| set_or_remove(&mut allowed, name, spec.get(name).cloned());
    if text(before, "volumeName").is_empty() {
        adopt("volumeName");
    }
    if !has(before, "storageClassName") {
        adopt("storageClassName");
    }
    let bound = text(field(old, "status"), "phase") == "Bound";
    if bound {
        adopt("volumeAttributesClassName");
        // Of the resources, only the requested storage may change.
        let storage = at(spec, &["resources", "requests", "storage"]);
        if has(field(spec, "resources"), "requests") {
            allowed["resources"]["requests"]["storage"] = storage.clone();
        }
    }
    if *spec != allowed {
        errors.forbidden(&Path::root("spec"), CLAIM_IMMUTABLE);
    }
    let requested = |spec| quantity(at(spec, &["resources", "requests", "storage"]));
    let capacity = quantity(at(old, &["status", "capacity", "storage"]));
    // After a failed expansion, a request may shrink, but it must stay above the current capacity.
    if bound && requested(spec) < requested(before) && requested(spec) <= capacity {
        let path = Path::root("spec");
        let path = path.child("resources");
        let path = path.child("requests");
        let detail = "field can not be less than status.capacity";
        errors.forbidden(&path.child("storage"), detail);
    }
    meta::immutable(
        &Path::root("volumeMode"),
        field(spec, "volumeMode"),
        field(before, "volumeMode"),
        errors,
    );
    let class = "volumeAttributesClassName";
    // The driver cannot undo the changes of a class.
    let has_class = has(field(old, "status"), "currentVolumeAttributesClassName");
    if has_class && text(spec, class).is_empty() && field(spec, class) != field(before, class) {
        let to = match has(spec, class) {
            true => "empty string",
            false => "nil",
        };
        let detail = format!(
            "update to {to} is forbidden when status.currentVolumeAttributesClassName is not nil"
        );
        errors.forbidden(&Path::root("spec").child(class), &detail);
    }
}

/// Rejects a change of the annotation that named the class before the field did. It may move to the field.
fn class_annotation(object: &Value, old: &Value, errors: &mut Errors) {
    const CLASS: &str = "volume.beta.kubernetes.io/storage-class";
    let annotated = |claim| at(claim, &["metadata", "annotations", CLASS]);
    let (new, before) = (as_text(annotated(object)), as_text(annotated(old)));
    let named = |claim| field(field(claim, "spec"), "storageClassName");
    let moved = !annotated(old).is_null() && named(old).is_null() && named(object) == before;
    if new != before && !(moved && annotated(object).is_null()) {
        let path = Path::root("metadata");
        let path = path.child("annotations");
        errors.invalid_shown(&path.child(CLASS), &go::quoted(new), "field is immutable");
    }
}

/// The states of a resize, which a driver reports for each resource.
const RESIZES: &[&str] = &[
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];

/// Validates an update of a PersistentVolumeClaim's status.
pub(crate) fn status(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
    let (path, status) = (Path::root("status"), field(object, "status"));
    let capacity = path.child("capacity");
    for (name, amount) in entries(status, "capacity") {
        valid_amount(&capacity.key(name), amount, errors);
    }
    // Upstream's path lacks the plural `s`.
    let statuses = path.child("allocatedResourceStatus");
    for (name, state) in entries(status, "allocatedResourceStatuses") {
        resource_key(&statuses, name, errors);
        if !RESIZES.contains(&as_text(state)) {
            errors.not_supported_shown(&statuses, &go::quoted(name), RESIZES);
        }
    }
    let allocated = path.child("allocatedResources");
    for (name, amount) in entries(status, "allocatedResources") {
        // An unknown resource already has an error, so its quantity is not checked.
        if resource_key(&allocated, name, errors) {
            valid_amount(&allocated.key(name), amount, errors);
        }
    }
}

/// Rejects a negative quantity.
fn valid_amount(path: &Path<'_>, amount: &Value, errors: &mut Errors) {
    let amount = quantity(amount).ceil();
    // Upstream shows the quantity rounded up to an integer.
    if amount < 0 {
        let detail = "must be a valid resource quantity";
        errors.invalid(path, &json!(amount), detail);
    }
}

/// Validates the name of a claim's resource: `storage`, or a name with a domain. Returns true if it is valid.
fn resource_key(path: &Path<'_>, name: &str, errors: &mut Errors) -> bool {
    let before = errors.len();
    errors.invalid_each(path, name, names::qualified_name(name));
    if errors.len() == before && is_native(name) && name != "storage" {
        errors.not_supported_shown(path, &go::quoted(name), &["storage"]);
    }
    errors.len() == before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_storage_of_a_bound_claim_changes_and_it_grows() {
        let claim = |resources: Value| {
            json!({"metadata": {"name": "c", "namespace": "d", "resourceVersion": "1"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": resources},
                "status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}})
        };
        let size = |size: &str| json!({"requests": {"storage": size}});
        let told = |resources: Value| {
            let mut errors = Errors::default();
            update(&claim(resources), &claim(size("1500Mi")), &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(size("2Gi")), [""; 0]);
        assert_eq!(told(size("1200Mi")), [""; 0]);
        let shrunk = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity";
        assert_eq!(told(size("1Gi")), [shrunk]);
        let mut limited = size("1500Mi");
        limited["limits"] = json!({"storage": "5Gi"});
        assert_eq!(told(limited).len(), 1);
    }

    #[test]
    fn the_annotated_class_may_move_to_its_field() {
        let claim = |annotations: Value, class: Value| json!({"metadata": {"name": "c", "annotations": annotations}, "spec": {"storageClassName": class}});
        let fast = || json!({"volume.beta.kubernetes.io/storage-class": "fast"});
        let told = |new: Value| {
            let mut errors = Errors::default();
            class_annotation(&new, &claim(fast(), Value::Null), &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(claim(fast(), json!("fast"))), [""; 0]);
        assert_eq!(told(claim(json!({}), json!("fast"))), [""; 0]);
        assert_eq!(
            told(claim(json!({}), json!("slow"))),
            [
                "metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: \"\": field is immutable"
            ]
        );
    }

    #[test]
    fn an_applied_attributes_class_stays() {
        let claim = |class: Value, current: Value| {
            json!({"metadata": {"name": "c", "namespace": "d", "resourceVersion": "1"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    "volumeAttributesClassName": class},
                "status": {"phase": "Bound", "currentVolumeAttributesClassName": current}})
        };
        let told = |class: Value, current: Value| {
            let mut new = claim(class, current.clone());
            // An absent field is nil; an object from a client contains no null.
            if let Some(spec) = new["spec"].as_object_mut() {
                spec.retain(|_, value| !value.is_null());
            }
            let mut errors = Errors::default();
            update(&new, &claim(json!("gold"), current), &mut errors);
            let causes = errors.into_causes();
            causes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let refused = |to: &str| {
            format!(
                "spec.volumeAttributesClassName: Forbidden: update to {to} is forbidden when \
                 status.currentVolumeAttributesClassName is not nil"
            )
        };
        assert_eq!(told(Value::Null, json!("gold")), [refused("nil")]);
        assert_eq!(told(json!(""), json!("gold")), [refused("empty string")]);
        assert_eq!(told(json!("silver"), json!("gold")), [""; 0]);
        assert_eq!(told(Value::Null, Value::Null), [""; 0]);
    }

    #[test]
    fn a_status_names_resources_of_claims() {
        let claim = json!({"metadata": {"name": "c", "namespace": "d"}, "status": {
            "capacity": {"storage": "-1"}, "allocatedResources": {"cpu": "1", "storage": "1Gi"},
            "allocatedResourceStatuses": {"storage": "Odd"}}});
        let mut errors = Errors::default();
        status(&claim, &claim, &mut errors);
        let causes = errors.into_causes();
        let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
                "status.allocatedResourceStatus: Unsupported value: \"storage\": supported values: \
                 \"ControllerResizeInProgress\", \"ControllerResizeInfeasible\", \"NodeResizeInProgress\", \
                 \"NodeResizeInfeasible\", \"NodeResizePending\"",
                "status.allocatedResources: Unsupported value: \"cpu\": supported values: \"storage\"",
            ]
        );
    }
}
