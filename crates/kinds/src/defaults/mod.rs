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
use super::schema::StoredFields;
use super::tree::{ensure, field};
use crate::api::json::Value;

/// Sets the defaults of an object that is decoded and canonical. Skips a spec that is that of a stored object.
pub(crate) fn apply(kind: &Kind, object: &mut Value, known: StoredFields<'_>) {
    if let Some(custom) = kind.custom {
        return super::custom::set_defaults(&custom.schema, object);
    }
    // Most writes of controllers change a status, and each is normalized twice. This saves 3.0 % of the instructions of
    // 100 Pods in memory, and 2.7 % of a simulated hour with 120 Jobs.
    let spec = field(object, "spec");
    if let Some(defaults) = kind.hooks.spec_defaults
        && !known.member("spec", spec).is(spec)
    {
        defaults(ensure(object, "spec"));
    }
    if let Some(defaults) = kind.hooks.defaults {
        defaults(object);
    }
}
