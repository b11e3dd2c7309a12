//! Begins a new generation: the live objects, sorted, then commits again.
//!
//! The new file is written under an unused name, synced, renamed, its directory synced, and only then published.
//! Earlier generations stay as the history, within the retention limit; the previous one always stays, for watchers.

use jiff::Timestamp;

use super::error::StoreError;
use super::head::Head;
use super::index::{Entry, Index};
use super::interface::Result;
use super::journal::{Base, Journal, bodies};
use super::layout::{JOURNAL, MAX_GENERATION, generation_path};
use super::mutant::{self, Mutant};
use super::record::{self, Chain, Meta, OpMeta, RecordKind};
use super::retention::Retention;
use super::revision::Revision;
use super::segment::Segment;
use crate::sys::fs::{Access, File};

/// A generation smaller than this is compacted only if the settings keep less of the past.
const MIN_SIZE: u64 = 8 << 20;

/// A generation smaller than this is never compacted.
const LEAST_SIZE: u64 = 1 << 20;

/// The bytes of objects in one base record.
const CHUNK: usize = 4 << 20;

/// A new generation being written.
struct NewGeneration {
    file: Box<dyn File>,
    path: String,
    offset: u64,
    chain: Chain,
    last: u64,
    index: Index,
}

/// The head of a generation's base record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseNote {
    pub(crate) revision: Revision,
    pub(crate) epoch: u64,
    pub(crate) time: Timestamp,
    /// The sequence number of the last record before.
    pub(crate) seq: u64,
}

impl Journal {
    /// Returns true if most of the current generation is outdated. While the tree
    /// waits it may grow to twice the size: before a new one begins, files must be written that
    /// may change again.
    pub(crate) fn compaction_is_due(&self, keep: Retention, tree_waits: bool) -> bool {
        let Some(head) = &self.head else {
            return false;
        };
        let size = head.offset;
        // See `docs/design/0001-journal.md`: a generation may grow to twice its size while the tree
        // waits.
        let size = if tree_waits { size / 2 } else { size };
        // Amortised: each byte that is copied is paid for by three that are dropped. A small
        // journal is not worth the syncs.
        let least = match keep {
            Retention::Size(most) => most.clamp(LEAST_SIZE, MIN_SIZE),
            Retention::Age(_) => MIN_SIZE,
        };
        // History goes by whole generations, so one must not last as long as all of it.
        let lasts_long = match keep {
            Retention::Age(age) => head.time.duration_since(self.base.time) > age / 4,
            Retention::Size(_) => false,
        };
        // Amortised as well, but with less: there is at most one in a quarter of the age.
        let live = self.index.live_bytes;
        (size > least && size > 4 * live) || (lasts_long && size > LEAST_SIZE && size > 2 * live)
    }

    /// Begins a new generation with the live objects. Must be called under the lock, when the
    /// YAML tree shows everything (or will be shown everything again).
    pub(crate) fn compact(&mut self, keep: Retention) -> Result<()> {
        match self.head.as_ref().map(|head| head.revision) {
            Some(revision) => self.rebase(revision, keep),
            None => Ok(()),
        }
    }

    /// Compacts at a revision that may be above the last commit's; the revisions between are
    /// skipped, because they were handed out with other content.
    pub(crate) fn rebase(&mut self, revision: Revision, keep: Retention) -> Result<()> {
        let Some(head) = self.head.clone() else {
            return Ok(());
        };
        assert!(
            revision >= head.revision,
            "revisions must not decrease: {revision} after {head:?}"
        );
        let segment = Segment::open(&*self.fs, head.generation, Access::Read)?;
        let base = BaseNote {
            revision,
            epoch: head.epoch,
            time: head.time,
            seq: head.chain.seq,
        };
        // Sorted by key, so that two clusters with the same objects have the same base, byte for
        // byte.
        let keys: Vec<(String, Entry)> = self
            .index
            .range("")
            .map(|(key, entry)| (key.to_owned(), entry))
            .collect();
        if mutant::is(Mutant::UnlinkOldFirst) {
            self.fs.unlink(&generation_path(head.generation))?;
        }
        // In parts: the objects of a cluster need not fit into memory twice.
        let mut objects = keys.chunks(500).flat_map(|part| {
            let entries: Vec<Entry> = part.iter().map(|(_, entry)| *entry).collect();
            match bodies(&segment, &entries) {
                Ok(read) => part
                    .iter()
                    .zip(read)
                    .map(|((key, entry), body)| Ok((key.clone(), entry.revision, body)))
                    .collect::<Vec<_>>(),
                Err(e) => vec![Err(e)],
            }
        });
        let projected = head.projected == head.offset;
        self.begin_generation(head.generation + 1, base, &mut objects, projected)?;
        self.remove_old_generations(keep)
    }

    /// Writes and publishes generation `generation` with `objects` (sorted) as its base.
    pub(crate) fn begin_generation(
        &mut self,
        generation: u64,
        base: BaseNote,
        objects: &mut dyn Iterator<Item = Result<(String, Revision, std::sync::Arc<[u8]>)>>,
        projected: bool,
    ) -> Result<()> {
        if generation > MAX_GENERATION {
            let text = "the journal has used all generations: copy the cluster without .ctl";
            return Err(StoreError::Refused(text.to_owned()));
        }
        // Leftovers of a compaction that ran out of space would occupy the space that this one needs.
        self.sweep_journal()?;
        let mut new = self.create_generation(base.seq)?;
        let written = new.write_base(base, objects);
        let synced = written.and_then(|()| {
            if mutant::is(Mutant::NoSyncBeforeRename) {
                return Ok(());
            }
            // Before the rename: a name that leads to unsynced bytes is an empty generation after a
            // power cut.
            new.file.sync_data().map_err(StoreError::NotApplied)
        });
        if let Err(e) = synced {
            // Nothing was renamed: the old generation is untouched and in use.
            let _ = self.fs.unlink(&new.path);
            return Err(e);
        }
        let inode = new.file.stat()?.inode;
        self.fs.rename(&new.path, &generation_path(generation))?;
        if !mutant::is(Mutant::NoDirSync) {
            // Before the head is published: a head that names a generation whose name is lost could
            // not be opened.
            self.fs.sync_dir(JOURNAL)?;
        }
        // Cheap compared with a rename and two syncs, and the old generations may be removed next.
        assert!(
            self.head
                .as_ref()
                .is_none_or(|old| old.generation < generation),
            "generations never fall: {generation} behind {:?}",
            self.head
        );
        let head = Head {
            boot: self.boot.clone(),
            generation,
            inode,
            offset: new.offset,
            projected: if projected { new.offset } else { 0 },
            chain: new.chain,
            revision: base.revision,
            epoch: base.epoch,
            time: base.time,
        };
        // Positions in the old file are invalid in the new one.
        self.milestones.clear();
        self.remember(base.revision, new.offset, new.chain);
        self.base = Base {
            revision: base.revision,
            time: base.time,
        };
        self.index = new.index;
        self.last = new.last;
        // The last step. A crash before it leaves a generation above the head, which recovery takes
        // by a scan.
        self.publish(head)?;
        self.checkpoint = 0;
        if self.checkpoint_is_due() {
            self.write_checkpoint();
        }
        Ok(())
    }

    fn create_generation(&self, seq: u64) -> Result<NewGeneration> {
        // A power cut may apply a rename without the operations before it: under a reused name that
        // would publish the file of an earlier, killed compaction.
        let fresh = if mutant::is(Mutant::ReuseTemporaryName) {
            0
        } else {
            self.fs.fresh()
        };
        let path = format!("{JOURNAL}/new-{fresh:016x}");
        let file = self.fs.create(&path).map_err(StoreError::NotApplied)?;
        Ok(NewGeneration {
            file,
            path,
            offset: 0,
            chain: Chain::start(seq),
            last: 0,
            index: Index::default(),
        })
    }

    /// Removes the leftovers of a killed compaction.
    pub(crate) fn sweep_journal(&self) -> Result<()> {
        for entry in self.fs.list(JOURNAL)? {
            if entry.name.starts_with("new-") {
                self.fs.unlink(&format!("{JOURNAL}/{}", entry.name))?;
            }
        }
        Ok(())
    }

    /// Removes the oldest generations that are not to be kept, but never the one directly before the
    /// current one.
    pub(crate) fn remove_old_generations(&self, keep: Retention) -> Result<()> {
        let Some(head) = &self.head else {
            return Ok(());
        };
        let old = self.generations()?;
        let mut sizes = Vec::new();
        for generation in old.into_iter().filter(|g| *g < head.generation) {
            let size = self
                .fs
                .stat(&generation_path(generation))?
                .map_or(0, |s| s.size);
            sizes.push((generation, size));
        }
        let mut total: u64 = sizes.iter().map(|(_, size)| size).sum();
        for (generation, size) in sizes {
            // The one directly before stays: watchers that are a little behind still read it.
            if generation + 1 >= head.generation
                || keep.keeps(total, self.end_of(generation, keep)?, head.time)
            {
                break;
            }
            self.fs.unlink(&generation_path(generation))?;
            total -= size;
        }
        Ok(())
    }

    /// Returns the time of the last commit of an old generation, if it matters for `keep`.
    fn end_of(&self, generation: u64, keep: Retention) -> Result<Timestamp> {
        // A limit by size needs no times, so nothing is read: a damaged file of the past must not keep the store from
        // being opened.
        if matches!(keep, Retention::Size(_)) {
            return Ok(Timestamp::MIN);
        }
        // The next one begins with it, and says so in its first record.
        match Segment::open(&*self.fs, generation + 1, Access::Read) {
            Ok(next) => Ok(self.base_of(&next)?.time),
            // A power cut may keep an older removal from the disk and not a newer one. No reader gets past the gap.
            Err(e) if e.is_not_found() => Ok(Timestamp::MIN),
            Err(e) => Err(e.into()),
        }
    }
}

impl NewGeneration {
    fn write_base(
        &mut self,
        base: BaseNote,
        objects: &mut dyn Iterator<Item = Result<(String, Revision, std::sync::Arc<[u8]>)>>,
    ) -> Result<()> {
        let mut objects = objects.peekable();
        // Without objects, so that an empty cluster has a base too and `base_of` reads little. `more` marks that the
        // base continues: recovery uses it only as a whole.
        self.write_record(base, &[], objects.peek().is_some())?;
        let (mut chunk, mut size) = (Vec::new(), 0);
        while let Some(object) = objects.next() {
            let object = object?;
            size += object.2.len();
            chunk.push(object);
            let more = objects.peek().is_some();
            // Bounded records: a reader verifies a record as a whole and needs memory for it.
            if size >= CHUNK || !more {
                self.write_record(base, &chunk, more)?;
                chunk.clear();
                size = 0;
            }
        }
        Ok(())
    }

    fn write_record(
        &mut self,
        base: BaseNote,
        objects: &[(String, Revision, std::sync::Arc<[u8]>)],
        more: bool,
    ) -> Result<()> {
        let ops = objects.iter().map(|(key, revision, body)| OpMeta {
            put: Some(key.as_str().into()),
            len: u32::try_from(body.len()).unwrap_or(u32::MAX),
            // The objects keep their revisions, which clients hold as `resourceVersion`.
            rev: Some(*revision),
            ..OpMeta::default()
        });
        let meta = Meta {
            rev: base.revision,
            time: base.time,
            writer: "ctl".into(),
            cause: None,
            rule: "base".into(),
            epoch: base.epoch,
            more: Some(more),
            ops: ops.collect(),
        };
        let bodies: Vec<&[u8]> = objects.iter().map(|(_, _, body)| &**body).collect();
        let payload =
            record::payload(&meta, &bodies).map_err(|e| StoreError::Refused(e.to_string()))?;
        let (line, chain) = record::encode(RecordKind::Base, self.chain, payload);
        self.file
            .write_at(&line, self.offset)
            .map_err(StoreError::NotApplied)?;
        let payload = line.payload();
        let head = payload
            .iter()
            .position(|b| *b == b'\t')
            .unwrap_or(payload.len());
        // The layout is that of `note_changes`: bodies after the first tab.
        let mut at = self.offset + (line.len() - payload.len() - 1 + head) as u64;
        for (key, revision, body) in objects {
            debug_assert!(
                *revision <= base.revision,
                "{key} is newer than the base that holds it"
            );
            let entry = Entry {
                revision: *revision,
                offset: at + 1,
                length: u32::try_from(body.len()).unwrap_or(u32::MAX),
                crc: crc32c::crc32c(body),
            };
            at += 1 + body.len() as u64;
            self.index.set(key, Some(entry));
        }
        self.last = self.offset;
        self.offset += line.len() as u64;
        self.chain = chain;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::SignedDuration;

    use super::*;
    use crate::contract::Store as _;
    use crate::files::FileStore;
    use crate::interface::{Batch, Cause, Expect, HistoryQuery, Op};
    use crate::key::{Key, Range};
    use crate::options::Options;
    use crate::settings::{ClockMode, Settings};
    use crate::sys::entropy::Seed;
    use crate::sys::sim_fs::SimFs;

    /// A store on a virtual clock that keeps a history by its age or size.
    fn store(keep: &str) -> FileStore {
        let settings = Settings {
            clock: ClockMode::Virtual,
            history: keep.parse().unwrap(),
            ..Settings::new(Seed(1))
        };
        FileStore::open_or_create(Arc::new(SimFs::new()), Options::default(), settings).unwrap()
    }

    /// Changes an object of `size` bytes after `seconds`.
    fn change(store: &FileStore, seconds: i64, size: usize) -> Timestamp {
        let at = store.now().unwrap() + SignedDuration::from_secs(seconds);
        let key = Key::new("c", Some("d"), "a").unwrap();
        let json = format!("{{\"at\":\"{at}\",\"x\":\"{}\"}}", "x".repeat(size));
        let batch = Batch {
            at: Some(at),
            ..Batch::new(vec![Op::put(key, json.into_bytes(), Expect::Any)])
        };
        store.commit(&Cause::new("tester", "rule"), batch).unwrap();
        at
    }

    fn times(store: &FileStore) -> Vec<Timestamp> {
        let past = HistoryQuery {
            after: store.oldest().unwrap(),
            ..HistoryQuery::default()
        };
        let changes = store.history(&past).unwrap();
        changes.iter().map(|change| change.time).collect()
    }

    #[test]
    fn retention_by_age_keeps_younger_and_few_older_commits() {
        let store = store("1h");
        let mut all = Vec::new();
        for number in 0..150 {
            all.push(change(&store, 120, 80_000));
            if number % 10 != 9 {
                continue;
            }
            let now = store.now().unwrap();
            let kept = times(&store);
            let ago = |minutes| now - SignedDuration::from_mins(minutes);
            let young = all.iter().filter(|time| **time >= ago(60));
            assert!(
                young.clone().all(|time| kept.contains(time)),
                "{} of {} are kept",
                kept.len(),
                young.count()
            );
            // A generation lasts about half an hour here, since it must reach a size.
            assert!(
                kept.iter().all(|time| *time >= ago(60 + 2 * 30)),
                "at {now}"
            );
        }
        assert!(store.oldest().unwrap() > 80);
        let report = store.check_all(true).unwrap();
        assert!(report.problems.is_empty(), "{report:?}");
    }

    #[test]
    fn retention_by_size_limits_the_journal_size() {
        for (keep, most) in [("1MiB", 4), ("4MiB", 14)] {
            let store = store(keep);
            for _ in 0..80 {
                let _ = change(&store, 1, 300_000);
            }
            let journal = &store.exclusive(None).unwrap().journal;
            let sizes = journal
                .generations()
                .unwrap()
                .into_iter()
                .map(|generation| {
                    let stat = journal.fs.stat(&generation_path(generation)).unwrap();
                    stat.map_or(0, |stat| stat.size)
                });
            let total = sizes.sum::<u64>() >> 20;
            assert!(total <= most, "{keep}: {total} MiB");
        }
    }

    #[test]
    fn compaction_after_a_pause_keeps_the_newest_generation() {
        let store = store("1h");
        let before = change(&store, 1, 10);
        let _ = change(&store, 1, 10);
        let revision = store.revision().unwrap();
        store.compact().unwrap();
        let _ = change(&store, 1_000_000, 10);
        store.compact().unwrap();
        assert_eq!(store.events(&Range::all(), revision).unwrap().0.len(), 1);
        let _ = change(&store, 1, 10);
        assert!(!times(&store).contains(&before));
    }
}
