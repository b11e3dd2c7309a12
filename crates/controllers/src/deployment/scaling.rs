//! A change of the wanted number while several ReplicaSets have Pods: each gets its part.

use std::cmp::Reverse;

use super::rollout::{DESIRED, MOST, Rollout, Set, number};
use crate::kinds::tree::{at, field, int, text};

impl Rollout<'_> {
    /// Returns true if the wanted number is another one than a set with Pods was given its size
    /// for.
    pub(super) fn is_scaled(&self) -> bool {
        let differs = |set: &Set| {
            let desired = set.annotation(DESIRED).and_then(|d| d.parse::<i64>().ok());
            desired.is_some_and(|desired| desired != self.wanted)
        };
        self.all().filter(|s| s.size > 0).any(differs)
    }

    /// Gives the sets their sizes for the wanted number.
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
        let active: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].size > 0).collect();
        let only = match active.as_slice() {
            [] => sets.len().checked_sub(1),
            [one] => Some(*one),
            _ => None,
        };
        if let Some(only) = only {
            let why = format!("{} are wanted", self.wanted);
            if !self.resize(&mut sets[only], self.wanted, &why) {
                self.note_wanted(&mut sets[only]);
            }
            return;
        }
        if active.is_empty() {
            return;
        }
        if with_new && self.is_saturated(&sets[sets.len() - 1]) {
            for set in &mut sets[..] {
                let old = set.object.is_some() && set.size > 0;
                if old && !self.is_saturated(set) {
                    self.resize(set, 0, "the new template has all Pods");
                }
            }
            return;
        }
        let strategy = at(self.deployment, &["spec", "strategy"]);
        if text(strategy, "type") != "Recreate" {
            self.share(sets, active);
        }
    }

    /// Returns true if a set alone is all that is wanted.
    fn is_saturated(&self, set: &Set) -> bool {
        let desired = number(set.annotation(DESIRED));
        [desired, set.size, set.counts.available]
            .iter()
            .all(|n| *n == self.wanted)
    }

    /// Gives each set its part of what is to be added or taken away.
    fn share(&self, sets: &mut [Set], mut active: Vec<usize>) {
        let total: i64 = active.iter().map(|i| sets[*i].size).sum();
        let allowed = if self.wanted > 0 {
            self.wanted + self.surge()
        } else {
            0
        };
        let add = allowed - total;
        // Larger ones first; among equals the newer grow and the older shrink first.
        active.sort_by(|a, b| {
            let (a, b) = (&sets[*a], &sets[*b]);
            let by_age = a.age().cmp(&b.age());
            let by_age = if add > 0 { by_age.reverse() } else { by_age };
            Reverse(a.size).cmp(&Reverse(b.size)).then(by_age)
        });
        let mut added = 0;
        let mut sizes = Vec::new();
        for index in &active {
            let part = self.part(&sets[*index], add, added);
            sizes.push(sets[*index].size + part);
            added += part;
        }
        if add != 0
            && let Some(first) = sizes.first_mut()
        {
            *first = (*first + add - added).max(0);
        }
        let why = format!("its part of {} wanted", self.wanted);
        for (turn, (index, size)) in active.into_iter().zip(sizes).enumerate() {
            sets[index].turn = turn;
            if !self.resize(&mut sets[index], size, &why) {
                self.note_wanted(&mut sets[index]);
            }
        }
    }

    fn part(&self, set: &Set, add: i64, added: i64) -> i64 {
        if set.size == 0 || add == 0 || add == added {
            return 0;
        }
        let (fraction, allowed) = (self.fraction(set), add - added);
        if add > 0 {
            fraction.min(allowed)
        } else {
            fraction.max(allowed)
        }
    }

    /// By how much a set grows when it keeps its part of all Pods.
    fn fraction(&self, set: &Set) -> i64 {
        if self.wanted == 0 {
            return -set.size;
        }
        let most = self.wanted + self.surge();
        let before = match number(set.annotation(MOST)) {
            0 => int(field(self.deployment, "status"), "replicas"),
            before => before,
        };
        if before == 0 {
            return 0;
        }
        // Rounded, halves away from zero; both are positive.
        let twice = 2 * set.size * most;
        (twice + before) / (2 * before) - set.size
    }
}
