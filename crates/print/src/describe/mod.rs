//! `kubectl describe`: an object and its related objects as readable text.
//!
//! Each kind with a description of its own has a function in one of these files and an entry in `KINDS`; `generic`
//! describes all other kinds field by field. Nothing here reads the cluster: callers load what a kind
//! [needs](RelatedKind) into a [`Related`].

mod autoscaling;
mod certificate;
mod config;
mod containers;
mod events;
mod generic;
mod ingress;
mod jobs;
mod meta;
mod namespace;
mod network_policy;
mod node;
mod pod;
mod rbac;
mod related;
mod service;
mod storage;
mod template;
#[cfg(test)]
mod tests;
mod volumes;
mod workloads;
mod writer;

use crate::api::json::Value;
use crate::kinds::tree::text;
pub use rbac::rule_rows;
pub use related::{Related, RelatedKind};
pub use template::pod_template;
pub(crate) use writer::Writer;

type Describe = fn(&mut Writer, &Value, &Related);

/// A kind that has a description of its own.
struct Special {
    group: &'static str,
    kind: &'static str,
    needs: &'static [RelatedKind],
    describe: Describe,
}

const fn special(
    group: &'static str,
    kind: &'static str,
    needs: &'static [RelatedKind],
    describe: Describe,
) -> Special {
    Special {
        group,
        kind,
        needs,
        describe,
    }
}

use RelatedKind::{
    EndpointSlices, Events, Lease, LimitRanges, Pods, PodsOfNode, PodsOrError, Quotas, ReplicaSets,
    ResourceSlices, Services,
};

/// All kinds that have a description of their own.
const KINDS: &[Special] = &[
    special("", "ConfigMap", &[Events], config::config_map),
    special("", "Endpoints", &[Events], service::endpoints),
    // kubectl never requests events for the kinds without `Events`.
    special("", "LimitRange", &[], namespace::limit_range),
    special(
        "",
        "Namespace",
        &[Quotas, LimitRanges],
        namespace::namespace,
    ),
    special(
        "",
        "Node",
        &[Events, PodsOfNode, Lease, ResourceSlices],
        node::node,
    ),
    special(
        "",
        "PersistentVolume",
        &[Events],
        storage::persistent_volume,
    ),
    special(
        "",
        "PersistentVolumeClaim",
        &[Events, Pods],
        storage::persistent_volume_claim,
    ),
    special("", "Pod", &[Events], pod::pod),
    special(
        "",
        "ReplicationController",
        &[Events, Pods],
        workloads::replication_controller,
    ),
    special("", "ResourceQuota", &[], namespace::resource_quota),
    special("", "Secret", &[], config::secret),
    special("", "Service", &[Events, EndpointSlices], service::service),
    special("", "ServiceAccount", &[Events], config::service_account),
    special("apps", "DaemonSet", &[Events, Pods], workloads::daemon_set),
    special(
        "apps",
        "Deployment",
        &[Events, ReplicaSets],
        workloads::deployment,
    ),
    special(
        "apps",
        "ReplicaSet",
        &[Events, PodsOrError],
        workloads::replica_set,
    ),
    special(
        "apps",
        "StatefulSet",
        &[Events, Pods],
        workloads::stateful_set,
    ),
    special(
        "autoscaling",
        "HorizontalPodAutoscaler",
        &[Events],
        autoscaling::horizontal_pod_autoscaler,
    ),
    special("batch", "CronJob", &[Events], jobs::cron_job),
    special("batch", "Job", &[Events], jobs::job),
    special(
        "certificates.k8s.io",
        "CertificateSigningRequest",
        &[Events],
        certificate::signing_request,
    ),
    special(
        "discovery.k8s.io",
        "EndpointSlice",
        &[Events],
        service::endpoint_slice,
    ),
    special(
        "networking.k8s.io",
        "IPAddress",
        &[Events],
        ingress::ip_address,
    ),
    special(
        "networking.k8s.io",
        "Ingress",
        &[Events, EndpointSlices, Services],
        ingress::ingress,
    ),
    special(
        "networking.k8s.io",
        "IngressClass",
        &[Events],
        ingress::ingress_class,
    ),
    special(
        "networking.k8s.io",
        "NetworkPolicy",
        &[],
        network_policy::network_policy,
    ),
    special(
        "networking.k8s.io",
        "ServiceCIDR",
        &[Events],
        ingress::service_cidr,
    ),
    special(
        "policy",
        "PodDisruptionBudget",
        &[Events],
        autoscaling::pod_disruption_budget,
    ),
    special("rbac.authorization.k8s.io", "ClusterRole", &[], rbac::role),
    special(
        "rbac.authorization.k8s.io",
        "ClusterRoleBinding",
        &[],
        rbac::binding,
    ),
    special("rbac.authorization.k8s.io", "Role", &[], rbac::role),
    special(
        "rbac.authorization.k8s.io",
        "RoleBinding",
        &[],
        rbac::binding,
    ),
    special(
        "scheduling.k8s.io",
        "PriorityClass",
        &[Events],
        autoscaling::priority_class,
    ),
    special("storage.k8s.io", "CSINode", &[Events], storage::csi_node),
    special(
        "storage.k8s.io",
        "StorageClass",
        &[Events],
        storage::storage_class,
    ),
    special(
        "storage.k8s.io",
        "VolumeAttributesClass",
        &[Events],
        storage::volume_attributes_class,
    ),
];

fn find(group: &str, kind: &str) -> Option<&'static Special> {
    // A linear search: a description costs far more than fifty comparisons.
    KINDS
        .iter()
        // Ignores the version. Descriptions read the stored form, which all versions of a kind share.
        .find(|special| special.group == group && special.kind == kind)
}

/// Returns which related objects the description of a kind needs.
pub fn needs(group: &str, kind: &str) -> &'static [RelatedKind] {
    find(group, kind).map_or(&[RelatedKind::Events], |special| special.needs)
}

/// Describes an object.
pub fn describe(object: &Value, related: &Related) -> String {
    let group = text(object, "apiVersion")
        .split_once('/')
        .map_or("", |(group, _)| group);
    let describe = find(group, text(object, "kind"))
        .map_or(generic::generic as Describe, |special| special.describe);
    let mut writer = Writer::default();
    describe(&mut writer, object, related);
    writer.finish()
}
