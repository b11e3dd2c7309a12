//! A file system in memory that records what is not durable yet, and can lose it.
//!
//! Per inode it keeps the bytes as processes see them, the bytes that are on the medium, and the
//! writes between; per directory the same for names. [`Disk::power_images`] makes the states that
//! a power cut may leave: any subset of the pending changes of names, and for each pending write
//! lost, whole, cut at any byte, zeros, or its second half only.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::fs::{
    Access, Entry, File, FileKind, Fs, FsError, LockGuard, Medium, OnWait, Result, Stat,
};
use super::lock::LockError;

static FRESH: AtomicU64 = AtomicU64::new(1);

/// A pending change of a file's content.
#[derive(Clone, Debug)]
enum DataOp {
    Write(usize, Arc<[u8]>),
    Truncate(usize),
}

/// A pending change of a directory's names.
#[derive(Clone, Debug)]
enum NameOp {
    Link(String, u64),
    Rename(String, String),
    Unlink(String),
    Exchange(String, String),
}

#[derive(Clone, Debug, Default)]
struct Inode {
    cache: Arc<Vec<u8>>,
    durable: Arc<Vec<u8>>,
    pending: Vec<DataOp>,
    modified: Timestamp,
}

#[derive(Clone, Debug, Default)]
struct Directory {
    cache: BTreeMap<String, u64>,
    durable: BTreeMap<String, u64>,
    pending: Vec<NameOp>,
}

/// The whole state of a simulated disk and its machine.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    inodes: BTreeMap<u64, Inode>,
    directories: BTreeMap<String, Directory>,
    next: u64,
    boot: u64,
}

/// A small generator for sampling; seeded, so that every run is the same.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % sides.max(1)
    }
}

fn apply_data(bytes: &mut Vec<u8>, op: &DataOp) {
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

/// Applies a change of names; false where it makes no sense on these names.
fn apply_name(names: &mut BTreeMap<String, u64>, op: &NameOp) -> bool {
    match op {
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

/// In how many ways a pending change can end up on the medium.
fn ways(op: &DataOp) -> usize {
    match op {
        DataOp::Truncate(_) => 2,
        DataOp::Write(_, data) => data.len().max(1) + 3,
    }
}

/// What is applied of a pending change in way number `way`.
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
    fn inode(&self, path: &str) -> Option<u64> {
        let (directory, name) = split(path);
        self.directories.get(directory)?.cache.get(name).copied()
    }

    #[cfg(test)]
    /// The same disk after the next boot, as it would be if everything had been synced.
    pub(crate) fn rebooted(&self) -> Self {
        let mut disk = self.clone();
        disk.boot += 1;
        for inode in disk.inodes.values_mut() {
            inode.durable = Arc::clone(&inode.cache);
            inode.pending.clear();
        }
        for directory in disk.directories.values_mut() {
            directory.durable.clone_from(&directory.cache);
            directory.pending.clear();
        }
        disk
    }

    #[cfg(test)]
    /// The bytes of a file, as processes see them.
    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        Some(self.inodes[&self.inode(path)?].cache.to_vec())
    }

    #[cfg(test)]
    /// Replaces the bytes of a file behind everybody's back.
    pub(crate) fn set_bytes(&mut self, path: &str, bytes: Vec<u8>) {
        if let Some(inode) = self.inode(path).and_then(|i| self.inodes.get_mut(&i)) {
            inode.cache = Arc::new(bytes);
            inode.durable = Arc::clone(&inode.cache);
        }
    }

    #[cfg(test)]
    /// The names in a directory.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        self.directories
            .get(directory)
            .map(|d| d.cache.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// A number that is the same for equal content.
    pub(crate) fn fingerprint(&self) -> u64 {
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

    /// The states that a power cut now may leave: all of them where they are at most `most`,
    /// else that many by chance.
    pub(crate) fn power_images(&self, most: usize, dice: &mut Dice) -> Vec<Self> {
        let mut axes = Vec::new();
        let busy: Vec<&String> = self
            .directories
            .iter()
            .filter(|(_, d)| !d.pending.is_empty())
            .map(|(p, _)| p)
            .collect();
        for path in &busy {
            axes.extend(std::iter::repeat_n(
                2,
                self.directories[*path].pending.len(),
            ));
        }
        for inode in self.inodes.values() {
            axes.extend(inode.pending.iter().map(ways));
        }
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
                    // Half of the samples keep most writes whole: the interesting ones have one flaw.
                    let mild = dice.roll(2) == 0;
                    let choice: Vec<usize> = axes
                        .iter()
                        .map(|axis| match (mild && dice.roll(8) != 0, dice.roll(8)) {
                            (true, _) => 1,
                            // Cuts are many, the other flaws few: give them the same weight.
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

    /// Makes the image of one choice of ways, unless it makes no sense or was made before.
    fn image(&self, choice: &[usize], images: &mut Vec<Self>, seen: &mut BTreeSet<u64>) {
        let mut choice = choice.iter().copied();
        let mut disk = self.clone();
        disk.boot += 1;
        for directory in disk.directories.values_mut() {
            let mut names = directory.durable.clone();
            for op in &directory.pending {
                if choice.next() == Some(1) && !apply_name(&mut names, op) {
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

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

/// What happens beside the files.
#[derive(Debug, Default)]
struct Tape {
    /// The disk before each changing call, where they are recorded.
    snapshots: Option<Vec<Disk>>,
    syncs: u64,
    /// The sync that fails, counted from 1.
    failing_sync: Option<u64>,
}

/// A simulated file system.
#[derive(Clone, Debug)]
pub(crate) struct SimFs {
    disk: Arc<Mutex<Disk>>,
    tape: Arc<Mutex<Tape>>,
}

impl SimFs {
    /// A machine with an empty disk.
    pub(crate) fn new() -> Self {
        let directories = BTreeMap::from([(".".to_owned(), Directory::default())]);
        Self::on(Disk {
            inodes: BTreeMap::new(),
            directories,
            next: 1,
            boot: 1,
        })
    }

    /// A machine with this disk.
    pub(crate) fn on(disk: Disk) -> Self {
        Self {
            disk: Arc::new(Mutex::new(disk)),
            tape: Arc::default(),
        }
    }

    /// The disk as it is.
    pub(crate) fn disk(&self) -> Disk {
        self.lock_disk().clone()
    }

    /// Begins to keep the disk's state before each changing call.
    pub(crate) fn record(&self) {
        self.lock_tape().snapshots = Some(Vec::new());
    }

    #[cfg(test)]
    /// How many states were kept.
    pub(crate) fn recorded(&self) -> usize {
        self.lock_tape().snapshots.as_ref().map_or(0, Vec::len)
    }

    /// Takes the states that were kept.
    pub(crate) fn take_recording(&self) -> Vec<Disk> {
        self.lock_tape().snapshots.take().unwrap_or_default()
    }

    /// Lets the sync with this number fail, once; the kernel then marks its pages clean.
    pub(crate) fn fail_sync(&self, number: Option<u64>) {
        self.lock_tape().failing_sync = number;
    }

    /// How many syncs of files there were.
    pub(crate) fn syncs(&self) -> u64 {
        self.lock_tape().syncs
    }

    fn lock_disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every changing call passes here first.
    fn tick(&self) -> MutexGuard<'_, Disk> {
        let disk = self.lock_disk();
        if let Some(snapshots) = &mut self.lock_tape().snapshots {
            snapshots.push(disk.clone());
        }
        disk
    }

    /// Changes names of one directory.
    fn rename_op(&self, from: &str, to: &str, exchange: bool) -> Result<()> {
        let mut disk = self.tick();
        let ((from_dir, from_name), (to_dir, to_name)) = (split(from), split(to));
        let inode = disk.inode(from).ok_or_else(|| missing("rename", from))?;
        if !disk.directories.contains_key(to_dir) {
            return Err(missing("rename", to));
        }
        let other = disk.inode(to);
        if exchange && other.is_none() {
            return Err(missing("exchange", to));
        }
        let mut change = |directory: &str, op: NameOp| {
            let directory = disk.directories.entry(directory.to_owned()).or_default();
            apply_name(&mut directory.cache, &op);
            directory.pending.push(op);
        };
        let (from_name, to_name) = (from_name.to_owned(), to_name.to_owned());
        match (from_dir == to_dir, exchange) {
            (true, true) => change(from_dir, NameOp::Exchange(from_name, to_name)),
            (true, false) => change(from_dir, NameOp::Rename(from_name, to_name)),
            (false, true) => {
                change(to_dir, NameOp::Link(to_name, inode));
                change(from_dir, NameOp::Link(from_name, other.unwrap_or(inode)));
            }
            (false, false) => {
                change(to_dir, NameOp::Link(to_name, inode));
                change(from_dir, NameOp::Unlink(from_name));
            }
        }
        Ok(())
    }
}

fn missing(operation: &'static str, path: &str) -> FsError {
    FsError::new(operation, path, io::Error::from(io::ErrorKind::NotFound))
}

fn exists(operation: &'static str, path: &str) -> FsError {
    FsError::new(
        operation,
        path,
        io::Error::from(io::ErrorKind::AlreadyExists),
    )
}

fn stat_of(disk: &Disk, number: u64) -> Stat {
    let inode = &disk.inodes[&number];
    Stat {
        kind: FileKind::File,
        size: inode.cache.len() as u64,
        inode: number,
        device: 1,
        owner: super::host::effective_uid(),
        modified: inode.modified,
    }
}

fn stat_of_directory() -> Stat {
    Stat {
        kind: FileKind::Directory,
        size: 0,
        inode: 0,
        device: 1,
        owner: super::host::effective_uid(),
        modified: Timestamp::UNIX_EPOCH,
    }
}

impl Fs for SimFs {
    fn open(&self, path: &str, _access: Access) -> Result<Box<dyn File>> {
        let inode = self
            .lock_disk()
            .inode(path)
            .ok_or_else(|| missing("open", path))?;
        Ok(Box::new(SimFile {
            fs: self.clone(),
            inode,
            path: path.to_owned(),
        }))
    }

    fn create(&self, path: &str) -> Result<Box<dyn File>> {
        let mut disk = self.tick();
        let (directory, name) = split(path);
        if disk.inode(path).is_some() {
            return Err(exists("create", path));
        }
        let inode = disk.next;
        let Some(directory) = disk.directories.get_mut(directory) else {
            return Err(missing("create", path));
        };
        directory.cache.insert(name.to_owned(), inode);
        directory.pending.push(NameOp::Link(name.to_owned(), inode));
        disk.next += 1;
        disk.inodes.insert(
            inode,
            Inode {
                modified: Timestamp::UNIX_EPOCH,
                ..Inode::default()
            },
        );
        Ok(Box::new(SimFile {
            fs: self.clone(),
            inode,
            path: path.to_owned(),
        }))
    }

    /// Directories are durable at once: the protocol makes them once, before everything else.
    fn make_dir(&self, path: &str) -> Result<()> {
        self.lock_disk()
            .directories
            .entry(path.to_owned())
            .or_default();
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.rename_op(from, to, false)
    }

    fn rename_new(&self, from: &str, to: &str) -> Result<()> {
        if self.lock_disk().inode(to).is_some() {
            return Err(exists("rename", to));
        }
        self.rename_op(from, to, false)
    }

    fn exchange(&self, a: &str, b: &str) -> Result<()> {
        self.rename_op(a, b, true)
    }

    fn unlink(&self, path: &str) -> Result<()> {
        let mut disk = self.tick();
        let (directory, name) = split(path);
        let op = NameOp::Unlink(name.to_owned());
        let directory = disk
            .directories
            .get_mut(directory)
            .ok_or_else(|| missing("unlink", path))?;
        if !apply_name(&mut directory.cache, &op) {
            return Err(missing("unlink", path));
        }
        directory.pending.push(op);
        Ok(())
    }

    fn remove_dir(&self, path: &str) -> Result<()> {
        let busy = FsError::new(
            "rmdir",
            path,
            io::Error::from(io::ErrorKind::DirectoryNotEmpty),
        );
        let mut disk = self.lock_disk();
        let prefix = format!("{path}/");
        let below = disk.directories.keys().any(|d| d.starts_with(&prefix));
        match disk.directories.get(path) {
            Some(d) if d.cache.is_empty() && !below => drop(disk.directories.remove(path)),
            _ => return Err(busy),
        }
        Ok(())
    }

    fn list(&self, path: &str) -> Result<Vec<Entry>> {
        let disk = self.lock_disk();
        let directory = disk
            .directories
            .get(path)
            .ok_or_else(|| missing("list", path))?;
        let files = directory.cache.iter().map(|(name, inode)| Entry {
            name: name.clone(),
            stat: stat_of(&disk, *inode),
        });
        let below = disk
            .directories
            .keys()
            .filter(|d| *d != "." && split(d).0 == path);
        let below = below.map(|d| Entry {
            name: split(d).1.to_owned(),
            stat: stat_of_directory(),
        });
        Ok(files.chain(below).collect())
    }

    fn stat(&self, path: &str) -> Result<Option<Stat>> {
        let disk = self.lock_disk();
        if disk.directories.contains_key(path) {
            return Ok(Some(stat_of_directory()));
        }
        Ok(disk.inode(path).map(|inode| stat_of(&disk, inode)))
    }

    fn sync_dir(&self, path: &str) -> Result<()> {
        let mut disk = self.tick();
        let directory = disk
            .directories
            .get_mut(path)
            .ok_or_else(|| missing("fsync", path))?;
        directory.durable.clone_from(&directory.cache);
        directory.pending.clear();
        Ok(())
    }

    fn medium(&self) -> Result<Medium> {
        Ok(Medium {
            network: None,
            read_only: false,
        })
    }

    fn lock(
        &self,
        _patience: Option<Duration>,
        _on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        Ok(Box::new(SimLock))
    }

    fn try_lock_dir(&self, _path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        Ok(Box::new(SimLock))
    }

    fn dir_locker(&self, _path: &str) -> Option<String> {
        None
    }

    fn boot_id(&self) -> String {
        format!("boot-{}", self.lock_disk().boot)
    }

    fn open_for_writing(&self, _stat: &Stat) -> Option<bool> {
        Some(false)
    }

    fn pause(&self, time: Duration) {
        let _ = time;
    }

    fn wall_clock(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fresh(&self) -> u64 {
        FRESH.fetch_add(1, Ordering::Relaxed)
    }
}

/// One process at a time: the explorer runs them one after the other.
struct SimLock;

impl LockGuard for SimLock {}

struct SimFile {
    fs: SimFs,
    inode: u64,
    path: String,
}

impl SimFile {
    fn change(&self, op: DataOp) {
        let mut disk = self.fs.tick();
        if let Some(inode) = disk.inodes.get_mut(&self.inode) {
            apply_data(Arc::make_mut(&mut inode.cache), &op);
            inode.pending.push(op);
        }
    }
}

impl File for SimFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let disk = self.fs.lock_disk();
        let bytes = &disk.inodes[&self.inode].cache;
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let length = buffer.len().min(bytes.len() - start);
        buffer[..length].copy_from_slice(&bytes[start..start + length]);
        Ok(length)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.change(DataOp::Write(
            usize::try_from(offset).unwrap_or(0),
            bytes.into(),
        ));
        Ok(())
    }

    fn truncate(&self, length: u64) -> Result<()> {
        self.change(DataOp::Truncate(usize::try_from(length).unwrap_or(0)));
        Ok(())
    }

    fn sync_data(&self) -> Result<()> {
        let mut disk = self.fs.tick();
        let Some(inode) = disk.inodes.get_mut(&self.inode) else {
            return Ok(());
        };
        let mut tape = self.fs.lock_tape();
        tape.syncs += 1;
        if tape.failing_sync == Some(tape.syncs) {
            // The kernel reports the error once, marks the pages clean and keeps showing them.
            inode.pending.clear();
            let error = io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error());
            return Err(FsError::new("fdatasync", &self.path, error));
        }
        let mut durable = inode.durable.to_vec();
        for op in std::mem::take(&mut inode.pending) {
            apply_data(&mut durable, &op);
        }
        inode.durable = Arc::new(durable);
        Ok(())
    }

    fn stat(&self) -> Result<Stat> {
        Ok(stat_of(&self.fs.lock_disk(), self.inode))
    }

    fn set_modified(&self, at: Timestamp) -> Result<()> {
        if let Some(inode) = self.fs.lock_disk().inodes.get_mut(&self.inode) {
            inode.modified = at;
        }
        Ok(())
    }
}
