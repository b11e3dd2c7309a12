//! The languages that format kubectl's output, Go templates and kubectl's JSONPath, and the JMESPath of test files.
//!
//! Must not know: the kinds, or where objects come from.

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
