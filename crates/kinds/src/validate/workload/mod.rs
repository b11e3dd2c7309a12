//! The rules that workloads share: templates, selectors and status counters.

mod replicas;
mod template;

pub(crate) use replicas::replica_set_status;
pub(crate) use template::{
    MISMATCH, check_labels, collisions, counters, immutable_selector, lasting_template,
    required_selector, template,
};
