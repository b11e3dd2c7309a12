//! Manifests as found in practice: an operator's definition, a rendered chart, and workloads with policies.

use super::properties;
use super::{ObservedObjects, custom};
use crate::api::json::{Value, json};
use crate::cli::testing::Shell;

macro_rules! manifest {
    ($name:literal) => {
        include_str!(concat!("../../../testdata/wild/", $name))
    };
}

/// A command and its required output.
type Fact = (&'static str, &'static str);

/// The files that are applied in order, and facts about the resulting objects.
const CASES: &[(&[&str], &[Fact])] = &[
    (
        &[manifest!("operator-crd.yaml"), manifest!("operator.yaml")],
        &[
            (
                "get listener web -o jsonpath={.spec.replicas},{.spec.timeout},{.spec.port},{.spec.tls.mode},{.spec.routes[*].weight}",
                "1,30s,80,Terminate,1 5",
            ),
            (
                "get listener web -o jsonpath={.spec.tls.certificateRefs[0]},{.spec.template.anything},{.metadata.generation}",
                r#"{"group":"","kind":"Secret","name":"cert"},[1,2],1"#,
            ),
            (
                "get ls --field-selector spec.class=public -o name",
                "listener.edge.example.net/web\n",
            ),
            ("get edge --field-selector spec.class=other -o name", ""),
        ],
    ),
    (
        &[manifest!("chart.yaml")],
        &[
            (
                "get deployment rel-edge-controller -o jsonpath={.status.readyReplicas},{.spec.template.spec.serviceAccount},{.spec.strategy.rollingUpdate.maxSurge}",
                "1,rel-edge,25%",
            ),
            (
                "get service rel-edge-controller -o jsonpath={.spec.internalTrafficPolicy},{.spec.allocateLoadBalancerNodePorts},{.spec.externalTrafficPolicy}",
                "Cluster,true,Local",
            ),
            (
                "get networkpolicy rel-edge -o jsonpath={.spec.ingress},{.spec.egress}",
                r#"[{"ports":[{"port":"webhook","protocol":"TCP"}]}],[{}]"#,
            ),
            (
                "get validatingwebhookconfiguration rel-edge-admission -o jsonpath={.webhooks[0].timeoutSeconds},{.webhooks[0].rules[0].scope},{.webhooks[0].clientConfig.service.port}",
                "10,*,443",
            ),
            (
                "get hpa rel-edge -o jsonpath={.spec.behavior.scaleDown.selectPolicy},{.spec.behavior.scaleUp.policies[*].type}",
                "Max,Pods Percent",
            ),
            (
                "get job rel-edge-admission-create -o jsonpath={.status.succeeded},{.status.conditions[*].type}",
                "1,SuccessCriteriaMet Complete",
            ),
        ],
    ),
    (
        &[manifest!("workloads.yaml")],
        &[
            (
                "get pvc -o jsonpath={.items[*].metadata.name},{.items[*].status.phase}",
                "data-db-0 data-db-1,Bound Bound",
            ),
            (
                "get statefulset db -o jsonpath={.status.readyReplicas},{.spec.persistentVolumeClaimRetentionPolicy}",
                r#"2,{"whenDeleted":"Retain","whenScaled":"Delete"}"#,
            ),
            (
                "get daemonset agent -n kube-system -o jsonpath={.status.numberReady},{.spec.template.spec.containers[0].ports[0].hostPort}",
                "3,9100",
            ),
            (
                "get pods -n kube-system -l name=agent -o jsonpath={.items[0].spec.priority},{.items[0].spec.tolerations[8].key}",
                "2000001000,node.kubernetes.io/network-unavailable",
            ),
            (
                "get job index -o jsonpath={.status.completedIndexes},{.status.conditions[*].reason}",
                "0,1,SuccessPolicy SuccessPolicy",
            ),
            (
                "get job policy -o jsonpath={.status.failed},{.status.conditions[*].type},{.status.conditions[*].reason}",
                "1,FailureTarget Failed,PodFailurePolicy PodFailurePolicy",
            ),
        ],
    ),
];

/// Returns the objects in a file except Jobs: a Job created from its own output would refer to another uid.
#[track_caller]
fn objects(shell: &Shell, file: &str) -> Vec<Value> {
    let all = shell.json(&format!("get -f @/{file}"));
    let items = match all["items"].as_array() {
        Some(items) => items.to_vec(),
        None => vec![all],
    };
    let kept = items.into_iter().filter(|object| object["kind"] != "Job");
    kept.collect()
}

/// Returns the declared part of objects.
fn declared(objects: &[Value]) -> Vec<[&Value; 7]> {
    let mut all = Vec::new();
    for object in objects {
        let meta = &object["metadata"];
        all.push([
            &object["kind"],
            &meta["name"],
            &meta["labels"],
            &object["spec"],
            &object["data"],
            &object["rules"],
            &object["webhooks"],
        ]);
    }
    all
}

#[test]
fn manifests_from_the_wild_keep_the_properties_of_kubernetes() {
    for (files, facts) in CASES {
        let shell = Shell::on_fork_of(custom::cluster());
        for manifest in *files {
            shell.write("m.yaml", manifest);
            let _ = shell.out("apply -f @/m.yaml");
        }
        let settled = shell.run("settle");
        assert!(settled.code < 2, "{settled:?}");
        for (line, expected) in *facts {
            assert_eq!(shell.out(line), *expected, "{line}");
        }
        let seen = ObservedObjects::new(shell.cluster());
        let all: Vec<Value> = seen.objects.values().cloned().collect();
        properties::of_each(&all);
        properties::settled(&all);
        let diff = shell.run("diff -f @/m.yaml");
        assert_eq!(diff.code, 0, "diff after apply: {diff:?}");
        restored(&shell);
    }
}

/// Checks that applying the printed objects changes nothing, that repeated server-side apply writes nothing, and that
/// the printed objects can be created again.
#[track_caller]
fn restored(shell: &Shell) {
    let before = objects(shell, "m.yaml");
    let saved = json!({"apiVersion": "v1", "kind": "List", "items": before});
    shell.write("saved.json", saved.to_string());
    let applied = shell.run("apply -f @/saved.json");
    assert_eq!(applied.code, 0, "{applied:?}");
    let after = objects(shell, "m.yaml");
    assert_eq!(declared(&after), declared(&before), "applied as printed");
    let versions = |shell: &Shell| {
        let forced = shell.run("apply --server-side --force-conflicts -f @/m.yaml");
        assert_eq!(forced.code, 0, "{forced:?}");
        shell.out("get -f @/m.yaml -o jsonpath={..resourceVersion}")
    };
    // The first one migrates the fields that client-side apply owned.
    let _ = versions(shell);
    assert_eq!(versions(shell), versions(shell), "applied again");
    let gone = shell.run("delete -f @/m.yaml --wait=false");
    assert_eq!(gone.code, 0, "{gone:?}");
    let settled = shell.run("settle");
    assert!(settled.code < 2, "{settled:?}");
    let created = shell.run("create -f @/saved.json");
    assert_eq!(created.code, 0, "{created:?}");
    let after = objects(shell, "saved.json");
    assert_eq!(declared(&after), declared(&before), "created again");
}

#[test]
fn a_schema_from_the_wild_reports_everything_that_is_against_it() {
    let shell = Shell::in_memory();
    shell.write("crd.yaml", manifest!("operator-crd.yaml"));
    shell.write("m.yaml", manifest!("operator-rejected.yaml"));
    let _ = shell.out("apply -f @/crd.yaml");
    let told = shell.fails("apply -f @/m.yaml");
    let told: Vec<&str> = told.lines().collect();
    let pattern = r"'^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'";
    let expected = [
        "The Listener \"bad\" is invalid: ".to_owned(),
        "* spec.address: Too many: 2: must have at most 1 items".to_owned(),
        "* <nil>: Invalid value: \"\": \"spec.address.ip\" must validate at least one schema (anyOf)".to_owned(),
        "* spec.address.ip: Invalid value: \"not\": spec.address.ip in body must be of type ipv4: \"not\"".to_owned(),
        "* <nil>: Invalid value: \"\": \"spec.address\" must validate one and only one schema (oneOf). Found 2 valid alternatives".to_owned(),
        "* spec.class: Invalid value: \"Public9\": spec.class in body should match '^[a-z]+$'".to_owned(),
        format!("* spec.resources.limits.cpu: Invalid value: \"x\": spec.resources.limits.cpu in body should match {pattern}"),
        "* <nil>: Invalid value: \"\": \"spec.routes[0].match\" must not validate the schema (not)".to_owned(),
        "* spec.routes[1]: Duplicate value: {\"name\":\"a\"}".to_owned(),
        "* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation".to_owned(),
    ];
    assert_eq!(told, expected);
}
