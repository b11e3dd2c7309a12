//! Computes the changes that give each node its Pod.

use std::collections::{BTreeMap, BTreeSet};

use super::{BackOffs, FAILED, HASH, REPLACE_FAILED, fit_of, pod, target};
use crate::revisions::{History, LiveRevisions};
use crate::runtime::{EventNote, Object, Plan, PlannedWrite, ReconcileContext};
use crate::views;
use crate::watched;
use crate::workload::{
    create_pod, delete_pod, is_available, is_over, is_ready, numbered, phase, start_slowly,
};

/// The most Pods that are made, and that are deleted, at a time.
// The `burstReplicas` of the DaemonSet controller.
const BURST: usize = 250;

/// A node with the set's Pods and the verdict on it.
pub(super) struct Site<'a> {
    pub(super) name: &'a str,
    /// True if a new Pod may run on it.
    pub(super) comes: bool,
    /// True if an existing Pod may stay.
    pub(super) stays: bool,
    /// The existing and planned Pods, oldest first.
    pub(super) pods: Vec<&'a Object>,
}

/// One reconcile of a DaemonSet.
pub(super) struct Reconcile<'a> {
    pub(super) set: &'a Object,
    pub(super) context: &'a ReconcileContext<'a>,
    pub(super) history: History<'a>,
    pub(super) sites: Vec<Site<'a>>,
    /// Pods for a node that no longer exists.
    lost: Vec<&'a Object>,
    pods: Vec<&'a Object>,
    pub(super) plan: Plan,
    /// The nodes that get a Pod, with the rule.
    creations: Vec<(&'a str, String)>,
    deletions: Vec<(&'a Object, String)>,
}

impl<'a> Reconcile<'a> {
    pub(super) fn new(
        set: &'a Object,
        own: &[&'a Object],
        context: &'a ReconcileContext<'a>,
    ) -> Self {
        let mut by_node: BTreeMap<&str, Vec<&Object>> = BTreeMap::new();
        // A Pod that has ended and is being deleted must not delay its successor.
        for pod in own.iter().filter(|p| !(p.is_terminating() && is_over(p))) {
            if let Some(node) = target(pod) {
                by_node.entry(node).or_default().push(pod);
            }
        }
        let fit = fit_of(set);
        let mut sites = Vec::new();
        for node in context.cache.list(watched::nodes(), "") {
            let (comes, stays) = fit.on(node);
            let mut pods = by_node.remove(node.name()).unwrap_or_default();
            // Of several Pods on a node the oldest scheduled one is kept.
            pods.sort_by_key(|p| (!is_bound(p), p.meta("creationTimestamp"), p.name()));
            sites.push(Site {
                name: node.name(),
                comes,
                stays,
                pods,
            });
        }
        sites.sort_by_key(|site| site.name);
        let lost = by_node.into_values().flatten();
        Self {
            set,
            context,
            history: History::read(set, HASH, context.cache),
            sites,
            lost: lost.filter(|p| !is_bound(p)).collect(),
            pods: own.to_vec(),
            plan: Plan::done(),
            creations: Vec::new(),
            deletions: Vec::new(),
        }
    }

    /// Returns the number of nodes that should have a Pod.
    pub(super) fn wanted(&self) -> usize {
        self.sites.iter().filter(|site| site.comes).count()
    }

    pub(super) fn is_updated(&self, pod: &Object) -> bool {
        pod::is_updated(self.set, pod, &self.history.update.hash)
    }

    pub(super) fn is_available(&self, pod: &Object) -> bool {
        let min_ready = views::workload(self.set).min_ready_seconds();
        is_available(pod, min_ready, self.context.now)
    }

    pub(super) fn create(&mut self, node: &'a str, rule: String) {
        self.creations.push((node, rule));
    }

    pub(super) fn delete(&mut self, pod: &'a Object, rule: impl Into<String>) {
        self.deletions.push((pod, rule.into()));
    }

    pub(super) fn step(&mut self, back_offs: &BackOffs) {
        let mut writes = std::mem::take(&mut self.history.writes);
        self.plan.changes.append(&mut writes);
        for index in 0..self.sites.len() {
            self.manage(index, back_offs);
        }
        for pod in std::mem::take(&mut self.lost) {
            if !pod.is_terminating() {
                self.delete(pod, "misplaced: its node no longer exists");
            }
        }
        // Upstream updates after it has managed the nodes; missing Pods count as unavailable, so they come first.
        let quiet = self.creations.is_empty() && self.deletions.is_empty();
        if quiet && views::workload(self.set).update_strategy() != "OnDelete" {
            self.update();
        }
        self.write();
        self.clean_up();
    }

    /// Plans the changes to the Pods of one node.
    fn manage(&mut self, index: usize, back_offs: &BackOffs) {
        let site = &self.sites[index];
        let (name, pods) = (site.name, site.pods.clone());
        let present = pods.iter().copied().filter(|p| !p.is_terminating());
        if site.comes && pods.is_empty() {
            self.create(name, format!("create: node {name} has no Pod"));
            return;
        }
        if !site.stays {
            for pod in present {
                self.delete(pod, format!("misplaced: {name} is not an eligible node"));
            }
            return;
        }
        let mut running = Vec::new();
        for pod in present {
            match phase(pod) {
                "Failed" => match back_offs.wait(self.set, name, self.context.now) {
                    // A Pod that fails again and again is replaced with growing delays, up to 15 minutes.
                    Some(wait) => self.plan.requeue_in(wait),
                    None => self.replace(pod, name, true),
                },
                "Succeeded" => self.replace(pod, name, false),
                _ => running.push(pod),
            }
        }
        if running.len() > 1 {
            self.prune(&running);
        }
    }

    /// Deletes a Pod that has ended.
    fn replace(&mut self, pod: &'a Object, node: &str, failed: bool) {
        let id = format!("{}/{}", pod.namespace(), pod.name());
        let note = if failed {
            let message =
                format!("Found failed daemon pod {id} on node {node}, will try to kill it");
            EventNote::warning(self.set, FAILED, message)
        } else {
            let message =
                format!("Found succeeded daemon pod {id} on node {node}, will try to delete it");
            EventNote::normal(self.set, "SucceededDaemonPod", message)
        };
        self.plan.events.push(note);
        self.delete(
            pod,
            if failed {
                REPLACE_FAILED
            } else {
                "replace: it has succeeded"
            },
        );
    }

    /// Keeps one of several Pods of a node; with a surge one of the old template and one of the new, until the new one
    /// is available.
    fn prune(&mut self, running: &[&'a Object]) {
        if self.bounds().0 == 0 {
            for pod in &running[1..] {
                self.delete(pod, "surplus: its node has an older Pod of the set");
            }
            return;
        }
        let (new, old): (Vec<&Object>, Vec<&Object>) =
            running.iter().copied().partition(|p| self.is_updated(p));
        for pod in new.iter().skip(1).chain(old.iter().skip(1)) {
            self.delete(pod, "surplus: its node has an older Pod of the set");
        }
        if let (Some(new), Some(old)) = (new.first(), old.first()) {
            if !is_ready(old) {
                self.delete(old, "surged: the old Pod is not ready");
            } else if self.is_available(new) {
                self.delete(old, "surged: the new Pod is available");
            }
        }
    }

    /// Turns the decisions into writes.
    fn write(&mut self) {
        let hash = &self.history.update.hash;
        let mut creations: Vec<PlannedWrite> = self
            .creations
            .drain(..)
            .take(BURST)
            .map(|(node, rule)| create_pod(self.set, pod::of(self.set, node, hash), rule))
            .collect();
        start_slowly(&mut creations);
        self.plan.changes.append(&mut creations);
        let deletions = self.deletions.drain(..).take(BURST);
        let set = self.set;
        let deletions = deletions.map(|(pod, rule)| delete_pod(set, pod, rule));
        self.plan.changes.extend(deletions);
    }

    fn clean_up(&mut self) {
        let update = &self.history.update;
        let prefix = update.name.strip_suffix(update.hash.as_str());
        let prefix = prefix.unwrap_or_default();
        // A revision that a Pod still runs is needed to recognize and to undo that Pod's template.
        let live: BTreeSet<String> = self
            .pods
            .iter()
            .map(|p| format!("{prefix}{}", p.label(HASH)))
            .collect();
        let limit = views::workload(self.set)
            .revision_history_limit()
            .unwrap_or(10);
        let writes = self.history.clean_up(limit, &live, LiveRevisions::Counted);
        self.plan.changes.extend(writes);
    }

    pub(super) fn into_plan(mut self) -> Plan {
        let status = self.status();
        let rule = format!(
            "status: {} eligible",
            numbered(self.wanted(), "node is", "nodes are")
        );
        self.plan
            .status
            .extend(PlannedWrite::status(self.set, status, rule));
        self.plan
    }
}

/// Returns true if a Pod has a node.
fn is_bound(pod: &Object) -> bool {
    views::pod(pod).is_scheduled()
}
