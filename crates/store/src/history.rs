//! Reading the past: events after a revision, commits by object, revision and time, earlier states.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

use super::error::StoreError;
use super::files::FileStore;
use super::index::Entry;
use super::interface::{
    Cause, CausingChange, Change, ChangeReason, Event, HistoryQuery, Listing, Result, Stored,
};
use super::journal::{Journal, bodies, damaged, entries, stored};
use super::key::{Key, Range};
use super::memory::state::Point;
use super::record::{OpMeta, Previous, RecordKind};
use super::revision::Revision;
use super::segment::{FoundRecord, Segment, Step, Walk};
use crate::sys::fs::{self, Access};

/// A record visitor's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    On,
    Stop,
}

impl Journal {
    /// Visits the commits after a revision, oldest first, up to the published end.
    pub(crate) fn visit_after(
        &self,
        after: Revision,
        visit: &mut dyn FnMut(&FoundRecord<'_>, &Segment) -> Result<Go>,
    ) -> Result<()> {
        self.walk_after(after, true, visit)
    }

    /// Visits the commits after a revision. `known` requires `after` to be a revision of this history, not one that was
    /// skipped between two generations.
    fn walk_after(
        &self,
        after: Revision,
        known: bool,
        visit: &mut dyn FnMut(&FoundRecord<'_>, &Segment) -> Result<Go>,
    ) -> Result<()> {
        let Some(head) = self.head.clone() else {
            return Ok(());
        };
        if after >= head.revision && after != 0 {
            return Ok(());
        }
        let mut first = head.generation;
        let mut base = self.base.revision;
        let mut older = Vec::new();
        // Each generation starts from the state of the previous one, so a revision before its base is in an older one.
        while after < base {
            let Some(before) = first.checked_sub(1) else {
                break;
            };
            let segment = match Segment::open(&*self.fs, before, Access::Read) {
                Ok(segment) => segment,
                Err(e) if e.is_not_found() => break,
                Err(e) => return Err(e.into()),
            };
            base = self.base_of(&segment)?.revision;
            first = before;
            older.push(segment);
        }
        // HTTP 410 `Expired` for clients, which then list again, as after etcd's compaction.
        if after < base {
            return Err(StoreError::Gone {
                asked: after,
                oldest: base,
            });
        }
        while let Some(segment) = older.pop() {
            let size = segment.file.stat()?.size;
            let walk = Walk::whole(segment.file.as_ref(), size);
            let (go, last) = visit_segment(&segment, walk, after, visit)?;
            if known && last < after {
                // A client that observed it observed another content.
                return Err(StoreError::Gone {
                    asked: after,
                    oldest: self.base.revision,
                });
            }
            if go == Go::Stop {
                return Ok(());
            }
        }
        let segment = Segment::open(&*self.fs, head.generation, Access::Read)?;
        // The nearest remembered position: a watcher that lags a little reads only new records.
        let near = self.milestones.iter().rev().find(|m| m.revision <= after);
        let walk = match near {
            Some(m) => Walk::from(segment.file.as_ref(), m.offset, m.chain, head.offset),
            None => Walk::whole(segment.file.as_ref(), head.offset),
        };
        visit_segment(&segment, walk, after, visit)?;
        Ok(())
    }
}

fn visit_segment(
    segment: &Segment,
    mut walk: Walk<'_>,
    after: Revision,
    visit: &mut dyn FnMut(&FoundRecord<'_>, &Segment) -> Result<Go>,
) -> Result<(Go, Revision)> {
    let mut last = 0;
    loop {
        let place = walk.at;
        match walk.step()? {
            Step::Record(found) => {
                last = found.revision_after();
                let wanted = found.kind == RecordKind::Delta
                    // Commits without objects move the clock; their revision is the previous one.
                    && (found.revision_after() > after || found.meta.ops.is_empty());
                if wanted && visit(&found, segment)? == Go::Stop {
                    return Ok((Go::Stop, last.max(after)));
                }
            }
            Step::End => return Ok((Go::On, last)),
            // The published part was verified when it was read first. A record that is broken now
            // was damaged since.
            Step::Broken => return Err(damaged(&segment.path, place, "no valid record here", 0)),
        }
    }
}

/// Returns the change of one object in a record.
fn event(segment: &Segment, op: &OpMeta<'_>, revision: Revision, body: &[u8]) -> Result<Event> {
    let before = match op.prev {
        None => None,
        Some((revision, offset, length)) => {
            // The version before is in the same file: each generation begins with all live objects.
            let bytes = fs::read_range(segment.file.as_ref(), offset, length as usize)?;
            Some((revision, bytes.into()))
        }
    };
    let after = op.put.as_ref().map(|_| Arc::from(body));
    Ok(Event {
        key: Key::parse(op.key())?,
        revision,
        after,
        before,
        why: op.rule.as_ref().map(|rule| ChangeReason {
            trigger: op.cause.map(CausingChange::from),
            rule: rule.to_string(),
        }),
    })
}

fn events_of(
    segment: &Segment,
    found: &FoundRecord<'_>,
    wanted: impl Fn(&str, Revision) -> bool,
) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for (index, _, body) in found.each() {
        let (op, revision) = (&found.meta.ops[index], found.revision_of(index));
        if wanted(op.key(), revision) {
            events.push(event(segment, op, revision, body)?);
        }
    }
    Ok(events)
}

/// Returns the changes of a range after a revision.
pub(crate) fn events_after(
    journal: &Journal,
    range: &Range,
    after: Revision,
) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    journal.visit_after(after, &mut |found, segment| {
        events.extend(events_of(segment, found, |key, r| {
            r > after && range.contains(key)
        })?);
        Ok(Go::On)
    })?;
    Ok(events)
}

/// Visits the versions of some objects, each from its own revision on, oldest first, within the retained history.
pub(crate) fn versions(
    journal: &Journal,
    wanted: &HashMap<&str, Revision>,
    see: &mut dyn FnMut(&str, Revision, &[u8]),
) -> Result<()> {
    let Some(first) = wanted.values().min() else {
        return Ok(());
    };
    // Within the retained history; a file may be based on an older version.
    let after = first.saturating_sub(1).max(oldest_kept(journal)?);
    journal.walk_after(after, false, &mut |found, segment| {
        for (index, _, body) in found.each() {
            let (op, revision) = (&found.meta.ops[index], found.revision_of(index));
            let Some(from) = wanted.get(op.key()) else {
                continue;
            };
            // A version from before the walk appears only as the one that the first change replaced.
            if let Some((before, offset, length)) = op.prev
                && before >= *from
                && before <= after
            {
                let bytes = fs::read_range(segment.file.as_ref(), offset, length as usize)?;
                see(op.key(), before, &bytes);
            }
            if op.put.is_some() && revision >= *from && revision > after {
                see(op.key(), revision, body);
            }
        }
        Ok(Go::On)
    })
}

impl FileStore {
    pub(crate) fn read_events(
        &self,
        range: &Range,
        after: Revision,
    ) -> Result<(Vec<Event>, Revision)> {
        let reading = self.reading()?;
        let current = reading.head.revision;
        // A watch from a future revision comes from a client of another cluster, such as before a reset. It must not
        // wait in silence.
        if after > current {
            return Err(StoreError::Future {
                asked: after,
                current,
            });
        }
        Ok((events_after(&reading.journal, range, after)?, current))
    }

    pub(crate) fn show_history(
        &self,
        past: &HistoryQuery,
        visit: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> Result<()> {
        let reading = self.reading()?;
        reading
            .journal
            .visit_after(past.after, &mut |found, segment| {
                // Records are in order, so no later one can match.
                if found.meta.rev > past.until {
                    return Ok(Go::Stop);
                }
                let time = found.meta.time;
                let in_time =
                    past.since.is_none_or(|t| time >= t) && past.before.is_none_or(|t| time <= t);
                if !in_time {
                    return Ok(Go::On);
                }
                let events = events_of(segment, found, |key, revision| {
                    revision > past.after && revision <= past.until && past.selects(key)
                })?;
                if !events.is_empty() || (found.meta.ops.is_empty() && past.selects_all()) {
                    let go = visit(Change {
                        time,
                        cause: Cause {
                            writer: found.meta.writer.to_string(),
                            trigger: found.meta.cause.map(CausingChange::from),
                            rule: found.meta.rule.to_string(),
                        },
                        epoch: found.meta.epoch,
                        events,
                    });
                    if go.is_break() {
                        return Ok(Go::Stop);
                    }
                }
                Ok(Go::On)
            })
    }

    /// Returns the state of every object at a revision, with the time and the epoch of then.
    pub(crate) fn read_point(&self, at: Option<Revision>) -> Result<Point> {
        let Some(revision) = at else {
            // Edits first and everything else from one reading, so that the clock and the epoch belong to the objects.
            self.import_edits(&Range::all())?;
            let reading = self.reading()?;
            let head = reading.head.clone();
            let (keys, entries) = entries(&reading.journal, &Range::all())?;
            let segment = reading.segment;
            drop(reading.journal);
            let items = stored(keys, &entries, bodies(&segment, &entries)?);
            return Ok(Point {
                revision: head.revision,
                epoch: head.epoch,
                time: head.time,
                items,
            });
        };
        let now = self.read_range(&Range::all())?;
        let (listing, then) = self.back_to(revision, now, &Range::all())?;
        let (time, epoch) = match then {
            Some(then) => then,
            None => self.commit_at(revision)?,
        };
        Ok(Point {
            revision,
            epoch,
            time,
            items: listing.items,
        })
    }

    /// Returns the time and the epoch of the commit that a generation begins after.
    fn commit_at(&self, revision: Revision) -> Result<CommitTime> {
        let reading = self.reading()?;
        let after = revision.saturating_sub(1);
        let after = after.max(oldest_kept(&reading.journal)?);
        let mut then = None;
        // It is the last one of the generation before.
        reading.journal.visit_back(after, &mut |found, _| {
            if found.meta.rev > revision {
                return Ok(Go::On);
            }
            then = Some((found.meta.time, found.meta.epoch));
            Ok(Go::Stop)
        })?;
        // At the very start of the retained history there is no commit to read.
        Ok(then.unwrap_or((reading.head.time, 0)))
    }

    pub(crate) fn read_oldest(&self) -> Result<Revision> {
        oldest_kept(&self.reading()?.journal)
    }

    pub(crate) fn read_range_at(&self, range: &Range, revision: Revision) -> Result<Listing> {
        let now = self.read_range(range)?;
        match revision == now.revision {
            true => Ok(now),
            false => Ok(self.back_to(revision, now, range)?.0),
        }
    }

    /// Goes back from a present list by undoing later changes. Returns the time and the epoch of the last commit before
    /// these as well, if their generation has one.
    fn back_to(
        &self,
        revision: Revision,
        now: Listing,
        range: &Range,
    ) -> Result<(Listing, Option<CommitTime>)> {
        let reading = self.reading()?;
        let current = reading.head.revision;
        if revision > current {
            return Err(StoreError::Future {
                asked: revision,
                current,
            });
        }
        // The version of each changed object that the earliest of the later changes replaced: only these are read.
        let mut then = None;
        let mut changed: HashMap<String, Option<(Arc<Segment>, Previous)>> = HashMap::new();
        // Backwards through the changes: the cost depends on the age of the state and not on the
        // size of the history.
        reading
            .journal
            .visit_back(revision, &mut |found, segment| {
                for (at, op) in found.meta.ops.iter().enumerate() {
                    if found.revision_of(at) > revision && range.contains(op.key()) {
                        let before = op.prev.map(|before| (Arc::clone(segment), before));
                        match changed.get_mut(op.key()) {
                            Some(earlier) => *earlier = before,
                            None => drop(changed.insert(op.key().to_owned(), before)),
                        }
                    }
                }
                if found.meta.rev > revision {
                    return Ok(Go::On);
                }
                then = Some((found.meta.time, found.meta.epoch));
                Ok(Go::Stop)
            })?;
        drop(reading);
        let mut items: BTreeMap<Key, Stored> = now
            .items
            .into_iter()
            .map(|item| (item.key.clone(), item))
            .collect();
        for (key, before) in changed {
            let key = Key::parse(&key)?;
            let Some((segment, (revision, offset, length))) = before else {
                items.remove(&key);
                continue;
            };
            let json = fs::read_range(segment.file.as_ref(), offset, length as usize)?.into();
            let item = Stored {
                key: key.clone(),
                revision,
                json,
            };
            items.insert(key, item);
        }
        let items = items.into_values().collect();
        Ok((Listing { revision, items }, then))
    }
}

/// The time and the epoch of a commit.
type CommitTime = (Timestamp, u64);

/// A change of an object, with the position of its JSON; a removal has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptVersion {
    pub(crate) revision: Revision,
    pub(crate) generation: u64,
    pub(crate) entry: Option<Entry>,
}

/// The versions of each object, oldest first, within the retained history.
pub(crate) type Versions = HashMap<String, Vec<KeptVersion>>;

/// Reads the versions of all objects in all retained generations.
pub(crate) fn all_versions(journal: &Journal) -> Result<Versions> {
    let mut all = Versions::new();
    let Some(head) = &journal.head else {
        return Ok(all);
    };
    for generation in journal.generations()? {
        // Removed by a compaction since the listing.
        let segment = match Segment::open(&*journal.fs, generation, Access::Read) {
            Ok(segment) => segment,
            Err(e) if e.is_not_found() => continue,
            Err(e) => return Err(e.into()),
        };
        let size = segment.file.stat()?.size;
        let limit = if generation == head.generation {
            head.offset
        } else {
            size
        };
        let mut walk = Walk::whole(segment.file.as_ref(), limit);
        while let Step::Record(found) = walk.step()? {
            for (index, offset, body) in found.each() {
                let op = &found.meta.ops[index];
                let revision = found.revision_of(index);
                let entry = op.put.as_ref().map(|_| Entry {
                    revision,
                    offset,
                    length: op.len,
                    crc: crc32c::crc32c(body),
                });
                all.entry(op.key().to_owned())
                    .or_default()
                    .push(KeptVersion {
                        revision,
                        generation,
                        entry,
                    });
            }
        }
    }
    Ok(all)
}

/// Returns the oldest revision of the history: all later changes are retained.
pub(crate) fn oldest_kept(journal: &Journal) -> Result<Revision> {
    let mut oldest = journal.base.revision;
    let current = journal.head.as_ref().map_or(0, |h| h.generation);
    for generation in (0..current).rev() {
        match Segment::open(&*journal.fs, generation, Access::Read) {
            Ok(segment) => oldest = journal.base_of(&segment)?.revision,
            // History may end anywhere; an unreadable older generation just ends it sooner.
            Err(_) => break,
        }
    }
    Ok(oldest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Store as _;
    use crate::interface::{Batch, Expect, Op};
    use crate::options::Options;
    use crate::retention::Retention;
    use crate::settings::{ClockMode, Settings};
    use crate::sys::entropy::Seed;
    use crate::sys::sim_fs::SimFs;
    use jiff::Timestamp;

    fn at(second: i64) -> Timestamp {
        Timestamp::new(1_800_000_000 + second, 0).unwrap()
    }

    /// Returns a cluster on a virtual clock: one commit every ten seconds, to `a` and `b` in turn.
    fn cluster() -> FileStore {
        let mut settings = Settings::new(Seed(1));
        settings.clock = ClockMode::Virtual;
        let fs = Arc::new(SimFs::new());
        let store = FileStore::open_or_create(fs, Options::default(), settings).unwrap();
        for n in 0..6 {
            let key = Key::new("c", Some("d"), ["a", "b"][n % 2]).unwrap();
            let op = Op::put(key, format!("{{\"n\":{n}}}").into_bytes(), Expect::Any);
            let cause = Cause {
                writer: "deployment".to_owned(),
                trigger: Some((n as u64 + 1).into()),
                rule: "scale-up".to_owned(),
            };
            let batch = Batch {
                at: Some(at(10 * n as i64)),
                ..Batch::new(vec![op])
            };
            store.commit(&cause, batch).unwrap();
        }
        store
    }

    fn revisions_of(store: &FileStore, past: &HistoryQuery) -> Vec<Revision> {
        let changes = store.history(past).unwrap();
        changes
            .iter()
            .flat_map(|c| c.events.iter().map(|e| e.revision))
            .collect()
    }

    #[test]
    fn history_is_filtered_by_object_revision_and_time() {
        let store = cluster();
        let all = HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        };
        assert_eq!(revisions_of(&store, &all), [2, 3, 4, 5, 6, 7]);
        let object = HistoryQuery {
            range: Range::prefix("c/d/a"),
            ..all.clone()
        };
        assert_eq!(revisions_of(&store, &object), [2, 4, 6]);
        let some = HistoryQuery {
            after: 3,
            until: 5,
            ..all.clone()
        };
        assert_eq!(revisions_of(&store, &some), [4, 5]);
        let between = HistoryQuery {
            since: Some(at(10)),
            before: Some(at(30)),
            ..all.clone()
        };
        assert_eq!(revisions_of(&store, &between), [3, 4, 5]);
        let last = store.history(&all).unwrap().pop().unwrap();
        assert_eq!(
            (last.time, &*last.cause.rule, last.cause.trigger.clone()),
            (at(50), "scale-up", Some(6.into()))
        );
        assert_eq!(last.cause.writer, "deployment");
        assert_eq!(last.events[0].before.as_ref().unwrap().0, 5);
    }

    #[test]
    fn virtual_clock_is_persisted_and_never_moves_back() {
        let store = cluster();
        assert_eq!(store.now().unwrap(), at(50));
        let move_to = |second| Batch {
            at: Some(at(second)),
            ..Batch::default()
        };
        store
            .commit(&Cause::new("ctl clock", "advance"), move_to(90))
            .unwrap();
        assert_eq!(store.now().unwrap(), at(90));
        let revision = store.revision().unwrap();
        store
            .commit(&Cause::new("ctl clock", "advance"), move_to(20))
            .unwrap();
        assert_eq!(
            (store.now().unwrap(), store.revision().unwrap()),
            (at(90), revision)
        );
    }

    #[test]
    fn compacted_and_future_revisions_are_errors() {
        let store = cluster();
        store
            .exclusive(None)
            .unwrap()
            .journal
            .compact(Retention::Size(0))
            .unwrap();
        assert_eq!(store.events(&Range::all(), 3).unwrap().0.len(), 4);
        store
            .exclusive(None)
            .unwrap()
            .journal
            .compact(Retention::Size(0))
            .unwrap();
        let gone = store.events(&Range::all(), 3);
        assert!(
            matches!(
                gone,
                Err(StoreError::Gone {
                    asked: 3,
                    oldest: 7
                })
            ),
            "{gone:?}"
        );
        let future = store.events(&Range::all(), 99);
        assert!(matches!(
            future,
            Err(StoreError::Future {
                asked: 99,
                current: 7
            })
        ));
    }
}
