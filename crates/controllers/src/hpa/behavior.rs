//! The behavior of an autoscaler: limits, stabilization windows and policies.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::controller::PERIOD;
use crate::api::json::Value;
use crate::kinds::moment;
use crate::kinds::tree::{at, has, int, list, opt_int, text};
use crate::runtime::CompletedWrite;

/// The autoscaler's memory of earlier reconciles: its recommendations and rescales. It is
/// reconstructed from the status writes, each of which records a recommendation that differs from
/// the previous one; in between the previous one was repeated every [`PERIOD`].
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    recommended: VecDeque<Recommendation>,
    /// The changes of the replicas, with their times.
    changes: VecDeque<(Timestamp, i64)>,
}

/// A recommendation with the first and the last reconcile that made it; no last one while it is current.
#[derive(Clone, Copy, Debug)]
struct Recommendation {
    replicas: i64,
    first: Timestamp,
    last: Option<Timestamp>,
}

impl Recommendation {
    fn last(&self, now: Timestamp) -> Timestamp {
        let before = now.checked_sub(PERIOD).unwrap_or(now).max(self.first);
        self.last.unwrap_or(before)
    }
}

/// Returns the rule of a status: the measured, the allowed and the current replicas.
pub(super) fn rule(measured: Option<i64>, desired: i64, current: i64) -> String {
    let measured = measured.map_or_else(|| "none".to_owned(), |n| n.to_string());
    format!("recommend: {measured} by the metrics, {desired} within the limits, {current} current")
}

/// Returns the recommendation recorded in the rule of a status write; none for other rules.
fn measured(rule: &str) -> Option<Option<i64>> {
    let rest = rule.strip_prefix("recommend: ")?;
    Some(rest.split(' ').next()?.parse().ok())
}

/// The allowed number of replicas, and the reason if it differs from the measured one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Allowed {
    pub(super) replicas: i64,
    /// The reason and the message of `AbleToScale`.
    pub(super) able: (&'static str, &'static str),
    /// The status of `ScalingLimited`, its reason and its message.
    pub(super) limited: (bool, &'static str, String),
}

/// The replicas of the target: current, and desired by the metrics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replicas {
    pub(super) current: i64,
    pub(super) desired: i64,
}

const UP: i64 = 1;
const DOWN: i64 = -1;
/// The window without a `behavior`, and the default with one: scales down only to the highest recent recommendation.
// `--horizontal-pod-autoscaler-downscale-stabilization`, five minutes.
const DOWN_WINDOW: i64 = 300;

impl Memory {
    /// Takes in a status that was written.
    pub(super) fn take(&mut self, write: &CompletedWrite<'_>) {
        let (status, at) = (&write.object["status"], write.at);
        let Some(measured) = measured(write.rule) else {
            return;
        };
        let (current, desired) = (
            int(status, "currentReplicas"),
            int(status, "desiredReplicas"),
        );
        match self.recommended.back_mut() {
            // The first reconcile counts the current replicas as a recommendation, so that a target does
            // not shrink on a single measurement.
            None => self.recommended.push_back(Recommendation {
                replicas: current,
                first: at,
                last: Some(at),
            }),
            Some(before) => before.last = Some(before.last(at)),
        }
        if let Some(replicas) = measured {
            self.recommended.push_back(Recommendation {
                replicas,
                first: at,
                last: None,
            });
        }
        if text(status, "lastScaleTime") == moment::text(at) && current != desired {
            self.changes.push_back((at, desired - current));
        }
        self.forget(at);
    }

    /// Removes entries that are older than every window.
    fn forget(&mut self, now: Timestamp) {
        // No window and no period of the API is longer than one hour.
        let old = |at: Timestamp| moment::since(at, now).as_secs() > 3600;
        while self.recommended.len() > 1
            && self.recommended.front().is_some_and(|r| old(r.last(now)))
        {
            self.recommended.pop_front();
        }
        while self.changes.front().is_some_and(|(at, _)| old(*at)) {
            self.changes.pop_front();
        }
    }

    /// Returns the highest or the lowest recommendation within a window; before the first reconcile, the current
    /// replicas.
    fn extreme(&self, window: i64, direction: i64, now: Timestamp, replicas: Replicas) -> i64 {
        let start = Some(replicas.current).filter(|_| self.recommended.is_empty() && window > 0);
        let lately = self
            .recommended
            .iter()
            .filter(|r| moment::since(r.last(now), now).as_secs() < window)
            .map(|r| r.replicas)
            .chain(start)
            .chain([replicas.desired]);
        let extreme = if direction == DOWN {
            lately.max()
        } else {
            lately.min()
        };
        extreme.unwrap_or(replicas.desired)
    }

    /// Returns the change of the replicas within a period.
    fn changed(&self, period: i64, now: Timestamp) -> i64 {
        self.changes
            .iter()
            .filter(|(at, _)| moment::since(*at, now).as_secs() < period)
            .map(|(_, delta)| delta)
            .sum()
    }
}

/// Applies the stabilization windows, the policies and the bounds to the desired replicas.
pub(super) fn allowed(
    spec: &Value,
    memory: &Memory,
    replicas: Replicas,
    now: Timestamp,
) -> Allowed {
    let behavior = at(spec, &["behavior"]);
    let window = |direction: &str, default| {
        opt_int(at(behavior, &[direction]), "stabilizationWindowSeconds").unwrap_or(default)
    };
    let low = memory.extreme(window("scaleUp", 0), UP, now, replicas);
    let high = memory.extreme(window("scaleDown", DOWN_WINDOW), DOWN, now, replicas);
    // Without `behavior` only scaling down is stabilized.
    let stable = match has(spec, "behavior") {
        true => replicas.current.max(low).min(high),
        false => high,
    };
    let able = match () {
        () if stable < replicas.desired => (
            "ScaleUpStabilized",
            "recent recommendations were lower than current one, applying the lowest recent recommendation",
        ),
        () if stable > replicas.desired => (
            "ScaleDownStabilized",
            "recent recommendations were higher than current one, applying the highest recent recommendation",
        ),
        () => ("ReadyForNewScale", "recommended size matches current size"),
    };
    let (replicas, limited) = limited(
        spec,
        memory,
        Replicas {
            desired: stable,
            ..replicas
        },
        now,
    );
    Allowed {
        replicas,
        able,
        limited,
    }
}

/// Applies the bounds and policies to a recommendation; returns the result and the reason.
fn limited(
    spec: &Value,
    memory: &Memory,
    replicas: Replicas,
    now: Timestamp,
) -> (i64, (bool, &'static str, String)) {
    let current = replicas.current;
    let behavior = at(spec, &["behavior"]);
    let (min, max) = (
        opt_int(spec, "minReplicas").unwrap_or(1),
        int(spec, "maxReplicas"),
    );
    let (most, least) = match has(spec, "behavior") {
        true => (
            most_by(behavior, memory, current, now),
            least_by(behavior, memory, current, now),
        ),
        // Upstream's fixed bound without `behavior`: at most double, but always up to 4.
        false => ((2 * current).max(4), i64::MIN),
    };
    let limited = |reason, message: &str| (true, reason, message.to_owned());
    // Pods that ended early lower the start of a period; the bound must not turn a scale-up into a
    // scale-down, or the reverse.
    let (most, least) = (most.max(current), least.min(current));
    match replicas.desired {
        n if n > current && n > most && max > most => (
            most,
            limited(
                "ScaleUpLimit",
                "the desired replica count is increasing faster than the maximum scale rate",
            ),
        ),
        n if n < current && n < least && least > min => (
            least,
            limited(
                "ScaleDownLimit",
                "the desired replica count is decreasing faster than the maximum scale rate",
            ),
        ),
        n if n < min => (
            min,
            limited(
                "TooFewReplicas",
                "the desired replica count is less than the minimum replica count",
            ),
        ),
        n if n > max => (
            max,
            limited(
                "TooManyReplicas",
                "the desired replica count is more than the maximum replica count",
            ),
        ),
        n => (
            n,
            (
                false,
                "DesiredWithinRange",
                "the desired count is within the acceptable range".to_owned(),
            ),
        ),
    }
}

/// Returns the upper bound of the scale-up policies, from the replicas at the start of their periods.
fn most_by(behavior: &Value, memory: &Memory, current: i64, now: Timestamp) -> i64 {
    let rules = at(behavior, &["scaleUp"]);
    // The API server's defaults, for objects that were not defaulted.
    let usual = [("Pods", 4, 15), ("Percent", 100, 15)];
    let by = |(kind, value, period): (&str, i64, i64)| {
        let start = current - memory.changed(period, now);
        match kind {
            "Pods" => start + value,
            _ => (start as f64 * (1.0 + value as f64 / 100.0)).ceil() as i64,
        }
    };
    match text(rules, "selectPolicy") {
        "Disabled" => current,
        "Min" => policies(rules, &usual).map(by).min().unwrap_or(current),
        _ => policies(rules, &usual).map(by).max().unwrap_or(current),
    }
}

/// Returns the lower bound of the scale-down policies.
fn least_by(behavior: &Value, memory: &Memory, current: i64, now: Timestamp) -> i64 {
    let rules = at(behavior, &["scaleDown"]);
    let usual = [("Percent", 100, 15)];
    let by = |(kind, value, period): (&str, i64, i64)| {
        let start = current - memory.changed(period, now);
        match kind {
            "Pods" => start - value,
            // Rounds down here and up when scaling up, as upstream: both allow the larger step.
            _ => (start as f64 * (1.0 - value as f64 / 100.0)) as i64,
        }
    };
    match text(rules, "selectPolicy") {
        "Disabled" => current,
        "Min" => policies(rules, &usual).map(by).max().unwrap_or(current),
        _ => policies(rules, &usual).map(by).min().unwrap_or(current),
    }
}

fn policies<'a>(
    rules: &'a Value,
    usual: &'a [(&'static str, i64, i64)],
) -> Box<dyn Iterator<Item = (&'a str, i64, i64)> + 'a> {
    let own = list(rules, "policies");
    match own.is_empty() {
        true => Box::new(usual.iter().copied()),
        false => Box::new(
            own.iter()
                .map(|p| (text(p, "type"), int(p, "value"), int(p, "periodSeconds"))),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::runtime::Object;
    use crate::watched;

    fn replicas(current: i64, desired: i64) -> Replicas {
        Replicas { current, desired }
    }

    fn at_second(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    /// Records a status: the measured, allowed and current replicas, and the scaling.
    fn take(memory: &mut Memory, second: i64, measured: Option<i64>, replicas: Replicas) {
        let Replicas { current, desired } = replicas;
        let mut status = json!({"currentReplicas": current, "desiredReplicas": desired});
        if desired != current {
            status["lastScaleTime"] = json!(moment::text(at_second(second)));
        }
        let kind = watched::autoscalers();
        let hpa = json!({"metadata": {"name": "h", "namespace": "a"}, "status": status});
        memory.take(&CompletedWrite {
            at: at_second(second),
            rule: &rule(measured, desired, current),
            object: &Object::new(kind, hpa),
        });
    }

    /// Evaluates once; returns the allowed replicas and the reported reason.
    fn of(
        spec: &Value,
        memory: &mut Memory,
        current: i64,
        desired: i64,
        second: i64,
    ) -> (i64, &'static str) {
        let allowed = allowed(
            spec,
            memory,
            Replicas { current, desired },
            at_second(second),
        );
        let replicas = Replicas {
            current,
            desired: allowed.replicas,
        };
        take(memory, second, Some(desired), replicas);
        (allowed.replicas, allowed.limited.1)
    }

    #[test]
    fn recommendation_round_trips_through_the_rule() {
        assert_eq!(measured(&rule(Some(3), 2, 1)), Some(Some(3)));
        assert_eq!(measured(&rule(None, 2, 1)), Some(None));
        assert_eq!(measured("rescale: from 1 to 2"), None);
    }

    #[test]
    fn default_behavior_limits_scale_up_and_delays_scale_down() {
        let spec = json!({"minReplicas": 2, "maxReplicas": 20});
        let mut memory = Memory::default();
        assert_eq!(of(&spec, &mut memory, 1, 9, 0), (4, "ScaleUpLimit"));
        assert_eq!(of(&spec, &mut memory, 4, 30, 15), (8, "ScaleUpLimit"));
        assert_eq!(of(&spec, &mut memory, 12, 30, 30), (20, "TooManyReplicas"));
        // Thirty replicas were recommended recently.
        assert_eq!(of(&spec, &mut memory, 20, 1, 45), (20, "TooManyReplicas"));
        assert_eq!(of(&spec, &mut memory, 20, 1, 340), (2, "TooFewReplicas"));
    }

    #[test]
    fn previous_recommendation_is_valid_until_the_next_one() {
        let spec = json!({"minReplicas": 1, "maxReplicas": 20});
        let mut memory = Memory::default();
        take(&mut memory, 0, Some(4), replicas(4, 4));
        let allowed = |memory: &Memory, second| {
            allowed(&spec, memory, replicas(4, 1), at_second(second)).replicas
        };
        // Four replicas were recommended until fifteen seconds before the recommendation of one.
        assert_eq!(allowed(&memory, 600), 4);
        take(&mut memory, 600, Some(1), replicas(4, 4));
        assert_eq!((allowed(&memory, 884), allowed(&memory, 885)), (4, 1));
        // If no metric could be measured, no replicas were recommended.
        take(&mut memory, 900, None, replicas(4, 4));
        assert_eq!(
            super::allowed(&spec, &memory, replicas(4, 4), at_second(910)).replicas,
            4
        );
    }

    #[test]
    fn policies_limit_both_ways() {
        let spec = json!({"minReplicas": 1, "maxReplicas": 50, "behavior": {
            "scaleUp": {"policies": [{"type": "Pods", "value": 3, "periodSeconds": 60}]},
            "scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Min", "policies": [
                {"type": "Pods", "value": 1, "periodSeconds": 60},
                {"type": "Percent", "value": 50, "periodSeconds": 60},
            ]},
        }});
        let mut memory = Memory::default();
        assert_eq!(of(&spec, &mut memory, 10, 20, 0), (13, "ScaleUpLimit"));
        assert_eq!(of(&spec, &mut memory, 13, 20, 15), (13, "ScaleUpLimit"));
        assert_eq!(of(&spec, &mut memory, 13, 20, 75), (16, "ScaleUpLimit"));
        // There were thirteen a minute ago.
        assert_eq!(of(&spec, &mut memory, 16, 2, 90), (12, "ScaleDownLimit"));
    }

    #[test]
    fn default_behavior_uses_the_highest_recent_recommendation() {
        let spec = json!({"minReplicas": 1, "maxReplicas": 20});
        let mut memory = Memory::default();
        take(&mut memory, 0, Some(6), replicas(6, 6));
        // Somebody took two away.
        let taken = allowed(&spec, &memory, replicas(4, 2), at_second(15));
        assert_eq!((taken.replicas, taken.able.0), (6, "ScaleDownStabilized"));
        let with = json!({"minReplicas": 1, "maxReplicas": 20, "behavior": {"scaleUp": {}}});
        assert_eq!(
            allowed(&with, &memory, replicas(4, 2), at_second(15)).replicas,
            4
        );
    }

    #[test]
    fn rescales_within_a_period_count_in_both_directions() {
        let spec = json!({"minReplicas": 1, "maxReplicas": 50, "behavior": {
            "scaleUp": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 60}]},
            "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [
                {"type": "Pods", "value": 3, "periodSeconds": 60},
            ]},
        }});
        let mut memory = Memory::default();
        assert_eq!(of(&spec, &mut memory, 10, 20, 0).0, 14);
        // There were ten replicas at the start of the minute: at least seven must remain.
        assert_eq!(of(&spec, &mut memory, 14, 2, 15), (7, "ScaleDownLimit"));
        assert_eq!(of(&spec, &mut memory, 7, 30, 30), (14, "ScaleUpLimit"));
        // A user has removed more than the policy allows: an upward recommendation must not scale down.
        let few = json!({"minReplicas": 1, "maxReplicas": 50, "behavior": {
            "scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 600}]},
        }});
        assert_eq!(of(&few, &mut memory, 20, 30, 45), (20, "ScaleUpLimit"));
    }

    #[test]
    fn percentages_are_computed_as_kubernetes_computes_them() {
        let rules = |value: i64| json!([{"type": "Percent", "value": value, "periodSeconds": 15}]);
        let spec = |up: i64, down: i64| {
            json!({"minReplicas": 1, "maxReplicas": 1000, "behavior": {
                "scaleUp": {"policies": rules(up)},
                "scaleDown": {"stabilizationWindowSeconds": 0, "policies": rules(down)},
            }})
        };
        let none = || Memory::default();
        // 100 * 1.1 is a little more than 110 there, 10 * (1 - 0.9) a little less than 1.
        assert_eq!(of(&spec(10, 10), &mut none(), 100, 500, 0).0, 111);
        assert_eq!(
            of(&spec(10, 90), &mut none(), 10, 1, 0),
            (1, "DesiredWithinRange")
        );
        assert_eq!(
            of(&spec(10, 50), &mut none(), 9, 1, 0),
            (4, "ScaleDownLimit")
        );
    }

    #[test]
    fn min_replicas_is_reported_as_too_few_replicas() {
        let spec = json!({"minReplicas": 5, "maxReplicas": 50, "behavior": {"scaleDown": {
            "stabilizationWindowSeconds": 0, "policies": [{"type": "Percent", "value": 50, "periodSeconds": 15}],
        }}});
        assert_eq!(
            of(&spec, &mut Memory::default(), 10, 2, 0),
            (5, "TooFewReplicas")
        );
    }

    #[test]
    fn disabled_scale_up_keeps_the_replicas() {
        let spec =
            json!({"maxReplicas": 50, "behavior": {"scaleUp": {"selectPolicy": "Disabled"}}});
        assert_eq!(of(&spec, &mut Memory::default(), 5, 9, 0).0, 5);
    }
}
