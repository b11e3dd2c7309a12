use clap::Parser;

use super::{DrainArgs, filter};
use crate::api::json::{Value, json};
use crate::cli::testing::Shell;
use crate::cluster::WriteOptions;
use crate::cluster::testing::{fresh, place};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: DrainArgs,
}

fn args(flags: &str) -> DrainArgs {
    let words = ["drain"].into_iter().chain(flags.split_whitespace());
    Line::try_parse_from(words).unwrap().args
}

fn pod(name: &str, owner: &str, more: Value) -> Value {
    let mut pod = json!({"metadata": {"namespace": "n", "name": name}, "spec": more});
    if !owner.is_empty() {
        let owner = json!({"controller": true, "kind": owner, "name": "agent"});
        pod["metadata"]["ownerReferences"] = json!([owner]);
    }
    pod
}

fn pods() -> Vec<Value> {
    let local = json!({"volumes": [{"name": "v", "emptyDir": {}}]});
    let mut mirror = pod("static", "", json!({}));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "x"});
    let mut done = pod("done", "", local.clone());
    done["status"] = json!({"phase": "Succeeded"});
    vec![
        pod("agent", "DaemonSet", json!({})),
        pod("alone", "", json!({})),
        pod("local", "ReplicaSet", local),
        mirror,
        done,
        pod("web", "ReplicaSet", json!({})),
    ]
}

fn sorted(flags: &str) -> (Vec<String>, String, Vec<String>) {
    let cluster = fresh();
    let agent = json!({"apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"name": "agent", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    let options = WriteOptions::default();
    cluster
        .create(&place("daemonsets"), &agent, &options)
        .unwrap();
    let mut pods = pods();
    pods[0]["metadata"]["namespace"] = json!("default");
    let sorted = filter::sort(pods, &args(flags), &cluster);
    let going = sorted.going.iter().map(filter::shown).collect();
    let errors = sorted.errors().iter().map(ToString::to_string).collect();
    (going, sorted.warnings(), errors)
}

#[test]
fn unmanaged_daemonset_and_local_storage_pods_block_drain() {
    let (going, warnings, errors) = sorted("node-1");
    assert_eq!(going, ["n/done", "n/web"]);
    assert_eq!(warnings, "");
    assert_eq!(
        errors,
        [
            "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): default/agent",
            "cannot delete Pods that declare no controller (use --force to override): n/alone",
            "cannot delete Pods with local storage (use --delete-emptydir-data to override): n/local",
        ]
    );
}

#[test]
fn drain_flags_allow_more_pods_with_warnings() {
    let (going, warnings, errors) =
        sorted("node-1 --force --ignore-daemonsets --delete-emptydir-data");
    assert_eq!(going, ["n/alone", "n/local", "n/done", "n/web"]);
    assert_eq!(
        warnings,
        "ignoring DaemonSet-managed Pods: default/agent; \
         deleting Pods that declare no controller: n/alone"
    );
    assert_eq!(errors, Vec::<String>::new());
}

#[test]
fn pods_of_a_deleted_daemonset_require_force() {
    let cluster = fresh();
    let orphan = vec![pod("agent", "DaemonSet", json!({}))];
    let sorted = filter::sort(orphan.clone(), &args("node-1"), &cluster);
    assert_eq!(
        sorted.errors()[0].to_string(),
        "cannot delete daemonsets.apps \"agent\" not found: n/agent"
    );
    let sorted = filter::sort(orphan, &args("node-1 --force"), &cluster);
    assert_eq!(sorted.going.len(), 1);
}

#[test]
fn long_terminating_pod_is_skipped() {
    let cluster = fresh();
    let mut old = pod("old", "ReplicaSet", json!({}));
    old["metadata"]["deletionTimestamp"] = json!("2020-01-01T00:00:00Z");
    let flags = "node-1 --skip-wait-for-delete-timeout=5";
    let sorted = filter::sort(vec![old], &args(flags), &cluster);
    assert_eq!(sorted.going.len(), 0);
}

#[test]
fn failed_drain_leaves_the_node_cordoned() {
    let shell = Shell::empty();
    shell.all(&[
        "cluster init --nodes 1 --clock virtual --seed 7",
        "create deployment web --image=i",
        "run alone --image=i",
        "settle",
    ]);
    let said = shell.run("drain node-0");
    assert_eq!(
        (said.code, said.out.as_str()),
        (1, "node/node-0 cordoned\n")
    );
    assert!(
        said.err.contains(
            "cannot delete Pods that declare no controller (use --force to override): default/alone"
        ),
        "{said:?}"
    );
    let dry = shell.run("drain node-0 --force --dry-run=client");
    assert!(
        dry.out
            .starts_with("node/node-0 already cordoned (dry run)\n"),
        "{dry:?}"
    );
    assert_eq!(shell.out("get pods -o name").lines().count(), 2);
    let help = "\nSee 'kubectl drain -h' for help and examples";
    shell.refuses(&[
        ("drain", &format!("USAGE: drain NODE [flags]{help}")),
        (
            "drain node-0 -l a=b",
            &format!("cannot specify both a node name and a --selector option{help}"),
        ),
        (
            "drain none",
            "Error from server (NotFound): nodes \"none\" not found",
        ),
    ]);
}
