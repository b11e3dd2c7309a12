//! The state that the verbs share: the store, and the identity of the writer and of the user.

use std::sync::Arc;

use crate::audit::AuditLog;
use crate::commit::measure::Commits;
use crate::identity::Identity;
use crate::impersonation::Acting;
use crate::read::recent::Recent;
use crate::store::{Settings, Store};
use crate::sys::entropy::Seed;
use crate::webhooks::Caller;

/// The store of a cluster, and the identity in which requests reach it.
///
/// A clone shares the store, the commits and the recent changes.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    /// The keys that sign for the cluster.
    pub(crate) identity: Arc<Identity>,
    /// The settings that the cluster was opened with, or set last by this process.
    pub(crate) settings: Arc<Settings>,
    /// The writer that the history names for each commit: the command line, for a program.
    pub(crate) writer: String,
    /// The user that every request is authorized as; `None` leaves a request its own author.
    pub(crate) acting: Option<Acting>,
    /// Calls webhooks; `None` if the program cannot call any.
    pub(crate) webhooks: Option<Arc<dyn Caller>>,
    /// The log of all requests, if there is one.
    pub(crate) audit: Option<Arc<AuditLog>>,
    /// The commits that were made through this value.
    pub(crate) commits: Arc<Commits>,
    /// The recent changes, for the watches of this value.
    pub(crate) recent: Arc<Recent>,
    /// True for a copy of a cluster, whose calls of webhooks are marked as a dry run.
    pub(crate) is_copy: bool,
    /// True if the admission of Pods needs no service accounts.
    pub(crate) without_accounts: bool,
}

impl Context {
    /// Returns the source of names, uids and random draws.
    pub(crate) fn seed(&self) -> Seed {
        self.settings.seed()
    }
}
