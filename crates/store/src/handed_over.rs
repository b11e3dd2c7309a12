//! Records that a process has written after the head and left to the next one, which makes them durable with its own
//! (`docs/design/0016-group-commit.md`).
//!
//! Guarantees: nobody takes back the records of another process. So a head that covers a record, or a later generation,
//! means that the record is durable.

use std::sync::Arc;

use super::interface::Result;
use super::journal::Journal;
use super::mutant::{self, Mutant};
use super::record::{self, Chain, MAX_HEADER};
use super::segment::Segment;
use crate::sys::fs;

/// The records that a process waits for.
pub(crate) struct AwaitedRecords {
    segment: Arc<Segment>,
    /// The inode of its file.
    inode: u64,
    /// The start of the last record, and its end.
    span: (u64, u64),
    /// The chain after it, whose checksum covers all records before.
    chain: Chain,
    /// The number of the last published record at that time.
    published: u64,
}

/// The state of records that were left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// They are not published yet.
    Open,
    /// They are durable; the sync covered this number of records.
    Durable { shared: u64, is_shown: bool },
    /// Another journal is in the place of theirs.
    Lost,
}

impl Journal {
    /// Leaves all records that are not durable yet to the next writer. The index contains them until they are published
    /// or [`Journal::forget`] is called.
    pub(crate) fn leave(&mut self) -> Option<AwaitedRecords> {
        let tail = self.tail.take()?;
        let head = self.head.clone()?;
        if mutant::is(Mutant::PublishOnLeave) {
            self.publish(head.clone()).ok()?;
        }
        Some(AwaitedRecords {
            segment: tail.segment,
            inode: head.inode,
            span: (self.last, head.offset),
            chain: head.chain,
            published: tail.published.chain.seq,
        })
    }

    /// Returns the state of records that were left, as far as it is published.
    pub(crate) fn fate_of(&self, left: &AwaitedRecords) -> Result<Fate> {
        if mutant::is(Mutant::NoWaitForTheLeft) {
            let (shared, is_shown) = (0, true);
            return Ok(Fate::Durable { shared, is_shown });
        }
        // Missing or torn: the next writer repairs it.
        let Some(head) = self.read_head()? else {
            return Ok(Fate::Open);
        };
        let is_later = head.generation > left.segment.generation;
        if !is_later && (head.generation, head.inode) != (left.segment.generation, left.inode) {
            return Ok(Fate::Lost);
        }
        if !is_later && head.offset < left.span.1 {
            return Ok(Fate::Open);
        }
        if !is_later && !left.is_there()? {
            return Ok(Fate::Lost);
        }
        Ok(Fate::Durable {
            shared: head.chain.seq.saturating_sub(left.published),
            is_shown: is_later || head.projected >= left.span.1,
        })
    }
}

impl AwaitedRecords {
    /// Returns true if the last record, and with it every record before, is in the file as it was written.
    fn is_there(&self) -> fs::Result<bool> {
        let bytes = fs::read_range(self.segment.file.as_ref(), self.span.0, MAX_HEADER)?;
        let found = record::decode_header(&bytes);
        Ok(found.is_some_and(|header| {
            let end = self.span.0 + header.size as u64 + header.length + 1;
            (header.seq, header.crc, end) == (self.chain.seq, self.chain.crc, self.span.1)
        }))
    }
}
