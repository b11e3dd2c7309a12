//! The status of a DaemonSet.

use super::plan::Reconcile;
use crate::api::json::{Value, json};
use crate::kinds::tree::set;
use crate::views;
use crate::workload::{is_ready, set_count};

impl Reconcile<'_> {
    /// Returns the status by the current Pods; of several Pods of a node the first counts.
    pub(super) fn status(&self) -> Value {
        let (mut current, mut misplaced, mut ready, mut available, mut updated) = (0, 0, 0, 0, 0);
        for site in &self.sites {
            let Some(pod) = site.pods.first() else {
                continue;
            };
            if !site.comes {
                misplaced += 1;
                continue;
            }
            current += 1;
            ready += usize::from(is_ready(pod));
            available += usize::from(self.is_available(pod));
            updated += usize::from(self.is_updated(pod));
        }
        let wanted = self.wanted();
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
