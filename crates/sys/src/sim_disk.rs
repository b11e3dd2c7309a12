//! The disk of the simulated machine: the content that processes see, the content on the medium, and the states that a
//! power failure may leave.
//!
//! For each inode, the disk keeps the bytes that processes see, the bytes on the medium, and the pending writes; for
//! each directory, the same for its names. [`Disk::power_images`] returns the states that a power failure may leave.
//! They contain any subset of the pending changes to names; a rename between two directories is a single change,
//! because every file system that can exchange names makes it one transaction. Each pending write is lost, complete,
//! cut at any byte, zeroed, or reduced to its second half.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

/// A pending change to a file's content.
#[derive(Clone, Debug)]
pub(super) enum DataOp {
    Write(usize, Arc<[u8]>),
    Truncate(usize),
}

/// A change to a directory's names.
#[derive(Clone, Debug)]
pub(super) enum NameOp {
    Link(String, u64),
    Rename(String, String),
    Unlink(String),
    Exchange(String, String),
}

/// A change to names that is not durable yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    op: NameOp,
    /// Shared by both halves of a rename between directories, because the file system's journal commits them together.
    transaction: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Inode {
    pub(super) cache: Arc<Vec<u8>>,
    pub(super) durable: Arc<Vec<u8>>,
    pub(super) pending: Vec<DataOp>,
    pub(super) modified: Timestamp,
    pub(super) changed: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    pub(super) cache: BTreeMap<String, u64>,
    durable: BTreeMap<String, u64>,
    pending: Vec<Pending>,
}

/// The complete state of a simulated disk and its machine.
#[derive(Clone, Debug)]
pub struct Disk {
    pub(super) inodes: BTreeMap<u64, Inode>,
    pub(super) directories: BTreeMap<String, Directory>,
    pub(super) next: u64,
    pub(super) boot: u64,
    /// Counts changes; provides the change times of inodes.
    clock: u64,
    transactions: u64,
}

/// A small generator for sampling. It is seeded, so that all runs are equal.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        // xorshift64: reproducible, and good enough for sampling.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % sides.max(1)
    }
}

pub(super) fn apply_data(bytes: &mut Vec<u8>, op: &DataOp) {
    match op {
        DataOp::Truncate(length) => bytes.resize(*length, 0),
        DataOp::Write(at, data) => {
            let end = at + data.len();
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[*at..end].copy_from_slice(data);
        }
    }
}

/// Applies a change to names; returns false if these names do not allow it.
fn apply_name(names: &mut BTreeMap<String, u64>, op: &NameOp) -> bool {
    match op {
        // Like a rename, a link may replace a name; the state before it is another image.
        NameOp::Link(name, inode) => drop(names.insert(name.clone(), *inode)),
        NameOp::Unlink(name) => return names.remove(name).is_some(),
        NameOp::Rename(from, to) => {
            let Some(inode) = names.remove(from) else {
                return false;
            };
            names.insert(to.clone(), inode);
        }
        NameOp::Exchange(a, b) => {
            let (Some(x), Some(y)) = (names.get(a).copied(), names.get(b).copied()) else {
                return false;
            };
            names.insert(a.clone(), y);
            names.insert(b.clone(), x);
        }
    }
    true
}

/// Returns in how many ways a power failure can leave a pending change.
fn ways(op: &DataOp) -> usize {
    match op {
        DataOp::Truncate(_) => 2,
        // Lost, complete, zeroed, second half, and each cut; a cut at 0 means lost.
        DataOp::Write(_, data) => data.len().max(1) + 3,
    }
}

/// Returns the part of a pending change that remains in variant `way`.
fn in_way(op: &DataOp, way: usize) -> Option<DataOp> {
    let DataOp::Write(at, data) = op else {
        return (way == 1).then(|| op.clone());
    };
    let length = data.len();
    Some(match way {
        0 => return None,
        1 => op.clone(),
        2 => DataOp::Write(*at, vec![0; length].into()),
        3 => DataOp::Write(at + length / 2, data[length / 2..].into()),
        cut => DataOp::Write(*at, data[..cut - 3].into()),
    })
}

impl Disk {
    /// Returns an empty disk.
    pub(super) fn empty() -> Self {
        Self {
            inodes: BTreeMap::new(),
            directories: BTreeMap::from([(".".to_owned(), Directory::default())]),
            next: 1,
            boot: 1,
            clock: 0,
            transactions: 0,
        }
    }

    /// Records a change to an inode.
    pub(super) fn touch(&mut self, number: u64) {
        self.clock += 1;
        let clock = self.clock;
        if let Some(inode) = self.inodes.get_mut(&number) {
            inode.changed = clock;
        }
    }

    /// Changes names in one directory, or in two directories atomically. Returns false if that is impossible.
    pub(super) fn change_names(&mut self, changes: Vec<(&str, NameOp)>) -> bool {
        self.transactions += 1;
        // Only a change to two directories needs a number, because changes within one directory are ordered.
        let transaction = (changes.len() > 1).then_some(self.transactions);
        for (path, op) in changes {
            let Some(directory) = self.directories.get_mut(path) else {
                return false;
            };
            if !apply_name(&mut directory.cache, &op) {
                return false;
            }
            directory.pending.push(Pending { op, transaction });
        }
        true
    }

    /// Renames a directory with everything below it. Like the creation of a directory, this is durable at once.
    /// Returns false if the parent is missing.
    pub(super) fn rename_directory(&mut self, from: &str, to: &str) -> bool {
        if !self.directories.contains_key(split(to).0) {
            return false;
        }
        let renamed = |path: &str| match path.strip_prefix(from) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{to}{rest}"),
            _ => path.to_owned(),
        };
        let directories = std::mem::take(&mut self.directories);
        self.directories = directories
            .into_iter()
            .map(|(path, directory)| (renamed(&path), directory))
            .collect();
        true
    }

    /// Makes the names of a directory durable, together with all changes in the same transactions.
    pub(super) fn sync_names(&mut self, path: &str) {
        let Some(directory) = self.directories.get_mut(path) else {
            return;
        };
        let mut reached: BTreeSet<u64> = directory
            .pending
            .drain(..)
            .filter_map(|pending| pending.transaction)
            .collect();
        directory.durable.clone_from(&directory.cache);
        while !reached.is_empty() {
            let wanted = std::mem::take(&mut reached);
            // A directory's journal is ordered, so all changes before a required one reach the medium, too.
            for directory in self.directories.values_mut() {
                let is_wanted = |p: &Pending| p.transaction.is_some_and(|t| wanted.contains(&t));
                let Some(last) = directory.pending.iter().rposition(is_wanted) else {
                    continue;
                };
                for pending in directory.pending.drain(..=last) {
                    apply_name(&mut directory.durable, &pending.op);
                    reached.extend(pending.transaction.filter(|t| !wanted.contains(t)));
                }
            }
        }
    }

    pub(super) fn inode(&self, path: &str) -> Option<u64> {
        let (directory, name) = split(path);
        self.directories.get(directory)?.cache.get(name).copied()
    }

    /// Returns the disk after a clean reboot, with everything synced.
    pub fn rebooted(&self) -> Self {
        let mut disk = self.clone();
        disk.boot += 1;
        for inode in disk.inodes.values_mut() {
            // A clean shutdown writes the page cache.
            inode.durable = Arc::clone(&inode.cache);
            inode.pending.clear();
        }
        for directory in disk.directories.values_mut() {
            directory.durable.clone_from(&directory.cache);
            directory.pending.clear();
        }
        disk
    }

    /// Returns the bytes of a file that processes see.
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        Some(self.inodes[&self.inode(path)?].cache.to_vec())
    }

    /// Replaces the bytes of a file as if by bit rot.
    pub fn set_bytes(&mut self, path: &str, bytes: Vec<u8>) {
        if let Some(inode) = self.inode(path).and_then(|i| self.inodes.get_mut(&i)) {
            inode.cache = Arc::new(bytes);
            // Durable at once, because no process has written them.
            inode.durable = Arc::clone(&inode.cache);
        }
    }

    /// Returns the names in a directory.
    pub fn names(&self, directory: &str) -> Vec<String> {
        self.directories
            .get(directory)
            .map(|d| d.cache.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// Returns a number that is the same for the same content.
    pub fn fingerprint(&self) -> u64 {
        // The default hasher has fixed keys, so the samples are the same in every run.
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut hash = DefaultHasher::new();
        for (path, directory) in &self.directories {
            for (name, inode) in &directory.cache {
                (path, name, &*self.inodes[inode].cache).hash(&mut hash);
            }
        }
        self.boot.hash(&mut hash);
        hash.finish()
    }

    /// Returns the states that a power failure may leave now: all of them if there are at most `most`, otherwise a
    /// random sample of that size.
    pub fn power_images(&self, most: usize, dice: &mut Dice) -> Vec<Self> {
        let mut axes = Vec::new();
        let mut halves = BTreeSet::new();
        for pending in self.directories.values().flat_map(|d| &d.pending) {
            // The second half of a transaction follows the first one.
            if pending.transaction.is_none_or(|t| halves.insert(t)) {
                axes.push(2);
            }
        }
        for inode in self.inodes.values() {
            axes.extend(inode.pending.iter().map(ways));
        }
        // An overflow means far too many to try all.
        let total = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(*axis));
        let mut images = Vec::new();
        let mut seen = BTreeSet::new();
        match total.filter(|n| *n <= most) {
            Some(total) => {
                for mut number in 0..total {
                    let choice: Vec<usize> = axes
                        .iter()
                        .map(|axis| {
                            let way = number % axis;
                            number /= axis;
                            way
                        })
                        .collect();
                    self.image(&choice, &mut images, &mut seen);
                }
            }
            None => {
                for _ in 0..most {
                    // Half of the samples keep most writes complete, because interesting states have a single flaw.
                    let mild = dice.roll(2) == 0;
                    let choice: Vec<usize> = axes
                        .iter()
                        .map(|axis| match (mild && dice.roll(8) != 0, dice.roll(8)) {
                            (true, _) => 1,
                            // There are many cuts and few other flaws, so both kinds get the same weight.
                            (false, flaw @ 0..4) => flaw % axis,
                            (false, _) => dice.roll(*axis),
                        })
                        .collect();
                    self.image(&choice, &mut images, &mut seen);
                }
            }
        }
        images
    }

    /// Adds the image for one choice of variants, unless it is impossible or a duplicate.
    fn image(&self, choice: &[usize], images: &mut Vec<Self>, seen: &mut BTreeSet<u64>) {
        let mut choice = choice.iter().copied();
        let mut taken = BTreeMap::new();
        let mut disk = self.clone();
        disk.boot += 1;
        for directory in disk.directories.values_mut() {
            let mut names = directory.durable.clone();
            for pending in &directory.pending {
                // The choice for the first half of a transaction also applies to the second half.
                let mut next = || choice.next() == Some(1);
                let applied = match pending.transaction {
                    Some(number) => *taken.entry(number).or_insert_with(next),
                    None => next(),
                };
                // The renamed name never reached the medium: no file system can be in this state.
                if applied && !apply_name(&mut names, &pending.op) {
                    return;
                }
            }
            directory.cache.clone_from(&names);
            directory.durable = names;
            directory.pending.clear();
        }
        for inode in disk.inodes.values_mut() {
            if inode.pending.is_empty() {
                inode.cache = Arc::clone(&inode.durable);
                continue;
            }
            let mut bytes = inode.durable.to_vec();
            // Applied in order, because a later write covers an earlier one.
            for op in &inode.pending {
                if let Some(done) = in_way(op, choice.next().unwrap_or(0)) {
                    apply_data(&mut bytes, &done);
                }
            }
            inode.durable = Arc::new(bytes);
            inode.cache = Arc::clone(&inode.durable);
            inode.pending.clear();
        }
        if seen.insert(disk.fingerprint()) {
            images.push(disk);
        }
    }
}

pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
