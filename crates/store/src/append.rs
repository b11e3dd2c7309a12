//! Writing records: one commit is one record, durable before it is published. The commits of a group
//! share the sync (`docs/design/0016-group-commit.md`).

use std::sync::Arc;

use super::error::StoreError;
use super::head::Head;
use super::index::Entry;
use super::interface::{ChangeReason, Result};
use super::journal::{Journal, LastBody, Tail};
use super::layout::{INDEX, STAGING};
use super::mutant::{self, Mutant};
use super::record::{self, Line, Meta, OpMeta, RecordKind};
use super::revision::{MAX_EPOCH, MAX_REVISION, Revision};
use super::segment::Segment;
use crate::sys::clock::Stopwatch;
use crate::sys::fs::{self, Access};

/// The index is written again when this much of the journal follows it.
const CHECKPOINT_EVERY: u64 = 1 << 20;

/// An object of this size is kept in memory until its file is written.
const SMALL: usize = 16 << 10;

/// One object's change, ready to be written.
#[derive(Clone, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) key: &'a str,
    pub(crate) json: Option<&'a [u8]>,
    pub(crate) why: Option<&'a ChangeReason>,
}

/// The head of a record, without its objects.
#[derive(Clone, Debug)]
pub(crate) struct Note<'a> {
    pub(crate) time: jiff::Timestamp,
    pub(crate) writer: &'a str,
    pub(crate) trigger: Option<Revision>,
    pub(crate) rule: &'a str,
    pub(crate) epoch: u64,
}

impl Journal {
    /// Appends a commit, makes it durable and publishes it. Must be called under the lock, after
    /// `recover`. Returns the revision of the first change.
    pub(crate) fn append(&mut self, note: &Note<'_>, changes: &[Change<'_>]) -> Result<Revision> {
        let first = self.write(note, changes)?;
        self.settle()?;
        Ok(first)
    }

    /// Writes a commit that becomes durable and visible with `settle`. Must be called under the lock, after `recover`,
    /// and its outcome must not be reported before. Returns the revision of the first change.
    ///
    /// If the write fails, everything that `settle` was to publish is undone with it.
    pub(crate) fn write(&mut self, note: &Note<'_>, changes: &[Change<'_>]) -> Result<Revision> {
        let Some(before) = self.head.clone() else {
            return Err(StoreError::Refused("the journal is not open".to_owned()));
        };
        if mutant::is(Mutant::SplitBatch) && changes.len() > 1 {
            for change in changes {
                self.append(note, std::slice::from_ref(change))?;
            }
            return Ok(before.revision + 1);
        }
        let first = before.revision + 1;
        let last = before.revision + changes.len() as u64;
        // A file's `resourceVersion` above the limit is not believed, so such a record could never
        // be rebuilt from the tree.
        if last.max(before.chain.seq + 1) > MAX_REVISION || note.epoch > MAX_EPOCH {
            return Err(StoreError::Refused(format!(
                "the cluster has used all revisions up to {MAX_REVISION}: copy it without .ctl to start again"
            )));
        }
        assert!(
            note.epoch >= before.epoch && before.projected <= before.offset,
            "epochs never fall, and no file shows what is not published: {note:?} after {before:?}"
        );
        debug_assert!(
            has_distinct_keys(changes),
            "a key twice in one record: one of its revisions would never be the object's state"
        );
        let payload = self.encode_commit(note, first, changes)?;
        let (line, chain) = record::encode(RecordKind::Delta, before.chain, payload);
        // The head is complete before anything is written: after the sync only the one write that publishes it can
        // fail.
        let mut head = Head {
            offset: before.offset + line.len() as u64,
            chain,
            revision: last,
            epoch: note.epoch,
            time: note.time,
            boot: self.boot.clone(),
            ..before.clone()
        };
        // A commit that only moves the clock or the epoch has no file to show. Without this the next writer would look
        // for one.
        if changes.is_empty() && before.projected == before.offset {
            head.projected = head.offset;
        }
        let is_first = self.tail.is_none();
        let tail = self.tail_behind(&before)?;
        if mutant::is(Mutant::HeadFirst) {
            self.publish(head.clone())?;
        }
        // At an explicit offset, never in append mode: a dead writer's tail must be overwritten and
        // not continued.
        let mut written = tail.segment.file.write_at(&line, before.offset);
        if mutant::is(Mutant::SyncFirstOnly) && is_first {
            written = written.and_then(|()| tail.segment.file.sync_data());
        }
        if let Err(e) = written {
            return Err(self.take_back(&tail, e));
        }
        debug_assert!(
            head.offset > before.offset
                && head.revision == last
                && head.chain.seq == before.chain.seq + 1,
            "{head:?} after {before:?}"
        );
        self.head = Some(head);
        self.tail = Some(tail);
        self.note_changes(&before, &line, changes);
        Ok(first)
    }

    /// Takes the tail out to append to it, or begins one.
    fn tail_behind(&mut self, before: &Head) -> Result<Tail> {
        let tail = match self.tail.take() {
            Some(tail) => tail,
            None => Tail {
                segment: self.segment_to_write(before.generation)?,
                published: before.clone(),
                inherited: before.offset,
            },
        };
        // The path may lead to another file since `recover` looked. A record in a file that no head
        // names is lost without an error.
        let named = self.fs.quick_stat(&tail.segment.path)?;
        if named.is_none_or(|named| named.inode != before.inode) {
            return Err(StoreError::Refused(
                "the journal was replaced while in use".to_owned(),
            ));
        }
        Ok(tail)
    }

    /// The file of the current generation, which `recover` has opened unless it could not write.
    fn segment_to_write(&self, generation: u64) -> Result<Arc<Segment>> {
        let checked = self.checked.as_ref().map(|(segment, _)| segment);
        // Opened for reading alone on a read-only medium, whose error this open reports.
        match checked.filter(|segment| segment.takes_records_of(generation)) {
            Some(segment) => Ok(Arc::clone(segment)),
            None => Segment::open(&*self.fs, generation, Access::Write)
                .map(Arc::new)
                .map_err(StoreError::NotApplied),
        }
    }

    /// Returns the number of bytes that are not durable yet.
    pub(crate) fn unsettled(&self) -> u64 {
        let ends = self.tail.as_ref().zip(self.head.as_ref());
        ends.map_or(0, |(tail, head)| head.offset - tail.published.offset)
    }

    /// Returns the number of records that are not durable yet, and true if other processes have left some of them.
    pub(crate) fn unsettled_records(&self) -> (u64, bool) {
        let ends = self.tail.as_ref().zip(self.head.as_ref());
        ends.map_or((0, false), |(tail, head)| {
            let records = head.chain.seq - tail.published.chain.seq;
            (records, tail.inherited > tail.published.offset)
        })
    }

    /// Makes all written records durable and publishes them.
    ///
    /// If that fails, none of this process is in the journal, unless the outcome is unknown. Those that other processes
    /// have left stay after the head: these processes wait for them.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let Some(tail) = self.tail.take() else {
            return Ok(());
        };
        let Some(head) = self.head.clone() else {
            return Err(StoreError::Refused("the journal is not open".to_owned()));
        };
        // First durable, then published. A reader trusts the head without a lock; a head that covers bytes which a
        // power cut can take back would show commits that never happened.
        let synced = match mutant::is(Mutant::NoSync) || mutant::is(Mutant::SyncFirstOnly) {
            true => Ok(()),
            false => self.sync(&tail),
        };
        if let Err(e) = synced {
            return Err(self.take_back(&tail, e));
        }
        if !mutant::is(Mutant::HeadFirst)
            && let Err(e) = self.publish(head)
        {
            // The records are durable but unpublished: the next recovery would adopt them although their callers got an
            // error. So they are cut off like a failed write.
            let StoreError::Fs(e) = e else { return Err(e) };
            return Err(self.take_back(&tail, e));
        }
        Ok(())
    }

    fn sync(&self, tail: &Tail) -> fs::Result<()> {
        let (from, to) = (tail.published.offset, tail.inherited);
        if to > from && !mutant::is(Mutant::NoRewriteOfInherited) {
            // The sync of a process that was to make them durable may have failed and left the pages marked clean.
            tail.segment.write_again(from, to)?;
        }
        let stopwatch = Stopwatch::start();
        // `fdatasync` also makes the new file size durable; the modification time is of no interest here.
        tail.segment.file.sync_data()?;
        self.sharing.note_sync(stopwatch.elapsed());
        Ok(())
    }

    /// Undoes all own records of a tail of which one could not be written, synced or published.
    fn take_back(&mut self, tail: &Tail, failure: fs::FsError) -> StoreError {
        let from = match mutant::is(Mutant::UndoLastOnly) && self.last > tail.published.offset {
            true => self.last,
            false if mutant::is(Mutant::UndoInherited) => tail.published.offset,
            false => tail.inherited,
        };
        let error = undo(&tail.segment, from, failure);
        // The index contains the undone records, and is read again when it is needed.
        if self.head.as_ref() != Some(&tail.published) {
            self.forget();
        }
        error
    }

    fn encode_commit(
        &self,
        note: &Note<'_>,
        first: Revision,
        changes: &[Change<'_>],
    ) -> Result<record::Payload> {
        let ops = changes.iter().map(|change| {
            // Each operation carries the place of the version before. History walks back along
            // these links instead of replaying a generation from its base.
            let prev = self
                .index
                .get(change.key)
                .map(|e| (e.revision, e.offset, e.length));
            let key = Some(change.key.into());
            let common = OpMeta {
                prev,
                cause: change
                    .why
                    .and_then(|why| Some(why.trigger.as_ref()?.revision)),
                rule: change.why.map(|why| why.rule.as_str().into()),
                ..OpMeta::default()
            };
            match change.json {
                Some(json) => OpMeta {
                    put: key,
                    len: u32::try_from(json.len()).unwrap_or(u32::MAX),
                    ..common
                },
                None => OpMeta {
                    delete: key,
                    ..common
                },
            }
        });
        let meta = Meta {
            rev: first,
            time: note.time,
            writer: note.writer.into(),
            cause: note.trigger,
            rule: note.rule.into(),
            epoch: note.epoch,
            more: None,
            ops: ops.collect(),
        };
        // Bodies follow the metadata as raw bytes, so that one object can be read by its offset
        // alone, without parsing the record around it.
        let bodies: Vec<&[u8]> = changes.iter().filter_map(|c| c.json).collect();
        record::payload(&meta, &bodies).map_err(|e| StoreError::Refused(e.to_string()))
    }

    /// Takes an own commit into the index, without reading it back.
    fn note_changes(&mut self, before: &Head, line: &Line, changes: &[Change<'_>]) {
        let payload = line.payload();
        // The bodies begin after the first tab; the metadata before it is JSON and has none.
        let head_length = payload
            .iter()
            .position(|b| *b == b'\t')
            .unwrap_or(payload.len());
        let mut at = before.offset + (line.len() - payload.len() - 1 + head_length) as u64;
        for (index, change) in changes.iter().enumerate() {
            let entry = change.json.map(|json| {
                let offset = at + 1;
                at = offset + json.len() as u64;
                Entry {
                    revision: before.revision + 1 + index as u64,
                    offset,
                    length: u32::try_from(json.len()).unwrap_or(u32::MAX),
                    crc: crc32c::crc32c(json),
                }
            });
            let old = self.index.set(change.key, entry);
            let revision = before.revision + 1 + index as u64;
            self.unlocked.changes.note(change.key, revision);
            // Recorded as "not shown" before any file is touched: a process that dies in between
            // leaves it to the next writer.
            self.must_show(change.key, old);
        }
        debug_assert_eq!(
            at + 1,
            before.offset + line.len() as u64,
            "the bodies do not end where the record ends"
        );
        // A copy of one small object is cheaper than to read it back for its file.
        self.last_body = match changes {
            [
                Change {
                    key,
                    json: Some(json),
                    ..
                },
            ] if json.len() <= SMALL => {
                let entry = self.index.get(key);
                entry.map(|entry| LastBody {
                    place: (before.generation, entry.offset),
                    json: (*json).into(),
                })
            }
            _ => None,
        };
        self.last = before.offset;
        if let Some(head) = self.head.clone() {
            self.remember(head.revision, head.offset, head.chain);
            // Before it is published: readers of this process then need no look at the journal.
            self.unlocked.changes.cover(&head);
        }
    }

    /// Says that the YAML tree shows everything that is published.
    pub(crate) fn publish_projected(&mut self) -> Result<()> {
        // Everything up to the head is shown now, so no key needs to be remembered for the next
        // writer.
        self.unprojected.clear();
        match self.head.clone() {
            Some(head) if head.projected != head.offset => self.publish(Head {
                projected: head.offset,
                ..head
            }),
            _ => Ok(()),
        }
    }

    /// Returns true if enough has happened for the index to be written again.
    pub(crate) fn checkpoint_is_due(&self) -> bool {
        let Some(head) = &self.head else { return false };
        let behind = head.offset.saturating_sub(self.checkpoint);
        // Four times its own size: an index costs a write of all its entries, so a large one waits for more journal and
        // the cost per commit stays constant.
        behind > CHECKPOINT_EVERY.max(4 * self.index.checkpoint_bytes())
    }

    /// Writes `.ctl/index`. It is a cache, so a failed write is ignored.
    pub(crate) fn write_checkpoint(&mut self) {
        let Some(head) = self.head.clone() else {
            return;
        };
        if self.index.loose() > 0 {
            self.index.freeze();
        }
        self.checkpoint = head.offset;
        // The mark names the chain at this point. A reader compares it with the journal before it
        // believes the index, so a stale index is harmless.
        let bytes = self.index.encode(&self.mark(&head));
        let temporary = format!("{STAGING}/index-{:016x}", self.fs.fresh());
        // Not synced, and the result ignored: a lost or torn index fails its checksum and is built
        // again from the journal.
        let _ = fs::replace(&*self.fs, INDEX, &temporary, &bytes, false);
    }
}

fn has_distinct_keys(changes: &[Change<'_>]) -> bool {
    let mut keys = std::collections::HashSet::new();
    changes.iter().all(|change| keys.insert(change.key))
}

/// Undoes a failed commit. A failed fsync is never retried on the same bytes: the kernel has marked them clean and
/// would report success.
fn undo(segment: &Segment, offset: u64, failure: fs::FsError) -> StoreError {
    if mutant::is(Mutant::NoUndo) || mutant::is(Mutant::NoUndoNoRewrite) {
        return StoreError::NotApplied(failure);
    }
    // The cut is synced as well. Without that a power cut could restore the record after the caller got "not applied".
    match segment
        .file
        .truncate(offset)
        .and_then(|()| segment.file.sync_data())
    {
        Ok(()) => StoreError::NotApplied(failure),
        // The record may be on disk or not. "Not applied" would invite a retry that may apply the change twice.
        Err(_) => StoreError::OutcomeUnknown(failure),
    }
}
