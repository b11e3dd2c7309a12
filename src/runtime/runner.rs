//! A controller with its queue, and how much of it is worked on at a time.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::controller::{Controller, Watch};
use super::limits::{Config, Pace};
use super::metrics::Metrics;
use super::object::Key;
use super::queue::{Due, Queue};

/// A controller with its queue.
pub(crate) struct Runner {
    pub(crate) controller: Box<dyn Controller>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) queue: Queue,
    pub(crate) config: Config,
    pub(crate) metrics: Metrics,
    pub(super) pace: Pace,
    /// How many keys it takes at a time: fewer while writes are slow or fail.
    batch: usize,
    /// Until when its pace makes it wait.
    held: Option<Timestamp>,
    /// Whether a plan of the last tick was only the first part of what is to be done.
    pub(super) partial: bool,
    /// Why keys failed last, while they do.
    pub(crate) errors: BTreeMap<Key, String>,
}

/// A commit that takes longer makes the next ones smaller.
const SLOW: Duration = Duration::from_secs(1);

/// However slow it is, so many keys are taken at a time.
const LEAST_BATCH: usize = 16;

impl Runner {
    pub(super) fn new(controller: Box<dyn Controller>, config: Config) -> Self {
        Self {
            watches: controller.watches(),
            pace: Pace::new(&config),
            batch: config.workers,
            config,
            controller,
            queue: Queue::default(),
            metrics: Metrics::default(),
            held: None,
            partial: false,
            errors: BTreeMap::new(),
        }
    }

    /// Whether it would work now.
    pub(crate) fn is_ready(&self, now: Timestamp) -> bool {
        self.held.is_none_or(|until| until <= now) && self.queue.has_ready(now)
    }

    /// Until when it waits although keys are due.
    pub(crate) fn held(&self) -> Option<Timestamp> {
        self.held.filter(|_| self.queue.depth() > 0)
    }

    /// Takes what is due, as far as its pace allows.
    pub(super) fn take(&mut self, now: Timestamp, real_time: bool) -> Vec<Due> {
        self.held = None;
        let full = self.queue.depth() > self.config.queue_size;
        if real_time && !full {
            let wait = self.pace.wait(&self.config, now);
            self.held = wait.and_then(|wait| now.checked_add(wait).ok());
        }
        if self.held.is_some() {
            return Vec::new();
        }
        let limit = if full {
            self.config.workers
        } else {
            self.batch
        };
        let due = self.queue.take(now, limit);
        for due in &due {
            self.queue.forget_times(&due.key);
            let waited = now.duration_since(due.since).as_secs_f64();
            self.metrics.waited(waited);
        }
        due
    }

    /// Learns from a tick how much to take at a time.
    pub(super) fn learn(&mut self, taken: Duration, failed: bool) {
        self.batch = if failed || taken > SLOW {
            (self.batch / 2).max(LEAST_BATCH.min(self.config.workers))
        } else {
            self.batch.saturating_mul(2).min(self.config.workers)
        };
    }

    /// Whether keys of a namespace are this process's.
    pub(super) fn minds(&self, namespace: &str) -> bool {
        self.config.shard.is_none_or(|(own, of)| {
            let sum: u32 = namespace.bytes().fold(0x811c_9dc5, |h, b| {
                (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
            });
            sum % of == own
        })
    }
}
