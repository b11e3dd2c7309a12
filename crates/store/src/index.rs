//! The positions of the live objects in the journal.
//!
//! An index is a checkpoint (sorted entries in one block of bytes, searched in place) and the changes since.
//! Checkpoints are kept in `.ctl/index` as a cache: opening a cluster of ten thousand objects reads that file and the
//! journal after it instead of every object. The file may be deleted at any time; it is checked against the journal
//! before use.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use super::record::Chain;
use super::revision::{MAX_REVISION, Revision};

const MAGIC: &str = "ctl-index-1";
const ENTRY_HEAD: usize = 26;

/// The position of one version of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The revision of its last change.
    pub(crate) revision: Revision,
    /// The offset of its JSON in the generation's file.
    pub(crate) offset: u64,
    /// The length of its JSON.
    pub(crate) length: u32,
    /// The checksum of its JSON alone.
    pub(crate) crc: u32,
}

/// The state of the journal at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The generation that the offsets are in.
    pub(crate) generation: u64,
    /// The offset up to which records are counted in.
    pub(crate) offset: u64,
    /// The start of the last counted record.
    pub(crate) last: u64,
    /// The chain at `offset`.
    pub(crate) chain: Chain,
    /// The revision at `offset`.
    pub(crate) revision: Revision,
}

/// A frozen, sorted block of entries.
#[derive(Debug, Default)]
pub(crate) struct Checkpoint {
    /// `count` offsets of four bytes, then the entries they point to.
    block: Vec<u8>,
    count: usize,
}

impl Checkpoint {
    fn position(&self, index: usize) -> usize {
        // Four bytes are enough: a block is far smaller than 4 GiB.
        let at = index * 4;
        let bytes = self.block[at..at + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(bytes) as usize
    }

    fn key(&self, index: usize) -> &[u8] {
        let bytes = &self.block[self.position(index)..];
        let size = usize::from(u16::from_le_bytes([bytes[24], bytes[25]]));
        &bytes[ENTRY_HEAD..ENTRY_HEAD + size]
    }

    fn at(&self, index: usize) -> (&str, Entry) {
        let bytes = &self.block[self.position(index)..];
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let int = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
        let key = std::str::from_utf8(self.key(index)).unwrap_or_default();
        (
            key,
            Entry {
                revision: long(0),
                offset: long(8),
                length: int(16),
                crc: int(20),
            },
        )
    }

    /// Returns true if every entry is within the block and the keys ascend.
    fn is_sound(&self) -> bool {
        if self
            .count
            .checked_mul(4)
            .is_none_or(|table| table > self.block.len())
        {
            return false;
        }
        let whole = |index: usize| {
            let head = self.block.get(self.position(index)..)?;
            let size = usize::from(u16::from_le_bytes([*head.get(24)?, *head.get(25)?]));
            std::str::from_utf8(head.get(ENTRY_HEAD..ENTRY_HEAD + size)?).ok()
        };
        let keys: Option<Vec<&str>> = (0..self.count).map(whole).collect();
        keys.is_some_and(|keys| keys.is_sorted())
    }

    /// Returns the first entry whose key is not less than `key`.
    fn lower_bound(&self, key: &str) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.key(middle) < key.as_bytes() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn get(&self, key: &str) -> Option<Entry> {
        let at = self.lower_bound(key);
        let found = at < self.count && self.key(at) == key.as_bytes();
        found.then(|| self.at(at).1)
    }

    fn from_entries<'a>(entries: impl Iterator<Item = (&'a str, Entry)>) -> Self {
        let (mut starts, mut body) = (Vec::new(), Vec::new());
        for (key, entry) in entries {
            starts.push(body.len());
            body.extend(entry.revision.to_le_bytes());
            body.extend(entry.offset.to_le_bytes());
            body.extend(entry.length.to_le_bytes());
            body.extend(entry.crc.to_le_bytes());
            body.extend(u16::try_from(key.len()).unwrap_or(u16::MAX).to_le_bytes());
            body.extend(key.as_bytes());
        }
        let table = starts.len() * 4;
        let mut block = Vec::with_capacity(table + body.len());
        for start in &starts {
            block.extend(
                // Offsets are relative to the block, so the file can be used without conversion.
                u32::try_from(table + start)
                    .unwrap_or(u32::MAX)
                    .to_le_bytes(),
            );
        }
        block.extend(body);
        Self {
            block,
            count: starts.len(),
        }
    }
}

/// All live objects of a generation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    base: Arc<Checkpoint>,
    over: HashMap<Arc<str>, Option<Entry>>,
    /// The keys of those changes in order, for ranges; look-ups by name do not need them.
    order: BTreeSet<Arc<str>>,
    /// The number of objects.
    pub(crate) count: usize,
    /// The size of their JSON in bytes.
    pub(crate) live_bytes: u64,
}

impl Index {
    /// Returns the position of the object with this key.
    pub(crate) fn get(&self, key: &str) -> Option<Entry> {
        match self.over.get(key) {
            Some(entry) => *entry,
            None => self.base.get(key),
        }
    }

    /// Notes a new version or a removal, and returns the version before.
    pub(crate) fn set(&mut self, key: &str, entry: Option<Entry>) -> Option<Entry> {
        let before = match self.over.get_mut(key) {
            Some(known) => std::mem::replace(known, entry),
            // One allocation for the key, shared by the map and the order.
            None => {
                let own: Arc<str> = key.into();
                self.order.insert(Arc::clone(&own));
                self.over.insert(own, entry);
                self.base.get(key)
            }
        };
        if let Some(old) = before {
            debug_assert!(
                self.count > 0 && self.live_bytes >= u64::from(old.length),
                "the index counts less than it holds"
            );
            self.count -= 1;
            self.live_bytes -= u64::from(old.length);
        }
        if let Some(new) = entry {
            self.count += 1;
            self.live_bytes += u64::from(new.length);
        }
        before
    }

    /// Returns the entries whose keys begin with `prefix`, in order.
    pub(crate) fn range<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, Entry)> {
        // Two sorted sources merged on the way: listing does not need a frozen index.
        let start = self.base.lower_bound(prefix);
        let mut base = (start..self.base.count)
            .map(|i| self.base.at(i))
            .take_while(move |(key, _)| key.starts_with(prefix))
            .peekable();
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let mut over = self
            .order
            .range::<str, _>(from)
            .take_while(move |key| key.starts_with(prefix))
            .map(|key| (&**key, self.over.get(key).copied().flatten()))
            .peekable();
        std::iter::from_fn(move || {
            loop {
                let take_base = match (base.peek(), over.peek()) {
                    (Some((b, _)), Some((o, _))) => b < o,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (None, None) => return None,
                };
                if take_base {
                    return base.next();
                }
                let (key, entry) = over.next()?;
                // The newer entry hides the checkpoint's, and a removal hides it without a new one.
                if base.peek().is_some_and(|(b, _)| *b == key) {
                    base.next();
                }
                if let Some(entry) = entry {
                    return Some((key, entry));
                }
            }
        })
    }

    /// Returns the number of changes since the checkpoint.
    pub(crate) fn loose(&self) -> usize {
        self.over.len()
    }

    /// Returns the size of the checkpoint in bytes.
    pub(crate) fn checkpoint_bytes(&self) -> u64 {
        self.base.block.len() as u64
    }

    /// Takes all changes into a new checkpoint.
    pub(crate) fn freeze(&mut self) {
        let frozen = Checkpoint::from_entries(self.range(""));
        self.base = Arc::new(frozen);
        self.over = HashMap::new();
        self.order = BTreeSet::new();
    }

    /// Returns the content of `.ctl/index` for a frozen index at `mark`.
    pub(crate) fn encode(&self, mark: &Mark) -> Vec<u8> {
        let block = &self.base.block;
        let head = format!(
            "{MAGIC} {} {} {} {} {:08x} {} {} {} {} {:08x}",
            mark.generation,
            mark.offset,
            mark.last,
            mark.chain.seq,
            mark.chain.crc,
            mark.revision,
            self.count,
            self.live_bytes,
            block.len(),
            crc32c::crc32c(block),
        );
        let mut bytes = format!("{head} {:08x}\n", crc32c::crc32c(head.as_bytes())).into_bytes();
        bytes.extend_from_slice(block);
        bytes
    }

    /// Parses the content of `.ctl/index`; `None` if it is incomplete or invalid.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Self, Mark)> {
        let end = bytes.iter().take(400).position(|b| *b == b'\n')?;
        let (head, crc) = std::str::from_utf8(&bytes[..end]).ok()?.rsplit_once(' ')?;
        // Header and block have a checksum each: a torn header must not lead to an allocation of a
        // random size.
        if u32::from_str_radix(crc, 16).ok()? != crc32c::crc32c(head.as_bytes()) {
            return None;
        }
        let words: Vec<&str> = head.split(' ').collect();
        let [
            MAGIC,
            generation,
            offset,
            last,
            seq,
            crc,
            revision,
            count,
            live,
            size,
            sum,
        ] = words[..]
        else {
            return None;
        };
        let number = |word: &str| word.parse::<u64>().ok();
        let hex = |word: &str| u32::from_str_radix(word, 16).ok();
        let block = &bytes[end + 1..];
        if number(size)? != block.len() as u64 || hex(sum)? != crc32c::crc32c(block) {
            return None;
        }
        let mark = Mark {
            generation: number(generation)?,
            offset: number(offset)?,
            last: number(last)?,
            chain: Chain {
                seq: number(seq)?,
                crc: hex(crc)?,
            },
            revision: number(revision)?,
        };
        let count = usize::try_from(number(count)?).ok()?;
        let base = Checkpoint {
            block: block.to_vec(),
            count,
        };
        let live_bytes = number(live)?;
        // The file is untrusted, and its numbers are added to later.
        let is_bounded = mark.revision <= MAX_REVISION
            && mark.chain.seq <= MAX_REVISION
            && mark.last <= mark.offset
            && live_bytes <= MAX_REVISION;
        // Checked once at loading, so that look-ups may index without further checks.
        if !is_bounded || !base.is_sound() {
            return None;
        }
        let index = Self {
            base: Arc::new(base),
            over: HashMap::new(),
            order: BTreeSet::new(),
            count,
            live_bytes,
        };
        Some((index, mark))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn entry(revision: u64) -> Entry {
        Entry {
            revision,
            offset: revision * 10,
            length: 10,
            crc: 1,
        }
    }

    const MARK: Mark = Mark {
        generation: 1,
        offset: 50,
        last: 9,
        chain: Chain { seq: 3, crc: 4 },
        revision: 5,
    };

    #[test]
    fn a_frozen_index_reads_back_and_no_flipped_bit_passes() {
        let mut index = Index::default();
        for n in 0..20 {
            index.set(&format!("pods/a/{n}"), Some(entry(n)));
        }
        index.freeze();
        let bytes = index.encode(&MARK);
        let (back, mark) = Index::decode(&bytes).unwrap();
        assert_eq!((mark, back.count, back.live_bytes), (MARK, 20, 200));
        assert_eq!(back.get("pods/a/7"), Some(entry(7)));
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 4;
            assert!(Index::decode(&bad).is_none(), "byte {at}");
            assert!(Index::decode(&bytes[..at]).is_none());
        }
    }

    #[test]
    fn index_with_out_of_range_numbers_is_rejected() {
        let mut index = Index::default();
        index.freeze();
        for number in [MAX_REVISION, MAX_REVISION + 1, 1 << 54, 1 << 63, u64::MAX] {
            let chain = Chain {
                seq: number,
                crc: 4,
            };
            let (one, two) = (
                Mark {
                    revision: number,
                    ..MARK
                },
                Mark { chain, ..MARK },
            );
            for mark in [one, two] {
                let read = Index::decode(&index.encode(&mark));
                assert_eq!(read.is_some(), number == MAX_REVISION, "{mark:?}");
            }
        }
        let behind = Mark { last: 51, ..MARK };
        assert!(Index::decode(&index.encode(&behind)).is_none());
    }

    proptest! {
        #[test]
        fn an_index_is_a_sorted_map(ops in proptest::collection::vec((0u8..40, 0u8..4), 0..120)) {
            let (mut index, mut model) = (Index::default(), BTreeMap::new());
            for (at, (key, what)) in ops.into_iter().enumerate() {
                let key = format!("k/{}/{key}", key % 3);
                match what {
                    0 => { index.set(&key, None); model.remove(&key); }
                    1 => index.freeze(),
                    _ => { index.set(&key, Some(entry(at as u64))); model.insert(key, entry(at as u64)); }
                }
            }
            prop_assert_eq!(index.count, model.len());
            for prefix in ["", "k/1/", "k/2", "z"] {
                let got: Vec<_> = index.range(prefix).map(|(k, e)| (k.to_owned(), e)).collect();
                let want: Vec<_> = model.iter().filter(|(k, _)| k.starts_with(prefix))
                    .map(|(k, e)| (k.clone(), *e)).collect();
                prop_assert_eq!(got, want);
            }
        }
    }
}
