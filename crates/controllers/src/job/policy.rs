//! The failure policy and the success policy of a Job.

use super::indexes::{self, Indexes};
use super::marks::{FAILURES, IGNORED};
use crate::api::json::Value;
use crate::kinds::tree::{at, field, int, list, opt_int, text};
use crate::runtime::Object;
use crate::views;

/// The consequence of a Pod failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It counts.
    Count,
    /// It does not count.
    Ignore,
    /// The Job has failed, for this reason.
    FailJob(String),
    /// The Pod's index has failed.
    FailIndex,
}

/// Returns the verdict of the first rule that a failed Pod matches.
pub(super) fn verdict(job: &Object, pod: &Object) -> Verdict {
    let rules = views::job(job).pod_failure_policy_rules();
    // The first rule that matches decides, and later ones are not evaluated.
    for (number, rule) in rules.iter().enumerate() {
        let Some(what) = by_exit_code(rule, pod).or_else(|| by_condition(rule, pod)) else {
            continue;
        };
        return match text(rule, "action") {
            "Ignore" => Verdict::Ignore,
            "FailIndex" => Verdict::FailIndex,
            "FailJob" => {
                Verdict::FailJob(format!("{what} matching FailJob rule at index {number}"))
            }
            _ => Verdict::Count,
        };
    }
    Verdict::Count
}

fn by_exit_code(rule: &Value, pod: &Object) -> Option<String> {
    let wanted = rule.get("onExitCodes").filter(|r| !r.is_null())?;
    let only = text(wanted, "containerName");
    let values: Vec<i64> = list(wanted, "values")
        .iter()
        .filter_map(Value::as_i64)
        .collect();
    let status = field(pod, "status");
    let both = ["containerStatuses", "initContainerStatuses"];
    let statuses = both.iter().flat_map(|name| list(status, name));
    for container in statuses {
        let name = text(container, "name");
        let ended = at(container, &["state", "terminated"]);
        // Containers that succeeded never match, also with `NotIn`.
        let Some(code) = opt_int(ended, "exitCode").filter(|code| *code != 0) else {
            continue;
        };
        if !only.is_empty() && only != name {
            continue;
        }
        let listed = values.contains(&code);
        if listed == (text(wanted, "operator") == "In") {
            return Some(format!(
                "Container {name} for pod {} failed with exit code {code}",
                pod.key()
            ));
        }
    }
    None
}

fn by_condition(rule: &Value, pod: &Object) -> Option<String> {
    let conditions = views::pod(pod).conditions();
    list(rule, "onPodConditions").iter().find_map(|wanted| {
        let status = match text(wanted, "status") {
            // The API server's default for `status`.
            "" => "True",
            status => status,
        };
        let kind = text(wanted, "type");
        conditions
            .iter()
            .any(|c| views::condition(c).kind() == kind && views::condition(c).status() == status)
            .then(|| format!("Pod {} has condition {kind}", pod.key()))
    })
}

/// Returns the rule by which a Job has succeeded before all of its indexes have, if there is one.
pub(super) fn success(job: &Object, succeeded: &Indexes) -> Option<String> {
    let rules = views::job(job).success_policy_rules();
    let met = |rule: &Value| {
        let listed = text(rule, "succeededIndexes");
        let among = if listed.is_empty() {
            succeeded.clone()
        } else {
            indexes::read(listed)
        };
        let done = among.intersection(succeeded).count();
        match opt_int(rule, "succeededCount") {
            Some(count) => i64::try_from(done).unwrap_or(i64::MAX) >= count,
            // Without a count all listed indexes have to succeed.
            None => !listed.is_empty() && done == among.len(),
        }
    };
    let number = rules.iter().position(met)?;
    Some(format!("Matched rules at index {number}"))
}

/// Returns the number of earlier failures of a Pod's index, by its annotation.
pub(super) fn failures_before(pod: &Object) -> i64 {
    number(pod, FAILURES)
}

fn number(pod: &Object, annotation: &str) -> i64 {
    let said = pod.annotation(annotation);
    said.and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Returns the number of earlier failures, including those that did not count.
pub(super) fn all_failures_before(pod: &Object) -> i64 {
    failures_before(pod) + number(pod, IGNORED)
}

/// Returns the numbers of failures of a failed Pod's index, this one included: counted and ignored.
pub(super) fn failures_after(job: &Object, pod: &Object) -> (i64, i64) {
    let (counted, ignored) = (failures_before(pod), number(pod, IGNORED));
    match verdict(job, pod) {
        Verdict::Ignore => (counted, ignored + 1),
        _ => (counted + 1, ignored),
    }
}

/// Returns true if a failed Pod is the end of its index.
pub(super) fn ends_index(job: &Object, pod: &Object) -> bool {
    let limit = int(field(job, "spec"), "backoffLimitPerIndex");
    match verdict(job, pod) {
        Verdict::FailIndex => true,
        Verdict::Ignore => false,
        _ => failures_before(pod) >= limit,
    }
}
