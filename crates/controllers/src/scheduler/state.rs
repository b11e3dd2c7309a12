//! The nodes with the sums of their Pods, updated change by change.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::counts::CountCache;
use super::pod_info::{Amounts, PodInfo};
use super::templates::Templates;
use crate::api::json::{Text, Value};
use crate::kinds::pod::node_rules::Taint;
use crate::kinds::pod::resources::resource_list;
use crate::kinds::tree::{entries, field, flag, list};
use crate::runtime::{Change, Object};
use crate::views;

/// A node with its free resources.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) name: String,
    /// Its number, an index into counts.
    pub(super) at: usize,
    /// True if the node exists, false if only Pods name it.
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
        let list_of = resource_list(field(node, "status"), "allocatable");
        // A slot may exist before its node, for Pods that name a missing node.
        self.known = true;
        self.labels = entries(field(node, "metadata"), "labels")
            .map(|(k, v)| (k.to_owned(), v.as_str().unwrap_or_default().to_owned()))
            .collect();
        self.taints = list(spec, "taints").iter().map(Taint::read).collect();
        self.unschedulable = flag(spec, "unschedulable");
        self.has = Amounts::from_quantities(&list_of);
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

/// All nodes and the Pods on them.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The nodes by number; a number without a name is free.
    slots: Vec<Node>,
    /// The version of each node: a unique number that changes with the node or its Pods.
    // In a list of their own: each Pod compares the versions of hundreds of nodes, and in the nodes each comparison
    // would wait for memory.
    versions: Vec<u64>,
    names: BTreeMap<String, usize>,
    free: Vec<usize>,
    version: u64,
    /// The node of each Pod.
    placed: HashMap<Text, (usize, Arc<PodInfo>)>,
    /// The Pods whose own affinity terms concern other Pods.
    pub(super) particular: BTreeMap<Text, Arc<PodInfo>>,
    /// Pods that were placed by a plan whose outcome has not been observed yet.
    assumed: BTreeSet<Text>,
    pub(super) counts: CountCache,
    templates: Templates,
}

impl State {
    /// Takes in a change of a node or a Pod.
    pub(super) fn observe(&mut self, change: &Change) {
        let Some(object) = change.object() else {
            return;
        };
        if object.kind().is_pod() {
            self.observe_pod(change);
        } else if object.kind().hosts_pods() {
            self.observe_node(object, change.after.is_some());
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

    /// Returns a node for modification, and creates it if it is missing.
    fn changing(&mut self, name: &str) -> &mut Node {
        let at = self.names.get(name).copied().unwrap_or_else(|| {
            let at = self.free.pop().unwrap_or_else(|| {
                self.slots.push(Node::default());
                self.versions.push(0);
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
        self.touch(at)
    }

    /// Returns a node for modification, which gets a new version.
    fn touch(&mut self, at: usize) -> &mut Node {
        self.version += 1;
        self.versions[at] = self.version;
        &mut self.slots[at]
    }

    /// Removes a deleted node that has no Pods.
    fn leave(&mut self, at: usize) {
        let node = &self.slots[at];
        // The Pods of a deleted node count until they are deleted, so the slot is kept as long.
        if !node.known && node.pods.is_empty() && self.names.remove(&node.name).is_some() {
            self.free.push(at);
        }
    }

    /// Returns a Pod with its requirements.
    pub(super) fn pod_info(&mut self, pod: &Value) -> Arc<PodInfo> {
        Arc::new(PodInfo::read(pod, &mut self.templates))
    }

    /// Returns the requirements of a Pod after a change. They are parsed once, when the Pod waits: being bound, started
    /// and deleted requires nothing else, and after a restart the same versions of all Pods are read again.
    fn pod_info_after(&mut self, change: &Change, pod: &Object) -> Arc<PodInfo> {
        if let Some(known) = pod.remembered::<Arc<PodInfo>>() {
            return Arc::clone(known);
        }
        let placed = self.placed.get(pod.uid());
        let pod_info = match placed.filter(|_| !requires_other(change)) {
            Some((_, known)) => Arc::new(PodInfo::with(pod, |_, _, _| Arc::clone(&known.needs))),
            None => self.pod_info(pod),
        };
        pod.remember(Arc::clone(&pod_info));
        pod_info
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
        // A change of status alone, the most frequent change of a Pod, does not affect the sums.
        if known && same {
            return;
        }
        let pod_info = self.pod_info_after(change, pod);
        self.place(node, pod_info);
    }

    /// Puts a Pod on a node.
    pub(super) fn place(&mut self, node: &str, pod: Arc<PodInfo>) {
        if self.replace(node, &pod) {
            return;
        }
        self.remove(&pod.uid);
        let entry = self.changing(node);
        entry.count(&pod, 1);
        let at = entry.at;
        self.counts.add(at, &pod, 1);
        let (uid, needs) = (&pod.uid, &pod.needs);
        // The rules of running Pods apply to each new Pod; only the few Pods that have rules are searched.
        if !(needs.with.is_empty() && needs.without.is_empty() && needs.rather.is_empty()) {
            self.particular.insert(uid.clone(), Arc::clone(&pod));
        }
        self.placed.insert(uid.clone(), (at, pod));
    }

    /// Replaces a Pod on its node by a version that counts the same. Returns false if there is none.
    // A Pod is placed three times: when its node is chosen, when it is bound and when it starts. The last two change no
    // sum, so the verdicts on the node stay valid.
    fn replace(&mut self, node: &str, pod: &Arc<PodInfo>) -> bool {
        let known = self.placed.get_mut(&pod.uid);
        let known = known.filter(|(at, old)| {
            let slot = &self.slots[*at];
            // The slot of a deleted node is made anew.
            slot.known && slot.name == node && old.counts_as(pod)
        });
        let Some((at, old)) = known else {
            return false;
        };
        // The binding that was assumed: nothing has changed yet.
        if old.is_same(pod) {
            return true;
        }
        *old = Arc::clone(pod);
        let own = self.slots[*at].pods.get_mut(&pod.uid);
        let particular = self.particular.get_mut(&pod.uid);
        own.into_iter()
            .chain(particular)
            .for_each(|old| *old = Arc::clone(pod));
        true
    }

    /// Places a Pod on a node until the outcome is observed.
    pub(super) fn assume(&mut self, node: &str, pod: Arc<PodInfo>) {
        // Counted before the binding is committed, so that this plan places the next Pod accordingly.
        self.assumed.insert(pod.uid.clone());
        self.place(node, pod);
    }

    /// Begins a cycle: takes back assumptions that were not committed.
    pub(super) fn begin(&mut self) {
        self.counts.begin();
        // The commit may have been refused: bound Pods return as observed changes.
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
        self.touch(at).count(&pod, -1);
        self.leave(at);
    }

    /// Returns the node that a Pod is on.
    pub(super) fn node_of(&self, uid: &str) -> Option<&Node> {
        self.placed.get(uid).map(|(at, _)| &self.slots[*at])
    }

    /// Returns the node with a name, even if only Pods name it.
    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        self.names.get(name).map(|at| &self.slots[*at])
    }

    /// Returns the version of a node.
    pub(super) fn version(&self, at: usize) -> u64 {
        self.versions[at]
    }

    /// Returns the node of a number.
    pub(super) fn at(&self, at: usize) -> &Node {
        &self.slots[at]
    }

    /// Returns the existing nodes, by name.
    pub(super) fn known(&self) -> impl Iterator<Item = &Node> {
        let all = self.names.values().map(|at| &self.slots[*at]);
        all.filter(|node| node.known)
    }
}

/// Returns true if the requirements of a Pod may have changed: the binding alone requires nothing else.
fn requires_other(change: &Change) -> bool {
    let spec = |pod: &Option<Object>| pod.as_ref().and_then(|pod| pod.get("spec").cloned());
    let unbound = |spec: Option<Value>| {
        let mut spec = spec?;
        spec.as_object_mut()?.remove("nodeName");
        Some(spec)
    };
    change.differs("/spec") && unbound(spec(&change.before)) != unbound(spec(&change.after))
}

/// Returns true if a Pod uses something of its node.
fn occupies(pod: &Value) -> bool {
    views::pod(pod).is_scheduled() && !views::pod(pod).has_ended()
}
