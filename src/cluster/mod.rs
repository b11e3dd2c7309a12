//! The API server in-process: the only door to the store.
//!
//! Must not know: controllers, printing, HTTP.

mod directory;
mod raw;

use std::path::{Path, PathBuf};

pub use crate::store::{
    Change, ClockMode, EditWatch, Event, Expect, Key, KeyError, Listing, Notice, Past, PodMode,
    Range, Report, Revision, Settings, StoreError, Stored,
};
pub use directory::Made;
pub use raw::RawOp;

use crate::store::{FileStore, Options};

/// What every call answers.
pub type Result<T> = std::result::Result<T, StoreError>;

/// How a cluster is opened.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The options of the store.
    pub options: Options,
}

/// A cluster in a directory.
#[derive(Debug)]
pub struct Cluster {
    path: PathBuf,
    pub(crate) store: FileStore,
    writer: String,
}

impl Cluster {
    /// Where the cluster is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        self.store.settings()
    }

    /// Reads everything and says what is wrong.
    ///
    /// # Errors
    /// Where the directory cannot be read at all.
    pub fn fsck(&self, history: bool) -> Result<Report> {
        self.store.fsck(history)
    }

    /// Salvages what is good of a damaged cluster; answers what was done.
    ///
    /// # Errors
    /// Where nothing can be salvaged.
    pub fn repair(&self) -> Result<Vec<String>> {
        self.store.repair()
    }
}
