//! Openings: the changes of the cluster that may let a waiting Pod run, by what they change.
//!
//! As in kube-scheduler, a Pod is tried again only after a change of the kind that helps against what refused it. A try
//! after any other change would fail as well, and at most change the message.

use crate::kinds::Kind;
use crate::kinds::tree::{field, flag};
use crate::runtime::{Change, Object};
use crate::views;
use crate::watched;

/// A set of kinds of openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpeningKinds(u16);

impl OpeningKinds {
    const NONE: Self = Self(0);
    const NEW_NODE: Self = Self(1);
    const NODE_GONE: Self = Self(1 << 1);
    const NODE_LABELS: Self = Self(1 << 2);
    const NODE_TAINTS: Self = Self(1 << 3);
    const NODE_RESOURCES: Self = Self(1 << 4);
    const POD_GONE: Self = Self(1 << 5);
    /// A Pod has a node now, or a Pod on a node has other labels.
    const POD_JOINED: Self = Self(1 << 6);
    /// A Pod on a node requests something else.
    const POD_CHANGED: Self = Self(1 << 7);
    const VOLUMES: Self = Self(1 << 8);
    const DEVICES: Self = Self(1 << 9);
    /// All kinds, for failures of which nothing more is known.
    pub(super) const ALL: Self = Self((1 << KINDS) - 1);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, bit: usize) -> bool {
        (self.0 >> bit) & 1 == 1
    }

    /// Returns the kinds that help against at least one of the reasons why nodes were refused.
    pub(super) fn against<'r>(reasons: impl Iterator<Item = &'r str>) -> Self {
        reasons.map(helpful).fold(Self::NONE, Self::and)
    }

    /// Returns the kinds of opening that a change is. Changes of waiting Pods are none.
    pub(super) fn of_change(change: &Change) -> Self {
        match change.object().map(Object::kind) {
            Some(kind) if kind.is_pod() => of_pod(change),
            Some(kind) if kind.hosts_pods() => of_node(change),
            // A Pod may wait for a volume, a class or a device, and the failure does not record which.
            Some(kind) if about_volumes().contains(&kind) => Self::VOLUMES,
            Some(kind) if about_devices().contains(&kind) => Self::DEVICES,
            _ => Self::NONE,
        }
    }
}

/// The number of kinds.
const KINDS: usize = 10;

/// The openings that were seen.
#[derive(Debug, Default)]
pub(super) struct Openings {
    /// The number of openings.
    pub(super) count: u64,
    /// The number of the last one of each kind.
    last: [u64; KINDS],
}

impl Openings {
    /// Adds an opening of some kinds.
    pub(super) fn add(&mut self, kinds: OpeningKinds) {
        self.count += 1;
        let own = self.last.iter_mut().enumerate();
        own.filter(|(bit, _)| kinds.has(*bit))
            .for_each(|(_, last)| *last = self.count);
    }

    /// Returns true if there was an opening of one of these kinds after the first `count` openings.
    pub(super) fn any_since(&self, count: u64, kinds: OpeningKinds) -> bool {
        let mut last = self.last.iter().enumerate();
        last.any(|(bit, last)| kinds.has(bit) && *last > count)
    }
}

/// Returns the kinds about volumes.
pub(super) fn about_volumes() -> [&'static Kind; 6] {
    [
        watched::persistent_volumes(),
        watched::claims(),
        watched::storage_classes(),
        watched::csi_drivers(),
        watched::csi_nodes(),
        watched::storage_capacities(),
    ]
}

/// Returns the kinds about devices.
pub(super) fn about_devices() -> [&'static Kind; 3] {
    [
        watched::device_classes(),
        watched::resource_claims(),
        watched::resource_slices(),
    ]
}

/// Returns the openings that help against a reason, as the plugins of kube-scheduler register their events.
fn helpful(reason: &str) -> OpeningKinds {
    type Kinds = OpeningKinds;
    const NODE: Kinds = Kinds::NEW_NODE;
    const LABELS: Kinds = NODE.and(Kinds::NODE_LABELS);
    const PODS: Kinds = Kinds::POD_GONE.and(Kinds::POD_JOINED);
    match reason {
        "node(s) were unschedulable" | "node(s) had untolerated taint(s)" => {
            NODE.and(Kinds::NODE_TAINTS)
        }
        "node(s) didn't match Pod's node affinity/selector"
        | "node(s) didn't satisfy plugin(s) [NodeAffinity]" => LABELS,
        "node(s) didn't have free ports for the requested pod ports" => NODE.and(Kinds::POD_GONE),
        _ if reason == "Too many pods" || reason.starts_with("Insufficient ") => NODE
            .and(Kinds::NODE_RESOURCES)
            .and(Kinds::POD_GONE)
            .and(Kinds::POD_CHANGED),
        _ if reason.contains("pod topology spread constraints") => LABELS
            .and(PODS)
            .and(Kinds::NODE_GONE)
            .and(Kinds::NODE_TAINTS),
        _ if reason.ends_with("affinity rules") => LABELS.and(PODS),
        _ => Kinds::ALL,
    }
}

/// Returns the openings of a changed node: a new node, other labels or resources, a taint removed, uncordoned. A change
/// that only closes a node is none.
fn of_node(change: &Change) -> OpeningKinds {
    let (Some(before), Some(after)) = (&change.before, &change.after) else {
        return match change.after.is_some() {
            true => OpeningKinds::NEW_NODE,
            false => OpeningKinds::NODE_GONE,
        };
    };
    // Only changes that may admit a Pod count; heartbeats and conditions change a node frequently.
    let (old, new) = (field(before, "spec"), field(after, "spec"));
    let taints = views::node(after).taints();
    let opened = (flag(old, "unschedulable") && !flag(new, "unschedulable"))
        || views::node(before)
            .taints()
            .iter()
            .any(|t| !taints.contains(t));
    let kinds = [
        (
            change.differs("/metadata/labels"),
            OpeningKinds::NODE_LABELS,
        ),
        (
            change.differs("/status/allocatable"),
            OpeningKinds::NODE_RESOURCES,
        ),
        (opened, OpeningKinds::NODE_TAINTS),
    ];
    let kinds = kinds.into_iter().filter(|(happened, _)| *happened);
    kinds.fold(OpeningKinds::NONE, |all, (_, kind)| all.and(kind))
}

fn of_pod(change: &Change) -> OpeningKinds {
    let runs = |pod: &&Object| views::pod(pod).is_scheduled() && !views::pod(pod).has_ended();
    let (before, after) = (
        change.before.as_ref().filter(runs),
        change.after.as_ref().filter(runs),
    );
    match (before, after) {
        // A deleted Pod that waited may have been nominated for a node.
        (None, None) if change.after.is_some() => OpeningKinds::NONE,
        (_, None) => OpeningKinds::POD_GONE,
        (None, Some(_)) => OpeningKinds::POD_JOINED,
        (Some(_), Some(_)) => {
            let labels = change.differs("/metadata/labels");
            let joined = if labels {
                OpeningKinds::POD_JOINED
            } else {
                OpeningKinds::NONE
            };
            match change.differs("/spec") {
                true => joined.and(OpeningKinds::POD_CHANGED),
                false => joined,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_waits_for_what_helps_against_it() {
        let mut openings = Openings::default();
        openings.add(OpeningKinds::NODE_TAINTS);
        let helps = |reason: &str| openings.any_since(0, helpful(reason));
        assert!(helps("node(s) had untolerated taint(s)"));
        assert!(helps("node(s) exceed max volume count"));
        assert!(!helps("Insufficient cpu"));
        assert!(!helps("node(s) didn't match pod anti-affinity rules"));
        let both = OpeningKinds::against(["Insufficient cpu", "Too many pods"].into_iter());
        assert!(!openings.any_since(0, both));
        openings.add(OpeningKinds::POD_GONE);
        assert!(openings.any_since(1, both) && !openings.any_since(2, both));
    }
}
