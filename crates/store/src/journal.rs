//! The journal: the published record of everything, and the index over it.
//!
//! This file contains the code of readers, without any lock. `recover`, `append` and `compact` contain the code of the
//! writer, under the lock. `docs/design/0001-journal.md` describes the protocol; the tests in `crash/` run it against
//! every crash.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;

use super::error::StoreError;
use super::head::Head;
use super::index::{Entry, Index, Mark};
use super::interface::{Result, Stored};
use super::key::{Key, Range};
use super::layout::{HEAD, INDEX, JOURNAL, generation_path, parse_generation};
use super::record::{self, Chain, RecordKind};
use super::revision::Revision;
use super::scan::Expected;
use super::seen::KeptFile;
use super::segment::{FoundRecord, Segment, Step, Walk};
use super::sharing::Sharing;
use super::unlocked::Unlocked;
use crate::sys::fs::{self, Access, Fs};

/// The number of recent positions that are remembered for watchers.
const MILESTONES: usize = 4096;

/// The use that a reader can make of the head that it found.
#[derive(Debug)]
pub(crate) enum Published {
    /// It is exact.
    Exact(Head),
    /// A writer must recover first: another boot, a copied directory, no head, a new generation.
    NeedsRecovery,
    /// The journal does not exist.
    Nothing,
}

/// A place in the current generation between two records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Milestone {
    pub(crate) revision: Revision,
    pub(crate) offset: u64,
    pub(crate) chain: Chain,
}

/// This process's view of the journal.
pub(crate) struct Journal {
    pub(crate) fs: Arc<dyn Fs>,
    pub(crate) boot: String,
    /// The published state that `index` shows.
    pub(crate) head: Option<Head>,
    pub(crate) index: Index,
    /// The position of `.ctl/index`, or the one that it should have.
    pub(crate) checkpoint: u64,
    /// The start of the last record.
    pub(crate) last: u64,
    pub(crate) milestones: VecDeque<Milestone>,
    /// The point that the current generation starts from.
    pub(crate) base: Base,
    /// Keys changed since the YAML tree was complete, with the version that the tree shows.
    pub(crate) unprojected: HashMap<String, Option<Entry>>,
    /// The generation's file as `recover` found it whole, with its inode. It stays open between two
    /// locks, of which the second compares the inode of the path.
    pub(crate) checked: Option<(Arc<Segment>, u64)>,
    /// The head's file, with its inode; open between two locks like the segment.
    pub(crate) head_file: KeptFile,
    /// The file with the holder of the lock, likewise.
    pub(crate) holder_file: KeptFile,
    /// The file of the facts about files, likewise.
    pub(crate) seen_file: KeptFile,
    /// The last object that was written, by its generation and its place there: it is shown next.
    pub(crate) last_body: Option<LastBody>,
    /// Records in `head` and `index` that may not be on disk yet: none of them is acknowledged.
    pub(crate) tail: Option<Tail>,
    /// The file that readers read, if no writer of this process has one open.
    read: Option<Arc<Segment>>,
    /// The state that readers use without this value.
    pub(crate) unlocked: Arc<Unlocked>,
    /// The experience with syncs.
    pub(crate) sharing: Arc<Sharing>,
}

/// An object that was just written, with its place.
pub(crate) struct LastBody {
    /// The generation, and the offset in its file.
    pub(crate) place: (u64, u64),
    /// The JSON.
    pub(crate) json: Arc<[u8]>,
}

/// The point that a generation starts from: the last commit of the one before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base {
    pub(crate) revision: Revision,
    pub(crate) time: Timestamp,
}

/// The records of a group that is not durable yet.
pub(crate) struct Tail {
    /// The file that they are written to.
    pub(crate) segment: Arc<Segment>,
    /// The published state that they follow.
    pub(crate) published: Head,
    /// The end of the records that other processes have left; those of this process begin there.
    pub(crate) inherited: u64,
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("head", &self.head)
            .finish_non_exhaustive()
    }
}

impl Journal {
    /// Creates a journal before anything is read.
    pub(crate) fn new(fs: Arc<dyn Fs>) -> Self {
        let unlocked = Arc::new(Unlocked::new(Arc::clone(&fs)));
        Self::beside(fs, unlocked, Arc::default())
    }

    fn beside(fs: Arc<dyn Fs>, unlocked: Arc<Unlocked>, sharing: Arc<Sharing>) -> Self {
        let boot = fs.boot_id();
        Self {
            fs,
            boot,
            head: None,
            index: Index::default(),
            checkpoint: 0,
            last: 0,
            milestones: VecDeque::new(),
            base: Base::default(),
            unprojected: HashMap::new(),
            checked: None,
            head_file: None,
            holder_file: None,
            seen_file: None,
            last_body: None,
            tail: None,
            read: None,
            unlocked,
            sharing,
        }
    }

    /// Reads the head file; `None` if it is missing or incomplete.
    pub(crate) fn read_head(&self) -> Result<Option<Head>> {
        self.unlocked.head.read()
    }

    /// Returns the file of a published head's generation, to read objects.
    pub(crate) fn segment_to_read(&mut self, head: &Head) -> fs::Result<Arc<Segment>> {
        // Published bytes never change, so a file that is open needs no second look at its path. A file that a writer
        // left open may be that of a journal which was moved away.
        let checked = self.checked.as_ref();
        let checked = checked.filter(|(_, inode)| *inode == head.inode);
        let mut open = self.read.iter().chain(checked.map(|(segment, _)| segment));
        if let Some(open) = open.find(|open| open.generation == head.generation) {
            return Ok(Arc::clone(open));
        }
        let opened = Arc::new(Segment::open(&*self.fs, head.generation, Access::Read)?);
        self.read = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Returns the generations in the journal directory, oldest first.
    pub(crate) fn generations(&self) -> Result<Vec<u64>> {
        let entries = match self.fs.list(JOURNAL) {
            Ok(entries) => entries,
            Err(e) if e.is_not_found() => Vec::new(),
            Err(e) => return Err(e.into()),
        };
        let mut found: Vec<u64> = entries
            .iter()
            .filter_map(|e| parse_generation(&e.name))
            .collect();
        found.sort_unstable();
        Ok(found)
    }

    /// Updates the index to the published end, without any lock.
    pub(crate) fn refresh(&mut self) -> Result<Published> {
        loop {
            let Some(head) = self.read_head()? else {
                // No head and no generation is a new cluster; no head next to a generation is damage
                // that only a writer may repair.
                let nothing = self.generations()?.is_empty();
                return Ok(if nothing {
                    Published::Nothing
                } else {
                    Published::NeedsRecovery
                });
            };
            // The usual case in a process that polls: one read of 256 bytes and no further call.
            if self.head.as_ref() == Some(&head) {
                self.unlocked.changes.cover(&head);
                return Ok(Published::Exact(head));
            }
            // An open file keeps its blocks after another process has compacted it away.
            self.checked
                .take_if(|(segment, _)| segment.generation != head.generation);
            if head.boot != self.boot
                && !super::mutant::is(super::mutant::Mutant::TrustHeadAcrossBoot)
            {
                return Ok(Published::NeedsRecovery);
            }
            let segment = match Segment::open(&*self.fs, head.generation, Access::Read) {
                Ok(segment) => segment,
                Err(e) if e.is_not_found() => {
                    // A compaction may have removed the file between the two reads. Only an
                    // unchanged head makes it a loss.
                    if self.read_head()?.as_ref() == Some(&head) {
                        return Err(missing_generation(&head));
                    }
                    continue;
                }
                Err(e) => return Err(e.into()),
            };
            let stat = segment.file.stat()?;
            // `mv` or `cp` put another journal in this place, so the index over the old one is useless.
            if stat.inode != head.inode {
                return Ok(Published::NeedsRecovery);
            }
            if stat.size < head.offset {
                return Err(damaged(
                    &segment.path,
                    stat.size,
                    "the file ends before what was published",
                    self.known_revision(),
                ));
            }
            self.catch_up(&segment, &head)?;
            self.unlocked.changes.cover(&head);
            self.read = Some(Arc::new(segment));
            return Ok(Published::Exact(head));
        }
    }

    fn known_revision(&self) -> Revision {
        self.head.as_ref().map_or(0, |h| h.revision)
    }

    /// Reads the records between the known end and `head`.
    pub(crate) fn catch_up(&mut self, segment: &Segment, head: &Head) -> Result<()> {
        // Known records are not read again, unless the generation or the file has changed.
        let known = self.head.take().filter(|known| {
            known.generation == head.generation
                && known.inode == head.inode
                && known.offset <= head.offset
        });
        let (at, chain) = match &known {
            Some(known) => (known.offset, known.chain),
            None => self.start_from_checkpoint(segment, head)?,
        };
        let mut walk = Walk::from(segment.file.as_ref(), at, chain, head.offset);
        if at == 0 {
            walk = Walk::whole(segment.file.as_ref(), head.offset);
        }
        // The checkpoint, if one was used, is the only remembered position by then.
        let checkpoint = self.milestones.back().map_or(0, |place| place.revision);
        let mut good = known.as_ref().map_or(checkpoint, |k| k.revision);
        loop {
            let place = walk.at;
            match walk.step()? {
                Step::Record(found) => {
                    good = found.revision_after();
                    self.apply(&found, head.projected);
                }
                Step::End => break,
                Step::Broken => {
                    return Err(damaged(&segment.path, place, "no valid record here", good));
                }
            }
        }
        // The last checksum covers all before it, so one comparison verifies that every record was read intact and that
        // none is missing.
        if walk.chain != head.chain {
            return Err(damaged(
                &segment.path,
                walk.at,
                "the chain does not end where it was published",
                good,
            ));
        }
        // Cannot differ while the checksum agrees, unless the head itself was written wrongly.
        if good != head.revision {
            let reason = format!(
                "the head has revision {}, but the journal ends at {good}",
                head.revision
            );
            return Err(damaged(HEAD, 0, &reason, good));
        }
        // Keys are collected while records are applied, and only the head contains which of them are shown.
        if head.projected >= head.offset {
            self.unprojected.clear();
        }
        self.head = Some(head.clone());
        Ok(())
    }

    /// Drops the known state and starts with `.ctl/index` if that is valid.
    fn start_from_checkpoint(&mut self, segment: &Segment, head: &Head) -> Result<(u64, Chain)> {
        self.forget();
        let Ok(bytes) = fs::read_all(&*self.fs, INDEX, u64::MAX) else {
            return Ok((0, Chain::start(0)));
        };
        let Some((index, mark)) = Index::decode(&bytes) else {
            return Ok((0, Chain::start(0)));
        };
        if mark.generation != head.generation || mark.offset > head.offset {
            return Ok((0, Chain::start(0)));
        }
        // The index is an untrusted cache, so its position in the chain is checked against the journal itself.
        let line = fs::read_range(segment.file.as_ref(), mark.last, record::MAX_HEADER)?;
        let same = record::decode_header(&line).is_some_and(|header| {
            let end = mark.last + header.size as u64 + header.length + 1;
            (header.crc, header.seq, end) == (mark.chain.crc, mark.chain.seq, mark.offset)
        });
        if !same {
            return Ok((0, Chain::start(0)));
        }
        self.index = index;
        self.checkpoint = mark.offset;
        self.last = mark.last;
        // Read from the base because the mark does not have it; the base record comes first and is
        // small.
        self.base = self.base_of(segment)?;
        self.remember(mark.revision, mark.offset, mark.chain);
        Ok((mark.offset, mark.chain))
    }

    /// The point that a generation starts from.
    pub(crate) fn base_of(&self, segment: &Segment) -> Result<Base> {
        let size = segment.file.stat()?.size;
        let mut walk = Walk::whole(segment.file.as_ref(), size);
        match walk.step()? {
            Step::Record(found) if found.kind == RecordKind::Base => Ok(Base {
                revision: found.meta.rev,
                time: found.meta.time,
            }),
            _ => Err(damaged(
                &segment.path,
                0,
                "a generation must start with its base",
                0,
            )),
        }
    }

    /// Drops everything except the file system.
    pub(crate) fn forget(&mut self) {
        self.unlocked.changes.reset();
        let (fs, sharing) = (Arc::clone(&self.fs), Arc::clone(&self.sharing));
        *self = Self::beside(fs, Arc::clone(&self.unlocked), sharing);
    }

    /// Adds one record to the index.
    pub(crate) fn apply(&mut self, found: &FoundRecord<'_>, projected: u64) {
        for (index, offset, body) in found.each() {
            let op = &found.meta.ops[index];
            let entry = op.put.as_ref().map(|_| Entry {
                revision: found.revision_of(index),
                offset,
                length: op.len,
                crc: crc32c::crc32c(body),
            });
            let before = self.index.set(op.key(), entry);
            let changes = &self.unlocked.changes;
            changes.note(op.key(), found.revision_of(index));
            // Only commits after `projected` can be missing in the tree; base records were shown before they were
            // written.
            if found.kind == RecordKind::Delta && found.start >= projected {
                self.must_show(op.key(), before);
            }
        }
        if found.kind == RecordKind::Base {
            self.base = Base {
                revision: found.meta.rev,
                time: found.meta.time,
            };
        }
        self.last = found.start;
        self.remember(found.revision_after(), found.end, found.chain);
    }

    /// Marks the file of an object to be written; `before` is its previous version.
    pub(crate) fn must_show(&mut self, key: &str, before: Option<Entry>) {
        match before {
            // The first version since the tree was complete is kept, because its file is in the tree.
            Some(_) if self.unprojected.contains_key(key) => {}
            Some(entry) => {
                self.unprojected.insert(key.to_owned(), Some(entry));
            }
            // Created again: a file of the deleted object may or may not still exist.
            None => drop(self.unprojected.insert(key.to_owned(), None)),
        }
    }

    pub(crate) fn remember(&mut self, revision: Revision, offset: u64, chain: Chain) {
        // Bounded: a watcher that is further behind walks the generation from its start.
        debug_assert!(
            self.milestones
                .back()
                .is_none_or(|last| last.offset < offset && last.revision <= revision),
            "places ascend: revision {revision} at {offset}"
        );
        if self.milestones.len() == MILESTONES {
            self.milestones.pop_front();
        }
        self.milestones.push_back(Milestone {
            revision,
            offset,
            chain,
        });
    }

    /// Returns the files that the YAML tree should contain.
    pub(crate) fn expected(&self) -> Expected<'_> {
        Expected {
            index: &self.index,
            unprojected: &self.unprojected,
            boot: &self.boot,
            known: &self.unlocked.files,
        }
    }

    /// Returns the position of the index, for a checkpoint.
    pub(crate) fn mark(&self, head: &Head) -> Mark {
        Mark {
            generation: head.generation,
            offset: head.offset,
            last: self.last,
            chain: head.chain,
            revision: head.revision,
        }
    }

    /// Reads one object's JSON and checks it.
    pub(crate) fn body(segment: &Segment, entry: &Entry) -> Result<Arc<[u8]>> {
        // Each object has its own checksum, because a reader that trusts the index never walks the chain over it.
        let bytes = fs::read_range(segment.file.as_ref(), entry.offset, entry.length as usize)?;
        check_body(&segment.path, entry, &bytes)?;
        Ok(bytes.into())
    }
}

/// Reads many objects' JSON with few large reads, in the given order.
pub(crate) fn bodies(segment: &Segment, entries: &[Entry]) -> Result<Vec<Arc<[u8]>>> {
    let mut out: Vec<Option<Arc<[u8]>>> = vec![None; entries.len()];
    each_body(segment, entries, &mut |at, bytes| {
        out[at] = Some(bytes.into());
    })?;
    Ok(out.into_iter().flatten().collect())
}

/// Visits the bodies in file order, with the position of each in `entries`.
pub(crate) fn each_body(
    segment: &Segment,
    entries: &[Entry],
    take: &mut dyn FnMut(usize, &[u8]),
) -> Result<()> {
    const GAP: u64 = 64 << 10;
    // A block that fits into a processor's cache is read repeatedly into the same place.
    const MOST: u64 = 256 << 10;
    let mut block = Vec::new();
    let mut order: Vec<usize> = (0..entries.len()).collect();
    // In the order of the file: neighbors are fetched in one call, and read-ahead helps with the rest.
    order.sort_unstable_by_key(|i| entries[*i].offset);
    let end_of = |e: &Entry| e.offset.saturating_add(u64::from(e.length));
    let mut rest = &order[..];
    while let Some(first) = rest.first() {
        let start = entries[*first].offset;
        let (mut end, mut count) = (end_of(&entries[*first]), 1);
        while let Some(next) = rest.get(count).map(|i| &entries[*i]) {
            // A small gap is cheaper to read along than to skip with another call.
            if next.offset > end.saturating_add(GAP) || end_of(next) - start > MOST {
                break;
            }
            end = end.max(end_of(next));
            count += 1;
        }
        let length = usize::try_from(end - start).unwrap_or(0);
        // Zeroed once and used for every block; a fresh buffer each time would be cleared each
        // time.
        if block.len() < length {
            block.resize(length, 0);
        }
        let read = segment.file.read_at(&mut block[..length], start)?;
        for at in &rest[..count] {
            let entry = &entries[*at];
            let begin = usize::try_from(entry.offset - start).unwrap_or(0);
            let end = begin + entry.length as usize;
            // A short read leaves bytes missing, which the checksum then reports with the object's position.
            let bytes = block[..read].get(begin..end).unwrap_or_default();
            check_body(&segment.path, entry, bytes)?;
            take(*at, bytes);
        }
        rest = &rest[count..];
    }
    Ok(())
}

fn check_body(path: &str, entry: &Entry, bytes: &[u8]) -> Result<()> {
    if bytes.len() == entry.length as usize && crc32c::crc32c(bytes) == entry.crc {
        return Ok(());
    }
    let reason = format!(
        "the object of revision {} does not match its checksum",
        entry.revision
    );
    Err(damaged(
        path,
        entry.offset,
        &reason,
        entry.revision.saturating_sub(1),
    ))
}

/// Returns the error for data that was published and cannot be read.
pub(crate) fn damaged(path: &str, offset: u64, reason: &str, last_good: Revision) -> StoreError {
    StoreError::Corrupt {
        file: path.to_owned(),
        offset,
        reason: reason.to_owned(),
        last_good,
    }
}

/// Returns the error for a published generation that is missing.
pub(crate) fn missing_generation(head: &Head) -> StoreError {
    let path = generation_path(head.generation);
    damaged(&path, 0, "the file that was published is missing", 0)
}

/// Returns the keys and places of a range's objects.
pub(crate) fn entries(journal: &Journal, range: &Range) -> Result<(Vec<Key>, Vec<Entry>)> {
    let mut keys = Vec::new();
    let mut entries = Vec::new();
    for (key, entry) in journal.index.range(range.as_str()) {
        keys.push(Key::parse(key)?);
        entries.push(entry);
    }
    Ok((keys, entries))
}

/// Puts keys, places and bodies together.
pub(crate) fn stored(keys: Vec<Key>, entries: &[Entry], bodies: Vec<Arc<[u8]>>) -> Vec<Stored> {
    let places = keys.into_iter().zip(entries).zip(bodies);
    places
        .map(|((key, entry), json)| Stored {
            key,
            revision: entry.revision,
            json,
        })
        .collect()
}
