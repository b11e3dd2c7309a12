use super::*;
use crate::api::json::{Value, json};
use crate::controllers::testing::{Habit, World};
use crate::runtime::Outcome;

fn job(spec: Value) -> Value {
    let mut job = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum"},
        "spec": {"template": {"spec": {"restartPolicy": "Never",
            "containers": [{"name": "c", "image": "busybox"}]}}}});
    crate::api::patch::merge::apply(&mut job, &json!({"spec": spec}));
    job
}

fn run(habit: Habit, spec: Value) -> (World, Value) {
    let mut world = World::new();
    world.habit = habit;
    world.create(kinds::jobs(), &job(spec));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(kinds::jobs(), "sum")["status"].clone();
    (world, status)
}

fn reasons(status: &Value) -> Vec<(String, String)> {
    let conditions = status["conditions"].as_array().unwrap();
    let both = |c: &Value| (text(c, "type").to_owned(), text(c, "reason").to_owned());
    conditions.iter().map(both).collect()
}

fn told(kinds: [&str; 2], reason: &str) -> Vec<(String, String)> {
    kinds
        .map(|kind| (kind.to_owned(), reason.to_owned()))
        .into()
}

#[test]
fn a_job_completes_when_enough_pods_have_succeeded() {
    let (world, status) = run(Habit::Succeed, json!({"completions": 5, "parallelism": 2}));
    assert_eq!(
        reasons(&status),
        told(["SuccessCriteriaMet", "Complete"], "CompletionsReached")
    );
    assert_eq!(
        (
            &status["succeeded"],
            &status["uncountedTerminatedPods"],
            &status["ready"]
        ),
        (&json!(5), &json!({}), &json!(0))
    );
    assert!(status.get("active").is_none() && status["completionTime"].is_string());
    let pods = world.list(kinds::pods());
    assert_eq!(pods.len(), 5);
    assert!(
        pods.iter()
            .all(|p| p["metadata"].get("finalizers").is_none())
    );
}

#[test]
fn a_job_fails_after_its_limit_with_growing_waits() {
    let mut world = World::new();
    world.habit = Habit::Fail;
    let began = world.scratch.now().unwrap();
    world.create(kinds::jobs(), &job(json!({"backoffLimit": 2})));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(kinds::jobs(), "sum")["status"];
    assert_eq!(
        reasons(status),
        told(["FailureTarget", "Failed"], "BackoffLimitExceeded")
    );
    assert_eq!(status["failed"], 3);
    let took = world.scratch.now().unwrap().duration_since(began);
    assert_eq!(took.as_secs(), 10 + 20);
}

#[test]
fn indexed_pods_know_their_index() {
    let spec = json!({"completions": 4, "parallelism": 4, "completionMode": "Indexed"});
    let (world, status) = run(Habit::Succeed, spec);
    assert_eq!(status["completedIndexes"], "0-3");
    let pods = world.list(kinds::pods());
    let mut hosts: Vec<&str> = pods.iter().map(|p| text(&p["spec"], "hostname")).collect();
    hosts.sort_unstable();
    assert_eq!(hosts, ["sum-0", "sum-1", "sum-2", "sum-3"]);
    let env = &pods[0]["spec"]["containers"][0]["env"][0];
    assert_eq!(env["name"], "JOB_COMPLETION_INDEX");
}

#[test]
fn indexes_fail_by_themselves() {
    let spec = json!({"completions": 2, "parallelism": 2, "completionMode": "Indexed",
        "backoffLimitPerIndex": 1});
    let (world, status) = run(Habit::Fail, spec);
    assert_eq!(
        reasons(&status),
        told(["FailureTarget", "Failed"], "FailedIndexes")
    );
    assert_eq!(
        (&status["failed"], &status["failedIndexes"]),
        (&json!(4), &json!("0,1"))
    );
    assert_eq!(world.list(kinds::pods()).len(), 4);
}

#[test]
fn a_failure_policy_ends_the_job_at_once() {
    let spec = json!({"podFailurePolicy": {"rules": [{"action": "FailJob",
        "onExitCodes": {"operator": "In", "values": [1]}}]}});
    let (_, status) = run(Habit::Fail, spec);
    assert_eq!(
        reasons(&status),
        told(["FailureTarget", "Failed"], "PodFailurePolicy")
    );
    let message = text(&status["conditions"][1], "message");
    assert!(
        message.starts_with("Container c for pod default/sum-"),
        "{message}"
    );
    assert!(message.ends_with("failed with exit code 1 matching FailJob rule at index 0"));
}

#[test]
fn a_success_policy_ends_the_rest() {
    let spec = json!({"completions": 3, "parallelism": 1, "completionMode": "Indexed",
        "successPolicy": {"rules": [{"succeededCount": 1}]}});
    let (_, status) = run(Habit::Succeed, spec);
    assert_eq!(
        reasons(&status),
        told(["SuccessCriteriaMet", "Complete"], "SuccessPolicy")
    );
    assert_eq!(
        status["conditions"][0]["message"],
        "Matched rules at index 0"
    );
    assert_eq!(status["succeeded"], 1);
}

#[test]
fn a_suspended_job_has_no_pods_and_begins_anew_when_it_goes_on() {
    let (mut world, _) = run(Habit::Ready, json!({"parallelism": 2, "completions": 2}));
    assert_eq!(world.list(kinds::pods()).len(), 2);
    world.patch(kinds::jobs(), "sum", json!({"spec": {"suspend": true}}));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(kinds::jobs(), "sum")["status"].clone();
    assert_eq!(
        reasons(&status),
        [("Suspended".to_owned(), "JobSuspended".to_owned())]
    );
    assert!(status.get("startTime").is_none() && world.list(kinds::pods()).is_empty());
    world.habit = Habit::Succeed;
    world.patch(kinds::jobs(), "sum", json!({"spec": {"suspend": false}}));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(kinds::jobs(), "sum")["status"].clone();
    assert_eq!(status["conditions"][0]["reason"], "JobResumed");
    assert_eq!(status["succeeded"], 2);
}

#[test]
fn a_job_that_runs_too_long_fails_and_its_pods_are_counted() {
    let (world, status) = run(
        Habit::Ready,
        json!({"activeDeadlineSeconds": 30, "parallelism": 2}),
    );
    assert_eq!(
        reasons(&status),
        told(["FailureTarget", "Failed"], "DeadlineExceeded")
    );
    assert_eq!(status["failed"], 2);
    assert!(world.list(kinds::pods()).is_empty());
}

#[test]
fn pods_of_a_job_that_is_gone_are_let_go() {
    let (world, _) = run(Habit::Ready, json!({}));
    world.delete(kinds::jobs(), "sum");
    world.settle();
    let pods = world.list(kinds::pods());
    assert!(
        pods.iter()
            .all(|p| p["metadata"].get("finalizers").is_none())
    );
}
