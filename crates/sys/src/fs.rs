//! Access to files: a small trait with a real, a fault-injecting and a simulated implementation.
//!
//! Paths are relative to the state directory, with `/` between components. Implementations follow no symbolic links
//! below the root and never leave it.

use std::fmt;
use std::io;
use std::time::Duration;

use jiff::Timestamp;
use thiserror::Error;

use super::lock::LockError;

/// An I/O error, with the operation and the path.
#[derive(Debug, Error)]
#[error("{operation} {path}")]
pub struct FsError {
    /// The operation: the name of a method of [`Fs`] or [`File`].
    pub operation: &'static str,
    /// The path, relative to the state directory.
    pub path: String,
    /// The operating system's error.
    #[source]
    pub source: io::Error,
}

impl FsError {
    /// Wraps an operating system's error.
    pub fn new(operation: &'static str, path: &str, source: impl Into<io::Error>) -> Self {
        Self {
            operation,
            path: path.to_owned(),
            source: source.into(),
        }
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    /// Returns true if the path does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(
            self.kind(),
            // To a caller, a file in place of a directory means the same: the name does not exist.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    }

    /// Returns true if the path contains a symbolic link.
    pub fn is_link(&self) -> bool {
        self.source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
    }

    /// Returns true if the path is a socket, or a device without a driver, neither of which can be opened.
    pub fn is_special(&self) -> bool {
        self.source.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error())
    }

    /// Returns true if the disk or a quota is full.
    pub fn is_full(&self) -> bool {
        matches!(
            self.kind(),
            // A limit on file sizes (`ulimit -f`) is handled like a full disk: the write can be undone and retried.
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
        )
    }

    /// Returns true if writing is not allowed.
    pub fn is_read_only(&self) -> bool {
        matches!(
            self.kind(),
            // Includes missing permissions, because in both cases the caller can only read.
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
        )
    }
}

/// The result of an operation.
pub type Result<T> = std::result::Result<T, FsError>;

/// The kind of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link, FIFO, socket or device, which is never opened or followed.
    Other,
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The kind of the entry, without following links.
    pub kind: FileKind,
    /// The size in bytes.
    pub size: u64,
    /// The inode number.
    pub inode: u64,
    /// The device number.
    pub device: u64,
    /// The user ID of the owner.
    pub owner: u32,
    /// The time of the last change to the content. Any process with write access can set it.
    pub modified: Timestamp,
    /// The time of the last change to the content, the name or other metadata. No process can set it.
    pub changed: Timestamp,
}

/// An entry of a directory listing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name. Names that are not UTF-8 are omitted from listings.
    pub name: String,
    /// The metadata, without following links.
    pub stat: Stat,
}

/// The access mode of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only.
    Read,
    /// Read and write.
    Write,
}

/// An open file.
pub trait File: Send + Sync {
    /// Reads up to `buffer.len()` bytes at `offset`. Returns fewer only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize>;
    /// Writes all of `bytes` at `offset`.
    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()>;
    /// Truncates or extends the file to `length`.
    fn truncate(&self, length: u64) -> Result<()>;
    /// Makes the content and length durable (fdatasync).
    fn sync_data(&self) -> Result<()>;
    /// Returns the metadata.
    fn stat(&self) -> Result<Stat>;
    /// Returns true if some process can write to the file, or `None` if the operating system cannot tell cheaply. The
    /// file must be open for reading only.
    fn is_written(&self) -> Option<bool>;
    /// Sets the time of the last change to the content.
    fn set_modified(&self, at: Timestamp) -> Result<()>;
}

/// The medium of the state directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Medium {
    /// The name of the file system, if it is a network or user-space file system.
    pub network: Option<&'static str>,
    /// True if the file system is mounted read-only.
    pub read_only: bool,
}

/// Called with the time waited so far while another process holds the lock.
pub type OnWait<'a> = &'a mut dyn FnMut(Duration);

/// A lock, held until the value is dropped.
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
/// // No other process can write until the guard is dropped.
/// drop(guard);
/// # Ok::<(), LockError>(())
/// ```
pub trait LockGuard: Send + Sync {}

/// The files of a state directory.
///
/// ```
/// use ctl_sys::fs::{Access, Entry, File, FileKind, Fs, FsError, Medium, Stat, replace};
/// use ctl_sys::real_fs::RealFs;
/// use ctl_sys::scratch::ScratchDir;
///
/// # let directory = ScratchDir::new("ctl-doc-").unwrap();
/// let fs = RealFs::open(directory.path())?;
/// // Written to a temporary file and renamed: a reader sees either the old text or the new one.
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
    /// Opens an existing file. Follows no links, and does not wait for the other end of a FIFO.
    fn open(&self, path: &str, access: Access) -> Result<Box<dyn File>>;
    /// Creates a file that only its owner can access; the file must not exist.
    fn create(&self, path: &str) -> Result<Box<dyn File>>;
    /// Creates a directory that only its owner can access. An existing directory is not an error.
    fn make_dir(&self, path: &str) -> Result<()>;
    /// Renames a file, replacing any existing one.
    fn rename(&self, from: &str, to: &str) -> Result<()>;
    /// Renames a file to a name that must not exist.
    fn rename_new(&self, from: &str, to: &str) -> Result<()>;
    /// Exchanges two names atomically.
    fn exchange(&self, a: &str, b: &str) -> Result<()>;
    /// Removes a file.
    fn unlink(&self, path: &str) -> Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &str) -> Result<()>;
    /// Lists a directory with the metadata of each entry, in no particular order.
    fn list(&self, path: &str) -> Result<Vec<Entry>>;
    /// Returns the metadata of a path without following links, or `None` if the path does not exist.
    fn stat(&self, path: &str) -> Result<Option<Stat>>;
    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &str) -> Result<()>;
    /// Returns the medium that holds the state directory.
    fn medium(&self) -> Result<Medium>;
    /// Acquires the exclusive lock of the state directory. With `patience` of `None`, waits without limit. Calls
    /// `on_wait` once, after two seconds.
    fn lock(
        &self,
        patience: Option<Duration>,
        on_wait: OnWait<'_>,
    ) -> std::result::Result<Box<dyn LockGuard>, LockError>;
    /// Tells the holder of the lock that this process is waiting, until the returned value is dropped or the process
    /// ends. The mark is put on the directory `path`. Returns `None` if that is impossible.
    fn announce_waiter(&self, path: &str) -> Option<Box<dyn LockGuard>> {
        let _ = path;
        None
    }
    /// Returns true if another process has announced at `path` that it is waiting. Only the holder of the lock may
    /// ask.
    fn has_waiters(&self, path: &str) -> bool {
        let _ = path;
        false
    }
    /// Pins the directory `path` until the lock is released: paths below it then lead to the same directory, even if
    /// another process replaces it. Returns its metadata. Without pinning, a writer could leave half of its files in
    /// each of the two directories.
    fn pin(&self, path: &str) -> Result<Option<Stat>> {
        self.stat(path)
    }
    /// Returns the metadata of a known file for a comparison, with a single system call. Unlike [`Fs::stat`], may
    /// follow links in the directories of the path.
    fn quick_stat(&self, path: &str) -> Result<Option<Stat>> {
        self.stat(path)
    }
    /// Acquires the exclusive lock of a directory below the state directory, or returns [`LockError::Busy`].
    fn try_lock_dir(&self, path: &str) -> std::result::Result<Box<dyn LockGuard>, LockError>;
    /// Returns the PID and command line of the process that holds such a lock, if the machine reports it.
    fn dir_locker(&self, path: &str) -> Option<String>;
    /// Returns the ID of the current boot. A reboot may lose bytes that are not synced.
    fn boot_id(&self) -> String;
    /// Returns true if some process has the file open for writing, or `None` if that is unknown.
    fn open_for_writing(&self, stat: &Stat) -> Option<bool>;
    /// Checks several files, with one result for each, in the same order.
    fn each_open_for_writing(&self, stats: &[Stat]) -> Vec<Option<bool>> {
        stats.iter().map(|s| self.open_for_writing(s)).collect()
    }
    /// Waits on the real or simulated clock.
    fn pause(&self, time: Duration);
    /// Returns the time of the clock that sets the times of files.
    fn wall_clock(&self) -> Timestamp;
    /// Returns bits that no earlier call has returned, for names of temporary files.
    fn fresh(&self) -> u64;
}

/// Reads a whole file. Returns an error if it is larger than `cap` bytes.
pub fn read_all(fs: &dyn Fs, path: &str, cap: u64) -> Result<Vec<u8>> {
    let file = fs.open(path, Access::Read)?;
    // Checks the size of the open file: checking the name would allow a larger file to replace it in between.
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

/// Reads up to `length` bytes at `offset`, or fewer if the file ends before.
pub fn read_range(file: &dyn File, offset: u64, length: usize) -> Result<Vec<u8>> {
    // Zeroed, because `read_at` needs initialized memory; a short read is truncated below.
    let mut bytes = vec![0; length];
    let read = file.read_at(&mut bytes, offset)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Removes a directory and everything in it, without following links. A missing directory is not an error.
pub fn remove_tree(fs: &dyn Fs, path: &str) -> Result<()> {
    let entries = match fs.list(path) {
        Err(e) if e.is_not_found() => return Ok(()),
        answer => answer?,
    };
    for entry in entries {
        let path = format!("{path}/{}", entry.name);
        match entry.stat.kind {
            // A link to a directory is `Other`: the link is removed, never its target.
            FileKind::Directory => remove_tree(fs, &path)?,
            FileKind::File | FileKind::Other => fs.unlink(&path)?,
        }
    }
    fs.remove_dir(path)
}

/// Writes a whole file atomically: to a temporary file, which is synced if `sync` is set and renamed to `path`.
pub fn replace(fs: &dyn Fs, path: &str, temporary: &str, bytes: &[u8], sync: bool) -> Result<()> {
    let file = fs.create(temporary)?;
    let written = file
        .write_at(bytes, 0)
        // Synced before the rename: the name must never lead to bytes that a power failure can lose.
        .and_then(|()| if sync { file.sync_data() } else { Ok(()) });
    drop(file);
    written
        .and_then(|()| fs.rename(temporary, path))
        .inspect_err(|_| {
            // The first error is the one to report; the next sweep removes the leftover file.
            let _ = fs.unlink(temporary);
        })
}
