//! Where time comes from.
//!
//! Guarantees: no other module asks the operating system for the time of day. A cluster on a
//! virtual clock never reads it at all: its time is the time of its last record, and moves only
//! when somebody commits a later one.

use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

/// The source of wall-clock time handed down from the program's edge.
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
    /// A time that stands still, for tests and for replays.
    Fixed(Timestamp),
}

impl Clock {
    /// The current time, cut to microseconds (what the journal stores).
    pub fn now(&self) -> Timestamp {
        match self {
            // Microseconds, as `metav1.MicroTime`: the time in memory and the one read back from
            // the journal are equal.
            Self::System => truncate(system_now()),
            Self::Fixed(at) => truncate(*at),
        }
    }
}

/// The moment at which every virtual clock starts unless told otherwise.
pub fn virtual_epoch() -> Timestamp {
    // 2026-01-01T00:00:00Z: every virtual cluster starts alike, so transcripts and golden files
    // compare.
    Timestamp::constant(1_767_225_600, 0)
}

/// Cuts a time to whole microseconds.
pub fn truncate(at: Timestamp) -> Timestamp {
    // Towards zero and never up: a recorded time must not lie in the future.
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}

/// A stopwatch for waits and measurements; never stored, never compared across processes.
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

    /// The time since the start.
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
    fn a_fixed_clock_stands_still_and_keeps_microseconds() {
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
