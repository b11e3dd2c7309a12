//! Jobs and CronJobs.

use super::events::events;
use super::meta::{
    between, controlled_by, flag_or_unset, int_or_unset, labels_and_annotations,
    name_and_namespace, parse, time,
};
use super::related::{NONE, Related, UNSET};
use super::template::template;
use super::workloads::selector;
use super::writer::Writer;
use crate::api::json::Value;
use crate::kinds::tree::{field, flag, has, int, list, opt_int, text};

pub(super) fn job(w: &mut Writer, job: &Value, related: &Related) {
    let (spec, status) = (field(job, "spec"), field(job, "status"));
    name_and_namespace(w, job);
    w.field(0, "Selector", selector(field(spec, "selector")));
    labels_and_annotations(w, job);
    controlled_by(w, job);
    if let Some(parallelism) = opt_int(spec, "parallelism") {
        w.field(0, "Parallelism", parallelism);
    }
    w.field(0, "Completions", int_or_unset(spec, "completions"));
    let mode = text(spec, "completionMode");
    if !mode.is_empty() {
        w.field(0, "Completion Mode", mode);
    }
    if has(spec, "suspend") {
        w.field(0, "Suspend", flag(spec, "suspend"));
    }
    for (title, name) in [
        ("Backoff Limit", "backoffLimit"),
        ("TTL Seconds After Finished", "ttlSecondsAfterFinished"),
    ] {
        if let Some(number) = opt_int(spec, name) {
            w.field(0, title, number);
        }
    }
    times(w, status, related);
    if let Some(seconds) = opt_int(spec, "activeDeadlineSeconds") {
        w.field(0, "Active Deadline Seconds", format!("{seconds}s"));
    }
    // Older controllers do not count ready Pods; kubectl then omits the parenthesis.
    let ready = opt_int(status, "ready").map_or(String::new(), |ready| format!(" ({ready} Ready)"));
    let (active, succeeded) = (int(status, "active"), int(status, "succeeded"));
    let failed = int(status, "failed");
    w.field(
        0,
        "Pods Statuses",
        format!("{active} Active{ready} / {succeeded} Succeeded / {failed} Failed"),
    );
    if mode == "Indexed" {
        w.field(
            0,
            "Completed Indexes",
            indexes(text(status, "completedIndexes")),
        );
    }
    template(w, field(spec, "template"));
    events(w, related);
}

fn times(w: &mut Writer, status: &Value, related: &Related) {
    let (started, ended) = (field(status, "startTime"), field(status, "completionTime"));
    for (title, stamp) in [("Start Time", started), ("Completed At", ended)] {
        if !stamp.is_null() {
            w.field(0, title, time(stamp, related));
        }
    }
    if let (Some(started), Some(ended)) = (parse(started), parse(ended)) {
        w.field(0, "Duration", between(started, ended));
    }
}

/// Truncates a list of indexes at the first comma after a number of bytes.
fn indexes(indexes: &str) -> String {
    const SOFT_LIMIT: usize = 50;
    if indexes.is_empty() {
        return NONE.to_owned();
    }
    // kubectl cuts at a comma, so that no range is incomplete.
    let comma = indexes.get(SOFT_LIMIT..).and_then(|rest| rest.find(','));
    match comma {
        Some(at) => format!("{}...", &indexes[..=SOFT_LIMIT + at]),
        None => indexes.to_owned(),
    }
}

pub(super) fn cron_job(w: &mut Writer, cron_job: &Value, related: &Related) {
    let (spec, status) = (field(cron_job, "spec"), field(cron_job, "status"));
    name_and_namespace(w, cron_job);
    labels_and_annotations(w, cron_job);
    w.field(0, "Schedule", text(spec, "schedule"));
    w.field(0, "Concurrency Policy", text(spec, "concurrencyPolicy"));
    w.field(0, "Suspend", flag_or_unset(field(spec, "suspend")));
    let zone = if has(spec, "timeZone") {
        text(spec, "timeZone")
    } else {
        UNSET
    };
    w.field(0, "Time Zone", zone);
    w.field(
        0,
        "Successful Job History Limit",
        int_or_unset(spec, "successfulJobsHistoryLimit"),
    );
    w.field(
        0,
        "Failed Job History Limit",
        int_or_unset(spec, "failedJobsHistoryLimit"),
    );
    let deadline = opt_int(spec, "startingDeadlineSeconds");
    let deadline = deadline.map_or(UNSET.to_owned(), |seconds| format!("{seconds}s"));
    w.field(0, "Starting Deadline Seconds", deadline);
    job_template(w, field(field(spec, "jobTemplate"), "spec"));
    let last = field(status, "lastScheduleTime");
    match last.is_null() {
        true => w.field(0, "Last Schedule Time", UNSET),
        false => w.field(0, "Last Schedule Time", time(last, related)),
    }
    let active: Vec<&str> = list(status, "active")
        .iter()
        .map(|job| text(job, "name"))
        .collect();
    w.field(0, "Active Jobs", super::meta::or_none(&active.join(", ")));
    events(w, related);
}

fn job_template(w: &mut Writer, spec: &Value) {
    // Unlike a Job's, this selector is usually unset: the API server generates one for each Job.
    match has(spec, "selector") {
        true => w.field(0, "Selector", selector(field(spec, "selector"))),
        false => w.field(0, "Selector", UNSET),
    }
    w.field(0, "Parallelism", int_or_unset(spec, "parallelism"));
    w.field(0, "Completions", int_or_unset(spec, "completions"));
    if let Some(seconds) = opt_int(spec, "activeDeadlineSeconds") {
        w.field(0, "Active Deadline Seconds", format!("{seconds}s"));
    }
    template(w, field(spec, "template"));
}
