//! The names of Kubernetes' Go types for strings and maps, as decoding errors print them.

/// The struct, the field, and the named type of the field. This is a table because JSON schemas do not contain these
/// names.
const NAMED: &[(&str, &str, &str)] = &[
    ("APIServiceCondition", "status", "v1.ConditionStatus"),
    ("APIServiceCondition", "type", "v1.APIServiceConditionType"),
    ("AppArmorProfile", "type", "v1.AppArmorProfileType"),
    ("AttachedVolume", "name", "v1.UniqueVolumeName"),
    (
        "AzureDiskVolumeSource",
        "cachingMode",
        "v1.AzureDataDiskCachingMode",
    ),
    ("AzureDiskVolumeSource", "kind", "v1.AzureDataDiskKind"),
    ("CSIDriverSpec", "fsGroupPolicy", "v1.FSGroupPolicy"),
    (
        "CSIDriverSpec",
        "volumeLifecycleModes",
        "[]v1.VolumeLifecycleMode",
    ),
    ("Capabilities", "add", "[]v1.Capability"),
    ("Capabilities", "drop", "[]v1.Capability"),
    (
        "CertificateSigningRequestCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "CertificateSigningRequestCondition",
        "type",
        "v1.RequestConditionType",
    ),
    ("CertificateSigningRequestSpec", "usages", "[]v1.KeyUsage"),
    ("ComponentCondition", "status", "v1.ConditionStatus"),
    ("ComponentCondition", "type", "v1.ComponentConditionType"),
    ("Condition", "status", "v1.ConditionStatus"),
    ("Container", "imagePullPolicy", "v1.PullPolicy"),
    ("Container", "restartPolicy", "v1.ContainerRestartPolicy"),
    (
        "Container",
        "terminationMessagePolicy",
        "v1.TerminationMessagePolicy",
    ),
    ("ContainerPort", "protocol", "v1.Protocol"),
    ("ContainerResizePolicy", "resourceName", "v1.ResourceName"),
    (
        "ContainerResizePolicy",
        "restartPolicy",
        "v1.ResourceResizeRestartPolicy",
    ),
    ("ContainerResourceMetricSource", "name", "v1.ResourceName"),
    (
        "ContainerRestartRule",
        "action",
        "v1.ContainerRestartRuleAction",
    ),
    (
        "ContainerRestartRuleOnExitCodes",
        "operator",
        "v1.ContainerRestartRuleOnExitCodesOperator",
    ),
    ("ContainerStatus", "allocatedResources", "v1.ResourceList"),
    ("ContainerStatus", "stopSignal", "v1.Signal"),
    ("CronJobSpec", "concurrencyPolicy", "v1.ConcurrencyPolicy"),
    (
        "CustomResourceConversion",
        "strategy",
        "v1.ConversionStrategyType",
    ),
    (
        "CustomResourceDefinitionCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "CustomResourceDefinitionCondition",
        "type",
        "v1.CustomResourceDefinitionConditionType",
    ),
    ("CustomResourceDefinitionSpec", "scope", "v1.ResourceScope"),
    ("DaemonSetCondition", "status", "v1.ConditionStatus"),
    ("DaemonSetCondition", "type", "v1.DaemonSetConditionType"),
    (
        "DaemonSetUpdateStrategy",
        "type",
        "v1.DaemonSetUpdateStrategyType",
    ),
    ("DeploymentCondition", "status", "v1.ConditionStatus"),
    ("DeploymentCondition", "type", "v1.DeploymentConditionType"),
    ("DeploymentStrategy", "type", "v1.DeploymentStrategyType"),
    (
        "DeviceSubRequest",
        "allocationMode",
        "v1.DeviceAllocationMode",
    ),
    (
        "DeviceAllocationConfiguration",
        "source",
        "v1.AllocationConfigSource",
    ),
    ("DeviceTaint", "effect", "v1.DeviceTaintEffect"),
    ("DeviceToleration", "effect", "v1.DeviceTaintEffect"),
    (
        "DeviceToleration",
        "operator",
        "v1.DeviceTolerationOperator",
    ),
    ("EmptyDirVolumeSource", "medium", "v1.StorageMedium"),
    ("EndpointPort", "protocol", "v1.Protocol"),
    ("EndpointSlice", "addressType", "v1.AddressType"),
    ("EphemeralContainer", "imagePullPolicy", "v1.PullPolicy"),
    (
        "EphemeralContainer",
        "restartPolicy",
        "v1.ContainerRestartPolicy",
    ),
    (
        "EphemeralContainer",
        "terminationMessagePolicy",
        "v1.TerminationMessagePolicy",
    ),
    (
        "ExactDeviceRequest",
        "allocationMode",
        "v1.DeviceAllocationMode",
    ),
    (
        "FlowDistinguisherMethod",
        "type",
        "v1.FlowDistinguisherMethodType",
    ),
    ("FlowSchemaCondition", "status", "v1.ConditionStatus"),
    ("FlowSchemaCondition", "type", "v1.FlowSchemaConditionType"),
    ("HPAScalingPolicy", "type", "v2.HPAScalingPolicyType"),
    ("HPAScalingRules", "selectPolicy", "v2.ScalingPolicySelect"),
    ("HTTPGetAction", "scheme", "v1.URIScheme"),
    ("HTTPIngressPath", "pathType", "v1.PathType"),
    (
        "HorizontalPodAutoscalerCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "HorizontalPodAutoscalerCondition",
        "type",
        "v2.HorizontalPodAutoscalerConditionType",
    ),
    ("HostPathVolumeSource", "type", "v1.HostPathType"),
    ("ImageVolumeSource", "pullPolicy", "v1.PullPolicy"),
    ("IngressPortStatus", "protocol", "v1.Protocol"),
    ("JobCondition", "status", "v1.ConditionStatus"),
    ("JobCondition", "type", "v1.JobConditionType"),
    ("JobSpec", "completionMode", "v1.CompletionMode"),
    ("JobSpec", "podReplacementPolicy", "v1.PodReplacementPolicy"),
    (
        "LabelSelectorRequirement",
        "operator",
        "v1.LabelSelectorOperator",
    ),
    ("LeaseSpec", "strategy", "v1.CoordinatedLeaseStrategy"),
    ("Lifecycle", "stopSignal", "v1.Signal"),
    ("LimitRangeItem", "default", "v1.ResourceList"),
    ("LimitRangeItem", "defaultRequest", "v1.ResourceList"),
    ("LimitRangeItem", "max", "v1.ResourceList"),
    ("LimitRangeItem", "maxLimitRequestRatio", "v1.ResourceList"),
    ("LimitRangeItem", "min", "v1.ResourceList"),
    ("LimitRangeItem", "type", "v1.LimitType"),
    ("LimitResponse", "type", "v1.LimitResponseType"),
    ("LoadBalancerIngress", "ipMode", "v1.LoadBalancerIPMode"),
    (
        "ManagedFieldsEntry",
        "operation",
        "v1.ManagedFieldsOperationType",
    ),
    ("MatchResources", "matchPolicy", "v1.MatchPolicyType"),
    ("MetricSpec", "type", "v2.MetricSourceType"),
    ("MetricStatus", "type", "v2.MetricSourceType"),
    ("MetricTarget", "type", "v2.MetricTargetType"),
    (
        "ModifyVolumeStatus",
        "status",
        "v1.PersistentVolumeClaimModifyVolumeStatus",
    ),
    (
        "MutatingAdmissionPolicySpec",
        "failurePolicy",
        "v1.FailurePolicyType",
    ),
    (
        "MutatingAdmissionPolicySpec",
        "reinvocationPolicy",
        "v1.ReinvocationPolicyType",
    ),
    ("MutatingWebhook", "failurePolicy", "v1.FailurePolicyType"),
    ("MutatingWebhook", "matchPolicy", "v1.MatchPolicyType"),
    (
        "MutatingWebhook",
        "reinvocationPolicy",
        "v1.ReinvocationPolicyType",
    ),
    ("MutatingWebhook", "sideEffects", "v1.SideEffectClass"),
    ("Mutation", "patchType", "v1.PatchType"),
    ("NamespaceCondition", "status", "v1.ConditionStatus"),
    ("NamespaceCondition", "type", "v1.NamespaceConditionType"),
    ("NamespaceSpec", "finalizers", "[]v1.FinalizerName"),
    ("NamespaceStatus", "phase", "v1.NamespacePhase"),
    (
        "NamedRuleWithOperations",
        "operations",
        "[]v1.OperationType",
    ),
    ("NamedRuleWithOperations", "scope", "v1.ScopeType"),
    ("NetworkPolicyPort", "protocol", "v1.Protocol"),
    ("NetworkPolicySpec", "policyTypes", "[]v1.PolicyType"),
    ("NodeAddress", "type", "v1.NodeAddressType"),
    ("NodeCondition", "status", "v1.ConditionStatus"),
    ("NodeCondition", "type", "v1.NodeConditionType"),
    (
        "NodeSelectorRequirement",
        "operator",
        "v1.NodeSelectorOperator",
    ),
    ("NodeStatus", "allocatable", "v1.ResourceList"),
    ("NodeStatus", "capacity", "v1.ResourceList"),
    ("NodeStatus", "phase", "v1.NodePhase"),
    ("NodeStatus", "volumesInUse", "[]v1.UniqueVolumeName"),
    ("ObjectMeta", "uid", "types.UID"),
    ("ObjectReference", "uid", "types.UID"),
    ("OwnerReference", "uid", "types.UID"),
    (
        "ParamRef",
        "parameterNotFoundAction",
        "v1.ParameterNotFoundActionType",
    ),
    (
        "PersistentVolumeClaimCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "PersistentVolumeClaimCondition",
        "type",
        "v1.PersistentVolumeClaimConditionType",
    ),
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
        "PersistentVolumeClaimStatus",
        "accessModes",
        "[]v1.PersistentVolumeAccessMode",
    ),
    (
        "PersistentVolumeClaimStatus",
        "allocatedResources",
        "v1.ResourceList",
    ),
    ("PersistentVolumeClaimStatus", "capacity", "v1.ResourceList"),
    (
        "PersistentVolumeClaimStatus",
        "phase",
        "v1.PersistentVolumeClaimPhase",
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
    (
        "PersistentVolumeStatus",
        "phase",
        "v1.PersistentVolumePhase",
    ),
    ("PodCondition", "status", "v1.ConditionStatus"),
    ("PodCondition", "type", "v1.PodConditionType"),
    (
        "PodDisruptionBudgetSpec",
        "unhealthyPodEvictionPolicy",
        "v1.UnhealthyPodEvictionPolicyType",
    ),
    (
        "PodFailurePolicyOnExitCodesRequirement",
        "operator",
        "v1.PodFailurePolicyOnExitCodesOperator",
    ),
    (
        "PodFailurePolicyOnPodConditionsPattern",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "PodFailurePolicyOnPodConditionsPattern",
        "type",
        "v1.PodConditionType",
    ),
    (
        "PodFailurePolicyRule",
        "action",
        "v1.PodFailurePolicyAction",
    ),
    ("PodOS", "name", "v1.OSName"),
    ("PodReadinessGate", "conditionType", "v1.PodConditionType"),
    (
        "PodSecurityContext",
        "fsGroupChangePolicy",
        "v1.PodFSGroupChangePolicy",
    ),
    (
        "PodSecurityContext",
        "seLinuxChangePolicy",
        "v1.PodSELinuxChangePolicy",
    ),
    (
        "PodSecurityContext",
        "supplementalGroupsPolicy",
        "v1.SupplementalGroupsPolicy",
    ),
    ("PodSpec", "dnsPolicy", "v1.DNSPolicy"),
    ("PodSpec", "overhead", "v1.ResourceList"),
    ("PodSpec", "preemptionPolicy", "v1.PreemptionPolicy"),
    ("PodSpec", "restartPolicy", "v1.RestartPolicy"),
    ("PodStatus", "phase", "v1.PodPhase"),
    ("PodStatus", "qosClass", "v1.PodQOSClass"),
    ("PodStatus", "resize", "v1.PodResizeStatus"),
    ("PortStatus", "protocol", "v1.Protocol"),
    ("PriorityClass", "preemptionPolicy", "v1.PreemptionPolicy"),
    (
        "PriorityLevelConfigurationCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "PriorityLevelConfigurationCondition",
        "type",
        "v1.PriorityLevelConfigurationConditionType",
    ),
    (
        "PriorityLevelConfigurationSpec",
        "type",
        "v1.PriorityLevelEnablement",
    ),
    ("ReplicaSetCondition", "status", "v1.ConditionStatus"),
    ("ReplicaSetCondition", "type", "v1.ReplicaSetConditionType"),
    (
        "ReplicationControllerCondition",
        "status",
        "v1.ConditionStatus",
    ),
    (
        "ReplicationControllerCondition",
        "type",
        "v1.ReplicationControllerConditionType",
    ),
    ("ResourceHealth", "health", "v1.ResourceHealthStatus"),
    ("ResourceHealth", "resourceID", "v1.ResourceID"),
    ("ResourceMetricSource", "name", "v1.ResourceName"),
    ("ResourceQuotaSpec", "hard", "v1.ResourceList"),
    ("ResourceQuotaSpec", "scopes", "[]v1.ResourceQuotaScope"),
    ("ResourceQuotaStatus", "hard", "v1.ResourceList"),
    ("ResourceQuotaStatus", "used", "v1.ResourceList"),
    ("ResourceRequirements", "limits", "v1.ResourceList"),
    ("ResourceRequirements", "requests", "v1.ResourceList"),
    ("ResourceStatus", "name", "v1.ResourceName"),
    ("RuleWithOperations", "operations", "[]v1.OperationType"),
    ("RuleWithOperations", "scope", "v1.ScopeType"),
    (
        "ScopedResourceSelectorRequirement",
        "operator",
        "v1.ScopeSelectorOperator",
    ),
    (
        "ScopedResourceSelectorRequirement",
        "scopeName",
        "v1.ResourceQuotaScope",
    ),
    ("SeccompProfile", "type", "v1.SeccompProfileType"),
    ("Secret", "type", "v1.SecretType"),
    ("SecurityContext", "procMount", "v1.ProcMountType"),
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
    ("StatefulSetCondition", "status", "v1.ConditionStatus"),
    (
        "StatefulSetCondition",
        "type",
        "v1.StatefulSetConditionType",
    ),
    (
        "StatefulSetPersistentVolumeClaimRetentionPolicy",
        "whenDeleted",
        "v1.PersistentVolumeClaimRetentionPolicyType",
    ),
    (
        "StatefulSetPersistentVolumeClaimRetentionPolicy",
        "whenScaled",
        "v1.PersistentVolumeClaimRetentionPolicyType",
    ),
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
        "nodeAffinityPolicy",
        "v1.NodeInclusionPolicy",
    ),
    (
        "TopologySpreadConstraint",
        "nodeTaintsPolicy",
        "v1.NodeInclusionPolicy",
    ),
    (
        "TopologySpreadConstraint",
        "whenUnsatisfiable",
        "v1.UnsatisfiableConstraintAction",
    ),
    ("UncountedTerminatedPods", "failed", "[]types.UID"),
    ("UncountedTerminatedPods", "succeeded", "[]types.UID"),
    (
        "ValidatingAdmissionPolicyBindingSpec",
        "validationActions",
        "[]v1.ValidationAction",
    ),
    (
        "ValidatingAdmissionPolicySpec",
        "failurePolicy",
        "v1.FailurePolicyType",
    ),
    ("ValidatingWebhook", "failurePolicy", "v1.FailurePolicyType"),
    ("ValidatingWebhook", "matchPolicy", "v1.MatchPolicyType"),
    ("ValidatingWebhook", "sideEffects", "v1.SideEffectClass"),
    ("Validation", "reason", "v1.StatusReason"),
    ("ValidationRule", "reason", "v1.FieldValueErrorReason"),
    ("VolumeMount", "mountPropagation", "v1.MountPropagationMode"),
    (
        "VolumeMount",
        "recursiveReadOnly",
        "v1.RecursiveReadOnlyMode",
    ),
    ("VolumeResourceRequirements", "limits", "v1.ResourceList"),
    ("VolumeResourceRequirements", "requests", "v1.ResourceList"),
];

/// Returns the struct that Kubernetes embeds in `owner` and that has the field. Go includes its name in the paths of
/// errors.
pub(super) fn embedded(owner: &str, field: &str) -> Option<&'static str> {
    // This is a table, too: the schemas merge the fields of embedded structs into their owners.
    match (owner, field) {
        ("Probe", "exec" | "grpc" | "httpGet" | "tcpSocket") => Some("ProbeHandler"),
        ("EphemeralContainer", "targetContainerName") | ("Volume", "name") => None,
        ("EphemeralContainer", _) => Some("EphemeralContainerCommon"),
        ("Volume", _) => Some("VolumeSource"),
        (
            "PersistentVolumeSpec",
            "accessModes"
            | "capacity"
            | "claimRef"
            | "mountOptions"
            | "nodeAffinity"
            | "persistentVolumeReclaimPolicy"
            | "storageClassName"
            | "volumeAttributesClassName"
            | "volumeMode",
        ) => None,
        ("PersistentVolumeSpec", _) => Some("PersistentVolumeSource"),
        (
            "ConfigMapEnvSource"
            | "ConfigMapKeySelector"
            | "ConfigMapProjection"
            | "ConfigMapVolumeSource"
            | "SecretEnvSource"
            | "SecretKeySelector"
            | "SecretProjection",
            "name",
        ) => Some("LocalObjectReference"),
        ("NamedRuleWithOperations", "operations") => Some("RuleWithOperations"),
        ("NamedRuleWithOperations", "resourceNames") | ("RuleWithOperations", "operations") => None,
        ("NamedRuleWithOperations", _) => Some("RuleWithOperations.Rule"),
        ("RuleWithOperations", _) => Some("Rule"),
        (
            "DeviceAllocationConfiguration"
            | "DeviceClaimConfiguration"
            | "DeviceClassConfiguration",
            "opaque",
        ) => Some("DeviceConfiguration"),
        _ => None,
    }
}

/// Returns the name of the type of a field or, if `item` is set, of the items of a list.
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
