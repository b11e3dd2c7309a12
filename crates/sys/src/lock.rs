//! The exclusive lock on a state directory.
//!
//! It is `flock(2)` on the directory itself: there is no lock file that somebody could delete and
//! so make room for a second holder, and the kernel releases it when its holder dies, however it
//! dies. Nothing breaks a lock and no time-out steals it.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use thiserror::Error;

use super::clock::Stopwatch;

/// A wait as long as this is worth a word to the user.
const NOTICE_AFTER: Duration = Duration::from_secs(2);

/// Why the lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Somebody else held it for as long as the caller was ready to wait.
    #[error("the state directory is locked by another process")]
    Busy,
    /// The directory cannot be opened or locked.
    #[error("lock the state directory")]
    Io(#[from] io::Error),
}

/// The lock on a directory; released when dropped.
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
    /// The device and inode of the directory.
    place: (u64, u64),
}

impl DirLock {
    /// Takes the lock on the directory at `path`.
    ///
    /// `patience` of `None` waits for ever, of zero only tries. `on_wait` is called once, with
    /// the time waited, when that is two seconds.
    pub fn acquire(
        path: &Path,
        patience: Option<Duration>,
        on_wait: &mut dyn FnMut(Duration),
    ) -> Result<Self, LockError> {
        let watch = Stopwatch::start();
        loop {
            // A new descriptor for each attempt, because the path may lead to another directory by
            // now.
            let mut file = File::open(path)?;
            // Tried without a thread first: nearly always the lock is free.
            if !fs2::fs_std::FileExt::try_lock_exclusive(&file)? {
                file = wait(file, patience, &watch, on_wait)?;
            }
            // The directory may have been moved away while we waited: a lock on it then
            // protects nobody who comes by the path.
            let (held, named) = (file.metadata()?, std::fs::metadata(path)?);
            if held.ino() == named.ino() && held.dev() == named.dev() {
                let place = (held.dev(), held.ino());
                return Ok(Self { _file: file, place });
            }
        }
    }

    /// The device and inode of the directory that is locked.
    pub fn directory(&self) -> (u64, u64) {
        self.place
    }
}

/// Waits in the kernel's queue, which is fair, and returns the locked file.
///
/// The blocking call runs in a thread of its own, because only the caller can give up: the thread
/// then gets the lock some day and drops it at once.
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
    // The kernel's queue is first come, first served. Polling would let a fast writer starve a slow
    // one.
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
            // Any long time: without patience and notice only the lock itself ends the wait.
            .unwrap_or(Duration::from_secs(3600));
        match waited.recv_timeout(next) {
            Ok(locked) => return locked.map_err(LockError::from),
            // The thread died without the lock, so nobody has it on this caller's behalf.
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
    fn a_second_holder_is_refused_until_the_first_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let first = DirLock::acquire(dir.path(), None, &mut |_| {}).unwrap();
        let short = Some(Duration::from_millis(20));
        let second = DirLock::acquire(dir.path(), short, &mut |_| {});
        assert!(matches!(second, Err(LockError::Busy)));
        drop(first);
        DirLock::acquire(dir.path(), Some(Duration::from_secs(5)), &mut |_| {}).unwrap();
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
