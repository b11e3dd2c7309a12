//! The Kubernetes object model, pure: object trees, names, YAML, patches, selectors, Status errors.
//!
//! Must not know: files, time, which kinds exist.

pub mod patch;
pub mod selector;
pub mod yaml;
