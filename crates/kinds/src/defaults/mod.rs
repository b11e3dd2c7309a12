//! Defaults: the values of absent fields, independent of the writer and of the rest of the cluster.
//!
//! Defaults run on every object that the server reads, from a client or from storage, and running them twice changes
//! nothing. Changes to new objects only are in [`super::strategy`]; changes that depend on the cluster are in
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
