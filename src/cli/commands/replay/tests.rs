use crate::cli::testing::Shell;

/// A shell with the schedule of a rollout that breaks a condition, in the file `s.json`.
fn explored() -> Shell {
    let shell = Shell::new();
    let _ = shell.out("create deployment web --image=nginx:1 --replicas=2");
    let said = shell.run(
        "explore --seeds 8 --crash --save @/s.json --object deploy/web --never 'total > 3' -- set image deploy/web nginx=nginx:2",
    );
    assert_eq!(said.code, 1, "{said:?}");
    shell
}

#[test]
fn a_schedule_is_stepped_through_in_any_cluster() {
    let shell = explored();
    let out = shell.out("replay @/s.json");
    for part in [
        "step 1  deployment  2026-01-01 00:00:00\n",
        "  key      default/web\n  trigger  revision ",
        ": you: deployment.apps/web updated (kubectl set image deploy/web nginx=nginx:2)\n",
        "  plan     new-replica-set: no ReplicaSet has this Pod template\n",
        "  result   revision ",
        "  schedule ",
        " steps, a condition does not hold:\n  deployment.apps/web: never `total > 3` is violated\n",
    ] {
        assert!(out.contains(part), "{part:?} is not in\n{out}");
    }
    let first = shell.out("replay @/s.json --until 1");
    assert!(
        first.contains("step 1 ") && !first.contains("step 2 "),
        "{first}"
    );
    assert!(out.starts_with(&first));
    // The file is self-contained: the cluster that it was recorded from is not needed.
    let _ = shell.out("delete deployment web");
    let _ = shell.out("cluster init --clock virtual --state @/other");
    assert_eq!(shell.out("replay @/s.json"), out);
    assert_eq!(shell.out("replay @/s.json --state @/other"), out);
    let data = shell.out("replay @/s.json -o json");
    assert!(data.contains("\"controller\": \"deployment\""), "{data}");
}

#[test]
fn an_export_is_played_commit_by_commit() {
    let shell = Shell::new();
    let _ = shell.out("create deployment web --image=nginx:1 --replicas=2");
    let _ = shell.out("settle");
    let _ = shell.out("export @/run.tgz");
    let out = shell.out("replay @/run.tgz --speed 60");
    let revisions: Vec<u64> = out
        .lines()
        .map(|line| line.split_whitespace().next().unwrap().parse().unwrap())
        .collect();
    assert!(revisions.is_sorted() && revisions.len() > 5, "{out}");
    assert!(
        out.contains("you: deployment.apps/web created (kubectl "),
        "{out}"
    );
    let first = shell.out(&format!("replay @/run.tgz --until {}", revisions[2]));
    assert_eq!(first.lines().count(), 3, "{first}");
    assert!(out.starts_with(&first));
}

#[test]
fn other_files_are_rejected_with_their_names() {
    let shell = Shell::new();
    shell.write("a.yaml", "{\"kind\": \"Pod\"}");
    shell.write("b.json", "no");
    shell.write("c.tgz", [0x1f, 0x8b, 8, 0, 1]);
    let outside = r#"{"apiVersion": "ctl.dev/v1", "kind": "Schedule", "decisions": [],
        "scenario": {"case": "c", "file": "c.yaml", "files": {"../c.yaml": ""}}}"#;
    shell.write("d.json", outside);
    for (line, told) in [
        (
            "replay @/a.yaml",
            "@/a.yaml: is neither a schedule of `ctl explore` nor a file of `ctl export`",
        ),
        ("replay @/b.json", "@/b.json: "),
        ("replay @/c.tgz", "@/c.tgz: "),
        (
            "replay @/d.json",
            "@/d.json: ../c.yaml: is outside of the case",
        ),
        ("replay @/none", "open @/none: "),
        (
            "replay @/a.yaml --speed 0",
            "must be a number greater than 0",
        ),
    ] {
        let said = shell.run(line);
        assert_eq!(said.code, 1, "{line}: {said:?}");
        assert!(said.err.contains(told), "{line}: {said:?}");
    }
}
