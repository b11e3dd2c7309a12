//! The delay before a retry, by the class of the failure.

use jiff::SignedDuration;

use crate::api::status::Status;

/// The class of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Fails again until something else changes, and a watch of that object enqueues the key. Retries continue as time
    /// passes, so that each is reported as in Kubernetes, but no cluster waits for one.
    Refused,
    /// Another writer was faster: retry at once on the newer object.
    Conflict,
    /// A temporary failure: retry with exponential back-off.
    Passing,
}

impl Class {
    /// Returns the class of a rejection.
    pub fn from_status(status: &Status) -> Self {
        match status.reason {
            // Both mean that the cache was behind; the next plan uses the object of the other writer.
            "Conflict" | "AlreadyExists" => Self::Conflict,
            "Invalid"
            | "Forbidden"
            | "NotFound"
            | "BadRequest"
            | "MethodNotAllowed"
            | "RequestEntityTooLarge"
            | "UnsupportedMediaType" => Self::Refused,
            _ => Self::Passing,
        }
    }

    /// Returns its name in the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Conflict => "conflict",
            Self::Passing => "passing",
        }
    }
}

/// The spacing of retries.
///
/// ```
/// use ctl_api::status::Status;
/// use ctl_runtime::backoff::{Backoff, Class};
///
/// let backoff = Backoff::default();
/// let conflict = Class::from_status(&Status::conflict("pods", "web", "it was modified"));
/// assert_eq!(conflict, Class::Conflict);
/// let (first, third) = (backoff.wait(conflict, 1), backoff.wait(conflict, 3));
/// assert!(first <= third);
/// assert_eq!(Backoff { tries: 2, ..backoff }.wait(conflict, 3), None, "after too many failures");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay after the second failure in a row; the first failure is retried at once, except a refusal.
    pub base: SignedDuration,
    /// The longest wait.
    pub most: SignedDuration,
    /// The number of failures in a row after which a key is no longer retried; 0 means no limit.
    pub tries: u32,
}

impl Backoff {
    /// The back-off of client-go's work queues, with which most of Kubernetes' controllers retry.
    pub const WORK_QUEUE: Self = Self {
        base: SignedDuration::from_millis(5),
        most: SignedDuration::from_secs(1000),
        tries: 0,
    };
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            base: SignedDuration::from_secs(1),
            most: SignedDuration::from_mins(5),
            tries: 0,
        }
    }
}

/// The number of conflicts in a row that are retried at once, before they count as contention.
const QUICK_CONFLICTS: u32 = 5;

impl Backoff {
    /// Returns the delay after a number of failures in a row, the last of this class; `None` means no further retry.
    pub fn wait(&self, class: Class, failures: u32) -> Option<SignedDuration> {
        if self.tries > 0 && failures > self.tries {
            return None;
        }
        match class {
            // Upstream's queues wait from the first failure on. Without a wait, a virtual clock would not move.
            Class::Refused => Some(self.after(failures.saturating_add(1))),
            // Optimistic concurrency, as with client-go's `RetryOnConflict`: the retry plans on the
            // newer object.
            Class::Conflict if failures <= QUICK_CONFLICTS => Some(SignedDuration::ZERO),
            Class::Conflict => Some(self.after(failures - QUICK_CONFLICTS + 1)),
            Class::Passing => Some(self.after(failures)),
        }
    }

    fn after(&self, failures: u32) -> SignedDuration {
        match failures {
            0 | 1 => SignedDuration::ZERO,
            n => self
                .base
                // The bound keeps the shift within 32 bits; the longest wait is reached much earlier.
                .checked_mul(1 << (n - 2).min(30))
                .map_or(self.most, |wait| wait.min(self.most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_zero_to_five_minutes() {
        let waits = |class| -> Vec<Option<i64>> {
            (1..=12)
                .map(|n| Backoff::default().wait(class, n).map(|w| w.as_secs()))
                .collect()
        };
        let seconds: Vec<_> = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
            .map(Some)
            .into();
        assert_eq!(waits(Class::Passing), seconds);
        let soon: Vec<_> = [0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64].map(Some).into();
        assert_eq!(waits(Class::Conflict), soon);
        let refused: Vec<_> = (1..=20)
            .map(|n| Backoff::WORK_QUEUE.wait(Class::Refused, n))
            .map(|wait| wait.unwrap().as_millis())
            .collect();
        assert_eq!(refused[..4], [5, 10, 20, 40]);
        assert_eq!(refused[17..], [655_360, 1_000_000, 1_000_000]);
        assert_eq!(
            Backoff::default().wait(Class::Passing, u32::MAX),
            Some(SignedDuration::from_mins(5))
        );
    }

    #[test]
    fn retries_stop_at_the_limit() {
        let backoff = Backoff {
            tries: 2,
            ..Backoff::default()
        };
        assert_eq!(backoff.wait(Class::Passing, 2), Some(backoff.base));
        assert_eq!(backoff.wait(Class::Passing, 3), None);
    }

    #[test]
    fn refusals_are_classed_by_their_reason() {
        for (status, class) in [
            (Status::not_found("pods", "a"), Class::Refused),
            (Status::forbidden("pods", "a", "quota"), Class::Refused),
            (Status::conflict("pods", "a", "x"), Class::Conflict),
            (Status::already_exists("pods", "a"), Class::Conflict),
            (Status::internal("disk"), Class::Passing),
        ] {
            assert_eq!(Class::from_status(&status), class, "{status}");
        }
    }
}
