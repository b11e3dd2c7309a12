//! The source of time.
//!
//! Guarantees: no other module reads the time of day from the operating system. A cluster with a virtual clock never
//! reads it: its time is that of its last record, and advances only with a commit that has a later time.

use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

/// The source of wall-clock time, passed down from the entry points of the program.
///
/// ```
/// use ctl_sys::clock::{Clock, virtual_epoch};
///
/// let noon = "2026-01-02T12:00:00Z".parse()?;
/// assert_eq!(Clock::Fixed(noon).now(), noon);
/// assert!(Clock::System.now() > virtual_epoch());
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The operating system's clock.
    #[default]
    System,
    /// A fixed time, for tests and replays.
    Fixed(Timestamp),
}

impl Clock {
    /// Returns the current time, truncated to microseconds, the precision of the journal.
    pub fn now(&self) -> Timestamp {
        match self {
            // As precise as `metav1.MicroTime`, so that a time in memory equals the one read back from the journal.
            Self::System => truncate(system_now()),
            Self::Fixed(at) => truncate(*at),
        }
    }
}

/// Returns the default start time of virtual clocks.
pub fn virtual_epoch() -> Timestamp {
    // 2026-01-01T00:00:00Z. A common start makes transcripts and golden files comparable.
    Timestamp::constant(1_767_225_600, 0)
}

/// Truncates a time to whole microseconds.
pub fn truncate(at: Timestamp) -> Timestamp {
    // Rounding up could put a recorded time in the future.
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// A stopwatch for timeouts and measurements. Its values are never stored, nor compared across processes.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_sys::clock::Stopwatch;
///
/// let spent = Stopwatch::start();
/// let first = spent.elapsed();
/// assert!(first <= spent.elapsed() && first < Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the edge that the lint points to"
    )]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the edge that the lint points to"
)]
fn system_now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_clock_truncates_to_microseconds() {
        let at: Timestamp = "2026-01-02T03:04:05.123456789Z".parse().unwrap();
        assert_eq!(
            Clock::Fixed(at).now().to_string(),
            "2026-01-02T03:04:05.123456Z"
        );
    }

    #[test]
    fn virtual_clocks_start_with_2026() {
        assert_eq!(virtual_epoch().to_string(), "2026-01-01T00:00:00Z");
    }
}
