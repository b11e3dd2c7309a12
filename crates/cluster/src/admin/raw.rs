//! Stored objects without the rules of Kubernetes: for `ctl raw` and the tests that drive the store from many
//! processes. Roles do not apply; only the administrator may use them.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use crate::api::json::Value;
use crate::api::patch::merge;
use crate::cluster::{Cluster, Result};
use crate::entry::only_administrator;
use crate::read::list::stored_list;
use crate::series::exposed;
use crate::store::{
    Admit as _, ApiFault, Batch, Cause, Change, ClockMode, Event, Expect, HandEdit, HistoryQuery,
    Intent, Key, Listing, Op, PlainAdmit, Range, Revision, See, StoreError, Stored, View,
};

/// One change of a raw batch.
#[derive(Clone, Debug)]
pub struct RawOp {
    /// The object.
    pub key: Key,
    /// Its new content; `None` removes it.
    pub object: Option<Value>,
    /// The precondition.
    pub expect: Expect,
}

/// The stored objects of a cluster, and their past.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_cluster::{Expect, Key, RawOp, StoredObjects};
///
/// # let cluster = ctl_cluster::Cluster::in_memory(
/// #     &ctl_cluster::Open::as_writer("example"),
/// #     ctl_cluster::Settings::new(ctl_sys::entropy::Seed(1)),
/// # );
/// # cluster.bootstrap()?;
/// let stored: StoredObjects<'_> = cluster.stored();
/// let key = Key::new("configmaps", Some("default"), "settings")?;
/// let put = RawOp {
///     key: key.clone(),
///     object: Some(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}})),
///     expect: Expect::Absent,
/// };
/// stored.commit(&[put], None, "example")?;
/// assert!(stored.get(&key)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoredObjects<'c>(pub(super) &'c Cluster);

impl Cluster {
    /// Returns the stored objects.
    pub fn stored(&self) -> StoredObjects<'_> {
        StoredObjects(self)
    }
}

impl StoredObjects<'_> {
    /// Returns the metrics of the commits that were made through this value, in Prometheus' text format.
    pub fn metrics(&self) -> String {
        exposed(Arc::clone(&self.0.context.commits))
    }

    /// Returns an object.
    ///
    /// # Errors
    /// The API's error if it does not exist.
    pub fn get(&self, key: &Key) -> Result<Option<Stored>> {
        only_administrator(&self.0.context)?;
        self.0.context.store.get(key)
    }

    /// Returns the objects of a range, now or at an earlier revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read, or the revision is no longer known.
    pub fn list(&self, range: &Range, at: Option<Revision>) -> Result<Listing> {
        only_administrator(&self.0.context)?;
        stored_list(&self.0.context, range, at)
    }

    /// Commits changes together; returns each one's revision.
    ///
    /// # Errors
    /// Fails if an expectation does not hold or nothing can be written.
    pub fn commit(
        &self,
        ops: &[RawOp],
        epoch: Option<u64>,
        rule: &str,
    ) -> Result<Vec<Option<Revision>>> {
        only_administrator(&self.0.context)?;
        let cause = self.cause(rule);
        let done = self.0.context.store.transact(&cause, &mut |view| {
            let ops = ops
                .iter()
                .map(|op| self.prepared(view, op))
                .collect::<Result<_>>()?;
            Ok(Some(Batch {
                epoch,
                ..Batch::new(ops)
            }))
        })?;
        Ok(done.map(|d| d.revisions).unwrap_or_default())
    }

    /// Merges a patch into an object under the lock, so that it neither conflicts nor loses a change.
    ///
    /// # Errors
    /// Fails if the object does not exist or nothing can be written.
    pub fn merge(&self, key: &Key, patch: &Value) -> Result<Option<Revision>> {
        only_administrator(&self.0.context)?;
        let done = self
            .0
            .context
            .store
            .transact(&self.cause("merge"), &mut |view| {
                let old = view
                    .get(key)?
                    .ok_or_else(|| StoreError::NotFound(key.clone()))?;
                let mut value = parse(&old)?;
                merge::apply(&mut value, patch);
                // The revision was read under the same lock, so this expectation can only fail by a bug.
                let op = RawOp {
                    key: key.clone(),
                    object: Some(value),
                    expect: Expect::At(old.revision),
                };
                Ok(Some(Batch::new(vec![self.prepared(view, &op)?])))
            })?;
        Ok(done.and_then(|d| d.revisions[0]))
    }

    /// Begins a new leader's epoch, which fences off all earlier ones; returns it.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn lead(&self) -> Result<u64> {
        only_administrator(&self.0.context)?;
        self.0.election().lead()
    }

    /// Returns the changes after a revision, and the revision up to which they are complete.
    ///
    /// # Errors
    /// Fails if they are no longer retained.
    pub fn events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        only_administrator(&self.0.context)?;
        self.0.context.store.events(range, after)
    }

    /// Waits until the cluster is past a revision, or `timeout` is over. Returns its revision.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        self.0.context.store.wait(after, timeout)
    }

    /// Returns the commits of a part of the past.
    ///
    /// # Errors
    /// Fails if they are no longer retained.
    pub fn history(&self, past: &HistoryQuery) -> Result<Vec<Change>> {
        only_administrator(&self.0.context)?;
        self.0.context.store.history(past)
    }

    /// Returns the cluster's revision.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn revision(&self) -> Result<Revision> {
        self.0.context.store.revision()
    }

    /// Begins a new generation of the journal.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn compact(&self) -> Result<()> {
        only_administrator(&self.0.context)?;
        self.0.context.store.compact()
    }

    /// Passes the commits of a part of the past to `see`, oldest first, without copies of the objects.
    ///
    /// # Errors
    /// If they are no longer retained, or the user is not the administrator.
    pub fn visit(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        only_administrator(&self.0.context)?;
        self.0.context.store.visit_commits(past, see)
    }

    /// Passes the commits of a part of the past to `see` like [`Self::visit`], but newest first: for a caller that
    /// stops early.
    ///
    /// # Errors
    /// If they are no longer retained, or the user is not the administrator.
    pub fn visit_back(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        only_administrator(&self.0.context)?;
        self.0.context.store.visit_commits_back(past, see)
    }

    /// Returns the oldest revision of the history: all later changes are retained.
    ///
    /// # Errors
    /// If the cluster cannot be read.
    pub fn oldest(&self) -> Result<Revision> {
        self.0.context.store.oldest()
    }

    /// Returns the cluster's revision and time, read together.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn moment(&self) -> Result<(Revision, Timestamp)> {
        self.0.context.store.moment()
    }

    /// Returns the revision and the time of the newest commit that this process knows, without a request to another
    /// machine.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub fn known_moment(&self) -> Result<(Revision, Timestamp)> {
        self.0.context.store.known_moment()
    }

    /// Records a commit that changes nothing, so that `rule` identifies this point in the history. Returns the
    /// revision.
    ///
    /// # Errors
    /// If nothing can be written, or the user is not the administrator.
    pub fn mark(&self, rule: &str) -> Result<Revision> {
        only_administrator(&self.0.context)?;
        // The store drops a batch without changes unless it marks a point.
        let batch = Batch {
            marks: true,
            ..Batch::default()
        };
        let store = &self.0.context.store;
        let mut revision = store.commit(&self.cause(rule), batch)?.revision;
        // The history shows a commit without changes at the revision of the last change, whatever a store counts
        // besides changes.
        let past = HistoryQuery {
            after: store.oldest()?,
            ..HistoryQuery::default()
        };
        store.visit_commits_back(&past, &mut |commit| {
            let is_mark = commit.rule == rule;
            if is_mark {
                revision = commit.revision;
            }
            Ok(!is_mark)
        })?;
        Ok(revision)
    }

    /// Returns the cluster on the same store, for commits that the history attributes to `writer`. Its requests are the
    /// administrator's until [`Cluster::act_as`].
    #[must_use]
    pub fn written_by(&self, writer: &str) -> Cluster {
        let store = Arc::clone(&self.0.context.store);
        let mut cluster = Cluster::on(store, writer.to_owned(), false);
        cluster.context.identity = Arc::clone(&self.0.context.identity);
        cluster
            .context
            .webhooks
            .clone_from(&self.0.context.webhooks);
        cluster.context.audit.clone_from(&self.0.context.audit);
        cluster.context.is_copy = self.0.context.is_copy;
        cluster
    }

    /// Copies the cluster at a revision into memory, where the clock is stopped at `time`, or at the time of the
    /// revision if that is later.
    ///
    /// # Errors
    /// If the cluster cannot be read, or the revision is no longer retained.
    pub fn as_of(&self, revision: Revision, time: Timestamp) -> Result<Cluster> {
        let mut past = self.0.fork(Some(revision))?;
        // The machine's clock would show ages of today.
        past.configure().set_clock(ClockMode::Virtual)?;
        let _ =
            past.election()
                .move_clock("clock", "clock: read an earlier revision", None, time)?;
        Ok(past)
    }

    /// Returns the stored fault rules.
    pub fn faults(&self) -> Arc<[ApiFault]> {
        self.0.context.store.faults()
    }

    fn cause(&self, rule: &str) -> Cause {
        Cause::new(self.0.context.writer.clone(), rule)
    }

    /// Completes an object's identity and form as an import would.
    fn prepared(&self, view: &dyn View, op: &RawOp) -> Result<Op> {
        let Some(mut object) = op.object.clone() else {
            return Ok(Op::delete(op.key.clone(), op.expect));
        };
        // The version of the caller is in `expect`; in the body it would be stored.
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("resourceVersion");
        }
        let current = view.get(&op.key)?.map(|old| parse(&old)).transpose()?;
        let edit = HandEdit {
            key: &op.key,
            current: current.as_ref(),
            proposed: Some(object),
            intent: Intent::Edit,
            past: None,
            revision: view.draws_from() + 1,
            now: view.now(),
            seed: self.0.context.seed(),
            view,
        };
        let refuse = |reason| StoreError::Refused(format!("{}: {reason}", op.key));
        // Only uid, times and form are completed: the point of raw objects is to store what Kubernetes would reject.
        let admitted = PlainAdmit.admit(edit).map_err(refuse)?.unwrap_or_default();
        let json = serde_json::to_vec(&admitted)
            .map_err(|e| StoreError::Refused(format!("{}: {e}", op.key)))?;
        Ok(Op::put(op.key.clone(), json, op.expect))
    }
}

fn parse(stored: &Stored) -> Result<Value> {
    serde_json::from_slice(&stored.json)
        .map_err(|e| StoreError::Refused(format!("{}: {e}", stored.key)))
}
