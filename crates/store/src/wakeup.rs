//! The place where threads of a process wait for commits and hand edits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use super::listener::{Edits, Listener};
use super::revision::Revision;
use crate::sys::clock::Stopwatch;

/// The interval at which a waiter checks for itself, even if no event arrives.
pub(crate) const POLL: Duration = Duration::from_secs(1);

/// The last known head, without another read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KnownHead {
    /// The number of notifications that the head was written.
    pub(crate) count: u64,
    /// The last check: the count of events before it, the revision, and its time.
    pub(crate) look: Option<(u64, Revision, Stopwatch)>,
}

impl KnownHead {
    /// Returns the revision, if no event has arrived since the last check and that is recent.
    pub(crate) fn known(&self) -> Option<Revision> {
        let (count, revision, when) = self.look.as_ref()?;
        (*count == self.count && when.elapsed() < POLL).then_some(*revision)
    }
}

/// The place where threads of a process wait for commits: one listens, the others wait for its signal.
#[derive(Debug, Default)]
pub(crate) struct Wakeup {
    listener: Mutex<Option<Listener>>,
    head: Mutex<KnownHead>,
    pub(crate) condition: Condvar,
    edits: Mutex<Edits>,
}

impl Wakeup {
    /// Returns the listener, if no thread uses it.
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

    pub(crate) fn known_head(&self) -> KnownHead {
        *self.lock()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, KnownHead> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn notify(&self) {
        // Counted under the lock, so that a thread that is about to wait notices: `notify_all` wakes only those that
        // wait.
        self.lock().count += 1;
        self.condition.notify_all();
    }

    /// Waits for a notification, unless one has arrived since `count`.
    pub(crate) fn wait(&self, count: u64, timeout: Duration) {
        let head = self.lock();
        if head.count == count {
            drop(self.condition.wait_timeout(head, timeout));
        }
    }
}
