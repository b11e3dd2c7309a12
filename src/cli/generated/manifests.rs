//! Draws the manifests and command lines of a sequence.

use super::custom;
use super::draw::Random;

/// The kinds with a manifest. An object is named after its kind, so that commands affect earlier objects.
pub(super) const KINDS: &[&str] = &[
    "deployment",
    "replicaset",
    "statefulset",
    "daemonset",
    "job",
    "cronjob",
    "pod",
    "service",
    "configmap",
    "poddisruptionbudget",
    "horizontalpodautoscaler",
    "replicationcontroller",
    "persistentvolumeclaim",
    "ingress",
    "secret",
    "crop",
    "field",
];

/// The kinds with a Pod template.
const TEMPLATED: &[&str] = &[
    "deployment",
    "replicaset",
    "statefulset",
    "daemonset",
    "replicationcontroller",
];

/// A drawn manifest.
pub(super) struct Manifest {
    pub(super) yaml: String,
}

const CONTAINER_FIELDS: &[&str] = &[
    "",
    "",
    "\nenv: [{name: A, value: \"1\"}, {name: B, value: \"2\"}]",
    "\nenv: [{name: B, value: \"3\"}, {name: C, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
    "\nresources: {requests: {cpu: 10m, memory: 16Mi}}",
    "\nresources: {requests: {cpu: \"0.5\"}, limits: {cpu: \"1\", memory: 1Gi}}",
    // The ports differ: strategic merge patches identify ports by number alone, so removing one would remove both, in
    // Kubernetes, too.
    "\nports: [{containerPort: 80, name: http}, {containerPort: 53, name: dns, protocol: UDP}]",
    "\nports: [{containerPort: 8080, name: http}]",
    "\nreadinessProbe: {httpGet: {path: /, port: http}}\nports: [{containerPort: 80, name: http}]",
    "\nlivenessProbe: {exec: {command: [\"true\"]}, periodSeconds: 5}",
    "\nsecurityContext: {runAsUser: 1000}\nimagePullPolicy: Always",
    "\ncommand: [\"false\"]",
];

const POD_FIELDS: &[&str] = &[
    "",
    "",
    "\nterminationGracePeriodSeconds: 5",
    "\nnodeSelector: {disk: ssd}",
    "\ntolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]",
    "\nvolumes: [{name: v, emptyDir: {}}, {name: c, configMap: {name: configmap, optional: true}}]",
    "\nvolumes: [{name: c, configMap: {name: configmap}}]",
    "\nsecurityContext: {fsGroup: 2000}",
    "\ninitContainers: [{name: init, image: busybox, command: [\"true\"]}]",
    "\ninitContainers: [{name: side, image: busybox, restartPolicy: Always}]",
    "\ntopologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]",
    "\naffinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: statefulset}}}]}}",
];

/// Indents each line of `text` but the first.
fn indented(text: &str, by: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(by)))
}

/// Draws the spec of a Pod. `restart` is its restart policy, if it has one.
fn pod_spec(random: &mut Random, restart: &str) -> String {
    let image = random.pick(&["nginx:1.25", "nginx:1.26", "busybox", "repo.example.com:5000/a/b@sha256:0123456789012345678901234567890123456789012345678901234567890123"]);
    // A container that runs for a while, fails and is restarted would never settle.
    let fields = match restart.ends_with("Never") && random.below(4) == 0 {
        true => "\ncommand: [sh, -c, \"sleep 5; exit 3\"]",
        false => random.pick(CONTAINER_FIELDS),
    };
    let fields = indented(fields, 2);
    let second = random.pick(&["", "", "\n- name: second\n  image: busybox:1"]);
    let pod = random.pick(POD_FIELDS);
    format!("containers:\n- name: main\n  image: {image}{fields}{second}{pod}{restart}")
}

fn template(random: &mut Random, app: &str, restart: &str) -> String {
    let labels = random.pick(&["", ", tier: front", ", step: \"1\""]);
    let annotations = random.pick(&[
        "",
        "\n  annotations: {note: a}",
        "\n  annotations: {note: b, more: \"2\"}",
    ]);
    let spec = indented(&format!("\n{}", pod_spec(random, restart)), 2);
    format!("metadata:\n  labels: {{app: {app}{labels}}}{annotations}\nspec:{spec}")
}

impl Manifest {
    pub(super) fn draw(random: &mut Random) -> Self {
        let at = random.below(KINDS.len());
        let kind = KINDS[at];
        let (version, proper) = match kind {
            "deployment" => ("apps/v1", "Deployment"),
            "replicaset" => ("apps/v1", "ReplicaSet"),
            "statefulset" => ("apps/v1", "StatefulSet"),
            "daemonset" => ("apps/v1", "DaemonSet"),
            "job" => ("batch/v1", "Job"),
            "cronjob" => ("batch/v1", "CronJob"),
            "pod" => ("v1", "Pod"),
            "service" => ("v1", "Service"),
            "configmap" => ("v1", "ConfigMap"),
            "secret" => ("v1", "Secret"),
            "replicationcontroller" => ("v1", "ReplicationController"),
            "persistentvolumeclaim" => ("v1", "PersistentVolumeClaim"),
            "ingress" => ("networking.k8s.io/v1", "Ingress"),
            "poddisruptionbudget" => ("policy/v1", "PodDisruptionBudget"),
            "crop" => (custom::version(random), "Crop"),
            "field" => ("farm.example.org/v1", "Field"),
            _ => ("autoscaling/v2", "HorizontalPodAutoscaler"),
        };
        let body = body(random, kind);
        let meta = random.pick(&[
            "",
            "",
            "\n  labels: {tier: front}",
            "\n  labels: {tier: back, zone: a}",
            "\n  annotations: {note: \"1\"}",
        ]);
        let app = if kind == "pod" && meta.is_empty() {
            "\n  labels: {app: pod}"
        } else {
            ""
        };
        let yaml = format!(
            "apiVersion: {version}\nkind: {proper}\nmetadata:\n  name: {kind}{meta}{app}\n{body}\n"
        );
        Self { yaml }
    }
}

fn body(random: &mut Random, kind: &str) -> String {
    let spec = match kind {
        "crop" => custom::crop(random),
        "field" => return custom::field(random),
        "pod" => pod_spec(random, ""),
        "job" => job(random),
        "cronjob" => cron_job(random),
        "service" => service(random),
        "configmap" => {
            return random
                .pick(&["data: {a: \"1\"}", "data: {a: \"2\", b: \"x\\ny\\n\"}", "binaryData: {c: AAEC}", ])
                .to_owned();
        }
        "secret" => {
            return random
                .pick(&["stringData: {a: \"1\"}", "data: {a: MQ==}\nstringData: {b: \"2\"}", "type: Opaque\ndata: {c: AAEC}"])
                .to_owned();
        }
        "persistentvolumeclaim" => random
            .pick(&[
                "accessModes: [ReadWriteOnce]\nresources: {requests: {storage: 1Gi}}",
                "accessModes: [ReadWriteOnce]\nstorageClassName: \"\"\nresources: {requests: {storage: 2Gi}}",
            ])
            .to_owned(),
        "ingress" => random
            .pick(&[
                "defaultBackend: {service: {name: service, port: {number: 80}}}",
                "rules: [{host: a.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: service, port: {name: http}}}}]}}]",
            ])
            .to_owned(),
        "poddisruptionbudget" => format!(
            "{}\nselector: {{matchLabels: {{app: {}}}}}",
            random.pick(&["minAvailable: 1", "maxUnavailable: 50%", "maxUnavailable: 0"]),
            random.pick(TEMPLATED)
        ),
        "horizontalpodautoscaler" => format!(
            "minReplicas: {}\nmaxReplicas: {}\nscaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: deployment}}{}",
            1 + random.below(2),
            2 + random.below(3),
            random.pick(&["", "\nmetrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]"])
        ),
        _ => workload(random, kind),
    };
    format!("spec:{}", indented(&format!("\n{spec}"), 2))
}

fn workload(random: &mut Random, kind: &str) -> String {
    let replicas = match kind {
        "daemonset" => String::new(),
        _ if random.below(5) == 0 => String::new(),
        _ => format!("replicas: {}\n", random.below(4)),
    };
    let own = match kind {
        "deployment" => random.pick(&[
            "",
            "",
            "strategy: {type: Recreate}\n",
            "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n",
            "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 50%}}\n",
            "minReadySeconds: 3\nrevisionHistoryLimit: 2\n",
            "paused: true\n",
            "progressDeadlineSeconds: 20\n",
        ]),
        "replicaset" | "replicationcontroller" => random.pick(&["", "minReadySeconds: 2\n"]),
        "statefulset" => random.pick(&[
            "serviceName: service\n",
            "serviceName: service\npodManagementPolicy: Parallel\n",
            "serviceName: service\nupdateStrategy: {type: OnDelete}\n",
            "serviceName: service\nupdateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}\n",
            "serviceName: service\nordinals: {start: 3}\n",
            "serviceName: service\nvolumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]\n",
            "serviceName: service\nminReadySeconds: 3\nrevisionHistoryLimit: 1\n",
        ]),
        _ => random.pick(&[
            "",
            "updateStrategy: {type: OnDelete}\n",
            "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n",
            "minReadySeconds: 2\nrevisionHistoryLimit: 1\n",
        ]),
    };
    let template = indented(&format!("\n{}", template(random, kind, "")), 2);
    let selector = match kind {
        // This oldest kind of workload supports only equality in its selector.
        "replicationcontroller" => format!("{{app: {kind}}}"),
        _ => format!("{{matchLabels: {{app: {kind}}}}}"),
    };
    format!("{replicas}{own}selector: {selector}\ntemplate:{template}")
}

fn job(random: &mut Random) -> String {
    let own = random.pick(&[
        "",
        "parallelism: 2\ncompletions: 3\n",
        "completions: 2\ncompletionMode: Indexed\n",
        "backoffLimit: 1\n",
        "suspend: true\n",
        "ttlSecondsAfterFinished: 30\n",
        "activeDeadlineSeconds: 20\n",
        "completions: 3\ncompletionMode: Indexed\nbackoffLimitPerIndex: 0\nmaxFailedIndexes: 1\n",
        "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}\n",
        "podReplacementPolicy: Failed\n",
    ]);
    let restart = random.pick(&["\nrestartPolicy: Never", "\nrestartPolicy: OnFailure"]);
    let template = indented(&format!("\n{}", template(random, "job", restart)), 2);
    format!("{own}template:{template}")
}

fn cron_job(random: &mut Random) -> String {
    let own = random.pick(&[
        "",
        "concurrencyPolicy: Forbid\n",
        "suspend: true\n",
        "successfulJobsHistoryLimit: 1\nconcurrencyPolicy: Replace\n",
        "timeZone: Europe/Berlin\n",
    ]);
    let schedule = random.pick(&["'*/5 * * * *'", "'0 * * * *'"]);
    let job = indented(&format!("\n{}", job(random)), 4);
    format!("schedule: {schedule}\n{own}jobTemplate:\n  spec:{job}")
}

fn service(random: &mut Random) -> String {
    let selector = random.pick(&[
        "app: deployment",
        "app: statefulset",
        "app: daemonset",
        "app: pod",
        "tier: front",
    ]);
    let ports = random.pick(&[
        "ports: [{port: 80}]",
        "ports: [{port: 80, name: http, targetPort: http}]",
        "ports: [{port: 80, name: http}, {port: 53, name: dns, protocol: UDP, targetPort: dns}]",
    ]);
    let own = random.pick(&[
        "",
        "",
        "clusterIP: None\n",
        "type: NodePort\n",
        "publishNotReadyAddresses: true\n",
        "sessionAffinity: ClientIP\n",
    ]);
    format!("{own}selector: {{{selector}}}\n{ports}")
}

/// Draws a command line that affects objects of the manifests.
pub(super) fn command(random: &mut Random) -> String {
    let kind = random.pick(KINDS);
    let workload = random.pick(TEMPLATED);
    let n = random.below(5);
    match random.below(50) {
        0..=2 => format!("scale {workload} {workload} --replicas={n}"),
        3 => format!("scale {workload}/{workload} --replicas={n} --current-replicas=2"),
        4 => format!("label {kind} {kind} step={n} --overwrite"),
        5 => format!("label {kind} {kind} step- tier=x{n}"),
        6 => format!("annotate {kind} {kind} step={n} --overwrite"),
        7 => format!("annotate {kind} {kind} note- step-"),
        8 | 9 => format!("set image {workload}/{workload} main=nginx:1.{n}"),
        10 => format!("set env {workload}/{workload} STEP={n} A-"),
        11 => format!("set resources {workload} {workload} --limits=cpu={n}00m,memory=64Mi"),
        12 => format!("set serviceaccount {workload} {workload} default"),
        13 => format!("patch {workload} {workload} -p '{{\"spec\":{{\"minReadySeconds\":{n}}}}}'"),
        14 => format!(
            "patch {workload} {workload} -p '{{\"spec\":{{\"template\":{{\"spec\":{{\"containers\":[{{\"name\":\"extra\",\"image\":\"x:{n}\"}}]}}}}}}}}'"
        ),
        15 => format!(
            "patch {workload} {workload} -p '{{\"spec\":{{\"template\":{{\"spec\":{{\"containers\":[{{\"name\":\"extra\",\"$patch\":\"delete\"}}]}}}}}}}}'"
        ),
        16 => format!(
            "patch {workload} {workload} --type=json -p '[{{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"y:{n}\"}}]'"
        ),
        17 => format!(
            "patch {kind} {kind} --type=merge -p '{{\"metadata\":{{\"labels\":{{\"merged\":\"{n}\",\"step\":null}}}}}}'"
        ),
        18 | 19 => format!("rollout restart {workload}/{workload}"),
        20 => format!("rollout undo {workload}/{workload} --to-revision={n}"),
        21 => "rollout pause deployment/deployment".to_owned(),
        22 => "rollout resume deployment/deployment".to_owned(),
        23 => format!("delete pods --wait=false -l app={workload}"),
        24 => format!("delete pods --wait=false --force -l app={workload}"),
        25 => format!("expose {} {workload} --port=80", if workload == "daemonset" || workload == "statefulset" { "deployment" } else { workload }),
        26 => format!("autoscale deployment deployment --max={} --min=1", n + 1),
        27 => "drain node-0 --ignore-daemonsets --delete-emptydir-data --force --timeout=10ms --disable-eviction".to_owned(),
        28 | 29 => "uncordon node-0".to_owned(),
        30 => format!("patch {workload} {workload} --subresource=scale --type=merge -p '{{\"spec\":{{\"replicas\":{n}}}}}'"),
        31 => "patch job job --type=merge -p '{\"spec\":{\"suspend\":true}}'".to_owned(),
        32 => "patch job job --type=merge -p '{\"spec\":{\"suspend\":false}}'".to_owned(),
        33 => format!("taint node node-1 step={n}:NoSchedule --overwrite"),
        34 => "taint node node-1 step-".to_owned(),
        35 => format!("taint node node-2 gone={n}:NoExecute --overwrite"),
        36 => "taint node node-2 gone:NoExecute-".to_owned(),
        37 => "cordon node-1".to_owned(),
        38 => "uncordon node-1".to_owned(),
        39 => format!("scale --all deployments,statefulsets --replicas={n}"),
        40 => format!("label pods -l app={workload} step={n} --overwrite"),
        41 => format!("set selector service service tier=x{n}"),
        42 => format!("run extra{n} --image=nginx:1.{n} --labels=app={workload}"),
        43 => "delete horizontalpodautoscaler --all".to_owned(),
        44 => format!("patch {kind} {kind} --subresource=status --type=merge -p '{{\"metadata\":{{\"labels\":{{\"own\":\"{n}\"}}}}}}'"),
        45..=48 => custom::command(random),
        _ => format!("create job from{n} --from=cronjob/cronjob"),
    }
}
