use super::*;
use crate::api::json::{Value, json};
use crate::controllers::testing::{Habit, World};
use crate::runtime::Outcome;

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
    world.create(kinds::cron_jobs(), &cron(schedule, spec));
    assert_eq!(world.settle(), Outcome::Settled);
    world
}

#[test]
fn a_week_of_days_leaves_the_history_that_is_kept() {
    let world = world(
        Habit::Succeed,
        "0 3 * * *",
        json!({"timeZone": "Europe/Berlin"}),
    );
    assert!(world.names(kinds::jobs()).is_empty());
    assert_eq!(world.pass(7 * 86400), Outcome::Settled);
    let jobs = world.list(kinds::jobs());
    assert_eq!(jobs.len(), 3);
    let annotation = &jobs[2]["metadata"]["annotations"][TIMESTAMP];
    assert_eq!(*annotation, "2026-01-07T03:00:00+01:00");
    let status = &world.get(kinds::cron_jobs(), "tick")["status"];
    assert_eq!(status["lastScheduleTime"], "2026-01-07T02:00:00Z");
    assert!(status["lastSuccessfulTime"].is_string() && status.get("active").is_none());
}

#[test]
fn what_runs_is_left_alone_forbidden_or_replaced() {
    let count = |policy: &str| {
        let world = world(
            Habit::Ready,
            "*/10 * * * *",
            json!({"concurrencyPolicy": policy}),
        );
        world.pass(35 * 60);
        let active = world.get(kinds::cron_jobs(), "tick")["status"]["active"].clone();
        (
            world.names(kinds::jobs()).len(),
            active.as_array().map_or(0, |list| list.len()),
        )
    };
    assert_eq!(count("Allow"), (3, 3));
    assert_eq!(count("Forbid"), (1, 1));
    assert_eq!(count("Replace").1, 1);
}

#[test]
fn only_the_last_missed_time_is_made_up_for() {
    let world = world(Habit::Succeed, "*/10 * * * *", json!({"suspend": true}));
    world.pass(3600);
    assert!(world.names(kinds::jobs()).is_empty());
    world.patch(
        kinds::cron_jobs(),
        "tick",
        json!({"spec": {"suspend": false}}),
    );
    assert_eq!(world.settle(), Outcome::Settled);
    assert_eq!(world.names(kinds::jobs()).len(), 1);
}
