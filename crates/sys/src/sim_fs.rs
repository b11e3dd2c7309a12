//! An in-memory file system that keeps track of unsynced data and can lose it.
//!
//! [`Disk`] is the medium. [`SimFs`] is a machine with such a disk, on which processes start and end.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use super::fs::{
    Access, Entry, File, FileKind, Fs, FsError, LockGuard, Medium, OnWait, Result, Stat,
};
use super::lock::LockError;
use super::sim_disk::{DataOp, Inode, NameOp, apply_data, split};
pub use super::sim_disk::{Dice, Disk};

static FRESH: AtomicU64 = AtomicU64::new(1);

/// A record of the operations, with the faults to inject.
#[derive(Default)]
struct Tape {
    /// The disk before each modifying call, if the test records it.
    snapshots: Option<Vec<Disk>>,
    syncs: u64,
    /// The number of operations on files and names.
    calls: u64,
    /// The duration of a sync.
    sync_time: Duration,
    /// The number of the sync that must fail, counted from 1.
    failing_sync: Option<u64>,
    /// The number of writable descriptors of each inode.
    writers: BTreeMap<u64, usize>,
    /// An action of another process, with the number of modifying calls to go before it.
    interleaved: Option<(usize, InterleavedAction)>,
}

/// An action of another process.
pub type InterleavedAction = Box<dyn FnOnce(&SimFs) + Send>;

impl std::fmt::Debug for Tape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape")
            .field("syncs", &self.syncs)
            .finish_non_exhaustive()
    }
}

/// The lock of the directory, which processes get in the order of their requests.
#[derive(Debug, Default)]
struct Queue {
    tickets: Mutex<Tickets>,
    turns: Condvar,
}

#[derive(Debug, Default)]
struct Tickets {
    /// True if threads act as processes that wait for each other.
    are_used: bool,
    next: u64,
    served: u64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Tickets> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A simulated file system.
#[derive(Clone, Debug)]
pub struct SimFs {
    disk: Arc<Mutex<Disk>>,
    tape: Arc<Mutex<Tape>>,
    queue: Arc<Queue>,
}

impl Default for SimFs {
    fn default() -> Self {
        Self::new()
    }
}

impl SimFs {
    /// Returns a machine with an empty disk.
    pub fn new() -> Self {
        Self::on(Disk::empty())
    }

    /// Returns a machine with this disk.
    pub fn on(disk: Disk) -> Self {
        Self {
            disk: Arc::new(Mutex::new(disk)),
            tape: Arc::default(),
            queue: Arc::default(),
        }
    }

    /// Makes threads wait for the lock of the directory. Without this call, the lock is always free, because only one
    /// process runs at a time.
    pub fn use_lock(&self) {
        self.queue.lock().are_used = true;
    }

    /// Returns the number of threads that are waiting for the lock.
    pub fn waiting(&self) -> u64 {
        let tickets = self.queue.lock();
        (tickets.next - tickets.served).saturating_sub(1)
    }

    /// Returns a copy of the disk.
    pub fn disk(&self) -> Disk {
        self.lock_disk().clone()
    }

    /// Starts recording the disk before each modifying call.
    pub fn record(&self) {
        self.lock_tape().snapshots = Some(Vec::new());
    }

    /// Returns the number of recorded states.
    pub fn recorded(&self) -> usize {
        self.lock_tape().snapshots.as_ref().map_or(0, Vec::len)
    }

    /// Removes and returns the recorded states.
    pub fn take_recording(&self) -> Vec<Disk> {
        self.lock_tape().snapshots.take().unwrap_or_default()
    }

    /// Makes the sync with this number fail once. As in the kernel, its pages then count as clean.
    pub fn fail_sync(&self, number: Option<u64>) {
        self.lock_tape().failing_sync = number;
    }

    /// Schedules an action of another process before the modifying call with this number, counted from 0.
    pub fn interleave(&self, call: usize, act: InterleavedAction) {
        self.lock_tape().interleaved = Some((call, act));
    }

    /// Cancels the scheduled action. Returns true if there was one.
    pub fn call_off(&self) -> bool {
        self.lock_tape().interleaved.take().is_some()
    }

    /// Returns the number of syncs of files.
    pub fn syncs(&self) -> u64 {
        self.lock_tape().syncs
    }

    /// Returns the number of operations of [`Fs`] and [`File`].
    pub fn calls(&self) -> u64 {
        self.lock_tape().calls
    }

    /// Makes every sync take this long.
    pub fn slow_sync(&self, time: Duration) {
        self.lock_tape().sync_time = time;
    }

    fn count(&self) {
        self.lock_tape().calls += 1;
    }

    fn lock_disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn let_others_act(&self) {
        let mut tape = self.lock_tape();
        // Removed before it runs, because the action itself makes modifying calls.
        let due = match &mut tape.interleaved {
            Some((0, _)) => tape.interleaved.take(),
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        // Released first, because the action uses this file system.
        drop(tape);
        if let Some((_, act)) = due {
            act(self);
        }
    }

    /// Runs at the start of every modifying call.
    fn tick(&self) -> MutexGuard<'_, Disk> {
        self.count();
        // Comes before locking the disk, because the other process needs the disk.
        self.let_others_act();
        let disk = self.lock_disk();
        if let Some(snapshots) = &mut self.lock_tape().snapshots {
            // The state before the call is the one that remains if the process is killed at this call.
            snapshots.push(disk.clone());
        }
        disk
    }

    /// Renames or exchanges names.
    fn rename_op(&self, from: &str, to: &str, exchange: bool) -> Result<()> {
        let mut disk = self.tick();
        if !exchange && disk.directories.contains_key(from) {
            return match disk.rename_directory(from, to) {
                true => Ok(()),
                false => Err(missing("rename", to)),
            };
        }
        let ((from_dir, from_name), (to_dir, to_name)) = (split(from), split(to));
        let inode = disk.inode(from).ok_or_else(|| missing("rename", from))?;
        // Checked before the first half changes, because a rename is atomic.
        if !disk.directories.contains_key(to_dir) {
            return Err(missing("rename", to));
        }
        let other = disk.inode(to);
        if exchange && other.is_none() {
            return Err(missing("exchange", to));
        }
        let (from_name, to_name) = (from_name.to_owned(), to_name.to_owned());
        // A rename within a directory is a single log entry. Between two directories, it is two entries with the same
        // transaction.
        let changes = match (from_dir == to_dir, exchange) {
            (true, true) => vec![(from_dir, NameOp::Exchange(from_name, to_name))],
            (true, false) => vec![(from_dir, NameOp::Rename(from_name, to_name))],
            (false, true) => vec![
                (to_dir, NameOp::Link(to_name, inode)),
                (from_dir, NameOp::Link(from_name, other.unwrap_or(inode))),
            ],
            (false, false) => vec![
                (to_dir, NameOp::Link(to_name, inode)),
                (from_dir, NameOp::Unlink(from_name)),
            ],
        };
        disk.change_names(changes);
        // A rename sets the change time, from which ctl can tell that a file was moved away and back.
        disk.touch(inode);
        if let Some(other) = other {
            disk.touch(other);
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
        changed: Timestamp::UNIX_EPOCH + Duration::from_nanos(inode.changed),
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
        changed: Timestamp::UNIX_EPOCH,
    }
}

impl Fs for SimFs {
    fn open(&self, path: &str, access: Access) -> Result<Box<dyn File>> {
        self.count();
        let inode = self
            .lock_disk()
            .inode(path)
            .ok_or_else(|| missing("open", path))?;
        Ok(self.descriptor(inode, path, access))
    }

    fn create(&self, path: &str) -> Result<Box<dyn File>> {
        let mut disk = self.tick();
        let (directory, name) = split(path);
        if disk.inode(path).is_some() {
            return Err(exists("create", path));
        }
        let inode = disk.next;
        let link = NameOp::Link(name.to_owned(), inode);
        if !disk.change_names(vec![(directory, link)]) {
            return Err(missing("create", path));
        }
        disk.next += 1;
        disk.inodes.insert(inode, Inode::default());
        disk.touch(inode);
        drop(disk);
        Ok(self.descriptor(inode, path, Access::Write))
    }

    /// Directories are durable at once, because the protocol creates them only once, before everything else.
    fn make_dir(&self, path: &str) -> Result<()> {
        self.count();
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
        // No other process runs between this check and the rename, so they are as atomic as `RENAME_NOREPLACE`.
        let disk = self.lock_disk();
        if disk.inode(to).is_some() || disk.directories.contains_key(to) {
            return Err(exists("rename", to));
        }
        drop(disk);
        self.rename_op(from, to, false)
    }

    fn exchange(&self, a: &str, b: &str) -> Result<()> {
        self.rename_op(a, b, true)
    }

    fn unlink(&self, path: &str) -> Result<()> {
        let mut disk = self.tick();
        let (directory, name) = split(path);
        let op = NameOp::Unlink(name.to_owned());
        match disk.change_names(vec![(directory, op)]) {
            true => Ok(()),
            false => Err(missing("unlink", path)),
        }
    }

    fn remove_dir(&self, path: &str) -> Result<()> {
        self.count();
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
        self.count();
        let disk = self.lock_disk();
        let directory = disk
            .directories
            .get(path)
            .ok_or_else(|| missing("list", path))?;
        let files = directory.cache.iter().map(|(name, inode)| Entry {
            name: name.clone(),
            stat: stat_of(&disk, *inode),
        });
        // Directories are identified by path; their parents list them.
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
        self.count();
        let disk = self.lock_disk();
        if disk.directories.contains_key(path) {
            return Ok(Some(stat_of_directory()));
        }
        Ok(disk.inode(path).map(|inode| stat_of(&disk, inode)))
    }

    fn sync_dir(&self, path: &str) -> Result<()> {
        let mut disk = self.tick();
        if !disk.directories.contains_key(path) {
            return Err(missing("fsync", path));
        }
        disk.sync_names(path);
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
        patience: Option<Duration>,
        _on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        self.count();
        let mut tickets = self.queue.lock();
        if !tickets.are_used {
            // No other process runs at the same time, so the lock is free.
            return Ok(Box::new(SimLock(None)));
        }
        if tickets.next > tickets.served && patience == Some(Duration::ZERO) {
            return Err(LockError::Busy);
        }
        let ticket = tickets.next;
        tickets.next += 1;
        while tickets.served < ticket {
            let waited = self.queue.turns.wait(tickets);
            tickets = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Box::new(SimLock(Some(Arc::clone(&self.queue)))))
    }

    fn has_waiters(&self, _path: &str) -> bool {
        self.waiting() > 0
    }

    fn try_lock_dir(&self, _path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError> {
        Ok(Box::new(SimLock(None)))
    }

    fn dir_locker(&self, _path: &str) -> Option<String> {
        None
    }

    fn boot_id(&self) -> String {
        format!("boot-{}", self.lock_disk().boot)
    }

    fn open_for_writing(&self, stat: &Stat) -> Option<bool> {
        Some(self.lock_tape().writers.contains_key(&stat.inode))
    }

    // Simulated time does not advance on its own.
    fn pause(&self, time: Duration) {
        let _ = time;
        std::thread::yield_now();
    }

    fn wall_clock(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fresh(&self) -> u64 {
        self.count();
        // Shared by all machines of the test, so that names are unique.
        FRESH.fetch_add(1, Ordering::Relaxed)
    }
}

/// A held lock, with its queue if others may wait for it.
struct SimLock(Option<Arc<Queue>>);

impl LockGuard for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            queue.lock().served += 1;
            queue.turns.notify_all();
        }
    }
}

struct SimFile {
    fs: SimFs,
    inode: u64,
    path: String,
    access: Access,
}

impl SimFs {
    /// Returns a descriptor for an inode, whatever its names.
    pub fn descriptor(&self, inode: u64, path: &str, access: Access) -> Box<dyn File> {
        if access == Access::Write {
            // Counted per inode rather than per name, as the kernel does for leases.
            *self.lock_tape().writers.entry(inode).or_default() += 1;
        }
        Box::new(SimFile {
            fs: self.clone(),
            inode,
            path: path.to_owned(),
            access,
        })
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let mut tape = self.fs.lock_tape();
        if self.access == Access::Write
            && let Some(count) = tape.writers.get_mut(&self.inode)
        {
            *count -= 1;
            if *count == 0 {
                tape.writers.remove(&self.inode);
            }
        }
    }
}

impl SimFile {
    fn change(&self, op: DataOp) {
        let mut disk = self.fs.tick();
        if let Some(inode) = disk.inodes.get_mut(&self.inode) {
            // The cache has the write at once, the medium only after a sync.
            apply_data(Arc::make_mut(&mut inode.cache), &op);
            inode.pending.push(op);
        }
        disk.touch(self.inode);
    }
}

impl File for SimFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.fs.count();
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
        let time = self.fs.lock_tape().sync_time;
        if !time.is_zero() {
            std::thread::sleep(time);
        }
        let mut disk = self.fs.tick();
        let Some(inode) = disk.inodes.get_mut(&self.inode) else {
            return Ok(());
        };
        let mut tape = self.fs.lock_tape();
        tape.syncs += 1;
        if tape.failing_sync == Some(tape.syncs) {
            // Like the kernel, reports the error once, marks the pages clean and keeps showing them.
            inode.pending.clear();
            let error = io::Error::from_raw_os_error(rustix::io::Errno::IO.raw_os_error());
            return Err(FsError::new("fdatasync", &self.path, error));
        }
        let mut durable = inode.durable.to_vec();
        // Applied in order and cleared: as in a real kernel, a second sync has nothing to write.
        for op in std::mem::take(&mut inode.pending) {
            apply_data(&mut durable, &op);
        }
        inode.durable = Arc::new(durable);
        Ok(())
    }

    fn stat(&self) -> Result<Stat> {
        self.fs.count();
        Ok(stat_of(&self.fs.lock_disk(), self.inode))
    }

    fn is_written(&self) -> Option<bool> {
        self.fs.count();
        Some(self.fs.lock_tape().writers.contains_key(&self.inode))
    }

    fn set_modified(&self, at: Timestamp) -> Result<()> {
        self.fs.count();
        let mut disk = self.fs.lock_disk();
        if let Some(inode) = disk.inodes.get_mut(&self.inode) {
            inode.modified = at;
        }
        // Setting a time modifies the inode, so its change time advances.
        disk.touch(self.inode);
        Ok(())
    }
}
