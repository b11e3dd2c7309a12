//! `kustomize build`, pure: a kustomization and the files it names become a list of objects.
//!
//! Follows kustomize v5.8 as it comes with kubectl 1.36, its order of steps, its odd corners and its
//! error texts. Must not know: where files are (they come through [`Files`]), the cluster, printing.
//!
//! | module | is |
//! |---|---|
//! | `kustomization` | the file `kustomization.yaml`, decoded |
//! | `loader` | which files a kustomization may name, and where they are |
//! | `target` | the recursion over bases and components, and the order of the steps |
//! | `resource`, `resources`, `id` | one object with what it was called before; many of them |
//! | `spec`, `table` | which fields of which kinds a step changes |
//! | `generate`, `hash` | config maps and secrets from files and literals; the suffix of their names |
//! | `metadata`, `images` | namespaces, prefixes, labels, annotations, replicas, images |
//! | `patch`, `merge` | patches and their targets; kustomize's own strategic merge |
//! | `path`, `replace`, `vars` | values copied from one object into others |
//! | `references` | names that follow the objects they name |
//! | `order` | the order of the result |

use ctl_api as api;
use ctl_kinds as kinds;

mod generate;
mod hash;
mod id;
mod images;
mod kustomization;
mod loader;
mod merge;
mod metadata;
mod order;
mod patch;
mod path;
mod references;
mod replace;
mod resource;
mod resources;
mod spec;
mod table;
mod target;
mod vars;

#[cfg(test)]
mod tests;

use crate::api::json::Value;
use thiserror::Error;

pub use loader::{Files, Place};

/// Why a kustomization could not be built, in kustomize's words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct KustomizeError(pub(crate) String);

impl KustomizeError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Adds context in front of the message.
    fn of(self, what: impl std::fmt::Display) -> Self {
        Self(format!("{what}: {}", self.0))
    }
}

type Result<T> = std::result::Result<T, KustomizeError>;

/// The order of the objects where the kustomization says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Kinds that others need come first.
    #[default]
    Legacy,
    /// As they were read.
    AsRead,
}

/// How to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The order of the result.
    pub order: Order,
    /// True if files outside a kustomization's directory are refused.
    pub only_below_root: bool,
    /// True if every object is labelled as made by kustomize.
    pub managed_by_label: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Order::Legacy,
            only_below_root: true,
            managed_by_label: false,
        }
    }
}

/// Builds the kustomization in a directory; `warnings` takes what the user should know, one line each.
///
/// # Errors
/// The first thing that is wrong, in kustomize's words.
pub fn build(
    files: &dyn Files,
    directory: &str,
    options: Options,
    warnings: &mut Vec<String>,
) -> Result<Vec<Value>> {
    target::build(files, directory, options, warnings)
}

/// The objects as `kubectl kustomize` prints them.
pub fn to_yaml(objects: &[Value]) -> String {
    let documents: Vec<String> = objects.iter().map(crate::api::yaml::to_string).collect();
    documents.join("---\n")
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
