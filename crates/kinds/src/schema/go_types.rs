//! The names of Kubernetes' Go types for texts and maps, as decoding errors print them.

/// The struct, the field, and the named type of the field. A table of facts: JSON schemas do not have these names.
const NAMED: &[(&str, &str, &str)] = &[
    ("Capabilities", "add", "[]v1.Capability"),
    ("Capabilities", "drop", "[]v1.Capability"),
    ("Container", "imagePullPolicy", "v1.PullPolicy"),
    ("Container", "restartPolicy", "v1.ContainerRestartPolicy"),
    (
        "Container",
        "terminationMessagePolicy",
        "v1.TerminationMessagePolicy",
    ),
    ("ContainerPort", "protocol", "v1.Protocol"),
    ("CronJobSpec", "concurrencyPolicy", "v1.ConcurrencyPolicy"),
    (
        "DaemonSetUpdateStrategy",
        "type",
        "v1.DaemonSetUpdateStrategyType",
    ),
    ("DeploymentStrategy", "type", "v1.DeploymentStrategyType"),
    ("EmptyDirVolumeSource", "medium", "v1.StorageMedium"),
    ("EndpointPort", "protocol", "v1.Protocol"),
    ("EndpointSlice", "addressType", "v1.AddressType"),
    ("HTTPGetAction", "scheme", "v1.URIScheme"),
    ("HTTPIngressPath", "pathType", "v1.PathType"),
    ("HostPathVolumeSource", "type", "v1.HostPathType"),
    ("JobSpec", "completionMode", "v1.CompletionMode"),
    ("JobSpec", "podReplacementPolicy", "v1.PodReplacementPolicy"),
    (
        "LabelSelectorRequirement",
        "operator",
        "v1.LabelSelectorOperator",
    ),
    ("LimitRangeItem", "default", "v1.ResourceList"),
    ("LimitRangeItem", "defaultRequest", "v1.ResourceList"),
    ("LimitRangeItem", "max", "v1.ResourceList"),
    ("LimitRangeItem", "maxLimitRequestRatio", "v1.ResourceList"),
    ("LimitRangeItem", "min", "v1.ResourceList"),
    ("LimitRangeItem", "type", "v1.LimitType"),
    ("MetricSpec", "type", "v2.MetricSourceType"),
    ("MetricTarget", "type", "v2.MetricTargetType"),
    ("NetworkPolicyPort", "protocol", "v1.Protocol"),
    ("NetworkPolicySpec", "policyTypes", "[]v1.PolicyType"),
    (
        "NodeSelectorRequirement",
        "operator",
        "v1.NodeSelectorOperator",
    ),
    ("NodeStatus", "allocatable", "v1.ResourceList"),
    ("NodeStatus", "capacity", "v1.ResourceList"),
    ("ObjectMeta", "uid", "types.UID"),
    ("OwnerReference", "uid", "types.UID"),
    (
        "PersistentVolumeClaimSpec",
        "accessModes",
        "[]v1.PersistentVolumeAccessMode",
    ),
    (
        "PersistentVolumeClaimSpec",
        "volumeMode",
        "v1.PersistentVolumeMode",
    ),
    (
        "PersistentVolumeSpec",
        "accessModes",
        "[]v1.PersistentVolumeAccessMode",
    ),
    ("PersistentVolumeSpec", "capacity", "v1.ResourceList"),
    (
        "PersistentVolumeSpec",
        "persistentVolumeReclaimPolicy",
        "v1.PersistentVolumeReclaimPolicy",
    ),
    (
        "PersistentVolumeSpec",
        "volumeMode",
        "v1.PersistentVolumeMode",
    ),
    ("PodSpec", "dnsPolicy", "v1.DNSPolicy"),
    ("PodSpec", "overhead", "v1.ResourceList"),
    ("PodSpec", "preemptionPolicy", "v1.PreemptionPolicy"),
    ("PodSpec", "restartPolicy", "v1.RestartPolicy"),
    ("PodStatus", "phase", "v1.PodPhase"),
    ("ResourceQuotaSpec", "hard", "v1.ResourceList"),
    ("ResourceQuotaSpec", "scopes", "[]v1.ResourceQuotaScope"),
    ("ResourceRequirements", "limits", "v1.ResourceList"),
    ("ResourceRequirements", "requests", "v1.ResourceList"),
    ("SeccompProfile", "type", "v1.SeccompProfileType"),
    ("Secret", "type", "v1.SecretType"),
    ("ServicePort", "protocol", "v1.Protocol"),
    (
        "ServiceSpec",
        "externalTrafficPolicy",
        "v1.ServiceExternalTrafficPolicy",
    ),
    (
        "ServiceSpec",
        "internalTrafficPolicy",
        "v1.ServiceInternalTrafficPolicy",
    ),
    ("ServiceSpec", "ipFamilies", "[]v1.IPFamily"),
    ("ServiceSpec", "ipFamilyPolicy", "v1.IPFamilyPolicy"),
    ("ServiceSpec", "sessionAffinity", "v1.ServiceAffinity"),
    ("ServiceSpec", "type", "v1.ServiceType"),
    (
        "StatefulSetSpec",
        "podManagementPolicy",
        "v1.PodManagementPolicyType",
    ),
    (
        "StatefulSetUpdateStrategy",
        "type",
        "v1.StatefulSetUpdateStrategyType",
    ),
    (
        "StorageClass",
        "reclaimPolicy",
        "v1.PersistentVolumeReclaimPolicy",
    ),
    ("StorageClass", "volumeBindingMode", "v1.VolumeBindingMode"),
    ("Taint", "effect", "v1.TaintEffect"),
    ("Toleration", "effect", "v1.TaintEffect"),
    ("Toleration", "operator", "v1.TolerationOperator"),
    (
        "TopologySpreadConstraint",
        "whenUnsatisfiable",
        "v1.UnsatisfiableConstraintAction",
    ),
    ("VolumeMount", "mountPropagation", "v1.MountPropagationMode"),
    ("VolumeResourceRequirements", "limits", "v1.ResourceList"),
    ("VolumeResourceRequirements", "requests", "v1.ResourceList"),
];

/// Returns the name of a field's type; for an item of a list, the type of the item.
pub(super) fn named(owner: &str, field: &str, item: bool) -> Option<&'static str> {
    // Only decoding errors use these names, so a linear search of the table is fast enough.
    let found = NAMED
        .iter()
        .find(|(struct_name, name, _)| *struct_name == owner && *name == field);
    let name = found.map(|(_, _, name)| *name)?;
    match (item, name.strip_prefix("[]")) {
        (true, Some(item)) => Some(item),
        (true, None) => None,
        (false, _) => Some(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::table::all;

    #[test]
    fn every_named_field_exists() {
        for (owner, field, _) in NAMED {
            let found =
                all().any(|schema| schema.go_name() == *owner && schema.field(field).is_some());
            assert!(found, "{owner}.{field}");
        }
    }
}
