//! The directory that the holder of the lock uses, even if another process moves it and puts another one in its place.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use super::fs::{LockGuard, Stat};
use super::lock::{DirLock, DirMark};

/// The directory pinned by the holder of the lock.
#[derive(Debug, Default)]
pub(super) struct Pin {
    /// True while the lock is held.
    pub(super) is_in_use: bool,
    /// Its path, and its stat at the time it was opened. It stays open between two locks, because the path nearly
    /// always leads to the same directory again.
    pub(super) directory: Option<(String, Stat, Arc<OwnedFd>)>,
    /// The directories in it that were used under this lock, by name.
    pub(super) below: BTreeMap<String, Arc<OwnedFd>>,
}

impl Pin {
    /// Returns the directory if `path` is it or below it, and the rest of the path.
    pub(super) fn of<'p>(&self, path: &'p str) -> Option<(Arc<OwnedFd>, &'p str)> {
        let (name, _, directory) = self.directory.as_ref().filter(|_| self.is_in_use)?;
        // By path component, because `.ctl2` is not below `.ctl`.
        let rest = path.strip_prefix(name.as_str())?;
        let below = if rest.is_empty() {
            "."
        } else {
            rest.strip_prefix('/')?
        };
        Some((Arc::clone(directory), below))
    }
}

/// A directory for the look-up of a name.
pub(super) enum Parent {
    Opened(OwnedFd),
    Pinned(Arc<OwnedFd>),
}

impl AsFd for Parent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Opened(directory) => directory.as_fd(),
            Self::Pinned(directory) => directory.as_fd(),
        }
    }
}

/// The lock, and the directory that is pinned while it is held.
pub(super) struct PinnedLock {
    pub(super) _lock: DirLock,
    pub(super) pin: Arc<Mutex<Pin>>,
}

impl LockGuard for PinnedLock {}

impl LockGuard for DirMark {}

impl Drop for PinnedLock {
    fn drop(&mut self) {
        // Cleared before the release, because the next holder pins again.
        let mut pin = self.pin.lock().unwrap_or_else(PoisonError::into_inner);
        pin.is_in_use = false;
        pin.below.clear();
    }
}
