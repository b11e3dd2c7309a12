//! The status of a DaemonSet.

use super::plan::{Reconcile, Site};
use crate::api::json::{Value, json};
use crate::kinds::tree::set;
use crate::views;
use crate::workload::{is_ready, set_count};

impl Reconcile<'_> {
    /// Returns the status by the current Pods, or the stored one if only a taint makes it out of date.
    pub(super) fn status(&self) -> Value {
        let now = self.status_by(&|site| site.comes);
        let stored = views::status(self.set);
        let more = views::misscheduled(&now) - views::misscheduled(stored);
        if more == 0 {
            return now;
        }
        // A taint against new Pods, and its end, enqueue no set whose Pod stays. Any process finds the same, so that
        // a new one does not write what a running one leaves.
        let hinders = |site: &&Site<'_>| site.stays && site.comes == (more < 0);
        let tainted = self.sites.iter().filter(|site| !site.pods.is_empty());
        let tainted = tainted.filter(hinders).map(|site| site.name);
        let number = usize::try_from(more.abs()).unwrap_or(usize::MAX);
        let unnoticed: Vec<&str> = tainted.take(number).collect();
        let before = self.status_by(&|site| site.comes != unnoticed.contains(&site.name));
        match before == *stored {
            true => before,
            false => now,
        }
    }

    /// Returns the status by the current Pods on the nodes that may have one; of several Pods of a node the first
    /// counts.
    fn status_by(&self, comes: &dyn Fn(&Site<'_>) -> bool) -> Value {
        let (mut current, mut misplaced, mut ready, mut available, mut updated) = (0, 0, 0, 0, 0);
        for site in &self.sites {
            let Some(pod) = site.pods.first() else {
                continue;
            };
            if !comes(site) {
                misplaced += 1;
                continue;
            }
            current += 1;
            ready += usize::from(is_ready(pod));
            available += usize::from(self.is_available(pod));
            updated += usize::from(self.is_updated(pod));
        }
        let wanted = self.sites.iter().filter(|site| comes(site)).count();
        let mut status = json!({
            "observedGeneration": self.set["metadata"]["generation"],
            "desiredNumberScheduled": wanted,
            "currentNumberScheduled": current,
            "numberMisscheduled": misplaced,
            "numberReady": ready,
        });
        set_count(&mut status, "numberAvailable", available);
        set_count(&mut status, "numberUnavailable", wanted - available);
        set_count(&mut status, "updatedNumberScheduled", updated);
        let collisions = usize::try_from(self.history.collisions);
        set_count(&mut status, "collisionCount", collisions.unwrap_or(0));
        let conditions = views::meta(self.set).conditions();
        // The status is written as a whole, and nothing here computes conditions.
        if !conditions.is_empty() {
            set(&mut status, "conditions", conditions.to_vec());
        }
        status
    }
}
