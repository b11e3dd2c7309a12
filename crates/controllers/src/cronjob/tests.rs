use super::*;
use crate::api::json::{Value, json};
use crate::runtime::Outcome;
use crate::testing::{Habit, World};

fn cron(schedule: &str, spec: Value) -> Value {
    let mut cron = json!({"apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": {"name": "tick"}, "spec": {"schedule": schedule, "jobTemplate": {
            "metadata": {"labels": {"app": "tick"}}, "spec": {"template": {"spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "c", "image": "busybox"}]}}}}}});
    crate::api::patch::merge::apply(&mut cron, &json!({"spec": spec}));
    cron
}

fn world(habit: Habit, schedule: &str, spec: Value) -> World {
    let mut world = World::new();
    world.habit = habit;
    world.create(watched::cron_jobs(), &cron(schedule, spec));
    assert_eq!(world.settle(), Outcome::Settled);
    world
}

#[test]
fn daily_cron_job_keeps_three_successful_jobs() {
    let world = world(
        Habit::Succeed,
        "0 3 * * *",
        json!({"timeZone": "Europe/Berlin"}),
    );
    assert!(world.names(watched::jobs()).is_empty());
    assert_eq!(world.pass(7 * 86400), Outcome::Settled);
    let jobs = world.list(watched::jobs());
    assert_eq!(jobs.len(), 3);
    let annotation = &jobs[2]["metadata"]["annotations"][TIMESTAMP];
    assert_eq!(*annotation, "2026-01-07T03:00:00+01:00");
    let status = &world.get(watched::cron_jobs(), "tick")["status"];
    assert_eq!(status["lastScheduleTime"], "2026-01-07T02:00:00Z");
    assert!(status["lastSuccessfulTime"].is_string() && status.get("active").is_none());
}

#[test]
fn too_many_missed_times_are_reported_once() {
    let world = world(Habit::Ready, "* * * * *", json!({"suspend": true}));
    world.passed(3 * 3600);
    let resumed = json!({"spec": {"suspend": false}});
    world.patch(watched::cron_jobs(), "tick", resumed);
    world.settled();
    let events = world.list(watched::events());
    let mut told = events
        .iter()
        .filter(|e| e["reason"] == "TooManyMissedTimes");
    assert_eq!(told.next().unwrap()["count"], 1);
    assert!(told.next().is_none());
}

#[test]
fn concurrency_policy_allows_forbids_or_replaces_jobs() {
    let count = |policy: &str| {
        let world = world(
            Habit::Ready,
            "*/10 * * * *",
            json!({"concurrencyPolicy": policy}),
        );
        world.passed(35 * 60);
        let active = world.get(watched::cron_jobs(), "tick")["status"]["active"].clone();
        (
            world.names(watched::jobs()).len(),
            active.as_array().map_or(0, |list| list.len()),
        )
    };
    assert_eq!(count("Allow"), (3, 3));
    assert_eq!(count("Forbid"), (1, 1));
    assert_eq!(count("Replace").1, 1);
}

#[test]
fn the_status_after_a_refused_job_tells_nothing_new() {
    let mut table = crate::testing::Table::new(&CronJobs);
    let mut tick = cron("*/2 * * * *", json!({}));
    tick["status"] = json!({"active": [{"kind": "Job", "name": "tick-1", "uid": "uid-tick-1"}]});
    table.put(watched::cron_jobs(), "tick", &tick);
    let refused = [crate::runtime::Failure {
        rule: "scheduled: for 2026-01-02T12:00:00Z".to_owned(),
        index: Some(1),
        status: crate::api::status::Status::forbidden("jobs", "tick-2", "exceeded quota"),
    }];
    let plan = |refused: &[crate::runtime::Failure]| {
        CronJobs.plan(&ReconcileContext {
            key: &crate::runtime::Key::new("default", "tick"),
            cache: &table.cache,
            now: crate::testing::noon(),
            failures: 0,
            refused,
            seed: crate::runtime::Seed(7),
            pods: crate::cluster::PodMode::Default,
            identity: crate::harness::identity(),
        })
    };
    let reasons =
        |plan: &Plan| -> Vec<String> { plan.events.iter().map(|n| n.reason.clone()).collect() };
    assert_eq!(reasons(&plan(&[])), ["MissingJob"]);
    // The refused plan has deleted the finished Job.
    let second = plan(&refused);
    assert_eq!(reasons(&second), [""; 0]);
    let status = &crate::harness::content(&second.status[0])["status"];
    assert_eq!(status.get("active"), None);
}

#[test]
fn resumed_cron_job_runs_only_the_last_missed_time() {
    let world = world(Habit::Succeed, "*/10 * * * *", json!({"suspend": true}));
    world.passed(3600);
    assert!(world.names(watched::jobs()).is_empty());
    world.patch(
        watched::cron_jobs(),
        "tick",
        json!({"spec": {"suspend": false}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(watched::jobs()).len(), 1);
}

#[test]
fn a_job_of_that_name_stands_for_the_run() {
    let mut table = crate::testing::Table::new(&CronJobs);
    let mut tick = cron("*/10 * * * *", json!({}));
    tick["status"] = json!({"lastScheduleTime": "2026-01-02T11:50:00Z"});
    table.put(watched::cron_jobs(), "tick", &tick);
    let made = |table: &crate::testing::Table| table.plan(&mut CronJobs, "tick").changes.len();
    assert_eq!(made(&table), 1);
    table.put(watched::jobs(), "tick-29455920", &json!({}));
    assert_eq!(made(&table), 0);
}

#[test]
fn zones_that_cannot_be_used_are_reported() {
    let told = |schedule: &str, spec: Value| warned_of(schedule, spec, "2026-01-02T00:00:30Z");
    let unknown = json!({"timeZone": "Mars/Base", "suspend": true});
    assert_eq!(
        told("0 3 * * *", unknown),
        ["UnknownTimeZone: invalid timeZone: \"Mars/Base\": unknown time zone Mars/Base"]
    );
    assert_eq!(
        told("TZ=UTC 0 3 * * *", json!({})),
        [
            "UnsupportedSchedule: CRON_TZ or TZ used in schedule \"TZ=UTC 0 3 * * *\" is not officially supported, see \
            https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        ]
    );
}

/// Returns the warnings about a CronJob created at midnight, up to a time of that day.
fn warned(schedule: &str, now: &str) -> Vec<String> {
    warned_of(schedule, json!({}), now)
}

fn warned_of(schedule: &str, spec: Value, now: &str) -> Vec<String> {
    let mut table = crate::testing::Table::new(&CronJobs);
    let made = json!({"metadata": {"creationTimestamp": "2026-01-02T00:00:00Z"}});
    let mut whole = cron(schedule, spec);
    crate::api::patch::merge::apply(&mut whole, &made);
    table.put(watched::cron_jobs(), "tick", &whole);
    let plan = table.plan_at(&mut CronJobs, "tick", now.parse().unwrap());
    let told = plan.events.iter().filter(|n| n.warning);
    told.map(|n| format!("{}: {}", n.reason, n.message))
        .collect()
}

#[test]
fn a_schedule_without_a_future_time_is_reported() {
    assert_eq!(
        warned("59 23 31 2 *", "2026-01-02T12:00:00Z"),
        [
            "InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second"
        ]
    );
}

#[test]
fn missed_times_are_estimated_from_the_first_interval() {
    // Twelve times an hour, though only from eight to nine.
    assert_eq!(warned("*/5 8 * * *", "2026-01-02T15:00:00Z"), [""; 0]);
    let told = warned("*/5 8 * * *", "2026-01-02T16:20:00Z");
    assert!(
        told.len() == 1 && told[0].starts_with("TooManyMissedTimes: "),
        "{told:?}"
    );
    assert_eq!(warned("0 * * * *", "2026-01-02T16:20:00Z"), [""; 0]);
}
