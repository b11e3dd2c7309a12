//! Computes the progress of a rollout.

use super::annotations::REVISION;
use super::{qualified_kind, workload};
use crate::api::go::quoted;
use crate::api::json::Value;

/// The progress of a rollout.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::rollout::{Progress, progress};
///
/// let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "generation": 2},
///     "spec": {"replicas": 3}, "status": {"observedGeneration": 2, "updatedReplicas": 1, "replicas": 3}});
/// let Progress { text, done } = progress(&web, 0)?;
/// assert!(!done && text.contains("1 out of 3 new replicas"), "{text}");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// One line of text.
    pub text: String,
    /// True if the rollout is complete.
    pub done: bool,
}

fn waiting(text: String) -> Result<Progress, String> {
    Ok(Progress { text, done: false })
}

fn over(text: String) -> Result<Progress, String> {
    Ok(Progress { text, done: true })
}

/// Returns the progress of a workload's rollout; `revision` is the expected revision, or 0 for any.
///
/// # Errors
/// Returns kubectl's error if there is no progress to report, or if the rollout cannot succeed.
pub fn progress(object: &Value, revision: i64) -> Result<Progress, String> {
    match workload(object) {
        Some("Deployment") => deployment(object, revision),
        Some("DaemonSet") => daemon_set(object),
        Some(_) => stateful_set(object),
        None => {
            let kind = qualified_kind(object);
            Err(format!("no status viewer has been implemented for {kind}"))
        }
    }
}

/// Returns an estimate of the updated and ready replicas of a workload, and the desired number.
pub fn replicas(object: &Value) -> (usize, usize) {
    let (ready, wanted) = match workload(object) {
        Some("DaemonSet") => (
            number(object, "numberAvailable"),
            number(object, "desiredNumberScheduled"),
        ),
        Some("Deployment") => (number(object, "availableReplicas"), desired(object)),
        _ => (number(object, "readyReplicas"), desired(object)),
    };
    let updated = match workload(object) {
        Some("DaemonSet") => number(object, "updatedNumberScheduled"),
        _ => number(object, "updatedReplicas"),
    };
    let plain = |n: i64| usize::try_from(n).unwrap_or(0);
    // The status does not say how many of the updated Pods are ready. The smaller of the two numbers is the best
    // estimate.
    (plain(ready.min(updated).min(wanted)), plain(wanted))
}

fn desired(object: &Value) -> i64 {
    object["spec"]["replicas"].as_i64().unwrap_or(1)
}

fn number(object: &Value, field: &str) -> i64 {
    object["status"][field].as_i64().unwrap_or(0)
}

fn name(object: &Value) -> String {
    quoted(object["metadata"]["name"].as_str().unwrap_or_default())
}

fn generation(object: &Value) -> i64 {
    object["metadata"]["generation"].as_i64().unwrap_or(0)
}

fn is_observed(object: &Value) -> bool {
    generation(object) <= number(object, "observedGeneration")
}

fn deployment(object: &Value, revision: i64) -> Result<Progress, String> {
    if revision > 0 {
        let text = object["metadata"]["annotations"][REVISION].as_str();
        let running: i64 = text.and_then(|t| t.parse().ok()).unwrap_or(0);
        if running != revision {
            return Err(format!(
                "desired revision ({revision}) is different from the running revision ({running})"
            ));
        }
    }
    // Until the controller has seen the current spec, its status describes the previous one.
    if !is_observed(object) {
        return waiting("Waiting for deployment spec update to be observed...".to_owned());
    }
    let conditions = object["status"]["conditions"].as_array();
    let late = |c: &Value| c["type"] == "Progressing" && c["reason"] == "ProgressDeadlineExceeded";
    let name = name(object);
    // Check the deadline before the counts: a rollout that is stuck may show any of them.
    if conditions.is_some_and(|c| c.iter().any(late)) {
        return Err(format!("deployment {name} exceeded its progress deadline"));
    }
    let head = format!("Waiting for deployment {name} rollout to finish: ");
    let (replicas, updated) = (
        number(object, "replicas"),
        number(object, "updatedReplicas"),
    );
    let available = number(object, "availableReplicas");
    if let Some(wanted) = object["spec"]["replicas"].as_i64().filter(|w| updated < *w) {
        return waiting(format!(
            "{head}{updated} out of {wanted} new replicas have been updated..."
        ));
    }
    if replicas > updated {
        let old = replicas - updated;
        return waiting(format!(
            "{head}{old} old replicas are pending termination..."
        ));
    }
    // All old Pods are gone by now, so every available Pod is new.
    if available < updated {
        return waiting(format!(
            "{head}{available} of {updated} updated replicas are available..."
        ));
    }
    over(format!("deployment {name} successfully rolled out"))
}

fn check_rolling(object: &Value) -> Result<(), String> {
    match object["spec"]["updateStrategy"]["type"].as_str() {
        Some("RollingUpdate") => Ok(()),
        _ => Err("rollout status is only available for RollingUpdate strategy type".to_owned()),
    }
}

fn daemon_set(object: &Value) -> Result<Progress, String> {
    check_rolling(object)?;
    if !is_observed(object) {
        return waiting("Waiting for daemon set spec update to be observed...".to_owned());
    }
    let name = name(object);
    let head = format!("Waiting for daemon set {name} rollout to finish: ");
    let wanted = number(object, "desiredNumberScheduled");
    let updated = number(object, "updatedNumberScheduled");
    let available = number(object, "numberAvailable");
    if updated < wanted {
        return waiting(format!(
            "{head}{updated} out of {wanted} new pods have been updated..."
        ));
    }
    if available < wanted {
        return waiting(format!(
            "{head}{available} of {wanted} updated pods are available..."
        ));
    }
    over(format!("daemon set {name} successfully rolled out"))
}

fn stateful_set(object: &Value) -> Result<Progress, String> {
    check_rolling(object)?;
    // kubectl also waits at zero, which means that the controller has not written a status yet.
    if number(object, "observedGeneration") == 0 || !is_observed(object) {
        return waiting("Waiting for statefulset spec update to be observed...".to_owned());
    }
    let wanted = object["spec"]["replicas"].as_i64();
    let (ready, updated) = (
        number(object, "readyReplicas"),
        number(object, "updatedReplicas"),
    );
    if let Some(wanted) = wanted.filter(|w| ready < *w) {
        return waiting(format!(
            "Waiting for {} pods to be ready...",
            wanted - ready
        ));
    }
    let rolling = &object["spec"]["updateStrategy"]["rollingUpdate"];
    // Defaults always set the parameters of the strategy, so kubectl treats every rolling update as partitioned.
    if !rolling.is_null() {
        if let (Some(wanted), Some(partition)) = (wanted, rolling["partition"].as_i64())
            && updated < wanted - partition
        {
            return waiting(format!(
                "Waiting for partitioned roll out to finish: {updated} out of {} new pods have been updated...",
                wanted - partition
            ));
        }
        return over(format!(
            "partitioned roll out complete: {updated} new pods have been updated..."
        ));
    }
    let revision = |field: &str| object["status"][field].as_str().unwrap_or_default();
    let (new, current) = (revision("updateRevision"), revision("currentRevision"));
    if new != current {
        return waiting(format!(
            "waiting for statefulset rolling update to complete {updated} pods at revision {new}..."
        ));
    }
    let replicas = number(object, "currentReplicas");
    over(format!(
        "statefulset rolling update complete {replicas} pods at revision {current}..."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn told(mut object: Value, kind: &str, generation: i64, status: Value) -> String {
        object["apiVersion"] = json!("apps/v1");
        object["kind"] = json!(kind);
        object["metadata"] = json!({"name": "web", "generation": generation,
            "annotations": {REVISION: "3"}});
        object["status"] = status;
        match progress(&object, 0) {
            Ok(p) if p.done => format!("done: {}", p.text),
            Ok(p) => p.text,
            Err(e) => format!("error: {e}"),
        }
    }

    #[test]
    fn deployment_rollout_ends_when_updated_replicas_are_available() {
        let spec = || json!({"spec": {"replicas": 10}});
        for (generation, status, text) in [
            (
                2,
                json!({"observedGeneration": 1}),
                "Waiting for deployment spec update to be observed...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "replicas": 13, "updatedReplicas": 5}),
                "Waiting for deployment \"web\" rollout to finish: 5 out of 10 new replicas have been updated...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "replicas": 12, "updatedReplicas": 10}),
                "Waiting for deployment \"web\" rollout to finish: 2 old replicas are pending termination...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "replicas": 10, "updatedReplicas": 10, "availableReplicas": 9}),
                "Waiting for deployment \"web\" rollout to finish: 9 of 10 updated replicas are available...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "replicas": 10, "updatedReplicas": 10, "availableReplicas": 10}),
                "done: deployment \"web\" successfully rolled out",
            ),
            (
                1,
                json!({"observedGeneration": 1, "conditions": [
                {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}),
                "error: deployment \"web\" exceeded its progress deadline",
            ),
        ] {
            assert_eq!(told(spec(), "Deployment", generation, status), text);
        }
        let object = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"annotations": {REVISION: "3"}}});
        assert_eq!(
            progress(&object, 2).unwrap_err(),
            "desired revision (2) is different from the running revision (3)"
        );
    }

    #[test]
    fn rollout_progress_counts_updated_and_available_replicas() {
        let object = |kind: &str, status: Value| json!({"apiVersion": "apps/v1", "kind": kind, "spec": {"replicas": 3}, "status": status});
        for (kind, status, far) in [
            (
                "Deployment",
                json!({"updatedReplicas": 1, "availableReplicas": 4}),
                (1, 3),
            ),
            (
                "Deployment",
                json!({"updatedReplicas": 3, "availableReplicas": 2}),
                (2, 3),
            ),
            (
                "StatefulSet",
                json!({"updatedReplicas": 3, "readyReplicas": 3}),
                (3, 3),
            ),
            (
                "DaemonSet",
                json!({"updatedNumberScheduled": 2, "numberAvailable": 5,
                "desiredNumberScheduled": 5}),
                (2, 5),
            ),
            ("Deployment", json!({}), (0, 3)),
        ] {
            assert_eq!(replicas(&object(kind, status)), far, "{kind}");
        }
    }

    #[test]
    fn stateful_sets_and_daemon_sets_report_progress() {
        let rolling = |partition: i64| {
            json!({"spec": {"replicas": 3, "updateStrategy":
            {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}}})
        };
        for (partition, status, text) in [
            (
                0,
                json!({}),
                "Waiting for statefulset spec update to be observed...",
            ),
            (
                0,
                json!({"observedGeneration": 1, "readyReplicas": 1}),
                "Waiting for 2 pods to be ready...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "readyReplicas": 3, "updatedReplicas": 1}),
                "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...",
            ),
            (
                1,
                json!({"observedGeneration": 1, "readyReplicas": 3, "updatedReplicas": 2}),
                "done: partitioned roll out complete: 2 new pods have been updated...",
            ),
        ] {
            assert_eq!(told(rolling(partition), "StatefulSet", 1, status), text);
        }
        let status = json!({"observedGeneration": 1, "desiredNumberScheduled": 3,
            "updatedNumberScheduled": 3, "numberAvailable": 2});
        assert_eq!(
            told(rolling(0), "DaemonSet", 1, status),
            "Waiting for daemon set \"web\" rollout to finish: 2 of 3 updated pods are available..."
        );
        let manual = json!({"spec": {"updateStrategy": {"type": "OnDelete"}}});
        assert_eq!(
            told(manual, "DaemonSet", 1, json!({})),
            "error: rollout status is only available for RollingUpdate strategy type"
        );
    }
}
