//! Migrates objects from client-side to server-side apply: the client-side manager hands its fields to the applier,
//! which could otherwise never remove them.

use super::Apply;
use crate::api::json::{Value, json};
use crate::api::patch::fieldset::PathElement;
use crate::api::patch::managed::{ManagedFields, Operation};
use crate::cli::error::CliError;
use crate::cli::resource::Info;
use crate::cluster::{ApplyOptions, Cluster, PatchType};
use crate::kinds::last_applied::LAST_APPLIED;

/// The manager that owns the annotation of client-side apply after a migration.
const KEEPER: &str = "kubectl-last-applied";

/// The number of attempts to hand over the fields while other clients write the object.
const TRIES: usize = 5;

impl Apply<'_> {
    /// Returns the applied object, after migrating the ownership of its fields if necessary.
    pub(super) fn migrated(
        &self,
        cluster: &Cluster,
        info: &Info,
        object: Value,
        options: &ApplyOptions,
    ) -> Result<Value, CliError> {
        let object = match self.annotation_kept(cluster, info, &object, options) {
            Ok(kept) => kept.unwrap_or(object),
            Err(e) => {
                self.context.ui.warn(&format!(
                    "failed to migrate kubectl.kubernetes.io/last-applied-configuration for \
                     Server-Side Apply. This is non-fatal and will be retried next time you apply. \
                     Error: {e}"
                ));
                return Ok(object);
            }
        };
        match self.handed_over(cluster, info, &object, options) {
            Ok(false) => Ok(object),
            Ok(true) => {
                // Only the new owner can remove fields that the configuration no longer names.
                let again = cluster.apply(&info.place(), &info.name, &info.object, options);
                let warned = again.inspect(|again| self.context.ui.warn_of(again));
                warned.map(|again| again.object).or_else(|e| {
                    let e = CliError::from(e);
                    self.context.ui.warn(&format!(
                        "failed to re-apply configuration after performing Server-Side Apply \
                         migration. This is non-fatal and will be retried next time you apply. \
                         Error: {}",
                        e.in_one_line()
                    ));
                    Ok(object)
                })
            }
            Err(e) => {
                self.context.ui.warn(&format!(
                    "server rejected managed fields migration to Server-Side Apply. This is \
                     non-fatal and will be retried next time you apply. Error: {e}"
                ));
                Ok(object)
            }
        }
    }

    /// Gives the annotation of client-side apply a manager of its own.
    fn annotation_kept(
        &self,
        cluster: &Cluster,
        info: &Info,
        object: &Value,
        options: &ApplyOptions,
    ) -> Result<Option<Value>, CliError> {
        let annotation = &object["metadata"]["annotations"][LAST_APPLIED];
        let owners = ManagedFields::of_object(object);
        let kept = !owners.owners_of(&path(), Operation::Apply).is_empty();
        // The API server updates the annotation only for kubectl's default manager; after an apply by another one it
        // would be stale.
        if options.write.manager() != "kubectl" || annotation.is_null() || kept {
            return Ok(None);
        }
        let mut alone = json!({
            "apiVersion": info.kind.api_version(), "kind": info.kind.kind,
            // The patch holds only the annotation, because its manager must own nothing else.
            "metadata": {"name": info.name, "annotations": {LAST_APPLIED: annotation}}});
        if !info.namespace.is_empty() {
            alone["metadata"]["namespace"] = json!(info.namespace);
        }
        let mut options = ApplyOptions {
            force: false,
            ..options.clone()
        };
        KEEPER.clone_into(&mut options.write.field_manager);
        let answer = cluster.apply(&info.place(), &info.name, &alone, &options)?;
        self.context.ui.warn_of(&answer);
        Ok(Some(answer.object))
    }

    /// Hands the fields of the client-side manager to this one. Returns false if that manager owns none.
    fn handed_over(
        &self,
        cluster: &Cluster,
        info: &Info,
        object: &Value,
        options: &ApplyOptions,
    ) -> Result<bool, CliError> {
        let mut object = object.clone();
        for attempt in 1.. {
            let Some(patch) = hand_over(&object, options.write.manager()) else {
                return Ok(false);
            };
            let how = (PatchType::Json, &patch);
            match cluster.patch(&info.place(), &info.name, how, false, &options.write) {
                Ok(answer) => {
                    self.context.ui.warn_of(&answer);
                    return Ok(true);
                }
                Err(e) => {
                    // The patch contains the resourceVersion it was computed from, so a controller's write in between
                    // causes a conflict.
                    let conflict = e.status().is_some_and(|s| s.reason == "Conflict");
                    if !conflict || attempt >= TRIES {
                        return Err(e.into());
                    }
                    object = cluster.get(&info.place(), &info.name)?;
                }
            }
        }
        Ok(false)
    }
}

fn path() -> [PathElement; 3] {
    ["metadata", "annotations", LAST_APPLIED].map(|name| PathElement::Field(name.into()))
}

/// Returns the patch that hands the fields over, or `None` if no manager with Update owns the annotation.
fn hand_over(object: &Value, to: &str) -> Option<Value> {
    let before = ManagedFields::of_object(object);
    let mut froms = before.owners_of(&path(), Operation::Update);
    // Client-side apply may have run under several managers, and all of them own the annotation.
    froms.sort_unstable();
    froms.dedup();
    let mut after = None;
    for from in froms {
        after = after
            .as_ref()
            .unwrap_or(&before)
            .handed_over(from, to)
            .or(after);
    }
    let managed = after?.to_value();
    Some(json!([
        {"op": "replace", "path": "/metadata/managedFields", "value": managed},
        {"op": "replace", "path": "/metadata/resourceVersion",
            "value": object["metadata"]["resourceVersion"]},
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(manager: &str, operation: &str, fields: Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1",
            "time": "2026-11-20T22:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    fn annotated(mut fields: Value) -> Value {
        fields["f:metadata"]["f:annotations"][format!("f:{LAST_APPLIED}")] = json!({});
        fields
    }

    #[test]
    fn client_side_apply_fields_move_to_the_apply_manager() {
        let client = annotated(json!({"f:data": {"f:a": {}}, "f:metadata": {"f:annotations": {}}}));
        let object = json!({"metadata": {"resourceVersion": "7", "managedFields": [
            owned("kubectl", "Apply", json!({"f:data": {"f:b": {}}})),
            owned("kubectl-client-side-apply", "Update", client),
            owned("editor", "Update", json!({"f:data": {"f:c": {}}}))]}});
        let patch = hand_over(&object, "kubectl").unwrap();
        assert_eq!(patch[1]["value"], "7");
        let list = patch[0]["value"].as_array().unwrap();
        let names: Vec<_> = list.iter().map(|e| &e["manager"]).collect();
        assert_eq!(names, ["kubectl", "editor"]);
        let fields = &list[0]["fieldsV1"];
        assert_eq!(fields["f:data"], json!({"f:a": {}, "f:b": {}}));
        assert!(fields["f:metadata"]["f:annotations"].is_object());
    }

    #[test]
    fn client_side_entry_becomes_the_missing_apply_entry() {
        let client = annotated(json!({"f:metadata": {"f:annotations": {}}}));
        let object = json!({"metadata": {"resourceVersion": "7", "managedFields": [
            owned("kubectl-client-side-apply", "Update", client)]}});
        let patch = hand_over(&object, "ci").unwrap();
        let entry = &patch[0]["value"][0];
        assert_eq!(
            (&entry["manager"], &entry["operation"]),
            (&json!("ci"), &json!("Apply"))
        );
    }

    #[test]
    fn no_fields_move_without_a_client_side_entry() {
        let object = json!({"metadata": {"managedFields": [
            owned("kubectl", "Apply", annotated(json!({"f:metadata": {"f:annotations": {}}})))]}});
        assert_eq!(hand_over(&object, "kubectl"), None);
    }
}
