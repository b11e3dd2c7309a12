//! The directory that the holder of the lock uses, even if another process moves it and puts another one in its place.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use super::fs::{LockGuard, Stat};
use super::lock::{DirLock, DirMark};

/// The directory that the holder of the lock has pinned.
#[derive(Debug, Default)]
pub(super) struct Pin {
    /// True while the lock is held.
    pub(super) is_in_use: bool,
    /// The path, the metadata when the directory was opened, and the descriptor. It stays open between two locks,
    /// because the path nearly always leads to the same directory again.
    pub(super) directory: Option<(String, Stat, Arc<OwnedFd>)>,
    /// The subdirectories used under this lock, by name.
    pub(super) below: BTreeMap<String, Arc<OwnedFd>>,
}

impl Pin {
    /// Returns the directory and the rest of the path if `path` equals or is below it.
    pub(super) fn of<'p>(&self, path: &'p str) -> Option<(Arc<OwnedFd>, &'p str)> {
        let (name, _, directory) = self.directory.as_ref().filter(|_| self.is_in_use)?;
        // Compared by component, because `.ctl2` is not below `.ctl`.
        let rest = path.strip_prefix(name.as_str())?;
        let below = if rest.is_empty() {
            "."
        } else {
            rest.strip_prefix('/')?
        };
        Some((Arc::clone(directory), below))
    }
}

/// The directory in which to look up a name.
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

/// The lock, with the directory that is pinned while it is held.
pub(super) struct PinnedLock {
    pub(super) _lock: DirLock,
    pub(super) pin: Arc<Mutex<Pin>>,
}

impl LockGuard for PinnedLock {}

impl LockGuard for DirMark {}

impl Drop for PinnedLock {
    fn drop(&mut self) {
        // Cleared before the lock is released, because the next holder pins again.
        let mut pin = self.pin.lock().unwrap_or_else(PoisonError::into_inner);
        pin.is_in_use = false;
        pin.below.clear();
    }
}
