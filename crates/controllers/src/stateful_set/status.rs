//! The status of a StatefulSet.

use super::{REVISION, Reconcile};
use crate::api::json::{Value, json};
use crate::workload::{is_available, is_ready, phase, set_count};

impl Reconcile<'_> {
    /// Returns the status for the current Pods.
    pub(super) fn status(&self) -> Value {
        let view = self.view();
        let min_ready = view.min_ready_seconds();
        let runs = |p: &crate::runtime::Object| phase(p) == "Running" && is_ready(p);
        let ready = self.pods.iter().filter(|p| runs(p)).count();
        let available = self
            .pods
            .iter()
            .filter(|p| runs(p) && is_available(p, min_ready, self.context.now))
            .count();
        let of = |name: &str| {
            let own = self.pods.iter().filter(|p| !p.is_terminating());
            own.filter(|p| p.label(REVISION) == name).count()
        };
        let update = self.history.update.name.as_str();
        let (mut current, updated) = (of(&self.current.name), of(update));
        // The Pod that is replaced is subtracted at once.
        current -= usize::from(self.updating).min(current);
        let mut name = self.current.name.as_str();
        let wanted = self.slots.len();
        let rolling = view.update_strategy() == "RollingUpdate";
        let all = [updated, ready, self.pods.len()];
        if rolling && all.iter().all(|n| *n == wanted) {
            (name, current) = (update, updated);
        }
        let mut status = json!({
            "observedGeneration": self.set["metadata"]["generation"],
            "replicas": self.pods.len(),
            "availableReplicas": available,
            "currentRevision": name,
            "updateRevision": update,
            "collisionCount": self.history.collisions,
        });
        set_count(&mut status, "readyReplicas", ready);
        set_count(&mut status, "currentReplicas", current);
        set_count(&mut status, "updatedReplicas", updated);
        status
    }
}
