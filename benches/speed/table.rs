//! The table of the benchmark, and its statistics.

use std::time::Duration;

/// The rows of measurements.
pub(crate) struct Table {
    table: comfy_table::Table,
}

impl Table {
    pub(crate) fn new() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_preset(comfy_table::presets::ASCII_MARKDOWN);
        table.set_header([
            "what",
            "measured (median)",
            "bare file system",
            "target",
            "met",
        ]);
        Self { table }
    }

    /// Adds a row. `bare` is the file system's figure, if there is one.
    pub(crate) fn row(&mut self, what: &str, measured: &str, bare: &str, target: &str, met: bool) {
        let met = if met { "yes" } else { "NO" };
        self.table.add_row([what, measured, bare, target, met]);
    }

    pub(crate) fn render(&self) -> String {
        self.table.to_string()
    }
}

/// Returns the median of some durations.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns a duration in milliseconds as text.
pub(crate) fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

pub(crate) fn us(time: Duration) -> String {
    format!("{:.1} us", time.as_secs_f64() * 1e6)
}
