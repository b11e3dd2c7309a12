use super::marks::{FAILURES, IGNORED, INDEX, TRACKING};
use super::*;
use crate::api::json::{Value, json};
use crate::cluster::{Part, Verb};
use crate::kinds::tree::text;
use crate::runtime::Outcome;
use crate::testing::{Habit, Table, World};

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
    world.create(watched::jobs(), &job(spec));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(watched::jobs(), "sum")["status"].clone();
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
    let pods = world.list(watched::pods());
    assert_eq!(pods.len(), 5);
    assert!(
        pods.iter()
            .all(|p| p["metadata"].get("finalizers").is_none())
    );
}

#[test]
fn job_fails_after_backoff_limit_with_exponential_delay() {
    let mut world = World::new();
    world.habit = Habit::Fail;
    let began = world.scratch.now().unwrap();
    world.create(watched::jobs(), &job(json!({"backoffLimit": 2})));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(watched::jobs(), "sum")["status"];
    assert_eq!(
        reasons(status),
        told(["FailureTarget", "Failed"], "BackoffLimitExceeded")
    );
    assert_eq!(status["failed"], 3);
    let took = world.scratch.now().unwrap().duration_since(began);
    assert_eq!(took.as_secs(), 10 + 20);
}

#[test]
fn indexed_pods_have_hostname_and_index_variable() {
    let spec = json!({"completions": 4, "parallelism": 4, "completionMode": "Indexed"});
    let (world, status) = run(Habit::Succeed, spec);
    assert_eq!(status["completedIndexes"], "0-3");
    let pods = world.list(watched::pods());
    let mut hosts: Vec<&str> = pods.iter().map(|p| text(&p["spec"], "hostname")).collect();
    hosts.sort_unstable();
    assert_eq!(hosts, ["sum-0", "sum-1", "sum-2", "sum-3"]);
    let env = &pods[0]["spec"]["containers"][0]["env"][0];
    assert_eq!(env["name"], "JOB_COMPLETION_INDEX");
}

#[test]
fn backoff_limit_per_index_fails_indexes_separately() {
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
    assert_eq!(world.list(watched::pods()).len(), 4);
}

#[test]
fn pod_failure_policy_fails_the_job_immediately() {
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
fn success_policy_completes_the_job_early() {
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
fn suspended_job_deletes_pods_and_recreates_them_on_resume() {
    let (mut world, _) = run(Habit::Ready, json!({"parallelism": 2, "completions": 2}));
    assert_eq!(world.list(watched::pods()).len(), 2);
    world.patch(watched::jobs(), "sum", json!({"spec": {"suspend": true}}));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(watched::jobs(), "sum")["status"].clone();
    assert_eq!(
        reasons(&status),
        [("Suspended".to_owned(), "JobSuspended".to_owned())]
    );
    assert!(status.get("startTime").is_none() && world.list(watched::pods()).is_empty());
    world.habit = Habit::Succeed;
    world.patch(watched::jobs(), "sum", json!({"spec": {"suspend": false}}));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = world.get(watched::jobs(), "sum")["status"].clone();
    assert_eq!(status["conditions"][0]["reason"], "JobResumed");
    assert_eq!(status["succeeded"], 2);
}

#[test]
fn active_deadline_fails_the_job_and_counts_its_pods() {
    let (world, status) = run(
        Habit::Ready,
        json!({"activeDeadlineSeconds": 30, "parallelism": 2}),
    );
    assert_eq!(
        reasons(&status),
        told(["FailureTarget", "Failed"], "DeadlineExceeded")
    );
    assert_eq!(status["failed"], 2);
    assert!(world.list(watched::pods()).is_empty());
}

#[test]
fn pods_of_a_deleted_job_are_released() {
    let (world, _) = run(Habit::Ready, json!({}));
    world.delete(watched::jobs(), "sum");
    world.settled();
    let pods = world.list(watched::pods());
    assert!(
        pods.iter()
            .all(|p| p["metadata"].get("finalizers").is_none())
    );
}

/// A Job with its current Pods, for one plan.
struct JobFixture {
    table: Table,
}

impl JobFixture {
    fn new(spec: Value, status: Value) -> Self {
        let mut table = Table::new(&Jobs::default());
        let mut whole =
            json!({"spec": {"selector": {"matchLabels": {"job": "sum"}}, "template": {}}});
        crate::api::patch::merge::apply(&mut whole, &json!({"spec": spec, "status": status}));
        table.put(watched::jobs(), "sum", &whole);
        Self { table }
    }

    /// Creates a Pod of an index that ended, or did not, before noon.
    fn pod(mut self, name: &str, index: i64, phase: &str, extra: Value) -> Self {
        let ended =
            json!({"exitCode": i64::from(phase == "Failed"), "finishedAt": "2026-01-02T11:59:55Z"});
        let containers = match phase {
            "Failed" | "Succeeded" => json!([{"name": "c", "state": {"terminated": ended}}]),
            _ => json!([]),
        };
        let mut pod = json!({
            "metadata": {
                "labels": {"job": "sum"}, "finalizers": [TRACKING], "annotations": {INDEX: index.to_string()},
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "sum",
                    "uid": "uid-sum", "controller": true}],
            },
            "status": {"phase": phase, "containerStatuses": containers},
        });
        crate::api::patch::merge::apply(&mut pod, &extra);
        self.table.put(watched::pods(), name, &pod);
        self
    }

    fn plan(&self) -> Plan {
        self.table.plan(&mut Jobs::default(), "sum")
    }
}

/// Returns the Pod writes and the new status.
fn outcome(plan: &Plan) -> (Vec<String>, Value) {
    let done = plan.changes.iter().map(|w| {
        let verb = if w.is_delete() { "delete" } else { "patch" };
        format!("{verb} {}", w.name)
    });
    let status = match plan.status.first().map(|w| &w.verb) {
        Some(Verb::Update(Part::Status, job)) => job["status"].clone(),
        _ => Value::Null,
    };
    (done.collect(), status)
}

#[test]
fn a_suspended_job_with_enough_successes_is_complete() {
    let still = JobFixture::new(json!({"suspend": true, "parallelism": 2}), json!({}))
        .pod("a", 0, "Succeeded", json!({}))
        .pod("b", 0, "Running", json!({}));
    let (done, status) = outcome(&still.plan());
    // Running Pods are released and do not count.
    assert_eq!(done, ["delete b", "patch b"]);
    assert_eq!(
        reasons(&status),
        [(
            "SuccessCriteriaMet".to_owned(),
            "CompletionsReached".to_owned()
        )]
    );
    assert_eq!(
        status["uncountedTerminatedPods"],
        json!({"succeeded": ["uid-a"]})
    );
}

#[test]
fn suspended_job_pods_do_not_count_as_failed() {
    let (world, _) = run(Habit::Ready, json!({"parallelism": 2, "completions": 2}));
    world.patch(watched::jobs(), "sum", json!({"spec": {"suspend": true}}));
    assert_eq!(world.settle(), Outcome::Settled);
    let status = &world.get(watched::jobs(), "sum")["status"];
    assert_eq!((status.get("failed"), status.get("active")), (None, None));
    assert_eq!(
        (&status["terminating"], &status["ready"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn job_failing_on_resume_does_not_report_resumed() {
    let suspended = json!([{"type": "Suspended", "status": "True", "reason": "JobSuspended"}]);
    let status = json!({"conditions": suspended, "failed": 1});
    let still = JobFixture::new(json!({"backoffLimit": 0, "completions": 1}), status);
    let plan = still.plan();
    let (_, status) = outcome(&plan);
    assert_eq!(
        reasons(&status),
        [
            ("Suspended".to_owned(), "JobSuspended".to_owned()),
            (
                "FailureTarget".to_owned(),
                "BackoffLimitExceeded".to_owned()
            )
        ]
    );
    assert!(plan.events.is_empty() && plan.status[0].on_success.is_empty());
}

fn indexed(more: Value) -> Value {
    let mut spec = json!({"completionMode": "Indexed", "completions": 2, "parallelism": 2});
    crate::api::patch::merge::apply(&mut spec, &more);
    spec
}

#[test]
fn indexes_beyond_completions_are_dropped() {
    let status = json!({"completedIndexes": "1,3", "succeeded": 2});
    let still = JobFixture::new(indexed(json!({})), status)
        .pod("a", 0, "Running", json!({}))
        .pod("c", 2, "Running", json!({}))
        .pod("d", 3, "Succeeded", json!({}));
    let (done, status) = outcome(&still.plan());
    assert_eq!(done, ["delete c", "patch c", "patch d"]);
    assert_eq!(
        (
            &status["completedIndexes"],
            &status["succeeded"],
            &status["active"]
        ),
        (&json!("1"), &json!(1), &json!(1))
    );
}

#[test]
fn least_advanced_duplicate_pod_of_an_index_is_deleted() {
    let node = json!({"spec": {"nodeName": "n"}});
    let still = JobFixture::new(indexed(json!({})), json!({}))
        .pod("a", 0, "Pending", json!({}))
        .pod("b", 0, "Running", node.clone())
        .pod("c", 1, "Running", node);
    assert_eq!(outcome(&still.plan()).0, ["delete a", "patch a"]);
}

#[test]
fn failed_index_is_counted_after_its_replacement_exists() {
    let spec = indexed(json!({"backoffLimitPerIndex": 3, "completions": 1, "parallelism": 1}));
    let failed = |name: &str| {
        let before = json!({"metadata": {"annotations": {FAILURES: "1"}}});
        JobFixture::new(spec.clone(), json!({})).pod(name, 0, "Failed", before)
    };
    let waiting = failed("a").plan();
    let (done, status) = outcome(&waiting);
    assert_eq!((done.len(), status.get("failed")), (0, None));
    assert_eq!(status["uncountedTerminatedPods"], json!({}));
    // Two failures: a back-off of twenty seconds, of which five are over.
    assert_eq!(waiting.requeue_after, Some(SignedDuration::from_secs(15)));
    let next = failed("a").pod("b", 0, "Running", json!({}));
    let (_, status) = outcome(&next.plan());
    assert_eq!(
        status["uncountedTerminatedPods"],
        json!({"failed": ["uid-a"]})
    );
}

#[test]
fn ignored_index_failures_are_counted_separately() {
    let policy = json!({"rules": [{"action": "Ignore", "onPodConditions": [
        {"type": "DisruptionTarget", "status": "True"},
    ]}]});
    let spec = indexed(json!({
        "backoffLimitPerIndex": 1, "completions": 1, "parallelism": 1, "podFailurePolicy": policy,
    }));
    let disrupted = json!({
        "metadata": {"annotations": {FAILURES: "1"}},
        "status": {
            "conditions": [{"type": "DisruptionTarget", "status": "True"}],
            "containerStatuses": [{"name": "c", "state": {"terminated": {
                "exitCode": 1, "finishedAt": "2026-01-02T11:00:00Z",
            }}}],
        },
    });
    let still = JobFixture::new(spec, json!({})).pod("a", 0, "Failed", disrupted);
    let plan = still.plan();
    let Verb::Create(pod) = &plan.changes[0].verb else {
        panic!("{plan:?}");
    };
    let said = |name: &str| pod["metadata"]["annotations"][name].clone();
    assert_eq!((said(FAILURES), said(IGNORED)), (json!("1"), json!("1")));
}

#[test]
fn during_the_back_off_no_pod_creation_is_reported() {
    let still = JobFixture::new(json!({"parallelism": 2, "completions": 4}), json!({}))
        .pod("a", 0, "Failed", json!({}))
        .pod("b", 0, "Running", json!({}));
    let (_, status) = outcome(&still.plan());
    assert_eq!(status.get("active"), None);
}

#[test]
fn an_adopted_pod_is_tracked() {
    let orphan = json!({"metadata": {"ownerReferences": null, "finalizers": null}});
    for phase in ["Running", "Failed"] {
        let still = JobFixture::new(json!({"parallelism": 1, "completions": 1}), json!({})).pod(
            "a",
            0,
            phase,
            orphan.clone(),
        );
        let plan = still.plan();
        let Verb::Patch { patch, .. } = &plan.changes[0].verb else {
            panic!("{plan:?}");
        };
        assert_eq!(patch["metadata"]["finalizers"], json!([TRACKING]));
    }
}

#[test]
fn an_orphan_that_no_job_adopts_is_not_tracked() {
    let orphan = json!({"metadata": {"ownerReferences": null}});
    let other = json!({"metadata": {"ownerReferences": null, "labels": null}});
    let still = JobFixture::new(json!({"parallelism": 1, "completions": 1}), json!({}))
        .pod("a", 0, "Running", orphan)
        .pod("b", 0, "Failed", other);
    let plan = still.table.plan(&mut Jobs::default(), "");
    let released: Vec<&str> = plan.changes.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(released, ["b"]);
}

#[test]
fn a_finished_job_adopts_nothing() {
    let orphan = json!({"metadata": {"ownerReferences": null, "finalizers": null}});
    let complete = json!({"conditions": [{"type": "Complete", "status": "True"}]});
    let still = JobFixture::new(json!({"parallelism": 1, "completions": 1}), complete)
        .pod("a", 0, "Running", orphan)
        .pod("b", 0, "Running", json!({"metadata": {"labels": null}}));
    assert!(still.plan().changes.is_empty());
}

#[test]
fn a_released_pod_is_not_tracked() {
    let other = json!({"metadata": {"labels": null}});
    let still = JobFixture::new(json!({"parallelism": 1, "completions": 1}), json!({}))
        .pod("a", 0, "Running", other);
    let plan = still.plan();
    let Verb::Patch { patch, .. } = &plan.changes[0].verb else {
        panic!("{plan:?}");
    };
    let metadata = &patch["metadata"];
    assert_eq!(
        metadata["$deleteFromPrimitiveList/finalizers"],
        json!([TRACKING])
    );
}

#[test]
fn pods_of_an_earlier_job_of_the_same_name_are_released() {
    let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "sum", "uid": "uid-old",
        "controller": true}]);
    let old = json!({"metadata": {"ownerReferences": owner}});
    let still = JobFixture::new(json!({"parallelism": 1, "completions": 1}), json!({}))
        .pod("a", 0, "Running", json!({}))
        .pod("b", 0, "Running", old);
    let plan = still.plan();
    let released: Vec<&str> = plan
        .changes
        .iter()
        .filter(|write| write.rule == "count: its Job no longer exists")
        .map(|write| write.name.as_str())
        .collect();
    assert_eq!(released, ["b"]);
}

#[test]
fn pods_that_a_quota_rejects_are_not_active() {
    let world = World::new();
    let quota = json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "1"}}});
    world.create(watched::resource_quotas(), &quota);
    world.settled();
    let spec = json!({"completions": 3, "parallelism": 3});
    world.create(watched::jobs(), &job(spec));
    assert!(matches!(world.settle(), Outcome::Stuck(_)));
    let status = &world.get(watched::jobs(), "sum")["status"];
    assert_eq!(status["active"], 1);
    assert_eq!(world.names(watched::pods()).len(), 1);
}

#[test]
fn deleted_pod_is_replaced_after_the_back_off() {
    let world = World::new();
    world.create(watched::jobs(), &job(json!({})));
    world.settled();
    let made =
        |world: &World| world.list(watched::pods())[0]["metadata"]["creationTimestamp"].clone();
    let first: jiff::Timestamp = made(&world).as_str().unwrap().parse().unwrap();
    world.delete(watched::pods(), &world.names(watched::pods())[0]);
    world.settled();
    let status = &world.get(watched::jobs(), "sum")["status"];
    assert_eq!(
        (&status["failed"], &status["active"]),
        (&json!(1), &json!(1))
    );
    let second: jiff::Timestamp = made(&world).as_str().unwrap().parse().unwrap();
    assert!(
        second.duration_since(first).as_secs() >= BACKOFF_OF_FIRST,
        "{first} {second}"
    );
}

/// The seconds after a Job's first failure.
const BACKOFF_OF_FIRST: i64 = 10;
