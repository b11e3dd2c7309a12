//! The Kubernetes object model, pure: object trees, names, YAML, patches, selectors, Status errors.
//!
//! Must not know: files, time, which kinds exist.

pub mod changes;
pub mod duration;
pub mod go;
pub mod int_or_percent;
pub mod json;
pub mod json_syntax;
pub mod patch;
pub mod quantity;
pub mod selector;
pub mod status;
pub mod yaml;
