//! Copies a cluster from one store into another of any kind: the history, commit by commit.

use std::ops::ControlFlow;

use jiff::Timestamp;

use super::contract::Store;
use super::copy::CopyEnd;
use super::error::StoreError;
use super::interface::{
    Batch, Cause, CausingChange, Change, ChangeReason, Expect, HistoryQuery, Op, Result, Splits,
};
use super::key::Range;
use super::revision::Revision;

/// Copies objects, history, causes and times into an empty store, or the part of them up to a point; returns the number of
/// commits.
///
/// The copy counts revisions in its own way, so the triggers in causes become those of the copied commits.
///
/// # Errors
/// If the target is not empty, the point is no longer retained, or something cannot be read or written.
pub fn transfer(from: &dyn Store, to: &dyn Store, end: Option<CopyEnd>) -> Result<u64> {
    if !to.list(&Range::all())?.items.is_empty() {
        let text = format!("{} is not empty: a copy needs a new cluster", to.place());
        return Err(StoreError::Refused(text));
    }
    let begin = from.oldest()?;
    if let Some(end) = end.filter(|end| end.revision < begin) {
        return Err(StoreError::Gone {
            asked: end.revision,
            oldest: begin,
        });
    }
    let mut copy = Copying::new(to);
    // The causes of the state before the retained history are unknown.
    let base = from.list_at(&Range::all(), begin)?.items;
    let mut base = Some(base).filter(|items| !items.is_empty());
    let mut failed = None;
    let past = HistoryQuery {
        after: begin,
        until: end.map_or(Revision::MAX, |end| end.revision),
        ..HistoryQuery::default()
    };
    from.visit_history(&past, &mut |change| {
        // It has the revision of the commit before it.
        if change.events.is_empty() && end.is_some_and(|end| change.time > end.time) {
            return ControlFlow::Break(());
        }
        let first = base.take().map_or(Ok(()), |items| {
            let ops = items.into_iter();
            let ops = ops.map(|item| Op::put(item.key, item.json.to_vec(), Expect::Absent));
            copy.begin(ops.collect(), begin, change.time)
        });
        match first.and_then(|()| copy.follow(&change)) {
            Ok(_) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if let Some(items) = base {
        let ops = items.into_iter();
        let ops = ops.map(|item| Op::put(item.key, item.json.to_vec(), Expect::Absent));
        let time = end.map_or_else(|| from.now(), |end| Ok(end.time))?;
        copy.begin(ops.collect(), begin, time)?;
    }
    // The next names and uids are the same on both sides. Earlier values of the counter are not known.
    if end.is_none() {
        let drawn = from.draw(0).saturating_sub(to.draw(0));
        to.draw(drawn);
    }
    Ok(copy.count)
}

/// The most revisions that are remembered: older causes are omitted.
const REMEMBERED: usize = 1 << 18;

/// Copies commits into a store.
pub(crate) struct Copying<'s> {
    to: &'s dyn Store,
    /// The revision at which the target must be for the next commit.
    behind: Option<Revision>,
    /// The copied changes: the revision in the original, and the change in the copy.
    changes: Vec<(Revision, CausingChange)>,
    count: u64,
}

impl<'s> Copying<'s> {
    pub(crate) fn new(to: &'s dyn Store) -> Self {
        Self {
            to,
            behind: None,
            changes: Vec::new(),
            count: 0,
        }
    }

    /// Rejects the next commit if the target is at another revision by then.
    pub(crate) fn only_behind(&mut self, revision: Revision) {
        self.behind = Some(revision);
    }

    fn begin(&mut self, ops: Vec<Op>, at: Revision, time: Timestamp) -> Result<()> {
        let cause = Cause::new("copy", "base: the state before the history that is kept");
        let batch = Batch {
            made: Some(time),
            splits: Splits::InOrder,
            ..Batch::new(ops)
        };
        self.commit(&cause, batch, &[at]).map(drop)
    }

    /// Copies a commit; returns the revision of the target, or `None` if it was rejected.
    pub(crate) fn follow(&mut self, change: &Change) -> Result<Option<Revision>> {
        let op = |event: &super::interface::Event| Op {
            why: event.why.as_ref().map(|why| ChangeReason {
                trigger: self.copied(why.trigger.as_ref()),
                rule: why.rule.clone(),
            }),
            ..match &event.after {
                Some(json) => Op::put(event.key.clone(), json.to_vec(), Expect::Any),
                None => Op::delete(event.key.clone(), Expect::Any),
            }
        };
        let ops: Vec<Op> = change.events.iter().map(op).collect();
        let is_lead = ops.is_empty() && change.cause.rule == "lead";
        let batch = Batch {
            made: Some(change.time),
            // A store with a smaller limit may need several commits for one.
            splits: Splits::InOrder,
            lead: is_lead,
            // A commit without changes marks a point or moves the clock.
            marks: ops.is_empty() && !is_lead,
            ..Batch::new(ops)
        };
        let cause = Cause {
            trigger: self.copied(change.cause.trigger.as_ref()),
            ..change.cause.clone()
        };
        let at: Vec<Revision> = change.events.iter().map(|e| e.revision).collect();
        self.commit(&cause, batch, &at)
    }

    /// Makes one commit for the changes at these revisions of the original.
    pub(crate) fn commit(
        &mut self,
        cause: &Cause,
        batch: Batch,
        at: &[Revision],
    ) -> Result<Option<Revision>> {
        let behind = self.behind;
        let done = self.to.transact(cause, &mut |view| {
            // Compared in the transaction, because another process may commit at any time before it.
            let is_there = behind.is_none_or(|behind| view.revision() == behind);
            Ok(is_there.then(|| batch.clone()))
        })?;
        let Some(done) = done else { return Ok(None) };
        self.count += 1;
        let copied = |(own, op): (&Option<Revision>, Op)| CausingChange {
            revision: own.unwrap_or(done.revision),
            object: Some(op.key),
        };
        let copied = done.revisions.iter().zip(batch.ops).map(copied);
        self.changes.extend(at.iter().copied().zip(copied));
        if self.changes.len() > 2 * REMEMBERED {
            self.changes.drain(..REMEMBERED);
        }
        Ok(Some(done.revision))
    }

    /// Returns the change in the copy of a change of the original.
    fn copied(&self, trigger: Option<&CausingChange>) -> Option<CausingChange> {
        let trigger = trigger?;
        let at = trigger.revision;
        let behind = self.changes.partition_point(|(from, _)| *from <= at);
        let upto = self.changes.get(..behind)?;
        // From the end, because a cause is usually one of the last changes.
        let mut own = upto.iter().rev().take_while(|(from, _)| *from == at);
        let named = own.find(|(_, to)| to.object == trigger.object);
        // Earlier versions recorded no object. The last of those that share a revision then, because all of them
        // existed when it was observed.
        named.or(upto.last()).map(|(_, to)| to.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::clock::Clock;
    use crate::sys::entropy::Seed;
    use crate::{ClockMode, Key, MemoryStore, Settings};

    fn store(shared: bool) -> MemoryStore {
        let settings = Settings {
            clock: ClockMode::System,
            ..Settings::new(Seed(1))
        };
        match shared {
            true => MemoryStore::with_shared_revisions(Clock::System, settings),
            false => MemoryStore::new(Clock::System, settings),
        }
    }

    /// Returns the history without revisions, which are each store's own.
    fn told(store: &dyn Store) -> Vec<String> {
        let past = HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        };
        let history = store.history(&past).unwrap();
        let line = |change: &Change| {
            let events = change.events.iter();
            let events = events.map(|e| (e.key.to_string(), e.after.clone()));
            let (writer, rule) = (&change.cause.writer, &change.cause.rule);
            let events: Vec<_> = events.collect();
            format!("{} {writer} {rule} {events:?}", change.time)
        };
        history.iter().map(line).collect()
    }

    #[test]
    fn a_copy_has_the_history_with_its_times_and_causes() {
        let original = store(false);
        let key = |name: &str| Key::new("configmaps", Some("default"), name).unwrap();
        let put = |name: &str, n: u32| {
            let json = format!(r#"{{"apiVersion":"v1","n":{n}}}"#).into_bytes();
            Op::put(key(name), json, Expect::Any)
        };
        let commit = |cause: Cause, ops| original.commit(&cause, Batch::new(ops)).unwrap().revision;
        let first = commit(Cause::new("you", "apply"), vec![put("a", 1), put("b", 1)]);
        // On the way, the first commit has one revision for both objects.
        let caused = Cause {
            trigger: Some((first - 1).into()),
            ..Cause::new("deployment", "scale-up")
        };
        let second = commit(caused, vec![put("a", 2)]);
        let gone = vec![Op::delete(key("b"), Expect::Present)];
        commit(Cause::new("you", "delete"), gone);
        original.draw(7);
        // To a store that counts revisions as etcd does, and back.
        let (there, back) = (store(true), store(false));
        assert_eq!(transfer(&original, &there, None).unwrap(), 3);
        assert_eq!(transfer(&there, &back, None).unwrap(), 3);
        assert_eq!(told(&there), told(&original));
        assert_eq!(told(&back), told(&original));
        let all = Range::all();
        assert_eq!(back.list(&all).unwrap(), original.list(&all).unwrap());
        assert_eq!(back.draw(0), 7);
        let past = HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        };
        let history = back.history(&past).unwrap();
        assert_eq!(history[1].cause.trigger, Some((first - 1).into()));
        assert_eq!(history[1].events[0].revision, second);
        let refused = transfer(&original, &back, None).unwrap_err().to_string();
        assert!(refused.contains("a copy needs a new cluster"), "{refused}");
    }
}
