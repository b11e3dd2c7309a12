//! The state of a store in memory: the objects, the clock and the history, as a value that can be copied at the cost of
//! a few reference counts.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

use super::map::SharedMap;
use crate::error::StoreError;
use crate::interface;
use crate::interface::{
    Batch, Cause, CausingChange, Change, ChangeReason, Committed, Event, HistoryQuery, Listing,
    Result, Stored, View,
};
use crate::key::{Key, Range};
use crate::retention::Retention;
use crate::revision::Revision;
use crate::rules;
use crate::settings::ClockMode;

/// The objects of a cluster at one revision, from which a store in memory starts.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) revision: Revision,
    pub(crate) epoch: u64,
    pub(crate) time: Timestamp,
    pub(crate) items: Vec<Stored>,
}

/// The newest version of an object.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) revision: Revision,
    pub(crate) json: Arc<[u8]>,
}

/// A position in the history: the revision after a commit and the number of the commit, because a commit that moves the
/// clock has no separate revision.
type Place = (Revision, u64);

/// The state of a store in memory.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) revision: Revision,
    pub(crate) epoch: u64,
    pub(crate) time: Timestamp,
    /// True if the objects of a commit share a revision, as on etcd.
    pub(crate) shares: bool,
    objects: SharedMap<Key, Entry>,
    log: SharedMap<Place, Arc<Change>>,
    /// The number of commits so far.
    commits: u64,
    /// The oldest revision whose later changes are all in the log.
    pub(crate) oldest: Revision,
    /// The bytes of the objects in the log.
    kept: u64,
}

impl State {
    pub(crate) fn at(point: Point) -> Self {
        let mut objects = SharedMap::default();
        // In the order of their keys, so that blocks are filled one after the other.
        for Stored {
            key,
            revision,
            json,
        } in point.items
        {
            objects.insert(key, Entry { revision, json });
        }
        Self {
            revision: point.revision,
            epoch: point.epoch,
            time: point.time,
            shares: false,
            objects,
            log: SharedMap::default(),
            commits: 0,
            oldest: point.revision,
            kept: 0,
        }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Stored> {
        let entry = self.objects.get(key)?;
        Some(Stored {
            key: key.clone(),
            revision: entry.revision,
            json: Arc::clone(&entry.json),
        })
    }

    pub(crate) fn revision_of(&self, key: &Key) -> Option<Revision> {
        self.objects.get(key).map(|entry| entry.revision)
    }

    /// Returns the objects of a range, in the order of their keys.
    pub(crate) fn list(&self, range: &Range) -> Vec<Stored> {
        let stored = |(key, entry): (&Key, &Entry)| Stored {
            key: key.clone(),
            revision: entry.revision,
            json: Arc::clone(&entry.json),
        };
        self.range(range).map(stored).collect()
    }

    /// Returns the objects of a range in place, in the order of their keys.
    pub(crate) fn range<'s>(
        &'s self,
        range: &'s Range,
    ) -> impl Iterator<Item = (&'s Key, &'s Entry)> {
        let prefix = range.as_str();
        let from = self.objects.from(move |key| key.as_str() < prefix);
        from.take_while(move |(key, _)| key.as_str().starts_with(prefix))
    }

    /// Returns the objects of a range at an earlier revision.
    pub(crate) fn list_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        let mut items: BTreeMap<Key, Stored> = BTreeMap::new();
        for item in self.list(range) {
            items.insert(item.key.clone(), item);
        }
        // Backwards through the changes, as in a directory: the cost depends on the age of the
        // state and not on the size of the history.
        for event in self.events(range, revision)?.into_iter().rev() {
            match event.before {
                Some((revision, json)) => {
                    let item = Stored {
                        key: event.key.clone(),
                        revision,
                        json,
                    };
                    items.insert(event.key, item);
                }
                None => drop(items.remove(&event.key)),
            }
        }
        let items = items.into_values().collect();
        Ok(Listing { revision, items })
    }

    pub(crate) fn check_kept(&self, after: Revision) -> Result<()> {
        // A watch from a future revision comes from a client of another cluster. It must not wait in silence.
        if after > self.revision {
            return Err(StoreError::Future {
                asked: after,
                current: self.revision,
            });
        }
        if after < self.oldest {
            return Err(StoreError::Gone {
                asked: after,
                oldest: self.oldest,
            });
        }
        Ok(())
    }

    /// Returns the changes of a range after a revision.
    pub(crate) fn events(&self, range: &Range, after: Revision) -> Result<Vec<Event>> {
        self.check_kept(after)?;
        let later = self.log.from(|(revision, _)| *revision <= after);
        let events = later.flat_map(|(_, change)| &change.events);
        let wanted = |event: &&Event| event.revision > after && range.contains(event.key.as_str());
        Ok(events.filter(wanted).cloned().collect())
    }

    /// Shows the commits of a part of the past.
    pub(crate) fn history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()> {
        // A request for the past may start beyond the newest revision, and then returns no changes.
        self.check_kept(past.after.min(self.revision))?;
        for (_, change) in self.log.from(|(revision, _)| *revision < past.after) {
            let time = change.time;
            if past.since.is_some_and(|t| time < t) || past.before.is_some_and(|t| time > t) {
                continue;
            }
            let wanted = |event: &&Event| {
                event.revision > past.after
                    && event.revision <= past.until
                    && past.selects(event.key.as_str())
            };
            let events: Vec<Event> = change.events.iter().filter(wanted).cloned().collect();
            let moves_the_clock = change.events.is_empty() && past.selects_all();
            if events.is_empty() && !moves_the_clock {
                continue;
            }
            let shown = Change {
                time,
                cause: change.cause.clone(),
                epoch: change.epoch,
                events,
            };
            if visit(shown).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Returns the state at an earlier revision, without later changes.
    pub(crate) fn back_to(&self, revision: Revision) -> Result<Self> {
        let items = self.list_at(&Range::all(), revision)?.items;
        let last = self.log.from(|_| false);
        let last = last.take_while(|((at, _), _)| *at <= revision).last();
        let (time, epoch) = last.map_or((self.time, 0), |(_, c)| (c.time, c.epoch));
        let mut then = Self::at(Point {
            revision,
            epoch,
            time,
            items,
        });
        // The history up to then stays, as for a copy of now.
        for ((at, commit), change) in self.log.from(|_| false) {
            if *at > revision {
                break;
            }
            then.keep((*at, *commit), Arc::clone(change));
        }
        (then.oldest, then.commits, then.shares) = (self.oldest, self.commits, self.shares);
        Ok(then)
    }

    /// Applies a batch if its preconditions are met. `now` is the time of the commit.
    pub(crate) fn commit(
        &mut self,
        cause: &Cause,
        batch: Batch,
        clock: ClockMode,
        now: Timestamp,
    ) -> Result<Committed> {
        rules::check_limits(&batch)?;
        rules::check(&batch, self.epoch, &|key| self.revision_of(key))?;
        let (time, moved) = rules::time_of(&batch, clock, now);
        let epoch = rules::epoch_of(&batch, self.epoch, self.revision);
        let is_recorded = batch.lead || batch.marks || moved;
        let mut revisions = Vec::with_capacity(batch.ops.len());
        let mut events = Vec::new();
        // The revision alone names a change unless several share it, and the history of 100,000 Pods has many causes.
        let shares = self.shares;
        let named = |trigger: Option<CausingChange>| match shares {
            true => trigger,
            false => trigger.map(|change| change.revision.into()),
        };
        for op in batch.ops {
            let old = self.objects.get(&op.key);
            // As in Kubernetes, an update that changes nothing creates no new `resourceVersion` and triggers no watch
            // event.
            if old.map(|entry| &entry.json) == op.json.as_ref() {
                revisions.push(None);
                continue;
            }
            let before = old.map(|entry| (entry.revision, Arc::clone(&entry.json)));
            if !self.shares || events.is_empty() {
                self.revision += 1;
            }
            let revision = self.revision;
            revisions.push(Some(revision));
            match &op.json {
                Some(json) => {
                    let json = Arc::clone(json);
                    self.objects
                        .insert(op.key.clone(), Entry { revision, json });
                }
                None => drop(self.objects.remove(&op.key)),
            }
            events.push(Event {
                key: op.key,
                revision,
                after: op.json,
                before,
                why: op.why.map(|why| ChangeReason {
                    trigger: named(why.trigger),
                    rule: why.rule,
                }),
            });
        }
        if events.is_empty() && !is_recorded {
            return Ok(Committed {
                revision: self.revision,
                revisions,
                epoch,
                time: self.time,
            });
        }
        debug_assert!(
            epoch >= self.epoch,
            "epochs never fall: {epoch} behind {}",
            self.epoch
        );
        (self.time, self.epoch) = (time, epoch);
        self.commits += 1;
        let mut cause = cause.clone();
        cause.trigger = named(cause.trigger);
        let change = Change {
            time,
            cause,
            epoch,
            events,
        };
        self.keep((self.revision, self.commits), Arc::new(change));
        Ok(Committed {
            revision: self.revision,
            revisions,
            epoch,
            time,
        })
    }

    /// Applies a commit that another store has made: objects in its order, `None` for those it removed.
    pub(crate) fn follow(
        &mut self,
        revision: Revision,
        objects: Vec<(Key, Option<Arc<[u8]>>)>,
        told: ForeignCommit,
    ) {
        let mut events = Vec::with_capacity(objects.len());
        // Nearly each of a hundred objects has a reason, so a search for each would be quadratic.
        let mut whys: HashMap<Key, ChangeReason> = told.whys.into_iter().collect();
        for (key, after) in objects {
            let before = match &after {
                Some(json) => {
                    let json = Arc::clone(json);
                    self.objects.insert(key.clone(), Entry { revision, json })
                }
                None => self.objects.remove(&key),
            };
            // An object that was created and removed in one commit leaves no event.
            if after.is_none() && before.is_none() {
                continue;
            }
            events.push(Event {
                why: whys.remove(&key),
                revision,
                after,
                before: before.map(|entry| (entry.revision, entry.json)),
                key,
            });
        }
        (self.revision, self.time, self.epoch) = (revision, told.time, told.epoch);
        // No revision is used twice there, so it is also the number of the commit.
        self.commits = revision;
        let change = Change {
            time: told.time,
            cause: told.cause,
            epoch: told.epoch,
            events,
        };
        self.keep((revision, revision), Arc::new(change));
    }

    /// Prepends the history of an older state, which ends at the start of this one's.
    pub(crate) fn precede(&mut self, older: &Self) {
        for (place, change) in older.log.from(|_| false) {
            if place.0 > self.oldest {
                break;
            }
            self.keep(*place, Arc::clone(change));
        }
        self.oldest = self.oldest.min(older.oldest);
    }

    fn keep(&mut self, place: Place, change: Arc<Change>) {
        self.kept += size(&change);
        let before = self.log.insert(place, change);
        debug_assert!(before.is_none(), "two commits have the place {place:?}");
    }

    /// Forgets the oldest commits that are not to be kept, but none of the last `least` bytes.
    pub(crate) fn forget(&mut self, keep: Retention, least: u64) {
        while self.kept > least
            && let Some((place, change)) = self.log.first()
            // By the cluster's clock: a virtual one may pass 30 days within a commit.
            && !keep.keeps(self.kept, change.time, self.time)
        {
            let (place, size) = (*place, size(change));
            debug_assert!(
                self.kept >= size && place.0 >= self.oldest,
                "the log counts less than it holds, or went back before {}",
                self.oldest
            );
            self.log.remove(&place);
            self.kept -= size;
            self.oldest = place.0;
        }
    }
}

/// The newest bytes of the history that stay in memory whatever the settings say, for watchers that are a little
/// behind.
pub(crate) const FOR_WATCHERS: u64 = 2 << 20;

/// The bytes that a commit keeps alive, about.
fn size(change: &Change) -> u64 {
    // The previous version belongs to another commit, or to the first state.
    let bytes = |event: &Event| event.after.as_ref().map_or(0, |json| json.len()) + 200;
    change.events.iter().map(bytes).sum::<usize>() as u64 + 200
}

/// A commit of another store without its objects.
#[derive(Clone, Debug)]
pub(crate) struct ForeignCommit {
    pub(crate) time: Timestamp,
    pub(crate) epoch: u64,
    pub(crate) cause: Cause,
    /// The objects that were changed for another reason than the commit.
    pub(crate) whys: Vec<(Key, ChangeReason)>,
}

/// The state during a transaction, with the time of its commit.
pub(crate) struct TransactionView {
    pub(crate) state: State,
    pub(crate) now: Timestamp,
}

impl View for TransactionView {
    fn revision(&self) -> Revision {
        self.state.revision
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn epoch(&self) -> u64 {
        self.state.epoch
    }

    fn draws_from(&self) -> u64 {
        match self.state.shares {
            true => interface::draws_of_shared(self.state.revision),
            false => self.state.revision,
        }
    }

    fn get(&self, key: &Key) -> Result<Option<Stored>> {
        Ok(self.state.get(key))
    }

    fn revision_of(&self, key: &Key) -> Result<Option<Revision>> {
        Ok(self.state.revision_of(key))
    }

    fn list(&self, range: &Range) -> Result<Vec<Stored>> {
        Ok(self.state.list(range))
    }
}
