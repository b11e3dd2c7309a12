//! The state of one object: a verdict, a word for it, the reason and the next step.
//!
//! Must not know: other objects, or how a state is drawn.

use jiff::Timestamp;

use crate::api::json::Value;
use crate::kinds::tree::{at, field, flag, has, int, list, opt_int, text};
use crate::kinds::{Kind, columns, condition, rollout};

/// The state of an object, ordered from harmless to alarming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// The object has completed, or has nothing to do.
    Ended,
    /// The object is in its desired state.
    #[default]
    Ready,
    /// The object is moving toward its desired state.
    Progressing,
    /// The object is being deleted.
    Terminating,
    /// The object will not reach its desired state without a change.
    Failing,
}

impl State {
    /// All states.
    pub const ALL: [Self; 5] = [
        Self::Ended,
        Self::Ready,
        Self::Progressing,
        Self::Terminating,
        Self::Failing,
    ];

    /// Returns a symbol, so that no view depends on colors.
    pub const fn symbol(self) -> char {
        match self {
            Self::Ended => '·',
            Self::Ready => '✓',
            Self::Progressing => '~',
            Self::Terminating => '-',
            Self::Failing => '✗',
        }
    }

    /// Returns the name of the state, in lower case.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Ready => "ready",
            Self::Progressing => "progressing",
            Self::Terminating => "terminating",
            Self::Failing => "failing",
        }
    }
}

/// The state of an object, in detail.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::testing::place;
/// use ctl_scene::{State, Status};
///
/// let pod = json!({"metadata": {"name": "web"}, "status": {"phase": "Succeeded"}});
/// let status = Status::from_object(place("pods").kind, &pod, "2026-01-02T12:00:00Z".parse()?);
/// assert_eq!(status.state, State::Ended);
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The state.
    pub state: State,
    /// The state in one word, such as `Running`: kubectl's word if it has one.
    pub word: String,
    /// The ready and the desired number of parts, for kinds that have parts.
    pub ready: Option<(i64, i64)>,
    /// The reason if something is wrong, empty otherwise.
    pub reason: String,
    /// The next step that the object waits for; empty if there is none.
    pub next: String,
}

impl Status {
    fn new(state: State, word: &str) -> Self {
        Self {
            state,
            word: word.to_owned(),
            ..Self::default()
        }
    }

    fn ready(mut self, ready: i64, desired: i64) -> Self {
        self.ready = Some((ready, desired));
        self
    }

    fn because(mut self, reason: String) -> Self {
        self.reason = reason;
        self
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = next.into();
        self
    }

    /// Determines the state of an object.
    pub fn from_object(kind: &Kind, object: &Value, now: Timestamp) -> Self {
        let status = match (kind.group, kind.kind) {
            // `pod` handles deletion itself, because kubectl shows a failed Pod as failed even while it is being
            // deleted.
            ("", "Pod") => return pod(kind, object, now),
            ("", "Node") => node(object),
            ("apps", "Deployment") => deployment(object),
            ("apps", "StatefulSet" | "DaemonSet") => rolled(object),
            ("apps", "ReplicaSet") | ("", "ReplicationController") => replica_set(object),
            ("batch", "Job") => job(object),
            ("batch", "CronJob") => cron_job(object),
            _ => by_condition(object),
        };
        match has(field(object, "metadata"), "deletionTimestamp") {
            true => terminating(object, status),
            false => status,
        }
    }
}

/// Returns the state of an object that is being deleted, naming the finalizers that block the deletion.
fn terminating(object: &Value, status: Status) -> Status {
    let finalizers: Vec<&str> = list(field(object, "metadata"), "finalizers")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let next = match finalizers.is_empty() {
        true => String::new(),
        false => format!("waits for finalizers: {}", finalizers.join(", ")),
    };
    Status {
        state: State::Terminating,
        word: "Terminating".to_owned(),
        next,
        ..status
    }
}

/// The words for Pods that are progressing. Any unknown word, such as `CrashLoopBackOff`, is a failure.
const POD_PROGRESS: &[&str] = &[
    "Pending",
    "ContainerCreating",
    "PodInitializing",
    "SchedulingGated",
    "NotReady",
];

fn pod(kind: &Kind, pod: &Value, now: Timestamp) -> Status {
    let cells = columns::cells(kind, pod, now);
    let cell = |place: usize| cells.get(place).and_then(Value::as_str).unwrap_or_default();
    let (counts, word) = (cell(1), cell(2));
    let (ready, total) = counts.split_once('/').unwrap_or(("0", "0"));
    let (ready, total) = (ready.parse().unwrap_or(0), total.parse().unwrap_or(0));
    let refused = condition::find(pod, "PodScheduled").filter(|c| text(c, "status") == "False");
    let unschedulable = refused.filter(|c| text(c, "reason") == "Unschedulable");
    let state = match word {
        "Running" if ready == total => State::Ready,
        "Running" => State::Progressing,
        "Completed" | "Succeeded" => State::Ended,
        "Terminating" => State::Terminating,
        _ if unschedulable.is_some() => State::Failing,
        word if POD_PROGRESS.contains(&word) => State::Progressing,
        // `Init:0/2` counts completed init containers; `Init:Error` is a failure.
        word if is_init_count(word) => State::Progressing,
        _ => State::Failing,
    };
    let mut status = Status::new(state, word).ready(ready, total);
    if let Some(refused) = unschedulable {
        status.reason = said(refused);
    } else if state == State::Failing {
        status.reason = container_reason(pod);
    }
    status.next = match state {
        State::Progressing if word == "Running" => "waits for its readiness probes".to_owned(),
        State::Terminating => match text(field(pod, "metadata"), "deletionTimestamp") {
            "" => String::new(),
            time => format!("ends at {time} at the latest"),
        },
        _ => String::new(),
    };
    status
}

fn is_init_count(word: &str) -> bool {
    let count = word
        .strip_prefix("Init:")
        .and_then(|rest| rest.split_once('/'));
    count.is_some_and(|(done, all)| done.parse::<u32>().is_ok() && all.parse::<u32>().is_ok())
}

/// Returns the message of the first container that cannot run, or that of the Pod.
fn container_reason(pod: &Value) -> String {
    let status = field(pod, "status");
    let containers = ["initContainerStatuses", "containerStatuses"];
    let all = containers.iter().flat_map(|name| list(status, name));
    for container in all {
        let ended = [
            at(container, &["state", "waiting"]),
            at(container, &["state", "terminated"]),
        ];
        let wrong = ended
            .into_iter()
            .find(|state| !text(state, "message").is_empty());
        if let Some(wrong) = wrong {
            return format!("container {}: {}", text(container, "name"), said(wrong));
        }
        // A container that waits to be restarted has no message, so its last termination is described.
        let last = at(container, &["lastState", "terminated"]);
        if !last.is_null() {
            let (name, code) = (text(container, "name"), int(last, "exitCode"));
            let restarts = int(container, "restartCount");
            return format!("container {name} exited with code {code}; {restarts} restarts");
        }
    }
    text(status, "message").to_owned()
}

/// Returns `REASON: MESSAGE` of a condition or of a container's state.
fn said(what: &Value) -> String {
    match (text(what, "reason"), text(what, "message")) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

fn node(node: &Value) -> Status {
    // kubectl appends this word for a cordoned node.
    let unschedulable = flag(field(node, "spec"), "unschedulable");
    match condition::find(node, "Ready") {
        Some(ready) if text(ready, "status") == "True" => match unschedulable {
            true => Status::new(State::Ready, "Ready,SchedulingDisabled"),
            false => Status::new(State::Ready, "Ready"),
        },
        Some(ready) => Status::new(State::Failing, "NotReady").because(said(ready)),
        None => Status::new(State::Progressing, "Unknown"),
    }
}

fn desired(object: &Value) -> i64 {
    // `spec.replicas` defaults to 1.
    opt_int(field(object, "spec"), "replicas").unwrap_or(1)
}

fn deployment(object: &Value) -> Status {
    let is_false = |kind: &str, wanted: &str| {
        condition::find(object, kind).filter(|c| text(c, "status") == wanted)
    };
    let ready = int(field(object, "status"), "readyReplicas");
    // A rejected Pod, for example one that exceeds a quota, explains the stalled rollout, so it comes first.
    let status = if let Some(refused) = is_false("ReplicaFailure", "True") {
        Status::new(State::Failing, "ReplicaFailure").because(said(refused))
    } else if let Some(late) = is_false("Progressing", "False") {
        Status::new(State::Failing, "Stalled").because(said(late))
    } else if flag(field(object, "spec"), "paused") {
        Status::new(State::Progressing, "Paused").next("waits for `rollout resume`")
    } else {
        return rolled(object);
    };
    status.ready(ready, desired(object))
}

/// Determines the state of a workload that rolls out from the messages of `rollout status`.
fn rolled(object: &Value) -> Status {
    let (done, wanted) = rollout::replicas(object);
    let status = field(object, "status");
    // kubectl's READY column counts Pods with any template.
    let ready = match has(status, "numberReady") {
        true => int(status, "numberReady"),
        false => int(status, "readyReplicas"),
    };
    let status = match rollout::progress(object, 0) {
        Ok(progress) if progress.done && wanted == 0 => Status::new(State::Ended, "ScaledToZero"),
        Ok(progress) if progress.done => Status::new(State::Ready, "Ready"),
        Ok(progress) => {
            let text = progress.text.trim_end_matches(['.', '\n']);
            // The tree already shows the name of the object.
            let short = text
                .split_once("to finish: ")
                .map_or(text, |(_, rest)| rest);
            Status::new(State::Progressing, "Progressing").next(short)
        }
        // `rollout status` has no message for OnDelete, because such Pods are replaced only after a manual deletion.
        Err(_) if done == wanted => Status::new(State::Ready, "Ready"),
        Err(why) => Status::new(State::Progressing, "Progressing").next(why),
    };
    status.ready(ready, i64::try_from(wanted).unwrap_or(i64::MAX))
}

fn replica_set(object: &Value) -> Status {
    let (wanted, status) = (desired(object), field(object, "status"));
    let (ready, all) = (int(status, "readyReplicas"), int(status, "replicas"));
    let failure = condition::find(object, "ReplicaFailure").filter(|c| text(c, "status") == "True");
    let status = match failure {
        Some(refused) => Status::new(State::Failing, "ReplicaFailure").because(said(refused)),
        None if wanted == 0 && all == 0 => Status::new(State::Ended, "ScaledToZero"),
        None if ready == wanted && all == wanted => Status::new(State::Ready, "Ready"),
        None if all > wanted => {
            let next = format!("{} too many", pods(all - wanted));
            Status::new(State::Progressing, "ScalingDown").next(next)
        }
        None if all < wanted => {
            let next = format!("{} to create", pods(wanted - all));
            Status::new(State::Progressing, "ScalingUp").next(next)
        }
        None => {
            let next = format!("{} not ready", pods(wanted - ready));
            Status::new(State::Progressing, "Progressing").next(next)
        }
    };
    status.ready(ready, wanted)
}

fn pods(number: i64) -> String {
    match number {
        1 => "1 Pod".to_owned(),
        many => format!("{many} Pods"),
    }
}

fn job(object: &Value) -> Status {
    let spec = field(object, "spec");
    let done = int(field(object, "status"), "succeeded");
    // A Job without `completions` is complete once one of its Pods has succeeded.
    let wanted = opt_int(spec, "completions").unwrap_or(1);
    let failed = condition::find(object, "Failed").filter(|c| text(c, "status") == "True");
    let status = match failed {
        Some(failed) => Status::new(State::Failing, "Failed").because(said(failed)),
        None if condition::is_true(object, "Complete") => Status::new(State::Ended, "Complete"),
        None if flag(spec, "suspend") => Status::new(State::Ended, "Suspended"),
        None => {
            let next = format!("{} completions to go", (wanted - done).max(0));
            Status::new(State::Progressing, "Running").next(next)
        }
    };
    status.ready(done, wanted)
}

fn cron_job(object: &Value) -> Status {
    let spec = field(object, "spec");
    match flag(spec, "suspend") {
        true => Status::new(State::Ended, "Suspended"),
        false => {
            let next = format!("runs at {}", text(spec, "schedule"));
            Status::new(State::Ready, "Scheduled").next(next)
        }
    }
}

/// Determines the state of any other kind from its `Ready` condition, as is common for custom resources.
fn by_condition(object: &Value) -> Status {
    match condition::find(object, "Ready") {
        Some(ready) if text(ready, "status") == "True" => Status::new(State::Ready, "Ready"),
        Some(ready) => Status::new(State::Progressing, "NotReady").because(said(ready)),
        None => Status::new(State::Ready, "Exists"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::kinds;
    use crate::testing::now;

    fn judged(group: &str, kind: &str, object: &Value) -> Status {
        let kind = kinds::find(group, "v1", kind).unwrap();
        Status::from_object(kind, object, now())
    }

    fn a_pod(status: &Value) -> Status {
        let spec = json!({"containers": [{"name": "c", "image": "i"}]});
        judged(
            "",
            "Pod",
            &json!({"metadata": {"name": "p"}, "spec": spec, "status": status}),
        )
    }

    #[test]
    fn pod_status_matches_kubectl() {
        let container = |ready: bool, state: Value| {
            json!({"phase": "Running", "containerStatuses": [
                {"name": "c", "ready": ready, "restartCount": 3, "state": state}]})
        };
        let running = a_pod(&container(true, json!({"running": {}})));
        assert_eq!((running.state, &*running.word), (State::Ready, "Running"));
        assert_eq!(running.ready, Some((1, 1)));
        let waiting = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}});
        let crashing = a_pod(&container(false, waiting));
        assert_eq!(crashing.state, State::Failing);
        assert_eq!(
            crashing.reason,
            "container c: CrashLoopBackOff: back-off 10s"
        );
        let none = json!({"phase": "Pending", "conditions": [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/2 nodes"}]});
        let none = a_pod(&none);
        assert_eq!(
            (none.state, &*none.reason),
            (State::Failing, "Unschedulable: 0/2 nodes")
        );
        assert_eq!(
            a_pod(&json!({"phase": "Pending"})).state,
            State::Progressing
        );
        assert_eq!(a_pod(&json!({"phase": "Succeeded"})).state, State::Ended);
    }

    #[test]
    fn replica_sets_show_the_number_of_missing_pods() {
        let set = |wanted: i64, all: i64, ready: i64| {
            let object = json!({"spec": {"replicas": wanted}, "status": {"replicas": all, "readyReplicas": ready}});
            let status = judged("apps", "ReplicaSet", &object);
            (status.state, status.next)
        };
        assert_eq!(set(3, 3, 3), (State::Ready, String::new()));
        assert_eq!(set(0, 0, 0), (State::Ended, String::new()));
        assert_eq!(
            set(3, 1, 1),
            (State::Progressing, "2 Pods to create".to_owned())
        );
        assert_eq!(
            set(1, 3, 3),
            (State::Progressing, "2 Pods too many".to_owned())
        );
        assert_eq!(
            set(3, 3, 1),
            (State::Progressing, "2 Pods not ready".to_owned())
        );
    }

    #[test]
    fn rollout_status_shows_next_step_or_failure_reason() {
        let object = |conditions: Value| {
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "generation": 1},
                "spec": {"replicas": 3},
                "status": {"observedGeneration": 1, "replicas": 4, "updatedReplicas": 2, "conditions": conditions}})
        };
        let under_way = judged("apps", "Deployment", &object(json!([])));
        assert_eq!(under_way.state, State::Progressing);
        assert_eq!(under_way.next, "2 out of 3 new replicas have been updated");
        let late = json!([{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "late"}]);
        let late = judged("apps", "Deployment", &object(late));
        assert_eq!(
            (late.state, &*late.reason),
            (State::Failing, "ProgressDeadlineExceeded: late")
        );
    }

    #[test]
    fn terminating_object_names_its_finalizers() {
        let object = json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"]}});
        let status = judged("batch", "CronJob", &object);
        assert_eq!(status.state, State::Terminating);
        assert_eq!(status.next, "waits for finalizers: a/b");
    }

    #[test]
    fn symbols_and_names_of_states_are_unique() {
        for (place, one) in State::ALL.iter().enumerate() {
            for other in &State::ALL[place + 1..] {
                assert_ne!(one.symbol(), other.symbol());
                assert_ne!(one.word(), other.word());
            }
        }
    }
}
