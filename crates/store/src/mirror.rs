//! A directory as a live copy of another store: it follows that store's commits, and users' changes in the directory
//! become compare-and-swap writes there.
//!
//! The two sides take turns. Changes of the directory are sent first: each is decided on the current state of the other
//! store, so it is applied, merged with changes there, or rejected and reverted. Then the commits of the other store
//! are copied, as long as the directory has no new changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::admit::{Admit, HandEdit, Intent};
use super::contract::Store;
use super::edit_reports::edits_between;
use super::error::StoreError;
use super::import_reports::HAND_EDIT;
use super::interface::{
    Batch, Cause, Change, Event, Expect, HistoryQuery, Op, Result, Splits, View,
};
use super::judge::{forget_managed_fields, parse_stored, stored_form};
use super::key::{Key, Range};
use super::merge::merge;
use super::revision::Revision;
use super::transfer::Copying;
use crate::api::json::Value;

/// The writer of commits that only a mirror makes.
const MIRROR: &str = "mirror";

/// The number of objects that one commit copies if the history does not contain their commits.
const TOGETHER: usize = 500;

/// The point up to which a mirror and its original are the same.
///
/// ```
/// let begun = ctl_store::Mirrored::default();
/// assert_eq!((begun.original, begun.mirror), (0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mirrored {
    /// The revision of the original.
    pub original: Revision,
    /// The revision of the mirror.
    pub mirror: Revision,
}

/// A store in a directory that follows another one.
///
/// ```
/// use ctl_store::{Batch, Cause, Expect, Key, MemoryStore, Mirror, Op, PlainAdmit, Range, Settings, Store};
/// use ctl_sys::clock::Clock;
/// use ctl_sys::entropy::Seed;
///
/// let store = |seed| MemoryStore::new(Clock::System, Settings::new(Seed(seed)));
/// let (original, copy) = (store(1), store(2));
/// let key = Key::new("configmaps", Some("default"), "a").unwrap();
/// let json = br#"{"apiVersion":"v1","kind":"ConfigMap"}"#.to_vec();
/// original.commit(&Cause::new("you", "create"), Batch::new(vec![Op::put(key, json, Expect::Absent)]))?;
///
/// let mut mirror = Mirror::new(&original, &copy, &PlainAdmit, None)?;
/// mirror.step(&mut |lost| println!("{lost}"))?;
/// assert_eq!(copy.list(&Range::all())?.items.len(), 1);
/// # Ok::<(), ctl_store::StoreError>(())
/// ```
pub struct Mirror<'s> {
    original: &'s dyn Store,
    mirror: &'s dyn Store,
    admit: &'s dyn Admit,
    copy: Copying<'s>,
    at: Mirrored,
    /// Objects with rejected changes in the mirror, with their previous versions.
    lost: BTreeMap<Key, Option<Arc<[u8]>>>,
}

impl std::fmt::Debug for Mirror<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mirror")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl<'s> Mirror<'s> {
    /// Continues from `at`, or starts in an empty store with the oldest state in the original's history. `admit`
    /// decides on hand edits that must be merged.
    ///
    /// # Errors
    /// Fails if one of the stores cannot be read, or the new mirror is not empty or cannot be written.
    pub fn new(
        original: &'s dyn Store,
        mirror: &'s dyn Store,
        admit: &'s dyn Admit,
        at: Option<Mirrored>,
    ) -> Result<Self> {
        let mut this = Self {
            original,
            mirror,
            admit,
            copy: Copying::new(mirror),
            at: at.unwrap_or_default(),
            lost: BTreeMap::new(),
        };
        match at {
            Some(_) => this.recognize()?,
            None => this.begin()?,
        }
        Ok(this)
    }

    /// Returns the point up to which both sides are the same; the caller stores it after each step.
    pub fn at(&self) -> Mirrored {
        self.at
    }

    /// Sends the changes of the mirror to the original and copies those of the original. `tell` gets a sentence for
    /// each rejected change. Returns true if anything changed.
    ///
    /// # Errors
    /// Fails if a store cannot be read or written; the next step continues from there.
    pub fn step(&mut self, tell: &mut dyn FnMut(&str)) -> Result<bool> {
        let before = self.at;
        // Sent before anything is copied, so that a copied commit never replaces an unsent change.
        self.send(tell)?;
        let is_whole = self.follow()?;
        Ok(!is_whole || self.at != before)
    }

    fn begin(&mut self) -> Result<()> {
        // Without a common state, existing objects could not be distinguished from changes.
        if !self.mirror.list(&Range::all())?.items.is_empty() {
            let text = format!(
                "{} is not empty: a mirror needs a new one",
                self.mirror.place()
            );
            return Err(StoreError::Refused(text));
        }
        // The oldest state, so that the history of the mirror begins at the same point.
        self.at = Mirrored {
            original: self.original.oldest()?,
            mirror: self.mirror.revision()?,
        };
        let first = self.original.list_at(&Range::all(), self.at.original)?;
        let cause = Cause::new(MIRROR, "base: the state before the history that is kept");
        self.take(
            &cause,
            first
                .items
                .into_iter()
                .map(|item| (item.key, Some(item.json))),
        )?;
        Ok(())
    }

    /// Finds the commits that were copied or sent by a process that died before it could record them.
    fn recognize(&mut self) -> Result<()> {
        // In the same order on both sides, because a mirror sends and copies one commit at a time.
        let own = self.news_of_mirror()?.0;
        let theirs = match self.news_of_original() {
            Ok((theirs, _)) => theirs,
            // The next step makes both sides equal.
            Err(StoreError::Gone { .. }) => return Ok(()),
            Err(e) => return Err(e),
        };
        for (own, theirs) in own.iter().zip(&theirs) {
            let (Some(here), Some(there)) = (own.events.last(), theirs.events.last()) else {
                break;
            };
            // A change that was copied must not be sent back, because the original may be ahead.
            if !is_same(own, theirs) {
                break;
            }
            self.at = Mirrored {
                original: there.revision,
                mirror: here.revision,
            };
        }
        Ok(())
    }

    /// Returns the commits of the mirror that change something, and the revision up to which they are complete.
    fn news_of_mirror(&self) -> Result<(Vec<Change>, Revision)> {
        news(self.mirror, self.at.mirror)
    }

    fn news_of_original(&self) -> Result<(Vec<Change>, Revision)> {
        news(self.original, self.at.original)
    }

    /// Sends the changes of the mirror, commit by commit.
    fn send(&mut self, tell: &mut dyn FnMut(&str)) -> Result<()> {
        let (changes, end) = self.news_of_mirror()?;
        for change in &changes {
            // A commit of a process that died after it reverted changes.
            let is_own = change.cause.writer == MIRROR;
            if !is_own && let Err(reason) = self.send_one(change)? {
                self.lose(change, &reason, tell)?;
            }
            // Recorded per commit: after an error the next step must not send this one again.
            if let Some(last) = change.events.last() {
                self.at.mirror = last.revision;
            }
        }
        self.at.mirror = end;
        // Together and last, because a later change may build on a rejected one.
        let lost = std::mem::take(&mut self.lost);
        let cause = Cause::new(MIRROR, "conflict");
        if !self.take(&cause, lost.clone().into_iter())? {
            self.lost = lost;
        }
        Ok(())
    }

    /// Writes one commit of the mirror to the original; the inner error is the reason for a rejection.
    fn send_one(&self, change: &Change) -> Result<std::result::Result<(), String>> {
        let mut lost = None;
        let done = self.original.transact(&change.cause, &mut |view| {
            // The decision may run again on another state, where an earlier rejection no longer counts.
            lost = None;
            let mut ops = Vec::new();
            for event in &change.events {
                match self.decide(view, event)? {
                    Ok(op) => ops.extend(op),
                    // All or nothing: a commit of several objects must not arrive in part.
                    Err(reason) => {
                        lost = Some(format!("{}: {reason}", event.key.path()));
                        return Ok(None);
                    }
                }
            }
            let batch = Batch {
                // The time of the edit, which both histories then agree on.
                made: Some(change.time),
                // A directory commits more objects at once than etcd does. A part that was written already is skipped by
                // the next attempt.
                splits: Splits::InOrder,
                ..Batch::new(ops)
            };
            Ok((!batch.ops.is_empty()).then_some(batch))
        });
        match (done, lost) {
            (_, Some(reason)) => Ok(Err(reason)),
            (Ok(_), None) => Ok(Ok(())),
            // It can never be written unchanged, and without a decision it would be retried forever.
            (Err(e @ (StoreError::TooLarge { .. } | StoreError::Refused(_))), None) => {
                Ok(Err(e.to_string()))
            }
            (Err(e), None) => Err(e),
        }
    }

    /// Decides on one change in the state of the original: returns the resulting write, if any, or the reason for a
    /// rejection.
    fn decide(
        &self,
        view: &(dyn View + Sync),
        event: &Event,
    ) -> Result<std::result::Result<Option<Op>, String>> {
        let key = &event.key;
        let current = view.get(key)?;
        let now = current.as_ref().map(|stored| &stored.json);
        let before = event.before.as_ref().map(|(_, json)| json);
        let expect = current
            .as_ref()
            .map_or(Expect::Absent, |c| Expect::At(c.revision));
        // An earlier attempt with an unknown outcome, or the same change by another user.
        if now == event.after.as_ref() {
            return Ok(Ok(None));
        }
        let op = |json: Option<Arc<[u8]>>| Op {
            json,
            ..Op::delete(key.clone(), expect)
        };
        // Unchanged in the original, so the change applies without a merge.
        if now == before {
            return Ok(Ok(Some(op(event.after.clone()))));
        }
        let (Some(before), Some(now)) = (before, now) else {
            let word = if now.is_some() { "created" } else { "deleted" };
            return Ok(Err(format!(
                "it was {word} in the cluster at the same time"
            )));
        };
        let (base, theirs) = (parse_stored(before), parse_stored(now));
        let Some(after) = &event.after else {
            let by_others = edits_between(&base, &theirs);
            // The status changes frequently and must not prevent the deletion of the object.
            let changed = by_others
                .iter()
                .find(|change| !change.path.starts_with("status"));
            return Ok(match changed {
                Some(change) => Err(format!(
                    "{} was changed in the cluster at the same time",
                    change.path
                )),
                None => Ok(Some(op(None))),
            });
        };
        Ok(self
            .merged(view, key, [base, theirs, parse_stored(after)])
            .map(|merged| Some(op(merged.map(|value| stored_form(value).into())))))
    }

    /// Merges a change with later changes of the original, by the rules of hand edits.
    fn merged(
        &self,
        view: &(dyn View + Sync),
        key: &Key,
        [mut base, theirs, mut mine]: [Value; 3],
    ) -> std::result::Result<Option<Value>, String> {
        let mut plain = theirs.clone();
        // The server sets these on both sides; `admit` sets those of the merged object.
        for object in [&mut base, &mut plain, &mut mine] {
            forget_managed_fields(object);
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.remove("generation");
            }
        }
        let proposed = merge(&base, &plain, &mine).map_err(|clash| {
            let field = clash.0;
            format!("{field} was changed both here and in the cluster")
        })?;
        self.admit.admit(HandEdit {
            key,
            current: Some(&theirs),
            proposed: Some(proposed),
            intent: Intent::Edit,
            past: None,
            revision: view.revision() + 1,
            now: view.now(),
            seed: self.original.settings().seed(),
            view,
        })
    }

    /// Keeps a rejected change next to its file, and records the version to restore.
    fn lose(&mut self, change: &Change, reason: &str, tell: &mut dyn FnMut(&str)) -> Result<()> {
        let mut kept = Vec::new();
        for event in &change.events {
            // Both sides have the oldest version.
            let before = event.before.as_ref().map(|(_, json)| Arc::clone(json));
            self.lost.entry(event.key.clone()).or_insert(before);
            if change.cause.writer == HAND_EDIT
                && let (Some(json), Some(directory)) = (&event.after, self.mirror.directory())
            {
                kept.push(directory.keep_rejected(&event.key, json, reason)?);
            }
        }
        // A command has no file that could be kept.
        match kept.is_empty() {
            true => tell(&format!("{reason}; {} is reverted", change.cause.writer)),
            false => tell(&format!(
                "{reason}; the file is kept as {}",
                kept.join(", ")
            )),
        }
        Ok(())
    }

    /// Copies the commits of the original; returns false if the mirror has a new change that must be sent first.
    fn follow(&mut self) -> Result<bool> {
        // A new change of the mirror prevented the reversal of rejected ones, so it is sent first.
        if !self.lost.is_empty() {
            return Ok(false);
        }
        let (changes, end) = match self.news_of_original() {
            Ok(news) => news,
            Err(StoreError::Gone { .. }) => return self.catch_up(),
            Err(e) => return Err(e),
        };
        for change in &changes {
            // Refused by the transaction itself if another process commits first.
            self.copy.only_behind(self.at.mirror);
            // This commit may be the first to check a file, and then finds an edit.
            let Some(revision) = self.copy.follow(change)? else {
                return Ok(false);
            };
            self.at.mirror = revision;
            if let Some(last) = change.events.last() {
                self.at.original = last.revision;
            }
        }
        self.at.original = end;
        Ok(true)
    }

    /// Makes the mirror equal to the original if its history since then is no longer retained.
    fn catch_up(&mut self) -> Result<bool> {
        let theirs = self.original.list(&Range::all())?;
        // Only differences, because each write is a commit that triggers watchers of the mirror.
        let mut own: BTreeMap<Key, Arc<[u8]>> = BTreeMap::new();
        own.extend(
            self.mirror
                .list(&Range::all())?
                .items
                .into_iter()
                .map(|o| (o.key, o.json)),
        );
        let mut changes = Vec::new();
        for item in theirs.items {
            if own.remove(&item.key).as_ref() != Some(&item.json) {
                changes.push((item.key, Some(item.json)));
            }
        }
        changes.extend(own.into_keys().map(|key| (key, None)));
        let cause = Cause::new(
            MIRROR,
            "catch-up: the history in between is no longer available",
        );
        let is_taken = self.take(&cause, changes.into_iter())?;
        if is_taken {
            self.at.original = theirs.revision;
        }
        Ok(is_taken)
    }

    /// Writes states of objects into the mirror; returns false if it has a new change.
    fn take(
        &mut self,
        cause: &Cause,
        states: impl Iterator<Item = (Key, Option<Arc<[u8]>>)>,
    ) -> Result<bool> {
        let op = |(key, json): (Key, Option<Arc<[u8]>>)| Op {
            json,
            ..Op::delete(key, Expect::Any)
        };
        let ops: Vec<Op> = states.map(op).collect();
        // In parts, because one batch has a limit in bytes.
        for part in ops.chunks(TOGETHER) {
            // A hand edit that is imported in between must be sent before it is overwritten.
            self.copy.only_behind(self.at.mirror);
            let Some(revision) = self.copy.commit(cause, Batch::new(part.to_vec()), &[])? else {
                return Ok(false);
            };
            self.at.mirror = revision;
        }
        Ok(true)
    }
}

/// Returns the commits of a store after a revision that change something, and the revision up to which they are
/// complete.
fn news(store: &dyn Store, after: Revision) -> Result<(Vec<Change>, Revision)> {
    let until = store.revision()?;
    // The usual case: the history is not read.
    if until == after {
        return Ok((Vec::new(), until));
    }
    let past = HistoryQuery {
        after,
        until,
        ..HistoryQuery::default()
    };
    let mut changes = store.history(&past)?;
    // Commits without objects, such as moves of the clock, have nothing to copy or send.
    changes.retain(|change| !change.events.is_empty());
    Ok((changes, until))
}

/// Returns true if one commit is a copy of the other.
fn is_same(one: &Change, other: &Change) -> bool {
    let cause = |change: &Change| (change.cause.writer.clone(), change.cause.rule.clone());
    let same = |(one, other): (&Event, &Event)| one.key == other.key && one.after == other.after;
    cause(one) == cause(other)
        && one.events.len() == other.events.len()
        && one.events.iter().zip(&other.events).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admit::PlainAdmit;
    use crate::sys::clock::Clock;
    use crate::sys::entropy::Seed;
    use crate::{ClockMode, MemoryStore, Settings};

    fn store(seed: u64, shared: bool) -> MemoryStore {
        let settings = Settings {
            clock: ClockMode::System,
            ..Settings::new(Seed(seed))
        };
        match shared {
            true => MemoryStore::with_shared_revisions(Clock::System, settings),
            false => MemoryStore::new(Clock::System, settings),
        }
    }

    fn key(name: &str) -> Key {
        Key::new("configmaps", Some("default"), name).unwrap()
    }

    fn object(name: &str, data: &str) -> Vec<u8> {
        format!(
            r#"{{"apiVersion":"v1","data":{data},"kind":"ConfigMap","metadata":{{"creationTimestamp":"2026-01-01T00:00:00Z","name":"{name}","namespace":"default","uid":"u-{name}"}}}}"#
        )
        .into_bytes()
    }

    fn put(store: &MemoryStore, name: &str, data: &str) {
        let op = Op::put(key(name), object(name, data), Expect::Any);
        store
            .commit(&Cause::new("you", "put"), Batch::new(vec![op]))
            .unwrap();
    }

    fn remove(store: &MemoryStore, name: &str) {
        let op = Op::delete(key(name), Expect::Present);
        store
            .commit(&Cause::new("you", "delete"), Batch::new(vec![op]))
            .unwrap();
    }

    fn data(store: &MemoryStore, name: &str) -> Option<String> {
        let stored = store.get(&key(name)).unwrap()?;
        Some(parse_stored(&stored.json)["data"].to_string())
    }

    /// Returns the state of an object, which must be the same on both sides.
    fn both(original: &MemoryStore, copy: &MemoryStore, name: &str) -> Option<String> {
        let (there, here) = (data(original, name), data(copy, name));
        assert_eq!(there, here, "{name}");
        here
    }

    #[test]
    fn mirror_follows_the_original_and_writes_changes_back() {
        let (original, copy) = (store(1, true), store(2, false));
        put(&original, "a", r#"{"k":"1"}"#);
        put(&original, "a", r#"{"k":"2"}"#);
        put(&original, "b", "{}");
        let mut mirror = Mirror::new(&original, &copy, &PlainAdmit, None).unwrap();
        let mut step = || {
            let mut told = Vec::new();
            while mirror.step(&mut |text| told.push(text.to_owned())).unwrap() {}
            told.join("\n")
        };
        assert_eq!(step(), "");
        assert_eq!(both(&original, &copy, "a").unwrap(), r#"{"k":"2"}"#);
        // The history was copied as well.
        let past = HistoryQuery {
            after: copy.oldest().unwrap(),
            ..HistoryQuery::default()
        };
        let writes = copy.history(&past).unwrap();
        assert_eq!(writes.iter().filter(|c| c.cause.rule == "put").count(), 3);

        put(&copy, "a", r#"{"k":"3"}"#);
        remove(&copy, "b");
        put(&copy, "c", "{}");
        assert_eq!(step(), "");
        assert_eq!(both(&original, &copy, "a").unwrap(), r#"{"k":"3"}"#);
        assert_eq!(both(&original, &copy, "b"), None);
        assert!(both(&original, &copy, "c").is_some());

        // Different fields are merged; a change of the same field is rejected.
        put(&copy, "a", r#"{"here":"1","k":"3"}"#);
        put(&original, "a", r#"{"k":"3","there":"1"}"#);
        assert_eq!(step(), "");
        let merged = both(&original, &copy, "a").unwrap();
        assert_eq!(merged, r#"{"here":"1","k":"3","there":"1"}"#);
        put(&copy, "a", r#"{"k":"mine"}"#);
        put(&original, "a", r#"{"k":"theirs"}"#);
        let told = step();
        assert!(
            told.contains("was changed both here and in the cluster"),
            "{told}"
        );
        assert_eq!(both(&original, &copy, "a").unwrap(), r#"{"k":"theirs"}"#);
        remove(&copy, "c");
        put(&original, "c", r#"{"k":"1"}"#);
        let told = step();
        assert!(
            told.contains("data.k was changed in the cluster at the same time"),
            "{told}"
        );
        assert_eq!(both(&original, &copy, "c").unwrap(), r#"{"k":"1"}"#);
        put(&copy, "new", r#"{"k":"mine"}"#);
        put(&original, "new", r#"{"k":"theirs"}"#);
        let told = step();
        assert!(
            told.contains("it was created in the cluster at the same time"),
            "{told}"
        );
        assert_eq!(both(&original, &copy, "new").unwrap(), r#"{"k":"theirs"}"#);
    }

    #[test]
    fn mirror_restarted_at_an_old_position_sends_nothing_back() {
        let (original, copy) = (store(1, true), store(2, false));
        put(&original, "a", r#"{"k":"1"}"#);
        let mut mirror = Mirror::new(&original, &copy, &PlainAdmit, None).unwrap();
        while mirror.step(&mut |_| {}).unwrap() {}
        let noted = mirror.at();
        put(&original, "a", r#"{"k":"2"}"#);
        while mirror.step(&mut |_| {}).unwrap() {}
        drop(mirror);
        put(&original, "a", r#"{"k":"1"}"#);
        put(&copy, "b", "{}");
        let before = original.revision().unwrap();
        let mut again = Mirror::new(&original, &copy, &PlainAdmit, Some(noted)).unwrap();
        while again.step(&mut |text| panic!("{text}")).unwrap() {}
        assert_eq!(both(&original, &copy, "a").unwrap(), r#"{"k":"1"}"#);
        assert!(both(&original, &copy, "b").is_some());
        // Only the object of the copy.
        assert_eq!(original.revision().unwrap(), before + 1);
    }

    #[test]
    fn a_mirror_restarted_after_a_compaction_catches_up() {
        let (original, copy) = (store(1, true), store(2, false));
        put(&original, "a", "{}");
        let mut mirror = Mirror::new(&original, &copy, &PlainAdmit, None).unwrap();
        while mirror.step(&mut |_| {}).unwrap() {}
        let noted = Mirrored {
            original: 0,
            ..mirror.at()
        };
        drop(mirror);
        put(&copy, "b", "{}");
        put(&original, "a", r#"{"k":"1"}"#);
        let mut again = Mirror::new(&original, &copy, &PlainAdmit, Some(noted)).unwrap();
        while again.step(&mut |text| panic!("{text}")).unwrap() {}
        assert_eq!(both(&original, &copy, "a").unwrap(), r#"{"k":"1"}"#);
        assert!(both(&original, &copy, "b").is_some());
    }

    #[test]
    fn a_mirror_that_missed_the_history_catches_up() {
        let (original, copy) = (store(1, true), store(2, false));
        put(&original, "a", "{}");
        put(&original, "b", "{}");
        let mut mirror = Mirror::new(&original, &copy, &PlainAdmit, None).unwrap();
        while mirror.step(&mut |_| {}).unwrap() {}
        mirror.at.original = 0;
        remove(&original, "a");
        put(&original, "b", r#"{"k":"1"}"#);
        assert!(mirror.catch_up().unwrap());
        assert_eq!(both(&original, &copy, "a"), None);
        assert_eq!(both(&original, &copy, "b").unwrap(), r#"{"k":"1"}"#);
        assert_eq!(mirror.at.original, original.revision().unwrap());
    }
}
