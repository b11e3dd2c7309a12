//! A cluster: its store, and whose requests are served.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::discovery::Discovery;
use crate::hand_edit::KubernetesAdmit;
use crate::kinds::admission::User;
use crate::store::{
    Candidate, ClockMode, FileStore, Leadership, Options, Report, Revision, Settings, Store as _,
    StoreError, Turn,
};
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
    pub(crate) path: PathBuf,
    pub(crate) store: FileStore,
    pub(crate) writer: String,
    pub(crate) new: bool,
    pub(crate) discovery: Discovery,
    /// The user that the requests are authorized as, unless that is the administrator.
    pub(crate) acting: Option<User>,
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
