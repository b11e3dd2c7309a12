//! The steps of a rollout.

use super::rollout::{Rollout, Set};
use crate::kinds::tree::{at, field, int, opt_int, text};
use crate::runtime::PlannedWrite;
use crate::watched;
use crate::workload::is_over;

impl Rollout<'_> {
    /// One step from the old template to the new one, within the bounds.
    pub(super) fn roll(&mut self) {
        self.find_new(true);
        if self.grow_new() || self.shrink_old() {
            return;
        }
        if self.is_complete() {
            self.clean_up();
        }
    }

    /// How large the new set may be.
    pub(super) fn new_size(&self, new: &Set) -> i64 {
        let strategy = at(self.deployment, &["spec", "strategy"]);
        if text(strategy, "type") == "Recreate" {
            return self.wanted;
        }
        let total: i64 = self.old.iter().map(|s| s.size).sum::<i64>() + new.size;
        let most = self.wanted + self.surge();
        if total >= most {
            return new.size;
        }
        new.size + (most - total).min(self.wanted - new.size)
    }

    fn grow_new(&mut self) -> bool {
        let Some(mut new) = self.new.take() else {
            return false;
        };
        let fresh = new.object.is_none();
        let size = if new.size > self.wanted {
            self.wanted
        } else {
            self.new_size(&new)
        };
        let why = format!("the new template has {} of {}", new.size, self.wanted);
        let changed = !fresh && self.resize(&mut new, size, &why);
        self.new = Some(new);
        changed
    }

    fn shrink_old(&mut self) -> bool {
        let old: i64 = self.old.iter().map(|s| s.size).sum();
        if old == 0 {
            return false;
        }
        let (new_size, new_ready) = self
            .new
            .as_ref()
            .map_or((0, 0), |s| (s.size, s.counts.available));
        let least = self.wanted - self.away();
        let bound = old + new_size - least - (new_size - new_ready);
        if bound <= 0 {
            return false;
        }
        let cleaned = self.drop_unhealthy(bound);
        let shrunk = self.drop_available(least);
        cleaned || shrunk
    }

    /// Pods of old sets that are not available are no loss.
    fn drop_unhealthy(&mut self, bound: i64) -> bool {
        let mut left = bound;
        self.each_old(|rollout, set| {
            let unhealthy = set.size - set.counts.available;
            let count = left.min(unhealthy).max(0);
            if left <= 0 || set.size == 0 || count == 0 {
                return false;
            }
            left -= count;
            let size = set.size - count;
            rollout.resize(set, size, "its Pods are not available")
        })
    }

    /// As many Pods of old sets as are available beyond the least number.
    fn drop_available(&mut self, least: i64) -> bool {
        // A set that was just made smaller still counts Pods that are on their way out.
        let available: i64 = self.all().map(|s| s.counts.available.min(s.size)).sum();
        let mut left = available - least;
        self.each_old(|rollout, set| {
            let count = left.min(set.size);
            if left <= 0 || count <= 0 {
                return false;
            }
            left -= count;
            let size = set.size - count;
            let why = format!("{available} are available and {least} are enough");
            rollout.resize(set, size, &why)
        })
    }

    /// Does something to every old set, oldest first; returns whether anything was done.
    fn each_old(&mut self, mut what: impl FnMut(&Self, &mut Set) -> bool) -> bool {
        let mut old = std::mem::take(&mut self.old);
        let mut changed = false;
        for set in &mut old {
            changed |= what(self, set);
        }
        self.old = old;
        changed
    }

    /// One step of a rollout that takes all away before it makes anything new.
    pub(super) fn recreate(&mut self) {
        self.find_new(false);
        let why = "old Pods go before new ones come";
        if self.each_old(|rollout, set| rollout.resize(set, 0, why)) || self.old_pods_are_there() {
            return;
        }
        if self.new.is_none() {
            self.find_new(true);
            return;
        }
        if self.grow_new() {
            return;
        }
        if self.is_complete() {
            self.clean_up();
        }
    }

    /// Returns true if Pods of the old template are there still, those on their way out included.
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

    /// Removes old sets beyond the history that is kept.
    pub(super) fn clean_up(&mut self) {
        let limit = opt_int(field(self.deployment, "spec"), "revisionHistoryLimit");
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
        sets.sort_by_key(|s| s.revision());
        let excess = sets.len() - limit;
        let mut writes = Vec::new();
        for set in sets.into_iter().take(excess) {
            let Some(object) = &set.object else { continue };
            let seen = int(field(object, "status"), "observedGeneration");
            let behind = int(field(object, "metadata"), "generation") > seen;
            if set.counts.replicas != 0 || set.size != 0 || behind {
                continue;
            }
            let rule = format!("history: {limit} old replica sets are kept");
            writes.push(PlannedWrite::delete(object, rule));
        }
        self.also.extend(writes);
    }
}
