//! A controller with its queue, and the size of its batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::backoff::Backoff;
use super::cache::{Cache, Change};
use super::controller::{Controller, Watch};
use super::limits::{Config, Pace};
use super::metrics::Metrics;
use super::object::{Key, Object};
use super::queue::{Due, Lane, Queue, Rank, Source, Trigger};
use crate::cluster::{Kind, Shares, kinds_that_affect_admission};

/// The author of changes that are routed to the controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeSource {
    /// Unknown: the objects were listed.
    Start,
    /// No controller: the objects are unchanged, but belong to other shares than before.
    Division,
    /// A controller of this process.
    Controller(&'static str),
    /// Another process.
    Others,
}

/// A controller with its queue.
pub(crate) struct Runner {
    pub(crate) controller: Box<dyn Controller>,
    pub(crate) watches: Vec<Watch>,
    /// The numbers of the watches about each kind that has changed so far. Comparing the names of all watches with those
    /// of the changed kinds took 1.3 % of the instructions of a simulated hour with 120 Jobs.
    about: Vec<(&'static Kind, Vec<usize>)>,
    pub(crate) queue: Queue,
    pub(crate) config: Config,
    /// The shard of the configuration.
    shard: Option<Shares>,
    /// The shares of this process, if hosts divide the namespaces.
    shares: Option<Shares>,
    pub(crate) metrics: Metrics,
    pub(super) pace: Pace,
    /// The number of keys that it takes at a time: fewer while writes are slow or fail.
    pub(super) batch: usize,
    /// Until when its pace makes it wait.
    held: Option<Timestamp>,
    /// The end of its pause after slow or failed writes.
    rests: Option<Timestamp>,
    /// The number of failed ticks in a row.
    failed: u32,
    /// True if a plan of the last tick was only the first part of the work.
    pub(super) partial: bool,
    /// True if its earlier writes were replayed.
    pub(super) replayed: bool,
    /// The last failure of each key that still fails.
    pub(crate) errors: BTreeMap<Key, String>,
}

/// A commit that takes longer makes the next ones smaller and later.
const SLOW: SignedDuration = SignedDuration::from_secs(1);

/// The first pause after a tick with failed writes; each further one in a row doubles it.
const REST: SignedDuration = SignedDuration::from_millis(100);

/// The longest rest.
const LONGEST_REST: SignedDuration = SignedDuration::from_secs(5);

/// The smallest batch after slow or failed ticks.
const LEAST_BATCH: usize = 16;

impl Runner {
    pub(super) fn new(mut controller: Box<dyn Controller>, config: Config) -> Self {
        let shard = config.shard.map(|(own, of)| Shares::new([own], of));
        if let Some(shard) = &shard {
            controller.set_shares(shard);
        }
        let mut watches = controller.watches();
        // A refused write is retried as soon as its outcome may differ, whichever controller planned it.
        watches.extend(kinds_that_affect_admission().into_iter().map(Watch::gate));
        Self {
            watches,
            about: Vec::new(),
            pace: Pace::new(&config),
            batch: config.workers,
            config,
            controller,
            shard,
            shares: None,
            queue: Queue::default(),
            metrics: Metrics::default(),
            held: None,
            rests: None,
            failed: 0,
            partial: false,
            replayed: false,
            errors: BTreeMap::new(),
        }
    }

    /// Returns true if it would work now.
    pub(crate) fn is_ready(&self, now: Timestamp) -> bool {
        self.held.is_none_or(|until| until <= now) && self.queue.has_ready(now)
    }

    /// Returns the back-off of refused writes: the controller's own, with the configured number of tries.
    pub(super) fn refusal_backoff(&self) -> Backoff {
        Backoff {
            tries: self.config.backoff.tries,
            ..self.controller.refusal_backoff()
        }
    }

    /// Returns the end of its pause, during which keys may be due.
    pub(crate) fn held(&self) -> Option<Timestamp> {
        self.held
    }

    /// Shows changes to the controller and enqueues the keys that they concern.
    pub(super) fn enqueue_changes(
        &mut self,
        changes: &[(&Change, &Object, Arc<Source>)],
        by: ChangeSource,
        cache: &Cache,
        now: Timestamp,
    ) {
        let own = by == ChangeSource::Controller(self.controller.name());
        let mut about = usize::MAX;
        for (change, object, source) in changes {
            // A sum that counted the object before must not count it again.
            if by != ChangeSource::Division {
                self.controller.observe(change, cache);
            }
            // Changes arrive in runs of one kind.
            let is_same = |(last, _): &(&'static Kind, _)| std::ptr::eq(*last, object.kind());
            if !self.about.get(about).is_some_and(is_same) {
                about = self.about(object.kind());
            }
            for number in &self.about[about].1 {
                let watch = &self.watches[*number];
                let (mut keys, delay) = ((watch.keys)(change, cache), watch.delay);
                if watch.retries_refused {
                    keys.extend(self.refused_in(object.namespace()));
                }
                for key in keys {
                    // The cache contains all namespaces; only the work is split between shards.
                    if !self.handles(&key.namespace) {
                        continue;
                    }
                    let rank = match by {
                        _ if own => Rank::Own,
                        // The first watch is the controller's own kind.
                        ChangeSource::Others | ChangeSource::Controller(_)
                            if *number == 0 && key == *object.key() =>
                        {
                            Rank::Subject
                        }
                        _ => Rank::Related,
                    };
                    let trigger = Some(Trigger {
                        rank,
                        source: Arc::clone(source),
                    });
                    if delay.is_zero() {
                        self.queue.add(&key, trigger, now);
                    } else {
                        // A delay combines the changes of a short period into one reconcile.
                        let at = now.checked_add(delay).unwrap_or(Timestamp::MAX);
                        self.queue.add_at(&key, Lane::Wanted, at, trigger);
                    }
                }
            }
        }
    }

    /// Returns the place of a kind in `about`.
    fn about(&mut self, kind: &'static Kind) -> usize {
        let known = |(other, _): &(&'static Kind, _)| std::ptr::eq(*other, kind);
        self.about.iter().position(known).unwrap_or_else(|| {
            let watches = self.watches.iter().enumerate();
            let about = watches.filter(|(_, watch)| watch.is_about(kind));
            let about = about.map(|(number, _)| number).collect();
            self.about.push((kind, about));
            self.about.len() - 1
        })
    }

    /// Returns the keys of a namespace, or of all if it has no name, whose last plan failed.
    fn refused_in(&self, namespace: &str) -> Vec<Key> {
        let concerned = |key: &&Key| namespace.is_empty() || key.namespace == namespace;
        self.errors.keys().filter(concerned).cloned().collect()
    }

    /// Takes due keys up to a number, within the rate limit.
    pub(super) fn take(&mut self, now: Timestamp, real_time: bool, limit: usize) -> Vec<Due> {
        let full = self.queue.depth() > self.config.queue_size;
        if full && self.failed == 0 {
            // The queue grows faster than it drains: resting would only make it longer.
            (self.rests, self.batch) = (None, self.config.workers);
        }
        self.held = self.rests.filter(|until| *until > now);
        // The limit protects a machine. On a virtual clock it would only stretch the simulated
        // time.
        if real_time && let Some(wait) = self.pace.wait(&self.config, now) {
            self.held = self.held.max(now.checked_add(wait).ok());
        }
        if self.held.is_some() {
            return Vec::new();
        }
        // If the limit leaves a key only some of its writes, it is planned again, so few keys at a time waste little.
        let allowed = self.pace.allowed(&self.config).filter(|_| real_time);
        let most = allowed.map_or(self.batch, |allowed| self.batch.min(allowed.max(1)));
        let mut due = self.queue.take(now, most.min(limit));
        // Enqueued while the namespace was in a share of this process.
        due.retain(|due| self.handles(&due.key.namespace));
        for due in &due {
            // The plan sets its times again; an old one would reconcile without a reason.
            self.queue.forget_times(&due.key);
            let waited = now.duration_since(due.since).as_secs_f64();
            self.metrics.waited(waited);
        }
        due
    }

    /// Adapts the batch size and the pause to the last tick: halves the batch after a slow or failed one, doubles it
    /// after a good one. A tick failed if most of its writes were rejected for temporary reasons.
    pub(super) fn learn(&mut self, now: Timestamp, taken: SignedDuration, failed: bool) {
        let slow = taken > SLOW;
        // A smaller batch lets other writers acquire the lock sooner.
        self.batch = if failed || slow {
            (self.batch / 2).max(LEAST_BATCH.min(self.config.workers))
        } else {
            self.batch.saturating_mul(2).min(self.config.workers)
        };
        self.failed = if failed {
            self.failed.saturating_add(1)
        } else {
            0
        };
        let rest = match self.failed {
            0 if slow => taken,
            0 => SignedDuration::ZERO,
            n => REST.saturating_mul(1 << (n - 1).min(16)),
        };
        let rest = rest.min(LONGEST_REST);
        self.rests = now.checked_add(rest).ok().filter(|_| rest.is_positive());
    }

    /// Returns true if a namespace belongs to this process's shard.
    pub(super) fn handles(&self, namespace: &str) -> bool {
        // A controller that works on all namespaces runs on the host of the cluster-scoped objects.
        let place = match self.controller.is_divided() {
            true => namespace,
            false => "",
        };
        let shard = self.shard.as_ref().is_none_or(|s| s.contains(namespace));
        shard && self.shares.as_ref().is_none_or(|s| s.contains(place))
    }

    /// Sets the shares that this process has as one of several hosts.
    pub(super) fn set_shares(&mut self, shares: &Shares) {
        self.controller.set_shares(shares);
        self.shares = Some(shares.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Plan, ReconcileContext};

    struct Idle;

    impl Controller for Idle {
        fn name(&self) -> &'static str {
            "idle"
        }

        fn watches(&self) -> Vec<Watch> {
            Vec::new()
        }

        fn plan(&mut self, _: &ReconcileContext<'_>) -> Plan {
            Plan::done()
        }
    }

    fn runner(workers: usize, queue_size: usize, keys: usize) -> Runner {
        let config = Config {
            workers,
            queue_size,
            ..Config::default()
        };
        let mut runner = Runner::new(Box::new(Idle), config);
        for number in 0..keys {
            runner
                .queue
                .add(&Key::new("a", &number.to_string()), None, at(0));
        }
        runner
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millisecond(ms).unwrap()
    }

    const QUICK: SignedDuration = SignedDuration::from_millis(10);

    #[test]
    fn failed_writes_double_the_pause_and_halve_the_batch() {
        let mut runner = runner(64, 1000, 1000);
        let (mut now, mut rests, mut sizes) = (0, Vec::new(), Vec::new());
        for _ in 0..8 {
            sizes.push(runner.take(at(now), false, usize::MAX).len());
            runner.learn(at(now), QUICK, true);
            assert!(
                runner.take(at(now), false, usize::MAX).is_empty() && !runner.is_ready(at(now))
            );
            let until = runner.held().unwrap();
            rests.push(until.as_millisecond() - now);
            now = until.as_millisecond();
        }
        assert_eq!(rests, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert_eq!(sizes, [64, 32, 16, 16, 16, 16, 16, 16]);
        let mut sizes = Vec::new();
        for _ in 0..4 {
            sizes.push(runner.take(at(now), false, usize::MAX).len());
            runner.learn(at(now), QUICK, false);
        }
        assert_eq!(sizes, [16, 32, 64, 64]);
    }

    #[test]
    fn slow_writes_reduce_the_load_unless_queue_is_full() {
        let slow = SignedDuration::from_secs(3);
        let mut patient = runner(32, 1000, 500);
        assert_eq!(patient.take(at(0), false, usize::MAX).len(), 32);
        patient.learn(at(0), slow, false);
        assert!(patient.take(at(2999), false, usize::MAX).is_empty());
        assert_eq!(patient.take(at(3000), false, usize::MAX).len(), 16);
        // The queue has grown over its size: it is drained with all workers at once.
        let mut full = runner(32, 400, 500);
        let _ = full.take(at(0), false, usize::MAX);
        full.learn(at(0), slow, false);
        assert_eq!(full.take(at(1), false, usize::MAX).len(), 32);
        // But not if the API rejects the writes.
        full.learn(at(1), QUICK, true);
        assert!(full.take(at(1), false, usize::MAX).is_empty());
    }

    #[test]
    fn write_rate_limit_applies_to_a_full_queue() {
        let mut runner = runner(10, 1, 100);
        (runner.config.qps, runner.config.burst) = (Some(10.0), 1);
        runner.pace = Pace::new(&runner.config);
        assert_eq!(runner.take(at(0), true, usize::MAX).len(), 1);
        runner.pace.count(1);
        assert!(runner.take(at(90), true, usize::MAX).is_empty());
        assert_eq!(runner.take(at(100), true, usize::MAX).len(), 1);
        runner.pace.count(1);
        // Unused writes do not accumulate beyond the burst.
        assert_eq!(runner.take(at(5000), true, usize::MAX).len(), 1);
    }
}
