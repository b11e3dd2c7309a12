//! CronJobs: a Job at each time of a schedule.
//!
//! Rules:
//! - `scheduled`: a scheduled time has come, and the concurrency policy allows a Job; of several missed times only
//!   the last one gets a Job.
//! - `replace`: the policy is Replace and a Job is still running; it is deleted.
//! - `history`: there are more finished Jobs than the history limits; the oldest are deleted.
//! - `status`: the active Jobs, the last scheduled time and the last success.

mod schedule;

#[cfg(test)]
mod tests;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::workload::{condition, stamp, time};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::Place;
use crate::kinds::tree::{at, field, list, text};
use crate::runtime::{Controller, EventNote, Object, Plan, PlannedWrite, ReconcileContext, Watch};
use schedule::Schedule;

const TIMESTAMP: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// More missed times are a sign that something is wrong.
// Upstream's limit: more missed times than this point to a wrong clock or a very long outage.
const MANY_MISSED: i64 = 100;

/// The delay of a reconcile behind its scheduled time.
// kube-controller-manager's `nextScheduleDelta`: a timer that fires slightly early would find nothing due.
const DELAY: SignedDuration = SignedDuration::from_millis(100);

/// The controller of CronJobs.
pub(crate) struct CronJobs;

impl Controller for CronJobs {
    fn name(&self) -> &'static str {
        "cronjob"
    }

    fn component(&self) -> &'static str {
        "cronjob-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![
            Watch::own(watched::cron_jobs()),
            Watch::controlled(watched::jobs(), watched::cron_jobs()),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let Some(cron) = context.cache.by_key(watched::cron_jobs(), context.key) else {
            return Plan::done();
        };
        let jobs: Vec<&Object> = context
            .cache
            .controlled_by(watched::jobs(), cron.uid())
            .collect();
        let mut round = Round {
            cron,
            context,
            status: cron["status"].as_object().map_or(json!({}), |s| json!(s)),
            plan: Plan::done(),
        };
        round.look_at_active(&jobs);
        round.list_made(&jobs);
        round.clean_up(&jobs);
        if !cron.is_terminating() {
            round.start(&jobs);
        }
        // The events were recorded with the plan whose write was refused; a Job that it deleted is not missing.
        if !context.refused.is_empty() {
            round.plan.events.clear();
        }
        round.into_plan()
    }
}

/// One reconcile of a CronJob.
struct Round<'a> {
    cron: &'a Object,
    context: &'a ReconcileContext<'a>,
    status: Value,
    plan: Plan,
}

/// Returns the number of missed times, if all are as far apart as the first two.
fn missed(first: Timestamp, second: Timestamp, now: Timestamp) -> i64 {
    // Estimated from the distance of the first two times, as upstream does: stepping through a year of minutes would
    // be slow.
    let apart = second.duration_since(first).as_secs().max(1);
    now.duration_since(first).as_secs() / apart + 1
}

/// Returns the condition with which a Job has ended, if it has.
fn ended(job: &Object) -> Option<&'static str> {
    ["Complete", "Failed"]
        .into_iter()
        .find(|kind| condition(job, kind).is_some_and(|c| views::condition(c).status() == "True"))
}

impl Round<'_> {
    fn active(&self) -> Vec<Value> {
        list(&self.status, "active").to_vec()
    }

    fn set_active(&mut self, active: Vec<Value>) {
        if let Some(status) = self.status.as_object_mut() {
            match active.is_empty() {
                true => drop(status.remove("active")),
                false => drop(status.insert("active".to_owned(), json!(active))),
            }
        }
    }

    /// Brings the list of running Jobs and the last success up to date.
    fn look_at_active(&mut self, jobs: &[&Object]) {
        let mut active = self.active();
        for job in jobs {
            let at = active.iter().position(|a| text(a, "uid") == job.uid());
            match (at, ended(job)) {
                // A running Job that the status does not list: created by hand with the owner's reference, or the
                // status was lost.
                (None, None) => {
                    let text = format!(
                        "Saw a job that the controller did not create or forgot: {}",
                        job.name()
                    );
                    self.plan
                        .events
                        .push(EventNote::warning(self.cron, "UnexpectedJob", text));
                }
                (Some(at), Some(how)) => {
                    active.remove(at);
                    let text = format!("Saw completed job: {}, condition: {how}", job.name());
                    self.plan
                        .events
                        .push(EventNote::normal(self.cron, "SawCompletedJob", text));
                    self.succeed(job, how);
                }
                (None, Some(how)) => self.succeed(job, how),
                (Some(_), None) => {}
            }
        }
        // A Job that a user deleted never reaches a terminal condition, so its entry is removed here.
        active.retain(|entry| {
            let there = jobs.iter().any(|job| job.uid() == text(entry, "uid"));
            if !there {
                let text = format!("Active job went missing: {}", text(entry, "name"));
                self.plan
                    .events
                    .push(EventNote::normal(self.cron, "MissingJob", text));
            }
            there
        });
        self.set_active(active);
    }

    fn succeed(&mut self, job: &Object, how: &str) {
        let at = text(field(job, "status"), "completionTime");
        let last = time(field(&self.status, "lastSuccessfulTime"));
        // Jobs may end in a different order than they began; the status keeps the latest success.
        if how == "Complete" && time(&json!(at)) > last {
            self.status["lastSuccessfulTime"] = json!(at);
        }
    }

    /// Deletes finished Jobs beyond the history limits.
    fn clean_up(&mut self, jobs: &[&Object]) {
        let view = views::cron_job(self.cron);
        for (how, limit) in [
            ("Complete", view.successful_jobs_history_limit()),
            ("Failed", view.failed_jobs_history_limit()),
        ] {
            // Without a limit nothing is deleted; the API server's defaults are 3 and 1.
            let Some(limit) = limit.and_then(|l| usize::try_from(l).ok()) else {
                continue;
            };
            let mut done: Vec<&&Object> = jobs.iter().filter(|j| ended(j) == Some(how)).collect();
            // A Job that never started comes last.
            let begun = |job: &Object| {
                let begun = views::job(job).started();
                (begun.is_none(), begun)
            };
            done.sort_by(|a, b| (begun(a), a.name()).cmp(&(begun(b), b.name())));
            let excess = done.len().saturating_sub(limit);
            for job in done
                .into_iter()
                .take(excess)
                .filter(|j| !j.is_terminating())
            {
                let rule = format!("history: the limit for {how} Jobs is {limit}");
                self.plan.changes.push(self.deletion(job, rule));
            }
        }
    }

    fn deletion(&self, job: &Object, rule: String) -> PlannedWrite {
        PlannedWrite::delete(job, rule)
            .with_event(EventNote::normal(
                self.cron,
                "SuccessfulDelete",
                "Deleted job {name}",
            ))
            .with_failure_event(EventNote::warning(
                self.cron,
                "FailedDelete",
                "Deleted job: {error}",
            ))
    }

    /// Starts the Job that is due, and requeues for the next one.
    fn start(&mut self, jobs: &[&Object]) {
        let view = views::cron_job(self.cron);
        let zone = match view.time_zone() {
            // kube-controller-manager uses its local zone here, and its container runs in UTC.
            "" => TimeZone::UTC,
            name => match TimeZone::get(name) {
                Ok(zone) => zone,
                Err(_) => {
                    let text = format!("invalid timeZone: \"{name}\": unknown time zone {name}");
                    return self.warn("UnknownTimeZone", text);
                }
            },
        };
        if view.is_suspended() {
            return;
        }
        // Only an object that is older than this check has it.
        if view.schedule().contains("TZ") {
            let text = format!(
                "CRON_TZ or TZ used in schedule {:?} is not officially supported, see \
                 https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
                view.schedule()
            );
            self.warn("UnsupportedSchedule", text);
        }
        let schedule = match Schedule::read(view.schedule(), &zone) {
            Ok(schedule) => schedule,
            Err(e) => {
                let text = format!("unparseable schedule: \"{}\" : {e}", view.schedule());
                // Only an update of the CronJob can help, so there is no requeue.
                return self.warn("UnparseableSchedule", text);
            }
        };
        let now = self.context.now;
        if let Some(next) = schedule.next(now) {
            let wait = next.duration_since(now).saturating_add(DELAY);
            self.plan.idle_requeue_in(wait);
        }
        if let Some(due) = self.due(&schedule) {
            self.start_for(due, &zone, jobs);
        }
    }

    fn warn(&mut self, reason: &str, message: String) {
        self.plan
            .events
            .push(EventNote::warning(self.cron, reason, message));
    }

    /// Returns the latest scheduled time that has passed without a Job.
    fn due(&mut self, schedule: &Schedule) -> Option<Timestamp> {
        let view = views::cron_job(self.cron);
        let last = time(field(&self.status, "lastScheduleTime"));
        let created = views::meta(self.cron).created();
        let mut since = last.or(created)?;
        let now = self.context.now;
        if let Some(deadline) = view.starting_deadline_seconds() {
            let earliest = now.checked_sub(SignedDuration::from_secs(deadline)).ok()?;
            // Times before the starting deadline can no longer start a Job and must not count as missed.
            since = since.max(earliest);
        }
        let Some((first, second)) = schedule
            .next(since)
            .and_then(|first| Some((first, schedule.next(first)?)))
        else {
            let schedule = view.schedule();
            let why = "time difference between two schedules is less than 1 second";
            self.warn(
                "InvalidSchedule",
                format!("invalid schedule: {schedule} : {why}"),
            );
            return None;
        };
        let (mut due, mut at) = (None, since);
        while let Some(next) = schedule.next(at).filter(|next| *next <= now) {
            (due, at) = (Some(next), next);
        }
        if second <= now && missed(first, second, now) > MANY_MISSED {
            let text = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds \
                        or check clock skew";
            self.warn("TooManyMissedTimes", text.to_owned());
        }
        due.filter(|due| last.is_none_or(|last| *due > last))
    }

    fn start_for(&mut self, due: Timestamp, zone: &TimeZone, jobs: &[&Object]) {
        let name = format!("{}-{}", self.cron.name(), due.as_second() / 60);
        let active = self.active();
        let policy = views::cron_job(self.cron).concurrency_policy();
        // The time is not recorded as scheduled, so the Job starts as soon as the running one has ended, if the
        // deadline allows.
        if policy == "Forbid" && !active.is_empty() {
            let text = "Not starting job because prior execution is running and concurrency policy \
                        is Forbid";
            self.plan
                .events
                .push(EventNote::normal(self.cron, "JobAlreadyActive", text));
            return;
        }
        if policy == "Replace" {
            let running = |job: &&&Object| active.iter().any(|a| text(a, "uid") == job.uid());
            for job in jobs.iter().filter(running) {
                let write = self.deletion(
                    job,
                    "replace: the next run is due, concurrencyPolicy is Replace".to_owned(),
                );
                self.plan.changes.push(write);
            }
            self.set_active(Vec::new());
        }
        // As upstream, a Job of this name that is not the CronJob's belongs to its creator.
        let namespace = self.cron.namespace();
        let cache = self.context.cache;
        if cache.get(watched::jobs(), namespace, &name).is_some() {
            return;
        }
        let job = self.job(&name, due, zone);
        let rule = format!("scheduled: for {due}");
        let write = PlannedWrite::create(
            Place::new(watched::jobs(), self.cron.namespace()),
            job,
            rule,
        )
        .with_event(EventNote::normal(
            self.cron,
            "SuccessfulCreate",
            "Created job {name}",
        ))
        .with_failure_event(EventNote::warning(
            self.cron,
            "FailedCreate",
            "Error creating job: {error}",
        ));
        self.plan.changes.push(write);
    }

    fn job(&self, name: &str, due: Timestamp, zone: &TimeZone) -> Value {
        let template = views::cron_job(self.cron).job_template();
        let mut metadata = json!({
            "name": name,
            "namespace": self.cron.namespace(),
            "ownerReferences": [self.cron.controller_reference()],
            "annotations": at(template, &["metadata", "annotations"]),
        });
        let labels = at(template, &["metadata", "labels"]);
        if !labels.is_null() {
            metadata["labels"] = labels.clone();
        }
        let local = due.to_zoned(zone.clone());
        // Go's RFC 3339: `Z` for UTC and a numeric offset for every other zone.
        let format = if zone == &TimeZone::UTC {
            "%Y-%m-%dT%H:%M:%SZ"
        } else {
            "%Y-%m-%dT%H:%M:%S%:z"
        };
        metadata["annotations"][TIMESTAMP] = json!(local.strftime(format).to_string());
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata,
            "spec": field(template, "spec"),
        })
    }

    /// Returns the plan. A created Job is listed by the next reconcile, once it exists.
    fn into_plan(mut self) -> Plan {
        let status = PlannedWrite::status(
            self.cron,
            self.status,
            "status: active Jobs, last schedule, last success",
        );
        self.plan.status.extend(status);
        self.plan
    }

    /// Lists the running Jobs of the schedule with their scheduled times, which are no longer due then.
    fn list_made(&mut self, jobs: &[&Object]) {
        let prefix = format!("{}-", self.cron.name());
        let mut active = self.active();
        for job in jobs {
            let minutes = job
                .name()
                .strip_prefix(&prefix)
                .and_then(|m| m.parse::<i64>().ok());
            let Some(due) = minutes.and_then(|m| Timestamp::from_second(m * 60).ok()) else {
                continue;
            };
            let last = time(field(&self.status, "lastScheduleTime"));
            // The name holds the minute, so a crash between creating the Job and writing the status is repaired here.
            if last.is_none_or(|last| due > last) {
                self.status["lastScheduleTime"] = json!(stamp(due));
                if ended(job).is_none() {
                    active.push(json!({
                        "apiVersion": "batch/v1", "kind": "Job", "name": job.name(),
                        "namespace": job.namespace(), "uid": job.uid(),
                        "resourceVersion": job.revision().to_string(),
                    }));
                    // This controller created the Job, so it is not unexpected.
                    self.plan.events.retain(|n| {
                        n.reason != "UnexpectedJob" || !n.message.ends_with(job.name())
                    });
                }
            }
        }
        self.set_active(active);
    }
}
