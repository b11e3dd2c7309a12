//! Visits the history commit by commit, without copies: a caller that reads 100,000 commits and keeps a few must not
//! pay for the objects of all.

use jiff::Timestamp;

use super::files::FileStore;
use super::history::Go;
use super::interface::{Cause, Change, Event, HistoryQuery, Result};
use super::key::Key;
use super::record::Previous;
use super::reverse::Visit;
use super::revision::Revision;
use super::segment::{FoundRecord, Segment};
use crate::sys::fs;

/// A commit, in the form for a visitor of the history.
///
/// ```
/// use ctl_store::{HistoryQuery, Recorded, RecordedChange, Store};
///
/// /// Prints each commit and the objects that it changed.
/// fn print(store: &dyn Store) -> ctl_store::Result<()> {
///     store.visit_commits(&HistoryQuery::default(), &mut |commit: &Recorded<'_>| {
///         println!("{} {} {}", commit.revision, commit.writer, commit.rule);
///         for RecordedChange { key, after, .. } in &commit.changes {
///             println!("  {} {key}", if after.is_some() { "wrote" } else { "deleted" });
///         }
///         Ok(true) // goes on
///     })
/// }
/// ```
#[derive(Debug)]
pub struct Recorded<'a> {
    /// The number of its record; it increases by one.
    pub sequence: u64,
    /// The revision of the store after it.
    pub revision: Revision,
    /// The time, by the cluster's clock.
    pub time: Timestamp,
    /// The command line, the controller, or `hand-edit`.
    pub writer: &'a str,
    /// The revision that triggered it, if any.
    pub trigger: Option<Revision>,
    /// The rule that led to it.
    pub rule: &'a str,
    /// The changes, in the order of their revisions.
    pub changes: Vec<RecordedChange<'a>>,
}

/// One change of a commit.
#[derive(Debug)]
pub struct RecordedChange<'a> {
    /// The key of the object.
    pub key: &'a str,
    /// The revision of the change.
    pub revision: Revision,
    /// The revision that triggered it, if any.
    pub trigger: Option<Revision>,
    /// The key of the object whose change triggered it, if the objects of a commit share a revision.
    pub trigger_object: Option<&'a str>,
    /// The rule that led to it.
    pub rule: &'a str,
    /// The object's JSON after it; `None` if it was removed.
    pub after: Option<&'a [u8]>,
    before: PreviousVersion<'a>,
}

/// The version that a change replaced.
#[derive(Clone, Copy)]
enum PreviousVersion<'a> {
    None,
    At(&'a Segment, Previous),
    Held(Revision, &'a [u8]),
}

impl std::fmt::Debug for PreviousVersion<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.revision().fmt(f)
    }
}

impl PreviousVersion<'_> {
    fn revision(&self) -> Option<Revision> {
        match self {
            Self::None => None,
            Self::At(_, (revision, ..)) | Self::Held(revision, _) => Some(*revision),
        }
    }
}

impl<'a> RecordedChange<'a> {
    /// Returns the revision of the version before; `None` if the object was created.
    pub fn before(&self) -> Option<Revision> {
        self.before.revision()
    }

    /// Reads the version before; `None` if the object was created.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn read_before(&self) -> Result<Option<Vec<u8>>> {
        match self.before {
            PreviousVersion::None => Ok(None),
            PreviousVersion::Held(_, json) => Ok(Some(json.to_vec())),
            PreviousVersion::At(segment, (_, offset, length)) => {
                let bytes = fs::read_range(segment.file.as_ref(), offset, length as usize)?;
                Ok(Some(bytes))
            }
        }
    }

    /// Creates the view of a change in a store with its history in memory.
    pub(crate) fn held(event: &'a Event, cause: &'a Cause) -> Self {
        let before = event.before.as_ref();
        let own = event.why.as_ref();
        let trigger = own.map_or(&cause.trigger, |why| &why.trigger).as_ref();
        let object = trigger.and_then(|change| change.object.as_ref());
        Self {
            key: event.key.as_str(),
            revision: event.revision,
            trigger: trigger.map(|change| change.revision),
            trigger_object: object.map(Key::as_str),
            rule: own.map_or(&cause.rule, |why| &why.rule),
            after: event.after.as_deref(),
            before: before.map_or(PreviousVersion::None, |(at, json)| {
                PreviousVersion::Held(*at, json)
            }),
        }
    }
}

/// Receives the commits of a history; returns false to end the visit.
pub type See<'s> = &'s mut dyn FnMut(&Recorded<'_>) -> Result<bool>;

fn recorded<'a>(
    found: &'a FoundRecord<'_>,
    segment: &'a Segment,
    past: &HistoryQuery,
) -> Recorded<'a> {
    let meta = &found.meta;
    let changes = found.each().filter_map(|(index, _, body)| {
        let (op, revision) = (&meta.ops[index], found.revision_of(index));
        let wanted = revision > past.after && revision <= past.until && past.selects(op.key());
        wanted.then(|| RecordedChange {
            key: op.key(),
            revision,
            trigger: op.rule.as_ref().map_or(meta.cause, |_| op.cause),
            trigger_object: None,
            rule: op.rule.as_deref().unwrap_or(&meta.rule),
            after: op.put.as_ref().map(|_| body),
            before: op
                .prev
                .map_or(PreviousVersion::None, |at| PreviousVersion::At(segment, at)),
        })
    });
    Recorded {
        sequence: found.chain.seq,
        revision: found.revision_after(),
        time: meta.time,
        writer: &meta.writer,
        trigger: meta.cause,
        rule: &meta.rule,
        changes: changes.collect(),
    }
}

/// Returns the commits of a history in memory, oldest first, in the form for a visitor.
pub(crate) fn held_commits(
    history: &[Change],
    after: Revision,
) -> impl DoubleEndedIterator<Item = Recorded<'_>> {
    let mut revision = after;
    let revisions: Vec<Revision> = history
        .iter()
        .map(|change| {
            // An event contains a revision; a commit without changes gets that of the previous one.
            revision = change.events.last().map_or(revision, |e| e.revision);
            revision
        })
        .collect();
    (0..history.len()).map(move |at| {
        let change = &history[at];
        let cause = &change.cause;
        let events = change.events.iter();
        Recorded {
            sequence: at as u64 + 1,
            revision: revisions[at],
            time: change.time,
            writer: &cause.writer,
            trigger: cause.trigger.as_ref().map(|change| change.revision),
            rule: &cause.rule,
            changes: events
                .map(|event| RecordedChange::held(event, cause))
                .collect(),
        }
    })
}

/// Returns the commit in a record if it belongs to a part of the past.
fn told<'a>(
    found: &'a FoundRecord<'_>,
    segment: &'a Segment,
    past: &HistoryQuery,
) -> Option<Recorded<'a>> {
    let time = found.meta.time;
    // Records without changes contain the previous revision, which may be much older.
    let old = found.revision_after() < past.after;
    if old || past.since.is_some_and(|t| time < t) || past.before.is_some_and(|t| time > t) {
        return None;
    }
    let commit = recorded(found, segment, past);
    let is_of_none = found.meta.ops.is_empty() && past.object.is_none();
    let is_told = !commit.changes.is_empty() || is_of_none;
    is_told.then_some(commit)
}

impl FileStore {
    pub(crate) fn show_commits(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        let reading = self.reading()?;
        reading
            .journal
            .visit_after(past.after, &mut |found, segment| {
                // Records are in order, so no later one can match.
                if found.meta.rev > past.until {
                    return Ok(Go::Stop);
                }
                Ok(match told(found, segment, past) {
                    Some(commit) if !see(&commit)? => Go::Stop,
                    _ => Go::On,
                })
            })
    }

    pub(crate) fn show_commits_back(&self, past: &HistoryQuery, see: See<'_>) -> Result<()> {
        let reading = self.reading()?;
        // As in a visit from the oldest commit.
        if past.after >= reading.head.revision && past.after != 0 {
            return Ok(());
        }
        let visit: Visit<'_> = &mut |found, segment| {
            if found.meta.rev > past.until {
                return Ok(Go::On);
            }
            // No earlier one can match.
            if found.revision_after() <= past.after && !found.meta.ops.is_empty() {
                return Ok(Go::Stop);
            }
            Ok(match told(found, segment, past) {
                Some(commit) if !see(&commit)? => Go::Stop,
                _ => Go::On,
            })
        };
        let (after, until) = (past.after, past.until);
        match &past.object {
            Some(key) => reading.journal.visit_back_along(key.as_str(), after, visit),
            None => reading.journal.visit_back_until(until, after, visit),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contract::Store;
    use crate::error::StoreError;
    use crate::interface::{Batch, Cause, ChangeReason, Expect, Op};
    use crate::key::{Key, Range};
    use crate::memory::MemoryStore;
    use crate::options::Options;
    use crate::retention::Retention;
    use crate::settings::Settings;
    use crate::sys::clock::Clock;
    use crate::sys::entropy::Seed;
    use crate::sys::sim_fs::SimFs;

    fn store() -> FileStore {
        let settings = Settings::new(Seed(1));
        let store = FileStore::open_or_create(Arc::new(SimFs::new()), Options::default(), settings);
        let store = store.unwrap();
        fill(&store);
        store
    }

    fn fill(store: &dyn Store) {
        for number in 0..6_u64 {
            let key = Key::new("c", Some("d"), ["a", "b"][number as usize % 2]).unwrap();
            let json = format!("{{\"n\":{number}}}").into_bytes();
            let why = ChangeReason {
                trigger: Some(number.into()),
                rule: "own".to_owned(),
            };
            let op = match number {
                5 => Op::delete(key, Expect::Any),
                3 => Op::put(key, json, Expect::Any).because(why),
                _ => Op::put(key, json, Expect::Any),
            };
            let cause = Cause {
                trigger: Some((number + 1).into()),
                ..Cause::new("tester", "rule")
            };
            store.commit(&cause, Batch::new(vec![op])).unwrap();
        }
    }

    /// Returns the events of a visitor as text.
    fn seen(store: &FileStore, past: &HistoryQuery) -> Vec<String> {
        let mut seen = Vec::new();
        let visited = store.visit_commits(past, &mut |commit| {
            for change in &commit.changes {
                let text = |json: &[u8]| String::from_utf8_lossy(json).into_owned();
                seen.push(format!(
                    "{} {} {} {:?} {:?} {:?}",
                    change.revision,
                    change.key,
                    change.rule,
                    change.trigger,
                    change.read_before()?.as_deref().map(text),
                    change.after.map(text)
                ));
            }
            Ok(true)
        });
        visited.unwrap();
        seen
    }

    #[test]
    fn visitor_sees_every_change_of_an_object() {
        let store = store();
        let past = HistoryQuery {
            after: 1,
            range: Range::prefix("c/d/b"),
            ..HistoryQuery::default()
        };
        assert_eq!(
            seen(&store, &past),
            [
                "3 c/d/b rule Some(2) None Some(\"{\\\"n\\\":1}\")",
                "5 c/d/b own Some(3) Some(\"{\\\"n\\\":1}\") Some(\"{\\\"n\\\":3}\")",
                "7 c/d/b rule Some(6) Some(\"{\\\"n\\\":3}\") None",
            ]
        );
    }

    #[test]
    fn default_visit_matches_the_journal_visit() {
        let store = store();
        let past = HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        };
        let mut held = Vec::new();
        for change in store.history(&past).unwrap() {
            for event in &change.events {
                let shown = RecordedChange::held(event, &change.cause);
                let before = shown.read_before().unwrap();
                let own = (
                    shown.revision,
                    shown.before(),
                    shown.rule.to_owned(),
                    before,
                );
                held.push((own, shown.trigger));
            }
        }
        let mut read = Vec::new();
        store
            .visit_commits(&past, &mut |commit| {
                for shown in &commit.changes {
                    let before = shown.read_before()?;
                    let own = (
                        shown.revision,
                        shown.before(),
                        shown.rule.to_owned(),
                        before,
                    );
                    read.push((own, shown.trigger));
                }
                Ok(true)
            })
            .unwrap();
        assert_eq!(read, held);
        assert_eq!(read.len(), 6);
    }

    /// Returns the commits that a visitor sees, with everything in them.
    fn commits(store: &dyn Store, past: &HistoryQuery, back: bool) -> Vec<String> {
        let mut seen = Vec::new();
        let mut see = |commit: &Recorded<'_>| {
            // One without changes right after `past.after` is shown or not, depending on where the visit begins.
            if commit.revision <= past.after {
                return Ok(true);
            }
            let befores = commit.changes.iter().map(RecordedChange::read_before);
            seen.push(format!("{commit:?} {:?}", befores.collect::<Vec<_>>()));
            Ok(true)
        };
        match back {
            true => store.visit_commits_back(past, &mut see).unwrap(),
            false => store.visit_commits(past, &mut see).unwrap(),
        }
        seen
    }

    /// Commits a mark, and objects of which one is longer than a block.
    fn fill_with_long(store: &dyn Store) {
        let mark = Batch {
            marks: true,
            ..Batch::default()
        };
        let cause = Cause::new("tester", "long");
        store.commit(&cause, mark).unwrap();
        for length in [1, 300_000, 2, 3] {
            let key = Key::new("c", Some("d"), "long").unwrap();
            let json = format!("{{\"n\":\"{}\"}}", "1".repeat(length));
            let op = Op::put(key, json.into_bytes(), Expect::Any);
            store.commit(&cause, Batch::new(vec![op])).unwrap();
        }
    }

    #[test]
    fn visit_back_sees_the_same_commits_in_reverse() {
        let store = store();
        let compact = || {
            let mut exclusive = store.exclusive(None).unwrap();
            exclusive.journal.compact(Retention::Size(1 << 30)).unwrap();
        };
        compact();
        fill_with_long(&store);
        // The second one ends a generation without commits.
        compact();
        compact();
        fill_with_long(&store);
        let memory = MemoryStore::new(Clock::System, Settings::new(Seed(1)));
        fill(&memory);
        fill_with_long(&memory);
        for store in [&store as &dyn Store, &memory] {
            let oldest = store.oldest().unwrap();
            let pairs = (oldest..18).flat_map(|after| (1..18).map(move |until| (after, until)));
            for (after, until) in pairs {
                for range in [Range::all(), Range::prefix("c/d/b")] {
                    let past = HistoryQuery {
                        after,
                        until,
                        range,
                        ..HistoryQuery::default()
                    };
                    let mut forward = commits(store, &past, false);
                    forward.reverse();
                    assert_eq!(commits(store, &past, true), forward, "{past:?}");
                }
            }
        }
        assert_eq!(
            (store.oldest().unwrap(), store.revision().unwrap()),
            (1, 15)
        );
    }

    /// Returns the commits that a query for one object selects from all, newest first.
    fn own_commits(store: &dyn Store, key: &Key, past: &HistoryQuery) -> Vec<String> {
        let mut seen = Vec::new();
        let all = HistoryQuery {
            object: None,
            ..past.clone()
        };
        store
            .visit_commits(&all, &mut |commit| {
                let own = commit.changes.iter();
                let own = own.filter(|change| change.key == key.as_str());
                for change in own {
                    seen.push(format!("{change:?} {:?}", change.read_before()));
                }
                Ok(true)
            })
            .unwrap();
        seen.reverse();
        seen
    }

    #[test]
    fn versions_of_an_object_are_found_from_the_last_one() {
        let store = store();
        let compact = || {
            let mut exclusive = store.exclusive(None).unwrap();
            exclusive.journal.compact(Retention::Size(1 << 30)).unwrap();
        };
        // `b` was deleted and is made again, with others between its versions; `a` exists from the beginning.
        fill_with_long(&store);
        compact();
        compact();
        fill(&store);
        fill_with_long(&store);
        fill(&store);
        let memory = MemoryStore::new(Clock::System, Settings::new(Seed(1)));
        (0..3).for_each(|_| fill(&memory));
        for store in [&store as &dyn Store, &memory] {
            let last = store.revision().unwrap();
            for name in ["a", "b", "long", "none"] {
                let key = Key::new("c", Some("d"), name).unwrap();
                for after in [1, 3, 7, 9, 14, last - 2, last] {
                    for until in [4, 10, last - 3, Revision::MAX] {
                        let past = HistoryQuery {
                            after,
                            until,
                            object: Some(key.clone()),
                            ..HistoryQuery::default()
                        };
                        let mut seen = Vec::new();
                        let visited = store.visit_commits_back(&past, &mut |commit| {
                            assert!(!commit.changes.is_empty(), "{commit:?}");
                            for change in commit.changes.iter().rev() {
                                seen.push(format!("{change:?} {:?}", change.read_before()));
                            }
                            Ok(true)
                        });
                        visited.unwrap();
                        assert_eq!(seen, own_commits(store, &key, &past), "{past:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn visit_stops_early_and_fails_after_compaction() {
        let store = store();
        let mut count = 0;
        let past = HistoryQuery {
            after: 1,
            ..HistoryQuery::default()
        };
        store
            .visit_commits(&past, &mut |_| {
                count += 1;
                Ok(count < 2)
            })
            .unwrap();
        assert_eq!(count, 2);
        for _ in 0..2 {
            store
                .exclusive(None)
                .unwrap()
                .journal
                .compact(Retention::Size(0))
                .unwrap();
        }
        assert!(store.visit_commits(&past, &mut |_| Ok(true)).is_err());
        let back = store.visit_commits_back(&past, &mut |_| Ok(true));
        assert!(
            matches!(back, Err(StoreError::Gone { asked: 1, .. })),
            "{back:?}"
        );
    }
}
