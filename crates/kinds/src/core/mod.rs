//! The kinds of the core API group.

pub(crate) mod binding;
pub(crate) mod cells;
pub(crate) mod component_status;
pub(crate) mod config_map;
pub(crate) mod defaults;
pub(crate) mod endpoints;
pub(crate) mod event;
pub(crate) mod limit_range;
pub(crate) mod namespace;
pub(crate) mod node;
pub(crate) mod persistent_volume;
pub(crate) mod persistent_volume_claim;
pub(crate) mod pod;
pub(crate) mod pod_template;
pub(crate) mod replication_controller;
pub(crate) mod resource_quota;
pub(crate) mod secret;
pub(crate) mod service;
pub(crate) mod service_account;
pub(crate) mod validate;

use crate::kind::Kind;

/// The kinds of this group, in the order of discovery: one line for each version of a kind.
pub(crate) const KINDS: &[Kind] = &[
    binding::KIND,
    component_status::KIND,
    config_map::KIND,
    endpoints::KIND,
    event::KIND,
    limit_range::KIND,
    namespace::KIND,
    node::KIND,
    // Sorted by resource rather than by kind: `persistentvolumeclaims` precedes `persistentvolumes`.
    persistent_volume_claim::KIND,
    persistent_volume::KIND,
    pod::KIND,
    pod_template::KIND,
    replication_controller::KIND,
    resource_quota::KIND,
    secret::KIND,
    service_account::KIND,
    service::KIND,
];
