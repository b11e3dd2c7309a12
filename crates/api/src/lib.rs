//! The Kubernetes object model without side effects: object trees, names, YAML, patches, selectors, Status errors.
//!
//! Must not know: files, time, or which kinds exist.

pub mod addresses;
pub mod changes;
pub mod duration;
pub mod go;
pub mod go_base64;
pub mod int_or_percent;
pub mod json;
pub mod json_syntax;
pub mod names;
pub mod patch;
pub mod pattern;
pub mod quantity;
pub mod selector;
pub mod status;
pub mod timestamp;
pub mod yaml;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
