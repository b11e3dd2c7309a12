//! kustomize's built-in configuration: the fields that its steps change by default.

use serde::Deserialize;

use super::id::Gvk;
use super::spec::{self, FieldSpec};
use super::{KustomizeError, Result};

/// The fields that contain the name of an object of this kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct NameReference {
    #[serde(flatten)]
    pub(super) gvk: Gvk,
    pub(super) field_specs: Vec<FieldSpec>,
}

/// The configuration of all steps.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Config {
    pub(super) name_prefix: Vec<FieldSpec>,
    pub(super) name_suffix: Vec<FieldSpec>,
    pub(super) namespace: Vec<FieldSpec>,
    pub(super) common_labels: Vec<FieldSpec>,
    pub(super) labels: Vec<FieldSpec>,
    pub(super) template_labels: Vec<FieldSpec>,
    pub(super) common_annotations: Vec<FieldSpec>,
    pub(super) name_reference: Vec<NameReference>,
    pub(super) var_reference: Vec<FieldSpec>,
    pub(super) images: Vec<FieldSpec>,
    pub(super) replicas: Vec<FieldSpec>,
}

impl Config {
    /// Adds the entries of another configuration that this one lacks.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        spec::merge(&mut self.name_prefix, &other.name_prefix)?;
        spec::merge(&mut self.name_suffix, &other.name_suffix)?;
        spec::merge(&mut self.namespace, &other.namespace)?;
        spec::merge(&mut self.common_labels, &other.common_labels)?;
        spec::merge(&mut self.labels, &other.labels)?;
        spec::merge(&mut self.template_labels, &other.template_labels)?;
        spec::merge(&mut self.common_annotations, &other.common_annotations)?;
        spec::merge(&mut self.var_reference, &other.var_reference)?;
        spec::merge(&mut self.images, &other.images)?;
        spec::merge(&mut self.replicas, &other.replicas)?;
        for reference in &other.name_reference {
            match self
                .name_reference
                .iter_mut()
                .find(|r| r.gvk == reference.gvk)
            {
                Some(same) => spec::merge(&mut same.field_specs, &reference.field_specs)?,
                None => self.name_reference.push(reference.clone()),
            }
        }
        Ok(())
    }

    /// Parses a file listed in `configurations`.
    pub(super) fn read(text: &[u8]) -> Result<Self> {
        let parsed = crate::api::yaml::parse_one(text, crate::api::yaml::Mode::Lenient);
        let mut value = parsed
            .map_err(|e| KustomizeError::new(e.to_string()))?
            .unwrap_or_default();
        value.drop_nulls();
        super::kustomization::decode(value).map_err(KustomizeError::new)
    }

    /// Returns kustomize's built-in configuration.
    pub(super) fn builtin() -> Self {
        // The name has no `create`, because the API server names an object that has `generateName`.
        let names = vec![spec("", "metadata/name", false)];
        Self {
            name_prefix: names.clone(),
            name_suffix: names,
            namespace: namespaces(),
            common_labels: [
                selectors(),
                vec![spec("", "metadata/labels", true)],
                template_metadata("labels"),
            ]
            .concat(),
            // Unlike `commonLabels`, `labels` does not change selectors by default, because selectors are immutable
            // once applied.
            labels: Vec::new(),
            template_labels: template_metadata("labels"),
            common_annotations: annotations(),
            name_reference: references(),
            var_reference: variables(),
            images: images(),
            replicas: [
                "Deployment",
                "StatefulSet",
                "ReplicaSet",
                "ReplicationController",
            ]
            .map(|kind| spec(kind, "spec/replicas", true))
            .to_vec(),
        }
    }
}

/// Returns a field spec. The kind is `group/version/Kind`, where only the last part is required.
fn spec(kind: &str, path: &str, create: bool) -> FieldSpec {
    FieldSpec::new(&gvk(kind), path, create)
}

fn gvk(text: &str) -> Gvk {
    let mut parts = text.rsplitn(3, '/');
    let kind = parts.next().unwrap_or_default();
    let version = parts.next().unwrap_or_default();
    Gvk::new(parts.next().unwrap_or_default(), version, kind)
}

fn namespaces() -> Vec<FieldSpec> {
    vec![
        spec("", "metadata/namespace", true),
        spec("Namespace", "metadata/name", true),
        spec("RoleBinding", "subjects", false),
        spec("ClusterRoleBinding", "subjects", false),
        spec(
            "apiregistration.k8s.io//APIService",
            "spec/service/namespace",
            true,
        ),
        spec(
            "apiextensions.k8s.io//CustomResourceDefinition",
            "spec/conversion/webhook/clientConfig/service/namespace",
            false,
        ),
    ]
}

fn selectors() -> Vec<FieldSpec> {
    let mut specs = vec![
        spec("/v1/Service", "spec/selector", true),
        spec("/v1/ReplicationController", "spec/selector", true),
        spec("Deployment", "spec/selector/matchLabels", true),
        spec("ReplicaSet", "spec/selector/matchLabels", true),
        spec("DaemonSet", "spec/selector/matchLabels", true),
        spec("apps//StatefulSet", "spec/selector/matchLabels", true),
        // The API server generates these selectors. kustomize extends an existing one, but never creates it.
        spec("batch//Job", "spec/selector/matchLabels", false),
        spec(
            "batch//CronJob",
            "spec/jobTemplate/spec/selector/matchLabels",
            false,
        ),
        spec(
            "policy//PodDisruptionBudget",
            "spec/selector/matchLabels",
            false,
        ),
    ];
    for path in [
        "podSelector",
        "ingress/from/podSelector",
        "egress/to/podSelector",
    ] {
        let path = format!("spec/{path}/matchLabels");
        specs.push(spec("networking.k8s.io//NetworkPolicy", &path, false));
    }
    for kind in ["apps//Deployment", "apps//StatefulSet"] {
        for affinity in ["podAffinity", "podAntiAffinity"] {
            for term in [
                "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
                "requiredDuringSchedulingIgnoredDuringExecution",
            ] {
                let path = format!(
                    "spec/template/spec/affinity/{affinity}/{term}/labelSelector/matchLabels"
                );
                specs.push(spec(kind, &path, false));
            }
        }
        let path = "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels";
        specs.push(spec(kind, path, false));
    }
    specs
}

/// Returns the fields for the labels or annotations of Pod templates.
fn template_metadata(field: &str) -> Vec<FieldSpec> {
    let at = |kind: &str, path: &str| spec(kind, &format!("{path}/metadata/{field}"), true);
    let mut specs = vec![
        at("/v1/ReplicationController", "spec/template"),
        at("Deployment", "spec/template"),
        at("ReplicaSet", "spec/template"),
        at("DaemonSet", "spec/template"),
        at("apps//StatefulSet", "spec/template"),
    ];
    // kustomize labels the volume claims of a StatefulSet, but does not annotate them.
    if field == "labels" {
        specs.push(at("apps//StatefulSet", "spec/volumeClaimTemplates[]"));
    }
    specs.extend([
        at("batch//Job", "spec/template"),
        at("batch//CronJob", "spec/jobTemplate"),
        at("batch//CronJob", "spec/jobTemplate/spec/template"),
    ]);
    specs
}

fn annotations() -> Vec<FieldSpec> {
    let mut specs = vec![spec("", "metadata/annotations", true)];
    specs.extend(template_metadata("annotations"));
    specs
}

fn images() -> Vec<FieldSpec> {
    let mut specs = Vec::new();
    for pod in ["spec", "spec/template/spec"] {
        for field in ["containers[]/image", "initContainers[]/image"] {
            specs.push(spec("", &format!("{pod}/{field}"), true));
        }
    }
    specs
}

/// The kinds that contain Pods, with the path of the Pod spec.
const PODS: [(&str, &str); 8] = [
    ("/v1/Pod", "spec"),
    ("PodTemplate", "template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
];

/// The kinds whose references to ServiceAccounts, volume claims and PriorityClasses are updated.
const WORKLOADS: [(&str, &str); 7] = [
    ("Pod", "spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicationController", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
];

fn below(pods: &[(&str, &str)], fields: &[&str]) -> Vec<FieldSpec> {
    let at = |(kind, path): &(&str, &str)| {
        let (kind, path) = ((*kind).to_owned(), (*path).to_owned());
        fields
            .iter()
            .map(move |field| spec(&kind, &format!("{path}/{field}"), false))
            .collect::<Vec<_>>()
    };
    pods.iter().flat_map(at).collect()
}

fn fields(list: &[(&str, &str)]) -> Vec<FieldSpec> {
    list.iter()
        .map(|(kind, path)| spec(kind, path, false))
        .collect()
}

const CONFIG_MAP: [&str; 6] = [
    "volumes/configMap/name",
    "containers/env/valueFrom/configMapKeyRef/name",
    "initContainers/env/valueFrom/configMapKeyRef/name",
    "containers/envFrom/configMapRef/name",
    "initContainers/envFrom/configMapRef/name",
    "volumes/projected/sources/configMap/name",
];

const SECRET: [&str; 7] = [
    "volumes/secret/secretName",
    "containers/env/valueFrom/secretKeyRef/name",
    "initContainers/env/valueFrom/secretKeyRef/name",
    "containers/envFrom/secretRef/name",
    "initContainers/envFrom/secretRef/name",
    "imagePullSecrets/name",
    "volumes/projected/sources/secret/name",
];

const OTHER_CONFIG_MAPS: [(&str, &str); 6] = [
    ("Node", "spec/configSource/configMap"),
    ("Role", "rules/resourceNames"),
    ("ClusterRole", "rules/resourceNames"),
    (
        "Ingress",
        "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap",
    ),
    (
        "serving.knative.dev/v1/Service",
        "spec/template/spec/containers/env/valueFrom/configMapKeyRef/name",
    ),
    (
        "serving.knative.dev/v1/Service",
        "spec/template/spec/containers/envFrom/configMapRef/name",
    ),
];

const OTHER_SECRETS: [(&str, &str); 13] = [
    ("Ingress", "spec/tls/secretName"),
    (
        "Ingress",
        "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
    ),
    (
        "Ingress",
        "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret",
    ),
    (
        "Ingress",
        "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
    ),
    ("ServiceAccount", "imagePullSecrets/name"),
    ("StorageClass", "parameters/secretName"),
    ("StorageClass", "parameters/adminSecretName"),
    ("StorageClass", "parameters/userSecretName"),
    ("StorageClass", "parameters/secretRef"),
    ("Role", "rules/resourceNames"),
    ("ClusterRole", "rules/resourceNames"),
    (
        "serving.knative.dev/v1/Service",
        "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
    ),
    ("PersistentVolume", "spec/azureFile/secretName"),
];

const SERVICES: [(&str, &str); 9] = [
    ("apps//StatefulSet", "spec/serviceName"),
    ("Ingress", "spec/rules/http/paths/backend/serviceName"),
    ("Ingress", "spec/backend/serviceName"),
    ("Ingress", "spec/rules/http/paths/backend/service/name"),
    ("Ingress", "spec/defaultBackend/service/name"),
    ("apiregistration.k8s.io//APIService", "spec/service/name"),
    (
        "admissionregistration.k8s.io//ValidatingWebhookConfiguration",
        "webhooks/clientConfig/service",
    ),
    (
        "admissionregistration.k8s.io//MutatingWebhookConfiguration",
        "webhooks/clientConfig/service",
    ),
    ("HTTPRoute", "spec/rules/backendRefs/name"),
];

fn references() -> Vec<NameReference> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    let of = |kind: &str, field_specs: Vec<FieldSpec>| NameReference {
        gvk: gvk(kind),
        field_specs,
    };
    let role_binding = format!("{RBAC}//RoleBinding");
    let cluster_binding = format!("{RBAC}//ClusterRoleBinding");
    let scaled = fields(&[("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")]);
    let mut found: Vec<NameReference> = [
        "Deployment",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    ]
    .map(|kind| of(kind, scaled.clone()))
    .into();
    found.extend([
        of(
            "/v1/ConfigMap",
            [below(&PODS, &CONFIG_MAP), fields(&OTHER_CONFIG_MAPS)].concat(),
        ),
        of(
            "/v1/Secret",
            [below(&PODS, &SECRET), fields(&OTHER_SECRETS)].concat(),
        ),
        of("/v1/Service", fields(&SERVICES)),
        of(
            &format!("{RBAC}//Role"),
            fields(&[(&role_binding, "roleRef/name")]),
        ),
        of(
            &format!("{RBAC}//ClusterRole"),
            fields(&[
                (&role_binding, "roleRef/name"),
                (&cluster_binding, "roleRef/name"),
            ]),
        ),
        of(
            "/v1/ServiceAccount",
            [
                fields(&[(&role_binding, "subjects"), (&cluster_binding, "subjects")]),
                below(&WORKLOADS, &["serviceAccountName"]),
            ]
            .concat(),
        ),
        of(
            "/v1/PersistentVolumeClaim",
            below(&WORKLOADS, &["volumes/persistentVolumeClaim/claimName"]),
        ),
        of(
            "/v1/PersistentVolume",
            fields(&[
                ("PersistentVolumeClaim", "spec/volumeName"),
                ("ClusterRole", "rules/resourceNames"),
            ]),
        ),
        of(
            "storage.k8s.io/v1/StorageClass",
            fields(&[
                ("PersistentVolume", "spec/storageClassName"),
                ("PersistentVolumeClaim", "spec/storageClassName"),
                (
                    "StatefulSet",
                    "spec/volumeClaimTemplates/spec/storageClassName",
                ),
            ]),
        ),
        of(
            "scheduling.k8s.io/v1/PriorityClass",
            below(&WORKLOADS, &["priorityClassName"]),
        ),
        of(
            // kustomize's table contains the version twice, so no IngressClass matches and no Ingress is updated.
            "networking.k8s.io/v1/v1/IngressClass",
            fields(&[("Ingress", "spec/ingressClassName")]),
        ),
    ]);
    found
}

fn variables() -> Vec<FieldSpec> {
    const POD: [&str; 9] = [
        "containers/args",
        "containers/command",
        "containers/env/value",
        "containers/volumeMounts/mountPath",
        "initContainers/args",
        "initContainers/command",
        "initContainers/env/value",
        "initContainers/volumeMounts/mountPath",
        "volumes/nfs/server",
    ];
    // kustomize does not expand vars in PodTemplates, and lists Pods after the workloads. The order shows only in
    // errors.
    let mut specs = below(&PODS[2..], &POD);
    specs.extend(below(&[("Pod", "spec")], &POD));
    specs.extend(fields(&[
        ("Ingress", "spec/rules/host"),
        ("Ingress", "spec/tls/hosts"),
        ("Ingress", "spec/tls/secretName"),
        ("Service", "spec/ports/port"),
        ("Service", "spec/ports/targetPort"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
        ("PersistentVolume", "spec/nfs/server"),
        ("", "metadata/labels"),
        ("", "metadata/annotations"),
    ]));
    specs
}
