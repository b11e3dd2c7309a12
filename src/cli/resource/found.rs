//! The objects that were found, and the errors in their places.

use std::collections::BTreeSet;

use super::info::Info;
use crate::cli::error::CliError;
use crate::kinds::Kind;

/// The objects that a command line names, in order, with the errors in their places.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The objects, or the errors in their places.
    pub(crate) items: Vec<Result<Info, CliError>>,
    /// The places of the errors of manifests that could not be read.
    pub(super) unread: BTreeSet<usize>,
    /// One object was named: it is shown alone, not as a list.
    pub(crate) single: bool,
    /// One file was named, so an error is reported alone if the objects are not for people.
    pub(crate) one_file: bool,
    /// The requested kinds that could be read, including those without objects.
    pub(crate) kinds: Vec<&'static Kind>,
}

impl Found {
    /// Separates the objects from the errors.
    pub(crate) fn split(self) -> (Vec<Info>, Vec<CliError>) {
        let (mut infos, mut errors) = (Vec::new(), Vec::new());
        for item in self.items {
            match item {
                Ok(info) => infos.push(info),
                Err(e) => errors.push(e),
            }
        }
        (infos, errors)
    }

    /// Separates the errors of manifests that could not be read, which kubectl joins to one error.
    pub(crate) fn readable(mut self) -> (Self, Option<CliError>) {
        let unread = std::mem::take(&mut self.unread);
        let (mut items, mut errors) = (Vec::new(), Vec::new());
        for (at, item) in self.items.into_iter().enumerate() {
            match item {
                Err(e) if unread.contains(&at) => errors.push(e),
                item => items.push(item),
            }
        }
        self.items = items;
        (self, CliError::all(errors).err())
    }

    /// Adds the error of a manifest that could not be read.
    pub(super) fn add_unread(&mut self, error: CliError) {
        self.unread.insert(self.items.len());
        self.items.push(Err(error));
    }

    /// Returns the objects with errors as `get` and `describe` print them: kubectl collects those of manifests, and prints
    /// the only one of a collection like one of several.
    pub(crate) fn collected(mut self) -> Self {
        for item in &mut self.items {
            if let Err(CliError::Text(text)) = item {
                *item = Err(CliError::Bare(std::mem::take(text)));
            }
        }
        self
    }

    /// Records the kinds of the objects.
    pub(super) fn with_kinds(mut self) -> Self {
        self.kinds = self.items.iter().flatten().map(|info| info.kind).collect();
        self
    }

    /// Returns the objects, or the first error.
    pub(crate) fn all(self) -> Result<Vec<Info>, CliError> {
        let (infos, errors) = self.split();
        CliError::all(errors)?;
        Ok(infos)
    }
}
