//! The API server in-process: the only door to the store.
//!
//! Must not know: controllers, printing, HTTP.

use ctl_api as api;
use ctl_kinds as kinds;
use ctl_store as store;
use ctl_sys as sys;

mod addresses;
mod admission;
mod ahead;
mod apply;
mod authorization;
mod batch;
mod bootstrap;
mod definitions;
mod delete;
mod directory;
mod discovery;
mod door;
mod events;
mod faults;
mod hand_edit;
mod informer;
mod managed;
mod objects;
mod overlay;
mod pace;
mod page;
mod part;
mod patch;
mod peek;
mod raw;
mod read;
mod recreate;
mod request;
mod review;
mod round;
mod select;
mod subresource;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
pub mod testing;
mod transaction;
mod watch;
mod write;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use crate::kinds::{Kind, find_by_api_version as find_kind};
pub use crate::store::{
    ApiFault, Candidate, Change, ClockMode, Event, Expect, Imported, Inventory, Key, KeyError,
    Leadership, Listing, Notice, OnImport, Past, PodMode, Range, Report, Revision, Settings, Share,
    StoreError, Stored, Turn,
};
pub use authorization::Verdict;
pub use batch::{Request, Verb};
pub use directory::Made;
pub use events::write_times;
pub use events::{Telling, Told, last_write, namespace_of, plan as plan_events};
pub use faults::{FAULT_CODES, FAULT_VERBS};
pub use hand_edit::KubernetesAdmit;
pub use informer::Changed;
pub use page::ListOptions;
pub use part::Part;
pub use patch::PatchType;
pub use raw::RawOp;
pub use read::{List, Page, Wanted, WatchEvent};
pub use recreate::Recreated;
pub use request::{
    Answer, ApiError, ApplyOptions, DeleteOptions, FieldValidation, Place, Propagation,
    WriteOptions, administrator, impersonated,
};
pub use select::Selection;
pub use subresource::{LogOptions, LogTarget, ScalePaths};
pub use watch::Watching;

use crate::kinds::admission::User;
use crate::store::{FileStore, Options, Store as _};
use crate::sys::signal::sleep;

/// How often a thread that notices hand edits looks whether its work is over.
const LOOK: Duration = Duration::from_millis(200);

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;

/// How a cluster is opened.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The options of the store.
    pub options: Options,
}

impl Open {
    /// Opens it for a program of this name, with Kubernetes' rules for files edited by hand.
    pub fn as_writer(name: &str) -> Self {
        let mut open = Self::default();
        open.options.command = name.to_owned();
        open.options.admit = Arc::new(KubernetesAdmit);
        open
    }
}

/// A cluster in a directory.
#[derive(Debug)]
pub struct Cluster {
    path: PathBuf,
    pub(crate) store: FileStore,
    writer: String,
    new: bool,
    discovery: discovery::Discovery,
    /// Whose requests these are, where they are not those of whoever may do everything.
    acting: Option<User>,
}

impl Cluster {
    /// Where the cluster is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if it was made by opening it.
    pub fn is_new(&self) -> bool {
        self.new
    }

    /// The cluster's time.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn now(&self) -> Result<jiff::Timestamp> {
        self.store.now()
    }

    /// Its revision and its time, of one look.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn moment(&self) -> Result<(Revision, jiff::Timestamp)> {
        self.store.moment()
    }

    /// Imports hand edits that were made since the last look, if that was not a moment ago: for a
    /// loop that is too busy to wait. Whoever waits for changes imports them anyway.
    pub fn notice_edits(&self) {
        self.store.notice_edits();
    }

    /// Imports hand edits that were heard of and not looked at yet, for a loop that comes to its end.
    pub fn notice_last_edits(&self) {
        self.store.notice_last_edits();
    }

    /// Imports hand edits as they are made, as long as `work` runs.
    pub fn while_noticing<T>(&self, work: impl FnOnce() -> T) -> T {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // Those who ask the cluster for something are told why it cannot be read.
                    if self.store.wait(Revision::MAX, LOOK).is_err() {
                        sleep(LOOK);
                    }
                }
            });
            let answer = work();
            done.store(true, Ordering::Relaxed);
            answer
        })
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        self.store.settings()
    }

    /// Takes the lead of the controllers where no other process has it.
    ///
    /// # Errors
    /// Where the directory cannot be read or written.
    pub fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        candidate.try_lead(&self.store)
    }

    /// Takes the turn to begin an epoch, if nobody else has it.
    ///
    /// # Errors
    /// Where the directory cannot be read or may not be written.
    pub fn try_turn(&self) -> Result<Option<Turn>> {
        self.store.try_turn()
    }

    /// Whose turn it is, for messages.
    pub fn whose_turn(&self) -> String {
        self.store.whose_turn()
    }

    /// Returns true if the leader of another part began an epoch, or writes under it.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn shares_epoch(&self, lead: &Leadership, epoch: u64) -> Result<bool> {
        lead.shares(&self.store, epoch)
    }

    /// Returns the leader of the controllers and its heartbeat counter, if there is a leader.
    ///
    /// # Errors
    /// Where the directory cannot be read.
    pub fn heartbeat(&self) -> Result<Option<(u64, u64)>> {
        self.store.heartbeat()
    }

    /// Changes whose time it is.
    ///
    /// # Errors
    /// Where the settings cannot be written.
    pub fn set_clock(&mut self, mode: ClockMode) -> Result<()> {
        self.store.update_settings(|settings| settings.clock = mode)
    }

    /// Reads everything and says what is wrong.
    ///
    /// # Errors
    /// Where the directory cannot be read at all.
    pub fn fsck(&self, history: bool) -> Result<Report> {
        self.store.fsck(history)
    }

    /// Brings the directory to the current format; returns the format that it had, and whether
    /// anything was written.
    ///
    /// # Errors
    /// Where something cannot be written.
    pub fn migrate(&mut self, rewrite: bool) -> Result<(u32, bool)> {
        self.store.migrate(rewrite)
    }

    /// Salvages what is good of a damaged cluster; returns what was done.
    ///
    /// # Errors
    /// Where nothing can be salvaged.
    pub fn repair(&self) -> Result<Vec<String>> {
        self.store.repair()
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
