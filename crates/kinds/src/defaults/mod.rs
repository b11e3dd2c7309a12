//! Defaults: the values of absent fields, which depend neither on the writer nor on the rest of the cluster.
//!
//! The API server sets defaults in every object that it reads, from a client or from storage. Doing it twice changes
//! nothing. Changes to new objects only are in [`super::strategy`], and changes that depend on the cluster are in
//! [`super::admission`].

pub(crate) mod claim;
pub(crate) mod pod;
pub(crate) mod volume;
pub(crate) mod workload;

use super::kind::Kind;
use crate::api::json::Value;

/// Sets the defaults of an object that is decoded and canonical.
pub(crate) fn apply(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom {
        return super::custom::set_defaults(&custom.schema, object);
    }
    if let Some(defaults) = kind.hooks.defaults {
        defaults(object);
    }
}
