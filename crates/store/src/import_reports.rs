//! Reports of imported hand edits: which file became a commit, and which fields it changed.

use std::fmt;

use jiff::Timestamp;

use super::options::{Notice, OnImport, Options};
use super::revision::Revision;

/// The writer of every hand edit.
pub const HAND_EDIT: &str = "hand-edit";

/// A hand edit that became a commit.
///
/// ```
/// use ctl_store::Imported;
///
/// let saved = Imported {
///     time: "2026-01-02T12:00:00Z".parse()?,
///     revision: 7,
///     path: "default/configmaps/settings.yaml".to_owned(),
///     action: "updated".to_owned(),
///     changes: String::new(),
/// };
/// assert!(saved.to_string().contains("settings.yaml"));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The time of the commit, by the cluster's clock.
    pub time: Timestamp,
    /// The revision of the commit.
    pub revision: Revision,
    /// The file, relative to the state directory.
    pub path: String,
    /// The kind of edit: `created`, `edited`, `removed` or `restored to revision N`.
    pub action: String,
    /// The changed fields of an edited object, for users; empty if there are none to name.
    pub changes: String,
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.action)?;
        match self.changes.as_str() {
            "" => Ok(()),
            changes => write!(f, ": {changes}"),
        }
    }
}

/// The most files of one import that are reported separately; a checkout of thousands is one further line.
const TOLD: usize = 20;

/// Reports that wait for the lock to be released, because their reader must not delay writers.
pub(crate) struct Reports<'s> {
    on_import: &'s OnImport,
    notice: &'s Notice,
    waiting: Vec<Imported>,
    remarks: Vec<String>,
}

/// Reports on their way to another thread.
pub(crate) struct ParkedReports {
    waiting: Vec<Imported>,
    remarks: Vec<String>,
}

impl<'s> Reports<'s> {
    /// Creates an empty list of reports, for the listeners of a store.
    pub(crate) fn new(options: &'s Options) -> Self {
        Self {
            on_import: &options.on_import,
            notice: &options.notice,
            waiting: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Takes the reports out, for another thread to continue with.
    pub(crate) fn take(&mut self) -> ParkedReports {
        ParkedReports {
            waiting: std::mem::take(&mut self.waiting),
            remarks: std::mem::take(&mut self.remarks),
        }
    }

    /// Restores reports that were removed before.
    pub(crate) fn resume(options: &'s Options, parked: ParkedReports) -> Self {
        Self {
            waiting: parked.waiting,
            remarks: parked.remarks,
            ..Self::new(options)
        }
    }

    /// Adds a report.
    pub(crate) fn push(&mut self, report: Imported) {
        self.waiting.push(report);
    }

    /// Adds a remark about an edit.
    pub(crate) fn remark(&mut self, text: String) {
        self.remarks.push(text);
    }
}

impl Drop for Reports<'_> {
    fn drop(&mut self) {
        // The lock is free by now, so a slow terminal delays no writer.
        let told = self.waiting.iter().take(TOLD);
        told.for_each(|report| (self.on_import)(report));
        match self.waiting.len().saturating_sub(TOLD) {
            0 => {}
            more => (self.notice)(&format!("{more} more hand edits were imported")),
        }
        self.remarks.iter().for_each(|text| (self.notice)(text));
    }
}
