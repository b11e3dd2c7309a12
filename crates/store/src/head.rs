//! `.ctl/head`: one checksummed line with the published end of the journal.
//!
//! It is written after the sync of the records that it covers and is itself never synced: exact within one boot of the
//! machine, a lower bound after a reboot. It distinguishes a torn tail (beyond it: drop) from damage (below it:
//! refuse), and watchers wait on this file.

use jiff::Timestamp;

use super::layout::MAX_GENERATION;
use super::record::Chain;
use super::revision::{MAX_REVISION, Revision};

/// The size of the file; the line is padded so that no shorter line leaves a remainder.
pub(crate) const HEAD_SIZE: usize = 256;

const MAGIC: &str = "ctl-head-1";

/// The published length of the journal, with the state of the cluster there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The boot in which this was written.
    pub(crate) boot: String,
    /// The generation of the journal.
    pub(crate) generation: u64,
    /// The inode of its file: in a copied directory it differs.
    pub(crate) inode: u64,
    /// The published length of the file.
    pub(crate) offset: u64,
    /// The offset up to which the YAML tree shows its objects.
    pub(crate) projected: u64,
    /// The chain at `offset`.
    pub(crate) chain: Chain,
    /// The revision at `offset`.
    pub(crate) revision: Revision,
    /// The leader's epoch.
    pub(crate) epoch: u64,
    /// The time of the last record.
    pub(crate) time: Timestamp,
}

impl Head {
    /// Returns the file's content.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let text = format!(
            "{MAGIC} {} {} {} {} {} {} {:08x} {} {} {}",
            self.boot,
            self.generation,
            self.inode,
            self.offset,
            self.projected,
            self.chain.seq,
            self.chain.crc,
            self.revision,
            self.epoch,
            self.time.as_microsecond(),
        );
        let crc = crc32c::crc32c(text.as_bytes());
        let mut line = format!("{text} {crc:08x}").into_bytes();
        // A fixed size: a head is replaced by one write, and its checksum reveals a torn one.
        line.resize(HEAD_SIZE - 1, b' ');
        line.push(b'\n');
        line
    }

    /// Parses the file's content; `None` if it is incomplete or invalid.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != HEAD_SIZE {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let (covered, crc) = text
            .strip_suffix('\n')?
            .trim_end_matches(' ')
            .rsplit_once(' ')?;
        if u32::from_str_radix(crc, 16).ok()? != crc32c::crc32c(covered.as_bytes()) {
            return None;
        }
        let mut words = covered.split(' ');
        if words.next()? != MAGIC {
            return None;
        }
        let boot = words.next()?.to_owned();
        let mut number = || words.next()?.parse::<u64>().ok();
        let (generation, inode, offset, projected) = (number()?, number()?, number()?, number()?);
        let seq = number()?;
        let crc = u32::from_str_radix(words.next()?, 16).ok()?;
        let mut number = || words.next()?.parse::<i64>().ok();
        let (revision, epoch, time) = (number()?, number()?, number()?);
        let bounded = |number: u64| number <= MAX_REVISION;
        // A larger number is damage, and sums of such numbers would overflow later.
        if generation > MAX_GENERATION || projected > offset || !bounded(seq) {
            return None;
        }
        let head = Self {
            boot,
            generation,
            inode,
            offset,
            projected,
            chain: Chain { seq, crc },
            revision: u64::try_from(revision).ok().filter(|r| bounded(*r))?,
            epoch: u64::try_from(epoch).ok()?,
            time: Timestamp::from_microsecond(time).ok()?,
        };
        // Only the canonical form: with two texts for one head a flipped byte could go unnoticed.
        (head.encode() == bytes).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            boot: "4f3c-boot".to_owned(),
            generation: 3,
            inode: 77,
            offset: 123_456,
            projected: 120_000,
            chain: Chain {
                seq: 12,
                crc: 0xdead_beef,
            },
            revision: 99,
            epoch: 2,
            time: "2026-01-02T03:04:05.000006Z".parse().unwrap(),
        }
    }

    #[test]
    fn head_round_trips_at_fixed_size() {
        let bytes = head().encode();
        assert_eq!(bytes.len(), HEAD_SIZE);
        assert_eq!(Head::decode(&bytes), Some(head()));
    }

    #[test]
    fn truncated_or_corrupt_head_is_rejected() {
        let bytes = head().encode();
        for length in 0..bytes.len() {
            assert_eq!(Head::decode(&bytes[..length]), None);
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                assert_eq!(Head::decode(&bad), None, "byte {at} bit {bit}");
            }
        }
    }
}
