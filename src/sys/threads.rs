//! A second thread for work that is worth it.
//!
//! It stays for the whole life of the process: a thread that is made anew for each piece of work brings an empty heap
//! along, and filling that costs as much as the thread saves.

use std::sync::OnceLock;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

static SECOND: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Does two things at the same time: the first here, the second in another thread. Where there is no other
/// thread to be had, one after the other.
///
/// A panic of either is a panic of the caller.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    let pool = SECOND.get_or_init(|| {
        let named = |_| "second".to_owned();
        let builder = ThreadPoolBuilder::new().num_threads(1).thread_name(named);
        builder.build().ok()
    });
    let Some(pool) = pool else {
        let first = first();
        return (first, second());
    };
    let mut made = None;
    let first = pool.in_place_scope(|scope| {
        scope.spawn(|_| made = Some(second()));
        first()
    });
    match made {
        Some(second) => (first, second),
        None => unreachable!("a scope ends when all its work is done"),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn both_are_done_by_threads_of_their_own() {
        let here = std::thread::current().id();
        let (text, borrowed) = (String::from("a"), [1, 2, 3]);
        for _ in 0..100 {
            let (first, second) = both(
                || (text.len(), std::thread::current().id()),
                || (borrowed.iter().sum::<i32>(), std::thread::current().id()),
            );
            assert_eq!(first, (1, here));
            assert!(second.0 == 6 && second.1 != here);
        }
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
