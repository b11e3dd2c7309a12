//! Pods and the nodes that they run on.

use jiff::Timestamp;

use crate::api::json::Value;
use crate::api::quantity::Quantity;
use crate::kinds::moment;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, has, int, list, text};

/// A Pod.
#[derive(Clone, Copy)]
pub(crate) struct Pod<'a>(&'a Value);

/// Reads a Pod.
pub(crate) fn pod(object: &Value) -> Pod<'_> {
    Pod(object)
}

impl<'a> Pod<'a> {
    /// Returns the phase, such as `Running`.
    pub(crate) fn phase(self) -> &'a str {
        text(field(self.0, "status"), "phase")
    }

    /// Returns the message about its phase.
    pub(crate) fn message(self) -> &'a str {
        text(field(self.0, "status"), "message")
    }

    /// Returns the node that it is bound to; empty until it is scheduled.
    pub(crate) fn node_name(self) -> &'a str {
        text(field(self.0, "spec"), "nodeName")
    }

    /// Returns the node on which preemption makes room for it; empty for none.
    pub(crate) fn nominated_node_name(self) -> &'a str {
        text(field(self.0, "status"), "nominatedNodeName")
    }

    /// Returns the address; empty until its sandbox runs.
    pub(crate) fn ip(self) -> &'a str {
        text(field(self.0, "status"), "podIP")
    }

    /// Returns the conditions.
    pub(crate) fn conditions(self) -> &'a [Value] {
        list(field(self.0, "status"), "conditions")
    }

    /// Returns the states of its containers, without init containers.
    pub(crate) fn container_statuses(self) -> &'a [Value] {
        list(field(self.0, "status"), "containerStatuses")
    }

    /// Returns the states of its init containers.
    pub(crate) fn init_container_statuses(self) -> &'a [Value] {
        list(field(self.0, "status"), "initContainerStatuses")
    }

    /// Returns the containers.
    pub(crate) fn containers(self) -> &'a [Value] {
        list(field(self.0, "spec"), "containers")
    }

    /// Returns the init containers, sidecars among them.
    pub(crate) fn init_containers(self) -> &'a [Value] {
        list(field(self.0, "spec"), "initContainers")
    }

    /// Returns the volumes.
    pub(crate) fn volumes(self) -> &'a [Value] {
        list(field(self.0, "spec"), "volumes")
    }

    /// Returns the tolerations.
    pub(crate) fn tolerations(self) -> &'a [Value] {
        list(field(self.0, "spec"), "tolerations")
    }

    /// Returns the priority that admission resolved.
    pub(crate) fn priority(self) -> i64 {
        int(field(self.0, "spec"), "priority")
    }

    /// Returns the seconds that its containers get to end.
    pub(crate) fn grace_period(self) -> i64 {
        int(field(self.0, "spec"), "terminationGracePeriodSeconds")
    }

    /// Returns the scheduler that it names; empty for the default one.
    pub(crate) fn scheduler_name(self) -> &'a str {
        text(field(self.0, "spec"), "schedulerName")
    }

    /// Returns the host name; empty for its own name.
    pub(crate) fn hostname(self) -> &'a str {
        text(field(self.0, "spec"), "hostname")
    }

    /// Returns the subdomain of its DNS name.
    pub(crate) fn subdomain(self) -> &'a str {
        text(field(self.0, "spec"), "subdomain")
    }

    /// Returns true if it has terminated. Kubernetes never restarts a Pod in one of these phases.
    pub(crate) fn has_ended(self) -> bool {
        matches!(self.phase(), "Succeeded" | "Failed")
    }

    /// Returns true if a scheduling gate keeps it out of the scheduler's queue.
    pub(crate) fn is_gated(self) -> bool {
        !list(field(self.0, "spec"), "schedulingGates").is_empty()
    }

    /// Returns true if it is bound to a node.
    pub(crate) fn is_scheduled(self) -> bool {
        !self.node_name().is_empty()
    }
}

/// A taint of a node.
#[derive(Clone, Copy)]
pub(crate) struct Taint<'a>(&'a Value);

/// Reads a taint.
pub(crate) fn taint(object: &Value) -> Taint<'_> {
    Taint(object)
}

impl<'a> Taint<'a> {
    /// Returns the key.
    pub(crate) fn key(self) -> &'a str {
        text(self.0, "key")
    }

    /// Returns the effect, such as `NoExecute`.
    pub(crate) fn effect(self) -> &'a str {
        text(self.0, "effect")
    }
}

/// A node.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a>(&'a Value);

/// Reads a node.
pub(crate) fn node(object: &Value) -> Node<'_> {
    Node(object)
}

impl<'a> Node<'a> {
    /// Returns the taints.
    pub(crate) fn taints(self) -> &'a [Value] {
        list(field(self.0, "spec"), "taints")
    }

    /// Returns the time at which the taints were last written, whoever wrote them.
    pub(crate) fn taints_written(self) -> Option<Timestamp> {
        let entries = list(field(self.0, "metadata"), "managedFields").iter();
        let own = entries.filter(|entry| has(at(entry, &["fieldsV1", "f:spec"]), "f:taints"));
        own.filter_map(|entry| moment::read(field(entry, "time")))
            .max()
    }

    /// Returns the CPUs that Pods can use.
    pub(crate) fn cpus(self) -> Quantity {
        quantity(at(self.0, &["status", "allocatable", "cpu"]))
    }

    /// The range of its Pods' addresses; empty if it has none of its own.
    pub(crate) fn pod_range(self) -> &'a str {
        text(field(self.0, "spec"), "podCIDR")
    }
}
