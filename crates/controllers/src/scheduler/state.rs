//! The nodes with the sums of their Pods, updated change by change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::counts::Kept;
use super::pod_info::{Amounts, Needs, PodInfo};
use crate::api::json::{Text, Value};
use crate::kinds::pod::resources::amounts;
use crate::kinds::tree::{entries, field, flag, list};
use crate::node_rules::Taint;
use crate::runtime::{Change, Object};
use crate::views;

/// A node with what is left of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) name: String,
    /// Its number, by which counts are kept.
    pub(super) at: usize,
    /// Another one after each change of it or of what runs on it; none is given twice.
    pub(super) version: u64,
    /// True if the node itself is there, and not only Pods that say they are on it.
    pub(super) known: bool,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) taints: Vec<Taint>,
    pub(super) unschedulable: bool,
    pub(super) has: Amounts,
    pub(super) has_pods: i64,
    pub(super) used: Amounts,
    /// For scores.
    pub(super) counted: (i64, i64),
    pub(super) pods: BTreeMap<Text, Arc<PodInfo>>,
}

impl Node {
    fn read(&mut self, node: &Value) {
        let spec = field(node, "spec");
        let list_of = amounts(field(node, "status"), "allocatable");
        // A slot may exist before its node, for Pods that name a node that is not there yet.
        self.known = true;
        self.labels = entries(field(node, "metadata"), "labels")
            .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
            .collect();
        self.taints = list(spec, "taints").iter().map(Taint::read).collect();
        self.unschedulable = flag(spec, "unschedulable");
        self.has = Amounts::of(&list_of);
        self.has_pods = list_of.get("pods").map_or(0, |q| q.ceil());
    }

    /// Adds a Pod or, with -1, takes it away.
    pub(super) fn count(&mut self, pod: &Arc<PodInfo>, sign: i64) {
        self.used.add(&pod.needs.amounts, sign);
        self.counted.0 += sign * pod.needs.counted.0;
        self.counted.1 += sign * pod.needs.counted.1;
        match sign {
            1 => drop(self.pods.insert(pod.uid.clone(), Arc::clone(pod))),
            _ => drop(self.pods.remove(&pod.uid)),
        }
    }
}

/// The number of different needs that are kept to be shared.
const MOST_NEEDS: usize = 64;

/// All nodes and the Pods on them.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The nodes by number; a number is free where no name has it.
    slots: Vec<Node>,
    names: BTreeMap<String, usize>,
    free: Vec<usize>,
    version: u64,
    /// The node of each Pod.
    placed: HashMap<Text, (usize, Arc<PodInfo>)>,
    /// The Pods whose own affinity terms concern other Pods.
    pub(super) particular: BTreeMap<Text, Arc<PodInfo>>,
    /// Pods that were placed in a plan whose outcome is not seen yet.
    assumed: BTreeSet<Text>,
    pub(super) counts: Kept,
    /// The requirements of recently parsed Pods, the latest first.
    needs: Vec<Arc<Needs>>,
}

impl State {
    /// Takes in a change of a node or a Pod.
    pub(super) fn observe(&mut self, change: &Change) {
        let Some(object) = change.object() else {
            return;
        };
        match object.kind().kind {
            "Node" => self.observe_node(object, change.after.is_some()),
            "Pod" => self.observe_pod(change),
            _ => {}
        }
    }

    fn observe_node(&mut self, node: &Object, there: bool) {
        let entry = self.changing(node.name());
        if there {
            entry.read(node);
        } else {
            entry.known = false;
            let at = entry.at;
            self.leave(at);
        }
    }

    /// Returns a node that is about to change; a new one where there is none of the name.
    fn changing(&mut self, name: &str) -> &mut Node {
        let at = self.names.get(name).copied().unwrap_or_else(|| {
            let at = self.free.pop().unwrap_or_else(|| {
                self.slots.push(Node::default());
                self.slots.len() - 1
            });
            self.slots[at] = Node {
                name: name.to_owned(),
                at,
                ..Node::default()
            };
            self.names.insert(name.to_owned(), at);
            at
        });
        self.version += 1;
        let node = &mut self.slots[at];
        node.version = self.version;
        node
    }

    /// Forgets a node that is gone, if nothing is on it.
    fn leave(&mut self, at: usize) {
        let node = &self.slots[at];
        // The Pods of a node that is gone still count until they are gone, so the slot stays as long.
        if !node.known && node.pods.is_empty() && self.names.remove(&node.name).is_some() {
            self.free.push(at);
        }
    }

    /// Returns the requirements of a Pod; Pods of one template share them.
    pub(super) fn pod_info(&mut self, pod: &Value) -> Arc<PodInfo> {
        Arc::new(PodInfo::read(pod, |needs| {
            if let Some(at) = self.needs.iter().position(|known| **known == needs) {
                // Most recently used first: Pods of one template come together, and comparing needs is the cost.
                self.needs[..=at].rotate_right(1);
            } else {
                self.needs.truncate(MOST_NEEDS - 1);
                self.needs.insert(0, Arc::new(needs));
            }
            Arc::clone(&self.needs[0])
        }))
    }

    fn observe_pod(&mut self, change: &Change) {
        let Some(uid) = change.object().map(Object::uid) else {
            return;
        };
        let runs = change.after.as_ref().filter(|pod| occupies(pod));
        let Some(pod) = runs else {
            self.remove(uid);
            return;
        };
        let node = views::pod(pod).node_name();
        let known = self.placed.get(uid).is_some_and(|(at, pod_info)| {
            self.slots[*at].name == node
                && pod_info.terminating == pod.is_terminating()
                && pod_info.since.is_some()
        });
        let same = ["/spec", "/metadata/labels"]
            .iter()
            .all(|p| !change.differs(p));
        self.assumed.remove(uid);
        // A change of status alone leaves the sums as they are, and most changes of Pods are such.
        if known && same {
            return;
        }
        let pod_info = self.pod_info(pod);
        self.place(node, pod_info);
    }

    /// Puts a Pod on a node.
    pub(super) fn place(&mut self, node: &str, pod: Arc<PodInfo>) {
        self.remove(&pod.uid);
        let entry = self.changing(node);
        entry.count(&pod, 1);
        let at = entry.at;
        self.counts.add(at, &pod, 1);
        let (uid, needs) = (&pod.uid, &pod.needs);
        // Rules of running Pods concern each new one; only the few Pods that have any are looked through.
        if !(needs.with.is_empty() && needs.without.is_empty() && needs.rather.is_empty()) {
            self.particular.insert(uid.clone(), Arc::clone(&pod));
        }
        self.placed.insert(uid.clone(), (at, pod));
    }

    /// Puts a Pod on a node until the outcome is seen.
    pub(super) fn assume(&mut self, node: &str, pod: Arc<PodInfo>) {
        // Counted before the binding is committed, so that the next Pod of this plan sees it.
        self.assumed.insert(pod.uid.clone());
        self.place(node, pod);
    }

    /// Begins a cycle: takes back assumptions that were not committed.
    pub(super) fn begin(&mut self) {
        self.counts.begin();
        // The commit may have been refused: whatever was bound comes back as an observed change.
        for uid in std::mem::take(&mut self.assumed) {
            self.remove(&uid);
        }
    }

    fn remove(&mut self, uid: &str) {
        let Some((at, pod)) = self.placed.remove(uid) else {
            return;
        };
        self.particular.remove(uid);
        self.counts.add(at, &pod, -1);
        self.version += 1;
        let node = &mut self.slots[at];
        node.version = self.version;
        node.count(&pod, -1);
        self.leave(at);
    }

    /// Returns the node that a Pod is on.
    pub(super) fn node_of(&self, uid: &str) -> Option<&Node> {
        self.placed.get(uid).map(|(at, _)| &self.slots[*at])
    }

    /// Returns the node of a name, or what Pods say they are on.
    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        self.names.get(name).map(|at| &self.slots[*at])
    }

    /// Returns the node of a number.
    pub(super) fn at(&self, at: usize) -> &Node {
        &self.slots[at]
    }

    /// Returns the nodes that are there, by name.
    pub(super) fn known(&self) -> impl Iterator<Item = &Node> {
        let all = self.names.values().map(|at| &self.slots[*at]);
        all.filter(|node| node.known)
    }
}

/// Returns true if a Pod uses something of its node.
fn occupies(pod: &Value) -> bool {
    views::pod(pod).is_scheduled() && !views::pod(pod).has_ended()
}
