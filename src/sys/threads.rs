//! A second thread for work that is worth it.
//!
//! It stays for the whole life of the process: a thread that is made anew for each piece of work brings an empty heap
//! along, and filling that costs as much as the thread saves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon_core::{ThreadPool, ThreadPoolBuilder};

static SECOND: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Whether the other thread is at work.
static BUSY: AtomicBool = AtomicBool::new(false);

/// Says that the other thread is free again, however its work ended.
struct Free;

impl Drop for Free {
    fn drop(&mut self) {
        BUSY.store(false, Ordering::Release);
    }
}

/// Does two things at the same time: the first here, the second in the other thread. Where that is at work or is
/// not to be had, one after the other.
///
/// A panic of either is a panic of the caller.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    let pool = SECOND.get_or_init(|| {
        let named = |_| "second".to_owned();
        let builder = ThreadPoolBuilder::new().num_threads(1).thread_name(named);
        builder.build().ok()
    });
    let pool = pool
        .as_ref()
        .filter(|_| !BUSY.swap(true, Ordering::Acquire));
    let Some(pool) = pool else {
        let first = first();
        return (first, second());
    };
    let mut made = None;
    let first = pool.in_place_scope(|scope| {
        scope.spawn(|_| {
            let _free = Free;
            made = Some(second());
        });
        first()
    });
    match made {
        Some(second) => (first, second),
        None => unreachable!("a scope ends when all its work is done"),
    }
}

/// Makes something of each item, of the second half of many in the other thread.
pub fn map<'i, I: Sync, T: Send>(
    items: &'i [I],
    worth: usize,
    make: &(dyn Fn(usize, &'i I) -> T + Sync),
) -> Vec<T> {
    let all = |part: &'i [I], first: usize| -> Vec<T> {
        let numbered = part.iter().enumerate();
        numbered.map(|(at, item)| make(first + at, item)).collect()
    };
    if items.len() < worth {
        return all(items, 0);
    }
    let half = items.len() / 2;
    let (first, second) = items.split_at(half);
    let (mut made, later) = both(|| all(first, 0), || all(second, half));
    made.extend(later);
    made
}

/// Does something with each item, by two threads of which each takes the next one when it is done with its last;
/// answers the failure of the first item that failed, where one did. Items behind one that failed may be left out.
///
/// # Errors
/// Where an item failed.
pub fn each<I: Send, E: Send>(
    items: impl Iterator<Item = I> + Send,
    work: impl Fn(I) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let rest = Mutex::new(items.enumerate());
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let next = || {
        let mut rest = rest.lock().unwrap_or_else(PoisonError::into_inner);
        rest.next()
    };
    let all = || {
        while let Some((number, item)) = next() {
            let Err(e) = work(item) else { continue };
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(first, _)| number < *first) {
                *failed = Some((number, e));
            }
            return;
        }
    };
    both(all, all);
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, e)| Err(e))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn both_are_done_by_threads_of_their_own() {
        let here = std::thread::current().id();
        let (text, borrowed) = (String::from("a"), [1, 2, 3]);
        // Other tests keep the other thread busy now and then.
        let apart = (0..20_000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            let (first, (sum, thread)) = both(
                || (text.len(), std::thread::current().id()),
                || (borrowed.iter().sum::<i32>(), std::thread::current().id()),
            );
            assert_eq!((first, sum), ((1, here), 6));
            thread != here
        });
        assert!(apart);
    }

    #[test]
    fn what_is_made_comes_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..101).collect();
        for worth in [0, 101, 102] {
            let made = map(&items, worth, &|at, item| (at, *item));
            assert!(made.iter().enumerate().all(|(i, m)| *m == (i, i)) && made.len() == 101);
        }
    }

    #[test]
    fn each_item_is_worked_on_once_and_the_first_failure_told() {
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
    fn a_panic_is_the_callers_and_the_thread_lives_on() {
        let failed = catch_unwind(AssertUnwindSafe(|| {
            both(|| 1, || -> i32 { panic!("here") })
        }));
        assert!(failed.is_err());
        assert_eq!(both(|| 1, || 2), (1, 2));
    }
}
