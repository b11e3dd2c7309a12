//! Writing records: one commit is one record, durable before it is published.

use super::error::StoreError;
use super::head::Head;
use super::index::Entry;
use super::interface::{MAX_EPOCH, MAX_REVISION, Result, Revision, Why};
use super::journal::Journal;
use super::layout::{INDEX, STAGING};
use super::mutant::{self, Mutant};
use super::record::{self, Line, Meta, OpMeta, RecordKind};
use super::segment::Segment;
use crate::sys::fs::{self, Access};

/// The index is written anew when this much of the journal is behind it.
const CHECKPOINT_EVERY: u64 = 1 << 20;

/// One object's change, ready to be written.
#[derive(Clone, Debug)]
pub(crate) struct Change<'a> {
    pub(crate) key: &'a str,
    pub(crate) json: Option<&'a [u8]>,
    pub(crate) why: Option<&'a Why>,
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
        if last.max(before.chain.seq + 1) > MAX_REVISION || note.epoch > MAX_EPOCH {
            return Err(StoreError::Refused(format!(
                "the cluster has used all revisions up to {MAX_REVISION}: copy it without .ctl to start again"
            )));
        }
        assert!(
            note.epoch >= before.epoch && before.projected <= before.offset,
            "epochs never fall, and no file shows what is not published: {note:?} behind {before:?}"
        );
        let payload = self.encode_commit(note, first, changes)?;
        let (line, chain) = record::encode(RecordKind::Delta, before.chain, payload);
        let mut head = Head {
            offset: before.offset + line.len() as u64,
            chain,
            revision: last,
            epoch: note.epoch,
            time: note.time,
            boot: self.boot.clone(),
            ..before.clone()
        };
        let segment = Segment::open(&*self.fs, before.generation, Access::Write)
            .map_err(StoreError::NotApplied)?;
        if segment.file.stat()?.inode != before.inode {
            return Err(StoreError::Refused(
                "the journal was replaced while in use".to_owned(),
            ));
        }
        if mutant::is(Mutant::HeadFirst) {
            self.publish(head.clone())?;
        }
        if let Err(e) = write_durably(&segment, &line, before.offset) {
            self.head = Some(before.clone());
            return Err(undo(&segment, before.offset, e));
        }
        if changes.is_empty() && before.projected == before.offset {
            head.projected = head.offset;
        }
        if !mutant::is(Mutant::HeadFirst)
            && let Err(e) = self.publish(head.clone())
        {
            self.head = Some(before.clone());
            let StoreError::Fs(e) = e else { return Err(e) };
            return Err(undo(&segment, before.offset, e));
        }
        debug_assert!(
            head.offset > before.offset
                && head.revision == last
                && head.chain.seq == before.chain.seq + 1,
            "{head:?} behind {before:?}"
        );
        self.note_changes(&before, &line, changes);
        Ok(first)
    }

    fn encode_commit(
        &self,
        note: &Note<'_>,
        first: Revision,
        changes: &[Change<'_>],
    ) -> Result<record::Payload> {
        let ops = changes.iter().map(|change| {
            let prev = self
                .index
                .get(change.key)
                .map(|e| (e.revision, e.offset, e.length));
            let key = Some(change.key.into());
            let common = OpMeta {
                prev,
                cause: change.why.and_then(|why| why.trigger),
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
        let bodies: Vec<&[u8]> = changes.iter().filter_map(|c| c.json).collect();
        record::payload(&meta, &bodies).map_err(|e| StoreError::Refused(e.to_string()))
    }

    /// Takes an own commit into the index, without reading it back.
    fn note_changes(&mut self, before: &Head, line: &Line, changes: &[Change<'_>]) {
        let payload = line.payload();
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
            self.must_show(change.key, old);
        }
        self.last = before.offset;
        if let Some(head) = self.head.clone() {
            self.remember(head.revision, head.offset, head.chain);
        }
    }

    /// Says that the YAML tree shows everything that is published.
    pub(crate) fn publish_projected(&mut self) -> Result<()> {
        self.unprojected.clear();
        match self.head.clone() {
            Some(head) if head.projected != head.offset => self.publish(Head {
                projected: head.offset,
                ..head
            }),
            _ => Ok(()),
        }
    }

    /// Returns true if enough has happened for the index to be written anew.
    pub(crate) fn checkpoint_is_due(&self) -> bool {
        let Some(head) = &self.head else { return false };
        let behind = head.offset.saturating_sub(self.checkpoint);
        behind > CHECKPOINT_EVERY.max(4 * self.index.checkpoint_bytes())
    }

    /// Writes `.ctl/index`. It is a cache: whoever cannot write it goes on without.
    pub(crate) fn write_checkpoint(&mut self) {
        let Some(head) = self.head.clone() else {
            return;
        };
        if self.index.loose() > 0 {
            self.index.freeze();
        }
        self.checkpoint = head.offset;
        let bytes = self.index.encode(&self.mark(&head));
        let temporary = format!("{STAGING}/index-{:016x}", self.fs.fresh());
        let _ = fs::replace(&*self.fs, INDEX, &temporary, &bytes, false);
    }
}

fn write_durably(segment: &Segment, line: &[u8], offset: u64) -> fs::Result<()> {
    segment.file.write_at(line, offset)?;
    if mutant::is(Mutant::NoSync) {
        return Ok(());
    }
    segment.file.sync_data()
}

/// Takes a failed commit back. A failed fsync is never tried again on the same bytes: the kernel
/// has marked them clean and would lie.
fn undo(segment: &Segment, offset: u64, failure: fs::FsError) -> StoreError {
    if mutant::is(Mutant::NoUndo) || mutant::is(Mutant::NoUndoNoRewrite) {
        return StoreError::NotApplied(failure);
    }
    match segment
        .file
        .truncate(offset)
        .and_then(|()| segment.file.sync_data())
    {
        Ok(()) => StoreError::NotApplied(failure),
        Err(_) => StoreError::OutcomeUnknown(failure),
    }
}
