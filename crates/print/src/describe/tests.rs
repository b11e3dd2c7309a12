//! Tests descriptions of objects of every kind, and compares recorded ones.

use jiff::tz::TimeZone;

use super::{KINDS, Related, RelatedKind, describe, needs, pod_template};
use crate::api::json::{Value, json};
use crate::api::yaml::{self, Mode};

fn related() -> Related {
    Related::at("2026-11-20T22:35:41Z".parse().unwrap(), TimeZone::UTC)
}

fn object(text: &str) -> Value {
    yaml::parse_one(text.as_bytes(), Mode::Strict)
        .unwrap()
        .unwrap()
}

fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// Returns every object of the recorded defaults, and those written for this test.
fn inputs() -> Vec<(String, Value)> {
    let mut files: Vec<_> = std::fs::read_dir(root().join("facts/defaults"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".out.yaml"))
        .collect();
    files.sort();
    files.push(root().join("describe/more.yaml"));
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for document in yaml::parse(&std::fs::read(&file).unwrap(), Mode::Strict).unwrap() {
            all.push((name.clone(), document.value));
        }
    }
    all
}

/// Returns the related objects, all taken from the file written for this test.
fn belongings(all: &[(String, Value)]) -> Related {
    let made = |kind: &str| {
        let of = all
            .iter()
            .filter(|(name, object)| name == "more.yaml" && object["kind"] == kind);
        of.map(|(_, object)| object.clone()).collect::<Vec<_>>()
    };
    Related {
        events: Some(vec![
            json!({"type": "Normal", "reason": "Late", "lastTimestamp": "2026-11-20T22:35:40Z", "count": 3,
                "firstTimestamp": "2026-11-20T22:30:40Z", "source": {"component": "kubelet"}, "message": " late ",
                "involvedObject": {"fieldPath": "spec.containers{main}"}}),
            json!({"type": "Warning", "reason": "Early", "eventTime": "2026-11-20T22:35:00.000000Z",
                "series": {"count": 7, "lastObservedTime": "2026-11-20T22:35:30.000000Z"},
                "reportingComponent": "me", "message": "early"}),
        ]),
        pods: made("Pod"),
        quotas: made("ResourceQuota"),
        lease: Ok(
            json!({"spec": {"holderIdentity": "node-1", "renewTime": "2026-11-20T22:35:28.000000Z"}}),
        ),
        ..related()
    }
}

#[test]
fn describe_of_every_kind_matches_the_golden_file() {
    let all = inputs();
    assert!(all.len() > 110);
    let related = belongings(&all);
    let mut shown = String::new();
    for (name, object) in &all {
        let title = format!("{name} {}", object["kind"].as_str().unwrap());
        shown.push_str(&format!("=== {title}\n{}\n", describe(object, &related)));
    }
    let path = root().join("describe/golden.txt");
    if std::env::var_os("CTL_UPDATE").is_some() {
        #[expect(
            clippy::disallowed_methods,
            reason = "the test writes what it was asked to write anew"
        )]
        std::fs::write(&path, &shown).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (got, wanted) in shown.split("=== ").zip(golden.split("=== ")) {
        assert_eq!(
            got, wanted,
            "CTL_UPDATE=1 rewrites testdata/describe/golden.txt"
        );
    }
    assert_eq!(shown.len(), golden.len());
}

#[test]
fn described_kinds_are_unique_and_registered() {
    for (at, special) in KINDS.iter().enumerate() {
        let same =
            |other: &&super::Special| other.group == special.group && other.kind == special.kind;
        assert_eq!(KINDS.iter().position(|other| same(&other)), Some(at));
        let known = crate::kinds::registry::all()
            .any(|k| k.group == special.group && k.kind == special.kind);
        assert!(known, "{}", special.kind);
    }
    assert_eq!(needs("sea.example.com", "Boat"), [RelatedKind::Events]);
    assert!(needs("", "Secret").is_empty());
}

const TEMPLATE: &str = "
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: 'nginx:1.26'}]}";

const DEPLOYMENT: &str = "Name:                   web
Namespace:              default
CreationTimestamp:      Fri, 20 Nov 2026 22:35:37 +0000
Labels:                 app=web
Annotations:            deployment.kubernetes.io/revision: 2
Selector:               app=web
Replicas:               2 desired | 2 updated | 2 total | 2 available | 0 unavailable
StrategyType:           RollingUpdate
MinReadySeconds:        0
RollingUpdateStrategy:  25% max unavailable, 25% max surge
Pod Template:
  Labels:  app=web
  Containers:
   nginx:
    Image:         nginx:1.26
    Port:          <none>
    Host Port:     <none>
    Environment:   <none>
    Mounts:        <none>
  Volumes:         <none>
  Node-Selectors:  <none>
  Tolerations:     <none>
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      True    MinimumReplicasAvailable
OldReplicaSets:  web-7b46c4b544 (0/0 replicas created)
NewReplicaSet:   web-777f9fc55f (2/2 replicas created)
Events:
  Type    Reason             Age   From                   Message
  ----    ------             ----  ----                   -------
  Normal  ScalingReplicaSet  4s    deployment-controller  Scaled up replica set web-7b46c4b544 from 0 to 2
";

#[test]
fn a_deployment_lists_its_replica_sets() {
    let deployment = object(&format!(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: default, uid: u, creationTimestamp: '2026-11-20T22:35:37Z', labels: {{app: web}},
  annotations: {{deployment.kubernetes.io/revision: '2'}}}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  strategy: {{type: RollingUpdate, rollingUpdate: {{maxSurge: 25%, maxUnavailable: 25%}}}}{TEMPLATE}
status: {{updatedReplicas: 2, replicas: 2, availableReplicas: 2,
  conditions: [{{type: Available, status: 'True', reason: MinimumReplicasAvailable}}]}}"
    ));
    let set = |name: &str, image: &str, replicas: i64, owner: &str| {
        let mut template = deployment["spec"]["template"].clone();
        template["metadata"]["labels"]["pod-template-hash"] = json!(name);
        template["spec"]["containers"][0]["image"] = json!(image);
        json!({"metadata": {"name": format!("web-{name}"), "labels": template["metadata"]["labels"],
                "creationTimestamp": "2026-11-20T22:35:38Z",
                "ownerReferences": [{"controller": true, "uid": owner}]},
            "spec": {"replicas": replicas, "template": template}, "status": {"replicas": replicas}})
    };
    let shown = describe(
        &deployment,
        &Related {
            replica_sets: vec![
                set("777f9fc55f", "nginx:1.26", 2, "u"),
                set("7b46c4b544", "nginx:1.25", 0, "u"),
                set("other", "nginx:1.26", 0, "somebody else"),
            ],
            events: Some(vec![
                json!({"type": "Normal", "reason": "ScalingReplicaSet", "count": 1,
                "firstTimestamp": "2026-11-20T22:35:37Z", "lastTimestamp": "2026-11-20T22:35:37Z",
                "source": {"component": "deployment-controller"},
                "message": "Scaled up replica set web-7b46c4b544 from 0 to 2"}),
            ]),
            ..related()
        },
    );
    assert_eq!(shown, DEPLOYMENT);
    let template = pod_template(&deployment["spec"]["template"]);
    let template = crate::tabwriter::DESCRIPTION.apply(&template);
    assert!(DEPLOYMENT.contains(&template), "{template}");
}

#[test]
fn a_replica_set_counts_only_its_own_pods() {
    let set = object(&format!(
        "
apiVersion: apps/v1
kind: ReplicaSet
metadata: {{name: web, namespace: default, uid: u, ownerReferences: [{{kind: Deployment, name: web, controller: true}}]}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}{TEMPLATE}
status: {{replicas: 2}}"
    ));
    let pod = |phase: &str, app: &str, owner: &str| {
        json!({"metadata": {"labels": {"app": app}, "ownerReferences": [{"controller": true, "uid": owner}]},
            "status": {"phase": phase}})
    };
    let pods = vec![
        pod("Running", "web", "u"),
        pod("Pending", "web", "u"),
        pod("Failed", "web", "u"),
        pod("Running", "db", "u"),
        pod("Running", "web", "x"),
    ];
    let shown = describe(&set, &Related { pods, ..related() });
    assert!(
        shown.contains("Pods Status:    1 Running / 1 Waiting / 0 Succeeded / 1 Failed\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Controlled By:  Deployment/web\nReplicas:       2 current / 3 desired\n"),
        "{shown}"
    );
}

const INGRESS: &str = "Name:             rich
Labels:           <none>
Namespace:        default
Address:          
Ingress Class:    <none>
Default backend:  <default>
TLS:
  shop-tls terminates shop.example.com
Rules:
  Host              Path  Backends
  ----              ----  --------
  shop.example.com  
                    /   rich:web (10.200.0.1:80)
Annotations:        <none>
Events:             <none>
";

fn slice(service: &str, port: &str, addresses: &[(&str, bool)]) -> Value {
    let endpoints: Vec<Value> = addresses
        .iter()
        .map(|(address, ready)| json!({"addresses": [address], "conditions": {"ready": ready}}))
        .collect();
    json!({"metadata": {"labels": {"kubernetes.io/service-name": service}}, "endpoints": endpoints,
        "ports": [{"name": port, "port": 80}]})
}

#[test]
fn an_ingress_lists_the_addresses_of_its_backends() {
    let ingress = object(
        "
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: rich, namespace: default}
spec:
  tls: [{secretName: shop-tls, hosts: [shop.example.com]}]
  rules: [{host: shop.example.com, http: {paths: [{path: /, backend: {service: {name: rich, port: {name: web}}}}]}}]",
    );
    let with = Related {
        services: vec![
            json!({"metadata": {"name": "rich"}, "spec": {"ports": [{"name": "web", "port": 80}]}}),
        ],
        endpoint_slices: vec![slice("rich", "web", &[("10.200.0.1", true)])],
        events: Some(Vec::new()),
        ..related()
    };
    assert_eq!(describe(&ingress, &with), INGRESS);
    let without = describe(&ingress, &related());
    assert!(
        without.contains("rich:web (<error: services \"rich\" not found>)"),
        "{without}"
    );
}

#[test]
fn a_service_shows_three_of_its_addresses() {
    let service = object(
        "
apiVersion: v1
kind: Service
metadata: {name: s, namespace: default}
spec: {type: ClusterIP, clusterIP: 10.96.0.7, clusterIPs: [10.96.0.7], ports: [{name: p, port: 1, targetPort: x, protocol: TCP}]}",
    );
    let addresses = [
        ("1.1.1.1", true),
        ("1.1.1.2", false),
        ("1.1.1.3", true),
        ("fd00::1", true),
        ("1.1.1.5", true),
    ];
    let endpoint_slices = vec![slice("s", "p", &addresses), slice("t", "p", &addresses)];
    let shown = describe(
        &service,
        &Related {
            endpoint_slices,
            ..related()
        },
    );
    assert!(
        shown.contains("Endpoints:         1.1.1.1:80,1.1.1.3:80,[fd00::1]:80 + 1 more...\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Port:              p  1/TCP\nTargetPort:        x/TCP\n"),
        "{shown}"
    );
}

#[test]
fn usage_of_a_quota_is_in_the_notation_of_its_limit() {
    let quota = object(
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: n},
status: {hard: {requests.memory: 1Gi, pods: '4'}, used: {requests.memory: 100M, pods: '1'}}}",
    );
    let shown = describe(&quota, &related());
    assert!(
        shown.contains("pods             1          4\nrequests.memory  100000000  1Gi\n"),
        "{shown}"
    );
    let namespace = object("{apiVersion: v1, kind: Namespace, metadata: {name: n}}");
    let quotas = vec![quota];
    let shown = describe(
        &namespace,
        &Related {
            quotas,
            ..related()
        },
    );
    assert!(shown.contains("requests.memory  100M  1Gi\n"), "{shown}");
}

#[test]
fn times_are_in_the_readers_zone() {
    let node = object(
        "{apiVersion: v1, kind: Node, metadata: {name: n, creationTimestamp: '2026-07-20T22:00:00Z'}}",
    );
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let shown = describe(&node, &Related { zone, ..related() });
    assert!(
        shown.contains("CreationTimestamp:  Tue, 21 Jul 2026 00:00:00 +0200\n"),
        "{shown}"
    );
    assert!(
        shown.contains("Lease:              Failed to get lease: \n"),
        "{shown}"
    );
}

#[test]
fn objects_of_any_shape_are_described() {
    let odd = json!({"spec": 1, "status": [], "metadata": "x", "data": {"a": [null]}, "rules": {}, "subsets": [7]});
    for special in KINDS {
        let mut object = odd.clone();
        let version = match special.group {
            "" => "v1".to_owned(),
            group => format!("{group}/v1"),
        };
        object["apiVersion"] = json!(version);
        object["kind"] = json!(special.kind);
        describe(&object, &related());
    }
    describe(&json!(null), &related());
}
