//! Rollouts for clients: progress, history, rollback.
//!
//! The API has no verbs for these. A client reads the workload and the objects that hold its history, and patches the
//! workload.

mod annotations;
mod history;
mod rollback;
mod status;

pub use annotations::{CHANGE_CAUSE, REVISION};
pub use history::{Revision, of_controller_revisions, of_replica_sets};
pub use rollback::{Rollback, annotations_then, roll_back, template_then};
pub use status::{Progress, progress, replicas};

use crate::api::json::{Value, json};

/// The template annotation that a restart changes.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

/// Returns the kind of an object with its group, as messages show it: `Deployment.apps`, `Pod`.
fn qualified_kind(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    match object["apiVersion"]
        .as_str()
        .and_then(|v| v.split_once('/'))
    {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind.to_owned(),
    }
}

/// Returns the kind of an object if it has rollouts.
fn workload(object: &Value) -> Option<&str> {
    let group = object["apiVersion"].as_str().unwrap_or_default();
    let kind = object["kind"].as_str()?;
    let known = ["Deployment", "DaemonSet", "StatefulSet"].contains(&kind);
    (known && group.starts_with("apps/")).then_some(kind)
}

/// Returns the object paused or resumed.
///
/// # Errors
/// Returns an error if the object is not a Deployment or is already in that state.
pub fn paused(object: &Value, pause: bool) -> Result<Value, String> {
    if workload(object) != Some("Deployment") {
        let what = if pause { "pausing" } else { "resuming" };
        return Err(format!("{what} is not supported"));
    }
    let is_paused = object["spec"]["paused"] == true;
    match (is_paused, pause) {
        (true, true) => return Err("is already paused".to_owned()),
        (false, false) => return Err("is not paused".to_owned()),
        _ => {}
    }
    let mut object = object.clone();
    object["spec"]["paused"] = json!(pause);
    Ok(object)
}

/// Returns the object with a changed template, which makes the controller replace all Pods. A second restart within
/// the same second changes nothing.
///
/// # Errors
/// Returns an error if the kind has no rollouts or the Deployment is paused.
pub fn restarted(object: &Value, now: &str) -> Result<Value, String> {
    if workload(object).is_none() {
        return Err("restarting is not supported".to_owned());
    }
    // The controller would not replace the Pods of a paused Deployment.
    if workload(object) == Some("Deployment") && object["spec"]["paused"] == true {
        return Err("can't restart paused deployment (run rollout resume first)".to_owned());
    }
    let mut object = object.clone();
    let template = &mut object["spec"]["template"];
    if template["metadata"]["annotations"].is_null() {
        template["metadata"]["annotations"] = json!({});
    }
    template["metadata"]["annotations"][RESTARTED] = json!(now);
    Ok(object)
}

/// Returns the time of the last restart, if there was one.
pub fn restarted_at(object: &Value) -> Option<&str> {
    object["spec"]["template"]["metadata"]["annotations"][RESTARTED].as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deployment(paused: bool) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"paused": paused,
            "template": {"metadata": {"labels": {"a": "b"}}}}})
    }

    #[test]
    fn only_an_unpaused_deployment_can_be_paused() {
        assert_eq!(
            paused(&deployment(false), true).unwrap()["spec"]["paused"],
            true
        );
        assert_eq!(
            paused(&deployment(true), false).unwrap()["spec"]["paused"],
            false
        );
        assert_eq!(
            paused(&deployment(true), true).unwrap_err(),
            "is already paused"
        );
        assert_eq!(
            paused(&deployment(false), false).unwrap_err(),
            "is not paused"
        );
        let pod = json!({"apiVersion": "v1", "kind": "Pod"});
        assert_eq!(paused(&pod, true).unwrap_err(), "pausing is not supported");
        assert_eq!(
            restarted(&pod, "now").unwrap_err(),
            "restarting is not supported"
        );
    }

    #[test]
    fn restart_annotates_the_pod_template() {
        let once = restarted(&deployment(false), "2026-01-02T03:04:05Z").unwrap();
        let template = &once["spec"]["template"]["metadata"];
        assert_eq!(template["annotations"][RESTARTED], "2026-01-02T03:04:05Z");
        assert_eq!(restarted_at(&once), Some("2026-01-02T03:04:05Z"));
        assert_eq!(template["labels"]["a"], "b");
        assert_eq!(restarted(&once, "2026-01-02T03:04:05Z").unwrap(), once);
        assert!(
            restarted(&deployment(true), "t")
                .unwrap_err()
                .contains("paused")
        );
    }
}
