//! The metrics of the controllers, in Prometheus' text format.

use std::fmt::Write as _;
use std::time::Duration;

use super::backoff::Class;
use crate::cluster::Histogram;

/// Upper bounds of the histograms, in seconds.
const BOUNDS: [f64; 8] = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0];

/// The numbers of one controller.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    reconciles: u64,
    succeeded: u64,
    retries: [u64; 3],
    work: Histogram,
    latency: Histogram,
    writes: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            reconciles: 0,
            succeeded: 0,
            retries: [0; 3],
            work: Histogram::new(&BOUNDS),
            latency: Histogram::new(&BOUNDS),
            writes: 0,
        }
    }
}

impl Metrics {
    /// Counts a tick with its number of keys.
    pub(crate) fn worked(&mut self, taken: Duration, keys: usize) {
        let keys = keys as u64;
        self.reconciles += keys;
        // Keys of a tick are committed together, so that a key's own time is only known as the average.
        let each = taken.as_secs_f64() / keys.max(1) as f64;
        self.work.add(each, keys);
    }

    /// Records the time that a key waited in the queue.
    pub(crate) fn waited(&mut self, seconds: f64) {
        self.latency.add(seconds.max(0.0), 1);
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
}

/// A controller's numbers with those of its queue.
pub(crate) struct ControllerMetrics<'a> {
    pub(crate) name: &'a str,
    pub(crate) metrics: &'a Metrics,
    pub(crate) depth: usize,
    pub(crate) adds: u64,
}

impl ControllerMetrics<'_> {
    /// Returns the label of a series.
    fn label(&self) -> String {
        format!("name=\"{}\"", self.name)
    }
}

/// Returns all numbers as text.
pub(crate) fn text(controllers: &[ControllerMetrics<'_>]) -> String {
    let mut out = String::new();
    let mut family =
        |name: &str, kind: &str, help: &str, each: &dyn Fn(&mut String, &ControllerMetrics<'_>)| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for shown in controllers {
                each(&mut out, shown);
            }
        };
    family("workqueue_depth", "gauge", "Waiting keys.", &|out, c| {
        let _ = writeln!(out, "workqueue_depth{{name=\"{}\"}} {}", c.name, c.depth);
    });
    family(
        "workqueue_adds_total",
        "counter",
        "Added keys.",
        &|out, c| {
            let _ = writeln!(
                out,
                "workqueue_adds_total{{name=\"{}\"}} {}",
                c.name, c.adds
            );
        },
    );
    let queue = "workqueue_queue_duration_seconds";
    family(queue, "histogram", "Waiting time of keys.", &|out, c| {
        c.metrics.latency.write(out, queue, &c.label());
    });
    let work = "workqueue_work_duration_seconds";
    family(work, "histogram", "Reconcile time.", &|out, c| {
        c.metrics.work.write(out, work, &c.label());
    });
    let retries = "workqueue_retries_total";
    family(retries, "counter", "Retries by class.", &|out, c| {
        for class in [Class::Refused, Class::Conflict, Class::Passing] {
            let (count, class) = (c.metrics.retries[class as usize], class.name());
            let _ = writeln!(
                out,
                "{retries}{{name=\"{}\",class=\"{class}\"}} {count}",
                c.name
            );
        }
    });
    let total = "controller_reconcile_total";
    family(total, "counter", "Reconciles by result.", &|out, c| {
        let failed: u64 = c.metrics.retries.iter().sum();
        for (result, count) in [("success", c.metrics.succeeded), ("error", failed)] {
            let _ = writeln!(
                out,
                "{total}{{controller=\"{}\",result=\"{result}\"}} {count}",
                c.name
            );
        }
    });
    let ratio = "controller_reconcile_success_ratio";
    family(ratio, "gauge", "Success ratio.", &|out, c| {
        let failed: u64 = c.metrics.retries.iter().sum();
        let all = (c.metrics.succeeded + failed).max(1) as f64;
        // No reconcile is not a failure: 0 would alert on every idle controller.
        let part = if c.metrics.succeeded + failed == 0 {
            1.0
        } else {
            c.metrics.succeeded as f64 / all
        };
        let _ = writeln!(out, "{ratio}{{controller=\"{}\"}} {part}", c.name);
    });
    let writes = "controller_writes_total";
    family(writes, "counter", "Objects written.", &|out, c| {
        let _ = writeln!(
            out,
            "{writes}{{controller=\"{}\"}} {}",
            c.name, c.metrics.writes
        );
    });
    out
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
        let shown = [ControllerMetrics {
            name: "job",
            metrics: &metrics,
            depth: 5,
            adds: 7,
        }];
        let text = text(&shown);
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
