//! The kinds that controllers work on, one function each, so that a misspelled kind does not compile.

use crate::kinds::Kind;
use crate::kinds::find_by_api_version;

/// Returns a kind of the registry.
///
/// # Panics
/// If the kind is missing. Only the literals below are passed, and a test calls each function.
fn built_in(api_version: &str, kind: &str) -> &'static Kind {
    find_by_api_version(api_version, kind)
        .unwrap_or_else(|| panic!("{api_version} {kind} is not in the registry"))
}

/// Pods.
pub(crate) fn pods() -> &'static Kind {
    built_in("v1", "Pod")
}

/// Nodes.
pub(crate) fn nodes() -> &'static Kind {
    built_in("v1", "Node")
}

/// Namespaces.
pub(crate) fn namespaces() -> &'static Kind {
    built_in("v1", "Namespace")
}

/// Services.
pub(crate) fn services() -> &'static Kind {
    built_in("v1", "Service")
}

/// Endpoints.
pub(crate) fn endpoints() -> &'static Kind {
    built_in("v1", "Endpoints")
}

/// Events of the core group.
pub(crate) fn events() -> &'static Kind {
    built_in("v1", "Event")
}

/// ConfigMaps.
pub(crate) fn config_maps() -> &'static Kind {
    built_in("v1", "ConfigMap")
}

/// Secrets.
pub(crate) fn secrets() -> &'static Kind {
    built_in("v1", "Secret")
}

/// PersistentVolumes.
pub(crate) fn persistent_volumes() -> &'static Kind {
    built_in("v1", "PersistentVolume")
}

/// PersistentVolumeClaims.
pub(crate) fn claims() -> &'static Kind {
    built_in("v1", "PersistentVolumeClaim")
}

/// ReplicationControllers.
pub(crate) fn replication_controllers() -> &'static Kind {
    built_in("v1", "ReplicationController")
}

/// ResourceQuotas.
pub(crate) fn resource_quotas() -> &'static Kind {
    built_in("v1", "ResourceQuota")
}

/// ServiceAccounts.
pub(crate) fn service_accounts() -> &'static Kind {
    built_in("v1", "ServiceAccount")
}

/// ReplicaSets.
pub(crate) fn replica_sets() -> &'static Kind {
    built_in("apps/v1", "ReplicaSet")
}

/// Deployments.
pub(crate) fn deployments() -> &'static Kind {
    built_in("apps/v1", "Deployment")
}

/// StatefulSets.
pub(crate) fn stateful_sets() -> &'static Kind {
    built_in("apps/v1", "StatefulSet")
}

/// DaemonSets.
pub(crate) fn daemon_sets() -> &'static Kind {
    built_in("apps/v1", "DaemonSet")
}

/// ControllerRevisions: the templates of StatefulSets and DaemonSets.
pub(crate) fn revisions() -> &'static Kind {
    built_in("apps/v1", "ControllerRevision")
}

/// Jobs.
pub(crate) fn jobs() -> &'static Kind {
    built_in("batch/v1", "Job")
}

/// CronJobs.
pub(crate) fn cron_jobs() -> &'static Kind {
    built_in("batch/v1", "CronJob")
}

/// HorizontalPodAutoscalers.
pub(crate) fn autoscalers() -> &'static Kind {
    built_in("autoscaling/v2", "HorizontalPodAutoscaler")
}

/// CertificateSigningRequests.
pub(crate) fn signing_requests() -> &'static Kind {
    built_in("certificates.k8s.io/v1", "CertificateSigningRequest")
}

/// EndpointSlices.
pub(crate) fn endpoint_slices() -> &'static Kind {
    built_in("discovery.k8s.io/v1", "EndpointSlice")
}

/// Ingresses.
pub(crate) fn ingresses() -> &'static Kind {
    built_in("networking.k8s.io/v1", "Ingress")
}

/// IngressClasses.
pub(crate) fn ingress_classes() -> &'static Kind {
    built_in("networking.k8s.io/v1", "IngressClass")
}

/// PodDisruptionBudgets.
pub(crate) fn disruption_budgets() -> &'static Kind {
    built_in("policy/v1", "PodDisruptionBudget")
}

/// ClusterRoles.
pub(crate) fn cluster_roles() -> &'static Kind {
    built_in("rbac.authorization.k8s.io/v1", "ClusterRole")
}

/// DeviceClasses.
pub(crate) fn device_classes() -> &'static Kind {
    built_in("resource.k8s.io/v1", "DeviceClass")
}

/// ResourceClaims.
pub(crate) fn resource_claims() -> &'static Kind {
    built_in("resource.k8s.io/v1", "ResourceClaim")
}

/// ResourceClaimTemplates.
pub(crate) fn resource_claim_templates() -> &'static Kind {
    built_in("resource.k8s.io/v1", "ResourceClaimTemplate")
}

/// ResourceSlices.
pub(crate) fn resource_slices() -> &'static Kind {
    built_in("resource.k8s.io/v1", "ResourceSlice")
}

/// ValidatingAdmissionPolicies.
pub(crate) fn validating_policies() -> &'static Kind {
    built_in(
        "admissionregistration.k8s.io/v1",
        "ValidatingAdmissionPolicy",
    )
}

/// CustomResourceDefinitions.
pub(crate) fn definitions() -> &'static Kind {
    built_in("apiextensions.k8s.io/v1", "CustomResourceDefinition")
}

/// StorageClasses.
pub(crate) fn storage_classes() -> &'static Kind {
    built_in("storage.k8s.io/v1", "StorageClass")
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
        type OfKind = fn() -> &'static Kind;
        let kinds: &[(OfKind, &str)] = &[
            (pods, "Pod"),
            (nodes, "Node"),
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
            (ingresses, "Ingress"),
            (ingress_classes, "IngressClass"),
            (disruption_budgets, "PodDisruptionBudget"),
            (cluster_roles, "ClusterRole"),
            (device_classes, "DeviceClass"),
            (resource_claims, "ResourceClaim"),
            (resource_claim_templates, "ResourceClaimTemplate"),
            (resource_slices, "ResourceSlice"),
            (storage_classes, "StorageClass"),
            (validating_policies, "ValidatingAdmissionPolicy"),
            (definitions, "CustomResourceDefinition"),
        ];
        for (function, kind) in kinds {
            assert_eq!(function().kind, *kind);
        }
    }

    #[test]
    #[should_panic(expected = "v1 Pods is not in the registry")]
    fn a_misspelled_kind_is_no_other_kind() {
        built_in("v1", "Pods");
    }
}
