//! The status of a Deployment.

use super::conditions::Refused;
use super::rollout::{Rollout, Set};
use crate::api::json::{Value, json};
use crate::cluster::{Part, Verb};
use crate::kinds::tree::field;
use crate::runtime::{Object, Plan, PlannedWrite};
use crate::views;
use crate::workload::set_count;

/// The counters of one ReplicaSet, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) replicas: i64,
    pub(super) ready: i64,
    pub(super) available: i64,
    terminating: i64,
}

impl Counts {
    pub(super) fn from_set(set: &Object) -> Self {
        let view = views::workload(set);
        Self {
            replicas: view.current_replicas(),
            ready: view.ready_replicas(),
            available: view.available_replicas(),
            terminating: view.terminating_replicas(),
        }
    }
}

/// The counters of a status, for comparison with the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) replicas: i64,
    pub(super) updated: i64,
    pub(super) ready: i64,
    pub(super) available: i64,
}

impl Rollout<'_> {
    /// Returns the counters of the new status.
    pub(super) fn totals(&self) -> Totals {
        let sum = |of: fn(&Counts) -> i64| self.all().map(|s| of(&s.counts)).sum();
        Totals {
            replicas: sum(|c| c.replicas),
            updated: self.new.as_ref().map_or(0, |s| s.counts.replicas),
            ready: sum(|c| c.ready),
            available: sum(|c| c.available),
        }
    }

    /// Returns the counters of the current status.
    pub(super) fn totals_before(&self) -> Totals {
        let view = views::workload(self.deployment);
        Totals {
            replicas: view.current_replicas(),
            updated: view.updated_replicas(),
            ready: view.ready_replicas(),
            available: view.available_replicas(),
        }
    }

    /// Returns true if all desired replicas are updated and available and no others exist. The generation is always the
    /// current one in the status about to be written.
    pub(super) fn is_complete(&self) -> bool {
        let totals = self.totals();
        [totals.updated, totals.replicas, totals.available]
            .iter()
            .all(|n| *n == self.desired_replicas)
    }

    /// Writes the status and the revision if they change.
    pub(super) fn write_status(&mut self, plan: &mut Plan, refused: Refused) {
        let mut value = self.deployment.to_value();
        // Upstream returns before it counts the Pods if the new ReplicaSet could not be created.
        let rule = match refused {
            Refused::No => self.count(&mut value),
            Refused::Collision(count) => {
                value["status"]["collisionCount"] = json!(count);
                "status: another object has the name of the new ReplicaSet".to_owned()
            }
            Refused::Creation => {
                if !self.conditions.is_empty() {
                    value["status"]["conditions"] = json!(self.conditions);
                }
                "status: the new ReplicaSet was refused".to_owned()
            }
        };
        if value != *self.deployment.value() {
            let verb = Verb::Update(Part::Status, value);
            plan.status
                .push(PlannedWrite::to(self.deployment, verb, rule));
        // Without a write nothing would wake the controller when the progress deadline passes.
        } else if let Some(wait) = self.deadline() {
            plan.requeue_in(wait);
        }
    }

    /// Sets the status and the revision of a Deployment; returns the rule.
    fn count(&mut self, value: &mut Value) -> String {
        self.available_condition();
        let totals = self.totals();
        let old = field(self.deployment, "status");
        // The status describes the ReplicaSets as they were read, like upstream's, and not this plan.
        let size: i64 = self.all().map(|s| s.replicas_before).sum();
        let terminating: i64 = self.all().map(Set::terminating).sum();
        let mut status = json!({
            "observedGeneration": self.deployment["metadata"]["generation"],
            "terminatingReplicas": terminating,
        });
        for (name, count) in [
            ("replicas", totals.replicas),
            ("updatedReplicas", totals.updated),
            ("readyReplicas", totals.ready),
            ("availableReplicas", totals.available),
            ("unavailableReplicas", (size - totals.available).max(0)),
        ] {
            set_count(&mut status, name, usize::try_from(count).unwrap_or(0));
        }
        if let Some(collisions) = old.get("collisionCount") {
            status["collisionCount"] = collisions.clone();
        }
        if !self.conditions.is_empty() {
            status["conditions"] = json!(self.conditions);
        }
        value["status"] = status;
        // In the same write as the status: a reader never sees a new revision with the old counts.
        if let Some(revision) = &self.revision {
            value["metadata"]["annotations"][super::rollout::REVISION] = json!(revision);
        }
        format!(
            "status: {} of {} replicas are updated, {} are available",
            totals.updated, self.desired_replicas, totals.available
        )
    }
}

impl Set {
    fn terminating(&self) -> i64 {
        self.counts.terminating
    }
}
