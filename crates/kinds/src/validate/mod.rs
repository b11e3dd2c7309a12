//! The validation rules of all kinds, with the errors of the API server.
//!
//! Decode an object, set its defaults and prepare it ([`super::strategy`]) before you validate it: the rules expect
//! the defaults of absent fields.

pub(crate) mod claim;
pub(crate) mod common;
pub(crate) mod condition;
pub mod cron;
pub(crate) mod endpoint;
pub(crate) mod errors;
pub mod go;
pub(crate) mod load_balancer;
pub(crate) mod meta;
pub(crate) mod path;
mod paths;
pub(crate) mod pod;
pub(crate) mod webhook;
pub(crate) mod workload;

use crate::api::json::Value;
pub use crate::api::{addresses, names};

pub use crate::certificates::certificate_signing_request::paths::approval;
pub use crate::core::namespace::paths::finalize;
pub use crate::core::pod::paths::{ephemeral_containers, resize};
pub use errors::Errors;
pub use path::Path;
pub use paths::scale;

use super::custom;
use super::kind::Kind;
use super::tree::{field, text};
use crate::api::status::{Cause, Status};

/// Returns the validation errors of a new object.
pub fn create(kind: &Kind, object: &Value) -> Vec<Cause> {
    if let Some(custom) = kind.custom {
        return custom::create(custom, object);
    }
    let mut errors = Errors::default();
    match kind.hooks.create {
        Some(create) => create(object, &mut errors),
        None => meta::create(
            object,
            kind.namespaced,
            names::dns1123_subdomain,
            &mut errors,
        ),
    }
    // `rest.BeforeCreate` checks the metadata after the rules of the kind, and only if they found no errors. This
    // reports an invalid name once.
    if errors.is_empty() {
        let meta = field(object, "metadata");
        let path = Path::root("metadata");
        meta::generic(
            &path,
            meta,
            kind.namespaced,
            names::path_segment,
            &mut errors,
        );
    }
    errors.into_causes()
}

/// Returns the validation errors of an update.
pub fn update(kind: &Kind, object: &Value, old: &Value) -> Vec<Cause> {
    if let Some(custom) = kind.custom {
        return custom::update(custom, object, old);
    }
    let mut errors = Errors::default();
    // `rest.BeforeUpdate` compares the metadata before the strategy validates the rest.
    meta::before_update(object, old, &mut errors);
    kind.hooks.update.unwrap_or(meta::update)(object, old, &mut errors);
    errors.into_causes()
}

/// Returns the validation errors of an update of the status.
pub fn status(kind: &Kind, object: &Value, old: &Value) -> Vec<Cause> {
    if let Some(custom) = kind.custom {
        return custom::update(custom, object, old);
    }
    let mut errors = Errors::default();
    meta::before_update(object, old, &mut errors);
    kind.hooks.status.unwrap_or(meta::update)(object, old, &mut errors);
    errors.into_causes()
}

/// Rejects an object that has validation errors.
///
/// # Errors
/// Returns the status 422 `Invalid` with the causes.
pub fn refuse(kind: &Kind, object: &Value, causes: Vec<Cause>) -> Result<(), Status> {
    if causes.is_empty() {
        return Ok(());
    }
    let name = text(field(object, "metadata"), "name");
    // Upstream, the events of both groups share one strategy, which reports them without a group.
    let group = kind.hooks.error_group.unwrap_or(kind.group);
    Err(Status::invalid(group, kind.kind, name, causes))
}
