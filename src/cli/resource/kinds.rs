//! Which kinds a command line can name.

use crate::cli::error::CliError;
use crate::cluster::Cluster;
use crate::kinds::{self, Kind};

/// The kinds that are served.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds;

impl Kinds {
    /// Those of a cluster; the built-in ones where there is none.
    pub(crate) fn of(_cluster: Option<&Cluster>) -> Result<Self, CliError> {
        Ok(Self)
    }

    /// The kind that a word means.
    pub(crate) fn find(&self, word: &str) -> Result<&'static Kind, CliError> {
        kinds::resolve(word).ok_or_else(|| {
            let plain = word.split('.').next().unwrap_or_default();
            CliError::text(format!(
                "the server doesn't have a resource type \"{plain}\""
            ))
        })
    }

    /// The kind of an object.
    pub(crate) fn of_object(&self, api_version: &str, kind: &str) -> Option<&'static Kind> {
        kinds::find_by_api_version(api_version, kind).filter(|k| k.served)
    }

    /// All that clients see, one version each.
    pub(crate) fn preferred(&self) -> Vec<&'static Kind> {
        let all = kinds::registry::all();
        all.filter(|k| k.served && k.preferred).collect()
    }

    /// The members of a category such as `all`.
    pub(crate) fn category(&self, word: &str) -> Vec<&'static Kind> {
        let mut members = self.preferred();
        members.retain(|k| k.categories.contains(&word));
        members
    }
}
