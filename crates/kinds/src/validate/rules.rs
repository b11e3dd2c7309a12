//! Which rules hold for which kind.

use super::errors::Errors;
use super::{
    admissionregistration, autoscaling, classes, coordination, core, crd, endpoints, event,
    extensions, job, job_status, meta, network_policy, networking, paths, pod, quota, rbac,
    service, storage, storage_class, workload,
};
use crate::api::json::Value;
use crate::kind::Kind;

type Create = fn(&Value, &mut Errors);
type Update = fn(&Value, &Value, &mut Errors);

/// The rules of one kind.
pub(super) struct Rules {
    group: &'static str,
    kind: &'static str,
    /// For a new object.
    pub(super) create: Create,
    /// For an update: the new object, then the old one.
    pub(super) update: Update,
    /// For an update of the status.
    pub(super) status: Update,
}

impl Rules {
    const fn new(group: &'static str, kind: &'static str, create: Create, update: Update) -> Self {
        Self {
            group,
            kind,
            create,
            update,
            status: meta_only,
        }
    }

    const fn with_status(mut self, status: Update) -> Self {
        self.status = status;
        self
    }
}

/// An update that may change anything but what the object is.
fn meta_only(object: &Value, old: &Value, errors: &mut Errors) {
    meta::update(object, old, errors);
}

const NAMESPACED: Rules = Rules::new("", "", core::namespaced, meta_only);
const CLUSTER_WIDE: Rules = Rules::new("", "", core::cluster_wide, meta_only);

const ADMISSION: &str = "admissionregistration.k8s.io";
const FLOW: &str = "flowcontrol.apiserver.k8s.io";
const NETWORK: &str = "networking.k8s.io";
const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// Kinds that are not listed have metadata rules only.
const RULES: &[Rules] = &[
    Rules::new("", "ConfigMap", core::config_map, core::config_map_update),
    Rules::new(
        "",
        "Endpoints",
        endpoints::endpoints,
        endpoints::endpoints_update,
    ),
    Rules::new("", "Event", event::create, event::update),
    Rules::new("events.k8s.io", "Event", event::create, event::update),
    Rules::new(
        "",
        "LimitRange",
        quota::limit_range,
        quota::limit_range_update,
    ),
    Rules::new("", "Namespace", core::namespace, core::namespace_update),
    Rules::new("", "Node", core::node, core::node_update).with_status(core::node_update),
    Rules::new(
        "",
        "PersistentVolume",
        storage::volume,
        storage::volume_update,
    ),
    Rules::new(
        "",
        "PersistentVolumeClaim",
        storage::claim,
        storage::claim_update,
    ),
    Rules::new("", "Pod", pod::create, pod::update).with_status(pod::status),
    Rules::new(
        "",
        "PodTemplate",
        workload::pod_template,
        workload::pod_template_update,
    ),
    Rules::new(
        "",
        "ReplicationController",
        workload::replication_controller,
        workload::replication_controller_update,
    )
    .with_status(workload::replica_set_status),
    Rules::new("", "ResourceQuota", quota::quota, quota::quota_update)
        .with_status(quota::quota_status),
    Rules::new("", "Secret", core::secret, core::secret_update),
    Rules::new("", "Service", service::create, service::update).with_status(service::status),
    Rules::new(
        ADMISSION,
        "MutatingAdmissionPolicy",
        admissionregistration::mutating_policy,
        admissionregistration::mutating_policy_update,
    ),
    Rules::new(
        ADMISSION,
        "MutatingAdmissionPolicyBinding",
        admissionregistration::mutating_binding,
        admissionregistration::mutating_binding_update,
    ),
    Rules::new(
        ADMISSION,
        "MutatingWebhookConfiguration",
        admissionregistration::webhooks,
        admissionregistration::webhooks_update,
    ),
    Rules::new(
        ADMISSION,
        "ValidatingAdmissionPolicy",
        admissionregistration::validating_policy,
        admissionregistration::validating_policy_update,
    ),
    Rules::new(
        ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        admissionregistration::validating_binding,
        admissionregistration::validating_binding_update,
    ),
    Rules::new(
        ADMISSION,
        "ValidatingWebhookConfiguration",
        admissionregistration::webhooks,
        admissionregistration::webhooks_update,
    ),
    Rules::new(
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        crd::create,
        crd::update,
    ),
    Rules::new(
        "apiregistration.k8s.io",
        "APIService",
        extensions::api_service,
        extensions::api_service_update,
    ),
    Rules::new(
        "apps",
        "ControllerRevision",
        workload::controller_revision,
        workload::controller_revision_update,
    ),
    Rules::new(
        "apps",
        "DaemonSet",
        workload::daemon_set,
        workload::daemon_set_update,
    )
    .with_status(workload::daemon_set_status),
    Rules::new(
        "apps",
        "Deployment",
        workload::deployment,
        workload::deployment_update,
    )
    .with_status(workload::deployment_status),
    Rules::new(
        "apps",
        "ReplicaSet",
        workload::replica_set,
        workload::replica_set_update,
    )
    .with_status(workload::replica_set_status),
    Rules::new(
        "apps",
        "StatefulSet",
        workload::stateful_set,
        workload::stateful_set_update,
    )
    .with_status(workload::stateful_set_status),
    Rules::new(
        "autoscaling",
        "HorizontalPodAutoscaler",
        autoscaling::create,
        autoscaling::update,
    )
    .with_status(autoscaling::status),
    Rules::new("batch", "CronJob", job::cron_job, job::cron_job_update),
    Rules::new("batch", "Job", job::create, job::update).with_status(job_status::update),
    Rules::new(
        "certificates.k8s.io",
        "CertificateSigningRequest",
        extensions::certificate_request,
        meta_only,
    )
    .with_status(paths::certificate_status),
    Rules::new(
        "coordination.k8s.io",
        "Lease",
        coordination::lease,
        coordination::lease_update,
    ),
    Rules::new(
        "discovery.k8s.io",
        "EndpointSlice",
        endpoints::slice,
        endpoints::slice_update,
    ),
    Rules::new(
        FLOW,
        "FlowSchema",
        extensions::flow_schema,
        extensions::flow_schema_update,
    ),
    Rules::new(
        FLOW,
        "PriorityLevelConfiguration",
        extensions::priority_level,
        extensions::priority_level_update,
    ),
    Rules::new(
        NETWORK,
        "Ingress",
        networking::ingress,
        networking::ingress_update,
    )
    .with_status(networking::ingress_status),
    Rules::new(
        NETWORK,
        "IngressClass",
        networking::ingress_class,
        networking::ingress_class_update,
    ),
    Rules::new(
        NETWORK,
        "NetworkPolicy",
        network_policy::create,
        network_policy::update,
    ),
    Rules::new(
        NETWORK,
        "IPAddress",
        networking::ip_address,
        networking::ip_address_update,
    ),
    Rules::new(
        NETWORK,
        "ServiceCIDR",
        networking::service_cidr,
        networking::service_cidr_update,
    ),
    Rules::new(
        "node.k8s.io",
        "RuntimeClass",
        classes::runtime_class,
        classes::runtime_class_update,
    ),
    Rules::new(
        "policy",
        "PodDisruptionBudget",
        autoscaling::budget,
        autoscaling::budget_update,
    )
    .with_status(autoscaling::budget_status),
    Rules::new(
        RBAC,
        "ClusterRole",
        rbac::cluster_role,
        rbac::cluster_role_update,
    ),
    Rules::new(
        RBAC,
        "ClusterRoleBinding",
        rbac::cluster_role_binding,
        rbac::cluster_role_binding_update,
    ),
    Rules::new(RBAC, "Role", rbac::role, rbac::role_update),
    Rules::new(
        RBAC,
        "RoleBinding",
        rbac::role_binding,
        rbac::role_binding_update,
    ),
    Rules::new(
        "resource.k8s.io",
        "ResourceClaim",
        extensions::resource_claim,
        extensions::resource_claim_update,
    ),
    Rules::new(
        "resource.k8s.io",
        "ResourceClaimTemplate",
        extensions::resource_claim_template,
        extensions::resource_claim_template_update,
    ),
    Rules::new(
        "resource.k8s.io",
        "ResourceSlice",
        extensions::resource_slice,
        extensions::resource_slice_update,
    ),
    Rules::new(
        "scheduling.k8s.io",
        "PriorityClass",
        classes::priority_class,
        classes::priority_class_update,
    ),
    Rules::new(
        STORAGE,
        "CSIDriver",
        storage_class::driver,
        storage_class::driver_update,
    ),
    Rules::new(STORAGE, "CSINode", storage_class::node, meta_only),
    Rules::new(
        STORAGE,
        "CSIStorageCapacity",
        storage_class::storage_capacity,
        meta_only,
    ),
    Rules::new(
        STORAGE,
        "StorageClass",
        storage_class::class,
        storage_class::class_update,
    ),
    Rules::new(
        STORAGE,
        "VolumeAttachment",
        storage_class::attachment,
        storage_class::attachment_update,
    ),
    Rules::new(
        STORAGE,
        "VolumeAttributesClass",
        storage_class::attributes_class,
        storage_class::attributes_class_update,
    ),
];

/// The rules of a kind.
pub(super) fn of(kind: &Kind) -> &'static Rules {
    let own = RULES
        .iter()
        .find(|rules| rules.kind == kind.kind && rules.group == kind.group);
    own.unwrap_or(match kind.namespaced {
        true => &NAMESPACED,
        false => &CLUSTER_WIDE,
    })
}
