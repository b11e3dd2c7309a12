//! The steps of a rollout.

use super::rollout::{Rollout, Set};
use crate::runtime::PlannedWrite;
use crate::views;
use crate::watched;
use crate::workload::is_over;

impl Rollout<'_> {
    /// Performs one step of a rolling update within `maxSurge` and `maxUnavailable`.
    pub(super) fn roll(&mut self) {
        self.find_new_set(true);
        if self.grow_new() || self.shrink_old() {
            return;
        }
        if self.is_complete() {
            self.clean_up();
        }
    }

    /// Returns the replicas that the new set may have.
    pub(super) fn new_set_replicas(&self, new: &Set) -> i64 {
        if views::workload(self.deployment).is_recreate() {
            return self.desired_replicas;
        }
        let total: i64 = self.old.iter().map(|s| s.replicas).sum::<i64>() + new.replicas;
        let most = self.desired_replicas + self.max_surge();
        // At the upper bound no Pod is added until old ones are gone.
        if total >= most {
            return new.replicas;
        }
        new.replicas + (most - total).min(self.desired_replicas - new.replicas)
    }

    fn grow_new(&mut self) -> bool {
        let Some(mut new) = self.new.take() else {
            return false;
        };
        let fresh = new.object.is_none();
        let size = if new.replicas > self.desired_replicas {
            self.desired_replicas
        } else {
            self.new_set_replicas(&new)
        };
        let why = format!(
            "the new ReplicaSet has {} of {}",
            new.replicas, self.desired_replicas
        );
        let changed = !fresh && self.resize(&mut new, size, &why);
        self.new = Some(new);
        changed
    }

    fn shrink_old(&mut self) -> bool {
        let old: i64 = self.old.iter().map(|s| s.replicas).sum();
        if old == 0 {
            return false;
        }
        let (new_set_replicas, new_ready) = self
            .new
            .as_ref()
            .map_or((0, 0), |s| (s.replicas, s.counts.available));
        let least = self.desired_replicas - self.max_unavailable();
        // New Pods that are not available count as missing, so that a broken rollout stops here.
        let bound = old + new_set_replicas - least - (new_set_replicas - new_ready);
        if bound <= 0 {
            return false;
        }
        let cleaned = self.drop_unhealthy(bound);
        let shrunk = self.drop_available(least);
        cleaned || shrunk
    }

    /// Scales down Pods of old sets that are not available: their loss costs no availability.
    fn drop_unhealthy(&mut self, bound: i64) -> bool {
        let mut left = bound;
        self.each_old(|rollout, set| {
            // Unhealthy old Pods go first: removing them does not lower the number of available ones.
            let unhealthy = set.replicas - set.counts.available;
            let count = left.min(unhealthy).max(0);
            if left <= 0 || set.replicas == 0 || count == 0 {
                return false;
            }
            left -= count;
            let size = set.replicas - count;
            rollout.resize(set, size, "its unavailable Pods are removed first")
        })
    }

    /// Scales down old sets by the Pods that are available beyond the minimum.
    fn drop_available(&mut self, least: i64) -> bool {
        // A set that was just scaled down still reports terminating Pods as available.
        let available: i64 = self.all().map(|s| s.counts.available.min(s.replicas)).sum();
        let mut left = available - least;
        self.each_old(|rollout, set| {
            let count = left.min(set.replicas);
            if left <= 0 || count <= 0 {
                return false;
            }
            left -= count;
            let size = set.replicas - count;
            let why = format!("{available} available, minimum {least}");
            rollout.resize(set, size, &why)
        })
    }

    /// Applies a step to every old set, oldest first; returns true if one changed.
    fn each_old(&mut self, mut step: impl FnMut(&Self, &mut Set) -> bool) -> bool {
        let mut old = std::mem::take(&mut self.old);
        let mut changed = false;
        for set in &mut old {
            changed |= step(self, set);
        }
        self.old = old;
        changed
    }

    /// Performs one step of the Recreate strategy: all old Pods end before new ones start.
    pub(super) fn recreate(&mut self) {
        self.find_new_set(false);
        let why = "Recreate removes all old Pods first";
        // Recreate guarantees that no two templates run at once, so terminating Pods count too.
        if self.each_old(|rollout, set| rollout.resize(set, 0, why)) || self.old_pods_are_there() {
            return;
        }
        if self.new.is_none() {
            self.find_new_set(true);
            return;
        }
        if self.grow_new() {
            return;
        }
        if self.is_complete() {
            self.clean_up();
        }
    }

    /// Returns true if Pods of the old template still run, including terminating ones.
    fn old_pods_are_there(&self) -> bool {
        if self.old.iter().any(|s| s.counts.replicas > 0) {
            return true;
        }
        let pods = |set: &Set| {
            let pods = self.context.cache.controlled_by(watched::pods(), set.uid());
            pods.filter(|pod| !is_over(pod)).count()
        };
        self.old.iter().any(|set| pods(set) > 0)
    }

    /// Deletes old sets beyond `revisionHistoryLimit`.
    pub(super) fn clean_up(&mut self) {
        let limit = views::workload(self.deployment).revision_history_limit();
        let Some(limit) = limit.and_then(|l| usize::try_from(l).ok()) else {
            return;
        };
        let mut sets: Vec<&Set> = self
            .old
            .iter()
            .filter(|s| s.object.as_ref().is_some_and(|o| !o.is_terminating()))
            .collect();
        if sets.len() <= limit {
            return;
        }
        // The lowest revision is the one that a rollback needs least.
        sets.sort_by_key(|s| s.revision());
        let excess = sets.len() - limit;
        let mut writes = Vec::new();
        for set in sets.into_iter().take(excess) {
            let Some(object) = &set.object else { continue };
            let seen = views::meta(object).observed_generation();
            // A set whose scale-down was not observed yet may still have Pods.
            let behind = views::meta(object).generation() > seen;
            if set.counts.replicas != 0 || set.replicas != 0 || behind {
                continue;
            }
            let rule = format!("history: revisionHistoryLimit is {limit}");
            writes.push(PlannedWrite::delete(object, rule));
        }
        self.also.extend(writes);
    }
}
