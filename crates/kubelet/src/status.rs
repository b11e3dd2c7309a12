//! Derives the phase and conditions of a Pod from the states of its containers.

use jiff::Timestamp;

use super::container::Container;
use super::outcome::{self, Role};
use crate::api::json::{Value, json};
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::{at, field, int, list, text};

/// The condition that says if a Pod has its sandbox.
pub(super) const SANDBOX: &str = "PodReadyToStartContainers";

/// Returns the phase of a Pod with containers in these states.
pub(super) fn phase(pod: &Value, containers: &[Container<'_>]) -> &'static str {
    let never = text(at(pod, &["spec"]), "restartPolicy") == "Never";
    let of = |role: Role| containers.iter().filter(move |c| c.role == role);
    let failed_init = of(Role::Init).any(|c| {
        let code = c.code().unwrap_or(0);
        code != 0 && !outcome::restarts(pod, c.spec, Role::Init, code)
    });
    // A failed init container is final for the Pod only with `Never`.
    if failed_init && never {
        return "Failed";
    }
    let mains: Vec<_> = of(Role::Main).collect();
    let initializing = of(Role::Init).any(|c| c.code() != Some(0))
        || of(Role::Sidecar).any(|c| !begun(c) || c.is("running") && c.status["started"] != true);
    // An init container that is restarted later does not take a running Pod back to `Pending`.
    if initializing && !mains.iter().any(|c| begun(c)) {
        return "Pending";
    }
    if mains.iter().any(|c| !begun(c)) {
        return "Pending";
    }
    let ended = |c: &&&Container<'_>| over(pod, c);
    if mains.iter().filter(ended).count() < mains.len() {
        return "Running";
    }
    match mains.iter().all(|c| c.code() == Some(0)) {
        true => "Succeeded",
        false => "Failed",
    }
}

/// Returns true if a container has ever run.
fn begun(container: &Container<'_>) -> bool {
    !container.last_end().is_null() || !container.is("waiting")
}

/// Returns true if a container has terminated and will not be restarted.
pub(super) fn over(pod: &Value, container: &Container<'_>) -> bool {
    container
        .code()
        .is_some_and(|code| !outcome::restarts(pod, container.spec, container.role, code))
}

/// Returns the conditions of a Pod in this phase, with or without a sandbox, in the kubelet's order.
///
/// On a node that is not ready, no Pod becomes ready: the node lifecycle controller would revert it at once, and both
/// would repeat this forever. That controller also handles and reports Pods that were ready before.
pub(super) fn conditions(
    pod: &Value,
    node: Option<&Value>,
    phase: &str,
    sandbox: bool,
    containers: &[Container<'_>],
    now: Timestamp,
) -> Vec<Value> {
    let old = list(field(pod, "status"), "conditions");
    let initialized = initialized(phase, containers);
    let containers_ready = containers_ready(phase, containers);
    let ready = match containers_ready.0 {
        // On an unready node, readiness would go back and forth (see above).
        true if is_unready(node) && !says_ready(old) => (false, "", String::new()),
        true => gates(pod, old),
        false => containers_ready.clone(),
    };
    let ended = matches!(phase, "Succeeded" | "Failed");
    let own = [
        (SANDBOX, (sandbox && !ended, "", String::new())),
        ("Initialized", initialized),
        ("Ready", ready),
        ("ContainersReady", containers_ready),
    ];
    let generation = int(field(pod, "metadata"), "generation");
    let known = |c: &&Value| own.iter().any(|(kind, _)| *kind == text(c, "type"));
    let others = old.iter().filter(|c| !known(c)).cloned();
    let (scheduled, mut conditions): (Vec<Value>, Vec<Value>) =
        others.partition(|c| text(c, "type") == "PodScheduled");
    // The conditions of other writers, such as readiness gates, precede the kubelet's own, of which PodScheduled is the
    // last.
    conditions.extend(
        own.iter()
            .map(|(kind, said)| condition(old, kind, said, generation, now)),
    );
    if scheduled.is_empty() {
        let scheduled = (true, "", String::new());
        conditions.push(condition(old, "PodScheduled", &scheduled, generation, now));
    }
    conditions.extend(scheduled);
    conditions
}

/// Adds a condition to those of a Pod, or updates it.
pub(super) fn add(conditions: &mut Vec<Value>, wanted: &Value, generation: i64, now: Timestamp) {
    let said = condition::NewCondition {
        kind: text(wanted, "type"),
        status: text(wanted, "status"),
        reason: text(wanted, "reason"),
        message: text(wanted, "message"),
    };
    if condition::set(conditions, said, now)
        && let Some(own) = conditions.iter_mut().find(|c| text(c, "type") == said.kind)
    {
        own["lastProbeTime"] = Value::Null;
        if generation > 0 {
            own["observedGeneration"] = json!(generation);
        }
    }
}

/// Returns true if a node's status says that it is not ready.
fn is_unready(node: Option<&Value>) -> bool {
    let said = node.map(|node| condition::status(node, "Ready"));
    matches!(said, Some("False" | "Unknown"))
}

fn says_ready(conditions: &[Value]) -> bool {
    let mut ready = conditions.iter().filter(|c| text(c, "type") == "Ready");
    ready.any(|c| text(c, "status") == "True")
}

type Verdict = (bool, &'static str, String);

fn condition(
    old: &[Value],
    kind: &str,
    (holds, reason, message): &Verdict,
    generation: i64,
    now: Timestamp,
) -> Value {
    let status = if *holds { "True" } else { "False" };
    let before = old.iter().find(|c| text(c, "type") == kind);
    let since = before
        // The transition time changes only with the status, not with the reason.
        .filter(|c| text(c, "status") == status)
        .map(|c| field(c, "lastTransitionTime").clone())
        .unwrap_or_else(|| json!(moment::text(now)));
    let mut condition = json!({
        "type": kind, "status": status, "lastProbeTime": null, "lastTransitionTime": since,
    });
    for (name, value) in [("reason", *reason), ("message", message.as_str())] {
        if !value.is_empty() {
            condition[name] = json!(value);
        }
    }
    if generation > 0 {
        condition["observedGeneration"] = json!(generation);
    }
    condition
}

fn initialized(phase: &str, containers: &[Container<'_>]) -> Verdict {
    if phase == "Succeeded" {
        return (true, "PodCompleted", String::new());
    }
    // A sidecar that stops after that, with the Pod or to restart, does not undo the initialization.
    if containers.iter().any(|c| c.role == Role::Main && begun(c)) {
        return (true, "", String::new());
    }
    let init = |c: &&Container<'_>| matches!(c.role, Role::Init | Role::Sidecar);
    // Sidecars that have been up once still count as done.
    let done = |c: &Container<'_>| {
        c.lets_others_begin() || !c.last_end().is_null() && c.role == Role::Sidecar
    };
    let waiting: Vec<&str> = containers
        .iter()
        .filter(init)
        .filter(|c| !done(c))
        .map(|c| text(c.spec, "name"))
        .collect();
    named(waiting, "ContainersNotInitialized", "incomplete")
}

fn containers_ready(phase: &str, containers: &[Container<'_>]) -> Verdict {
    match phase {
        "Succeeded" => return (false, "PodCompleted", String::new()),
        "Failed" => return (false, "PodFailed", String::new()),
        _ => {}
    }
    let counts = |c: &&Container<'_>| matches!(c.role, Role::Main | Role::Sidecar);
    let unready: Vec<&str> = containers
        .iter()
        .filter(counts)
        .filter(|c| c.status["ready"] != true)
        .map(|c| text(c.spec, "name"))
        .collect();
    named(unready, "ContainersNotReady", "unready")
}

fn named(names: Vec<&str>, reason: &'static str, what: &str) -> Verdict {
    match names.is_empty() {
        true => (true, "", String::new()),
        false => {
            let message = format!("containers with {what} status: [{}]", names.join(" "));
            (false, reason, message)
        }
    }
}

fn gates(pod: &Value, conditions: &[Value]) -> Verdict {
    let mut unmet = Vec::new();
    for gate in list(at(pod, &["spec"]), "readinessGates") {
        let kind = text(gate, "conditionType");
        match conditions.iter().find(|c| text(c, "type") == kind) {
            None => unmet.push(format!(
                "corresponding condition of pod readiness gate \"{kind}\" does not exist."
            )),
            Some(c) if text(c, "status") != "True" => unmet.push(format!(
                "the status of pod readiness gate \"{kind}\" is not \"True\", but {}",
                text(c, "status")
            )),
            Some(_) => {}
        }
    }
    match unmet.is_empty() {
        true => (true, "", String::new()),
        false => (false, "ReadinessGatesNotReady", unmet.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a container with this role in this state: `run`, `wait`, `fail` (code 1), `done` (code 0).
    fn container(spec: &Value, role: Role, state: &str) -> Container<'static> {
        let spec: &'static Value = Box::leak(Box::new(spec.clone()));
        let mut c = Container::new(spec, role, &[], "ContainerCreating");
        let now = Timestamp::UNIX_EPOCH;
        match state {
            "run" => {
                c.run("u", crate::cluster::PodMode::Default, now);
                c.status["started"] = json!(true);
                c.status["ready"] = json!(true);
            }
            "fail" => c.end(&json!({"exitCode": 1}), now),
            "done" => c.end(&json!({"exitCode": 0}), now),
            _ => {}
        }
        c
    }

    #[test]
    fn the_phase_follows_the_containers() {
        use Role::{Init, Main, Sidecar};
        type Case = (&'static str, &'static [(Role, &'static str)], &'static str);
        let cases: &[Case] = &[
            ("Always", &[(Main, "wait")], "Pending"),
            ("Always", &[(Main, "run")], "Running"),
            ("Always", &[(Main, "run"), (Main, "wait")], "Pending"),
            ("Always", &[(Main, "fail")], "Running"),
            ("Never", &[(Main, "fail")], "Failed"),
            ("Never", &[(Main, "done")], "Succeeded"),
            ("Never", &[(Main, "done"), (Main, "fail")], "Failed"),
            ("Never", &[(Main, "done"), (Main, "run")], "Running"),
            ("OnFailure", &[(Main, "fail")], "Running"),
            ("OnFailure", &[(Main, "done")], "Succeeded"),
            ("Always", &[(Init, "run"), (Main, "wait")], "Pending"),
            ("Always", &[(Init, "fail"), (Main, "wait")], "Pending"),
            ("Never", &[(Init, "fail"), (Main, "wait")], "Failed"),
            ("Never", &[(Sidecar, "run"), (Main, "done")], "Succeeded"),
            ("Always", &[(Sidecar, "run"), (Main, "run")], "Running"),
        ];
        for (policy, states, want) in cases {
            let pod = json!({"spec": {"restartPolicy": policy}});
            let spec = json!({"name": "c"});
            let all: Vec<_> = states
                .iter()
                .map(|(r, s)| container(&spec, *r, s))
                .collect();
            assert_eq!(phase(&pod, &all), *want, "{policy} {states:?}");
        }
    }

    #[test]
    fn conditions_have_the_kubelets_order_and_texts() {
        let pod = json!({
            "metadata": {"generation": 1},
            "spec": {"readinessGates": [{"conditionType": "a"}]},
            "status": {"conditions": [{"type": "PodScheduled", "status": "True"}]},
        });
        let of = |state, phase| {
            let all = [container(&json!({"name": "c"}), Role::Main, state)];
            conditions(&pod, None, phase, true, &all, Timestamp::UNIX_EPOCH)
        };
        let running = of("run", "Running");
        let types: Vec<_> = running.iter().map(|c| text(c, "type")).collect();
        assert_eq!(
            types,
            [
                "PodReadyToStartContainers",
                "Initialized",
                "Ready",
                "ContainersReady",
                "PodScheduled"
            ]
        );
        let mut gated = pod.clone();
        gated["status"]["conditions"] = json!([
            {"type": "PodScheduled", "status": "True"}, {"type": "a", "status": "True"},
        ]);
        let all = [container(&json!({"name": "c"}), Role::Main, "run")];
        let gated = conditions(&gated, None, "Running", true, &all, Timestamp::UNIX_EPOCH);
        let types: Vec<_> = gated.iter().map(|c| text(c, "type")).collect();
        assert_eq!((types[0], types[5]), ("a", "PodScheduled"));
        assert_eq!(running[2]["reason"], "ReadinessGatesNotReady");
        assert_eq!(running[3]["status"], "True");
        let waiting = of("wait", "Pending");
        assert_eq!(waiting[3]["message"], "containers with unready status: [c]");
        let failed = [
            container(&json!({"name": "s"}), Role::Sidecar, "done"),
            container(&json!({"name": "c"}), Role::Main, "fail"),
        ];
        let failed = conditions(&pod, None, "Failed", true, &failed, Timestamp::UNIX_EPOCH);
        assert_eq!(failed[1]["status"], "True");
        let done = of("done", "Succeeded");
        assert_eq!(done[1]["reason"], "PodCompleted");
        assert_eq!(
            (&done[0]["status"], &done[2]["reason"]),
            (&json!("False"), &json!("PodCompleted"))
        );
    }
}
