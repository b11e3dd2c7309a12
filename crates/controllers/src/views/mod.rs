//! Typed views: read-only structs over an object's tree, with a method for each field that controllers
//! read often. A misspelled method does not compile, while a misspelled field name would read as absent.
//!
//! A view holds one reference and is `Copy`; each method walks the tree, so that nothing is parsed or
//! copied for fields that a reconcile does not read. Absent fields read as the zero of their type, as in
//! Kubernetes' own Go structs.

mod devices;
mod identity;
mod network;
mod pod;
mod storage;
mod workload;

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::kinds::moment::read as time;
use crate::kinds::tree::{field, flag, int, list, opt_int, text};

pub(crate) use devices::{
    CLAIM_FINALIZER, DeviceId, DevicePlace, DeviceRequest, PodClaim, consumer, consuming_pod,
    device, device_claim, device_class, device_place, held_devices, is_consumer, is_owned,
    merged_terms, pod_claims, selector_terms, slice,
};
pub(crate) use identity::{ACCOUNT_UID, signing_request, token_secret};
pub(crate) use network::{
    AddressRange, Port, address, address_parent, address_ranges, api_service, endpoint, endpoints,
    port, service, slice_ports,
};
pub(crate) use pod::{node, pod, taint};
pub(crate) use storage::{
    allows_expansion, attach_limits, claim, free_storage_class, provisioner, reports_storage,
    volume,
};
pub(crate) use workload::{Job, Workload, autoscaler, cron_job, job, workload};

/// The metadata of an object.
#[derive(Clone, Copy)]
pub(crate) struct Meta<'a>(&'a Value);

/// Reads the metadata of an object.
pub(crate) fn meta(object: &Value) -> Meta<'_> {
    Meta(object)
}

impl<'a> Meta<'a> {
    /// Returns the generation, which rises with each change of the desired state.
    pub(crate) fn generation(self) -> i64 {
        int(field(self.0, "metadata"), "generation")
    }

    /// Returns the creation time.
    pub(crate) fn created(self) -> Option<Timestamp> {
        time(field(field(self.0, "metadata"), "creationTimestamp"))
    }

    /// Returns the time of the deletion, of a Pod with its grace period.
    pub(crate) fn deleted(self) -> Option<Timestamp> {
        time(field(field(self.0, "metadata"), "deletionTimestamp"))
    }

    /// Returns the labels, or null.
    pub(crate) fn labels(self) -> &'a Value {
        field(field(self.0, "metadata"), "labels")
    }

    /// Returns the annotations, or null.
    pub(crate) fn annotations(self) -> &'a Value {
        field(field(self.0, "metadata"), "annotations")
    }

    /// Returns the references to the owners.
    pub(crate) fn owners(self) -> &'a [Value] {
        list(field(self.0, "metadata"), "ownerReferences")
    }

    /// Returns the finalizers.
    pub(crate) fn finalizers(self) -> &'a [Value] {
        list(field(self.0, "metadata"), "finalizers")
    }

    /// Returns the finalizers for a patch that removes one; null removes the empty list.
    pub(crate) fn finalizers_without(self, name: &str) -> Value {
        let rest: Vec<&Value> = self.finalizers().iter().filter(|f| *f != name).collect();
        match rest.is_empty() {
            true => Value::Null,
            false => json!(rest),
        }
    }

    /// Returns the generation that the status reports.
    pub(crate) fn observed_generation(self) -> i64 {
        int(field(self.0, "status"), "observedGeneration")
    }

    /// Returns the conditions of the status.
    pub(crate) fn conditions(self) -> &'a [Value] {
        list(field(self.0, "status"), "conditions")
    }

    /// Returns the number of hash collisions of the names of its revisions.
    pub(crate) fn collision_count(self) -> Option<i64> {
        opt_int(field(self.0, "status"), "collisionCount")
    }
}

/// Returns the reason of an event.
pub(crate) fn reason(event: &Value) -> &str {
    text(event, "reason")
}

/// Returns the uid of the object that an event is about.
pub(crate) fn subject(event: &Value) -> &str {
    text(field(event, "involvedObject"), "uid")
}

/// Returns true if the objects of a CustomResourceDefinition are in namespaces.
pub(crate) fn defines_namespaced(definition: &Value) -> bool {
    text(field(definition, "spec"), "scope") == "Namespaced"
}

/// Returns the limits of a ResourceQuota by name, or null.
pub(crate) fn limits(quota: &Value) -> &Value {
    field(field(quota, "spec"), "hard")
}

/// Returns the number of misplaced Pods in the status of a DaemonSet.
pub(crate) fn misscheduled(status: &Value) -> i64 {
    int(status, "numberMisscheduled")
}

/// Returns the status of an object, or null.
pub(crate) fn status(object: &Value) -> &Value {
    field(object, "status")
}

/// A condition of a status.
#[derive(Clone, Copy)]
pub(crate) struct Condition<'a>(&'a Value);

/// Reads a condition.
pub(crate) fn condition(object: &Value) -> Condition<'_> {
    Condition(object)
}

impl<'a> Condition<'a> {
    /// Returns the type, such as `Ready`.
    pub(crate) fn kind(self) -> &'a str {
        text(self.0, "type")
    }

    /// Returns `True`, `False` or `Unknown`.
    pub(crate) fn status(self) -> &'a str {
        text(self.0, "status")
    }

    /// Returns the reason, one word.
    pub(crate) fn reason(self) -> &'a str {
        text(self.0, "reason")
    }

    /// Returns the message.
    pub(crate) fn message(self) -> &'a str {
        text(self.0, "message")
    }

    /// Returns the time of the last transition.
    pub(crate) fn since(self) -> Option<Timestamp> {
        time(field(self.0, "lastTransitionTime"))
    }
}

/// An entry of `metadata.ownerReferences`.
#[derive(Clone, Copy)]
pub(crate) struct OwnerReference<'a>(&'a Value);

/// Reads a reference to an owner.
pub(crate) fn owner(object: &Value) -> OwnerReference<'_> {
    OwnerReference(object)
}

impl<'a> OwnerReference<'a> {
    /// Returns the API version of the owner.
    pub(crate) fn api_version(self) -> &'a str {
        text(self.0, "apiVersion")
    }

    /// Returns the kind of the owner.
    pub(crate) fn kind(self) -> &'a str {
        text(self.0, "kind")
    }

    /// Returns the name of the owner.
    pub(crate) fn name(self) -> &'a str {
        text(self.0, "name")
    }

    /// Returns the uid of the owner.
    pub(crate) fn uid(self) -> &'a str {
        text(self.0, "uid")
    }

    /// Returns true if the owner is the controller of the dependent.
    pub(crate) fn controller(self) -> bool {
        flag(self.0, "controller")
    }

    /// Returns true if foreground deletion of the owner waits for the dependent.
    pub(crate) fn blocks_deletion(self) -> bool {
        flag(self.0, "blockOwnerDeletion")
    }
}
