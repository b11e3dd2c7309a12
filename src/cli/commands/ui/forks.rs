//! The clusters that the web view shows: the server's cluster, and the forks in memory that pages have made of it.
//!
//! Must not know: requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::run::{MakeRunner, Runner};
use super::view::CachedHistory;
use super::what_if::forked;
use crate::api::status::Status;
use crate::cli::error::CliError;
use crate::cluster::{Cluster, Revision};

/// The maximum number of forks of a server. Each page has at most one.
const MOST: usize = 8;

/// A cluster, and the runner that executes commands on it.
pub(super) struct ServedCluster {
    pub(super) cluster: Arc<Cluster>,
    pub(super) runner: Runner,
    pub(super) history: Mutex<CachedHistory>,
}

impl ServedCluster {
    fn new(cluster: Arc<Cluster>, runner: Runner) -> Arc<Self> {
        Arc::new(Self {
            cluster,
            runner,
            history: Mutex::default(),
        })
    }
}

/// The server's cluster and its numbered forks.
pub(super) struct Forks {
    main: Arc<ServedCluster>,
    make: MakeRunner,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// The number of the last fork. Numbers are never reused, so that a page cannot reach the fork of another page.
    last: u32,
    /// The forks, the oldest first.
    forks: Vec<(u32, Arc<ServedCluster>)>,
}

impl Forks {
    pub(super) fn new(cluster: Arc<Cluster>, runner: Runner, make: MakeRunner) -> Self {
        Self {
            main: ServedCluster::new(cluster, runner),
            make,
            open: Mutex::default(),
        }
    }

    /// Returns the server's cluster.
    pub(super) fn main(&self) -> &Arc<ServedCluster> {
        &self.main
    }

    /// Returns the fork with a number.
    pub(super) fn find(&self, number: &str) -> Result<Arc<ServedCluster>, CliError> {
        let open = self.open();
        let is_it = |fork: &&(u32, _)| fork.0.to_string() == number;
        let found = open.forks.iter().find(is_it);
        found.map(|(_, shown)| Arc::clone(shown)).ok_or_else(|| {
            let text = format!("there is no fork {number}; press f to create one");
            CliError::Server(Box::new(Status {
                code: 404,
                reason: "NotFound",
                ..Status::bad_request(text)
            }))
        })
    }

    /// Forks the cluster, at a revision or in its current state. Returns the number of the fork.
    pub(super) fn make(&self, at: Option<Revision>) -> Result<u32, CliError> {
        // The fork is made before the lock is taken, because copying a large cluster takes a while.
        let cluster = forked(&self.main.cluster, at)?;
        let runner = (self.make)(&cluster);
        let shown = ServedCluster::new(Arc::new(cluster), runner);
        let mut open = self.open();
        if open.forks.len() >= MOST {
            // No page reads the fork any more: the page was closed or lost its connection.
            let is_unread =
                |fork: &(u32, Arc<ServedCluster>)| Arc::strong_count(&fork.1.cluster) == 1;
            let unread = open.forks.iter().position(is_unread).ok_or_else(|| {
                CliError::text(format!("{MOST} pages have a fork already; F discards one"))
            })?;
            open.forks.remove(unread);
        }
        open.last += 1;
        let number = open.last;
        open.forks.push((number, shown));
        Ok(number)
    }

    /// Removes a fork. Its memory is freed when the last request that reads it ends.
    pub(super) fn discard(&self, number: &str) {
        self.open()
            .forks
            .retain(|(own, _)| own.to_string() != number);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::testing::in_memory;
    use std::path::Path;

    #[test]
    fn a_fork_that_no_page_reads_makes_room_for_another() {
        let runner = |_: &Cluster| Runner::for_program("ctl", Path::new("/none"));
        let cluster = Arc::new(in_memory());
        let own = runner(&cluster);
        let forks = Forks::new(cluster, own, Box::new(runner));
        let numbers: Vec<u32> = (0..MOST).map(|_| forks.make(None).unwrap()).collect();
        let shown = |number: u32| forks.find(&number.to_string());
        // Pages read all forks except the third.
        let mut read: Vec<_> = numbers.iter().map(|n| shown(*n).unwrap()).collect();
        let pages: Vec<_> = read.iter().map(|own| Arc::clone(&own.cluster)).collect();
        read.clear();
        let refused = forks.make(None).unwrap_err().in_one_line();
        assert_eq!(refused, "8 pages have a fork already; F discards one");
        let mut pages = pages;
        pages.remove(2);
        let last = forks.make(None).unwrap();
        assert!(shown(numbers[2]).is_err() && shown(last).is_ok());
        assert!(numbers.iter().filter(|n| shown(**n).is_ok()).count() == MOST - 1);
        forks.discard(&last.to_string());
        let Err(error) = shown(last) else {
            panic!("a discarded fork is found");
        };
        assert_eq!(
            error.in_one_line(),
            "there is no fork 9; press f to create one"
        );
    }
}
