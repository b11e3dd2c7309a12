//! Events that occur again and again as long as their cause lasts.
//!
//! The occurrences follow from the clock, so no write is needed for each of them: the next write counts all those since
//! the last one. Must not know what the events are about.

use jiff::Timestamp;

/// The seconds that count of an earlier time of waiting: no back-off is longer.
const MAX_EARLIER: i64 = 300;

/// The times at which an event occurs.
///
/// ```
/// use ctl_cluster::Repeats;
///
/// let start: jiff::Timestamp = "2026-01-02T12:00:00Z".parse()?;
/// let later = |seconds| start + jiff::SignedDuration::from_secs(seconds);
/// let repeats = Repeats::every(13, start);
/// // Counted from the last time that was reported.
/// assert_eq!(repeats.after(start, later(40)), (3, later(39)));
/// assert_eq!(repeats.next(start, later(40)), later(52));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeats {
    /// The first time.
    pub since: Timestamp,
    /// The seconds until the second time. Each further interval is twice as long as the previous one.
    pub wait: i64,
    /// The longest interval, in seconds.
    pub longest: i64,
    /// The end of an earlier time in which the event occurred at the longest interval, before a break.
    pub earlier: Option<Timestamp>,
    /// True if it occurs right now as well.
    pub is_now: bool,
}

impl Repeats {
    /// Returns an event that occurs at equal intervals of this many seconds.
    pub fn every(wait: i64, since: Timestamp) -> Self {
        Self {
            since,
            wait,
            longest: wait,
            earlier: None,
            is_now: false,
        }
    }

    /// Returns how often the event occurred after a time and up to `now`, and when it did so last.
    pub fn after(&self, last: Timestamp, now: Timestamp) -> (i64, Timestamp) {
        let from = self.start(last);
        let (all, at, _) = self.until(from, now);
        // A first report says that the event occurred, not how often.
        let before = self.earlier.filter(|_| last > Timestamp::MIN);
        let before = before.map_or(0, |end| passed(last, end).clamp(0, MAX_EARLIER));
        let known = self.until(from, last).0;
        let times = (all - known).max(0) + before / self.longest.max(1);
        match self.is_now {
            true => (times.max(1), now),
            false => (times, at.min(now)),
        }
    }

    /// Returns the first time after `now`; `last` is the time of the last report.
    pub fn next(&self, last: Timestamp, now: Timestamp) -> Timestamp {
        self.until(self.start(last), now).2
    }

    /// Returns the first time of the intervals. Equal ones count from the last report: a sync of a Pod for another
    /// reason also moves those after it.
    fn start(&self, last: Timestamp) -> Timestamp {
        match self.wait == self.longest {
            true => self.since.max(last),
            false => self.since,
        }
    }

    /// Returns the number of times up to `now`, the last of them, and the first one after them.
    fn until(&self, from: Timestamp, now: Timestamp) -> (i64, Timestamp, Timestamp) {
        let left = passed(from, now);
        if left < 0 {
            return (0, from, from);
        }
        let (mut times, mut at, mut wait) = (1, 0, self.wait.max(1));
        while at + wait <= left {
            // From here on, all intervals are equal, so the rest is a division: days may have passed.
            let count = if wait == self.longest {
                (left - at) / wait
            } else {
                1
            };
            times += count;
            at += count * wait;
            wait = (wait * 2).min(self.longest);
        }
        (times, later(from, at), later(from, at + wait))
    }
}

fn passed(from: Timestamp, to: Timestamp) -> i64 {
    to.as_second() - from.as_second()
}

fn later(from: Timestamp, seconds: i64) -> Timestamp {
    Timestamp::from_second(from.as_second().saturating_add(seconds)).unwrap_or(Timestamp::MAX)
}
