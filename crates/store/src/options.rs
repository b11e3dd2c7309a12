//! How a store in a directory is opened, and who hears of what it does on its own.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::admit::{Admit, PlainAdmit};
use super::imported::Imported;
use crate::sys::clock::Clock;

/// A word to the user that is no error.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// Hears of every hand edit that this process imports.
pub type OnImport = Arc<dyn Fn(&Imported) + Send + Sync>;

/// How a store is opened.
#[derive(Clone)]
pub struct Options {
    /// Where wall-clock time comes from.
    pub clock: Clock,
    /// How this process is called in messages to those who wait for it.
    pub command: String,
    /// How long to wait for the lock; `None` waits for ever.
    pub patience: Option<Duration>,
    /// Where words to the user go.
    pub notice: Notice,
    /// Where imported hand edits are reported.
    pub on_import: OnImport,
    /// Decides on hand edits.
    pub admit: Arc<dyn Admit>,
    /// True if a network file system is accepted.
    pub allow_network: bool,
    /// True if files that are missing in great numbers are removed objects.
    pub accept_deletes: bool,
    /// The directory's path, for subscriptions to changes.
    pub path: Option<PathBuf>,
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
        }
    }
}

impl Options {
    /// The path of the directory, for people.
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
