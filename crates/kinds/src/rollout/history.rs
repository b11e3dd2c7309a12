//! The rollout history: ReplicaSets of a Deployment, ControllerRevisions of other workloads.

use super::annotations::{CHANGE_CAUSE, REVISION};
use crate::api::json::{Value, json};
use crate::api::patch::{merge, strategic};
use crate::api::selector::LabelSelector;
use crate::schema::patch_shape;

/// A revision of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Revision {
    /// The number; the highest belongs to the current revision.
    pub number: i64,
    /// The change cause, if it was recorded.
    pub cause: Option<String>,
    /// The Pod template.
    pub template: Value,
    /// The object that stores the revision.
    pub holder: Value,
    /// The workload at this revision. For a Deployment it is the current workload, because ReplicaSets store only a
    /// template.
    pub workload: Value,
}

impl Revision {
    /// Returns the object that kubectl shows for the revision: the ReplicaSet of a Deployment, or the workload as
    /// restored from its ControllerRevision.
    pub fn shown(&self) -> &Value {
        match self.holder["data"].is_null() {
            true => &self.holder,
            false => &self.workload,
        }
    }
}

fn annotation(object: &Value, name: &str) -> Option<String> {
    let text = object["metadata"]["annotations"][name].as_str();
    text.filter(|t| !t.is_empty()).map(str::to_owned)
}

fn is_controlled(holder: &Value, workload: &Value) -> bool {
    let owners = holder["metadata"]["ownerReferences"].as_array();
    let ours = |o: &Value| o["controller"] == true && o["uid"] == workload["metadata"]["uid"];
    let selector = LabelSelector::from_object(workload["spec"].get("selector"));
    let selected = selector.is_ok_and(|s| s.matches_object(holder));
    // Compare uids: objects of a deleted workload with the same name may still exist.
    selected && owners.is_some_and(|o| o.iter().any(ours))
}

fn sorted(mut history: Vec<Revision>) -> Vec<Revision> {
    history.sort_by_key(|r| r.number);
    history
}

/// Returns the history of a Deployment, oldest first, from the ReplicaSets of its namespace.
pub fn of_replica_sets(deployment: &Value, sets: &[Value]) -> Vec<Revision> {
    let held = sets.iter().filter(|set| is_controlled(set, deployment));
    let history = held.filter_map(|set| {
        let number = annotation(set, REVISION)?.parse().ok()?;
        let mut template = set["spec"]["template"].clone();
        // The controller has not numbered this ReplicaSet yet.
        if number == 0 {
            return None;
        }
        let cause = annotation(set, CHANGE_CAUSE);
        // kubectl adds the cause to the annotations of the template, where `rollout history --revision` prints it.
        if let Some(cause) = &cause {
            if !template["metadata"]["annotations"].is_object() {
                template["metadata"]["annotations"] = json!({});
            }
            template["metadata"]["annotations"][CHANGE_CAUSE] = json!(cause);
        }
        Some(Revision {
            number,
            cause,
            template,
            holder: set.clone(),
            workload: deployment.clone(),
        })
    });
    sorted(history.collect())
}

/// Returns the history of a DaemonSet or StatefulSet, oldest first, from the ControllerRevisions of its namespace.
pub fn of_controller_revisions(workload: &Value, revisions: &[Value]) -> Vec<Revision> {
    let held = revisions.iter().filter(|r| is_controlled(r, workload));
    let history = held.map(|holder| {
        let then = applied(workload, &holder["data"]);
        Revision {
            number: holder["revision"].as_i64().unwrap_or(0),
            cause: annotation(holder, CHANGE_CAUSE),
            template: then["spec"]["template"].clone(),
            holder: holder.clone(),
            workload: then,
        }
    });
    sorted(history.collect())
}

/// Returns a workload with the patch of a revision applied.
fn applied(workload: &Value, patch: &Value) -> Value {
    let kind = workload["kind"].as_str().unwrap_or_default();
    let shape = crate::find("apps", "v1", kind).and_then(patch_shape);
    if let Some(shape) = shape
        // The data of a revision is a strategic merge patch with `$patch: replace` on the template. A plain merge
        // patch would store that as a field.
        && let Ok(then) = strategic::apply(workload.clone(), patch, &shape)
    {
        return then;
    }
    let mut then = workload.clone();
    merge::apply(&mut then, patch);
    then
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, owner: &str, revision: &str, cause: &str) -> Value {
        json!({"metadata": {"name": name, "labels": {"app": "web"},
            "annotations": {REVISION: revision, CHANGE_CAUSE: cause},
            "ownerReferences": [{"uid": owner, "controller": true}]},
            "spec": {"template": {"spec": {"containers": [{"image": name}]}}}})
    }

    #[test]
    fn a_deployments_own_replica_sets_are_its_history() {
        let deployment = json!({"metadata": {"uid": "u"}, "spec": {"selector": {"matchLabels": {"app": "web"}}}});
        let sets = [
            set("b", "u", "2", "why"),
            set("a", "u", "1", ""),
            set("x", "other", "3", ""),
        ];
        let history = of_replica_sets(&deployment, &sets);
        let seen: Vec<_> = history
            .iter()
            .map(|r| (r.number, r.cause.as_deref()))
            .collect();
        assert_eq!(seen, [(1, None), (2, Some("why"))]);
        assert_eq!(
            history[1].template["metadata"]["annotations"][CHANGE_CAUSE],
            "why"
        );
    }

    #[test]
    fn a_revision_replaces_the_template_as_a_whole() {
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"uid": "u"},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
                "template": {"spec": {"containers": [{"name": "new", "image": "b"}]}}}});
        let held = json!({"revision": 1, "metadata": {"labels": {"app": "web"},
            "ownerReferences": [{"uid": "u", "controller": true}]},
            "data": {"spec": {"template": {"$patch": "replace",
                "spec": {"containers": [{"name": "old", "image": "a"}]}}}}});
        let history = of_controller_revisions(&set, &[held]);
        assert_eq!(
            history[0].template,
            json!({"spec": {"containers": [{"name": "old", "image": "a"}]}})
        );
        assert_eq!(history[0].workload["spec"]["replicas"], 3);
    }
}
