//! Proportional scaling: a change of `spec.replicas` while several ReplicaSets have Pods.

use std::cmp::Reverse;

use super::rollout::{DESIRED_REPLICAS, MAX_REPLICAS, Rollout, Set, number};
use crate::views;

impl Rollout<'_> {
    /// Returns true if `spec.replicas` changed since a set with Pods was last scaled.
    pub(super) fn is_scaling_event(&self) -> bool {
        let differs = |set: &Set| {
            let desired = set
                .annotation(DESIRED_REPLICAS)
                .and_then(|d| d.parse::<i64>().ok());
            desired.is_some_and(|desired| desired != self.desired_replicas)
        };
        self.all().filter(|s| s.replicas > 0).any(differs)
    }

    /// Scales the sets to the desired replicas.
    pub(super) fn scale(&mut self) {
        let mut sets: Vec<Set> = self.old.drain(..).collect();
        let with_new = self.new.is_some();
        sets.extend(self.new.take());
        self.scale_sets(&mut sets, with_new);
        if with_new {
            self.new = sets.pop();
        }
        self.old = sets;
    }

    fn scale_sets(&self, sets: &mut [Set], with_new: bool) {
        let active: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].replicas > 0).collect();
        let only = match active.as_slice() {
            [] => sets.len().checked_sub(1),
            [one] => Some(*one),
            _ => None,
        };
        if let Some(only) = only {
            let why = format!("{} replicas are desired", self.desired_replicas);
            // As in Kubernetes, a set that has the size already keeps its annotations, even if they name other counts. Each
            // reconcile then is one of a scaling, and a rollout waits until the replicas of the Deployment change again.
            self.resize(&mut sets[only], self.desired_replicas, &why);
            return;
        }
        if active.is_empty() {
            return;
        }
        // With the new set complete, the rollout is over; old Pods need no share.
        if with_new
            && let Some((new, old)) = sets.split_last_mut()
            && self.is_saturated(new)
        {
            for set in old.iter_mut().filter(|set| set.replicas > 0) {
                self.resize(set, 0, "the new ReplicaSet has all Pods");
            }
            return;
        }
        if !views::workload(self.deployment).is_recreate() {
            self.scale_proportionally(sets, active);
        }
    }

    /// Returns true if a set alone provides all desired replicas.
    fn is_saturated(&self, set: &Set) -> bool {
        let desired = number(set.annotation(DESIRED_REPLICAS));
        [desired, set.replicas, set.counts.available]
            .iter()
            .all(|n| *n == self.desired_replicas)
    }

    /// Shares the replicas to add or remove between the sets, in proportion to their size.
    fn scale_proportionally(&self, sets: &mut [Set], mut active: Vec<usize>) {
        let total: i64 = active.iter().map(|i| sets[*i].replicas).sum();
        let allowed = if self.desired_replicas > 0 {
            self.desired_replicas + self.max_surge()
        } else {
            0
        };
        let add = allowed - total;
        // Larger sets first, as in Kubernetes; among equals the newest grows and the oldest shrinks first.
        active.sort_by(|a, b| {
            let (a, b) = (&sets[*a], &sets[*b]);
            let by_age = a.age().cmp(&b.age());
            let by_age = if add > 0 { by_age.reverse() } else { by_age };
            Reverse(a.replicas).cmp(&Reverse(b.replicas)).then(by_age)
        });
        let mut added = 0;
        let mut sizes = Vec::new();
        for index in &active {
            let proportion = self.proportion(&sets[*index], add, added);
            sizes.push(sets[*index].replicas + proportion);
            added += proportion;
        }
        if add != 0
            && let Some(first) = sizes.first_mut()
        {
            // The largest set gets the rounding error, because the relative change is smallest there.
            *first = (*first + add - added).max(0);
        }
        let why = format!("proportional share of {} replicas", self.desired_replicas);
        for (order, (index, size)) in active.into_iter().zip(sizes).enumerate() {
            sets[index].event_order = order;
            if !self.resize(&mut sets[index], size, &why) {
                self.annotate_replicas(&mut sets[index]);
            }
        }
    }

    fn proportion(&self, set: &Set, add: i64, added: i64) -> i64 {
        if set.replicas == 0 || add == 0 || add == added {
            return 0;
        }
        let (fraction, allowed) = (self.fraction(set), add - added);
        if add > 0 {
            fraction.min(allowed)
        } else {
            fraction.max(allowed)
        }
    }

    /// Returns the change of a set that keeps its fraction of all Pods.
    fn fraction(&self, set: &Set) -> i64 {
        if self.desired_replicas == 0 {
            return -set.replicas;
        }
        let most = self.desired_replicas + self.max_surge();
        let before = match number(set.annotation(MAX_REPLICAS)) {
            0 => views::workload(self.deployment).current_replicas(),
            before => before,
        };
        if before == 0 {
            return 0;
        }
        // Integer rounding, halves away from zero as Go's `math.Round`; both are positive.
        let twice = 2 * set.replicas * most;
        (twice + before) / (2 * before) - set.replicas
    }
}
