//! The two languages in which kubectl's output is shaped: Go templates and kubectl's JSONPath.
//!
//! Must not know: which kinds exist, or where objects come from.

use ctl_api as api;

pub mod jmespath;
pub mod json;
pub mod jsonpath;
pub mod template;
pub mod unquote;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
