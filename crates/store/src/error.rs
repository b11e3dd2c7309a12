//! The errors of a store.

use std::time::Duration;

use ctl_etcd::EtcdError;
use thiserror::Error;

use super::key::{Key, KeyError};
use super::revision::Revision;
use crate::sys::fs::FsError;

/// The reason why a store did not execute a call.
#[derive(Debug, Error)]
pub enum StoreError {
    /// A key cannot be.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An object is not at the expected revision.
    #[error("{key} is at revision {}, not {expected}", found.map_or("none".to_owned(), |r| r.to_string()))]
    Conflict {
        /// The object.
        key: Key,
        /// The revision that the writer expected.
        expected: Revision,
        /// The current one; `None` if the object is gone.
        found: Option<Revision>,
    },
    /// An object that should be absent exists.
    #[error("{0} already exists")]
    AlreadyExists(Key),
    /// An object that should exist is missing.
    #[error("{0} not found")]
    NotFound(Key),
    /// Another leader has taken over since the writer became one.
    #[error("another leader has taken over: the current epoch is {current}, not {writer}")]
    Fenced {
        /// The writer's epoch.
        writer: u64,
        /// The current epoch.
        current: u64,
    },
    /// The requested past is no longer retained.
    #[error("revision {asked} is too old, the oldest one kept is {oldest}")]
    Gone {
        /// The requested revision.
        asked: Revision,
        /// The oldest retained revision.
        oldest: Revision,
    },
    /// The requested revision does not exist yet.
    #[error("revision {asked} is in the future, the current one is {current}")]
    Future {
        /// The requested revision.
        asked: Revision,
        /// The current one.
        current: Revision,
    },
    /// An object or batch is over a limit.
    #[error("{what} has {size} {unit}, the limit is {limit}")]
    TooLarge {
        /// The oversized item.
        what: String,
        /// Its size.
        size: u64,
        /// Bytes or objects.
        unit: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The batch itself makes no sense, or the caller withdrew it.
    #[error("{0}")]
    Refused(String),
    /// Another process holds the lock.
    #[error("the state directory is locked by {holder}, gave up after {} s", waited.as_secs())]
    Busy {
        /// The holder of the lock.
        holder: String,
        /// The duration of the wait.
        waited: Duration,
    },
    /// Committed data cannot be read back.
    #[error(
        "{file} is damaged at byte {offset}: {reason}; the last good revision is {last_good}; \
         nothing was changed; `ctl fsck --repair` salvages what is good and keeps the original"
    )]
    Corrupt {
        /// The file, relative to the state directory.
        file: String,
        /// The position of the damage.
        offset: u64,
        /// The error.
        reason: String,
        /// The last revision before it.
        last_good: Revision,
    },
    /// A newer program made this directory.
    #[error("{0}")]
    Newer(String),
    /// The directory may not be written or used here.
    #[error("{0}")]
    Forbidden(String),
    /// There is no cluster in the directory.
    #[error("no cluster in {0}: create one with `ctl cluster init`")]
    NoCluster(String),
    /// A file could not be read or written; the commit was not applied.
    #[error("not applied")]
    NotApplied(#[source] FsError),
    /// A commit failed and could not be undone: it may or may not exist after a restart.
    #[error("outcome unknown: the commit failed and could not be undone")]
    OutcomeUnknown(#[source] FsError),
    /// etcd could not be reached, or refused.
    #[error(transparent)]
    Etcd(#[from] EtcdError),
    /// A file could not be read.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The settings file cannot be understood.
    #[error("{file}: {reason}")]
    Settings {
        /// The file, with line and column if known.
        file: String,
        /// The error.
        reason: String,
    },
}

impl StoreError {
    /// Returns true if the same call may succeed a little later without intervention.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Etcd(EtcdError::Unreachable(_) | EtcdError::Lost(_) | EtcdError::Full(_))
        )
    }
}

/// Returns an error and its sources, in one line.
pub(crate) fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
