//! The options of a store in a directory, and the callbacks for its own actions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::admit::{Admit, PlainAdmit};
use super::import_reports::Imported;
use crate::sys::clock::Clock;
use crate::sys::fs::Fs;

/// A message to the user that is not an error.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Hears of every hand edit that this process imports.
pub type OnImport = Arc<dyn Fn(&Imported) + Send + Sync>;

/// The options with which a store is opened.
#[derive(Clone)]
pub struct Options {
    /// The source of wall-clock time.
    pub clock: Clock,
    /// The name of this process in messages to waiting ones.
    pub command: String,
    /// The longest wait for the lock; `None` waits forever.
    pub patience: Option<Duration>,
    /// The callback for messages to the user.
    pub notice: Notice,
    /// The callback for imported hand edits.
    pub on_import: OnImport,
    /// Decides on hand edits.
    pub admit: Arc<dyn Admit>,
    /// True if a network file system is accepted.
    pub allow_network: bool,
    /// True if files that are missing in great numbers are removed objects.
    pub accept_deletes: bool,
    /// The directory's path, for subscriptions to changes.
    pub path: Option<PathBuf>,
    /// The directory that this one was copied from: files that are the same there need not be rendered.
    pub original: Option<Arc<dyn Fs>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            clock: Clock::System,
            command: "ctl".to_owned(),
            patience: None,
            notice: Arc::new(|_| ()),
            on_import: Arc::new(|_| ()),
            admit: Arc::new(PlainAdmit),
            allow_network: false,
            accept_deletes: false,
            path: None,
            original: None,
        }
    }
}

impl Options {
    /// Returns the path of the directory, for users.
    pub(crate) fn place(&self) -> String {
        let path = self.path.as_ref();
        path.map_or(".".to_owned(), |path| path.display().to_string())
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}
