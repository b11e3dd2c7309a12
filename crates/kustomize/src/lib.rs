//! `kustomize build` without side effects: turns a kustomization and its files into a list of objects.
//!
//! Follows kustomize v5.8 as embedded in kubectl 1.36: the order of steps, the quirks and the error texts. Must not
//! know: the file system (files are read through [`Files`]), the cluster, or printing.
//!
//! | module | contents |
//! |---|---|
//! | `kustomization` | the decoded file `kustomization.yaml` |
//! | `mistyped` | the errors about values of wrong types |
//! | `loader` | the files that a kustomization may refer to, and their paths |
//! | `target` | the recursion over bases and components, and the order of steps |
//! | `resource`, `resources`, `id` | an object with its earlier identities; a set of objects |
//! | `spec`, `table` | the fields of each kind that a step changes |
//! | `generate`, `hash` | ConfigMaps and Secrets from files and literals; the hash suffixes of their names |
//! | `metadata`, `images` | namespaces, prefixes, labels, annotations, replicas, images |
//! | `patch`, `merge` | patches and their targets; kustomize's own strategic merge |
//! | `path`, `replace`, `vars` | copying values of one object into others |
//! | `references` | updating references to renamed objects |
//! | `order` | the order of the result |

use ctl_api as api;
use ctl_kinds as kinds;

mod case;
mod generate;
mod hash;
mod helm;
mod id;
mod images;
mod kustomization;
mod loader;
mod merge;
mod metadata;
mod mistyped;
mod order;
mod patch;
mod path;
mod plugins;
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

/// The reason for not building a kustomization, in kustomize's words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct KustomizeError(pub(crate) String);

impl KustomizeError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Puts context before the message.
    fn of(self, what: impl std::fmt::Display) -> Self {
        Self(format!("{what}: {}", self.0))
    }
}

type Result<T> = std::result::Result<T, KustomizeError>;

/// The order of the objects unless the kustomization has `sortOptions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Kinds that other kinds depend on come first.
    #[default]
    Legacy,
    /// The order in which the objects were read.
    AsRead,
}

/// The options of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The order of the result.
    pub order: Order,
    /// True if files outside a kustomization's directory are rejected.
    pub only_below_root: bool,
    /// True to add the label `app.kubernetes.io/managed-by` to every object.
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

/// Builds the kustomization in a directory. Adds deprecations and other notes to `warnings`, one line each.
///
/// # Errors
/// Returns the first error, in kustomize's words.
pub fn build(
    files: &dyn Files,
    directory: &str,
    options: Options,
    warnings: &mut Vec<String>,
) -> Result<Vec<Value>> {
    target::build(files, directory, options, warnings)
}

/// Formats objects as `kubectl kustomize` prints them.
pub fn to_yaml(objects: &[Value]) -> String {
    let documents: Vec<String> = objects.iter().map(crate::api::yaml::to_string).collect();
    documents.join("---\n")
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
