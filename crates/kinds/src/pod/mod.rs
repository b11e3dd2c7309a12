//! Facts derived from a Pod spec: image tags, resource sums, the QoS class.

pub(crate) mod apparmor;
pub mod image;
pub mod node_rules;
mod paths;
pub mod qos;
pub mod resources;
pub(crate) mod warnings;
