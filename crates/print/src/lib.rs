//! Formats objects as tables, JSON, YAML, names, or by templates.
//!
//! [`Format::parse`] interprets `-o` and `--template`. [`table::Table`] is the human-readable table; every other
//! format is a [`Printer`], which formats one object after the other. Must not know: the cluster, files, or the
//! terminal.

use ctl_api as api;
use ctl_kinds as kinds;
pub use ctl_template::{jmespath, json, jsonpath, template, unquote};

mod columns;
pub mod describe;
pub mod event;
pub mod explain;
mod format;
pub mod go_order;
mod go_sort;
mod kyaml;
pub mod objects;
mod order;
mod printer;
#[cfg(test)]
mod recorded;
pub mod sort;
pub mod table;
pub mod tabwriter;
mod terminal;

pub use format::{Format, ReadFile, Request};
pub use order::InOrder;
pub use printer::{Failure, Printer};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
