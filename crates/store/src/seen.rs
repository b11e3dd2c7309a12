//! `.ctl/seen`: the files on disk with their revisions, identified by inode and change time.
//!
//! Any program can set a file's size and modification time, none its change time. A slot records: the file with this
//! inode and this change time has the text with this fingerprint, which is this revision of this object. Such a fact is
//! true until the machine loses power, regardless of its writer, so the file is not protected: a slot that is torn,
//! stale, from another boot or missing only costs one comparison of contents. `docs/format.md` has the layout.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::index::Entry;
use super::layout::{MAX_FILE, SEEN, STAGING};
use super::revision::Revision;
use crate::sys::fs::{self, Access, File, FileKind, Fs, Result, Stat};

/// The bytes of a slot.
const SLOT: usize = 48;

/// The slots of a bucket: the hash of a key selects its bucket, in which it may have any position.
const BUCKET: usize = 64;

const BUCKET_SIZE: usize = SLOT * BUCKET;

/// Up to this many buckets are read one by one; beyond that all are read at once.
const FEW: usize = 8;

/// The largest file that can be one of ctl's.
const MOST: u64 = 1 << 30;

/// Marks a slot whose change time was read when no change could leave it unchanged.
const SETTLED: u64 = 1 << 63;

/// The longest tick of a kernel's coarse clock, twice: a change time this old is over.
const TICK: std::time::Duration = std::time::Duration::from_millis(20);

/// The granularity of old file systems, whose times have whole seconds.
const COARSE: std::time::Duration = std::time::Duration::from_secs(4);

/// Returns a hash of a text. Texts of one length that differ in up to eight consecutive bytes never share it.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    // Zeros for the end of the text: the length is in the hash already.
    last[..rest.len()].copy_from_slice(rest);
    for word in words.iter().chain([&last]) {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR);
        // The high bits depend on the whole word, the low ones do not.
        hash ^= hash >> 32;
    }
    // Any bits of the result choose a bucket.
    hash = hash.wrapping_mul(FACTOR);
    hash = (hash ^ (hash >> 32)).wrapping_mul(FACTOR);
    hash ^ (hash >> 32)
}

/// The state of a file when it had a known text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) inode: u64,
    /// The change time, in nanoseconds.
    pub(crate) changed: u64,
    /// True if any later change of the file must show in its change time.
    pub(crate) settled: bool,
    /// The fingerprint of its text.
    pub(crate) text: u64,
}

impl Mark {
    /// Creates the mark of a file whose text was read after `stat`; `now` is a time from before that.
    pub(crate) fn read(stat: &Stat, text: u64, now: Timestamp) -> Self {
        // Whole milliseconds are the mark of a coarse clock.
        let fine = stat.changed.subsec_nanosecond() % 1_000_000 != 0;
        let over = stat.changed + if fine { TICK } else { COARSE };
        Self {
            inode: stat.inode,
            changed: nanoseconds(stat),
            settled: now > over,
            text,
        }
    }

    /// Creates the mark of a file that was just put in its place. `before` is its stat from before its last change: two
    /// change times this close are not ticks of a coarse clock, so every change of this file gets a distinct time.
    pub(crate) fn put(before: &Stat, after: &Stat, text: u64) -> Self {
        let apart = nanoseconds(after).wrapping_sub(nanoseconds(before));
        Self {
            inode: after.inode,
            changed: nanoseconds(after),
            // Two times of one coarse tick are equal, those of two ticks are farther apart.
            settled: (1..500_000).contains(&apart),
            text,
        }
    }
}

fn nanoseconds(stat: &Stat) -> u64 {
    u64::try_from(stat.changed.as_nanosecond()).unwrap_or(0)
}

/// A fact about the file of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    key: u64,
    revision: Revision,
    /// The checksum of the object's JSON: two histories may have a revision in common.
    json: u32,
    mark: Mark,
}

impl Slot {
    /// Says that the file of an object has this mark.
    pub(crate) fn new(key: &str, entry: &Entry, mark: Mark) -> Self {
        Self {
            key: fingerprint(key.as_bytes()),
            revision: entry.revision,
            json: entry.crc,
            mark,
        }
    }

    /// Returns the fingerprint of the object's key.
    pub(crate) fn key(&self) -> u64 {
        self.key
    }

    /// Returns true if it is about this version of the object.
    pub(crate) fn is_of(&self, entry: &Entry) -> bool {
        // Revision and checksum: a `.ctl` that was put back may have another object at the same
        // revision.
        self.revision == entry.revision && self.json == entry.crc
    }

    /// Returns true if any later change of the file must show in its change time.
    pub(crate) fn is_settled(&self) -> bool {
        self.mark.settled
    }

    /// Returns true if it is about the file with this stat.
    pub(crate) fn proves(&self, stat: &Stat) -> bool {
        let mark = &self.mark;
        let file = (stat.inode, nanoseconds(stat));
        stat.kind == FileKind::File && mark.settled && (mark.inode, mark.changed) == file
    }

    fn encode(&self, seed: u32) -> [u8; SLOT] {
        // The top bit is free: revisions end at 2^53.
        let flag = if self.mark.settled { SETTLED } else { 0 };
        let words = [
            self.key,
            self.mark.inode,
            self.mark.changed,
            self.revision | flag,
            self.mark.text,
        ];
        let mut bytes = [0; SLOT];
        for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes[40..44].copy_from_slice(&self.json.to_le_bytes());
        // The boot is in the seed: facts of an earlier boot fail their checksum and need no
        // clean-up.
        let sum = crc32c::crc32c_append(seed, &bytes[..44]);
        bytes[44..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8], seed: u32) -> Option<Self> {
        let word = |at: usize| bytes[at..at + 8].try_into().map(u64::from_le_bytes).ok();
        let half = |at: usize| bytes[at..at + 4].try_into().map(u32::from_le_bytes).ok();
        if half(44)? != crc32c::crc32c_append(seed, &bytes[..44]) {
            return None;
        }
        let revision = word(24)?;
        Some(Self {
            key: word(0)?,
            revision: revision & !SETTLED,
            json: half(40)?,
            mark: Mark {
                inode: word(8)?,
                changed: word(16)?,
                settled: revision & SETTLED != 0,
                text: word(32)?,
            },
        })
    }
}

/// The facts that this process has read.
#[derive(Default)]
struct Table {
    file: Option<Box<dyn File>>,
    /// The inode of a file that is open for writing.
    inode: Option<u64>,
    buckets: u64,
    read: BTreeMap<u64, Vec<u8>>,
    whole: Option<Vec<u8>>,
}

/// A file that stays open between two locks, with its inode.
pub(crate) type KeptFile = Option<(Box<dyn File>, u64)>;

/// The facts about files. It opens the file at the first question.
pub(crate) struct FileFacts<'f> {
    fs: &'f dyn Fs,
    /// A writer opens the table once, for both.
    access: Access,
    seed: u32,
    table: Option<Table>,
    /// The table's file from an earlier lock, with its inode.
    kept: KeptFile,
    /// Facts that were found again by comparing contents.
    learned: Vec<Slot>,
}

impl std::fmt::Debug for FileFacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seen").finish_non_exhaustive()
    }
}

/// The facts without the files, for the next thread under the same lock.
pub(crate) struct Facts {
    seed: u32,
    table: Option<Table>,
    learned: Vec<Slot>,
}

impl<'f> FileFacts<'f> {
    /// Restores facts that were saved before.
    pub(crate) fn resume(fs: &'f dyn Fs, facts: Facts) -> Self {
        let Facts {
            seed,
            table,
            learned,
        } = facts;
        Self {
            fs,
            access: Access::Write,
            seed,
            table,
            kept: None,
            learned,
        }
    }

    /// Opens the table for writing, too. `kept` is the file of an earlier lock.
    pub(crate) fn for_a_writer(self, kept: KeptFile) -> Self {
        Self {
            access: Access::Write,
            kept,
            ..self
        }
    }

    /// Returns the file for the next lock.
    pub(crate) fn take_file(&mut self) -> KeptFile {
        let open = self
            .table
            .take()
            .and_then(|table| table.file.zip(table.inode));
        open.or(self.kept.take())
    }

    /// Puts the facts away.
    pub(crate) fn into_facts(self) -> Facts {
        Facts {
            seed: self.seed,
            table: self.table,
            learned: self.learned,
        }
    }

    /// Opens the facts of this boot; earlier facts may be wrong after a power cut.
    pub(crate) fn new(fs: &'f dyn Fs, boot: &str) -> Self {
        Self {
            fs,
            access: Access::Read,
            seed: crc32c::crc32c(format!("ctl-seen-1 {boot}").as_bytes()),
            table: None,
            kept: None,
            learned: Vec::new(),
        }
    }

    /// Returns the fingerprint of the file that was written for a version of an object.
    pub(crate) fn text_of(&mut self, key: &str, entry: &Entry) -> Option<u64> {
        self.slot(key, entry).map(|slot| slot.mark.text)
    }

    /// Returns the fingerprint of the file that was last written for an object, of any version.
    pub(crate) fn text_shown_last(&mut self, key: &str) -> Option<u64> {
        self.any_slot(key).map(|slot| slot.mark.text)
    }

    fn slot(&mut self, key: &str, entry: &Entry) -> Option<Slot> {
        self.any_slot(key).filter(|slot| slot.is_of(entry))
    }

    /// Returns the fact that a file shows this version of an object, if it is known without the file's content.
    pub(crate) fn proof(&mut self, key: &str, entry: &Entry, stat: &Stat) -> Option<Slot> {
        self.slot(key, entry).filter(|slot| slot.proves(stat))
    }

    fn any_slot(&mut self, key: &str) -> Option<Slot> {
        let (key, seed) = (fingerprint(key.as_bytes()), self.seed);
        let bucket = self.bucket(key)?;
        let mut slots = bucket.chunks_exact(SLOT);
        slots
            .find(|bytes| bytes[..8] == key.to_le_bytes())
            .and_then(|bytes| Slot::decode(bytes, seed))
    }

    /// Returns true if the file at `path` is the one that was written for this version of an object.
    pub(crate) fn is_ours(
        &mut self,
        key: &str,
        entry: &Entry,
        path: &dyn Fn() -> String,
        stat: &Stat,
    ) -> bool {
        let Some(slot) = self
            .slot(key, entry)
            .filter(|_| stat.kind == FileKind::File)
        else {
            return false;
        };
        let mark = slot.mark;
        // The common case: no call beyond the `stat` that the caller had to make anyway.
        if slot.proves(stat) {
            return true;
        }
        // The content decides if the times do not match: a copied or restored file costs one comparison.
        let Some(found) = compare(self.fs, &path(), |text| fingerprint(text) == mark.text) else {
            return false;
        };
        // Recorded only if it stays valid: an unsettled time proves nothing later.
        if found.settled {
            self.learned.push(Slot {
                mark: found,
                ..slot
            });
        }
        true
    }

    fn table(&mut self) -> &mut Table {
        let (fs, access) = (self.fs, self.access);
        let kept = &mut self.kept;
        self.table
            .get_or_insert_with(|| open(fs, access, kept.take()))
    }

    /// Returns the bytes of the bucket of a key.
    fn bucket(&mut self, key: u64) -> Option<&[u8]> {
        let table = self.table();
        let number = key.checked_rem(table.buckets)?;
        // Eight single reads, then one for all: a command for one object reads 3 KiB.
        if table.whole.is_none() && table.read.len() >= FEW && !table.read.contains_key(&number) {
            table.read_whole();
        }
        if let Some(whole) = &table.whole {
            let at = usize::try_from(number).ok()? * BUCKET_SIZE;
            return whole.get(at..at + BUCKET_SIZE);
        }
        if !table.read.contains_key(&number) {
            let at = number * BUCKET_SIZE as u64;
            let bytes = fs::read_range(table.file.as_deref()?, at, BUCKET_SIZE).ok()?;
            table.read.insert(number, bytes);
        }
        let bytes = table.read.get(&number)?;
        (bytes.len() == BUCKET_SIZE).then_some(bytes.as_slice())
    }

    /// Records the facts that a reader learned from comparing contents; needs no lock, because facts are true
    /// regardless of their writer.
    pub(crate) fn keep_learned(&mut self) {
        let learned = std::mem::take(&mut self.learned);
        // Another user's facts would be believed; only the owner writes here.
        let is_owner = || {
            let owner = self.fs.stat(".").ok().flatten().map(|stat| stat.owner);
            owner == Some(crate::sys::host::effective_uid())
        };
        if learned.is_empty() || !is_owner() {
            return;
        }
        self.write(&learned, &[], 0);
    }

    /// Records facts and drops those of removed objects, in one write if there are many. `live` is the number of
    /// objects. A failed write is ignored.
    pub(crate) fn write(&mut self, facts: &[Slot], removed: &[&str], live: usize) {
        // Learned facts may be about versions that the new facts replace.
        let learned = std::mem::take(&mut self.learned);
        let facts = [learned.as_slice(), facts].concat();
        if facts.is_empty() && removed.is_empty() {
            return;
        }
        let mut table = self.table.take().unwrap_or_default();
        if table.file.is_some() && self.access == Access::Read {
            table.file = self.fs.open(SEEN, Access::Write).ok();
        } else if table.file.is_none() {
            table = open(self.fs, Access::Write, self.kept.take());
        }
        // At most half full: a bucket rarely overflows, and an overflow only costs comparisons.
        let wanted = (live.max(facts.len()) * 2)
            .div_ceil(BUCKET)
            .next_power_of_two();
        // One large write instead of many small ones; a commit of a few objects writes a few slots.
        let many = facts.len() + removed.len() > FEW;
        let written = if table.buckets < wanted as u64 {
            self.grow(&mut table, wanted, &facts)
        } else {
            if many {
                table.read_whole();
            }
            let removed = removed.iter().map(|key| fingerprint(key.as_bytes()));
            table.change(&facts, removed, self.seed)
        };
        // A partly written slot has no valid checksum; the next check reads it again.
        self.table = written.is_ok().then_some(table);
    }

    /// Creates a larger table with the content of the smaller one.
    fn grow(&self, table: &mut Table, buckets: usize, facts: &[Slot]) -> Result<()> {
        table.read_whole();
        let old = table.whole.take().unwrap_or_default();
        let known = old
            .chunks_exact(SLOT)
            .filter_map(|b| Slot::decode(b, self.seed));
        let mut bytes = vec![0; buckets * BUCKET_SIZE];
        for slot in known.chain(facts.iter().copied()) {
            place(bucket_in(&mut bytes, slot.key), &slot, self.seed);
        }
        let temporary = format!("{STAGING}/index-{:016x}", self.fs.fresh());
        // By rename, so that a reader with the old table open continues with it.
        fs::replace(self.fs, SEEN, &temporary, &bytes, false)?;
        *table = Table {
            file: None,
            inode: None,
            buckets: buckets as u64,
            read: BTreeMap::new(),
            whole: Some(bytes),
        };
        table.file = Some(self.fs.open(SEEN, self.access)?);
        Ok(())
    }
}

fn open(fs: &dyn Fs, access: Access, kept: KeptFile) -> Table {
    // A larger table replaces the file, so the path is compared.
    let named = kept.as_ref().and_then(|_| fs.quick_stat(SEEN).ok()?);
    let same = kept
        .zip(named)
        .filter(|((_, inode), named)| *inode == named.inode);
    let (file, stat) = match same {
        Some(((file, _), named)) => (file, Some(named)),
        None => {
            let Ok(file) = fs.open(SEEN, access) else {
                return Table::default();
            };
            let stat = file.stat().ok();
            (file, stat)
        }
    };
    let size = stat.map_or(0, |stat| stat.size);
    let inode = stat.map(|stat| stat.inode);
    let buckets = size / BUCKET_SIZE as u64;
    // Not a power of two: torn or not written by ctl. It counts as empty.
    let sound = size <= MOST && size % BUCKET_SIZE as u64 == 0 && buckets.is_power_of_two();
    Table {
        file: Some(file),
        inode: inode.filter(|_| access == Access::Write),
        buckets: if sound { buckets } else { 0 },
        ..Table::default()
    }
}

/// Compares the text of a file; `None` if it differs or is changing right now.
pub(crate) fn compare(fs: &dyn Fs, path: &str, same: impl Fn(&[u8]) -> bool) -> Option<Mark> {
    let now = fs.wall_clock();
    let file = fs.open(path, Access::Read).ok()?;
    let before = file.stat().ok()?;
    if before.kind != FileKind::File || before.size > MAX_FILE {
        return None;
    }
    let length = usize::try_from(before.size).ok()?;
    let text = fs::read_range(file.as_ref(), 0, length).ok()?;
    // If the stat differs before and after, the text was read while it was written.
    let unchanged = file.stat().ok()? == before && text.len() == length;
    (unchanged && same(&text)).then(|| Mark::read(&before, fingerprint(&text), now))
}

fn bucket_in(bytes: &mut [u8], key: u64) -> &mut [u8] {
    let buckets = (bytes.len() / BUCKET_SIZE).max(1) as u64;
    let at = usize::try_from(key % buckets).unwrap_or(0) * BUCKET_SIZE;
    &mut bytes[at..at + BUCKET_SIZE]
}

/// Puts a slot into a bucket: over the one of its key, into a free one, or over the oldest. Returns its position in the
/// bucket.
fn place(bucket: &mut [u8], slot: &Slot, seed: u32) -> usize {
    let age = |bytes: &[u8]| match Slot::decode(bytes, seed) {
        // The own slot, then a free one, then the oldest: its loss costs one comparison.
        Some(other) if other.key == slot.key => 0,
        Some(other) => 2 + other.revision,
        None if bytes[..8] == slot.key.to_le_bytes() => 0,
        None => 1,
    };
    let oldest = bucket
        .chunks_exact(SLOT)
        .enumerate()
        .min_by_key(|(_, bytes)| age(bytes));
    let at = oldest.map_or(0, |(number, _)| number * SLOT);
    bucket[at..at + SLOT].copy_from_slice(&slot.encode(seed));
    at
}

/// Frees the slot of a key. Returns its position in the bucket.
fn free(bucket: &mut [u8], key: u64) -> Option<usize> {
    let found = bucket
        .chunks_exact(SLOT)
        .position(|bytes| bytes[..8] == key.to_le_bytes());
    let at = found? * SLOT;
    // Zeros never have a valid checksum.
    bucket[at..at + SLOT].fill(0);
    Some(at)
}

impl Table {
    fn read_whole(&mut self) {
        let length = usize::try_from(self.buckets).unwrap_or(0) * BUCKET_SIZE;
        let Some(file) = self.file.as_deref() else {
            return;
        };
        match fs::read_range(file, 0, length) {
            Ok(bytes) if bytes.len() == length && self.whole.is_none() => self.whole = Some(bytes),
            _ => {}
        }
    }

    fn change(
        &mut self,
        facts: &[Slot],
        removed: impl Iterator<Item = u64>,
        seed: u32,
    ) -> Result<()> {
        let Some(file) = self.file.as_deref() else {
            return Ok(());
        };
        if let Some(whole) = &mut self.whole {
            for key in removed {
                let _ = free(bucket_in(whole, key), key);
            }
            for slot in facts {
                place(bucket_in(whole, slot.key), slot, seed);
            }
            return file.write_at(whole, 0);
        }
        let mut one = |key: u64, change: &dyn Fn(&mut [u8]) -> Option<usize>| {
            let number = key.checked_rem(self.buckets).unwrap_or(0);
            let start = number * BUCKET_SIZE as u64;
            let bucket = match self.read.entry(number) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(fs::read_range(file, start, BUCKET_SIZE)?)
                }
            };
            bucket.resize(BUCKET_SIZE, 0);
            match change(bucket) {
                // The slot alone, not its bucket: two writers without a lock must not overwrite
                // each other's neighbors.
                Some(at) => file.write_at(&bucket[at..at + SLOT], start + at as u64),
                None => Ok(()),
            }
        };
        for key in removed {
            one(key, &|bucket| free(bucket, key))?;
        }
        for slot in facts {
            one(slot.key, &|bucket| Some(place(bucket, slot, seed)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::sim_fs::SimFs;

    fn entry(revision: Revision) -> Entry {
        Entry {
            revision,
            offset: 0,
            length: 0,
            crc: 7,
        }
    }

    fn mark(inode: u64) -> Mark {
        Mark {
            inode,
            changed: 5,
            settled: true,
            text: inode * 3,
        }
    }

    fn machine() -> SimFs {
        let fs = SimFs::new();
        fs.make_dir(".ctl").unwrap();
        fs.make_dir(STAGING).unwrap();
        fs
    }

    #[test]
    fn recorded_slots_are_found_at_every_table_size() {
        let fs = machine();
        let mut live = 0;
        for round in [1, 3, 40, 500, 9_000_usize] {
            let keys: Vec<String> = (live..live + round).map(|n| format!("c/d/{n}")).collect();
            live += round;
            let facts: Vec<Slot> = keys
                .iter()
                .enumerate()
                .map(|(n, key)| Slot::new(key, &entry(9), mark(n as u64 + 1)))
                .collect();
            FileFacts::new(&fs, "boot").write(&facts, &[], live);
            let mut seen = FileFacts::new(&fs, "boot");
            for (n, key) in keys.iter().enumerate() {
                assert_eq!(
                    seen.text_of(key, &entry(9)),
                    Some((n as u64 + 1) * 3),
                    "{key}"
                );
                assert_eq!(seen.text_of(key, &entry(8)), None);
            }
        }
        let mut other = FileFacts::new(&fs, "another boot");
        assert_eq!(other.text_of("c/d/0", &entry(9)), None);
    }

    #[test]
    fn removed_object_has_no_slot() {
        let fs = machine();
        let fact = |key: &str| Slot::new(key, &entry(2), mark(4));
        let mut seen = FileFacts::new(&fs, "boot");
        seen.write(&[fact("a"), fact("b")], &[], 2);
        seen.write(&[], &["a"], 1);
        let mut seen = FileFacts::new(&fs, "boot");
        assert_eq!(seen.text_of("a", &entry(2)), None);
        assert_eq!(seen.text_of("b", &entry(2)), Some(12));
    }

    #[test]
    fn corrupt_slots_are_ignored_and_rewritten() {
        let fs = machine();
        let mut seen = FileFacts::new(&fs, "boot");
        seen.write(&[Slot::new("a", &entry(2), mark(4))], &[], 1);
        let whole = fs.disk().bytes(SEEN).unwrap();
        let at = whole.iter().position(|b| *b != 0).unwrap();
        for flip in at..at + SLOT {
            let mut disk = fs.disk();
            let mut bytes = whole.clone();
            bytes[flip] ^= 1;
            disk.set_bytes(SEEN, bytes);
            let broken = SimFs::on(disk);
            let text = FileFacts::new(&broken, "boot").text_of("a", &entry(2));
            assert_eq!(text, None);
        }
        for length in [0, 1, BUCKET_SIZE - 1, BUCKET_SIZE + 1, 3 * BUCKET_SIZE] {
            let mut disk = fs.disk();
            disk.set_bytes(SEEN, vec![0x55; length]);
            let broken = SimFs::on(disk);
            let mut seen = FileFacts::new(&broken, "boot");
            assert_eq!(seen.text_of("a", &entry(2)), None);
            seen.write(&[Slot::new("a", &entry(2), mark(4))], &[], 1);
            let mut seen = FileFacts::new(&broken, "boot");
            assert_eq!(seen.text_of("a", &entry(2)), Some(12), "{length}");
        }
    }

    #[test]
    fn texts_that_differ_have_other_fingerprints() {
        let text = b"metadata:\n  name: web\n";
        let mut seen = std::collections::HashSet::from([fingerprint(text)]);
        for at in 0..text.len() {
            for flip in 1..=255 {
                let mut other = *text;
                other[at] ^= flip;
                assert!(seen.insert(fingerprint(&other)));
            }
            assert!(seen.insert(fingerprint(&text[..at])));
        }
    }
}
