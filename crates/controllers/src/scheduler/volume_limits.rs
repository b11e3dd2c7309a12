//! The number of volumes that a CSI driver can attach to a node.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pod_info::PodInfo;
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::runtime::Object;
use crate::views;
use crate::watched;

/// The volumes of a Pod that count.
#[derive(Debug)]
pub(super) struct VolumeLimits {
    new: BTreeSet<Attachable>,
}

/// A volume that a driver attaches to a node.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Attachable {
    driver: String,
    /// The name that the driver gave to it, or the claim that it is for.
    name: String,
}

impl Attachable {
    fn from_claim(claim: &Object, world: &World<'_>) -> Option<Self> {
        let view = views::claim(claim);
        let volume = world.object(watched::persistent_volumes(), "", view.volume_name());
        if let Some(volume) = volume {
            let volume = views::volume(volume);
            return Self::new(volume.driver(), volume.handle().to_owned());
        }
        // The driver of the class will make a volume, so it counts before it exists.
        let class = world.object(watched::storage_classes(), "", view.storage_class_name())?;
        let name = format!("{}/{}", claim.namespace(), claim.name());
        Self::new(views::provisioner(class), name)
    }

    fn new(driver: &str, name: String) -> Option<Self> {
        (!driver.is_empty()).then(|| Self {
            driver: driver.to_owned(),
            name,
        })
    }
}

/// Returns the volumes of a Pod that drivers attach.
fn attachables(pod: &PodInfo, world: &World<'_>) -> impl Iterator<Item = Attachable> {
    let claims = pod.needs.claims.iter();
    let claims =
        claims.filter_map(|own| world.object(watched::claims(), &pod.namespace, &own.name));
    claims.filter_map(|claim| Attachable::from_claim(claim, world))
}

impl VolumeLimits {
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Self {
        Self {
            new: attachables(pod_info, world).collect(),
        }
    }

    /// Returns the reason against a node.
    pub(super) fn refusal(
        &self,
        node: &Node,
        gone: &[Arc<PodInfo>],
        world: &World<'_>,
    ) -> Option<Refusal> {
        if self.new.is_empty() {
            return None;
        }
        // Most nodes have no limits, and then the volumes of their Pods need not be counted.
        let drivers = world.object(watched::csi_nodes(), "", &node.name)?;
        let mut limits = views::attach_limits(drivers).peekable();
        limits.peek()?;
        let stays = |p: &&Arc<PodInfo>| !gone.iter().any(|g| g.uid == p.uid);
        let there = node.pods.values().filter(stays);
        let there: BTreeSet<_> = there.flat_map(|pod| attachables(pod, world)).collect();
        let exceeds = |(driver, most)| {
            let is_of = |volume: &&Attachable| volume.driver == driver;
            // A volume that another Pod of the node uses is attached already.
            let new = self.new.difference(&there).filter(is_of).count();
            new > 0 && there.iter().filter(is_of).count() + new > most
        };
        limits
            .any(exceeds)
            .then(|| Refusal::for_now("node(s) exceed max volume count"))
    }
}
