//! A single budget for the memory that clients can make a server hold: incomplete request bodies, and events and
//! responses that they have not read.
//!
//! Guarantees: reservations never exceed the budget, and a reservation ends with its value. To make room, queues are
//! evicted whose clients do not read, starting with the least recently read one.
//!
//! Must not know: connections. The owner of a queue checks if it has been evicted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::sys::clock::Stopwatch;

/// The default memory that a server holds for all its clients.
pub(crate) const DEFAULT: usize = 512 << 20;

/// How many queues may be filled at the same time. Data that has just been read for them is not reserved yet.
const TURNS: usize = 4;

/// How long to wait for an evicted queue to free its memory.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a list may wait for other requests to free memory.
const TURN: Duration = Duration::from_secs(5);

/// The maximum number of lists that wait for memory, because each of them blocks a thread.
const WAITING: usize = 64;

/// The error for an exhausted budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// A budget of bytes.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    total: usize,
    state: Mutex<State>,
    /// Notified whenever memory becomes free.
    freed: Condvar,
    /// The permits to fill a queue.
    turns: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    peak: usize,
    /// The queues that hold memory, starting with the least recently read one.
    queues: BTreeMap<u64, Arc<AtomicBool>>,
    next: u64,
    /// The number of lists that are waiting for memory.
    waiting: usize,
}

impl Budget {
    /// Returns a budget of this many bytes.
    pub(crate) fn new(total: usize) -> Self {
        Self(Arc::new(Shared {
            total,
            state: Mutex::default(),
            freed: Condvar::new(),
            turns: Semaphore::new(TURNS),
        }))
    }

    /// Returns the highest number of bytes that have been reserved.
    #[cfg(test)]
    pub(crate) fn peak(&self) -> usize {
        self.lock().peak
    }

    /// Returns the number of reserved bytes.
    pub(crate) fn used(&self) -> usize {
        self.lock().used
    }

    /// Waits for a permit to fill a queue. Dropping the permit returns it.
    pub(crate) async fn fill_permit(&self) -> Option<SemaphorePermit<'_>> {
        // Limits the memory that is filled before it is reserved: each permit allows for one queue.
        self.0.turns.acquire().await.ok()
    }

    /// Returns an empty reservation.
    pub(crate) fn reserve(&self) -> Reservation {
        Reservation {
            budget: self.clone(),
            bytes: 0,
        }
    }

    /// Returns an empty queue.
    pub(crate) fn queue(&self) -> Queue {
        Queue {
            held: self.reserve(),
            evicted: Arc::default(),
            place: None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_at_once(&self, bytes: usize) -> Result<(), Full> {
        let mut state = self.lock();
        if bytes > self.0.total - state.used {
            return Err(Full);
        }
        state.add(bytes);
        Ok(())
    }

    /// Takes memory as [`Budget::take`] does; if no queue is left to evict, waits for other requests.
    fn take_in_turn(&self, bytes: usize) -> Result<(), Full> {
        let since = Stopwatch::start();
        // Loops, because another list may take what has been freed.
        while self.take(bytes).is_err() {
            let mut state = self.lock();
            let left = TURN.saturating_sub(since.elapsed());
            if bytes > self.0.total || left.is_zero() || state.waiting >= WAITING {
                return Err(Full);
            }
            // Counted under the lock; otherwise, several lists could pass the limit at once.
            state.waiting += 1;
            let is_full = |state: &mut State| bytes > self.0.total - state.used;
            let waited = self.0.freed.wait_timeout_while(state, left, is_full);
            waited.unwrap_or_else(PoisonError::into_inner).0.waiting -= 1;
        }
        Ok(())
    }

    fn take(&self, bytes: usize) -> Result<(), Full> {
        // A request that can never fit evicts no queue.
        if bytes > self.0.total {
            return Err(Full);
        }
        let mut state = self.lock();
        // Loops, because another thread may take the freed memory before this one wakes up.
        while bytes > self.0.total - state.used {
            // Evicts the least recently read queue; its owner then frees the memory.
            let (_, slowest) = state.queues.pop_first().ok_or(Full)?;
            // Release pairs with the Acquire in `has_to_go`: the owner sees the mark before it frees memory.
            slowest.store(true, Ordering::Release);
            let before = state.used;
            let freed = &self.0.freed;
            let enough = |state: &mut State| state.used >= before;
            // The wait is limited, because the owner of the queue may be blocked in a write to its socket.
            let waited = freed.wait_timeout_while(state, PATIENCE, enough);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.add(bytes);
        Ok(())
    }
}

impl State {
    fn add(&mut self, bytes: usize) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

/// Bytes reserved from a budget. Dropping the value frees them.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Budget,
    bytes: usize,
}

impl Reservation {
    /// Reserves more bytes.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted and no queue was freed in time.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Reserves more bytes if they are free.
    ///
    /// # Errors
    /// Returns an error if a queue would have to be evicted first.
    pub(crate) fn grow_at_once(&mut self, bytes: usize) -> Result<(), Full> {
        self.budget.take_at_once(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Reserves more bytes, waiting for other requests to free some.
    ///
    /// # Errors
    /// Returns an error if the budget is too small, stays exhausted for seconds, or too many lists are waiting.
    pub(crate) fn grow_in_turn(&mut self, bytes: usize) -> Result<(), Full> {
        self.budget.take_in_turn(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Adds the bytes of another reservation.
    pub(crate) fn add(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Returns the number of reserved bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the size of the whole budget in bytes.
    pub(crate) fn total(&self) -> usize {
        self.budget.0.total
    }

    /// Moves the reservation into a new value.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            budget: self.budget.clone(),
            bytes: std::mem::take(&mut self.bytes),
        }
    }

    /// Frees all but this number of bytes.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let Some(less) = self.bytes.checked_sub(bytes).filter(|less| *less > 0) else {
            return;
        };
        self.bytes = bytes;
        self.budget.lock().used -= less;
        self.budget.0.freed.notify_all();
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

/// Memory that is held until a client has read it.
#[derive(Debug)]
pub(crate) struct Queue {
    held: Reservation,
    evicted: Arc<AtomicBool>,
    place: Option<u64>,
}

impl Queue {
    /// Reserves memory for the next data. Counts as a read.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted or this queue was evicted.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), Full> {
        self.hold_by(bytes, Reservation::grow)
    }

    /// Like [`Queue::hold`], but takes only free memory.
    ///
    /// # Errors
    /// Returns the errors of [`Queue::hold`], and also an error if another queue would have to be evicted.
    pub(crate) fn hold_at_once(&mut self, bytes: usize) -> Result<(), Full> {
        self.hold_by(bytes, Reservation::grow_at_once)
    }

    fn hold_by(
        &mut self,
        bytes: usize,
        grow: fn(&mut Reservation, usize) -> Result<(), Full>,
    ) -> Result<(), Full> {
        // Taken out of the order during the change; otherwise, another thread could evict the queue.
        self.dequeue();
        self.held.shrink_to(bytes);
        // Reserves only the difference, so that a queue is never evicted because of its own growth.
        let more = bytes - self.held.bytes;
        grow(&mut self.held, more)?;
        if bytes > 0 {
            self.enqueue();
        }
        match self.has_to_go() {
            true => Err(Full),
            false => Ok(()),
        }
    }

    /// Returns an empty queue with the same budget.
    pub(crate) fn another(&self) -> Self {
        self.held.budget.queue()
    }

    /// Records that the client has read, with this many bytes remaining.
    pub(crate) fn was_read(&mut self, left: usize) {
        self.dequeue();
        self.held.shrink_to(left);
        if left > 0 {
            self.enqueue();
        }
    }

    /// Returns true if the queue was evicted.
    pub(crate) fn has_to_go(&self) -> bool {
        self.evicted.load(Ordering::Acquire)
    }

    /// Moves the queue behind those that were read earlier.
    fn enqueue(&mut self) {
        let mut state = self.held.budget.lock();
        state.next += 1;
        let place = state.next;
        state.queues.insert(place, Arc::clone(&self.evicted));
        self.place = Some(place);
    }

    fn dequeue(&mut self) {
        if let Some(place) = self.place.take() {
            self.held.budget.lock().queues.remove(&place);
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.dequeue();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_stay_within_the_budget_and_are_freed() {
        let budget = Budget::new(100);
        let mut one = budget.reserve();
        let mut two = budget.reserve();
        assert_eq!(
            (one.grow(60), two.grow(41), two.grow(40)),
            (Ok(()), Err(Full), Ok(()))
        );
        one.shrink_to(10);
        assert_eq!(two.grow(50), Ok(()));
        drop((one, two));
        assert_eq!(budget.peak(), 100);
        assert_eq!(budget.lock().used, 0);
    }

    #[test]
    fn least_recently_read_queue_is_evicted() {
        let budget = Budget::new(100);
        let mut queues = [budget.queue(), budget.queue()];
        for queue in &mut queues {
            queue.hold(40).unwrap();
        }
        // After the first queue is read, the second one is the least recently read.
        queues[0].was_read(30);
        let [first, second] = queues;
        std::thread::scope(|scope| {
            let owner = scope.spawn(move || {
                while !second.has_to_go() {
                    std::thread::yield_now();
                }
            });
            let mut body = budget.reserve();
            assert_eq!(body.grow(60), Ok(()));
            owner.join().unwrap();
        });
        assert!(!first.has_to_go());
        assert_eq!(budget.lock().used, 30);
    }

    #[test]
    fn lists_wait_for_the_memory_of_others() {
        let budget = Budget::new(100);
        let (mut first, mut second) = (budget.reserve(), budget.reserve());
        assert_eq!(first.grow_in_turn(80), Ok(()));
        assert_eq!(second.grow_in_turn(101), Err(Full));
        std::thread::scope(|scope| {
            let waits = scope.spawn(move || second.grow_in_turn(80).map(|()| second));
            while budget.lock().waiting == 0 {
                std::thread::yield_now();
            }
            drop(first);
            assert_eq!(waits.join().unwrap().unwrap().bytes(), 80);
        });
        assert_eq!((budget.peak(), budget.used()), (80, 0));
    }

    #[test]
    fn empty_and_insufficient_queues_are_not_evicted() {
        let budget = Budget::new(100);
        let (mut idle, mut full) = (budget.queue(), budget.queue());
        assert_eq!((idle.hold(0), full.hold(80)), (Ok(()), Ok(())));
        let mut body = budget.reserve();
        assert_eq!(body.grow(101), Err(Full));
        assert!(!idle.has_to_go() && !full.has_to_go());
        drop(full);
        assert_eq!(body.grow(100), Ok(()));
        assert!(!idle.has_to_go());
    }

    #[test]
    fn failed_reservation_returns_an_error_without_waiting() {
        let budget = Budget::new(100);
        let mut stuck = budget.queue();
        stuck.hold(90).unwrap();
        let mut body = budget.reserve();
        assert_eq!(body.grow(50), Err(Full));
        assert!(stuck.has_to_go());
        assert_eq!(stuck.hold(90), Err(Full));
    }
}
