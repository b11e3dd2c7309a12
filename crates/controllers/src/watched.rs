//! The kinds that controllers work on, one function each, so that a misspelled kind does not compile.

use std::sync::LazyLock;

use crate::kinds::Kind;
use crate::kinds::find_by_api_version;

/// A kind that is looked up once. Looked up for each change of an object, the kinds took 1.8 % of the instructions of
/// exploring a rolling update of 100 Pods.
type BuiltIn = LazyLock<&'static Kind>;

/// Returns a kind of the registry.
///
/// # Panics
/// If the kind is missing. Only the literals below are passed, and a test calls each function.
fn built_in(api_version: &str, kind: &str) -> &'static Kind {
    find_by_api_version(api_version, kind)
        .unwrap_or_else(|| panic!("{api_version} {kind} is not in the registry"))
}

/// Returns the kind of Pods.
pub(crate) fn pods() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Pod"));
    &KIND
}

/// Returns the kind of Nodes.
pub(crate) fn nodes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Node"));
    &KIND
}

/// Returns the kind of Leases.
pub(crate) fn leases() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("coordination.k8s.io/v1", "Lease"));
    &KIND
}

/// Returns the kind of Namespaces.
pub(crate) fn namespaces() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Namespace"));
    &KIND
}

/// Returns the kind of Services.
pub(crate) fn services() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Service"));
    &KIND
}

/// Returns the kind of ServiceCIDRs.
pub(crate) fn service_ranges() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("networking.k8s.io/v1", "ServiceCIDR"));
    &KIND
}

/// Returns the kind of IPAddresses.
pub(crate) fn ip_addresses() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("networking.k8s.io/v1", "IPAddress"));
    &KIND
}

/// Returns the kind of VolumeAttributesClasses.
pub(crate) fn attributes_classes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("storage.k8s.io/v1", "VolumeAttributesClass"));
    &KIND
}

/// Returns the kind of Endpoints.
pub(crate) fn endpoints() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Endpoints"));
    &KIND
}

/// Events of the core group.
pub(crate) fn events() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Event"));
    &KIND
}

/// Returns the kind of ConfigMaps.
pub(crate) fn config_maps() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "ConfigMap"));
    &KIND
}

/// Returns the kind of Secrets.
pub(crate) fn secrets() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "Secret"));
    &KIND
}

/// Returns the kind of PersistentVolumes.
pub(crate) fn persistent_volumes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "PersistentVolume"));
    &KIND
}

/// Returns the kind of PersistentVolumeClaims.
pub(crate) fn claims() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "PersistentVolumeClaim"));
    &KIND
}

/// Returns the kind of ReplicationControllers.
pub(crate) fn replication_controllers() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "ReplicationController"));
    &KIND
}

/// Returns the kind of ResourceQuotas.
pub(crate) fn resource_quotas() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "ResourceQuota"));
    &KIND
}

/// Returns the kind of ServiceAccounts.
pub(crate) fn service_accounts() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("v1", "ServiceAccount"));
    &KIND
}

/// Returns the kind of ReplicaSets.
pub(crate) fn replica_sets() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apps/v1", "ReplicaSet"));
    &KIND
}

/// Returns the kind of Deployments.
pub(crate) fn deployments() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apps/v1", "Deployment"));
    &KIND
}

/// Returns the kind of StatefulSets.
pub(crate) fn stateful_sets() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apps/v1", "StatefulSet"));
    &KIND
}

/// Returns the kind of DaemonSets.
pub(crate) fn daemon_sets() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apps/v1", "DaemonSet"));
    &KIND
}

/// Returns the kind of ControllerRevisions: the templates of StatefulSets and DaemonSets.
pub(crate) fn revisions() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apps/v1", "ControllerRevision"));
    &KIND
}

/// Returns the kind of Jobs.
pub(crate) fn jobs() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("batch/v1", "Job"));
    &KIND
}

/// Returns the kind of CronJobs.
pub(crate) fn cron_jobs() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("batch/v1", "CronJob"));
    &KIND
}

/// Returns the kind of HorizontalPodAutoscalers.
pub(crate) fn autoscalers() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("autoscaling/v2", "HorizontalPodAutoscaler"));
    &KIND
}

/// Returns the kind of CertificateSigningRequests.
pub(crate) fn signing_requests() -> &'static Kind {
    static KIND: BuiltIn =
        BuiltIn::new(|| built_in("certificates.k8s.io/v1", "CertificateSigningRequest"));
    &KIND
}

/// Returns the kind of APIServices.
pub(crate) fn api_services() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("apiregistration.k8s.io/v1", "APIService"));
    &KIND
}

/// Returns the kind of EndpointSlices.
pub(crate) fn endpoint_slices() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("discovery.k8s.io/v1", "EndpointSlice"));
    &KIND
}

/// Returns the kind of Ingresses.
pub(crate) fn ingresses() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("networking.k8s.io/v1", "Ingress"));
    &KIND
}

/// Returns the kind of IngressClasses.
pub(crate) fn ingress_classes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("networking.k8s.io/v1", "IngressClass"));
    &KIND
}

/// Returns the kind of PodDisruptionBudgets.
pub(crate) fn disruption_budgets() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("policy/v1", "PodDisruptionBudget"));
    &KIND
}

/// Returns the kind of ClusterRoles.
pub(crate) fn cluster_roles() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("rbac.authorization.k8s.io/v1", "ClusterRole"));
    &KIND
}

/// Returns the kind of DeviceClasses.
pub(crate) fn device_classes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("resource.k8s.io/v1", "DeviceClass"));
    &KIND
}

/// Returns the kind of ResourceClaims.
pub(crate) fn resource_claims() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("resource.k8s.io/v1", "ResourceClaim"));
    &KIND
}

/// Returns the kind of ResourceClaimTemplates.
pub(crate) fn resource_claim_templates() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("resource.k8s.io/v1", "ResourceClaimTemplate"));
    &KIND
}

/// Returns the kind of ResourceSlices.
pub(crate) fn resource_slices() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("resource.k8s.io/v1", "ResourceSlice"));
    &KIND
}

/// Returns the kind of ValidatingAdmissionPolicies.
pub(crate) fn validating_policies() -> &'static Kind {
    built_in(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
    )
}

/// Returns the kind of CustomResourceDefinitions.
pub(crate) fn definitions() -> &'static Kind {
    static KIND: BuiltIn =
        BuiltIn::new(|| built_in("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
    &KIND
}

/// Returns the kind of StorageClasses.
pub(crate) fn storage_classes() -> &'static Kind {
    static KIND: BuiltIn = BuiltIn::new(|| built_in("storage.k8s.io/v1", "StorageClass"));
    &KIND
}

/// Returns the kind of CSIDrivers.
pub(crate) fn csi_drivers() -> &'static Kind {
    built_in("storage.k8s.io/v1", "CSIDriver")
}

/// Returns the kind of CSINodes.
pub(crate) fn csi_nodes() -> &'static Kind {
    built_in("storage.k8s.io/v1", "CSINode")
}

/// Returns the kind of CSIStorageCapacities.
pub(crate) fn storage_capacities() -> &'static Kind {
    built_in("storage.k8s.io/v1", "CSIStorageCapacity")
}

/// Returns the kinds with replicas that select Pods: a change of their desired number concerns every controller that
/// counts those Pods.
pub(crate) fn scalable() -> [&'static Kind; 4] {
    [
        // DaemonSets are omitted: their scale follows the nodes.
        deployments(),
        replica_sets(),
        stateful_sets(),
        replication_controllers(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_registry() {
        type KindFunction = fn() -> &'static Kind;
        let kinds: &[(KindFunction, &str)] = &[
            (pods, "Pod"),
            (nodes, "Node"),
            (leases, "Lease"),
            (namespaces, "Namespace"),
            (services, "Service"),
            (endpoints, "Endpoints"),
            (events, "Event"),
            (config_maps, "ConfigMap"),
            (secrets, "Secret"),
            (persistent_volumes, "PersistentVolume"),
            (claims, "PersistentVolumeClaim"),
            (replication_controllers, "ReplicationController"),
            (resource_quotas, "ResourceQuota"),
            (service_accounts, "ServiceAccount"),
            (replica_sets, "ReplicaSet"),
            (deployments, "Deployment"),
            (stateful_sets, "StatefulSet"),
            (daemon_sets, "DaemonSet"),
            (revisions, "ControllerRevision"),
            (jobs, "Job"),
            (cron_jobs, "CronJob"),
            (autoscalers, "HorizontalPodAutoscaler"),
            (signing_requests, "CertificateSigningRequest"),
            (endpoint_slices, "EndpointSlice"),
            (api_services, "APIService"),
            (ingresses, "Ingress"),
            (ingress_classes, "IngressClass"),
            (disruption_budgets, "PodDisruptionBudget"),
            (cluster_roles, "ClusterRole"),
            (device_classes, "DeviceClass"),
            (resource_claims, "ResourceClaim"),
            (resource_claim_templates, "ResourceClaimTemplate"),
            (resource_slices, "ResourceSlice"),
            (service_ranges, "ServiceCIDR"),
            (ip_addresses, "IPAddress"),
            (attributes_classes, "VolumeAttributesClass"),
            (storage_classes, "StorageClass"),
            (csi_drivers, "CSIDriver"),
            (csi_nodes, "CSINode"),
            (storage_capacities, "CSIStorageCapacity"),
            (validating_policies, "ValidatingAdmissionPolicy"),
            (definitions, "CustomResourceDefinition"),
        ];
        for (function, kind) in kinds {
            assert_eq!(function().kind, *kind);
        }
    }

    #[test]
    #[should_panic(expected = "v1 Pods is not in the registry")]
    fn unknown_watched_kind_panics() {
        built_in("v1", "Pods");
    }
}
