//! The one door to files: a small trait with a real, a fault-injecting and a simulated side.
//!
//! Paths are relative to the state directory, with `/` between components. An implementation
//! follows no symbolic link below its root and never leaves it.

use std::fmt;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use thiserror::Error;

use super::lock::LockError;

/// An I/O error with what was tried and on which path.
#[derive(Debug, Error)]
#[error("{operation} {path}")]
pub struct FsError {
    /// The operation, as in the names of [`Fs`] and [`File`].
    pub operation: &'static str,
    /// The path, relative to the state directory.
    pub path: String,
    /// The error of the operating system.
    #[source]
    pub source: io::Error,
}

impl FsError {
    /// Wraps what the operating system returned.
    pub fn new(operation: &'static str, path: &str, source: impl Into<io::Error>) -> Self {
        Self {
            operation,
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// The class of the error.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// Returns true if the path is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(
            self.kind(),
            // A file in the place of a directory means the same to a caller: there is nothing under
            // this name.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    }

    /// Returns true if a symbolic link stood in the way.
    pub fn is_link(&self) -> bool {
        self.source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }

    /// Returns true if the path is a socket or a device without a driver, which nobody can open.
    pub fn is_special(&self) -> bool {
        self.source.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
    }

    /// Returns true if the disk (or a quota) is full.
    pub fn is_full(&self) -> bool {
        matches!(
            self.kind(),
            // A limit on the file size (`ulimit -f`) is handled like a full disk: the write can be
            // undone and repeated.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        )
    }

    /// Returns true if writing is not allowed here at all.
    pub fn is_read_only(&self) -> bool {
        matches!(
            self.kind(),
            // Includes missing rights: for the caller both mean that reading is all that is
            // possible.
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
        )
    }
}

/// The result of every operation.
pub type Result<T> = std::result::Result<T, FsError>;

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link, FIFO, socket or device: never opened, never followed.
    Other,
}

/// The metadata of a file, without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The kind of the entry, without following links.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// Its inode number.
    pub inode: u64,
    /// Its device number.
    pub device: u64,
    /// The user that owns it.
    pub owner: u32,
    /// When its content last changed, as far as anybody says: everybody may set it.
    pub modified: Timestamp,
    /// When its content, its name or anything else of it last changed: nobody can set it.
    pub changed: Timestamp,
}

/// One entry of a listed directory.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name; names that are not UTF-8 are left out of listings.
    pub name: String,
    /// Its stat, without following links.
    pub stat: Stat,
}

/// The access mode of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading only.
    Read,
    /// Reading and writing.
    Write,
}

/// An open file.
pub trait File: Send + Sync {
    /// Reads up to `buffer.len()` bytes at `offset`; fewer only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;
    /// Writes all of `bytes` at `offset`.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;
    /// Cuts or extends the file to `length`.
    fn truncate(&self, length: u64) -> Result<()>;
    /// Makes content and length durable (fdatasync).
    fn sync_data(&self) -> Result<()>;
    /// Its stat.
    fn stat(&self) -> Result<Stat>;
    /// Returns whether some process can write to it, if the operating system tells cheaply; for a
    /// file that is open for reading only.
    fn is_written(&self) -> Option<bool>;
    /// Sets when its content last changed.
    fn set_modified(&self, at: Timestamp) -> Result<()>;
}

/// Where the state directory lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Medium {
    /// The name of a network or user-space file system, where it is one.
    pub network: Option<&'static str>,
    /// True if it is mounted read-only.
    pub read_only: bool,
}

/// Somebody else has the lock; tells what to do about it.
pub type OnWait<'a> = &'a mut dyn FnMut(Duration);

/// A lock that is held as long as the value lives.
///
/// ```
/// use ctl_sys::fs::{Fs, LockGuard};
/// use ctl_sys::lock::LockError;
/// use ctl_sys::real_fs::RealFs;
/// use ctl_sys::scratch::ScratchDir;
///
/// # let directory = ScratchDir::new("ctl-doc-").unwrap();
/// let fs = RealFs::open(directory.path()).unwrap();
/// let guard: Box<dyn LockGuard> = fs.lock(None, &mut |_| {})?;
/// // Nobody else writes until the guard is dropped.
/// drop(guard);
/// # Ok::<(), LockError>(())
/// ```
pub trait LockGuard: Send + Sync {}

/// A state directory's files.
///
/// ```
/// use ctl_sys::fs::{Access, Entry, File, FileKind, Fs, FsError, Medium, Stat, replace};
/// use ctl_sys::real_fs::RealFs;
/// use ctl_sys::scratch::ScratchDir;
///
/// # let directory = ScratchDir::new("ctl-doc-").unwrap();
/// let fs = RealFs::open(directory.path())?;
/// // Written beside the file and renamed, so a reader sees the old text or the new one.
/// replace(&fs, "settings", "settings.new", b"a: 1\n", false)?;
///
/// let entries: Vec<Entry> = fs.list(".")?;
/// let stat: &Stat = &entries[0].stat;
/// assert_eq!((stat.kind, stat.size), (FileKind::File, 5));
///
/// let file: Box<dyn File> = fs.open("settings", Access::Read)?;
/// let mut start = [0; 2];
/// file.read_at(&mut start, 0)?;
/// assert_eq!(&start, b"a:");
///
/// let missing: FsError = fs.open("other", Access::Read).err().unwrap();
/// assert!(missing.is_not_found());
/// let medium: Medium = fs.medium()?;
/// assert!(!medium.read_only);
/// # Ok::<(), FsError>(())
/// ```
pub trait Fs: Send + Sync + fmt::Debug {
    /// Opens an existing file without following links or waiting for a FIFO's other end.
    fn open(&self, path: &str, access: Access) -> Result<Box<dyn File>>;
    /// Creates a file that must not exist, for its owner alone.
    fn create(&self, path: &str) -> Result<Box<dyn File>>;
    /// Creates a directory for its owner alone; one that exists is fine.
    fn make_dir(&self, path: &str) -> Result<()>;
    /// Renames over whatever is there.
    fn rename(&self, from: &str, to: &str) -> Result<()>;
    /// Renames to a name that must not exist.
    fn rename_new(&self, from: &str, to: &str) -> Result<()>;
    /// Exchanges two names in one step.
    fn exchange(&self, a: &str, b: &str) -> Result<()>;
    /// Removes a file.
    fn unlink(&self, path: &str) -> Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &str) -> Result<()>;
    /// Lists a directory with the stat of each entry, in no order.
    fn list(&self, path: &str) -> Result<Vec<Entry>>;
    /// Stats a path without following links; `None` where there is nothing.
    fn stat(&self, path: &str) -> Result<Option<Stat>>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &str) -> Result<()>;
    /// Returns the kind of medium that holds the directory.
    fn medium(&self) -> Result<Medium>;
    /// Takes the directory's exclusive lock. `patience` of `None` waits for ever; `on_wait` is
    /// called once when the wait has taken two seconds.
    fn lock(
        &self,
        patience: Option<Duration>,
        on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError>;
    /// Keeps to the directory `path` as it is now until the lock is released: paths below it lead
    /// there even if somebody moves it away and puts another one in its place. Returns which one
    /// it is. Without this a writer could leave half of its files in each of the two.
    fn pin(&self, path: &str) -> Result<Option<Stat>> {
        self.stat(path)
    }
    /// Takes the exclusive lock of a directory below it, if nobody else has it: [`LockError::Busy`].
    fn try_lock_dir(&self, path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError>;
    /// The process that has that lock, if the machine tells: its number and its command line.
    fn dir_locker(&self, path: &str) -> Option<String>;
    /// The boot of the machine that un-synced bytes belong to.
    fn boot_id(&self) -> String;
    /// Returns true if some process has this file open for writing, where the machine tells.
    fn open_for_writing(&self, stat: &Stat) -> Option<bool>;
    /// Checks many files: one result for each, in their order.
    fn each_open_for_writing(&self, stats: &[Stat]) -> Vec<Option<bool>> {
        stats.iter().map(|s| self.open_for_writing(s)).collect()
    }
    /// Lets some time pass on that clock.
    fn pause(&self, time: Duration);
    /// The time by the clock that stamps files.
    fn wall_clock(&self) -> Timestamp;
    /// Bits that no earlier call ever gave, for names of temporary files.
    fn fresh(&self) -> u64;
}

/// Reads a whole file, refusing one over `cap` bytes.
pub fn read_all(fs: &dyn Fs, path: &str, cap: u64) -> Result<Vec<u8>> {
    let file = fs.open(path, Access::Read)?;
    // The size of the open file, so that nothing larger can take its name in between.
    let size = file.stat()?.size;
    if size > cap {
        let text = format!("{size} bytes, more than the {cap} that are read");
        return Err(FsError::new(
            "read",
            path,
            io::Error::new(io::ErrorKind::FileTooLarge, text),
        ));
    }
    read_range(file.as_ref(), 0, usize::try_from(size).unwrap_or(0))
}

/// Reads up to `length` bytes at `offset`; fewer where the file ends before.
pub fn read_range(file: &dyn File, offset: u64, length: usize) -> Result<Vec<u8>> {
    // Zeroed first, because `read_at` takes initialised memory; a short read is cut off below.
    let mut bytes = vec![0; length];
    let read = file.read_at(&mut bytes, offset)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Removes a directory with everything in it, following no link; one that is not there is fine.
pub fn remove_tree(fs: &dyn Fs, path: &str) -> Result<()> {
    let entries = match fs.list(path) {
        Err(e) if e.is_not_found() => return Ok(()),
        answer => answer?,
    };
    for entry in entries {
        let path = format!("{path}/{}", entry.name);
        match entry.stat.kind {
            // A link to a directory is `Other` and is removed itself, never what it leads to.
            FileKind::Directory => remove_tree(fs, &path)?,
            FileKind::File | FileKind::Other => fs.unlink(&path)?,
        }
    }
    fs.remove_dir(path)
}

/// Writes a file whole or not at all: temporary file, optional sync, rename over `path`.
pub fn replace(fs: &dyn Fs, path: &str, temporary: &str, bytes: &[u8], sync: bool) -> Result<()> {
    let file = fs.create(temporary)?;
    let written = file
        .write_at(bytes, 0)
        // Synced before the rename: a name must never lead to bytes that a power cut can take.
        .and_then(|()| if sync { file.sync_data() } else { Ok(()) });
    drop(file);
    written
        .and_then(|()| fs.rename(temporary, path))
        .inspect_err(|_| {
            // The error that matters is the first one; the stray file goes with the next sweep.
            let _ = fs.unlink(temporary);
        })
}
