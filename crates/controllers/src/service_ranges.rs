//! ServiceCIDRs: the ranges of Service addresses stay while addresses depend on them.
//!
//! Rules:
//! - `protect`: a range lacks the finalizer; it is added.
//! - `ready`: a range is usable, and its condition does not say so yet.
//! - `in-use`: the range is deleted, and addresses of Services are in no other range; the condition says so.
//! - `unprotect`: ten seconds after the deletion no address depends on the range; the finalizer is removed.

use std::net::IpAddr;

use jiff::SignedDuration;

use super::views::{AddressRange, address_ranges};
use super::{views, watched};
use crate::api::json::{Value, json};
use crate::cluster::{Part, PatchType};
use crate::kinds::condition::{self, NewCondition};
use crate::kinds::moment;
use crate::runtime::{
    Cache, Change, Controller, Key, Object, Plan, PlannedWrite, ReconcileContext, Watch,
};

const FINALIZER: &str = "networking.k8s.io/service-cidr-finalizer";

/// The time in which the API servers learn that a range is deleted, and assign no more of its addresses.
const GRACE: SignedDuration = SignedDuration::from_secs(10);

/// Maintains the ranges of Services.
#[derive(Debug)]
pub(crate) struct ServiceRanges;

impl Controller for ServiceRanges {
    fn name(&self) -> &'static str {
        "service-cidr"
    }

    fn component(&self) -> &'static str {
        "service-cidr-controller"
    }

    fn watches(&self) -> Vec<Watch> {
        // A Service or another range may be what a terminating one waits for.
        let terminating = |_: &Change, cache: &Cache| -> Vec<Key> {
            let ranges = cache.list(watched::service_ranges(), "");
            let ending = ranges.filter(|range| range.is_terminating());
            ending.map(|range| range.key().clone()).collect()
        };
        vec![
            Watch::own(watched::service_ranges()),
            Watch::new(watched::service_ranges(), terminating),
            // The IPAddresses are those of the Services, which other controllers read anyway.
            Watch::new(watched::services(), terminating),
        ]
    }

    fn plan(&mut self, context: &ReconcileContext<'_>) -> Plan {
        let mut plan = Plan::done();
        let kind = watched::service_ranges();
        let Some(range) = context.cache.by_key(kind, context.key) else {
            return plan;
        };
        let has_finalizer = range.has_finalizer(FINALIZER);
        match range.is_terminating() {
            false => {
                if !has_finalizer {
                    let patch = json!({"metadata": {"finalizers": [FINALIZER]}});
                    let rule = "protect: the range lacks the finalizer";
                    plan.changes.push(patched(range, patch, rule));
                }
                let said = NewCondition {
                    kind: "Ready",
                    status: "True",
                    reason: "",
                    message: "Kubernetes Service CIDR is ready",
                };
                // The API server has its own text for its own range.
                if !condition::is_true(range, said.kind) {
                    plan.status
                        .push(stated(range, said, context, "ready: it can be used"));
                }
            }
            true if !has_finalizer => {}
            true if is_needed(range, context.cache) => {
                let said = NewCondition {
                    kind: "Ready",
                    status: "False",
                    reason: "Terminating",
                    message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create \
                        a new ServiceCIDR",
                };
                let rule = "in-use: addresses of Services are in no other range";
                if condition::status(range, said.kind) != said.status {
                    plan.status.push(stated(range, said, context, rule));
                }
            }
            true => {
                let since = views::meta(range).deleted();
                let passed = since.map_or(GRACE, |since| moment::since(since, context.now));
                if passed < GRACE {
                    plan.requeue_in(GRACE.saturating_sub(passed));
                } else {
                    let left = views::meta(range).finalizers_without(FINALIZER);
                    let patch = json!({"metadata": {"finalizers": left}});
                    let rule = "unprotect: no address depends on the range";
                    plan.changes.push(PlannedWrite::merge(range, patch, rule));
                }
            }
        }
        plan
    }
}

fn patched(range: &Object, patch: Value, rule: &str) -> PlannedWrite {
    PlannedWrite::patch(range, Part::Whole, PatchType::Strategic, patch, rule)
}

/// Returns the write of a condition.
fn stated(
    range: &Object,
    said: NewCondition<'_>,
    context: &ReconcileContext<'_>,
    rule: &str,
) -> PlannedWrite {
    let mut own = Vec::new();
    condition::set(&mut own, said, context.now);
    // Conditions of this kind always have a reason, which may be empty.
    own[0]["reason"] = json!(said.reason);
    PlannedWrite::patch_status(range, json!({"status": {"conditions": own}}), rule)
}

/// Returns true if an address of a Service is in this range and in no other.
fn is_needed(range: &Object, cache: &Cache) -> bool {
    let own: Vec<AddressRange> = address_ranges(range).collect();
    let others = cache.list(watched::service_ranges(), "");
    let others: Vec<AddressRange> = others
        .filter(|other| other.uid() != range.uid())
        .flat_map(|other| address_ranges(other))
        .collect();
    let contains = |ranges: &[AddressRange], address| ranges.iter().any(|r| r.assigns(address));
    let services = cache.list(watched::services(), "");
    let mut addresses = services.flat_map(|service| {
        let own = views::service(service).cluster_ips();
        own.filter_map(|address| address.parse::<IpAddr>().ok())
    });
    addresses.any(|address| contains(&own, address) && !contains(&others, address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{ControllerHarness, content, lines};

    const GROUP: &str = "networking.k8s.io/v1";

    fn harness(ranges: &[(&str, &str, bool)]) -> ControllerHarness<ServiceRanges> {
        let mut harness = ControllerHarness::new(ServiceRanges);
        for (name, cidr, deleted) in ranges {
            let mut range = json!({"metadata": {"name": name}, "spec": {"cidrs": [cidr]}});
            if *deleted {
                range["metadata"]["deletionTimestamp"] = json!("2026-01-02T11:59:55Z");
                range["metadata"]["finalizers"] = json!([FINALIZER]);
            }
            harness.put(GROUP, "ServiceCIDR", range);
        }
        let spec = json!({"clusterIPs": ["10.100.0.5"]});
        harness.put(
            "v1",
            "Service",
            json!({"metadata": {"name": "s"}, "spec": spec}),
        );
        harness
    }

    #[test]
    fn new_range_gets_the_finalizer_and_becomes_ready() {
        let plan = harness(&[("extra", "10.100.0.0/24", false)]).plan("", "extra");
        assert_eq!(
            lines(&plan),
            [
                "patch servicecidrs extra: protect",
                "patch-status servicecidrs extra: ready"
            ]
        );
        assert_eq!(
            content(&plan.status[0])["status"]["conditions"][0],
            json!({"type": "Ready", "status": "True", "reason": "", "lastTransitionTime": "2026-01-02T12:00:00Z",
                "message": "Kubernetes Service CIDR is ready"})
        );
    }

    #[test]
    fn deleted_range_waits_for_its_addresses_and_ten_seconds() {
        let own = ("extra", "10.100.0.0/24", true);
        let plan = harness(&[own]).plan("", "extra");
        assert_eq!(lines(&plan), ["patch-status servicecidrs extra: in-use"]);
        for other in [
            ("wide", "10.100.0.0/16", false),
            ("twin", "10.100.0.0/24", false),
        ] {
            let mut harness = harness(&[own, other]);
            let plan = harness.plan("", "extra");
            assert_eq!(plan.requeue_after, Some(SignedDuration::from_secs(5)));
            harness.now += SignedDuration::from_secs(5);
            let plan = harness.plan("", "extra");
            assert_eq!(lines(&plan), ["patch servicecidrs extra: unprotect"]);
        }
    }
}
