//! Measures commits: their duration, and the number of requests that wait for one.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric as _};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use crate::sys::clock::Stopwatch;

/// The upper bounds of the durations in seconds: a sync of a fast disk takes less than a millisecond, a busy one tens
/// of them.
const BOUNDS: [f64; 12] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0,
];

/// The commits of a cluster value since it was opened.
#[derive(Debug)]
pub(crate) struct Commits {
    waiting: Gauge,
    durations: Histogram,
}

impl Default for Commits {
    fn default() -> Self {
        Self {
            waiting: Gauge::default(),
            durations: Histogram::new(BOUNDS),
        }
    }
}

/// A request that waits for a commit, until it is dropped.
pub(crate) struct Waiting<'c> {
    commits: &'c Commits,
    since: Stopwatch,
}

impl Commits {
    /// Notes that a request waits for a commit.
    pub(crate) fn wait(&self) -> Waiting<'_> {
        self.waiting.inc();
        Waiting {
            commits: self,
            since: Stopwatch::start(),
        }
    }
}

impl Collector for Commits {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let help = "Requests that wait for a commit.";
        let (depth, gauge) = ("ctl_commit_queue_depth", MetricType::Gauge);
        self.waiting
            .encode(encoder.encode_descriptor(depth, help, None, gauge)?)?;
        let help = "Time from the wait for the lock until a commit is durable.";
        let (duration, histogram) = ("ctl_commit_duration_seconds", MetricType::Histogram);
        self.durations
            .encode(encoder.encode_descriptor(duration, help, None, histogram)?)
    }
}

impl Waiting<'_> {
    /// Notes that the commit is durable.
    pub(crate) fn committed(&self) {
        // A request that changes nothing makes no commit, and its time would distort the others.
        let took = self.since.elapsed().as_secs_f64();
        self.commits.durations.observe(took);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.commits.waiting.dec();
    }
}
