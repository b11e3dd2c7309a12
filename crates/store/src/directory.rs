//! The abilities of a store that is a directory: hand edits, the YAML tree, checks and repair.

use super::copy::CopyEnd;
use super::fsck::Report;
use super::interface::Result;
use crate::sys::fs::Fs;

/// A cluster's state in a directory of files that people edit.
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
    /// Imports hand edits that were made since the last look, if that was not a moment ago: for a
    /// loop that is too busy to wait. Whoever waits for changes imports them anyway.
    fn notice_edits(&self);

    /// Imports hand edits that were heard of and not looked at yet, for a loop that comes to its
    /// end.
    fn notice_last_edits(&self);

    /// Lets the YAML tree wait: commits are durable and seen by everybody who asks, but files are
    /// written when [`Directory::show_held`] is called, each object's last version alone. If that
    /// never happens, the next writer of any process does it.
    fn hold_tree(&self);

    /// Writes the files that waited, and lets no more of them wait.
    ///
    /// # Errors
    /// If the directory cannot be locked or read.
    fn show_held(&self) -> Result<()>;

    /// Reads everything and reports what is wrong. With `history` every commit is replayed and
    /// checked against the state before it.
    ///
    /// # Errors
    /// If the directory cannot be read at all; damage is a finding, not an error.
    fn fsck(&self, history: bool) -> Result<Report>;

    /// Salvages what is good of a damaged directory; returns what was done.
    ///
    /// # Errors
    /// If nothing can be salvaged.
    fn repair(&self) -> Result<Vec<String>>;

    /// Brings the directory to the current format; `rewrite` writes it anew even if it has that.
    /// Returns the format that it had, and whether anything was written.
    ///
    /// # Errors
    /// If something cannot be written, or a newer program made the directory.
    fn migrate(&self, rewrite: bool) -> Result<(u32, bool)>;

    /// Copies settings and history, or the history up to a point, into an empty directory. The YAML files are
    /// written when the copy is opened.
    ///
    /// # Errors
    /// If something cannot be read or written, or the point is no longer kept.
    fn copy_to(&self, target: &dyn Fs, end: Option<CopyEnd>) -> Result<()>;
}
