//! Where the threads of a process wait for commits and for hand edits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::listener::{Edits, Listener};
use super::revision::Revision;
use crate::sys::clock::Stopwatch;

/// However many events were missed, a waiter looks for itself this often.
pub(crate) const POLL: Duration = Duration::from_secs(1);

/// The last known head, without another read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    /// How often it was heard that the head was written.
    pub(crate) count: u64,
    /// The last look at it: what was heard before, what stood there, and when.
    pub(crate) look: Option<(u64, Revision, Stopwatch)>,
}

impl Heard {
    /// The revision, where nothing was heard since the last look and that was not long ago.
    pub(crate) fn known(&self) -> Option<Revision> {
        let (count, revision, when) = self.look.as_ref()?;
        (*count == self.count && when.elapsed() < POLL).then_some(*revision)
    }
}

/// Where the threads of a process wait for commits: one listens, the others wait for its word.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    listener: Mutex<Option<Listener>>,
    heard: Mutex<Heard>,
    pub(crate) rings: Condvar,
    edits: Mutex<Edits>,
}

impl Bell {
    /// The listener, if nobody listens.
    pub(crate) fn try_listener(&self) -> Option<MutexGuard<'_, Option<Listener>>> {
        // One thread listens for all of a process: each listener costs a kernel watch for every
        // directory.
        match self.listener.try_lock() {
            Ok(listener) => Some(listener),
            Err(TryLockError::Poisoned(e)) => Some(e.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    pub(crate) fn edits(&self) -> MutexGuard<'_, Edits> {
        self.edits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn heard(&self) -> Heard {
        *self.lock()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ring(&self) {
        self.lock().count += 1;
        self.rings.notify_all();
    }

    /// Waits until it rings, if it has not since `count`.
    pub(crate) fn wait(&self, count: u64, timeout: Duration) {
        let heard = self.lock();
        if heard.count == count {
            drop(self.rings.wait_timeout(heard, timeout));
        }
    }
}
