//! The controllers: one file or folder each, a pure function from the observed state to a plan.
//!
//! Must not know: the store, each other.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_kinds as kinds;
use ctl_pki as pki;
use ctl_runtime as runtime;

mod address_repair;
mod admission_policies;
mod api_availability;
mod api_server;
mod backends;
mod certificate_requests;
mod cluster_role_aggregation;
mod cronjob;
mod daemon_set;
mod deployment;
mod disruption;
mod endpoints;
mod endpointslice;
mod endpointslice_mirroring;
mod event_ttl;
mod garbage_collector;
mod hpa;
mod job;
mod load_balancer;
mod namespace;
mod namespace_contents;
mod node_lifecycle;
mod pod_counts;
mod pod_gc;
mod port_order;
mod pv_binder;
mod replica_set;
mod resource_claims;
mod resource_quota;
mod revisions;
mod scheduler;
mod service_account_tokens;
mod service_pods;
mod service_ranges;
mod stateful_set;
mod taint_eviction;
mod ttl_after_finished;
mod views;
mod volume_match;
mod watched;
mod workload;

#[cfg(test)]
pub(crate) mod harness;
#[cfg(test)]
pub(crate) mod testing;

pub use event_ttl::EventTtl;
pub use scheduler::Scheduler;
pub use workload::is_ready;

use crate::runtime::Controller;

/// Makes a controller.
pub type Make = fn() -> Box<dyn Controller>;

/// Every controller, in the order in which they are reconciled.
pub const CONTROLLERS: &[Make] = &[
    // First: Kubernetes has its own queue for new quotas, so they limit the Pods that other controllers create.
    || Box::new(resource_quota::ResourceQuotas),
    || Box::new(deployment::Deployments),
    || Box::new(replica_set::ReplicaSets::of_apps()),
    || Box::new(replica_set::ReplicaSets::of_core()),
    || Box::new(stateful_set::StatefulSets),
    || Box::new(daemon_set::DaemonSets::default()),
    || Box::new(job::Jobs::default()),
    || Box::new(cronjob::CronJobs),
    || Box::new(ttl_after_finished::TtlAfterFinished),
    || Box::new(scheduler::Scheduler::default()),
    || Box::new(endpoints::Endpoints),
    || Box::new(endpointslice::EndpointSlices::default()),
    || Box::new(endpointslice_mirroring::Mirrors),
    || Box::new(disruption::Disruptions::default()),
    || Box::new(node_lifecycle::NodeLifecycle::default()),
    || Box::new(taint_eviction::TaintEviction::default()),
    || Box::new(hpa::Autoscaler::default()),
    || Box::new(load_balancer::LoadBalancers),
    || Box::new(load_balancer::Ingresses),
    || Box::new(pv_binder::Claims::default()),
    || Box::new(pv_binder::Volumes),
    || Box::new(pv_binder::EphemeralClaims),
    || Box::new(pv_binder::AttributesClasses),
    || Box::new(resource_claims::PodClaims),
    || Box::new(resource_claims::ResourceClaims),
    || Box::new(api_server::KeptObjects::default()),
    || Box::new(service_ranges::ServiceRanges),
    || Box::new(address_repair::AddressRepair::default()),
    || Box::new(namespace_contents::ServiceAccounts),
    || Box::new(namespace_contents::RootCertificates),
    || Box::new(cluster_role_aggregation::ClusterRoles),
    || Box::new(service_account_tokens::ServiceAccountTokens),
    || Box::new(certificate_requests::CertificateSigner),
    || Box::new(certificate_requests::CertificateRequests),
    || Box::new(admission_policies::AdmissionPolicies),
    || Box::new(namespace::Namespaces::default()),
    || Box::new(garbage_collector::GarbageCollector::default()),
    || Box::new(pod_gc::PodGc::default()),
    || Box::new(event_ttl::EventTtl::default()),
];

/// Returns the controllers whose names are selected.
pub fn wanted(is_wanted: &dyn Fn(&str) -> bool) -> Vec<Box<dyn Controller>> {
    let all = CONTROLLERS.iter().map(|make| make());
    all.filter(|c| is_wanted(c.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controllers_have_unique_names_and_at_least_one_watch() {
        let mut names = Vec::new();
        for make in CONTROLLERS {
            let controller = make();
            assert!(!controller.watches().is_empty(), "{}", controller.name());
            assert!(!names.contains(&controller.name()), "{}", controller.name());
            names.push(controller.name());
        }
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
