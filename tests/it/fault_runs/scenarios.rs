//! The scenario of each controller as YAML documents. Documents after `run:` apply before the observed run. `{patch:
//! KIND/NAME, to: ...}` and `{delete: KIND/NAME}` change existing objects; all other documents are created. `run:`
//! gives the number of seconds to pass; with `quiet` the run lasts until no work is due.

/// The name of each controller, and its scenario.
pub const SCENARIOS: &[(&str, &str)] = &[
    ("deployment", ROLLOUT),
    ("replicaset", ROLLOUT),
    (
        "replicationcontroller",
        "
run: quiet
---
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
",
    ),
    (
        "statefulset",
        "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disks, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}
provisioner: disks.example.com
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: 'pg:1'}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}
---
run: quiet
---
{patch: statefulsets.apps/db, to: {spec: {replicas: 2, template: {spec: {containers: [{name: c, image: 'pg:2'}]}}}}}
",
    ),
    (
        "daemonset",
        "
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: c, image: 'agent:1'}]}
---
run: quiet
---
{patch: daemonsets.apps/agent, to: {spec: {template: {spec: {containers: [{name: c, image: 'agent:2'}]}}}}}
",
    ),
    (
        "job",
        "
apiVersion: batch/v1
kind: Job
metadata: {name: deleted}
spec:
  podReplacementPolicy: Failed
  template:
    metadata: {annotations: {ctl.dev/stop-delay: 20s}}
    spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1', command: [sleep, '7200']}]}
---
run: 900
---
{delete-pods-of: deleted}
---
apiVersion: batch/v1
kind: Job
metadata: {name: sums}
spec:
  completions: 4
  parallelism: 2
  completionMode: Indexed
  backoffLimitPerIndex: 1
  template:
    metadata: {annotations: {ctl.dev/exit-code: '0'}}
    spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1'}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: broken}
spec:
  backoffLimit: 2
  template:
    metadata: {annotations: {ctl.dev/exit-code: '1'}}
    spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1'}]}
",
    ),
    (
        "cronjob",
        "
run: 200
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec:
  schedule: '* * * * *'
  successfulJobsHistoryLimit: 1
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1'}]}
",
    ),
    (
        "ttl-after-finished",
        "
run: 100
---
apiVersion: batch/v1
kind: Job
metadata: {name: short}
spec:
  ttlSecondsAfterFinished: 30
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: 'busybox:1'}]}
",
    ),
    (
        "scheduler",
        "
run: quiet
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
{patch: nodes/node-1, to: {spec: {unschedulable: true}}}
---
{patch: nodes/node-2, to: {spec: {unschedulable: true}}}
---
apiVersion: v1
kind: Pod
metadata: {name: low}
spec: {containers: [{name: c, image: 'nginx:1', ports: [{containerPort: 80, hostPort: 80}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: high}
spec: {priorityClassName: high, containers: [{name: c, image: 'nginx:1', ports: [{containerPort: 80, hostPort: 80}]}]}
",
    ),
    ("endpoints", SERVED),
    ("endpointslice", SERVED),
    (
        "endpointslice-mirroring",
        "
apiVersion: v1
kind: Service
metadata: {name: outside}
spec: {ports: [{port: 80}]}
---
run: quiet
---
apiVersion: v1
kind: Endpoints
metadata: {name: outside}
subsets: [{addresses: [{ip: 192.0.2.1}], ports: [{port: 8080}]}]
---
run: quiet
---
{patch: endpoints/outside, to: {subsets: [{addresses: [{ip: 192.0.2.2}], ports: [{port: 8080}]}]}}
",
    ),
    (
        "disruption",
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: quiet
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
---
{patch: deployments.apps/web, to: {spec: {replicas: 4}}}
",
    ),
    ("node-lifecycle", NODE_DOWN),
    ("taint-eviction", NODE_DOWN),
    (
        "kubelet-node",
        "
run: 400
---
{patch: nodes/node-1, to: {metadata: {annotations: {ctl.dev/node-not-ready: 'its disk is full'}}}}
",
    ),
    (
        "kubelet-stages",
        "
run: quiet
---
apiVersion: v1
kind: ConfigMap
metadata: {name: ctl-stages, namespace: kube-system}
data:
  odd.yaml: 'for: planet'
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, image: 'nginx:1.25'}]}
",
    ),
    (
        "event-ttl",
        "
run: 4000
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1'}]}
",
    ),
    (
        "pod-gc",
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: 120
---
{delete: nodes/node-1}
",
    ),
    (
        "horizontalpodautoscaler",
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {ctl.dev/cpu-usage: 50m}}
    spec: {containers: [{name: c, image: 'nginx:1.25', resources: {requests: {cpu: 100m}}}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 1
  maxReplicas: 8
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
---
run: 1200
---
{patch: deployments.apps/web, to: {spec: {template: {metadata: {annotations: {ctl.dev/cpu-usage: 20m}}}}}}
",
    ),
    (
        "service-lb",
        "
run: quiet
---
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
",
    ),
    (
        "ingress",
        "
run: quiet
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: fake, annotations: {ingressclass.kubernetes.io/is-default-class: 'true'}}
spec: {controller: example.com/fake}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: front}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
",
    ),
    ("persistentvolume-binder", CLAIMS),
    ("persistentvolume", CLAIMS),
    (
        "volumeattributesclass-protection",
        "
apiVersion: storage.k8s.io/v1
kind: VolumeAttributesClass
metadata: {name: gold}
driverName: disks.example.com
parameters: {iops: '100'}
---
run: quiet
---
delete: VolumeAttributesClass/gold
",
    ),
    (
        "ephemeral-volume",
        "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disks, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}
provisioner: disks.example.com
---
run: quiet
---
apiVersion: v1
kind: Pod
metadata: {name: user}
spec:
  containers: [{name: c, image: 'nginx:1'}]
  volumes:
  - name: own
    ephemeral:
      volumeClaimTemplate:
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
",
    ),
    ("resourceclaim", DEVICES),
    ("resourceclaim-template", NEW_DEVICES),
    (
        "resourcequota",
        "
run: quiet
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: caps}
spec: {hard: {pods: '2', configmaps: '9'}}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, image: 'nginx:1'}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m}
",
    ),
    (
        "kubernetes-service",
        "
run: quiet
---
delete: Service/kubernetes
",
    ),
    (
        "service-cidr",
        "
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: extra}
spec: {cidrs: [10.100.0.0/24]}
---
run: quiet
---
delete: ServiceCIDR/extra
",
    ),
    (
        "ipallocator-repair",
        "
run: quiet
---
delete: IPAddress/10.96.0.1
",
    ),
    ("serviceaccount", NEW_NAMESPACE),
    ("root-ca", NEW_NAMESPACE),
    (
        "clusterrole-aggregation",
        "
run: quiet
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: sum}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {part: 'yes'}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: part, labels: {part: 'yes'}}
rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
",
    ),
    (
        "validatingadmissionpolicy-status",
        "
run: quiet
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: misspelled}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations: [{expression: 'object.spec.replicsa > 1'}]
",
    ),
    (
        // Signatures vary between runs, so these two show only unsigned values.
        "serviceaccount-token",
        "
run: quiet
---
apiVersion: v1
kind: Secret
metadata: {name: key, annotations: {kubernetes.io/service-account.name: nobody}}
type: kubernetes.io/service-account-token
",
    ),
    (
        "csr-signing",
        "
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: pilot}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=
  signerName: kubernetes.io/kube-apiserver-client
  usages: [server auth]
---
run: quiet
---
{patch: certificatesigningrequests.certificates.k8s.io/pilot, part: approval, to: {status: {conditions: [{type: Approved, status: 'True', reason: r, message: m}]}}}
",
    ),
    (
        "csr-cleaner",
        "
run: 90000
---
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: forgotten}
spec:
  request: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYU1JR0JBZ0VBTUI4eERUQUxCZ05WQkFvTUJHTnlaWGN4RGpBTUJnTlZCQU1NQlhCcGJHOTBNRmt3RXdZSApLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFMFZnZTFBaHVBS2EwWSt3NExwSVgzVVl4ZTlnVTRrS2x2UmwwCjNTdENRQ0V1RExvQWJuZHMyaHYvNENySWJvTUg0L212WURocUhpckYwYUxrNlJWQlY2QUFNQW9HQ0NxR1NNNDkKQkFNQ0EwZ0FNRVVDSVFEUGRvc1lMU1JFNzh2Rkk1aTNOVGpWRnhhNXY2KzJPZTc5aFdvbGhlSDI0QUlnRnpmWAprTWpzWDQ4NHc4WENBdU1ITmRicVVNTExJZkMrNldDd0pZRTNjMk09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=
  signerName: example.com/own
  usages: [client auth]
",
    ),
    (
        "namespace",
        "
apiVersion: v1
kind: Namespace
metadata: {name: blue}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: blue}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: quiet
---
{delete: namespaces/blue}
",
    ),
    (
        "garbage-collector",
        "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: quiet
---
{delete: deployments.apps/web}
",
    ),
    (
        "kubelet",
        "
run: 400
---
apiVersion: v1
kind: Pod
metadata: {name: moody, annotations: {ctl.dev/exit-code: '1', ctl.dev/exit-after: 20s}}
spec:
  initContainers:
  - {name: first, image: 'busybox:1', command: ['true']}
  - {name: side, image: 'busybox:1', restartPolicy: Always}
  containers: [{name: main, image: 'nginx:1', readinessProbe: {httpGet: {port: 80}, initialDelaySeconds: 5}}]
",
    ),
];

/// A DaemonSet whose Pods are evicted repeatedly: it never settles.
pub const ENDLESS: &str = "
run: 40
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: moody}
spec:
  selector: {matchLabels: {app: moody}}
  template:
    metadata: {labels: {app: moody}, annotations: {ctl.dev/evict: 'no room'}}
    spec: {containers: [{name: c, image: 'agent:1'}]}
";

const ROLLOUT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: quiet
---
{patch: deployments.apps/web, to: {spec: {template: {spec: {containers: [{name: c, image: 'nginx:1.26'}]}}}}}
";

const SERVED: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: quiet
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
{patch: deployments.apps/web, to: {spec: {replicas: 3}}}
";

const NODE_DOWN: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: 'nginx:1.25'}]}
---
run: 600
---
{patch: nodes/node-1, to: {metadata: {annotations: {ctl.dev/node-down: '2026-01-01T00:00:00Z'}}}}
";

macro_rules! devices {
    () => {
        "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: lamp}
spec: {selectors: [{cel: {expression: 'device.driver == \"lamps.example.com\"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: lamps}
spec:
  driver: lamps.example.com
  allNodes: true
  pool: {name: lamps, generation: 1, resourceSliceCount: 1}
  devices: [{name: red}, {name: white}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: a-lamp}
spec: {spec: {devices: {requests: [{name: light, exactly: {deviceClassName: lamp}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [{name: light, exactly: {deviceClassName: lamp}}]}}
---
run: quiet
---
apiVersion: v1
kind: Pod
metadata: {name: reader}
spec:
  containers: [{name: c, image: 'nginx:1'}]
  resourceClaims: [{name: own, resourceClaimTemplateName: a-lamp}]
---
apiVersion: v1
kind: Pod
metadata: {name: second}
spec:
  containers: [{name: c, image: 'nginx:1'}]
  resourceClaims: [{name: own, resourceClaimName: shared}]
"
    };
}

/// Pods that start to use devices.
const NEW_DEVICES: &str = devices!();

/// A Pod that ends and releases its device.
const DEVICES: &str = concat!(devices!(), "---\nrun: quiet\n---\n{delete: pods/second}\n");

const CLAIMS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: disks}
provisioner: disks.example.com
---
run: quiet
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: there}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: plain
  hostPath: {path: /data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: bound}
spec: {storageClassName: plain, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: made}
spec: {storageClassName: disks, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";

const NEW_NAMESPACE: &str = "
run: quiet
---
apiVersion: v1
kind: Namespace
metadata: {name: blue}
";
