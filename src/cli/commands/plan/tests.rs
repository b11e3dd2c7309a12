use std::collections::BTreeMap;
use std::path::Path;

use crate::api::json::Value;
use crate::cli::testing::Shell;

fn shell() -> Shell {
    let shell = Shell::new();
    shell.all(&[
        "create deployment web --image=nginx:1 --replicas=3",
        "settle",
    ]);
    shell
}

/// The bytes of every file of a directory, and when it was written.
fn files(directory: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut all = BTreeMap::new();
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        // The file caches modification times, and every reader may update it.
        if path.ends_with(".ctl/seen") {
            continue;
        }
        match path.is_dir() {
            true => all.extend(files(&path)),
            false => {
                let written = path.metadata().unwrap().modified().unwrap();
                let bytes = std::fs::read(&path).unwrap();
                let _ = all.insert(path.display().to_string(), (bytes, written));
            }
        }
    }
    all
}

fn planned(shell: &Shell, line: &str, code: u8) -> Value {
    let line = line.replacen("plan", "plan -o json", 1);
    let said = shell.run(&line);
    assert_eq!(
        (said.code, said.err.as_str()),
        (code, ""),
        "{line}: {said:?}"
    );
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn plan_of_a_rollout_changes_no_file() {
    let shell = shell();
    let before = files(&shell.state());
    let plan = planned(&shell, "plan -- set image deploy/web nginx=nginx:2", 1);
    assert_eq!(plan["outcome"], "settled", "{plan}");
    let of = |change: &str| {
        let pods = plan["pods"].as_array().unwrap().iter();
        pods.filter(|pod| pod["change"] == change).count()
    };
    assert_eq!((of("created"), of("removed")), (3, 3), "{plan}");
    let [web] = &plan["workloads"].as_array().unwrap()[..] else {
        panic!("{plan}")
    };
    assert_eq!(web["workload"], "deployments.apps/default/web");
    // maxSurge and maxUnavailable are 25%: of three replicas, one more and none fewer.
    assert_eq!(
        (&web["lowestReady"], &web["after"]["ready"]),
        (&3.into(), &3.into()),
        "{web}"
    );
    let after = files(&shell.state());
    let changed: Vec<&String> = after
        .iter()
        .filter(|(path, own)| before.get(*path) != Some(own))
        .map(|(path, _)| path)
        .collect();
    assert!(
        changed.is_empty() && after.len() == before.len(),
        "{changed:?}"
    );
    let image = shell.out("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}");
    assert_eq!(image, "nginx:1");
}

#[test]
fn the_text_names_pods_counts_and_differences() {
    let shell = shell();
    let said = shell.run("plan -- kubectl scale deploy/web --replicas=1");
    assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
    for part in [
        "removed   pod/web-",
        "scale-down: desired 1, current 3",
        "deployment.apps/web   3 -> 1",
        "~ deployment.apps/web\n    spec.replicas 3 -> 1\n",
        "plan: 0 Pods created, 2 removed, settled after ",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let same = shell.run("plan -- scale deploy/web --replicas=3");
    assert_eq!(
        (same.code, same.out.as_str()),
        (0, "plan: nothing would change\n")
    );
}

#[test]
fn plan_applies_a_file_and_keeps_no_state() {
    let shell = Shell::new();
    let made = shell.out("create deployment web --image=i --replicas=2 --dry-run=client -o yaml");
    shell.write("web.yaml", made);
    for _ in 0..2 {
        let plan = planned(&shell, "plan -f @/web.yaml", 1);
        assert_eq!(plan["pods"].as_array().unwrap().len(), 2, "{plan}");
    }
    assert_eq!(shell.out("get deploy -o name --ignore-not-found"), "");
}

#[test]
fn a_plan_that_the_time_limit_ended_says_so() {
    let shell = shell();
    let line = "plan --timeout=0s -- scale deploy/web --replicas=9";
    let said = shell.run(line);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(
        said.out
            .contains("stuck: controllers: still busy at the time limit\n"),
        "{said:?}"
    );
    assert!(
        said.out
            .contains(", not settled at the time limit (--timeout); "),
        "{said:?}"
    );
    assert_eq!(planned(&shell, line, 2)["timedOut"], true);
}

#[test]
fn plan_names_new_blockers_apart_from_earlier_ones() {
    let shell = shell();
    let plan = planned(
        &shell,
        "plan -- set resources deploy/web --requests=cpu=10000",
        2,
    );
    assert_eq!(plan["outcome"], "stuck");
    let cause = plan["blockers"][0]["cause"].as_str().unwrap();
    assert!(cause.starts_with("Unschedulable: 0/"), "{cause}");
    shell.all(&["set resources deploy/web --requests=cpu=10000"]);
    let said = shell.run("plan -- create configmap other");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out
            .contains("already stuck before the change: Unschedulable"),
        "{said:?}"
    );
}

#[test]
fn a_quota_and_a_budget_are_blockers() {
    let shell = shell();
    shell.all(&["create quota small --hard=pods=4"]);
    let plan = planned(&shell, "plan -- scale deploy/web --replicas=9", 2);
    let cause = plan["blockers"][0]["cause"].as_str().unwrap();
    assert!(cause.contains("exceeded quota: small"), "{plan}");
    shell.all(&[
        "create pdb web --selector=app=web --min-available=3",
        "settle",
    ]);
    let node = shell.out("get pods -o jsonpath={.items[0].spec.nodeName}");
    let said = shell.run(&format!("plan -- drain {node} --ignore-daemonsets --force"));
    assert!(said.out.contains("disruption budget"), "{said:?}");
    let drain = format!("plan -o json -- drain {node} --ignore-daemonsets --force");
    let plan = shell.run(&drain);
    assert_eq!(plan.code, 2, "{plan:?}");
    assert!(plan.out.contains("\"outcome\": \"stuck\""), "{plan:?}");
    let plan: Value = serde_json::from_str(&plan.out).unwrap();
    let blockers = plan["blockers"].as_array().unwrap();
    let last = blockers.last().unwrap();
    let why = "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 3 healthy pods and has 3 currently";
    assert_eq!(last["cause"], why, "{plan}");
    let pod = last["objects"][0].as_str().unwrap();
    assert!(pod.starts_with("Pod default/web-"), "{plan}");
}

#[test]
fn plan_injects_faults_at_their_times() {
    let shell = shell();
    let node = shell.out("get pods -o jsonpath={.items[0].spec.nodeName}");
    let plan = planned(
        &shell,
        &format!("plan --fault 'node/{node} down at 30s'"),
        1,
    );
    let seconds = plan["seconds"].as_i64().unwrap();
    assert!(
        seconds >= 30 + 300,
        "the Pods are evicted after five minutes: {plan}"
    );
    let web = &plan["workloads"][0];
    assert!(web["lowestReady"].as_i64().unwrap() < 3, "{web}");
    let short = format!("plan --fault 'node/{node} down at 30s for 10s'");
    let plan = planned(&shell, &short, 0);
    assert!(plan["pods"].as_array().unwrap().is_empty(), "{plan}");
}

#[test]
fn invalid_plan_exits_with_3() {
    let shell = shell();
    for (line, why) in [
        (
            "plan",
            "expected a change: -f FILE, -k DIR, --fault FAULT or -- COMMAND",
        ),
        (
            "plan -- cluster delete",
            "does not work on a fork of the cluster in memory",
        ),
        (
            "plan -- scale deploy/none --replicas=1",
            "deployments.apps \"none\" not found",
        ),
        ("plan delete pods", "put the command after --"),
        ("plan --bad", "unknown flag: --bad"),
        ("plan --fault= -- get pods", "--fault"),
        (
            "plan -- get pods -w",
            "`kubectl get --watch` does not work on a fork of the cluster in memory",
        ),
        (
            "plan -- logs --follow deploy/none",
            "`kubectl logs --follow` does not work",
        ),
        (
            "plan -f @/none.yaml",
            "the path \"@/none.yaml\" does not exist",
        ),
    ] {
        let said = shell.run(line);
        assert_eq!(said.code, 3, "{line}: {said:?}");
        assert!(said.err.contains(why), "{line}: {said:?}");
    }
    assert!(shell.state().exists());
}

#[test]
fn plan_creates_no_cluster() {
    let shell = Shell::empty();
    let plan = planned(&shell, "plan -- create deployment web --image=i", 1);
    assert_eq!(plan["outcome"], "settled", "{plan}");
    assert!(!shell.state().exists());
}
