//! Deletes objects, with options from the body or the query.

use super::query::dry_run_cause;
use super::read::TREE;
use super::{Call, Response};
use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::cluster::{ApiError, DeleteOptions, Propagation, WriteOptions, add_warnings};
use crate::kinds::Kind;
use crate::kinds::tree::{field, opt_int, text, texts};

/// The kinds for which a deletion returns the object, even if it is already gone.
const RETURNED: &[(&str, &str)] = &[
    ("", "PersistentVolume"),
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "PodTemplate"),
    ("", "ResourceQuota"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
];

/// Returns true if a deletion of this kind returns the object.
pub(super) fn returns_object(kind: &Kind) -> bool {
    RETURNED.contains(&(kind.group, kind.kind))
}

impl Call<'_, '_> {
    pub(super) fn delete(&self) -> Result<Response, ApiError> {
        let body = self.options_body()?;
        let options = from_body(&body, self)?;
        let answer = self.cluster.delete(&self.place(), self.name(), &options)?;
        // For compatibility, only the deprecated option for a cascade changes the code.
        let accepted = !answer.gone && field(&body, "orphanDependents").as_bool() == Some(false);
        self.deleted(answer, if accepted { 202 } else { 200 })
    }

    pub(super) fn delete_collection(&self) -> Result<Response, ApiError> {
        let options = self.delete_options()?;
        let place = self.place();
        // As in the API server, selection and deletion are separate transactions, so objects created in between are
        // not deleted. Since the deleted objects are returned, two trees of each exist.
        let selected = self.selected(&place, &self.list_options()?, 2 * TREE + 1)?;
        let names: Vec<(&str, &str)> = selected
            .items
            .iter()
            .map(|item| field(item, "metadata"))
            .map(|meta| (text(meta, "namespace"), text(meta, "name")))
            .collect();
        let wanted = |object: &Value| {
            let meta = field(object, "metadata");
            names.contains(&(text(meta, "namespace"), text(meta, "name")))
        };
        let answers = self.cluster.delete_collection(&place, &wanted, &options)?;
        let (mut items, mut warnings) = (Vec::new(), Vec::new());
        for answer in answers {
            add_warnings(&mut warnings, &answer.warnings);
            items.push(answer.object);
        }
        let list = self.view()?.list(items, json!({}));
        Ok(Response::object(200, list, warnings))
    }

    fn deleted(&self, answer: crate::cluster::Response, code: u16) -> Result<Response, ApiError> {
        let kind = self.target.kind;
        // The response is a `Status` for most kinds, and the object for those whose registry sets
        // `ReturnDeletedObject`.
        if !answer.gone || returns_object(kind) {
            return self.done(code, answer);
        }
        let metadata = field(&answer.object, "metadata");
        let mut details = json!({
            "name": text(metadata, "name"), "kind": kind.plural, "uid": text(metadata, "uid"),
        });
        if !kind.group.is_empty() {
            details["group"] = json!(kind.group);
        }
        let mut response = Response::success(200, Some(details));
        response.warnings = answer.warnings;
        Ok(response)
    }

    fn delete_options(&self) -> Result<DeleteOptions, ApiError> {
        Ok(from_body(&self.options_body()?, self)?)
    }

    /// Returns the options in the body or, without a body, in the query.
    fn options_body(&self) -> Result<Value, ApiError> {
        // As in the API server's handler, the body takes precedence over the query.
        if !self.request.body.is_empty() {
            let sent = self.sent("DeleteOptions")?.object;
            check_kind(&sent)?;
            return Ok(sent);
        }
        let query = &self.query;
        let mut body = json!({});
        if let Some(seconds) = query.number("gracePeriodSeconds")? {
            body["gracePeriodSeconds"] = json!(seconds);
        }
        if let Some(policy) = query.opt("propagationPolicy") {
            body["propagationPolicy"] = json!(policy);
        }
        if query.opt("orphanDependents").is_some() {
            body["orphanDependents"] = json!(query.flag("orphanDependents"));
        }
        let dry_run = query.all("dryRun");
        if !dry_run.is_empty() {
            body["dryRun"] = json!(dry_run);
        }
        Ok(body)
    }

    /// Returns the deletion options of an `Eviction`.
    pub(super) fn eviction_options(&self, eviction: &Value) -> Result<DeleteOptions, Status> {
        let mut options = field(eviction, "deleteOptions").clone();
        // `dryRun` in the query takes precedence, because kubectl sends it there.
        let dry_run = self.query.all("dryRun");
        if !dry_run.is_empty() {
            options["dryRun"] = json!(dry_run);
        }
        from_body(&options, self)
    }
}

fn check_kind(body: &Value) -> Result<(), Status> {
    let (kind, version) = (text(body, "kind"), text(body, "apiVersion"));
    // client-go sends no kind.
    let known = matches!(kind, "" | "DeleteOptions");
    match known {
        true => Ok(()),
        false => Err(Status::bad_request(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \
             \"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\""
        ))),
    }
}

fn from_body(body: &Value, call: &Call<'_, '_>) -> Result<DeleteOptions, Status> {
    let mut causes = Vec::new();
    let policy = text(body, "propagationPolicy");
    let orphan = field(body, "orphanDependents").as_bool();
    let propagation = match policy {
        // `orphanDependents` is deprecated; false means background.
        "" => orphan.map(|orphan| match orphan {
            true => Propagation::Orphan,
            false => Propagation::Background,
        }),
        "Background" => Some(Propagation::Background),
        "Foreground" => Some(Propagation::Foreground),
        "Orphan" => Some(Propagation::Orphan),
        other => {
            let message = format!(
                "Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \
                 \"Orphan\", \"nil\""
            );
            causes.push(cause(CauseReason::NotSupported, message));
            None
        }
    };
    // Reports only this error, because the API server skips the other checks if both are set.
    if orphan.is_some() && !policy.is_empty() {
        causes.clear();
        let message = format!(
            "Invalid value: {policy:?}: orphanDependents and deletionPropagation cannot be both set"
        );
        causes.push(cause(CauseReason::Invalid, message));
    }
    let dry_run: Vec<&str> = texts(body, "dryRun").collect();
    causes.extend(dry_run_cause(&dry_run));
    if !causes.is_empty() {
        return Err(Status::invalid("meta.k8s.io", "DeleteOptions", "", causes));
    }
    let preconditions = field(body, "preconditions");
    let some = |name: &str| {
        let own = text(preconditions, name);
        (!own.is_empty()).then(|| own.to_owned())
    };
    Ok(DeleteOptions {
        write: WriteOptions {
            dry_run: !dry_run.is_empty(),
            user: call.request.user.clone(),
            notes: call.request.notes.clone(),
            client: call.client(""),
            ..WriteOptions::default()
        },
        grace_period: opt_int(body, "gracePeriodSeconds"),
        propagation,
        uid: some("uid"),
        resource_version: some("resourceVersion"),
    })
}

fn cause(reason: CauseReason, message: String) -> Cause {
    Cause {
        reason,
        field: "propagationPolicy".to_owned(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::cluster::testing::{fresh, place};
    use crate::cluster::{WriteOptions, administrator};
    use crate::{Request, respond};

    #[test]
    fn a_cascade_that_has_to_wait_is_only_accepted() {
        let cluster = fresh();
        let options = WriteOptions::default();
        for (name, finalizers) in [("now", json!([])), ("later", json!(["x.io/a"]))] {
            let map = json!({"metadata": {"name": name, "finalizers": finalizers}});
            cluster
                .create(&place("configmaps"), &map, &options)
                .unwrap();
        }
        let delete = |name: &str, query: &str| {
            let path = format!("/api/v1/namespaces/default/configmaps/{name}{query}");
            let request = Request {
                method: "DELETE",
                ..Request::get(&path, administrator())
            };
            respond(&cluster, &request).code
        };
        assert_eq!(delete("later", ""), 200);
        assert_eq!(delete("later", "?orphanDependents=false"), 202);
        assert_eq!(delete("now", "?orphanDependents=false"), 200);
    }
}
