//! The failure of an attempt to place a Pod: its condition, its nomination, and the preemption of others.

use std::sync::Arc;

use jiff::Timestamp;

use super::controller::Look;
use super::openings::OpeningKinds;
use super::pod_info::{PREEMPTED, PodInfo};
use super::preempt::{Nomination, Room};
use crate::api::json::{Value, json};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::tree::text;
use crate::runtime::{EventNote, Object, PlannedWrite};
use crate::views;
use crate::watched;
use crate::workload::disruption;

/// The reason why a Pod has no node.
pub(super) struct Failed {
    pub(super) reason: &'static str,
    pub(super) message: String,
    pub(super) nomination: Nomination,
    /// The openings that may help.
    pub(super) helps: OpeningKinds,
}

impl Failed {
    pub(super) fn unschedulable(
        message: String,
        nomination: Nomination,
        helps: OpeningKinds,
    ) -> Self {
        Self {
            reason: "Unschedulable",
            message,
            nomination,
            helps,
        }
    }
}

/// Returns the condition of a Pod without a node, and true if it differs from the current one.
pub(super) fn unscheduled(
    pod: &Object,
    said: NewCondition<'_>,
    now: Timestamp,
) -> (Option<Value>, bool) {
    let mut conditions = condition::of(pod);
    let changed = condition::set(&mut conditions, said, now);
    let own = conditions
        .into_iter()
        .find(|c| text(c, "type") == "PodScheduled");
    let own = own.map(|mut own| {
        own["lastProbeTime"] = Value::Null;
        own["observedGeneration"] = json!(views::meta(pod).generation());
        own
    });
    (own, changed)
}

impl Look<'_, '_> {
    /// Plans the failure of a Pod.
    pub(super) fn fail(&mut self, pod: &Object, pod_info: &Arc<PodInfo>, failed: Failed) {
        let Failed {
            reason,
            message,
            nomination,
            ..
        } = failed;
        let old = self.nomination_of(pod, pod_info);
        let nominated = match &nomination {
            Nomination::Stays => old,
            Nomination::Ends => "",
            Nomination::Becomes(room) => room.node.as_str(),
        };
        let said = NewCondition {
            kind: "PodScheduled",
            status: "False",
            reason,
            message: &message,
        };
        let (own, changed) = unscheduled(pod, said, self.context.now);
        if changed || nominated != old {
            let mut status = json!({"conditions": [own]});
            if nominated != old {
                status["nominatedNodeName"] = match nominated {
                    "" => Value::Null,
                    node => json!(node),
                };
            }
            let rule = match nomination {
                Nomination::Becomes(_) => "nominate",
                _ => "unschedulable",
            };
            let write = status_patch(pod, status, format!("{rule}: {message}"));
            self.plan.changes.push(write);
        }
        if changed || nominated != old || self.again {
            self.plan.events.push(EventNote {
                action: "Scheduling".to_owned(),
                ..EventNote::warning(pod, "FailedScheduling", message)
            });
        }
        if nominated != old {
            let others = self.nominated.values_mut();
            others.for_each(|all| all.retain(|other| other.uid != pod_info.uid));
        }
        if let Nomination::Becomes(room) = nomination {
            self.withdraw(pod_info, &room.node);
            self.preempt(pod, pod_info, &room);
            self.nominated
                .entry(room.node)
                .or_default()
                .push(Arc::clone(pod_info));
        }
    }

    /// Returns the node for which a Pod is still nominated.
    fn nomination_of<'p>(&self, pod: &'p Object, pod_info: &PodInfo) -> &'p str {
        let node = views::pod(pod).nominated_node_name();
        let mut all = self.nominated.get(node).into_iter().flatten();
        match all.any(|other| other.uid == pod_info.uid) {
            true => node,
            false => "",
        }
    }

    /// Ends the nominations of less important Pods for a node, because they may no longer fit.
    fn withdraw(&mut self, pod_info: &PodInfo, node: &str) {
        let Some(all) = self.nominated.get_mut(node) else {
            return;
        };
        let is_lower = |other: &mut Arc<PodInfo>| other.priority < pod_info.priority;
        for other in all.extract_if(.., is_lower) {
            let found = self
                .world
                .object(watched::pods(), &other.namespace, &other.name);
            let Some(pod) = found else { continue };
            let rule = format!(
                "nominate: {}/{} makes room on {node}",
                pod_info.namespace, pod_info.name
            );
            let status = json!({"nominatedNodeName": null});
            self.plan.changes.push(status_patch(pod, status, rule));
        }
    }

    fn preempt(&mut self, preemptor: &Object, pod_info: &PodInfo, room: &Room) {
        for victim in &room.victims {
            let found = self
                .world
                .object(watched::pods(), &victim.namespace, &victim.name);
            let Some(pod) = found.filter(|pod| !pod.is_terminating()) else {
                continue;
            };
            if !self.victims.insert(victim.uid.clone()) {
                continue;
            }
            let why = "default-scheduler: preempting to accommodate a higher priority pod";
            let status = disruption(pod, PREEMPTED, why, self.context.now);
            let rule = format!(
                "preempt: {} makes room for {}/{}",
                victim.name, pod_info.namespace, pod_info.name
            );
            let marked = status_patch(pod, status, rule.clone());
            let message = format!("Preempted by pod {} on node {}", pod_info.uid, room.node);
            let note = EventNote {
                action: "Preempting".to_owned(),
                related: preemptor.reference(),
                ..EventNote::normal(pod, "Preempted", message)
            };
            self.plan.changes.push(marked.in_wave(1));
            self.plan
                .changes
                .push(PlannedWrite::delete(pod, rule).with_event(note).in_wave(2));
        }
    }
}

/// Returns a patch of the status of a Pod.
pub(super) fn status_patch(pod: &Object, status: Value, rule: String) -> PlannedWrite {
    PlannedWrite::patch_status(pod, json!({"status": status}), rule)
}
