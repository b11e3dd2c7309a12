//! One line of the journal: `D seq len crc payload`.
//!
//! The payload is a JSON head with the data for every reader (revision, time, writer, cause, rule, one entry per
//! object) and then, each after a tab, the objects' JSON. Compact JSON contains no raw tab or newline, so the file has
//! one record per line and can be read with `grep` and `cut`. The checksum covers the checksum of the previous record,
//! so a stale tail is never valid.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::revision::{MAX_EPOCH, MAX_REVISION, Revision};

/// The longest payload that is ever read or written.
pub(crate) const MAX_PAYLOAD: u64 = 64 << 20;

/// The longest header: kind, two numbers, a checksum and their spaces.
pub(crate) const MAX_HEADER: usize = 2 + 20 + 1 + 10 + 1 + 8 + 1;

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// A part of the state that a generation starts with.
    Base,
    /// A commit.
    Delta,
}

impl RecordKind {
    fn letter(self) -> u8 {
        match self {
            Self::Base => b'B',
            Self::Delta => b'D',
        }
    }

    fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'B' => Some(Self::Base),
            b'D' => Some(Self::Delta),
            _ => None,
        }
    }
}

/// The position of an earlier version of an object: revision, offset in the same file, length.
pub(crate) type Previous = (Revision, u64, u32);

/// One object of a record. Exactly one of `put` and `delete` is set.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct OpMeta<'a> {
    /// The key that got a new version.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) put: Option<Cow<'a, str>>,
    /// The key that was removed.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) delete: Option<Cow<'a, str>>,
    /// The length of its JSON; zero for a removal.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) len: u32,
    /// Its revision, in base records; in commits they count up from the record's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rev: Option<Revision>,
    /// The version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prev: Option<Previous>,
    /// The revision that triggered it; the record's if there is no `rule` here either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Revision>,
    /// The rule that led to it, if it differs from the record's.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<Cow<'a, str>>,
}

impl OpMeta<'_> {
    /// Returns the key of the put or deleted object.
    pub(crate) fn key(&self) -> &str {
        self.put
            .as_deref()
            .or(self.delete.as_deref())
            .unwrap_or_default()
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// The JSON head of a record's payload.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Meta<'a> {
    /// The revision of the first object (commits), or of the whole state (base).
    pub(crate) rev: Revision,
    /// The time, by the cluster's clock.
    pub(crate) time: Timestamp,
    /// The writer: a command line, a controller, `hand-edit`, `ctl`.
    #[serde(borrow)]
    pub(crate) writer: Cow<'a, str>,
    /// The revision that triggered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cause: Option<Revision>,
    /// The stable name of the rule that led to it.
    #[serde(borrow)]
    pub(crate) rule: Cow<'a, str>,
    /// The leader's epoch after this record.
    pub(crate) epoch: u64,
    /// Base records only: whether more base records follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) more: Option<bool>,
    /// The objects, in the order of their bodies.
    #[serde(borrow)]
    pub(crate) ops: Vec<OpMeta<'a>>,
}

/// The position in the chain of checksums and sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The sequence number of the last record.
    pub(crate) seq: u64,
    /// Its checksum.
    pub(crate) crc: u32,
}

impl Chain {
    /// Before the first record of a generation, whose first sequence number is free.
    pub(crate) fn start(seq: u64) -> Self {
        Self { seq, crc: 0 }
    }
}

/// The payload of a record before it is written, with room for its header in front, so that the bytes of a thousand
/// objects are not copied again.
#[derive(Debug)]
pub(crate) struct Payload(Vec<u8>);

/// A record as written to the journal.
#[derive(Debug)]
pub(crate) struct Line {
    bytes: Vec<u8>,
    /// The start of the header.
    start: usize,
}

impl Line {
    /// Returns the payload alone.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.bytes[MAX_HEADER..self.bytes.len() - 1]
    }
}

impl std::ops::Deref for Line {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..]
    }
}

/// Encodes one record that follows `chain`; returns its bytes and the new position in the chain.
pub(crate) fn encode(kind: RecordKind, chain: Chain, payload: Payload) -> (Line, Chain) {
    let Payload(mut bytes) = payload;
    let seq = chain.seq + 1;
    let mut header = vec![kind.letter()];
    header.extend(format!(" {seq} {} ", bytes.len() - MAX_HEADER).bytes());
    let crc = checksum(chain.crc, &header, &bytes[MAX_HEADER..]);
    header.extend(format!("{crc:08x} ").bytes());
    // Right-aligned in the reserved space, so that a payload of megabytes is not moved for a header of unknown length.
    let start = MAX_HEADER - header.len();
    bytes[start..MAX_HEADER].copy_from_slice(&header);
    bytes.push(b'\n');
    (Line { bytes, start }, Chain { seq, crc })
}

/// Combines a head and the bodies of its objects into one payload.
pub(crate) fn payload(meta: &Meta<'_>, bodies: &[&[u8]]) -> serde_json::Result<Payload> {
    let head = serde_json::to_vec(meta)?;
    let bodies_size: usize = bodies.iter().map(|b| b.len() + 1).sum();
    let mut bytes = Vec::with_capacity(MAX_HEADER + head.len() + bodies_size + 1);
    // Spaces, which are never written: the header overwrites their end.
    bytes.resize(MAX_HEADER, b' ');
    bytes.extend_from_slice(&head);
    for body in bodies {
        bytes.push(b'\t');
        bytes.extend_from_slice(body);
    }
    Ok(Payload(bytes))
}

fn checksum(before: u32, header: &[u8], payload: &[u8]) -> u32 {
    // Starting from the previous checksum chains the records: a leftover of an earlier file is valid by itself and
    // still not accepted here.
    let crc = crc32c::crc32c(&before.to_be_bytes());
    let crc = crc32c::crc32c_append(crc, header);
    if super::mutant::is(super::mutant::Mutant::NoChecksum) {
        return 0;
    }
    crc32c::crc32c_append(crc, payload)
}

/// A header as read, before its payload is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: RecordKind,
    pub(crate) seq: u64,
    pub(crate) length: u64,
    pub(crate) crc: u32,
    /// The header's own length, its last space included.
    pub(crate) size: usize,
}

/// Parses a header at the start of `bytes`; `None` if there is none in canonical form.
pub(crate) fn decode_header(bytes: &[u8]) -> Option<Header> {
    let bytes = &bytes[..bytes.len().min(MAX_HEADER)];
    let mut parts = bytes.splitn(5, |b| *b == b' ');
    let kind = match parts.next()? {
        [letter] => RecordKind::from_letter(*letter)?,
        _ => return None,
    };
    let seq = canonical_number(parts.next()?)?;
    let length = canonical_number(parts.next()?)?;
    let crc = parts.next()?;
    parts.next()?;
    // Lower-case and of fixed width: every header has exactly one spelling, so a flipped byte never results in another
    // valid one.
    let digit = |value: u32, byte: &u8| {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            _ => return None,
        };
        Some(value << 4 | u32::from(digit))
    };
    let value = crc.iter().try_fold(0, digit).filter(|_| crc.len() == 8)?;
    let header = Header {
        kind,
        seq,
        length,
        crc: value,
        size: 5 + digits(seq) + digits(length) + 8,
    };
    // Checked before the payload is read: a damaged length must not become an allocation.
    (length <= MAX_PAYLOAD && seq <= MAX_REVISION).then_some(header)
}

/// Returns a number that has exactly one spelling: digits without a leading zero.
pub(crate) fn canonical_number(bytes: &[u8]) -> Option<u64> {
    let is_canonical = matches!(bytes, [b'0'] | [b'1'..=b'9', ..]);
    let add = |number: u64, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    };
    bytes.iter().try_fold(0, add).filter(|_| is_canonical)
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |d| d as usize + 1)
}

/// Returns true if `line` (header, payload, newline) matches `header` and follows `chain`.
pub(crate) fn is_valid(header: &Header, line: &[u8], chain: Chain) -> bool {
    let (head, rest) = line.split_at(header.size);
    let Some((newline, payload)) = rest.split_last() else {
        return false;
    };
    // Without the checksum itself and the space after it.
    let prefix = &head[..header.size - 9];
    *newline == b'\n' && checksum(chain.crc, prefix, payload) == header.crc
}

/// Splits a payload into its head and the start of its bodies.
pub(crate) fn decode_payload(payload: &[u8]) -> Option<(Meta<'_>, usize)> {
    let (meta, head) = match super::fast_head::read(payload) {
        Some(usual) => usual,
        None => {
            let end = payload.iter().position(|b| *b == b'\t');
            let head = end.unwrap_or(payload.len());
            (serde_json::from_slice(&payload[..head]).ok()?, head)
        }
    };
    let mut end = head;
    for op in &meta.ops {
        // Exactly one of the two, because a record with both would be ambiguous.
        if op.put.is_some() == op.delete.is_some() {
            return None;
        }
        if op.put.is_some() {
            if payload.get(end) != Some(&b'\t') {
                return None;
            }
            end += 1 + op.len as usize;
        }
    }
    // Every byte is accounted for, because no reader would see the rest.
    (end == payload.len() && is_bounded(&meta)).then_some((meta, head))
}

/// Returns true if every revision, the epoch and the length of every earlier version leave room for
/// arithmetic.
fn is_bounded(meta: &Meta<'_>) -> bool {
    let fits = |revision: u64| revision <= MAX_REVISION;
    // Base records contain the revision of each object.
    let counted = meta.ops.iter().filter(|op| op.rev.is_none()).count();
    let last = meta.rev.checked_add(counted as u64);
    let op_fits = |op: &OpMeta<'_>| {
        let (revision, _, length) = op.prev.unwrap_or_default();
        fits(op.rev.unwrap_or(0)) && fits(revision) && u64::from(length) <= MAX_PAYLOAD
    };
    // The revision after a commit is one less than the sum.
    last.is_some_and(|last| fits(last.saturating_sub(1)))
        && fits(meta.rev)
        && meta.epoch <= MAX_EPOCH
        && meta.ops.iter().all(op_fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn meta() -> Meta<'static> {
        Meta {
            rev: 7,
            time: "2026-01-02T03:04:05.123456Z".parse().unwrap(),
            writer: "ctl apply -f x.yaml".into(),
            cause: Some(6),
            rule: "apply".into(),
            epoch: 0,
            more: None,
            ops: vec![
                OpMeta {
                    put: Some("pods/a/b".into()),
                    len: 2,
                    ..OpMeta::default()
                },
                OpMeta {
                    delete: Some("pods/a/c".into()),
                    prev: Some((3, 40, 9)),
                    ..OpMeta::default()
                },
            ],
        }
    }

    fn record() -> (Vec<u8>, Chain) {
        let body = payload(&meta(), &[b"{}"]).unwrap();
        let (line, chain) = encode(RecordKind::Delta, Chain { seq: 4, crc: 99 }, body);
        (line.to_vec(), chain)
    }

    #[test]
    fn a_record_is_one_line_that_reads_back() {
        let (line, chain) = record();
        assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
        let header = decode_header(&line).unwrap();
        assert_eq!((header.kind, header.seq), (RecordKind::Delta, 5));
        assert_eq!(
            chain,
            Chain {
                seq: 5,
                crc: header.crc
            }
        );
        assert_eq!(line.len(), header.size + header.length as usize + 1);
        assert!(is_valid(&header, &line, Chain { seq: 4, crc: 99 }));
        assert!(!is_valid(&header, &line, Chain { seq: 4, crc: 98 }));
        let (back, at) = decode_payload(&line[header.size..line.len() - 1]).unwrap();
        assert_eq!(back, meta());
        assert_eq!(&line[header.size + at..], b"\t{}\n");
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let (line, _) = record();
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut bad = line.clone();
                bad[at] ^= 1 << bit;
                let same = decode_header(&bad).is_some_and(|header| {
                    bad.len() == header.size + header.length as usize + 1
                        && is_valid(&header, &bad, Chain { seq: 4, crc: 99 })
                });
                assert!(!same, "byte {at} bit {bit}");
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic_the_decoder(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(header) = decode_header(&bytes)
                && let Some(line) = bytes.get(..header.size + header.length as usize + 1) {
                let _ = is_valid(&header, line, Chain { seq: 0, crc: 0 });
            }
            let _ = decode_payload(&bytes);
        }
    }
}
