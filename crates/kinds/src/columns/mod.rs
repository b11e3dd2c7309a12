//! The cells of a kind's table, as the server prints them for `kubectl get`.

mod autoscaling;
mod batch;
mod core;
mod custom;
mod extensions;
mod format;
mod networking;
mod node;
mod pod;
mod skim;
mod storage;
mod workload;

use crate::api::json::{Value, json};
use jiff::Timestamp;

pub use custom::custom;
pub use format::{age, label_selector, labels};
pub use skim::skim;

use super::kind::Kind;
use super::tree::{field, text};

type Cells = fn(&Value, Timestamp) -> Vec<Value>;

/// Group, kind, and the function that makes its cells. Kinds that are not listed have a name and an age.
const CELLS: &[(&str, &str, Cells)] = &[
    ("", "ConfigMap", core::config_map),
    ("", "Endpoints", networking::endpoints),
    ("", "Event", core::event),
    ("", "Namespace", core::namespace),
    ("", "Node", node::node),
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
    ("", "ResourceQuota", core::resource_quota),
    ("", "Secret", core::secret),
    ("", "Service", networking::service),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicy",
        extensions::mutating_policy,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingAdmissionPolicyBinding",
        extensions::policy_binding,
    ),
    (
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        extensions::webhooks,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        extensions::validating_policy,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        extensions::policy_binding,
    ),
    (
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        extensions::webhooks,
    ),
    (
        "apiregistration.k8s.io",
        "APIService",
        extensions::api_service,
    ),
    ("apps", "ControllerRevision", workload::controller_revision),
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
        "certificates.k8s.io",
        "CertificateSigningRequest",
        extensions::certificate_request,
    ),
    ("coordination.k8s.io", "Lease", core::lease),
    (
        "discovery.k8s.io",
        "EndpointSlice",
        networking::endpoint_slice,
    ),
    ("events.k8s.io", "Event", core::event),
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
    ("networking.k8s.io", "IPAddress", networking::ip_address),
    ("networking.k8s.io", "Ingress", networking::ingress),
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
    ("networking.k8s.io", "ServiceCIDR", networking::service_cidr),
    ("node.k8s.io", "RuntimeClass", core::runtime_class),
    (
        "policy",
        "PodDisruptionBudget",
        autoscaling::pod_disruption_budget,
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
        "ResourceSlice",
        extensions::resource_slice,
    ),
    ("scheduling.k8s.io", "PriorityClass", core::priority_class),
    ("storage.k8s.io", "CSIDriver", storage::csi_driver),
    ("storage.k8s.io", "CSINode", storage::csi_node),
    ("storage.k8s.io", "StorageClass", storage::storage_class),
    (
        "storage.k8s.io",
        "VolumeAttachment",
        storage::volume_attachment,
    ),
    (
        "storage.k8s.io",
        "VolumeAttributesClass",
        storage::volume_attributes_class,
    ),
];

/// The cells of an object, in the order of the kind's columns: texts, numbers and flags.
///
/// The object must be canonical and defaulted. Ages are counted up to `now`.
pub fn cells(kind: &Kind, object: &Value, now: Timestamp) -> Vec<Value> {
    if let Some(kind) = kind.custom {
        return custom(&kind.columns, object, now);
    }
    let entry = CELLS
        .iter()
        .find(|(group, name, _)| *group == kind.group && *name == kind.kind);
    match entry {
        Some((_, _, cells)) => cells(object, now),
        None => kind
            .columns
            .iter()
            .map(|c| plain(c.name, object, now))
            .collect(),
    }
}

/// A cell of a kind without a printer of its own.
fn plain(column: &str, object: &Value, now: Timestamp) -> Value {
    match column {
        "Name" => name(object),
        "Created At" => field(field(object, "metadata"), "creationTimestamp").clone(),
        "Age" => json!(age(object, now)),
        _ => json!(""),
    }
}

fn name(object: &Value) -> Value {
    json!(text(field(object, "metadata"), "name"))
}
