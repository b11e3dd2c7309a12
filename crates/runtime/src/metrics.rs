//! The metrics of the controllers.

use std::fmt;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::TypedMetric;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;

use super::backoff::Class;
use crate::cluster::{Described, exposed};

/// Upper bounds of the histograms, in seconds.
const BOUNDS: [f64; 8] = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];

/// The numbers of one controller.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    succeeded: u64,
    retries: [u64; 3],
    work: Histogram,
    latency: Histogram,
    writes: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            succeeded: 0,
            retries: [0; 3],
            work: Histogram::new(BOUNDS),
            latency: Histogram::new(BOUNDS),
            writes: 0,
        }
    }
}

impl Metrics {
    /// Counts a tick with its number of keys.
    pub(crate) fn worked(&self, taken: Duration, keys: usize) {
        // Keys of a tick are committed together, so that a key's own time is only known as the average.
        let each = taken.as_secs_f64() / keys.max(1) as f64;
        for _ in 0..keys {
            self.work.observe(each);
        }
    }

    /// Records the time that a key waited in the queue.
    pub(crate) fn waited(&self, seconds: f64) {
        self.latency.observe(seconds.max(0.0));
    }

    pub(crate) fn succeeded(&mut self) {
        self.succeeded += 1;
    }

    pub(crate) fn failed(&mut self, class: Class) {
        self.retries[class as usize] += 1;
    }

    pub(crate) fn wrote(&mut self, writes: usize) {
        self.writes += writes as u64;
    }

    /// Returns the numbers of successful and failed reconciles.
    fn results(&self) -> [(&'static str, u64); 2] {
        [
            ("success", self.succeeded),
            ("error", self.retries.iter().sum()),
        ]
    }

    fn success_ratio(&self) -> f64 {
        let all: u64 = self.results().iter().map(|result| result.1).sum();
        match all {
            // No reconcile is not a failure: 0 would alert on every idle controller.
            0 => 1.0,
            all => self.succeeded as f64 / all as f64,
        }
    }
}

/// A controller's numbers with those of its queue.
#[derive(Debug)]
pub(crate) struct ControllerMetrics {
    pub(crate) name: &'static str,
    pub(crate) metrics: Metrics,
    pub(crate) depth: usize,
    pub(crate) adds: u64,
}

/// The numbers of all controllers.
#[derive(Debug)]
struct All(Vec<ControllerMetrics>);

impl All {
    /// Encodes the series that each controller has of a metric.
    fn family<
        's,
        L: EncodeLabelSet,
        M: EncodeMetric + TypedMetric,
        S: IntoIterator<Item = (L, M)>,
    >(
        &'s self,
        encoder: &mut DescriptorEncoder<'_>,
        metric: Described<'_>,
        of: impl Fn(&'s ControllerMetrics) -> S,
    ) -> fmt::Result {
        metric.encode(encoder, self.0.iter().flat_map(of))
    }
}

impl Collector for All {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let out = &mut encoder;
        let described = |name, help| Described { name, help };
        let depth = described("workqueue_depth", "Waiting keys.");
        self.family(out, depth, |c| {
            [([("name", c.name)], ConstGauge::new(c.depth))]
        })?;
        let adds = described("workqueue_adds", "Added keys.");
        self.family(out, adds, |c| {
            [([("name", c.name)], ConstCounter::new(c.adds))]
        })?;
        let waited = described("workqueue_queue_duration_seconds", "Waiting time of keys.");
        self.family(out, waited, |c| {
            [([("name", c.name)], c.metrics.latency.clone())]
        })?;
        let worked = described("workqueue_work_duration_seconds", "Reconcile time.");
        self.family(out, worked, |c| {
            [([("name", c.name)], c.metrics.work.clone())]
        })?;
        let retries = described("workqueue_retries", "Retries by class.");
        self.family(out, retries, |c| {
            [Class::Refused, Class::Conflict, Class::Passing].map(|class| {
                let count = ConstCounter::new(c.metrics.retries[class as usize]);
                ([("name", c.name), ("class", class.name())], count)
            })
        })?;
        let reconciled = described("controller_reconcile", "Reconciles by result.");
        self.family(out, reconciled, |c| {
            c.metrics.results().map(|(result, count)| {
                let labels = [("controller", c.name), ("result", result)];
                (labels, ConstCounter::new(count))
            })
        })?;
        let ratio = described("controller_reconcile_success_ratio", "Success ratio.");
        self.family(out, ratio, |c| {
            let ratio = ConstGauge::new(c.metrics.success_ratio());
            [([("controller", c.name)], ratio)]
        })?;
        let writes = described("controller_writes", "Objects written.");
        self.family(out, writes, |c| {
            [(
                [("controller", c.name)],
                ConstCounter::new(c.metrics.writes),
            )]
        })
    }
}

/// Returns all numbers as text.
pub(crate) fn text(controllers: Vec<ControllerMetrics>) -> String {
    exposed(All(controllers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_written_in_the_prometheus_format() {
        let mut metrics = Metrics::default();
        metrics.worked(Duration::from_millis(4), 2);
        metrics.succeeded();
        metrics.failed(Class::Conflict);
        metrics.wrote(3);
        let shown = vec![ControllerMetrics {
            name: "job",
            metrics,
            depth: 5,
            adds: 7,
        }];
        let text = text(shown);
        for line in [
            "# TYPE workqueue_depth gauge",
            "workqueue_depth{name=\"job\"} 5",
            "workqueue_adds_total{name=\"job\"} 7",
            "workqueue_work_duration_seconds_bucket{name=\"job\",le=\"0.001\"} 0",
            "workqueue_work_duration_seconds_bucket{name=\"job\",le=\"0.005\"} 2",
            "workqueue_work_duration_seconds_count{name=\"job\"} 2",
            "workqueue_retries_total{name=\"job\",class=\"conflict\"} 1",
            "controller_reconcile_total{controller=\"job\",result=\"success\"} 1",
            "controller_reconcile_success_ratio{controller=\"job\"} 0.5",
            "controller_writes_total{controller=\"job\"} 3",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
    }
}
