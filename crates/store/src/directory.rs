//! The abilities of a store that is a directory: hand edits, the YAML tree, checks and repair.

use std::sync::Arc;

use super::copy::CopyEnd;
use super::fsck::Report;
use super::interface::Result;
use super::key::{Key, Range};
use crate::sys::fs::Fs;

/// A cluster's state in a directory of files that users edit.
///
/// ```
/// use ctl_store::{CopyEnd, Directory, Report, StoreError};
/// use ctl_sys::fs::Fs;
///
/// /// Checks a cluster and copies it as of a point in its history.
/// fn copy(directory: &dyn Directory, target: &dyn Fs, end: CopyEnd) -> Result<(), StoreError> {
///     let report: Report = directory.fsck(true)?;
///     if let Some(problem) = report.problems.first() {
///         return Err(StoreError::Refused(problem.clone()));
///     }
///     directory.copy_to(target, Some(end))
/// }
/// ```
pub trait Directory: Send + Sync {
    /// Imports hand edits since the last check, unless that was a moment ago: for a loop that is too busy to wait.
    /// Waiting for changes imports them anyway.
    fn notice_edits(&self);

    /// Imports hand edits that were noticed but not read yet, for a loop that ends.
    fn notice_last_edits(&self);

    /// Imports the saved files of a range that no reader has noticed yet, for a reader of the history.
    ///
    /// # Errors
    /// The directory cannot be locked or read.
    fn import_saved(&self, range: &Range) -> Result<()>;

    /// Delays the YAML tree: commits are durable and visible, but files are written when [`Directory::show_held`] is
    /// called, only the last version of each object. If that never happens, the next writer of any process writes them.
    fn hold_tree(&self);

    /// Writes the delayed files, and stops delaying.
    ///
    /// # Errors
    /// The directory cannot be locked or read.
    fn show_held(&self) -> Result<()>;

    /// Reads everything and reports problems. With `history` every commit is replayed and checked against the state
    /// before it.
    ///
    /// # Errors
    /// The directory cannot be read at all; damage is a finding, not an error.
    fn fsck(&self, history: bool) -> Result<Report>;

    /// Salvages the intact parts of a damaged directory; returns the steps.
    ///
    /// # Errors
    /// Nothing can be salvaged.
    fn repair(&self) -> Result<Vec<String>>;

    /// Brings the directory to the current format; `rewrite` writes it again even if it has that.
    /// Returns the format that it had, and whether anything was written.
    ///
    /// # Errors
    /// If something cannot be written, or a newer program made the directory.
    fn migrate(&self, rewrite: bool) -> Result<(u32, bool)>;

    /// Keeps a version of an object that has lost next to its file, with the reason on top, as a rejected hand edit; returns
    /// the name of that file.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep_rejected(&self, key: &Key, json: &[u8], reason: &str) -> Result<String>;

    /// Copies settings and history, or the history up to a point, into an empty directory. The YAML files are
    /// written when the copy is opened.
    ///
    /// # Errors
    /// A file cannot be read or written, or the point is no longer retained.
    fn copy_to(&self, target: &dyn Fs, end: Option<CopyEnd>) -> Result<()>;

    /// Returns the files of the directory, as the original of a copy ([`Options::original`](super::Options)).
    fn files(&self) -> Arc<dyn Fs>;
}
