//! Makes tests that measure time in full runs wait until no other test runs, and the others wait for them.
//!
//! A test counts as running from its first world to the end of its thread. Threads that it starts belong to it and
//! never wait.

use std::cell::RefCell;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::count;

/// The running tests.
struct Running {
    together: usize,
    alone: bool,
    /// The number of tests that wait to be alone. No other test begins before them.
    waiting: usize,
}

static RUNNING: Mutex<Running> = Mutex::new(Running {
    together: 0,
    alone: false,
    waiting: 0,
});
static CHANGED: Condvar = Condvar::new();

/// A running test, until its thread ends.
enum Slot {
    Together,
    Alone,
}

thread_local! {
    static SLOT: RefCell<Option<Slot>> = const { RefCell::new(None) };
}

fn running() -> MutexGuard<'static, Running> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut running = running();
        match self {
            Self::Together => running.together -= 1,
            Self::Alone => running.alone = false,
        }
        CHANGED.notify_all();
    }
}

/// Returns true in the thread of a test that has not begun, in a full run with several threads.
fn begins() -> bool {
    let thread = std::thread::current();
    let is_test = thread.name().is_some_and(|name| name.contains("::"));
    count(0, 1) == 1 && is_test && SLOT.with_borrow(Option::is_none)
}

fn take(slot: Slot) {
    SLOT.with_borrow_mut(|mine| *mine = Some(slot));
}

fn wait_while(
    running: MutexGuard<'static, Running>,
    busy: fn(&Running) -> bool,
) -> MutexGuard<'static, Running> {
    let waited = CHANGED.wait_while(running, |r| busy(r));
    waited.unwrap_or_else(PoisonError::into_inner)
}

/// Begins a test that may run together with others.
pub fn together() {
    if begins() {
        wait_while(running(), |r| r.alone || r.waiting > 0).together += 1;
        take(Slot::Together);
    }
}

/// Begins a test that measures time: in a full run, no other test runs meanwhile. Call it before creating the first
/// world.
pub fn alone() {
    if begins() {
        let mut running = running();
        running.waiting += 1;
        let mut running = wait_while(running, |r| r.alone || r.together > 0);
        running.waiting -= 1;
        running.alone = true;
        drop(running);
        take(Slot::Alone);
    }
}
