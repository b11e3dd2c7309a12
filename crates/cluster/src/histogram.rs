//! Counts of durations in Prometheus' text format, for all programs that measure something.

use std::fmt::Write as _;

/// A cumulative histogram: for each bound, the number of observed values up to it.
///
/// ```
/// use ctl_cluster::Histogram;
///
/// let mut seconds = Histogram::new(&[0.5, 1.0]);
/// seconds.add(0.25, 1);
/// let mut text = String::new();
/// seconds.write(&mut text, "wait_seconds", "");
/// assert!(text.starts_with("wait_seconds_bucket{le=\"0.5\"} 1\n"));
/// ```
///
/// ```
/// use ctl_cluster::Histogram;
///
/// let mut seconds = Histogram::new(&[0.1, 1.0]);
/// seconds.add(0.05, 1);
/// seconds.add(0.5, 2);
/// let mut text = String::new();
/// seconds.write(&mut text, "request_seconds", "");
/// assert!(text.contains("request_seconds_count 3"), "{text}");
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    bounds: &'static [f64],
    within: Vec<u64>,
    count: u64,
    sum: f64,
}

impl Histogram {
    /// Creates an empty histogram with these upper bounds, in ascending order.
    pub fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            within: vec![0; bounds.len()],
            count: 0,
            sum: 0.0,
        }
    }

    /// Adds a value that was observed `times` times.
    pub fn add(&mut self, value: f64, times: u64) {
        // Prometheus' buckets are cumulative: each counts all values up to its bound.
        for (within, bound) in self.within.iter_mut().zip(self.bounds) {
            *within += if value <= *bound { times } else { 0 };
        }
        self.count += times;
        self.sum += value * times as f64;
    }

    /// Writes the lines of the metric; `labels` as `a="b",c="d"`, or empty.
    pub fn write(&self, out: &mut String, name: &str, labels: &str) {
        let comma = if labels.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        for (bound, within) in self.bounds.iter().zip(&self.within) {
            let _ = writeln!(
                out,
                "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {within}"
            );
        }
        // The bucket without a bound repeats the count, which readers rely on.
        let (count, sum) = (self.count, self.sum);
        let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {count}");
        let braced = match labels {
            "" => String::new(),
            labels => format!("{{{labels}}}"),
        };
        let _ = writeln!(
            out,
            "{name}_sum{braced} {sum}\n{name}_count{braced} {count}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative_and_the_last_one_has_no_bound() {
        let mut times = Histogram::new(&[0.5, 1.0]);
        times.add(0.25, 2);
        times.add(1.0, 1);
        times.add(4.0, 1);
        let mut out = String::new();
        times.write(&mut out, "t", "");
        let plain = "t_bucket{le=\"0.5\"} 2\nt_bucket{le=\"1\"} 3\nt_bucket{le=\"+Inf\"} 4\nt_sum 5.5\nt_count 4\n";
        assert_eq!(out, plain);
        out.clear();
        times.write(&mut out, "t", "a=\"b\"");
        assert!(out.starts_with("t_bucket{a=\"b\",le=\"0.5\"} 2\n"), "{out}");
        assert!(
            out.ends_with("t_sum{a=\"b\"} 5.5\nt_count{a=\"b\"} 4\n"),
            "{out}"
        );
    }
}
