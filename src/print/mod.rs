//! How objects are printed: tables, YAML, JSON, names.
//!
//! Must not know: the cluster.

pub mod json;
pub mod table;
