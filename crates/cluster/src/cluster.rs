//! A cluster: its store, and the identity behind its requests.

use std::sync::Arc;

use crate::api::status::Status;
use crate::context::Context;
use crate::discovery::Discovery;
use crate::hand_edit::KubernetesAdmit;
use crate::identity::Identity;
use crate::impersonation::Acting;
use crate::kinds::{Catalogue, Kind};
use crate::request::response::ApiError;
use crate::store::{Directory, MemoryStore, Options, Revision, Settings, Store, StoreError};
use crate::webhooks::Caller;

/// The result of every call.
pub type Result<T> = std::result::Result<T, StoreError>;

/// The options for opening a cluster.
#[derive(Clone, Debug, Default)]
pub struct Open {
    /// The options of the store.
    pub options: Options,
    /// Calls the admission webhooks that the cluster's configurations name. Without it, their calls fail.
    pub webhooks: Option<Arc<dyn Caller>>,
    /// True if Pods need no service account and get no token: the plugin `ServiceAccount` is off.
    pub without_accounts: bool,
}

impl Open {
    /// Opens it for a program of this name, with Kubernetes' rules for files edited by hand.
    pub fn as_writer(name: &str) -> Self {
        let mut open = Self::default();
        open.options.command = name.to_owned();
        // The store itself contains no rules of Kubernetes; without these it would import any YAML.
        open.options.admit = Arc::new(KubernetesAdmit);
        open
    }
}

/// A cluster, in a directory or in memory.
#[derive(Debug)]
pub struct Cluster {
    pub(crate) context: Context,
    pub(crate) new: bool,
    pub(crate) discovery: Discovery,
}

impl Cluster {
    /// Wraps an open store; `writer` is named by the history for each commit.
    pub(crate) fn on(store: Arc<dyn Store>, writer: String, new: bool) -> Self {
        let settings = store.settings();
        Self {
            context: Context {
                identity: Arc::new(Identity::from_store(Arc::clone(&store))),
                store,
                settings,
                writer,
                acting: None,
                webhooks: None,
                audit: None,
                commits: Arc::default(),
                recent: Arc::default(),
                is_copy: false,
                without_accounts: false,
            },
            new,
            discovery: Discovery::default(),
        }
    }

    /// Gives the cluster the webhook client that it is opened with.
    pub(crate) fn calling(mut self, open: &Open) -> Self {
        self.context.webhooks.clone_from(&open.webhooks);
        self.context.without_accounts = open.without_accounts;
        self
    }

    /// Creates an empty cluster in memory, which is dropped with the value. [`Cluster::bootstrap`] adds the objects of
    /// a fresh cluster.
    ///
    /// On a virtual clock the same settings and calls give the same bytes.
    pub fn in_memory(open: &Open, settings: Settings) -> Self {
        let store = MemoryStore::new(open.options.clock.clone(), settings);
        Self::on(Arc::new(store), open.options.command.clone(), true).calling(open)
    }

    /// Copies the cluster, at a revision or as it is now, into memory. The copy changes independently.
    /// A fork of a cluster in memory shares everything that neither side changes.
    ///
    /// # Errors
    /// If the cluster cannot be read, or the revision is no longer retained.
    pub fn fork(&self, at: Option<Revision>) -> Result<Self> {
        let store = self.context.store.fork(at)?;
        let mut fork = Self::on(store, self.context.writer.clone(), false);
        // Tokens of the original are tokens of its copy.
        fork.context.identity = Arc::clone(&self.context.identity);
        // A copy must not give a user more rights than the original.
        fork.context.acting.clone_from(&self.context.acting);
        fork.context.webhooks.clone_from(&self.context.webhooks);
        fork.context.is_copy = true;
        fork.context.without_accounts = self.context.without_accounts;
        Ok(fork)
    }

    /// Names the place of the cluster for users: the path of its directory, or `memory:`.
    pub fn place(&self) -> String {
        self.context.store.place()
    }

    /// Returns the abilities of a directory; `work` is refused on other stores.
    pub(crate) fn directory(&self, work: &str) -> Result<&dyn Directory> {
        let place = || {
            format!(
                "{work} needs a cluster in a directory, not {}",
                self.place()
            )
        };
        let directory = self.context.store.directory();
        directory.ok_or_else(|| StoreError::Refused(place()))
    }

    /// Returns the cluster's time.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn now(&self) -> Result<jiff::Timestamp> {
        self.context.store.now()
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.context.settings
    }

    /// Makes every further request one of this user, with the rights that the roles grant, or of a sender who
    /// impersonates another user if the roles allow that.
    pub fn act_as(&mut self, who: impl Into<Acting>) {
        self.context.acting = Some(who.into());
    }

    /// Returns the kinds that are served now.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn kinds(&self) -> Result<Arc<Catalogue>> {
        self.discovery.kinds(&*self.context.store)
    }

    /// Returns the kind for a name, such as `deployments.apps`, `pod` or `cj`.
    ///
    /// # Errors
    /// Fails if no kind is served under the name, or the directory cannot be read.
    pub fn kind(&self, name: &str) -> std::result::Result<&'static Kind, ApiError> {
        let found = self.kinds()?.resolve(name);
        found.ok_or_else(|| {
            let mut status = Status::not_found(name, "");
            // kubectl's text for a name that is missing in discovery.
            status.message = format!("the server doesn't have a resource type {name:?}");
            status.into()
        })
    }
}
