//! Defaults: what a field means when it is left out, whoever writes it and whatever else exists.
//!
//! Defaults run on every object that the server reads, from a client or from storage, and are the same
//! when run twice. What only a new object gets is in [`super::strategy`]; what depends on the cluster
//! is in [`super::admission`].

mod admissionregistration;
mod autoscaling;
mod batch;
mod core;
mod extensions;
mod networking;
mod pod;
mod service;
mod storage;
mod volume;
mod workload;

use super::kind::Kind;
use crate::api::json::Value;

type Defaults = fn(&mut Value);

/// Group, kind, and the function that sets its defaults. Kinds without defaults are not listed.
const DEFAULTS: &[(&str, &str, Defaults)] = &[
    ("", "Endpoints", core::endpoints),
    ("", "LimitRange", core::limit_range),
    ("", "Namespace", core::namespace),
    ("", "Node", core::node),
    ("", "PersistentVolume", storage::persistent_volume),
    (
        "",
        "PersistentVolumeClaim",
        storage::persistent_volume_claim,
    ),
    ("", "Pod", pod::pod),
    ("", "PodTemplate", workload::pod_template),
    (
        "",
        "ReplicationController",
        workload::replication_controller,
    ),
    ("", "Secret", core::secret),
    ("", "Service", service::service),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicy",
        admissionregistration::admission_policy,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicyBinding",
        admissionregistration::policy_binding,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        admissionregistration::mutating_webhooks,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        admissionregistration::admission_policy,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        admissionregistration::policy_binding,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        admissionregistration::validating_webhooks,
    ),
    (
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        extensions::crd,
    ),
    (
        "apiregistration.k8s.io",
        "APIService",
        extensions::api_service,
    ),
    ("apps", "DaemonSet", workload::daemon_set),
    ("apps", "Deployment", workload::deployment),
    ("apps", "ReplicaSet", workload::replica_set),
    ("apps", "StatefulSet", workload::stateful_set),
    (
        "autoscaling",
        "HorizontalPodAutoscaler",
        autoscaling::horizontal_pod_autoscaler,
    ),
    ("batch", "CronJob", batch::cron_job),
    ("batch", "Job", batch::job),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        networking::endpoint_slice,
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "FlowSchema",
        extensions::flow_schema,
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "PriorityLevelConfiguration",
        extensions::priority_level,
    ),
    (
        "networking.k8s.io",
        "IngressClass",
        networking::ingress_class,
    ),
    (
        "networking.k8s.io",
        "NetworkPolicy",
        networking::network_policy,
    ),
    (
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        extensions::role_binding,
    ),
    (
        "rbac.authorization.k8s.io",
        "RoleBinding",
        extensions::role_binding,
    ),
    (
        "resource.k8s.io",
        "ResourceClaim",
        extensions::resource_claim,
    ),
    (
        "resource.k8s.io",
        "ResourceClaimTemplate",
        extensions::resource_claim_template,
    ),
    (
        "scheduling.k8s.io",
        "PriorityClass",
        extensions::priority_class,
    ),
    ("storage.k8s.io", "CSIDriver", storage::csi_driver),
    ("storage.k8s.io", "StorageClass", storage::storage_class),
];

/// Sets the defaults of an object that is decoded and canonical.
pub fn apply(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom {
        return super::custom::set_defaults(&custom.schema, object);
    }
    let entry = DEFAULTS
        .iter()
        .find(|(group, name, _)| *name == kind.kind && *group == kind.group);
    if let Some((_, _, defaults)) = entry {
        defaults(object);
    }
}
