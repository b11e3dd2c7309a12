//! The table cells of a Pod. They follow `printPod` of kube-apiserver, which computes the STATUS column itself.

use jiff::Timestamp;

use crate::api::json::{Value, json};
use crate::columns::format::{NONE, age, or, parse, since};
use crate::columns::name;
use crate::tree::{at, field, flag, has, int, len, list, text};

pub(crate) fn row(pod: &Value, now: Timestamp) -> Vec<Value> {
    let (spec, status) = (field(pod, "spec"), field(pod, "status"));
    let summary = Summary::from_pod(pod);
    let ip = list(status, "podIPs")
        .first()
        .map_or("", |ip| text(ip, "ip"));
    vec![
        name(pod),
        json!(format!("{}/{}", summary.ready, summary.total)),
        json!(summary.reason),
        json!(summary.restarts(now)),
        json!(age(pod, now)),
        or(ip, NONE),
        or(text(spec, "nodeName"), NONE),
        or(text(status, "nominatedNodeName"), NONE),
        json!(readiness_gates(spec, status)),
    ]
}

fn readiness_gates(spec: &Value, status: &Value) -> String {
    let gates = list(spec, "readinessGates");
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let met = gates
        .iter()
        .filter(|gate| is_true(status, text(gate, "conditionType")));
    format!("{}/{}", met.count(), gates.len())
}

fn is_true(status: &Value, condition: &str) -> bool {
    list(status, "conditions")
        .iter()
        .any(|c| text(c, "type") == condition && text(c, "status") == "True")
}

/// The summary of a Pod's containers.
struct Summary {
    ready: usize,
    total: usize,
    reason: String,
    restarts: i64,
    last_restart: Option<Timestamp>,
}

impl Summary {
    fn from_pod(pod: &Value) -> Self {
        let (spec, status) = (field(pod, "spec"), field(pod, "status"));
        let gated = list(status, "conditions")
            .iter()
            .any(|c| text(c, "type") == "PodScheduled" && text(c, "reason") == "SchedulingGated");
        let reason = match (text(status, "reason"), gated) {
            (_, true) => "SchedulingGated",
            ("", _) => text(status, "phase"),
            (reason, _) => reason,
        };
        let sidecars = list(spec, "initContainers")
            .iter()
            .filter(|c| is_sidecar(c));
        let mut summary = Self {
            ready: 0,
            // Sidecars count in the READY column, because they run next to the other containers.
            total: len(spec, "containers") + sidecars.count(),
            reason: reason.to_owned(),
            restarts: 0,
            last_restart: None,
        };
        let initializing = summary.initialize(spec, status);
        if !initializing || is_true(status, "Initialized") {
            summary.count_sidecar_restarts(spec, status);
            summary.run(status);
        }
        summary.end(pod);
        summary
    }

    /// Reads the init containers and returns true if the Pod is still initializing.
    fn initialize(&mut self, spec: &Value, status: &Value) -> bool {
        for (index, container) in list(status, "initContainerStatuses").iter().enumerate() {
            self.count_restarts(container);
            let state = field(container, "state");
            let (ended, waiting) = (field(state, "terminated"), field(state, "waiting"));
            // A completed init container does not affect the reason.
            if !ended.is_null() && int(ended, "exitCode") == 0 {
                continue;
            }
            if sidecar_of(spec, container) && flag(container, "started") {
                self.ready += usize::from(flag(container, "ready"));
                continue;
            }
            self.reason = match text(waiting, "reason") {
                _ if !ended.is_null() => format!("Init:{}", end_reason(ended)),
                // Show the progress by position, because the kubelet sets this reason for all waiting containers.
                "" | "PodInitializing" => {
                    format!("Init:{index}/{}", len(spec, "initContainers"))
                }
                reason => format!("Init:{reason}"),
            };
            return true;
        }
        false
    }

    fn count_restarts(&mut self, container: &Value) {
        self.restarts += int(container, "restartCount");
        let ended = parse(at(container, &["lastState", "terminated", "finishedAt"]));
        self.last_restart = self.last_restart.max(ended);
    }

    /// Counts restarts again without init containers that have terminated, which do not matter once the Pod runs.
    fn count_sidecar_restarts(&mut self, spec: &Value, status: &Value) {
        (self.restarts, self.last_restart) = (0, None);
        for container in list(status, "initContainerStatuses") {
            if sidecar_of(spec, container) {
                self.count_restarts(container);
            }
        }
    }

    fn run(&mut self, status: &Value) {
        let mut running = false;
        // In reverse order, so that the first container with a reason determines the result.
        for container in list(status, "containerStatuses").iter().rev() {
            self.count_restarts(container);
            let state = field(container, "state");
            let ended = field(state, "terminated");
            let waiting = text(field(state, "waiting"), "reason");
            if !waiting.is_empty() {
                self.reason = waiting.to_owned();
            } else if !ended.is_null() {
                self.reason = end_reason(ended);
            } else if flag(container, "ready") && has(state, "running") {
                running = true;
                self.ready += 1;
            }
        }
        // One container has completed but others run, so the Pod has not completed.
        if self.reason == "Completed" && running {
            let ready = is_true(status, "Ready");
            self.reason = if ready { "Running" } else { "NotReady" }.to_owned();
        }
    }

    fn end(&mut self, pod: &Value) {
        if !has(field(pod, "metadata"), "deletionTimestamp") {
            return;
        }
        let status = field(pod, "status");
        let over = matches!(text(status, "phase"), "Failed" | "Succeeded");
        // The node controller sets this reason for a Pod on an unresponsive node, whose state is unknown.
        if text(status, "reason") == "NodeLost" {
            self.reason = "Unknown".to_owned();
        } else if !over {
            self.reason = "Terminating".to_owned();
        }
    }

    fn restarts(&self, now: Timestamp) -> String {
        match self.last_restart.filter(|_| self.restarts != 0) {
            Some(last) => format!(
                "{} ({} ago)",
                self.restarts,
                since(&json!(last.to_string()), now)
            ),
            None => self.restarts.to_string(),
        }
    }
}

pub(super) fn is_sidecar(container: &Value) -> bool {
    text(container, "restartPolicy") == "Always"
}

fn sidecar_of(spec: &Value, status: &Value) -> bool {
    list(spec, "initContainers")
        .iter()
        .any(|c| text(c, "name") == text(status, "name") && is_sidecar(c))
}

fn end_reason(ended: &Value) -> String {
    match (text(ended, "reason"), int(ended, "signal")) {
        ("", 0) => format!("ExitCode:{}", int(ended, "exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}
