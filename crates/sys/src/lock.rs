//! The exclusive lock on a state directory.
//!
//! The lock is a `flock(2)` on the directory itself: there is no lock file whose deletion would allow a second holder,
//! and the kernel releases the lock however its holder ends. No process breaks a lock, and no timeout releases one.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use thiserror::Error;

use super::clock::Stopwatch;

/// The time after which a waiting user is notified.
const NOTICE_AFTER: Duration = Duration::from_secs(2);

/// The reason for not acquiring the lock.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process held the lock for as long as the caller was willing to wait.
    #[error("the state directory is locked by another process")]
    Busy,
    /// The directory cannot be opened or locked.
    #[error("lock the state directory")]
    Io(#[from] io::Error),
}

/// The lock on a directory, held until the value is dropped.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_sys::lock::{DirLock, LockError};
/// use ctl_sys::scratch::ScratchDir;
///
/// # let directory = ScratchDir::new("ctl-doc-").unwrap();
/// let held = DirLock::acquire(directory.path(), None, &mut |_| {})?;
/// let second = DirLock::acquire(directory.path(), Some(Duration::ZERO), &mut |_| {});
/// assert!(matches!(second, Err(LockError::Busy)));
/// drop(held);
/// # Ok::<(), LockError>(())
/// ```
#[derive(Debug)]
pub struct DirLock {
    _file: File,
}

impl DirLock {
    /// Acquires the lock on the directory at `path`.
    ///
    /// With `patience` of `None`, waits without limit; with zero, makes a single attempt. Calls `on_wait` once, after
    /// two seconds, with the time waited.
    pub fn acquire(
        path: &Path,
        patience: Option<Duration>,
        on_wait: &mut dyn FnMut(Duration),
    ) -> Result<Self, LockError> {
        let watch = Stopwatch::start();
        loop {
            // Each attempt opens the path again, because it may now lead to another directory.
            let file = locked(File::open(path)?, patience, &watch, on_wait)?;
            // The directory may have been moved during the wait. A lock on it would not protect against processes that
            // use the path.
            if place(&file.metadata()?) == place(&std::fs::metadata(path)?) {
                return Ok(Self { _file: file });
            }
        }
    }

    /// Acquires the lock on an open directory, provided that `path` leads to it afterwards.
    pub(crate) fn acquire_open(
        directory: BorrowedFd<'_>,
        known: FileId,
        path: &Path,
        patience: Option<Duration>,
        on_wait: &mut dyn FnMut(Duration),
    ) -> Result<Self, LockError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // Opened again, because the lock belongs to the open file, and all threads share `directory`.
        let file = rustix::fs::openat(directory, ".", flags, Mode::empty());
        let file = file.map_err(io::Error::from)?;
        let file = locked(file.into(), patience, &Stopwatch::start(), on_wait)?;
        if place(&std::fs::metadata(path)?) == known {
            return Ok(Self { _file: file });
        }
        let text = "another directory has taken the place of the one in use";
        Err(io::Error::other(text).into())
    }
}

/// A mark that any number of processes can set on a directory at the same time.
#[derive(Debug)]
pub(crate) struct DirMark {
    _file: File,
}

impl DirMark {
    /// Sets the mark; returns `None` if that is impossible at the moment.
    pub(crate) fn set(directory: File) -> Option<Self> {
        // A shared lock on a different directory from the one being waited for. The kernel removes it when the process
        // ends; it does not show who is waiting in the queue of a lock.
        let set = fs2::fs_std::FileExt::try_lock_shared(&directory);
        set.is_ok_and(|set| set)
            .then_some(Self { _file: directory })
    }

    /// Returns true if some process has set the mark.
    pub(crate) fn is_set(directory: &File) -> bool {
        let free = fs2::fs_std::FileExt::try_lock_exclusive(directory);
        // An error counts as "not set": the mark only saves time.
        free.is_ok_and(|free| !free)
    }
}

/// The device and inode of a directory, which identify it under any name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileId {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

fn place(metadata: &Metadata) -> FileId {
    FileId {
        device: metadata.dev(),
        number: metadata.ino(),
    }
}

/// Locks an open directory.
fn locked(
    file: File,
    patience: Option<Duration>,
    watch: &Stopwatch,
    on_wait: &mut dyn FnMut(Duration),
) -> Result<File, LockError> {
    // Tried without a thread first, because the lock is nearly always free.
    match fs2::fs_std::FileExt::try_lock_exclusive(&file)? {
        true => Ok(file),
        false => wait(file, patience, watch, on_wait),
    }
}

/// Waits in the kernel's queue, which is fair, and returns the locked file.
///
/// The blocking call runs in a thread of its own, so that the caller can give up. The thread then acquires the lock
/// later and releases it at once.
fn wait(
    file: File,
    patience: Option<Duration>,
    watch: &Stopwatch,
    on_wait: &mut dyn FnMut(Duration),
) -> Result<File, LockError> {
    if patience.is_some_and(|p| watch.elapsed() >= p) {
        return Err(LockError::Busy);
    }
    let (done, waited) = channel();
    // The kernel serves waiting processes in order. With polling, a fast writer could starve a slow one.
    std::thread::spawn(move || {
        let locked = fs2::fs_std::FileExt::lock_exclusive(&file).map(|()| file);
        let _ = done.send(locked);
    });
    let mut told = false;
    loop {
        let left = patience.map(|p| p.saturating_sub(watch.elapsed()));
        let notice = (!told).then(|| NOTICE_AFTER.saturating_sub(watch.elapsed()));
        let next = left
            .into_iter()
            .chain(notice)
            .min()
            // Any long time will do: with neither limit nor notice, only the lock itself ends the wait.
            .unwrap_or(Duration::from_secs(3600));
        match waited.recv_timeout(next) {
            Ok(locked) => return locked.map_err(LockError::from),
            // The thread ended without the lock.
            Err(RecvTimeoutError::Disconnected) => return Err(LockError::Busy),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if !told && watch.elapsed() >= NOTICE_AFTER {
            told = true;
            on_wait(watch.elapsed());
        }
        if patience.is_some_and(|p| watch.elapsed() >= p) {
            return Err(LockError::Busy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_lock_times_out_until_the_first_is_released() {
        let dir = tempfile::tempdir().unwrap();
        let first = DirLock::acquire(dir.path(), None, &mut |_| {}).unwrap();
        let short = Some(Duration::from_millis(20));
        let second = DirLock::acquire(dir.path(), short, &mut |_| {});
        assert!(matches!(second, Err(LockError::Busy)));
        drop(first);
        DirLock::acquire(dir.path(), Some(Duration::from_secs(5)), &mut |_| {}).unwrap();
    }

    #[test]
    fn a_mark_is_seen_until_the_last_process_removes_it() {
        let dir = tempfile::tempdir().unwrap();
        let open = || File::open(dir.path()).unwrap();
        assert!(!DirMark::is_set(&open()));
        let marks = [DirMark::set(open()).unwrap(), DirMark::set(open()).unwrap()];
        for mark in marks {
            assert!(DirMark::is_set(&open()));
            drop(mark);
        }
        assert!(!DirMark::is_set(&open()));
    }

    #[test]
    fn waiters_get_the_lock_when_it_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let first = DirLock::acquire(dir.path(), None, &mut |_| {}).unwrap();
        let path = dir.path().to_path_buf();
        let waiter = std::thread::spawn(move || {
            DirLock::acquire(&path, Some(Duration::from_secs(10)), &mut |_| {}).is_ok()
        });
        std::thread::sleep(Duration::from_millis(20));
        drop(first);
        assert!(waiter.join().unwrap());
    }
}
