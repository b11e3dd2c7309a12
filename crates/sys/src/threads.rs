//! A second thread for large pieces of work.
//!
//! It lives as long as the process: starting a new thread for each task would begin with an empty heap, and filling
//! that costs as much as the thread saves.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

static SECOND: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// True while the second thread is in use.
static BUSY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True while the second thread works for this thread.
    static HELPED: Cell<bool> = const { Cell::new(false) };

    /// True if this thread must work without help.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// The number of items that a thread claims at a time.
const PIECE: usize = 8;

/// The number of items for which waking the second thread pays off. With fewer than two pieces per thread, one of the
/// threads does all the work, and the caller only pays for the handover.
pub const WORTH_A_THREAD: usize = 4 * PIECE;

/// Marks the second thread as free, however the work ends.
struct Free;

impl Drop for Free {
    fn drop(&mut self) {
        HELPED.set(false);
        BUSY.store(false, Ordering::Release);
    }
}

/// Runs `own` while the second thread runs `help`; both claim pieces of the same work until none are left. If the
/// second thread is busy, `own` does everything. Calls may be nested: the second thread starts the inner work after
/// finishing a piece of the outer work.
///
/// If either panics, the caller panics.
pub fn with_helper<A>(own: impl FnOnce() -> A, help: impl FnOnce() + Send) -> A {
    if ALONE.get() {
        return own();
    }
    let pool = SECOND.get_or_init(|| {
        let named = |_| "second".to_owned();
        let builder = ThreadPoolBuilder::new().num_threads(1).thread_name(named);
        // The name identifies the thread in `top` and in stack dumps.
        builder.build().ok()
    });
    let within = HELPED.get();
    // Acquire pairs with the Release in `Free`: what the previous work wrote is visible to the next.
    let is_free = || within || !BUSY.swap(true, Ordering::Acquire);
    let Some(pool) = pool.as_ref().filter(|_| is_free()) else {
        // Never waits for the second thread: two concurrent callers would then be slower than with one thread each.
        return own();
    };
    let _free = (!within).then_some(Free);
    HELPED.set(true);
    // In place, so that the caller itself works rather than handing both halves to the pool.
    pool.in_place_scope(|scope| {
        scope.spawn(|_| help());
        own()
    })
}

/// Runs work without the second thread, for one of several threads that use all processors.
pub fn alone<A>(work: impl FnOnce() -> A) -> A {
    /// Restores the previous state, however the work ends.
    struct RestoreAlone(bool);
    impl Drop for RestoreAlone {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _before = RestoreAlone(ALONE.replace(true));
    work()
}

/// Runs numbered pieces of work on several threads, including this one. Once a piece returns false, no further pieces
/// are started.
pub fn spread(threads: usize, count: usize, work: &(dyn Fn(usize) -> bool + Sync)) {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let take = || {
        // Claimed one by one, so that a slow piece does not hold up pieces that another thread could run.
        while !stopped.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            if !work(at) {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(take);
        }
        take();
    });
}

/// Runs work on a thread of its own that only gets processor time that no other thread of the machine wants.
///
/// # Errors
/// The thread cannot be started.
pub fn when_idle(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<std::thread::JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    builder.spawn(move || {
        // On Linux, a thread has its own priority. An error only makes it less polite.
        let _ = rustix::process::setpriority_process(None, 19);
        work();
    })
}

/// Lets the second thread start newer work of the thread it helps. The helper calls this between pieces of its work.
pub fn between_pieces() {
    rayon_core::yield_now();
}

/// The remaining items that two threads share. One thread claims from the front, the other from the back.
struct RemainingItems(Mutex<Range<usize>>);

impl RemainingItems {
    fn new(count: usize) -> Self {
        Self(Mutex::new(0..count))
    }

    /// Claims the next items at one end; takes fewer at a time if few are left.
    fn next(&self, from_front: bool) -> Option<Range<usize>> {
        let mut left = locked(&self.0);
        // Pieces shrink toward the end, so that neither thread waits long for the last one.
        let count = left.len().div_ceil(4).min(PIECE);
        let next = match from_front {
            true => left.start..left.start + count,
            false => left.end - count..left.end,
        };
        match from_front {
            true => left.start = next.end,
            false => left.end = next.start,
        }
        (count > 0).then_some(next)
    }
}

/// Locks shared state, even if an earlier holder panicked.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maps each item. If there are many, the second thread maps a share.
pub fn map<'i, I: Sync, T: Send>(
    items: &'i [I],
    worth: usize,
    make: &(dyn Fn(usize, &'i I) -> T + Sync),
) -> Vec<T> {
    // A few items take less time than waking a thread.
    if items.len() < worth {
        let numbered = items.iter().enumerate();
        return numbered.map(|(at, item)| make(at, item)).collect();
    }
    let left = RemainingItems::new(items.len());
    let of = |part: Range<usize>| part.map(|at| make(at, &items[at]));
    let later: Mutex<Vec<Vec<T>>> = Mutex::default();
    let mut made = with_helper(
        // The results must be in the order of the items, whichever thread computed them: the front part is in order,
        // the back part is reversed.
        || {
            let mut made = Vec::with_capacity(items.len());
            while let Some(part) = left.next(true) {
                made.extend(of(part));
            }
            made
        },
        || {
            while let Some(part) = left.next(false) {
                let made = of(part).collect();
                locked(&later).push(made);
                // New work of the caller goes first, because the caller waits for it.
                between_pieces();
            }
        },
    );
    let later = later.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.extend(later.into_iter().rev().flatten());
    made
}

/// Runs `first` while the second thread maps the items; afterwards, this thread maps the rest.
pub fn run_while_mapping<'i, A, I: Sync, T: Send>(
    first: impl FnOnce() -> A,
    items: &'i [I],
    make: &(dyn Fn(&'i I) -> T + Sync),
) -> (A, Vec<T>) {
    let left = RemainingItems::new(items.len());
    let of = |part: Range<usize>| part.map(|at| make(&items[at]));
    let made: Mutex<Vec<T>> = Mutex::default();
    let (done, later) = with_helper(
        || {
            let done = first();
            let mut later: Vec<Vec<T>> = Vec::new();
            // From the back, because the second thread started at the front.
            while let Some(part) = left.next(false) {
                later.push(of(part).collect());
            }
            (done, later)
        },
        || {
            while let Some(part) = left.next(true) {
                let part: Vec<T> = of(part).collect();
                locked(&made).extend(part);
                between_pieces();
            }
        },
    );
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.extend(later.into_iter().rev().flatten());
    (done, made)
}

/// Processes each item, from the front in this thread and from the back in the second one. Returns the failure of the
/// first item that failed. All items before it have been processed; later ones may have been.
///
/// # Errors
/// Returns an error if an item failed.
pub fn each<I: Send, E: Send>(
    items: impl ExactSizeIterator<Item = I> + DoubleEndedIterator + Send,
    work: impl Fn(I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let rest = Mutex::new(items.enumerate());
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let done = |next: Option<(usize, I)>| -> bool {
        let Some((number, item)) = next else {
            return false;
        };
        let Err(e) = work(item) else { return true };
        let mut failed = locked(&failed);
        // The first failure by the order of the items, so that the outcome does not depend on which thread is faster.
        if failed.as_ref().is_none_or(|(first, _)| number < *first) {
            *failed = Some((number, e));
        }
        false
    };
    let from_front = || {
        // Released before the work begins, because the lock only protects the choice of the item.
        let next = locked(&rest).next();
        done(next)
    };
    let from_back = || {
        let next = locked(&rest).next_back();
        between_pieces();
        done(next)
    };
    with_helper(|| while from_front() {}, || while from_back() {});
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, e)| Err(e))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn helper_runs_on_another_thread() {
        let here = std::thread::current().id();
        // Other tests may be using the second thread.
        let apart = (0..20_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            let helper = Mutex::new(None);
            let own = with_helper(
                || std::thread::current().id(),
                || *locked(&helper) = Some(std::thread::current().id()),
            );
            assert_eq!(own, here);
            let helper = *locked(&helper);
            helper.is_some_and(|thread| thread != here)
        });
        assert!(apart);
    }

    #[test]
    fn nested_help_runs_between_pieces_of_the_helper() {
        let within = (0..20_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            let (ended, began) = (AtomicBool::new(false), AtomicBool::new(false));
            let taken_up = AtomicBool::new(false);
            with_helper(
                || {
                    let own = || {
                        // There is no help if the second thread works for another caller.
                        while HELPED.get() && !taken_up.load(Ordering::Relaxed) {
                            std::thread::yield_now();
                        }
                    };
                    with_helper(own, || {
                        let during =
                            began.load(Ordering::Relaxed) && !ended.load(Ordering::Relaxed);
                        taken_up.store(true, Ordering::Relaxed);
                        assert!(during);
                    });
                },
                || {
                    began.store(true, Ordering::Relaxed);
                    while !taken_up.load(Ordering::Relaxed) {
                        between_pieces();
                    }
                    ended.store(true, Ordering::Relaxed);
                },
            );
            taken_up.load(Ordering::Relaxed)
        });
        assert!(within);
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..101).collect();
        for worth in [0, 101, 102] {
            let made = map(&items, worth, &|at, item| (at, *item));
            assert!(made.iter().enumerate().all(|(i, m)| *m == (i, i)) && made.len() == 101);
        }
    }

    #[test]
    fn results_made_meanwhile_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..101).collect();
        for wait in [0, 1, 5] {
            let first = || std::thread::sleep(std::time::Duration::from_millis(wait));
            let ((), made) = run_while_mapping(first, &items, &|item| *item);
            assert_eq!(made, items);
        }
    }

    #[test]
    fn each_item_is_processed_once_and_the_first_failure_is_returned() {
        let done: Vec<AtomicUsize> = (0..100).map(|_| AtomicUsize::new(0)).collect();
        let work = |item: usize| {
            done[item].fetch_add(1, Ordering::Relaxed);
            Ok::<(), usize>(())
        };
        assert_eq!(each(0..100, work), Ok(()));
        assert!(done.iter().all(|d| d.load(Ordering::Relaxed) == 1));
        let refuse = |item: usize| if item >= 3 { Err(item) } else { Ok(()) };
        assert_eq!(each(0..100, refuse), Err(3));
    }

    #[test]
    fn helper_panic_reaches_the_caller_and_keeps_the_thread() {
        let refuse = |item: &usize| assert_ne!(*item, 77);
        let items: Vec<usize> = (0..101).collect();
        let failed = catch_unwind(AssertUnwindSafe(|| map(&items, 0, &|_, item| refuse(item))));
        assert!(failed.is_err() && !HELPED.get());
        assert_eq!(map(&items, 0, &|_, item| *item), items);
    }
}
