//! The default classes of objects that name none, and the check of claims that grow.

use std::cmp::Reverse;

use crate::api::json::Value;
use crate::api::status::Status;
use crate::pod::resources::resource_list;
use crate::tree::{at, ensure, field, flag, has, int, set, text};

const STORAGE_DEFAULT: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];
const STORAGE_OLD: &str = "volume.beta.kubernetes.io/storage-class";
const INGRESS_DEFAULT: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];
const INGRESS_OLD: &str = "kubernetes.io/ingress.class";

/// Returns the PriorityClass for Pods that name none. If there are several defaults, the lowest value wins.
pub fn default_priority(classes: &[Value]) -> Option<Value> {
    // Admission prevents several defaults except in a race. Upstream also takes the lowest value then.
    let defaults = classes.iter().filter(|class| flag(class, "globalDefault"));
    defaults.min_by_key(|class| int(class, "value")).cloned()
}

/// Checks that a PriorityClass is the only default.
///
/// # Errors
/// Returns a 403 if another PriorityClass is.
pub fn check_priority_class(class: &Value, all: &[Value]) -> Result<(), Status> {
    let name = text(field(class, "metadata"), "name");
    let other = default_priority(all).filter(|_| flag(class, "globalDefault"));
    let other = other.map(|o| text(field(&o, "metadata"), "name").to_owned());
    match other.filter(|other| other != name) {
        None => Ok(()),
        Some(other) => Err(Status::forbidden(
            "priorityclasses.scheduling.k8s.io",
            name,
            &format!(
                "PriorityClass {other} is already marked as default. Only one default can exist"
            ),
        )),
    }
}

/// Returns true if a claim leaves the choice of its StorageClass to the default.
pub fn wants_storage_class(claim: &Value) -> bool {
    // An empty name is a choice: it requests a volume without a class.
    !has(field(claim, "spec"), "storageClassName") && !annotated(claim, STORAGE_OLD)
}

/// Sets the default StorageClass of a claim, if there is one.
pub fn set_storage_class(claim: &mut Value, classes: &[Value]) {
    if let Some(name) = default_storage_class(classes) {
        set(ensure(claim, "spec"), "storageClassName", name);
    }
}

/// Returns the name of the default StorageClass.
pub fn default_storage_class(classes: &[Value]) -> Option<String> {
    newest_default(classes, &STORAGE_DEFAULT)
}

/// Returns true if an Ingress leaves the choice of its class to the default.
pub fn wants_ingress_class(ingress: &Value) -> bool {
    !has(field(ingress, "spec"), "ingressClassName") && !annotated(ingress, INGRESS_OLD)
}

/// Sets the default IngressClass of an Ingress, if there is one.
pub fn set_ingress_class(ingress: &mut Value, classes: &[Value]) {
    if let Some(name) = newest_default(classes, &INGRESS_DEFAULT) {
        set(ensure(ingress, "spec"), "ingressClassName", name);
    }
}

fn annotated(object: &Value, name: &str) -> bool {
    has(at(object, &["metadata", "annotations"]), name)
}

/// Returns the newest of several default classes; among equally old ones, the first by name.
fn newest_default(classes: &[Value], annotations: &[&str]) -> Option<String> {
    let meta = |class: &Value, name: &str| text(field(class, "metadata"), name).to_owned();
    let is_default = |class: &&Value| {
        let own = at(class, &["metadata", "annotations"]);
        annotations.iter().any(|name| text(own, name) == "true")
    };
    let mut defaults: Vec<&Value> = classes.iter().filter(is_default).collect();
    defaults.sort_by_key(|c| (Reverse(meta(c, "creationTimestamp")), meta(c, "name")));
    defaults.first().map(|class| meta(class, "name"))
}

/// Checks that a claim may grow.
///
/// # Errors
/// Returns a 403 if the claim is not bound or its class does not allow expansion.
pub fn check_resize(
    claim: &Value,
    old: &Value,
    find_class: &dyn Fn(&str) -> Option<Value>,
) -> Result<(), Status> {
    let size = |claim: &Value| {
        resource_list(at(claim, &["spec", "resources"]), "requests").remove("storage")
    };
    // A smaller request is left to validation, which rejects it.
    if size(claim) <= size(old) {
        return Ok(());
    }
    let name = text(field(claim, "metadata"), "name");
    let forbid = |why: &str| Err(Status::forbidden("persistentvolumeclaims", name, why));
    if text(field(old, "status"), "phase") != "Bound" {
        return forbid("Only bound persistent volume claims can be expanded");
    }
    let class = |claim: &Value| match at(claim, &["metadata", "annotations", STORAGE_OLD]).as_str()
    {
        Some(class) => class.to_owned(),
        None => text(field(claim, "spec"), "storageClassName").to_owned(),
    };
    let own = class(claim);
    let grows = !own.is_empty()
        && own == class(old)
        && find_class(&own).is_some_and(|c| flag(&c, "allowVolumeExpansion"));
    if grows {
        return Ok(());
    }
    forbid(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the \
         pvc must support resize",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn class(name: &str, made: &str, default: bool) -> Value {
        json!({"metadata": {"name": name, "creationTimestamp": made, "annotations": {
            "storageclass.kubernetes.io/is-default-class": default.to_string(),
            "ingressclass.kubernetes.io/is-default-class": default.to_string(),
        }}, "allowVolumeExpansion": name == "grows"})
    }

    #[test]
    fn newest_default_class_is_assigned() {
        let classes = [
            class("a", "1", true),
            class("c", "2", true),
            class("b", "2", true),
        ];
        let mut claim = json!({"spec": {}});
        assert!(wants_storage_class(&claim));
        set_storage_class(&mut claim, &classes);
        assert_eq!(claim["spec"]["storageClassName"], "b");
        assert!(!wants_storage_class(
            &json!({"spec": {"storageClassName": ""}})
        ));
        let mut ingress = json!({});
        set_ingress_class(&mut ingress, &[class("x", "1", false)]);
        assert!(wants_ingress_class(&ingress));
    }

    #[test]
    fn second_default_priority_class_is_rejected() {
        let class = |name: &str, value: i64| json!({"metadata": {"name": name}, "value": value, "globalDefault": true});
        let all = [class("high", 9), class("low", 1)];
        assert_eq!(default_priority(&all).unwrap()["metadata"]["name"], "low");
        assert!(check_priority_class(&class("low", 2), &all).is_ok());
        assert_eq!(
            check_priority_class(&class("new", 2), &all)
                .unwrap_err()
                .message,
            "priorityclasses.scheduling.k8s.io \"new\" is forbidden: PriorityClass low is already \
             marked as default. Only one default can exist"
        );
    }

    #[test]
    fn only_bound_claims_of_expandable_classes_are_resized() {
        let claim = |size: &str, class: &str, phase: &str| {
            json!({"metadata": {"name": "x"}, "status": {"phase": phase}, "spec": {
                "storageClassName": class, "resources": {"requests": {"storage": size}}}})
        };
        let find = |name: &str| Some(class(name, "1", false));
        let check = |size: &str, class: &str, phase: &str| {
            check_resize(
                &claim(size, class, phase),
                &claim("1Gi", class, phase),
                &find,
            )
            .map_err(|e| e.message)
        };
        assert_eq!(check("2Gi", "grows", "Bound"), Ok(()));
        assert_eq!(check("1Gi", "fixed", "Pending"), Ok(()));
        assert!(
            check("2Gi", "fixed", "Bound")
                .unwrap_err()
                .contains("must support resize")
        );
        assert!(
            check("2Gi", "grows", "Pending")
                .unwrap_err()
                .contains("Only bound")
        );
    }
}
