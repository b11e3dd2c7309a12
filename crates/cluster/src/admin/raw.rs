//! Objects as they are stored, without any Kubernetes: for `ctl raw` and the tests that drive the
//! store from many processes. Roles say nothing about them: they are the administrator's.

use std::time::Duration;

use crate::api::json::Value;
use crate::api::patch::merge;
use crate::cluster::{Cluster, Result};
use crate::door::only_administrator;
use crate::read::list::stored_list;
use crate::store::{
    Admit as _, Batch, Cause, Change, Event, Expect, HandEdit, Intent, Key, Listing, Op, Past,
    PlainAdmit, Range, Revision, StoreError, Stored, View,
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

impl Cluster {
    /// One object.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn raw_get(&self, key: &Key) -> Result<Option<Stored>> {
        only_administrator(&self.context)?;
        self.context.store.get(key)
    }

    /// The objects of a range, now or at an earlier revision.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read or the revision is no longer known.
    pub fn raw_list(&self, range: &Range, at: Option<Revision>) -> Result<Listing> {
        only_administrator(&self.context)?;
        stored_list(&self.context, range, at)
    }

    /// Commits changes together; returns each one's revision.
    ///
    /// # Errors
    /// Fails if an expectation does not hold or nothing can be written.
    pub fn raw_commit(
        &self,
        ops: &[RawOp],
        epoch: Option<u64>,
        rule: &str,
    ) -> Result<Vec<Option<Revision>>> {
        only_administrator(&self.context)?;
        let cause = self.cause(rule);
        let done = self.context.store.transact(&cause, &mut |view| {
            let ops = ops
                .iter()
                .map(|op| self.prepared(view, op))
                .collect::<Result<_>>()?;
            Ok(Some(Batch {
                epoch,
                ..Batch::of(ops)
            }))
        })?;
        Ok(done.map(|d| d.revisions).unwrap_or_default())
    }

    /// Merges a patch into an object under the lock: never conflicts, never loses.
    ///
    /// # Errors
    /// Fails if the object is not there or nothing can be written.
    pub fn raw_merge(&self, key: &Key, patch: &Value) -> Result<Option<Revision>> {
        only_administrator(&self.context)?;
        let done = self
            .context
            .store
            .transact(&self.cause("merge"), &mut |view| {
                let old = view
                    .get(key)?
                    .ok_or_else(|| StoreError::NotFound(key.clone()))?;
                let mut value = parse(&old)?;
                merge::apply(&mut value, patch);
                let op = RawOp {
                    key: key.clone(),
                    object: Some(value),
                    expect: Expect::At(old.revision),
                };
                Ok(Some(Batch::of(vec![self.prepared(view, &op)?])))
            })?;
        Ok(done.and_then(|d| d.revisions[0]))
    }

    /// Begins a new leader's epoch.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn raw_lead(&self) -> Result<u64> {
        only_administrator(&self.context)?;
        let batch = Batch {
            lead: true,
            ..Batch::default()
        };
        Ok(self.context.store.commit(&self.cause("lead"), batch)?.epoch)
    }

    /// The changes after a revision.
    ///
    /// # Errors
    /// Fails if they are no longer kept.
    pub fn raw_events(&self, range: &Range, after: Revision) -> Result<(Vec<Event>, Revision)> {
        only_administrator(&self.context)?;
        self.context.store.events(range, after)
    }

    /// Waits until the cluster is past a revision.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn raw_wait(&self, after: Revision, timeout: Duration) -> Result<Revision> {
        self.context.store.wait(after, timeout)
    }

    /// The commits of a part of the past.
    ///
    /// # Errors
    /// Fails if they are no longer kept.
    pub fn raw_history(&self, past: &Past) -> Result<Vec<Change>> {
        only_administrator(&self.context)?;
        self.context.store.history(past)
    }

    /// The cluster's revision.
    ///
    /// # Errors
    /// Fails if the cluster cannot be read.
    pub fn raw_revision(&self) -> Result<Revision> {
        self.context.store.revision()
    }

    /// Begins a new generation of the journal.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    pub fn raw_compact(&self) -> Result<()> {
        only_administrator(&self.context)?;
        self.context.store.compact()
    }

    pub(crate) fn cause(&self, rule: &str) -> Cause {
        Cause::new(self.context.writer.clone(), rule)
    }

    /// Gives an object its identity and form.
    fn prepared(&self, view: &dyn View, op: &RawOp) -> Result<Op> {
        let Some(mut object) = op.object.clone() else {
            return Ok(Op::delete(op.key.clone(), op.expect));
        };
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
            revision: view.revision() + 1,
            now: view.now(),
            seed: self.context.seed(),
            view,
        };
        let refuse = |reason| StoreError::Refused(format!("{}: {reason}", op.key));
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
