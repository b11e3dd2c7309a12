//! The volumes of a Pod: the nodes on which they can be used or provisioned.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::pod_info::PodInfo;
use super::refusal::Refusal;
use super::state::Node;
use super::world::World;
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;
use crate::kinds::fake;
use crate::kinds::pod::node_rules::NodeTerm;
use crate::kinds::pod::resources::quantity;
use crate::kinds::tree::{at, field, has, list, text, texts};
use crate::runtime::{Object, PlannedWrite};
use crate::views;
use crate::volume_match::{fits, is_for, not_for};
use crate::watched;

const BOUND: &str = "pv.kubernetes.io/bind-completed";
const BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// The annotation with the node for which the volume of a claim is provisioned.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The requirements of a Pod's volumes.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    /// The node terms of the bound volumes: one term of each must match.
    places: Vec<Vec<NodeTerm>>,
    /// The zones and regions of the bound volumes.
    zones: Vec<Zone>,
    /// Claims that get a volume when the node is known.
    pub(super) waiting: Vec<Waiting>,
    /// The `ReadWriteOncePod` claims that another Pod uses.
    in_use: Vec<String>,
    /// True if a volume is missing that its claim is bound to.
    lost: bool,
}

/// A label of a volume that limits it to zones or regions.
#[derive(Debug)]
struct Zone {
    key: &'static str,
    values: Vec<String>,
}

/// The labels of zones and regions, with their earlier names.
const ZONES: [[&str; 2]; 2] = [
    [
        "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/zone",
    ],
    [
        "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/region",
    ],
];

impl Zone {
    /// Reads the labels of a volume.
    fn from_volume(volume: &Object) -> impl Iterator<Item = Self> {
        ZONES.as_flattened().iter().filter_map(|key| {
            let values = volume.label(key);
            let values = values.split("__").map(str::to_owned);
            (!volume.label(key).is_empty()).then(|| Self {
                key,
                values: values.collect(),
            })
        })
    }

    fn has(&self, labels: &BTreeMap<String, String>) -> bool {
        let same = ZONES.iter().find(|names| names.contains(&self.key));
        // A node may have the other name of the label.
        let names = [self.key]
            .into_iter()
            .chain(same.into_iter().flatten().copied());
        let mut found = names.filter_map(|name| labels.get(name));
        found
            .next()
            .is_some_and(|value| self.values.contains(value))
    }
}

/// A claim that waits for its first user.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) claim: Object,
    /// True if a volume can be provisioned; otherwise one must exist.
    made: bool,
    /// The class of the claim, which may limit the nodes.
    class: Option<Object>,
    /// The nodes with enough storage for a new volume, if its driver reports that.
    room: Option<Vec<LabelSelector>>,
    /// The existing volumes that may serve it.
    found: Vec<FreeVolume>,
}

/// A free volume that suits a claim.
#[derive(Debug)]
struct FreeVolume {
    volume: Object,
    /// The node terms; `None` is everywhere.
    place: Option<Vec<NodeTerm>>,
}

impl FreeVolume {
    fn from_volume(volume: &Object) -> Self {
        Self {
            volume: volume.clone(),
            place: place(volume),
        }
    }

    fn serves(&self, node: &Node) -> bool {
        let matches = |term: &NodeTerm| term.matches(&node.name, &node.labels);
        let terms = self.place.as_ref();
        terms.is_none_or(|terms| terms.iter().any(matches))
    }
}

impl Waiting {
    /// Returns the reason why no volume can serve the claim on a node.
    fn unserved_on(&self, node: &Node) -> Option<&'static str> {
        let chosen = fake::annotation(&self.claim, SELECTED_NODE);
        // Once a node was chosen, the provisioner creates the volume for that node only.
        let may_be_here = chosen.is_empty() || chosen == node.name;
        let exists_here = self.found.iter().any(|found| found.serves(node));
        if may_be_here && exists_here {
            return None;
        }
        if !may_be_here || !self.made || !self.allows(node) {
            return Some("node(s) didn't find available persistent volumes to bind");
        }
        let has_room = |places: &Vec<LabelSelector>| {
            let label = |key: &str| node.labels.get(key).map(String::as_str);
            places.iter().any(|place| place.matches(label))
        };
        let is_full = self.room.as_ref().is_some_and(|places| !has_room(places));
        is_full.then_some("node(s) did not have enough free storage")
    }

    /// Returns true if the class of the claim allows volumes on a node.
    fn allows(&self, node: &Node) -> bool {
        let class = self.class.as_deref();
        let terms = class.map_or(&[][..], |class| list(class, "allowedTopologies"));
        let holds = |requirement: &Value| {
            let value = node.labels.get(text(requirement, "key"));
            value.is_some_and(|value| texts(requirement, "values").any(|own| own == value))
        };
        let allows = |term: &Value| {
            let all = list(term, "matchLabelExpressions");
            !all.is_empty() && all.iter().all(holds)
        };
        terms.is_empty() || terms.iter().any(allows)
    }

    /// Returns the volume that serves the claim on a node: its own, or else the smallest.
    fn volume_on(&self, node: &Node) -> Option<&Object> {
        let here = self.found.iter().filter(|found| found.serves(node));
        here.map(|found| &found.volume).min_by_key(|volume| {
            let size = views::volume(volume).capacity();
            (!is_for(volume, &self.claim), size, volume.name().to_owned())
        })
    }

    /// Returns the write that leads to a volume on a node, if one is missing: an existing volume is reserved, and for
    /// another one the claim names the node.
    pub(super) fn prepared(&self, node: &Node, rule: String) -> Option<PlannedWrite> {
        let claim = &self.claim;
        let Some(volume) = self.volume_on(node) else {
            let patch = json!({"metadata": {"annotations": {SELECTED_NODE: node.name}}});
            return (fake::annotation(claim, SELECTED_NODE) != node.name)
                .then(|| PlannedWrite::merge(claim, patch, rule));
        };
        let reference = views::volume(volume).claim();
        if text(reference, "uid") == claim.uid() {
            return None;
        }
        // Another Pod may reserve the volume in the same batch: only one write of this version succeeds.
        let mut patch = json!({
            "metadata": {"resourceVersion": volume.revision().to_string()},
            "spec": {"claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.namespace(),
                "name": claim.name(), "uid": claim.uid(), "resourceVersion": claim.revision().to_string(),
            }},
        });
        if !has(reference, "name") {
            patch["metadata"]["annotations"] = json!({BY_CONTROLLER: "yes"});
        }
        Some(PlannedWrite::merge(volume, patch, rule))
    }
}

impl Volumes {
    /// # Errors
    /// The reason why no node can be feasible.
    pub(super) fn new(pod_info: &PodInfo, world: &World<'_>) -> Result<Self, String> {
        let mut volumes = Self::default();
        let mut claims = Vec::new();
        for wanted in &pod_info.needs.claims {
            let name = &wanted.name;
            let claim = world.object(watched::claims(), &pod_info.namespace, name);
            let Some(claim) = claim else {
                return Err(match wanted.ephemeral {
                    true => format!(
                        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\""
                    ),
                    false => format!("persistentvolumeclaim \"{name}\" not found"),
                });
            };
            if views::claim(claim).phase() == "Lost" {
                let volume = views::claim(claim).volume_name();
                return Err(format!(
                    "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{volume}\""
                ));
            }
            if claim.is_terminating() {
                return Err(format!("persistentvolumeclaim \"{name}\" is being deleted"));
            }
            let owner = claim.controller().map_or("", |o| views::owner(o).uid());
            let is_own = owner == &*pod_info.uid;
            if wanted.ephemeral && !is_own {
                return Err(not_for(&pod_info.namespace, &pod_info.name, name));
            }
            claims.push(claim);
        }
        // A claim that is not bound yet is reported only if all claims exist.
        for claim in claims {
            volumes.take(pod_info, claim, world)?;
        }
        Ok(volumes)
    }

    fn take(
        &mut self,
        pod_info: &PodInfo,
        claim: &Object,
        world: &World<'_>,
    ) -> Result<(), String> {
        let spec = field(claim, "spec");
        let volume = views::claim(claim).volume_name();
        // Such a claim has one user in the whole cluster, so only other users matter, not the node.
        if texts(spec, "accessModes").any(|mode| mode == "ReadWriteOncePod") {
            self.in_use.extend(users(pod_info, claim.name(), world));
        }
        if !volume.is_empty() && !fake::annotation(claim, BOUND).is_empty() {
            match world.object(watched::persistent_volumes(), "", volume) {
                Some(volume) => {
                    self.places.extend(place(volume));
                    self.zones.extend(Zone::from_volume(volume));
                }
                // Not an error here: the filter reports it for each node.
                None => self.lost = true,
            }
            return Ok(());
        }
        let class = views::claim(claim).storage_class_name();
        let class = world.object(watched::storage_classes(), "", class);
        let waits = class.is_some_and(|c| text(c, "volumeBindingMode") == "WaitForFirstConsumer");
        // An immediate claim is bound by the volume controller, and the Pod waits for that.
        if !waits || !volume.is_empty() {
            return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
        }
        let provisioner = class.map_or("", |c| views::provisioner(c));
        let found = world.objects(watched::persistent_volumes(), "");
        let found = found.filter(|v| fits(v, claim));
        self.waiting.push(Waiting {
            claim: claim.clone(),
            // Without a provisioner only existing volumes can serve the claim.
            made: provisioner != "kubernetes.io/no-provisioner",
            room: class.and_then(|class| room(class, claim, world)),
            class: class.cloned(),
            found: found.map(FreeVolume::from_volume).collect(),
        });
        Ok(())
    }

    /// Returns the reason against a node that follows from the volumes of other Pods.
    pub(super) fn conflict(
        &self,
        pod_info: &PodInfo,
        node: &Node,
        gone: &[Arc<PodInfo>],
    ) -> Option<Refusal> {
        let stays = |p: &&Arc<PodInfo>| !gone.iter().any(|g| g.uid == p.uid);
        let disk_taken = |disk: &String| {
            let mut others = node.pods.values().filter(stays);
            others.any(|p| p.needs.disks.contains(disk))
        };
        if pod_info.needs.disks.iter().any(disk_taken) {
            return Some(Refusal::for_now("node(s) had no available disk"));
        }
        if self
            .in_use
            .iter()
            .any(|uid| !gone.iter().any(|g| *g.uid == **uid))
        {
            return Some(Refusal::for_now(
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode \
                 already in-use by another pod",
            ));
        }
        None
    }

    /// Returns the reason against a node that follows from the volumes themselves.
    pub(super) fn refusal(&self, node: &Node) -> Option<Refusal> {
        if self.lost {
            return Some(Refusal::for_good(
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
            ));
        }
        let matches =
            |terms: &Vec<NodeTerm>| terms.iter().any(|t| t.matches(&node.name, &node.labels));
        if !self.places.iter().all(matches) {
            return Some(Refusal::for_good(
                "node(s) didn't match PersistentVolume's node affinity",
            ));
        }
        if let Some(why) = self.waiting.iter().find_map(|w| w.unserved_on(node)) {
            return Some(Refusal::for_good(why));
        }
        // A node without any of these labels accepts every volume.
        let is_zoned = || {
            ZONES
                .as_flattened()
                .iter()
                .any(|key| node.labels.contains_key(*key))
        };
        if !self.zones.iter().all(|zone| zone.has(&node.labels)) && is_zoned() {
            return Some(Refusal::for_good("node(s) had no available volume zone"));
        }
        None
    }
}

/// Returns the nodes on which a driver has enough storage for a claim; `None` if it does not report its storage.
fn room(class: &Object, claim: &Object, world: &World<'_>) -> Option<Vec<LabelSelector>> {
    let driver = world.object(watched::csi_drivers(), "", views::provisioner(class))?;
    if !views::reports_storage(driver) {
        return None;
    }
    let wanted = views::claim(claim).requested();
    let capacities = world.objects(watched::storage_capacities(), "");
    let suits = |capacity: &&Object| {
        let own = |name| capacity.get(name).filter(|value| !value.is_null());
        // The largest volume, if it is known, since free storage may be in pieces.
        let most = own("maximumVolumeSize").or_else(|| own("capacity"));
        views::free_storage_class(capacity) == class.name()
            && most.is_some_and(|most| quantity(most) >= wanted)
    };
    let nodes = capacities.filter(suits).filter_map(|capacity| {
        let nodes = capacity
            .get("nodeTopology")
            .filter(|nodes| !nodes.is_null())?;
        LabelSelector::from_object(Some(nodes)).ok()
    });
    Some(nodes.collect())
}

/// Returns the nodes that a volume can be used on, if they are limited.
fn place(volume: &Value) -> Option<Vec<NodeTerm>> {
    let required = at(volume, &["spec", "nodeAffinity", "required"]);
    has(required, "nodeSelectorTerms").then(|| {
        list(required, "nodeSelectorTerms")
            .iter()
            .map(NodeTerm::read)
            .collect()
    })
}

/// Returns the other Pods that run and use a claim.
fn users(pod_info: &PodInfo, claim: &str, world: &World<'_>) -> Vec<String> {
    let pods = world.objects(watched::pods(), &pod_info.namespace);
    let uses = |pod: &&Object| {
        let mut volumes = views::pod(pod).volumes().iter();
        volumes.any(|v| text(field(v, "persistentVolumeClaim"), "claimName") == claim)
    };
    let runs =
        |pod: &&Object| *pod.uid() != *pod_info.uid && world.state.node_of(pod.uid()).is_some();
    pods.filter(uses)
        .filter(runs)
        .map(|p| p.uid().to_owned())
        .collect()
}
