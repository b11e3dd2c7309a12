//! The conditions of a Deployment: Available, Progressing, ReplicaFailure.

use jiff::SignedDuration;

use super::rollout::Rollout;
use crate::api::json::{Value, json};
use crate::kinds::tree::field;
use crate::runtime::EventNote;
use crate::views;
use crate::workload::{condition, is_in_ending_namespace, stamp, time};

/// The deadline that means none.
// `HasProgressDeadline` takes the largest int32 for no deadline.
const NO_DEADLINE: i64 = 2_147_483_647;

const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const AVAILABLE: &str = "NewReplicaSetAvailable";
const CREATE_ERROR: &str = "ReplicaSetCreateError";

impl Rollout<'_> {
    /// Returns a condition of the planned status.
    pub(super) fn condition(&self, kind: &str) -> Option<&Value> {
        self.conditions
            .iter()
            .find(|c| views::condition(c).kind() == kind)
    }

    /// Sets a condition if its status or reason changes, and moves it to the end of the list.
    pub(super) fn set_condition(&mut self, kind: &str, status: &str, reason: &str, message: &str) {
        let now = stamp(self.context.now);
        let mut since = json!(now);
        if let Some(old) = self.condition(kind) {
            // `SetDeploymentCondition` ignores a change of the message alone, so the times stay.
            if views::condition(old).status() == status && views::condition(old).reason() == reason
            {
                return;
            }
            if views::condition(old).status() == status {
                // The transition time belongs to the status; the reason may change without it.
                since = field(old, "lastTransitionTime").clone();
            }
        }
        self.drop_condition(kind);
        self.conditions.push(json!({
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastUpdateTime": now,
            "lastTransitionTime": since,
        }));
    }

    fn drop_condition(&mut self, kind: &str) {
        self.conditions
            .retain(|c| views::condition(c).kind() != kind);
    }

    /// Returns true if progress has a deadline.
    pub(super) fn has_deadline(&self) -> bool {
        let seconds = views::workload(self.deployment).progress_deadline_seconds();
        seconds.is_some_and(|s| s != NO_DEADLINE)
    }

    /// Updates the condition of a paused or resumed Deployment.
    pub(super) fn pause_conditions(&mut self) {
        if !self.has_deadline() {
            return;
        }
        let reason = self
            .condition("Progressing")
            .map(|c| views::condition(c).reason());
        let reason = reason.unwrap_or_default().to_owned();
        let paused = views::workload(self.deployment).is_paused();
        // A rollout that has timed out stays so, whether it is paused or not.
        if reason == TIMED_OUT {
            return;
        }
        if paused && reason != "DeploymentPaused" {
            let message = "Deployment is paused";
            self.set_condition("Progressing", "Unknown", "DeploymentPaused", message);
        } else if !paused && reason == "DeploymentPaused" {
            let message = "Deployment is resumed";
            self.set_condition("Progressing", "Unknown", "DeploymentResumed", message);
        }
    }

    /// Updates the condition `Progressing`.
    pub(super) fn progress(&mut self) {
        self.available_condition();
        if !self.has_deadline() {
            self.drop_condition("Progressing");
        } else if !self.was_complete() {
            self.progressing();
        }
        // The new ReplicaSet's failure is reported before those of older ones.
        let failures = self.new.iter().chain(&self.old);
        let failure = failures
            .filter_map(|set| condition(set.object.as_ref()?, "ReplicaFailure"))
            .next()
            .cloned();
        match failure {
            Some(c) => self.take_failure(&c),
            None => self.drop_condition("ReplicaFailure"),
        }
    }

    /// Copies the failure of a ReplicaSet, with the time at which it happened there.
    fn take_failure(&mut self, failure: &Value) {
        let (status, reason) = (
            views::condition(failure).status(),
            views::condition(failure).reason(),
        );
        let (kind, message) = ("ReplicaFailure", views::condition(failure).message());
        let old = self.condition(kind).cloned();
        self.set_condition(kind, status, reason, message);
        let since = field(failure, "lastTransitionTime");
        let news = self.conditions.last_mut();
        if let Some(new) =
            news.filter(|new| old.as_ref() != Some(&**new) && views::condition(new).kind() == kind)
        {
            new["lastUpdateTime"] = since.clone();
            if old.is_none_or(|old| views::condition(&old).status() != status) {
                new["lastTransitionTime"] = since.clone();
            }
        }
    }

    /// Returns true if it was complete already, and only the number has changed since, if anything.
    fn was_complete(&self) -> bool {
        let totals = self.totals();
        let reason =
            condition(self.deployment, "Progressing").map(|c| views::condition(c).reason());
        totals.replicas == totals.updated && reason == Some(AVAILABLE)
    }

    fn progressing(&mut self) {
        let what = match &self.new {
            Some(set) => format!("ReplicaSet \"{}\"", set.name),
            None => format!("Deployment \"{}\"", self.deployment.name()),
        };
        let (now, before) = (self.totals(), self.totals_before());
        // Progress is any of these: more new Pods, fewer old ones, more ready or more available ones.
        let moved = now.updated > before.updated
            || now.replicas - now.updated < before.replicas - before.updated
            || now.ready > before.ready
            || now.available > before.available;
        if self.is_complete() {
            let message = format!("{what} has successfully progressed.");
            self.set_condition("Progressing", "True", AVAILABLE, &message);
        } else if moved {
            let old = self.condition("Progressing").cloned();
            self.drop_condition("Progressing");
            let message = format!("{what} is progressing.");
            self.set_condition("Progressing", "True", "ReplicaSetUpdated", &message);
            let kept = old.filter(|c| views::condition(c).status() == "True");
            if let (Some(old), Some(new)) = (kept, self.conditions.last_mut()) {
                new["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
        } else if self.is_past_deadline() {
            let message = format!("{what} has timed out progressing.");
            self.set_condition("Progressing", "False", TIMED_OUT, &message);
        }
    }

    fn is_past_deadline(&self) -> bool {
        let Some(condition) = self.condition("Progressing") else {
            return false;
        };
        match views::condition(condition).reason() {
            AVAILABLE => false,
            // Once past the deadline, only progress ends it.
            TIMED_OUT => true,
            _ => self
                .time_left(condition)
                .is_some_and(|left| left.is_negative() || left.is_zero()),
        }
    }

    fn time_left(&self, progressing: &Value) -> Option<SignedDuration> {
        let seconds = views::workload(self.deployment).progress_deadline_seconds()?;
        // The deadline counts from the last progress, which is the update time and not the transition time.
        let since = time(field(progressing, "lastUpdateTime"))?;
        let end = since.checked_add(SignedDuration::from_secs(seconds)).ok()?;
        Some(end.duration_since(self.context.now))
    }

    /// Returns the time until the rollout exceeds its deadline, if it is in progress.
    pub(super) fn deadline(&self) -> Option<SignedDuration> {
        let paused = views::workload(self.deployment).is_paused();
        let condition = condition(self.deployment, "Progressing")?;
        // As upstream, a Deployment whose new ReplicaSet was refused does not reach the check of the deadline.
        let waits = !matches!(
            views::condition(condition).reason(),
            TIMED_OUT | AVAILABLE | CREATE_ERROR
        );
        if !waits || paused || !self.has_deadline() || self.is_complete() {
            return None;
        }
        self.time_left(condition)
            .map(|left| left.max(SignedDuration::ZERO))
    }

    pub(super) fn available_condition(&mut self) {
        if self.totals().available >= self.desired_replicas - self.max_unavailable() {
            let message = "Deployment has minimum availability.";
            self.set_condition("Available", "True", "MinimumReplicasAvailable", message);
        } else {
            let message = "Deployment does not have minimum availability.";
            self.set_condition("Available", "False", "MinimumReplicasUnavailable", message);
        }
    }

    /// Reports that the new ReplicaSet was refused, if it was.
    pub(super) fn refused_new(&mut self) -> Refused {
        let mut refused = self.context.refused.iter();
        let Some(refused) = refused.find(|f| f.rule.starts_with("new-replica-set")) else {
            return Refused::No;
        };
        let name = self
            .new
            .as_ref()
            .map(|s| s.name.clone())
            .unwrap_or_default();
        self.conditions = views::meta(self.deployment).conditions().into();
        self.revision = None;
        self.new = None;
        // Another object has the name of this template's hash: the collision count changes the hash.
        if refused.status.reason == "AlreadyExists" {
            let count = views::meta(self.deployment).collision_count();
            return Refused::Collision(count.unwrap_or(0) + 1);
        }
        if is_in_ending_namespace(refused) {
            return Refused::Creation;
        }
        let message = format!(
            "Failed to create new replica set \"{name}\": {}",
            refused.status.message
        );
        if self.has_deadline() {
            self.set_condition("Progressing", "False", CREATE_ERROR, &message);
        }
        self.events
            .push(EventNote::warning(self.deployment, CREATE_ERROR, message));
        Refused::Creation
    }
}

/// The fate of the new ReplicaSet of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It was not refused, or there is none.
    No,
    /// Its name belongs to another template; this is the next collision count.
    Collision(i64),
    /// The API refused it.
    Creation,
}
