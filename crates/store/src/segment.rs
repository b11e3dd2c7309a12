//! Reads one generation's file, record by record, along the chain of checksums.

use super::layout::generation_path;
use super::record::{self, Chain, Header, MAX_HEADER, Meta, RecordKind};
use crate::sys::fs::{self, Access, File, Fs, Result};

/// The size of a block that is read at once.
const BLOCK: usize = 1 << 20;

/// An open generation.
pub(crate) struct Segment {
    pub(crate) generation: u64,
    pub(crate) path: String,
    pub(crate) file: Box<dyn File>,
    access: Access,
}

impl Segment {
    pub(crate) fn open(fs: &dyn Fs, generation: u64, access: Access) -> Result<Self> {
        let path = generation_path(generation);
        Ok(Self {
            generation,
            file: fs.open(&path, access)?,
            path,
            access,
        })
    }

    /// Writes bytes of the file again, so that the next sync makes them durable even if an earlier one failed.
    pub(crate) fn write_again(&self, from: u64, to: u64) -> Result<()> {
        let length = usize::try_from(to - from).unwrap_or(0);
        let bytes = fs::read_range(self.file.as_ref(), from, length)?;
        self.file.write_at(&bytes, from)
    }

    /// Returns true if records can be written after those of this generation.
    pub(crate) fn takes_records_of(&self, generation: u64) -> bool {
        self.generation == generation && self.access == Access::Write
    }
}

/// A record as found in a file.
#[derive(Debug)]
pub(crate) struct FoundRecord<'b> {
    pub(crate) kind: RecordKind,
    /// The start of the record.
    pub(crate) start: u64,
    /// The start of the next record.
    pub(crate) end: u64,
    /// The position in the chain after it.
    pub(crate) chain: Chain,
    pub(crate) meta: Meta<'b>,
    /// The bodies, each after a tab.
    pub(crate) bodies: &'b [u8],
    /// The offset of `bodies` in the file.
    pub(crate) bodies_at: u64,
}

impl FoundRecord<'_> {
    /// Returns the offset in the file and the bytes of each object, in the order of the head's entries; empty for
    /// removals.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, u64, &[u8])> {
        let mut at = 0;
        self.meta.ops.iter().enumerate().map(move |(index, op)| {
            if op.delete.is_some() {
                return (index, 0, &self.bodies[..0]);
            }
            let start = at + 1;
            at = start + op.len as usize;
            (
                index,
                self.bodies_at + start as u64,
                &self.bodies[start..at],
            )
        })
    }

    /// Returns the revision of the object at `index` of the head's entries.
    pub(crate) fn revision_of(&self, index: usize) -> u64 {
        self.meta.ops[index]
            .rev
            .unwrap_or(self.meta.rev + index as u64)
    }

    /// Returns the revision of the store after this record.
    pub(crate) fn revision_after(&self) -> u64 {
        match self.kind {
            RecordKind::Base => self.meta.rev,
            RecordKind::Delta => self.meta.rev + self.meta.ops.len() as u64 - 1,
        }
    }
}

/// Returns the record in a checked line, which starts at `start`; `None` if it has no meaning.
pub(crate) fn found<'b>(header: &Header, line: &'b [u8], start: u64) -> Option<FoundRecord<'b>> {
    let payload = &line[header.size..line.len() - 1];
    let (meta, head) = record::decode_payload(payload)?;
    // Its revision would be one below zero.
    if header.kind == RecordKind::Delta && meta.ops.is_empty() && meta.rev == 0 {
        return None;
    }
    Some(FoundRecord {
        kind: header.kind,
        start,
        end: start + line.len() as u64,
        chain: Chain {
            seq: header.seq,
            crc: header.crc,
        },
        meta,
        bodies: &payload[head..],
        bodies_at: start + (header.size + head) as u64,
    })
}

/// The result of a step along the chain.
#[derive(Debug)]
pub(crate) enum Step<'b> {
    /// The next record.
    Record(FoundRecord<'b>),
    /// The limit was reached exactly.
    End,
    /// The next bytes are not a record of this chain.
    Broken,
}

/// A walk along the records of a file.
pub(crate) struct Walk<'f> {
    file: &'f dyn File,
    /// The start of the next record.
    pub(crate) at: u64,
    /// The chain before it.
    pub(crate) chain: Chain,
    /// The end of the records, which may move on.
    pub(crate) limit: u64,
    any_seq: bool,
    buffer: Vec<u8>,
    buffer_at: u64,
}

impl<'f> Walk<'f> {
    /// A walk over a whole file up to `limit`.
    pub(crate) fn whole(file: &'f dyn File, limit: u64) -> Self {
        Self {
            // The first record of a file may have any number, because it continues from the previous generation.
            any_seq: true,
            ..Self::from(file, 0, Chain::start(0), limit)
        }
    }

    /// A walk from a known place.
    pub(crate) fn from(file: &'f dyn File, at: u64, chain: Chain, limit: u64) -> Self {
        Self {
            file,
            at,
            chain,
            limit,
            any_seq: false,
            buffer: Vec::new(),
            buffer_at: at,
        }
    }

    /// Takes the next record.
    pub(crate) fn step(&mut self) -> Result<Step<'_>> {
        if self.at == self.limit {
            return Ok(Step::End);
        }
        let Some(header) = self.header()? else {
            return Ok(Step::Broken);
        };
        let size = header.size as u64 + header.length + 1;
        // A length beyond the limit is a torn record or damage; the caller decides by its position.
        if self.limit - self.at < size || !self.ensure(usize::try_from(size).unwrap_or(0))? {
            return Ok(Step::Broken);
        }
        let begin = usize::try_from(self.at - self.buffer_at).unwrap_or(0);
        let line = &self.buffer[begin..begin + usize::try_from(size).unwrap_or(0)];
        // Before the payload is parsed: only checked bytes reach the parser.
        if !record::is_valid(&header, line, self.chain) {
            return Ok(Step::Broken);
        }
        let start = self.at;
        let Some(found) = found(&header, line, start) else {
            return Ok(Step::Broken);
        };
        debug_assert!(
            self.at + size <= self.limit,
            "a record beyond the limit of the walk"
        );
        self.chain = found.chain;
        // From here on the numbers must be contiguous.
        self.any_seq = false;
        self.at += size;
        Ok(Step::Record(found))
    }

    /// Returns the header at the current position, if there is one of this chain.
    fn header(&mut self) -> Result<Option<Header>> {
        let wanted = MAX_HEADER.min(usize::try_from(self.limit - self.at).unwrap_or(MAX_HEADER));
        self.ensure(wanted)?;
        let begin = usize::try_from(self.at - self.buffer_at).unwrap_or(0);
        let header = record::decode_header(&self.buffer[begin.min(self.buffer.len())..]);
        Ok(header.filter(|h| self.any_seq || h.seq == self.chain.seq + 1))
    }

    /// Makes `length` bytes from the current position readable; returns false if the file is shorter.
    fn ensure(&mut self, length: usize) -> Result<bool> {
        let begin = usize::try_from(self.at - self.buffer_at).unwrap_or(0);
        if self.buffer.len() >= begin + length {
            return Ok(true);
        }
        // The rest of the last block stays: a record may begin in it.
        self.buffer.drain(..begin.min(self.buffer.len()));
        self.buffer_at = self.at;
        let have = self.buffer.len();
        let left = usize::try_from(self.limit - self.at).unwrap_or(usize::MAX);
        // Never beyond the limit, because another process may be writing after it.
        let want = length.max(BLOCK).min(left).max(have);
        self.buffer.resize(want, 0);
        let read = self
            .file
            .read_at(&mut self.buffer[have..], self.at + have as u64)?;
        // Short reads are the end of the file.
        self.buffer.truncate(have + read);
        Ok(self.buffer.len() >= length)
    }
}
