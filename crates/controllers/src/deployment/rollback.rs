//! Rollback to an earlier template by annotation, as old clients request it.

use super::rollout::{HASH, ROLLBACK, Rollout, same_template};
use crate::api::json::Value;
use crate::kinds::rollout::annotations_then;
use crate::kinds::tree;
use crate::runtime::{EventNote, Object, PlannedWrite};
use crate::views;

/// Returns the requested revision; 0 is the previous one.
pub(super) fn target_revision(deployment: &Object) -> Option<i64> {
    deployment.annotation(ROLLBACK)?.parse().ok()
}

impl Rollout<'_> {
    /// Copies the template of the requested revision and removes the annotation.
    pub(super) fn roll_back(&mut self) {
        self.find_new_set(true);
        let asked = target_revision(self.deployment).unwrap_or(0);
        let mut value = self.deployment.to_value();
        if let Some(annotations) = value["metadata"]["annotations"].as_object_mut() {
            // The annotation is removed even if the revision does not exist: upstream gives up rather than retries.
            annotations.remove(ROLLBACK);
        }
        let wanted = if asked == 0 { self.previous() } else { asked };
        // Sets without a revision annotation read as revision 0 and cannot be named.
        let found = self.all().find(|s| s.revision() == wanted && wanted > 0);
        let found = found.and_then(|set| set.object.as_ref());
        let template = found.map(|set| (set, views::workload(set).template().clone()));
        let warn = |reason, text: String| EventNote::warning(self.deployment, reason, text);
        let note = match template {
            None if asked == 0 => warn(
                "DeploymentRollbackRevisionNotFound",
                "Unable to find last revision.".to_owned(),
            ),
            None => warn(
                "DeploymentRollbackRevisionNotFound",
                "Unable to find the revision to rollback to.".to_owned(),
            ),
            Some((_, template)) if same_template(&template, &value["spec"]["template"]) => warn(
                "DeploymentRollbackTemplateUnchanged",
                format!(
                    "The rollback revision contains the same template as current deployment \"{}\"",
                    self.deployment.name()
                ),
            ),
            Some((set, template)) => {
                value["spec"]["template"] = without_hash(template);
                let annotations = annotations_then(&value, set);
                tree::set(
                    tree::ensure(&mut value, "metadata"),
                    "annotations",
                    annotations,
                );
                let text = format!(
                    "Rolled back deployment \"{}\" to revision {wanted}",
                    self.deployment.name()
                );
                EventNote::normal(self.deployment, "DeploymentRollback", text)
            }
        };
        let rule = format!("rollback: revision {wanted} is requested");
        self.also
            .push(PlannedWrite::update(self.deployment, value, rule).with_event(note));
    }

    /// Returns the second highest revision.
    fn previous(&self) -> i64 {
        let mut revisions: Vec<i64> = self.all().map(super::rollout::Set::revision).collect();
        revisions.sort_unstable();
        revisions.iter().rev().nth(1).copied().unwrap_or(0)
    }
}

fn without_hash(mut template: Value) -> Value {
    if let Some(labels) = template["metadata"]["labels"].as_object_mut() {
        // The hash label belongs to the ReplicaSet; left in the template, it would change the hash.
        labels.remove(HASH);
    }
    template
}
