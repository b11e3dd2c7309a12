//! Measures the history: its commands on many commits, forks, imports, and test cases.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use ctl::api::json::json;
use ctl::store::{Batch, Cause, Expect, FileStore, Key, Op, Store as _};

use crate::Size;
use crate::commands::{ctl, row, run, time};
use crate::raw::files_again;
use crate::sample::{fill, store};
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};

/// Takes all measurements.
pub(crate) fn measure(table: &mut Table, size: Size) {
    commits(table, size);
    forks(table, size);
    imports(table, size);
    cases(table);
}

/// Commits to a hundred objects in turn. Nine of ten commits have the previous one as their cause.
fn commit_many(store: &FileStore, count: usize) {
    for number in 0..count {
        let name = format!("c{:02}", number % 100);
        let key = Key::new("configmaps", Some("default"), &name).unwrap();
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"number": format!("{number}")},
            "metadata": {"name": name.as_str(), "namespace": "default", "uid": name.as_str()},
        });
        let op = Op::put(key, serde_json::to_vec(&object).unwrap(), Expect::Any);
        let cause = match number % 10 {
            0 => Cause::new("kubectl patch", "patch"),
            _ => Cause {
                writer: "deployment".to_owned(),
                trigger: Some(store.revision().unwrap().into()),
                rule: format!("scale-up: the new ReplicaSet has {number}"),
            },
        };
        store.commit(&cause, Batch::new(vec![op])).unwrap();
    }
}

fn commits(table: &mut Table, size: Size) {
    let count = size.objects * 10;
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(&state, &["cluster", "init", "--history", "10000d"]));
    commit_many(&store(&state), count);
    let middle = (count / 2).to_string();
    let row = |table: &mut Table, args: &[&str], limit: u64| {
        let took = time(9, |_| ctl(&state, args));
        let what = format!("ctl {} with {count} commits", args.join(" "));
        row(table, &what.replace(&middle, "REVISION"), took, limit);
    };
    row(table, &["why", "configmap/c42"], 100);
    // The object was created with the cluster, so its chain is at the other end of the history.
    row(table, &["why", "configmap/kube-root-ca.crt"], 100);
    row(table, &["why", "configmap/c42", "--field", "kind"], 100);
    row(table, &["why", "node/node-0", "--not", "Ready"], 100);
    row(table, &["log", "configmap/c42"], 100);
    row(table, &["log", "--by", "you"], 100);
    row(table, &["get", "configmaps", "--at", &middle], 300);
}

fn forks(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(&state, &["cluster", "init"]));
    fill(&store(&state), size.objects);
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    // The two alternate, because the speed of creating files drifts.
    for round in 0..5 {
        bare.push(files_again(&state));
        let to = dir.path().join(format!("fork-{round}"));
        ours.push(time(1, |_| {
            ctl(&state, &["cluster", "fork", to.to_str().unwrap()])
        }));
    }
    let (ours, bare) = (median(ours), median(bare));
    let what = format!("ctl cluster fork of {} Pods", size.objects);
    let met = ours <= Duration::from_millis(100);
    table.row(&what, &ms(ours), &ms(bare), "100 ms", met);
}

fn imports(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    run(ctl(&state, &["cluster", "init"]));
    fill(&store(&state), size.objects);
    let dump = dir.path().join("dump.yaml");
    let mut get = ctl(&state, &["get", "pods,nodes", "-A", "-o", "yaml"]);
    get.stdout(File::create(&dump).unwrap());
    run(get);
    let took = time(3, |round| {
        let copy = dir.path().join(format!("import-{round}"));
        ctl(&copy, &["import", dump.to_str().unwrap()])
    });
    let what = format!("ctl import of {} Pods as YAML", size.objects);
    row(table, &what, took, 2000);
}

/// Measures a hundred cases of a Deployment that becomes ready and is scaled.
fn cases(table: &mut Table) {
    let dir = Scratch::new();
    let path = dir.path().join("many.test.yaml");
    let mut text = String::new();
    for number in 0..100 {
        write!(
            text,
            "apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {{name: case-{number}}}\nspec:\n  steps:\n  \
             - run: ctl create deployment web --image=nginx:1 --replicas=2\n  - settle:\n  \
             - run: ctl scale deployment web --replicas=3\n  - settle:\n  - assert:\n      \
             apiVersion: apps/v1\n      kind: Deployment\n      metadata: {{name: web}}\n      \
             status: {{readyReplicas: 3}}\n---\n"
        )
        .unwrap();
    }
    let mut file = File::create(&path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let took: Duration = time(5, |_| test(&path));
    row(table, "ctl test of 100 small cases", took, 2000);
}

fn test(path: &Path) -> std::process::Command {
    let none = path.with_file_name("none");
    ctl(&none, &["test", path.to_str().unwrap()])
}
