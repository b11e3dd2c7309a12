//! Deletes events after their time to live: an hour of the cluster's time since they were last written.
//!
//! A real API server leaves this to etcd's leases, which each write of an event renews. No event is queued by itself:
//! all are checked when the oldest one expires, because no later event can expire earlier.
//!
//! Rules:
//! - `expired`: the last write of an event is older than its time to live; it is deleted.

use jiff::{SignedDuration, Timestamp};

use super::watched;
use crate::cluster::{DeleteOptions, Settings, last_write};
use crate::runtime::{Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The most events that one plan deletes; the rest follows at once.
const TOGETHER: usize = 1000;

/// Removes events.
///
/// ```
/// use ctl_controllers::EventTtl;
/// use ctl_runtime::Controller as _;
/// use jiff::SignedDuration;
///
/// let short = EventTtl { ttl: Some(SignedDuration::from_mins(5)) };
/// assert_eq!(short.name(), "event-ttl");
/// ```
#[derive(Debug, Default)]
pub struct EventTtl {
    /// The time to live; zero keeps events forever, and `None` uses the cluster's settings.
    pub ttl: Option<SignedDuration>,
}

/// The default time to live: kube-apiserver's `--event-ttl`.
const TTL: SignedDuration = SignedDuration::from_hours(1);

impl Controller for EventTtl {
    fn name(&self) -> &'static str {
        "event-ttl"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::cached(watched::events())]
    }

    fn configure(&mut self, settings: &Settings) {
        self.ttl = self.ttl.or(settings.event_ttl);
    }

    fn start(&self) -> Vec<Key> {
        vec![Key::new("", "events")]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let ttl = self.ttl.unwrap_or(TTL);
        if ttl.is_zero() {
            return plan;
        }
        // Events written from now on expire no earlier than this.
        let mut next = context.now.checked_add(ttl).unwrap_or(Timestamp::MAX);
        for event in context.cache.list(watched::events(), "") {
            let written = last_write(event, context.now);
            let Some(end) = written.and_then(|at| at.checked_add(ttl).ok()) else {
                continue;
            };
            if end > context.now {
                next = next.min(end);
            } else if plan.changes.len() == TOGETHER {
                plan.partial = true;
                next = context.now;
                break;
            } else {
                plan.changes.push(expired(event, end));
            }
        }
        plan.idle_requeue_in(next.duration_since(context.now));
        plan
    }
}

fn expired(event: &Object, end: Timestamp) -> PlannedWrite {
    let options = DeleteOptions {
        // An event that is counted again in the meantime lives on.
        resource_version: Some(event.revision().to_string()),
        ..DeleteOptions::default()
    };
    PlannedWrite::delete_with(event, options, format!("expired: its TTL ended at {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::harness::{ControllerHarness, lines};

    const HOUR: SignedDuration = SignedDuration::from_hours(1);

    fn harness(times: &[(&str, &str)]) -> ControllerHarness<EventTtl> {
        let mut harness = ControllerHarness::new(EventTtl::default());
        for (name, at) in times {
            let event = json!({"metadata": {"name": name, "creationTimestamp": at}, "reason": "R"});
            harness.put("v1", "Event", event);
        }
        harness
    }

    #[test]
    fn expired_events_are_deleted_and_next_expiry_is_scheduled() {
        let mut harness = harness(&[
            ("old", "2026-01-02T11:00:00Z"),
            ("older", "2026-01-02T10:00:00Z"),
            ("new", "2026-01-02T11:00:01Z"),
        ]);
        let plan = harness.plan("", "events");
        assert_eq!(
            lines(&plan),
            ["delete events old: expired", "delete events older: expired"]
        );
        let wait = SignedDuration::from_secs(1);
        assert_eq!(
            (plan.requeue_after, plan.idle_requeue_after, plan.partial),
            (None, Some(wait), false)
        );
    }

    #[test]
    fn updated_event_expires_an_hour_after_the_update() {
        let mut harness = harness(&[]);
        harness.put(
            "v1",
            "Event",
            json!({"lastTimestamp": "2026-01-02T11:30:00Z", "metadata": {
            "name": "again", "creationTimestamp": "2026-01-02T10:00:00Z"}}),
        );
        harness.put(
            "v1",
            "Event",
            json!({"metadata": {
            "name": "labelled", "creationTimestamp": "2026-01-02T10:00:00Z",
            "managedFields": [{"manager": "x", "time": "2026-01-02T11:40:00Z"}]}}),
        );
        let plan = harness.plan("", "events");
        assert!(plan.is_empty());
        assert_eq!(plan.idle_requeue_after, Some(SignedDuration::from_mins(30)));
    }

    #[test]
    fn next_check_without_events_is_after_one_ttl() {
        assert_eq!(
            harness(&[]).plan("", "events").idle_requeue_after,
            Some(HOUR)
        );
        let mut never = harness(&[("old", "2026-01-01T00:00:00Z")]);
        never.controller.ttl = Some(SignedDuration::ZERO);
        assert_eq!(never.plan("", "events"), Plan::done());
    }

    #[test]
    fn a_plan_deletes_a_limited_number_of_events() {
        let names: Vec<String> = (0..=TOGETHER).map(|n| format!("e{n}")).collect();
        let all: Vec<_> = names
            .iter()
            .map(|n| (n.as_str(), "2026-01-02T09:00:00Z"))
            .collect();
        let plan = harness(&all).plan("", "events");
        assert_eq!((plan.changes.len(), plan.partial), (TOGETHER, true));
    }
}
