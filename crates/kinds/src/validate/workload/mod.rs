//! The workloads that keep Pods running, and the templates they are made from.

mod controller_revision;
mod daemon_set;
mod deployment;
mod replica_set;
mod stateful_set;
mod template;

pub(super) use controller_revision::{controller_revision, controller_revision_update};
pub(super) use daemon_set::{daemon_set, daemon_set_status, daemon_set_update};
pub(super) use deployment::{deployment, deployment_status, deployment_update};
pub(super) use replica_set::{
    replica_set, replica_set_status, replica_set_update, replication_controller,
    replication_controller_update,
};
pub(super) use stateful_set::{stateful_set, stateful_set_status, stateful_set_update};
use template::{
    MISMATCH, check_labels, counters, immutable_selector, lasting_template, required_selector,
};
pub(super) use template::{pod_template, pod_template_update, template};
