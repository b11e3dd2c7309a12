//! Rolls a workload back to an earlier revision.

use super::annotations::REVISION;
use super::history::Revision;
use super::workload as kind_of;
use crate::api::json::{Map, Value, json};

/// The annotations that stay with the Deployment instead of being copied from the ReplicaSet of the revision.
const KEPT_ANNOTATIONS: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

/// The label that distinguishes the ReplicaSets of a Deployment.
const HASH: &str = "pod-template-hash";

/// The result of a rollback.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::rollout::{Rollback, Revision, roll_back, of_replica_sets};
///
/// let template = |image: &str| json!({"spec": {"containers": [{"name": "c", "image": image}]}});
/// let labels = json!({"app": "web"});
/// let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "u"},
///     "spec": {"selector": {"matchLabels": labels}, "template": template("b")}});
/// let set = |number: &str, image: &str| {
///     json!({"metadata": {"labels": labels, "annotations": {"deployment.kubernetes.io/revision": number},
///             "ownerReferences": [{"uid": "u", "controller": true}]},
///         "spec": {"template": template(image)}})
/// };
/// let history: Vec<Revision> = of_replica_sets(&web, &[set("1", "a"), set("2", "b")]);
/// let Rollback::To(before) = roll_back(&web, &history, 1)? else {
///     panic!("revision 1 has another image");
/// };
/// assert_eq!(before["spec"]["template"]["spec"]["containers"][0]["image"], "a");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Rollback {
    /// The workload with the template of the revision.
    To(Box<Value>),
    /// The workload already has the template of the revision.
    Already,
}

/// Returns the stored template of revision `to`, or of the previous revision if `to` is 0; `history` must be sorted.
///
/// # Errors
/// Returns an error if the revision does not exist.
pub fn template_then(workload: &Value, history: &[Revision], to: i64) -> Result<Value, String> {
    let then = find(workload, history, to)?;
    Ok(match is_deployment(workload) {
        true => then.holder["spec"]["template"].clone(),
        false => then.template.clone(),
    })
}

/// Rolls back to revision `to`, or to the previous revision if `to` is 0; `history` must be sorted.
///
/// # Errors
/// Returns an error if the revision does not exist or the Deployment is paused.
pub fn roll_back(workload: &Value, history: &[Revision], to: i64) -> Result<Rollback, String> {
    let then = find(workload, history, to)?;
    let mut template = template_then(workload, history, to)?;
    let is_deployment = is_deployment(workload);
    // The controller of a paused Deployment would not act on the new template.
    if is_deployment && workload["spec"]["paused"] == true {
        return Err(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout \
             resume' and try again"
                .to_owned(),
        );
    }
    let now = &workload["spec"]["template"];
    if is_deployment && let Some(labels) = template["metadata"]["labels"].as_object_mut() {
        // The controller adds this label to the template of each ReplicaSet. In the template of the Deployment, it
        // would keep the two from ever being equal.
        labels.remove(HASH);
    }
    if template == *now {
        return Ok(Rollback::Already);
    }
    let mut object = match is_deployment {
        true => workload.clone(),
        // The patch of the ControllerRevision has already been applied to the whole workload.
        false => then.workload.clone(),
    };
    object["spec"]["template"] = template;
    if is_deployment {
        object["metadata"]["annotations"] = annotations_then(workload, &then.holder);
    }
    Ok(Rollback::To(Box::new(object)))
}

fn is_deployment(workload: &Value) -> bool {
    kind_of(workload) == Some("Deployment")
}

fn find<'h>(workload: &Value, history: &'h [Revision], to: i64) -> Result<&'h Revision, String> {
    let missing = || format!("unable to find specified revision {to} in history");
    if to < 0 {
        return Err(missing());
    }
    let then = match to {
        // The last revision is the current one, so take the one before it.
        0 => history.len().checked_sub(2).and_then(|at| history.get(at)),
        number => history.iter().find(|r| r.number == number),
    };
    then.ok_or_else(|| {
        let name = workload["metadata"]["name"].as_str().unwrap_or_default();
        match (to, is_deployment(workload)) {
            (0, true) => format!("no rollout history found for deployment {name:?}"),
            (0, false) => "no last revision to roll back to".to_owned(),
            _ => missing(),
        }
    })
}

/// Returns the annotations of a Deployment after a rollback to the revision of a ReplicaSet.
pub fn annotations_then(deployment: &Value, set: &Value) -> Value {
    let own = deployment["metadata"]["annotations"].as_object();
    let theirs = set["metadata"]["annotations"].as_object();
    let stays = |key: &str| KEPT_ANNOTATIONS.contains(&key);
    let pick = |from: Option<&Map>, stay: bool| -> Map {
        let all = from.into_iter().flatten();
        all.filter(|(key, _)| stays(key) == stay)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    let mut all = pick(own, true);
    all.extend(pick(theirs, false));
    json!(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::of_replica_sets;

    fn template(image: &str, hash: Option<&str>) -> Value {
        let mut labels = json!({"app": "web"});
        if let Some(hash) = hash {
            labels[HASH] = json!(hash);
        }
        json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": image}]}})
    }

    fn deployment(image: &str) -> Value {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "u",
            "annotations": {REVISION: "2", "team": "a"}},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template(image, None)}})
    }

    fn set(revision: &str, image: &str) -> Value {
        json!({"metadata": {"labels": {"app": "web"}, "annotations": {REVISION: revision, "team": "b"},
            "ownerReferences": [{"uid": "u", "controller": true}]},
            "spec": {"template": template(image, Some("x"))}})
    }

    #[test]
    fn rollback_restores_template_and_annotations_of_the_revision() {
        let now = deployment("b");
        let history = of_replica_sets(&now, &[set("1", "a"), set("2", "b")]);
        let Rollback::To(object) = roll_back(&now, &history, 0).unwrap() else {
            panic!("nothing to do");
        };
        assert_eq!(object["spec"]["template"], template("a", None));
        let kept = template_then(&now, &history, 0).unwrap();
        assert_eq!(kept, template("a", Some("x")));
        assert_eq!(
            object["metadata"]["annotations"],
            json!({REVISION: "2", "team": "b"})
        );
        assert_eq!(roll_back(&now, &history, 2).unwrap(), Rollback::Already);
    }

    #[test]
    fn rollback_without_a_matching_revision_fails() {
        let mut now = deployment("a");
        let history = of_replica_sets(&now, &[set("1", "a")]);
        let said = |to| roll_back(&now, &history, to).unwrap_err();
        assert_eq!(said(0), "no rollout history found for deployment \"web\"");
        assert_eq!(said(7), "unable to find specified revision 7 in history");
        now["spec"]["paused"] = json!(true);
        assert!(
            roll_back(&now, &history, 1)
                .unwrap_err()
                .contains("paused deployment")
        );
    }
}
