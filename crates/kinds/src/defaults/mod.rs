//! Defaults: the values of absent fields, independent of the writer and of the rest of the cluster.
//!
//! Defaults run on every object that the server reads, from a client or from storage, and are the same
//! when run twice. What only a new object gets is in [`super::strategy`]; what depends on the cluster
//! is in [`super::admission`].

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
