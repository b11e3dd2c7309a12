//! Patching objects: JSON, merge and strategic merge patches.

use serde_json::Value;

use super::request::{Answer, ApiError, Place, WriteOptions};
use super::transaction::Step;
use super::{Cluster, objects};
use crate::api::patch::json::JsonPatchError;
use crate::api::patch::{json, merge, strategic};
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::schema::strategic_shape;

/// How a patch says what should change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchType {
    /// A list of steps (RFC 6902).
    Json,
    /// A document that is merged, lists replaced (RFC 7386).
    Merge,
    /// A document that is merged, lists by their keys.
    Strategic,
}

impl Cluster {
    /// Patches an object, or its status.
    ///
    /// # Errors
    /// Kubernetes' answer where it is refused.
    pub fn patch(
        &self,
        place: &Place,
        name: &str,
        (how, patch): (PatchType, &Value),
        status: bool,
        options: &WriteOptions,
    ) -> Result<Answer, ApiError> {
        self.run(self.patch_step(place, name, (how, patch), status, options)?)
    }

    pub(crate) fn patch_step<'s>(
        &'s self,
        place: &'s Place,
        name: &'s str,
        (how, patch): (PatchType, &'s Value),
        status: bool,
        options: &'s WriteOptions,
    ) -> Result<Step<'s>, ApiError> {
        Self::modify_step(place, name, status, options, move |old| {
            let mut new = patched(place.kind, how, old, patch)?;
            // A patch that says no version is for whatever is there.
            if objects::meta(&new, "resourceVersion").is_empty() {
                new["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"].clone();
            }
            Ok(new)
        })
    }
}

/// What a patch makes of an object, without anything that a cluster does to it.
///
/// # Errors
/// Kubernetes' answer where the patch does not fit.
pub fn patched(kind: &Kind, how: PatchType, old: &Value, patch: &Value) -> Result<Value, ApiError> {
    let mut new = old.clone();
    match how {
        PatchType::Json => json::apply(&mut new, patch).map_err(|e| refused(&e))?,
        PatchType::Merge => merge::apply(&mut new, patch),
        PatchType::Strategic => {
            let shape = strategic_shape(kind).ok_or_else(unsupported)?;
            new = strategic::apply(new, patch, &shape)
                .map_err(|e| Status::bad_request(e.to_string()))?;
        }
    }
    Ok(new)
}

fn refused(error: &JsonPatchError) -> ApiError {
    let status = match error {
        JsonPatchError::Decode(_) => Status::bad_request(error.to_string()),
        JsonPatchError::TooManyOperations(_) => {
            let mut status = Status::bad_request(error.to_string());
            (status.code, status.reason) = (413, "RequestEntityTooLarge");
            status
        }
        JsonPatchError::Rejected(_) => {
            let mut status = Status::bad_request(error.to_string());
            (status.code, status.reason, status.details) = (422, "Invalid", None);
            status
        }
    };
    status.into()
}

fn unsupported() -> ApiError {
    let mut status = Status::bad_request(
        "the body of the request was in an unknown format - accepted media types include: \
         application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
    (status.code, status.reason) = (415, "UnsupportedMediaType");
    status.into()
}
