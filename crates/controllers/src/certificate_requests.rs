//! Deletes old certificate signing requests.
//!
//! Nothing is signed: there is no certificate authority.
//!
//! Rules:
//! - `forget`: a request is older than its state allows; it is deleted.

use jiff::SignedDuration;

use super::watched;
use crate::kinds::condition;
use crate::kinds::moment;
use crate::kinds::tree::text;
use crate::runtime::{Controller, Object, Plan, PlannedWrite, ReconcileContext, Watch};

/// The time that approved, denied and failed requests are kept.
const DECIDED: SignedDuration = SignedDuration::from_hours(1);
/// The time that undecided requests are kept.
const PENDING: SignedDuration = SignedDuration::from_hours(24);

/// Forgets certificate requests.
#[derive(Debug, Default)]
pub struct CertificateRequests;

impl Controller for CertificateRequests {
    fn name(&self) -> &'static str {
        "csr-cleaner"
    }

    fn component(&self) -> &'static str {
        "csrcleaner"
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::own(watched::signing_requests())]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::signing_requests();
        let Some(request) = context.cache.by_key(kind, context.key) else {
            return plan;
        };
        let (since, kept) = kept(request);
        let Some(since) = moment::read(&since.into()) else {
            return plan;
        };
        let left = kept.saturating_sub(moment::since(since, context.now));
        match left.is_positive() {
            // Idle, because waiting a day for a cleanup must not keep a cluster from settling.
            true => plan.idle_requeue_in(left),
            false => plan.changes.push(PlannedWrite::delete(
                request,
                format!("forget: after {kept:#}"),
            )),
        }
        plan
    }
}

/// Returns the start of the retention and its length.
fn kept(request: &Object) -> (String, SignedDuration) {
    let decided = ["Approved", "Denied", "Failed"]
        .iter()
        // The expiry of kube-controller-manager's csrcleaner starts with the decision, not with the creation.
        .find_map(|kind| condition::find(request, kind));
    match decided {
        Some(c) => (text(c, "lastUpdateTime").to_owned(), DECIDED),
        None => (request.meta("creationTimestamp").to_owned(), PENDING),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::harness::{ControllerHarness, lines};

    #[test]
    fn requests_are_forgotten_an_hour_after_the_decision_or_after_a_day() {
        let mut harness = ControllerHarness::new(CertificateRequests);
        let (group, kind) = ("certificates.k8s.io/v1", "CertificateSigningRequest");
        harness.put(group, kind, json!({"metadata": {"name": "open"}}));
        harness.put(
            group,
            kind,
            json!({"metadata": {"name": "done"}, "status": {"conditions": [
                {"type": "Approved", "status": "True", "lastUpdateTime": "2026-01-02T11:30:00Z"},
            ]}}),
        );
        assert_eq!(harness.plan("", "open").idle_requeue_after, Some(PENDING));
        assert_eq!(
            harness.plan("", "done").idle_requeue_after,
            Some(SignedDuration::from_mins(30))
        );
        harness.now = "2026-01-02T12:30:00Z".parse().unwrap();
        assert_eq!(
            lines(&harness.plan("", "done")),
            ["delete certificatesigningrequests done: forget"]
        );
    }
}
