//! Counts the Pods of a Job, and derives the next steps.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::indexes::{self, Indexes};
use super::marks::TRACKING;
use super::policy::{self, Verdict};
use super::{BURST, Failures, all_failed, all_succeeded, deadline_left, is_finished, pods};
use crate::api::json::{Value, json};
use crate::kinds::tree::{int, text, texts};
use crate::runtime::{EventNote, Object, Plan, PlannedWrite, ReconcileContext};
use crate::views;
use crate::workload::{condition, delete_pod, is_active, is_over, phase, stamp, start_slowly};

/// The wait after the first failure.
const BACKOFF: i64 = 10;
/// The longest wait after a failure.
const MOST_BACKOFF: i64 = 600;

/// The end of a Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) success: bool,
    pub(super) reason: String,
    pub(super) message: String,
}

/// The Pods of a Job, counted.
pub(super) struct JobSync<'a> {
    pub(super) job: &'a Object,
    pub(super) context: &'a ReconcileContext<'a>,
    pub(super) pods: Vec<&'a Object>,
    pub(super) active: Vec<&'a Object>,
    /// The active Pods after the plan.
    pub(super) running: usize,
    /// The active Pods that the plan deletes.
    pub(super) stopped: Vec<&'a Object>,
    pub(super) succeeded: i64,
    pub(super) failed: i64,
    /// The uids in `uncountedTerminatedPods`: succeeded and failed ones.
    pub(super) noted: [Vec<String>; 2],
    /// The last failed Pods of indexes that wait for their next Pod. They are noted once it exists, because it carries
    /// the number of failures.
    held: Vec<&'a Object>,
    pub(super) completed: Indexes,
    pub(super) broken: Indexes,
    pub(super) conditions: Vec<Value>,
    pub(super) start: Option<String>,
    pub(super) completion: Option<String>,
    pub(super) verdict: Option<Ending>,
    fail_job: Option<String>,
    /// The failures that were counted before.
    pub(super) earlier: Option<Failures>,
}

impl<'a> JobSync<'a> {
    pub(super) fn new(
        job: &'a Object,
        own: &[&'a Object],
        context: &'a ReconcileContext<'a>,
    ) -> Self {
        let view = views::job(job);
        let uncounted = view.uncounted_pods();
        let noted =
            ["succeeded", "failed"].map(|name| texts(uncounted, name).map(str::to_owned).collect());
        let mut sync = Self {
            job,
            context,
            active: own.iter().copied().filter(|p| is_active(p)).collect(),
            running: own.iter().filter(|p| is_active(p)).count(),
            stopped: Vec::new(),
            pods: own.to_vec(),
            succeeded: view.succeeded(),
            failed: view.failed(),
            noted,
            held: Vec::new(),
            completed: indexes::read(view.completed_indexes()),
            broken: indexes::read(view.failed_indexes()),
            conditions: views::meta(job).conditions().to_vec(),
            start: view.start_time().as_str().map(str::to_owned),
            completion: view.completion_time().as_str().map(str::to_owned),
            verdict: None,
            fail_job: None,
            earlier: None,
        };
        // The completions of an elastic Job may have been lowered: indexes beyond them no longer count.
        if sync.is_indexed() {
            let all = sync.completions();
            sync.completed.retain(|index| *index < all);
            sync.broken.retain(|index| *index < all);
        }
        sync.count_noted();
        if !is_finished(job) {
            sync.note_ended();
        }
        sync
    }

    pub(super) fn is_indexed(&self) -> bool {
        views::job(self.job).completion_mode() == "Indexed"
    }

    fn completions(&self) -> i64 {
        self.view().completions().unwrap_or(0)
    }

    fn is_per_index(&self) -> bool {
        self.view().backoff_limit_per_index().is_some()
    }

    /// Returns the index of a Pod, if the Job has it.
    fn index_of(&self, pod: &Object) -> Option<i64> {
        pods::index_of(pod).filter(|index| *index < self.completions())
    }

    fn view(&self) -> views::Job<'a> {
        views::job(self.job)
    }

    /// Counts noted Pods without the finalizer.
    fn count_noted(&mut self) {
        let held = |uid: &String| {
            let pod = self.context.cache.by_uid(uid);
            pod.is_some_and(|pod| pod.has_finalizer(TRACKING))
        };
        let [succeeded, failed] = &self.noted;
        let count = |uids: &[String]| uids.iter().filter(|uid| !held(uid)).count() as i64;
        let (more_succeeded, more_failed) = (count(succeeded), count(failed));
        let left =
            [succeeded, failed].map(|uids| uids.iter().filter(|uid| held(uid)).cloned().collect());
        self.noted = left;
        self.succeeded += more_succeeded;
        self.failed += more_failed;
    }

    /// Notes Pods that have ended since.
    fn note_ended(&mut self) {
        let early = condition(self.job, "SuccessCriteriaMet").is_some();
        let mut failed = Vec::new();
        for pod in self.pods.clone() {
            let uid = pod.uid().to_owned();
            let known = self.noted.iter().any(|uids| uids.contains(&uid));
            if known || !pod.has_finalizer(TRACKING) {
                continue;
            }
            if phase(pod) == "Succeeded" {
                match self.index_of(pod).filter(|_| self.is_indexed()) {
                    Some(index) => drop(self.completed.insert(index)),
                    None if self.is_indexed() => {}
                    None => self.noted[0].push(uid),
                }
            } else if self.has_failed(pod) && !early {
                let counts = !self.is_indexed() || self.index_of(pod).is_some();
                failed.extend(counts.then_some(pod));
            }
        }
        for pod in &failed {
            self.judge_failed(pod);
        }
        if self.is_indexed() {
            self.succeeded = i64::try_from(self.completed.len()).unwrap_or(i64::MAX);
            let completed = &self.completed;
            self.broken.retain(|index| !completed.contains(index));
        }
        self.hold(&failed);
        let counted = failed.into_iter().filter(|pod| !self.is_held(pod));
        let counted = counted.filter(|pod| policy::verdict(self.job, pod) != Verdict::Ignore);
        let uids: Vec<String> = counted.map(|pod| pod.uid().to_owned()).collect();
        self.noted[1].extend(uids);
    }

    /// Counts a failed Pod for its Job and its index.
    fn judge_failed(&mut self, pod: &Object) {
        if let Verdict::FailJob(message) = policy::verdict(self.job, pod) {
            self.fail_job.get_or_insert(message);
        }
        if let Some(index) = self.index_of(pod)
            && self.is_per_index()
            && policy::ends_index(self.job, pod)
        {
            self.broken.insert(index);
        }
    }

    /// Keeps the last failed Pod of each index that needs another try.
    fn hold(&mut self, failed: &[&'a Object]) {
        if !self.is_per_index() || self.earlier_verdict().is_some() || self.job.is_terminating() {
            return;
        }
        let running = self.active.iter().filter_map(|pod| pods::index_of(pod));
        let running: Indexes = running.collect();
        let mut last: BTreeMap<i64, &Object> = BTreeMap::new();
        for pod in failed {
            let Some(index) = pods::index_of(pod) else {
                continue;
            };
            let over = [&running, &self.completed, &self.broken];
            if over.iter().any(|indexes| indexes.contains(&index)) {
                continue;
            }
            let before = last.get(&index).map(|pod| policy::all_failures_before(pod));
            if before.is_none_or(|before| before <= policy::all_failures_before(pod)) {
                last.insert(index, pod);
            }
        }
        self.held = last.into_values().collect();
    }

    fn is_held(&self, pod: &Object) -> bool {
        self.held.iter().any(|held| held.uid() == pod.uid())
    }

    /// Returns true if a Pod counts as failed. A deleted Pod does, unless only failed Pods are replaced.
    fn has_failed(&self, pod: &Object) -> bool {
        let only_failed = self.view().pod_replacement_policy() == "Failed";
        let failing = condition(self.job, "FailureTarget").is_some();
        phase(pod) == "Failed" || ((!only_failed || failing) && pod.is_terminating())
    }

    pub(super) fn all_succeeded(&self) -> i64 {
        if self.is_indexed() {
            return self.succeeded;
        }
        self.succeeded + self.noted[0].len() as i64
    }

    // Pods whose failure the policy ignores do not count against `backoffLimit`.
    fn all_failed(&self) -> i64 {
        let counts = |pod: &&&Object| policy::verdict(self.job, pod) != Verdict::Ignore;
        let held = self.held.iter().filter(counts).count();
        self.failed + (self.noted[1].len() + held) as i64
    }

    /// Returns the writes that remove finalizers: of Pods that the status contains, and of Pods that do not count.
    pub(super) fn take_finalizers(&self) -> Vec<PlannedWrite> {
        let view = self.view();
        let uncounted = view.uncounted_pods();
        let known = |uid: &str| {
            ["succeeded", "failed"]
                .iter()
                .any(|name| texts(uncounted, name).any(|known| known == uid))
        };
        let done = indexes::read(view.completed_indexes());
        let (finished, early) = (
            is_finished(self.job),
            condition(self.job, "SuccessCriteriaMet").is_some(),
        );
        let may_go = |pod: &Object| {
            let index = self.index_of(pod);
            let ended = is_over(pod) || pod.is_terminating();
            known(pod.uid())
                || self.job.is_terminating()
                || (ended && finished)
                || (ended && early && phase(pod) != "Succeeded")
                || (ended && self.is_indexed() && index.is_none())
                || (phase(pod) == "Succeeded" && index.is_some_and(|i| done.contains(&i)))
                || (self.has_failed(pod)
                    && policy::verdict(self.job, pod) == Verdict::Ignore
                    && !self.is_held(pod))
        };
        self.pods
            .iter()
            .filter(|pod| pod.has_finalizer(TRACKING) && may_go(pod))
            .map(|pod| pods::without_finalizer(pod, "count: the status counts the Pod"))
            .collect()
    }

    /// Decides whether the Job has ended before all have succeeded, and how.
    pub(super) fn judge(&mut self) {
        self.verdict = self.earlier_verdict().or_else(|| self.failure());
        if self.verdict.is_some() {
            return;
        }
        if let Some(message) = policy::success(self.job, &self.completed) {
            self.verdict = Some(success("SuccessPolicy", message));
        }
    }

    /// Checks if enough Pods have succeeded. Runs after the decision which Pods keep running.
    pub(super) fn complete(&mut self) {
        let succeeded = self.all_succeeded();
        let complete = match self.view().completions() {
            None => succeeded > 0,
            Some(completions) => succeeded >= completions,
        };
        if complete && self.running == 0 {
            let message = "Reached expected number of succeeded pods".to_owned();
            self.verdict = Some(success("CompletionsReached", message));
        }
    }

    fn earlier_verdict(&self) -> Option<Ending> {
        ["SuccessCriteriaMet", "FailureTarget"]
            .into_iter()
            .find_map(|kind| {
                let told = condition(self.job, kind)?;
                Some(Ending {
                    success: kind == "SuccessCriteriaMet",
                    reason: text(told, "reason").to_owned(),
                    message: text(told, "message").to_owned(),
                })
            })
    }

    fn failure(&self) -> Option<Ending> {
        let view = self.view();
        if let Some(message) = &self.fail_job {
            return Some(failure("PodFailurePolicy", message));
        }
        // 6 is the API server's default; a Job from a file may lack it until it is defaulted.
        let limit = view.backoff_limit().unwrap_or(6);
        if self.all_failed() > limit || self.restarted_too_often(limit) {
            let message = "Job has reached the specified backoff limit";
            return Some(failure("BackoffLimitExceeded", message));
        }
        // After the back-off limit, as upstream: a Job that exceeds both reports the limit.
        if self.is_late() {
            let message = "Job was active longer than specified deadline";
            return Some(failure("DeadlineExceeded", message));
        }
        // With `backoffLimitPerIndex` the other indexes continue, and the Job fails once all have ended.
        if !self.is_per_index() || self.broken.is_empty() {
            return None;
        }
        let broken = self.broken.len() as i64;
        if view.max_failed_indexes().is_some_and(|most| broken > most) {
            let message = "Job has exceeded the specified maximal number of failed indexes";
            return Some(failure("MaxFailedIndexesExceeded", message));
        }
        let all = view.completions().unwrap_or(0);
        (broken + self.succeeded >= all).then(|| failure("FailedIndexes", "Job has failed indexes"))
    }

    fn restarted_too_often(&self, limit: i64) -> bool {
        // With `OnFailure` the kubelet restarts containers in place, so restarts count as failures instead of Pods.
        if text(self.view().template_spec(), "restartPolicy") != "OnFailure" {
            return false;
        }
        let live = self.pods.iter().filter(|p| !is_over(p));
        let containers = live.flat_map(|pod| {
            let view = views::pod(pod);
            view.init_container_statuses()
                .iter()
                .chain(view.container_statuses())
        });
        let restarts: i64 = containers.map(|c| int(c, "restartCount")).sum();
        // Upstream compares with > for a limit of 0 and with >= otherwise.
        if limit == 0 {
            restarts > 0
        } else {
            restarts >= limit
        }
    }

    fn is_late(&self) -> bool {
        let deadline =
            self.view().active_deadline_seconds().is_some() && !self.view().is_suspended();
        let started = condition_free_start(self.job);
        deadline && started && deadline_left(self.job, self.context).is_none()
    }

    /// Deletes all active Pods. Those of a failed Job are counted, those of a suspended Job are released.
    pub(super) fn stop_all(&mut self, plan: &mut Plan) {
        match &self.verdict {
            Some(ending) => {
                let rule = format!("stop: {}", ending.reason);
                self.stop(self.active.clone(), &rule, plan);
            }
            None => self.dismiss(self.active.clone(), "stop: the Job is suspended", plan),
        }
    }

    /// Deletes Pods that are no longer counted.
    fn dismiss(&mut self, pods: Vec<&'a Object>, rule: &str, plan: &mut Plan) {
        let held = pods.iter().filter(|pod| pod.has_finalizer(TRACKING));
        // The finalizer must be removed too: these Pods are never counted and could not be deleted.
        let let_go: Vec<PlannedWrite> =
            held.map(|pod| pods::without_finalizer(pod, rule)).collect();
        self.stop(pods, rule, plan);
        plan.changes.extend(let_go);
    }

    fn stop(&mut self, pods: Vec<&'a Object>, rule: &str, plan: &mut Plan) {
        let writes = pods.iter();
        plan.changes
            .extend(writes.map(|pod| delete_pod(self.job, pod, rule.to_owned())));
        self.running -= pods.len();
        self.stopped = pods;
    }

    /// Creates missing Pods and deletes surplus ones.
    pub(super) fn manage(&mut self, plan: &mut Plan) {
        let parallelism = self.view().parallelism().unwrap_or(1);
        let (active, succeeded) = (self.active.len() as i64, self.all_succeeded());
        let wanted = match self.view().completions() {
            // Without `completions` one success ends the Job, so no further Pods start but running ones may finish.
            None if succeeded > 0 => active,
            None => parallelism,
            Some(completions) => parallelism.min(completions - succeeded).max(0),
        };
        let excess = self.excess(usize::try_from(active - wanted).unwrap_or(0));
        if !excess.is_empty() {
            let rule = format!("stop: desired {wanted}, current {active}");
            return self.dismiss(excess, &rule, plan);
        }
        let only_failed = self.view().pod_replacement_policy() == "Failed";
        let leaving = if only_failed { self.leaving() } else { 0 };
        let missing = wanted - active - leaving as i64;
        if missing <= 0 {
            return;
        }
        if let Some(wait) = self.back_off().filter(|_| !self.is_per_index()) {
            plan.requeue_in(wait);
            // As upstream, the status reports no active Pods during a back-off.
            self.running = 0;
            return;
        }
        let rule = format!("start: desired {wanted}, current {active}");
        // Upstream creates at most 500 Pods per sync.
        let count = usize::try_from(missing).unwrap_or(0).min(BURST);
        let mut writes = self.creations(count, &rule, plan);
        if writes.is_empty() && plan.requeue_after.is_some() && self.is_per_index() {
            self.running = 0;
        } else if self.context.refused.is_empty() {
            self.running += writes.len();
        }
        start_slowly(&mut writes);
        plan.changes.extend(writes);
    }

    fn creations(&self, count: usize, rule: &str, plan: &mut Plan) -> Vec<PlannedWrite> {
        if !self.is_indexed() {
            let one = |_| pods::creation(self.job, None, None, rule);
            return (0..count).map(one).collect();
        }
        let per_index = self.is_per_index();
        let taken: Indexes = self
            .active
            .iter()
            .filter_map(|p| pods::index_of(p))
            .collect();
        let missing = (0..self.completions()).filter(|i| {
            !taken.contains(i) && !self.completed.contains(i) && !self.broken.contains(i)
        });
        let mut writes = Vec::new();
        for index in missing.take(count) {
            let failed = self.last_failed(index).filter(|_| per_index);
            let wait = failed.and_then(|pod| {
                self.wait(policy::all_failures_before(pod) + 1, pods::ended_at(pod)?)
            });
            if let Some(wait) = wait {
                plan.requeue_in(wait);
                continue;
            }
            let next = |pod| policy::failures_after(self.job, pod);
            let failures = per_index.then(|| failed.map_or((0, 0), next));
            writes.push(pods::creation(self.job, Some(index), failures, rule));
        }
        writes
    }

    /// Returns the Pod of an index that failed last.
    fn last_failed(&self, index: i64) -> Option<&'a Object> {
        let of_index = |pod: &&Object| pods::index_of(pod) == Some(index) && self.has_failed(pod);
        let failed = self.pods.iter().copied().filter(of_index);
        failed.max_by_key(|pod| (policy::all_failures_before(pod), pods::ended_at(pod)))
    }

    /// Returns the surplus Pods: duplicates of an index first, then those with the least progress.
    fn excess(&self, count: usize) -> Vec<&'a Object> {
        let mut rest = self.active.clone();
        let mut excess = Vec::new();
        if self.is_indexed() {
            // Of duplicates of an index, the one with the most progress stays.
            let mut seen = Indexes::new();
            rest.sort_by_cached_key(|p| (pods::index_of(p), Reverse(pods::how_far(p))));
            let is_twin = |pod: &&Object| {
                let index = self.index_of(pod);
                index.is_none_or(|index| !seen.insert(index))
            };
            (excess, rest) = rest.into_iter().partition(is_twin);
        } else {
            rest.sort_by_key(|p| p.key());
        }
        rest.sort_by_cached_key(|p| pods::how_far(p));
        let missing = count.saturating_sub(excess.len());
        excess.extend(rest.into_iter().take(missing));
        excess
    }

    /// Returns the number of terminating Pods after the plan.
    pub(super) fn leaving(&self) -> usize {
        let leaving = |p: &&&Object| p.is_terminating() && !is_over(p);
        self.pods.iter().filter(leaving).count() + self.stopped.len()
    }

    /// Returns the back-off of new Pods after the failures since the last success.
    fn back_off(&self) -> Option<SignedDuration> {
        let earlier = self.earlier.filter(|earlier| earlier.in_a_row > 0);
        let counted = earlier.and_then(|earlier| self.wait(earlier.in_a_row, earlier.last));
        let all = [self.back_off_of_pods(), counted, self.back_off_of_new()];
        all.into_iter().flatten().max()
    }

    /// Returns the back-off after failures that the status does not count yet.
    fn back_off_of_new(&self) -> Option<SignedDuration> {
        // A success that is seen in the same reconcile forgives them.
        if self.all_succeeded() > all_succeeded(self.view()) {
            return None;
        }
        let noted = i64::try_from(self.noted[1].len()).unwrap_or(i64::MAX);
        let new = self.failed + noted - all_failed(self.view());
        let pods = self.noted[1].iter();
        let pods = pods.filter_map(|uid| self.context.cache.by_uid(uid));
        let last = pods.filter_map(pods::ended_at).max().filter(|_| new > 0)?;
        let before = self.earlier.map_or(0, |earlier| earlier.in_a_row);
        self.wait(before + new, last)
    }

    /// Returns the back-off after the failures of the Pods that exist.
    fn back_off_of_pods(&self) -> Option<SignedDuration> {
        let mut ended: Vec<(jiff::Timestamp, bool)> = self
            .pods
            .iter()
            // A success resets the back-off, so only failures since the last one count.
            .filter(|pod| phase(pod) == "Succeeded" || self.has_failed(pod))
            .filter_map(|pod| Some((pods::ended_at(pod)?, phase(pod) == "Succeeded")))
            .collect();
        ended.sort();
        let failures = ended.iter().rev().take_while(|(_, ok)| !ok).count();
        let (last, _) = ended.last().filter(|_| failures > 0)?;
        self.wait(i64::try_from(failures).unwrap_or(i64::MAX), *last)
    }

    /// Returns the remaining back-off after this many failures.
    fn wait(&self, failures: i64, last: jiff::Timestamp) -> Option<SignedDuration> {
        // Clamped before the shift, which would overflow after 60 failures.
        let seconds = BACKOFF << (failures - 1).clamp(0, 16);
        let end = last
            .checked_add(SignedDuration::from_secs(seconds.min(MOST_BACKOFF)))
            .ok()?;
        let wait = end.duration_since(self.context.now);
        wait.is_positive().then_some(wait)
    }
}

/// Returns true if the status has a start time.
fn condition_free_start(job: &Object) -> bool {
    views::job(job).start_time().is_string()
}

fn success(reason: &str, message: String) -> Ending {
    Ending {
        success: true,
        reason: reason.to_owned(),
        message,
    }
}

fn failure(reason: &str, message: &str) -> Ending {
    Ending {
        success: false,
        reason: reason.to_owned(),
        message: message.to_owned(),
    }
}

impl JobSync<'_> {
    /// Sets a condition of the Job.
    pub(super) fn set_condition(&mut self, kind: &str, status: &str, reason: &str, message: &str) {
        let now = stamp(self.context.now);
        let told = json!({
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastProbeTime": now,
            "lastTransitionTime": now,
        });
        let mut old = self.conditions.iter_mut();
        match old.find(|c| views::condition(c).kind() == kind) {
            Some(old) => *old = told,
            None => self.conditions.push(told),
        }
    }

    /// Returns an event about the Job.
    pub(super) fn note(&self, warning: bool, reason: &str, message: &str) -> EventNote {
        EventNote {
            warning,
            ..EventNote::normal(self.job, reason, message)
        }
    }
}
