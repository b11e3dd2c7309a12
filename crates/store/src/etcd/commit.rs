//! Commits: a decision on the cache, and one transaction that succeeds only if nothing that was read has changed.

use std::time::Duration;

use ctl_etcd::{Compare, EtcdError, KeyRange, KeyWrite, Txn};
use jiff::Timestamp;

use super::EtcdStore;
use super::follow::Cached;
use super::keys::{EPOCH, HEAD, REMOVED_MANY};
use super::reads::{MOST_BYTES, MOST_COMPARES, MOST_OBJECTS, Reads, Recorder};
use super::record::Head;
use super::shares::Fence;
use crate::error::StoreError;
use crate::interface::{Batch, Cause, Committed, Op, Result, Splits, View};
use crate::revision::Revision;
use crate::rules;
use crate::settings::ClockMode;
use crate::sys::entropy::kernel_random;
use crate::sys::threads::locked;

/// The number of times that a decision is repeated because others were faster.
const ATTEMPTS: usize = 1000;

/// The longest time of a conflict that the cache does not show, before the decision is made again.
const CONFLICT: Duration = Duration::from_millis(100);

/// Removals in more places than this are recorded as removals anywhere.
const PLACES: usize = 8;

/// The number of attempts to determine a lost response.
const FENCES: usize = 6;

/// A decision in the form of a transaction.
struct Plan {
    txn: Txn,
    id: u64,
    /// The result if it succeeds, still without its revision.
    committed: Committed,
    fence: Option<Fence>,
}

/// The outcome of one decision.
enum Decided {
    /// There is nothing to write.
    Nothing(Option<Committed>),
    Write(Box<Plan>),
}

impl EtcdStore {
    pub(super) fn decide_and_commit(
        &self,
        cause: &Cause,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Option<Committed>> {
        let mut turn = None;
        for attempt in 0..ATTEMPTS {
            // Independent decisions need no turn. Dependent ones of one process would conflict again and again.
            if attempt > 0 && turn.is_none() {
                turn = Some(locked(&self.writer));
            }
            let cached = self.shared.cached();
            let seen = cached.seen;
            match self.decide(cause, cached, decide) {
                Ok(Decided::Write(plan)) => {
                    if let Some(done) = self.send(*plan, seen)? {
                        return Ok(Some(done));
                    }
                }
                // Nothing is written that etcd could check, so the cache must have been current.
                other => {
                    self.shared.sync()?;
                    if self.shared.read(|now| now.seen) == seen {
                        return other.map(|decided| match decided {
                            Decided::Nothing(done) => done,
                            Decided::Write(_) => None,
                        });
                    }
                }
            }
        }
        Err(StoreError::Refused(format!(
            "other writers changed the objects of the commit {ATTEMPTS} times in a row"
        )))
    }

    fn decide(
        &self,
        cause: &Cause,
        cached: Cached,
        decide: &mut dyn FnMut(&(dyn View + Sync)) -> Result<Option<Batch>>,
    ) -> Result<Decided> {
        let now = self.time_after(cached.state.time);
        let recorder = Recorder::new(&cached, now);
        let Some(batch) = decide(&recorder)? else {
            return Ok(Decided::Nothing(None));
        };
        // Checked here although etcd compares again, because only the rules have Kubernetes' texts for a rejection.
        rules::check_limits(&batch)?;
        let reads = recorder.into_reads();
        let find = |key: &_| cached.state.revision_of(key);
        rules::check(&batch, cached.state.epoch, &find)?;
        self.plan(cause, batch, &cached, now, reads)
    }

    /// Writes down a batch as a transaction.
    fn plan(
        &self,
        cause: &Cause,
        batch: Batch,
        cached: &Cached,
        now: Timestamp,
        mut reads: Reads,
    ) -> Result<Decided> {
        let (keys, state) = (&self.shared.keys, &cached.state);
        let clock = self.shared.known.get().clock;
        let (time, moved) = rules::time_of(&batch, clock, now);
        let epoch = rules::epoch_of(&batch, state.epoch, state.revision);
        let changed = batch.ops.iter().map(|op| &op.key);
        let checked = batch.checks.iter().map(|(key, _)| key);
        for key in changed.chain(checked) {
            if cached.unreadable.contains(key) {
                // etcd has a value there, so no comparison with the cache can succeed.
                let text = format!(
                    "the value of {} in etcd cannot be read: it may be encrypted by a kube-apiserver",
                    keys.object(key)
                );
                return Err(StoreError::Refused(text));
            }
            reads.add(key);
        }
        // As in Kubernetes, an update that changes nothing creates no new `resourceVersion` and triggers no watch
        // event.
        let is_change = |op: &Op| {
            let old = state.get(&op.key);
            old.as_ref().map(|old| &old.json) != op.json.as_ref()
        };
        let changes: Vec<bool> = batch.ops.iter().map(is_change).collect();
        // Filled in when the revision is known.
        let revisions = changes.iter().map(|is| is.then_some(0)).collect();
        let mut committed = Committed {
            revision: state.revision,
            revisions,
            epoch,
            time,
        };
        let is_recorded = batch.lead || batch.marks || moved;
        if !is_recorded && !changes.contains(&true) {
            committed.time = state.time;
            return Ok(Decided::Nothing(Some(committed)));
        }
        let id = kernel_random();
        let fence = batch.epoch.and_then(|_| self.shared.fence.lock().clone());
        // Commands have no epoch, and continue regardless of the leader.
        let mut first = fence.iter().map(Fence::compare).collect::<Vec<_>>();
        // Two commits on a virtual clock must not be made at the same time of it.
        if clock == ClockMode::Virtual {
            first.push(Compare::mod_revision(keys.own(HEAD), cached.head));
        }
        let head = KeyRange {
            keys_only: true,
            ..KeyRange::key(keys.own(HEAD))
        };
        let mut txn = Txn {
            compares: reads.compares(keys, cached, first),
            otherwise: [head]
                .into_iter()
                .chain(fence.iter().map(Fence::range))
                .collect(),
            ..Txn::default()
        };
        let ops = batch.ops.into_iter().zip(&changes);
        let ops: Vec<Op> = ops.filter(|(_, is)| **is).map(|(op, _)| op).collect();
        let head = Head {
            id,
            time,
            epoch,
            writer: cause.writer.clone(),
            rule: cause.rule.clone(),
            ..Head::default()
        }
        .because(cause, &ops);
        self.write_ops(&ops, &mut txn)?;
        txn.writes
            .push(KeyWrite::put(keys.own(HEAD), head.to_bytes()));
        if batch.lead {
            txn.writes
                .push(KeyWrite::put(keys.own(EPOCH), epoch.to_string()));
        }
        let count = txn.writes.len();
        if count > MOST_COMPARES {
            return Err(too_large(ops.len(), "objects", MOST_OBJECTS));
        }
        let plan = Plan {
            txn,
            id,
            committed,
            fence,
        };
        Ok(Decided::Write(Box::new(plan)))
    }

    fn write_ops(&self, ops: &[Op], txn: &mut Txn) -> Result<()> {
        let settings = self.shared.known.get();
        let keys = &self.shared.keys;
        let mut places = std::collections::BTreeSet::new();
        for op in ops {
            let key = keys.object(&op.key);
            match &op.json {
                Some(json) => txn.writes.push(KeyWrite {
                    lease: self.events.of(&self.shared.client, &settings, &op.key)?,
                    ..KeyWrite::put(key, json.to_vec())
                }),
                None => {
                    txn.writes.push(KeyWrite::delete(key));
                    places.extend(op.key.as_str().rsplit_once('/').map(|(place, _)| place));
                }
            }
        }
        // Ranges read by another decision are compared with these, because a removal leaves nothing to compare.
        if places.len() > PLACES {
            txn.writes.push(KeyWrite::put(keys.own(REMOVED_MANY), ""));
        } else {
            // A fixed last part, so that the record of a namespace is below that of its resource.
            let record = |place| KeyWrite::put(keys.own(&format!("removed/{place}/last")), "");
            txn.writes.extend(places.into_iter().map(record));
        }
        Ok(())
    }

    /// Sends a transaction; `None` if the decision must be made again.
    fn send(&self, plan: Plan, seen: Revision) -> Result<Option<Committed>> {
        // Before it is sent: the watch may be faster than the response.
        self.shared.await_commit(plan.id);
        let sent = self.shared.client.txn(&plan.txn);
        if !matches!(sent, Err(EtcdError::Lost(_))) {
            self.shared.awaited(plan.id);
        }
        let revision = match sent {
            Ok(done) if done.succeeded => done.revision,
            Ok(done) => {
                let revision = |at: usize| Some(done.reads.get(at)?.kvs.first()?.mod_revision);
                if let Some(fence) = plan.fence.filter(|fence| !fence.holds(revision(1))) {
                    return Err(fence.fenced(plan.committed.epoch));
                }
                self.shared.reach(revision(0).unwrap_or(0))?;
                // A change without a record, such as a kube-apiserver's, has not arrived yet.
                self.shared.wait(CONFLICT, |_, now| now > seen);
                return Ok(None);
            }
            Err(EtcdError::Lost(reason)) => match self.outcome(plan.id, &reason)? {
                Some(revision) => revision,
                None => return Ok(None),
            },
            Err(error) => return Err(refused(error)),
        };
        // The caller must be able to read its own write, so the cache catches up first.
        if !self.shared.take_own(revision, plan.txn.writes) {
            self.shared.reach(revision)?;
        }
        let mut committed = plan.committed;
        committed.revision = revision;
        let own = committed.revisions.iter_mut().flatten();
        own.for_each(|at| *at = revision);
        Ok(Some(committed))
    }

    /// Finds out if a transaction whose response is lost was carried out; returns its revision if it was.
    fn outcome(&self, id: u64, reason: &str) -> Result<Option<Revision>> {
        let fence = Txn {
            writes: vec![KeyWrite::put(self.shared.keys.own(EPOCH), "fence")],
            ..Txn::default()
        };
        // The request may still be in flight. Every transaction compares this key, so it can only fail from here on.
        let fenced = (0..FENCES).find_map(|_| self.shared.client.txn(&fence).ok());
        let reached = fenced.is_some_and(|fenced| self.shared.reach(fenced.revision).is_ok());
        match self.shared.awaited(id).filter(|_| reached) {
            Some(seen) => Ok(seen),
            None => Err(StoreError::Etcd(EtcdError::Lost(reason.to_owned()))),
        }
    }

    /// Commits a batch that may be split; the result is that of the whole.
    pub(super) fn commit_parts(&self, cause: &Cause, batch: Batch) -> Result<Committed> {
        let Batch {
            ops,
            checks,
            epoch,
            at,
            made,
            splits,
            ..
        } = batch;
        let mut parts = Vec::new();
        let (mut part, mut size) = (Vec::new(), 0);
        for op in ops {
            let bytes = op.json.as_ref().map_or(0, |json| json.len());
            // Half of the limits leaves room for the records of removals and for the causes.
            if part.len() >= MOST_OBJECTS / 2 || (size + bytes > MOST_BYTES / 2 && size > 0) {
                parts.push(std::mem::take(&mut part));
                size = 0;
            }
            size += bytes;
            part.push(op);
        }
        parts.push(part);
        let mut whole: Option<Committed> = None;
        let mut revisions = Vec::new();
        let first_last = splits == Splits::FirstLast;
        if first_last {
            parts.reverse();
        }
        for ops in parts {
            let part = Batch {
                checks: checks.clone(),
                epoch,
                at,
                made,
                ..Batch::new(ops)
            };
            let done = self.decide_and_commit(cause, &mut |_| Ok(Some(part.clone())))?;
            let done =
                done.ok_or_else(|| StoreError::Refused("the batch was withdrawn".to_owned()))?;
            revisions.push(done.revisions.clone());
            whole = Some(done);
        }
        let mut whole =
            whole.ok_or_else(|| StoreError::Refused("the batch is empty".to_owned()))?;
        if first_last {
            revisions.reverse();
        }
        whole.revisions = revisions.into_iter().flatten().collect();
        Ok(whole)
    }
}

fn too_large(size: usize, unit: &'static str, limit: usize) -> StoreError {
    StoreError::TooLarge {
        what: "the batch".to_owned(),
        size: size as u64,
        unit,
        limit: limit as u64,
    }
}

fn refused(error: EtcdError) -> StoreError {
    match &error {
        // The limits can be set for each member, so etcd's own error counts.
        EtcdError::Refused { message, .. } if message.contains("request is too large") => {
            StoreError::Refused(format!(
                "the commit is larger than etcd accepts (--max-request-bytes): {message}"
            ))
        }
        EtcdError::Refused { message, .. } if message.contains("too many operations") => {
            StoreError::Refused(format!(
                "the commit has more operations than etcd accepts (--max-txn-ops): {message}"
            ))
        }
        _ => StoreError::Etcd(error),
    }
}
