//! The nodes with the sums of what runs on them, kept up to date change by change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::ask::{Amounts, Ask};
use super::counts::Kept;
use crate::api::json::Value;
use crate::controllers::node_rules::Taint;
use crate::kinds::pod::resources::amounts;
use crate::kinds::tree::{entries, field, flag, list, text};
use crate::runtime::{Change, Object};

/// A node with what is left of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) name: String,
    /// Whether the node itself is there, and not only Pods that say they are on it.
    pub(super) known: bool,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) taints: Vec<Taint>,
    pub(super) unschedulable: bool,
    pub(super) has: Amounts,
    pub(super) has_pods: i64,
    pub(super) used: Amounts,
    /// For scores.
    pub(super) counted: (i64, i64),
    pub(super) pods: BTreeMap<String, Arc<Ask>>,
}

impl Node {
    fn read(&mut self, node: &Value) {
        let spec = field(node, "spec");
        let list_of = amounts(field(node, "status"), "allocatable");
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
    pub(super) fn count(&mut self, pod: &Arc<Ask>, sign: i64) {
        self.used.add(&pod.needs.amounts, sign);
        self.counted.0 += sign * pod.needs.counted.0;
        self.counted.1 += sign * pod.needs.counted.1;
        match sign {
            1 => drop(self.pods.insert(pod.uid.clone(), Arc::clone(pod))),
            _ => drop(self.pods.remove(&pod.uid)),
        }
    }
}

/// All nodes and the Pods on them.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) nodes: BTreeMap<String, Node>,
    /// Where each Pod is.
    placed: HashMap<String, (String, Arc<Ask>)>,
    /// The Pods that others have to look out for: those with rules about what runs beside them.
    pub(super) particular: BTreeMap<String, Arc<Ask>>,
    /// Pods that were placed in a plan whose outcome is not seen yet.
    assumed: BTreeSet<String>,
    pub(super) counts: Kept,
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
        let entry = self.nodes.entry(node.name().to_owned()).or_default();
        entry.name = node.name().to_owned();
        if there {
            entry.read(node);
        } else if entry.pods.is_empty() {
            self.nodes.remove(node.name());
        } else {
            entry.known = false;
        }
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
        let node = text(field(pod, "spec"), "nodeName");
        let known = self.placed.get(uid).is_some_and(|(n, ask)| {
            n == node && ask.terminating == pod.is_terminating() && ask.since.is_some()
        });
        let same = ["/spec", "/metadata/labels"]
            .iter()
            .all(|p| !change.differs(p));
        self.assumed.remove(uid);
        if known && same {
            return;
        }
        self.place(node, Arc::new(Ask::read(pod)));
    }

    /// Puts a Pod on a node.
    pub(super) fn place(&mut self, node: &str, pod: Arc<Ask>) {
        self.remove(&pod.uid);
        let entry = self.nodes.entry(node.to_owned()).or_default();
        node.clone_into(&mut entry.name);
        entry.count(&pod, 1);
        self.counts.add(node, &pod, 1);
        let needs = &pod.needs;
        if !(needs.with.is_empty() && needs.without.is_empty() && needs.rather.is_empty()) {
            self.particular.insert(pod.uid.clone(), Arc::clone(&pod));
        }
        self.placed.insert(pod.uid.clone(), (node.to_owned(), pod));
    }

    /// Puts a Pod on a node until the outcome is seen.
    pub(super) fn assume(&mut self, node: &str, pod: Arc<Ask>) {
        self.assumed.insert(pod.uid.clone());
        self.place(node, pod);
    }

    /// Begins a look: takes back what was assumed and did not come to be.
    pub(super) fn begin(&mut self) {
        self.counts.begin();
        for uid in std::mem::take(&mut self.assumed) {
            self.remove(&uid);
        }
    }

    fn remove(&mut self, uid: &str) {
        let Some((name, pod)) = self.placed.remove(uid) else {
            return;
        };
        self.particular.remove(uid);
        self.counts.add(&name, &pod, -1);
        if let Some(node) = self.nodes.get_mut(&name) {
            node.count(&pod, -1);
            if !node.known && node.pods.is_empty() {
                self.nodes.remove(&name);
            }
        }
    }

    /// The node that a Pod is on.
    pub(super) fn node_of(&self, uid: &str) -> Option<&str> {
        self.placed.get(uid).map(|(node, _)| node.as_str())
    }

    /// The nodes that are there, by name.
    pub(super) fn known(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values().filter(|n| n.known)
    }
}

/// Whether a Pod uses something of its node.
fn occupies(pod: &Value) -> bool {
    !text(field(pod, "spec"), "nodeName").is_empty()
        && !matches!(text(field(pod, "status"), "phase"), "Succeeded" | "Failed")
}
