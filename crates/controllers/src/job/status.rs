//! The status of a Job: its start, suspension and end.

use super::count::JobSync;
use super::indexes;
use super::marks::TRACKING;
use crate::api::json::{Value, json};
use crate::runtime::{Object, Plan};
use crate::views;
use crate::workload::{condition, is_ready, set_count, stamp};

impl JobSync<'_> {
    /// Updates the condition `Suspended` and reports a change of it.
    pub(super) fn say_suspended(&mut self, suspended: bool, plan: &mut Plan) {
        let before = self.has_condition("Suspended", "True");
        if suspended {
            // A resumed Job gets a new start time, from which its deadline counts.
            self.start = None;
        }
        match (before, suspended) {
            (false, true) => {
                self.set_condition("Suspended", "True", "JobSuspended", "Job suspended");
                let note = self.note(false, "Suspended", "Job suspended");
                plan.events.push(note);
            }
            (true, false) => {
                self.set_condition("Suspended", "False", "JobResumed", "Job resumed");
                plan.events.push(self.note(false, "Resumed", "Job resumed"));
            }
            _ => {}
        }
    }

    /// Records the start time of the Job.
    pub(super) fn begin(&mut self, plan: &mut Plan) {
        if self.start.is_none() || self.has_condition("Suspended", "True") {
            self.start = Some(stamp(self.context.now));
            if let Some(seconds) = views::job(self.job).active_deadline_seconds() {
                plan.requeue_in(jiff::SignedDuration::from_secs(seconds));
            }
        }
    }

    fn has_condition(&self, kind: &str, status: &str) -> bool {
        let told = condition(self.job, kind);
        told.is_some_and(|c| views::condition(c).status() == status)
    }

    /// Records the verdict, and the end once every Pod is counted.
    pub(super) fn conclude(&mut self, plan: &mut Plan) {
        let Some(ending) = self.verdict.clone() else {
            return;
        };
        let (first, last) = if ending.success {
            ("SuccessCriteriaMet", "Complete")
        } else {
            ("FailureTarget", "Failed")
        };
        // Upstream's order since 1.31: the decision is written first, and the final condition once all Pods have
        // ended.
        if !self.has_condition(first, "True") {
            self.set_condition(first, "True", &ending.reason, &ending.message);
            return;
        }
        if !self.is_over(plan) {
            return;
        }
        self.set_condition(last, "True", &ending.reason, &ending.message);
        if ending.success {
            self.completion = Some(stamp(self.context.now));
            let completions = views::job(self.job).completions();
            if completions.is_some_and(|wanted| self.succeeded > wanted) {
                let message = "Too many succeeded pods running after completion count reached";
                plan.events
                    .push(self.note(true, "TooManySucceededPods", message));
            }
            plan.events
                .push(self.note(false, "Completed", "Job completed"));
        } else {
            plan.events
                .push(self.note(true, &ending.reason, &ending.message));
        }
    }

    /// Returns true if all Pods have ended and are counted, or are so with this plan.
    fn is_over(&self, plan: &Plan) -> bool {
        let let_go = |name: &str| {
            plan.changes
                .iter()
                .any(|w| w.name == name && !w.is_delete())
        };
        let open = self
            .pods
            .iter()
            .any(|pod| pod.has_finalizer(TRACKING) && !let_go(pod.name()));
        // Pods that are noted but not counted yet would be lost with the final condition.
        let noted = self.noted.iter().any(|uids| !uids.is_empty());
        !open && !noted && self.running == 0 && self.leaving() == 0
    }

    /// Returns the status.
    pub(super) fn into_status(self) -> Value {
        // Pods that this plan deletes are no longer ready once the status is written.
        let stays = |p: &&&Object| !self.stopped.iter().any(|s| s.uid() == p.uid());
        let ready = self.active.iter().filter(|p| is_ready(p)).filter(stays);
        let mut uncounted = json!({});
        for (name, uids) in ["succeeded", "failed"].iter().zip(&self.noted) {
            if !uids.is_empty() {
                uncounted[*name] = json!(uids);
            }
        }
        let mut status = json!({
            "uncountedTerminatedPods": uncounted,
            "ready": ready.count(),
            "terminating": self.leaving(),
        });
        set_count(&mut status, "active", self.running);
        let counts = [("succeeded", self.succeeded), ("failed", self.failed)];
        for (name, count) in counts {
            set_count(&mut status, name, usize::try_from(count).unwrap_or(0));
        }
        if !self.completed.is_empty() {
            status["completedIndexes"] = json!(indexes::write(&self.completed));
        }
        if views::job(self.job).backoff_limit_per_index().is_some() {
            status["failedIndexes"] = json!(indexes::write(&self.broken));
        }
        for (name, time) in [
            ("startTime", self.start),
            ("completionTime", self.completion),
        ] {
            if let Some(time) = time {
                status[name] = json!(time);
            }
        }
        if !self.conditions.is_empty() {
            status["conditions"] = json!(self.conditions);
        }
        status
    }
}
