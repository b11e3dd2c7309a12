//! The series of a metric, for all programs that measure something.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, EncodeMetric, prometheus_text,
};
use prometheus_client::metrics::TypedMetric;
use prometheus_client::registry::Registry;

/// A metric, described for its readers.
///
/// ```
/// use ctl_cluster::{Described, exposed};
/// use prometheus_client::collector::Collector;
/// use prometheus_client::encoding::DescriptorEncoder;
/// use prometheus_client::metrics::counter::ConstCounter;
///
/// #[derive(Debug)]
/// struct Apples;
///
/// impl Collector for Apples {
///     fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
///         let apples = Described { name: "apples", help: "Apples by colour." };
///         let of = |colour, count: u64| ([("colour", colour)], ConstCounter::new(count));
///         apples.encode(&mut encoder, [of("red", 3), of("green", 1)])
///     }
/// }
///
/// assert!(exposed(Apples).ends_with("apples_total{colour=\"green\"} 1\n"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// The name; that of a counter without the suffix `_total`, which the encoder adds.
    pub name: &'a str,
    /// The explanation.
    pub help: &'a str,
}

impl Described<'_> {
    /// Encodes the series of the metric in the given order.
    ///
    /// A `Family` would have a random order, which makes two outputs hard to compare.
    ///
    /// # Errors
    /// The text cannot be written.
    pub fn encode<L: EncodeLabelSet, M: EncodeMetric + TypedMetric>(
        self,
        encoder: &mut DescriptorEncoder<'_>,
        series: impl IntoIterator<Item = (L, M)>,
    ) -> fmt::Result {
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, M::TYPE)?;
        for (labels, value) in series {
            value.encode(metric.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// Returns metrics in Prometheus' text format.
pub fn exposed(metrics: impl Collector) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(metrics));
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = prometheus_text::encode(&mut text, &registry);
    text
}
