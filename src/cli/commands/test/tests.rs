//! Tests cases that pass and cases that fail, each in a file.

use crate::cli::testing::{CommandOutput, Shell};

/// Writes a case with these steps and runs it.
fn ran(shell: &Shell, steps: &str) -> CommandOutput {
    case(shell, "web", steps);
    shell.run("test @/tests")
}

fn case(shell: &Shell, name: &str, steps: &str) {
    let head = format!("apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {{name: {name}}}\nspec:\n");
    shell.write(&format!("tests/{name}.test.yaml"), format!("{head}{steps}"));
}

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  \
    selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    \
    spec: {containers: [{name: web, image: 'web:1'}]}\n";

#[track_caller]
fn passes(steps: &str) {
    let shell = Shell::new();
    shell.write("tests/web.yaml", WEB);
    let said = ran(&shell, steps);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    assert!(said.out.ends_with("1 passed, 0 failed\n"), "{said:?}");
}

#[track_caller]
fn fails(steps: &str, parts: &[&str]) {
    let shell = Shell::new();
    shell.write("tests/web.yaml", WEB);
    let said = ran(&shell, steps);
    assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
    assert!(said.out.ends_with("0 passed, 1 failed\n"), "{said:?}");
    for part in parts {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
}

#[test]
fn files_and_objects_are_applied_and_compared() {
    passes(
        "  steps:\n  - apply: web.yaml\n  - settle:\n  - assert:\n    - web.yaml\n    \
         - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, status: {readyReplicas: 2}}\n    \
         - {object: deploy/web, that: [status.readyReplicas == 2, ready == 2]}\n  \
         - apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}\n  \
         - run: [ctl scale deployment web --replicas=3, kubectl label cm a x=y]\n  - settle:\n  \
         - assert: {object: deploy/web, that: ready == 3, never: total > 3, then: [ready == 2, ready == 3]}\n  \
         - absent: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: z}}}\n",
    );
}

#[test]
fn waiting_lets_simulated_time_pass() {
    let assert = "  - assert: {object: deploy/web, that: ready == 2}\n";
    passes(&format!(
        "  steps:\n  - apply: web.yaml\n{assert}    within: 1m\n"
    ));
    fails(
        &format!("  steps:\n  - apply: web.yaml\n{assert}"),
        &[
            "`ready == 2` does not hold",
            "ready is 0",
            "web.test.yaml:7: assert deploy/web ready == 2",
        ],
    );
    // The job runs at midnight, so more than a day of simulated time passes.
    passes(
        "  steps:\n  - run: ctl create cronjob daily --image=job:1 --schedule=@daily\n  - for: 25h\n  \
         - assert: {apiVersion: batch/v1, kind: Job, status: {succeeded: 1}}\n",
    );
}

#[test]
fn faults_are_injected_at_their_time() {
    passes(
        "  steps:\n  - apply: web.yaml\n  - settle:\n  - fault: node/node-0 down at 30s for 20m\n  - for: 10m\n  \
         - assert: {object: node/node-0, that: 'status.conditions.exists(c, c.type == \"Ready\" && c.status == \"Unknown\")'}\n  \
         - for: 20m\n  - assert: {object: deploy/web, that: ready == 2}\n",
    );
}

#[test]
fn failure_prints_the_difference_and_its_cause() {
    fails(
        "  steps:\n  - apply: web.yaml\n  - settle:\n  - assert:\n      apiVersion: apps/v1\n      kind: Deployment\n      \
         metadata: {name: web}\n      spec: {replicas: 5}\n",
        &[
            "FAIL  web\n",
            "web.test.yaml:8: assert deployment/web\n",
            "spec.replicas is 2, expected 5",
            "you created deployment",
            "at revision ",
        ],
    );
    fails(
        "  steps:\n  - absent: {apiVersion: v1, kind: Namespace, metadata: {name: default}}\n",
        &["namespace/default: exists, but must not be as in "],
    );
    fails(
        "  steps:\n  - run: ctl delete pod none\n",
        &["pods \"none\" not found"],
    );
    fails(
        "  steps:\n  - run: ctl run web --image=a --annotations=ctl.dev/image=not-found\n  - settle:\n",
        &["stuck: "],
    );
}

#[test]
fn step_can_expect_a_failure() {
    let step =
        |fails: &str| format!("  steps:\n  - run: ctl delete pod none\n    fails: {fails}\n");
    passes(&step("not found"));
    fails(
        &step("forbidden"),
        &["it should fail with \"forbidden\", but failed with:"],
    );
    let succeeds = "  steps:\n  - run: ctl get nodes\n    fails: not found\n";
    fails(succeeds, &["it succeeded, but should fail"]);
}

#[test]
fn each_case_uses_its_own_cluster_and_runs_cleanup() {
    let shell = Shell::new();
    case(
        &shell,
        "a",
        "  namespace: blue\n  nodes: 1\n  steps:\n  - run: ctl create cm a\n  - run: ctl delete node node-1\n    fails: not found\n",
    );
    case(
        &shell,
        "b",
        "  steps:\n  - run: ctl create cm a\n  cleanup:\n  - run: ctl delete cm b\n",
    );
    case(&shell, "c", "  skip: not yet\n  steps: []\n");
    let said = shell.run("test @/tests --seeds 1..2 --parallel 2");
    assert_eq!(said.code, 1, "{said:?}");
    let lines: Vec<&str> = said.out.lines().filter(|l| !l.starts_with(' ')).collect();
    assert_eq!(
        lines,
        [
            "ok    a (seed 1)",
            "ok    a (seed 2)",
            "FAIL  b (seed 1)",
            "FAIL  b (seed 2)",
            "skip  c (seed 1): not yet",
            "skip  c (seed 2): not yet",
            "2 passed, 2 failed, 2 skipped"
        ]
    );
    assert!(
        said.out.contains("b.test.yaml:8: run ctl delete cm b"),
        "{said:?}"
    );
    let said = shell.run("test @/tests --filter a");
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "ok    a\n1 passed, 0 failed\n")
    );
}

#[test]
fn junit_tap_github_and_json_reports_are_written() {
    let shell = Shell::new();
    case(&shell, "a<b", "  steps:\n  - run: ctl get pod none\n");
    case(&shell, "c", "  steps:\n  - for: 1m\n");
    let said = shell.run("test @/tests --report junit=@/r.xml --report tap");
    assert_eq!(said.code, 1, "{said:?}");
    let tap = "TAP version 13\n1..2\nnot ok 1 - a<b\n  ---\n  at: \"@/tests/a<b.test.yaml:6\"\n  step: \"run ctl get pod none\"\n  message: |\n";
    assert!(
        said.out.starts_with(tap) && said.out.ends_with("  ...\nok 2 - c\n"),
        "{}",
        said.out
    );
    let xml = std::fs::read_to_string(shell.path("r.xml")).unwrap();
    for part in [
        "tests=\"2\" failures=\"1\" skipped=\"0\"",
        "name=\"a&lt;b\"",
        "time=\"60\"/>",
        "<failure message=",
    ] {
        assert!(xml.contains(part), "{part}: {xml}");
    }
    let said = shell.run("test @/tests --report github");
    assert!(
        said.out.starts_with(
            "::error file=@/tests/a<b.test.yaml,line=6,title=a<b::run ctl get pod none%0A"
        ),
        "{said:?}"
    );
    let said = shell.run("test @/tests -o json");
    let data: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(
        (&data["failed"], &data["cases"][0]["failure"]["line"]),
        (&1.into(), &6.into())
    );
}

#[test]
fn invalid_test_case_exits_with_2() {
    let shell = Shell::new();
    shell.write("plain.yaml", WEB);
    let later = "apiVersion: ctl.dev/v2\nkind: Test\nspec: {steps: [settle: {}]}\n";
    shell.write("later.yaml", later);
    for (name, steps, why) in [
        (
            "a",
            "  steps:\n  - aply: web.yaml\n",
            "a.test.yaml:6: unknown field \"aply\"; known are apply, run",
        ),
        (
            "b",
            "  steps:\n  - {settle: , for: 1m}\n",
            "b.test.yaml:6: a step has one of apply, run",
        ),
        (
            "c",
            "  steps:\n  - for: soon\n",
            "c.test.yaml:6: expected a duration such as 90s",
        ),
        (
            "d",
            "  steps:\n  - assert: none.yaml\n",
            "none.yaml: no such file",
        ),
        (
            "e",
            "  steps:\n  - assert: {object: deploy/web}\n",
            "expected a condition",
        ),
        ("f", "  step: []\n", "f.test.yaml:5: unknown field \"step\""),
        (
            "g",
            "  skip: true\n  steps: []\n",
            "g.test.yaml:5: expected a string",
        ),
        (
            "h",
            "  namespace: 7\n  steps: []\n",
            "h.test.yaml:5: expected a string",
        ),
    ] {
        case(&shell, name, steps);
        let said = shell.run(&format!("test @/tests/{name}.test.yaml"));
        assert_eq!(said.code, 2, "{name}: {said:?}");
        assert!(said.err.contains(why), "{name}: {said:?}");
    }
    for (line, why) in [
        ("test @/plain.yaml", "plain.yaml: no test case"),
        (
            "test @/later.yaml",
            "later.yaml: unknown Test of ctl.dev/v2",
        ),
        ("test @/none", "none: no such file or directory"),
        ("test @/plain.yaml --seeds 3..1", "a seed or a range"),
        ("test", "required"),
        (
            "test @/plain.yaml --report foo",
            "the formats are junit, tap and github",
        ),
        ("test @/plain.yaml --report junit=", "expected a file"),
        ("test @/plain.yaml --bad", "unknown flag: --bad"),
    ] {
        let said = shell.run(line);
        assert!(said.code == 2 && said.err.contains(why), "{line}: {said:?}");
    }
}

#[test]
fn directories_of_kuttl_run_as_they_are() {
    let shell = Shell::new();
    let step = "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\n";
    shell.write("tests/web/00-install.yaml", WEB);
    let expected = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nstatus: {readyReplicas: 2}\n";
    shell.write("tests/web/00-assert.yaml", expected);
    // The partial object is merged, and the assertion finds the Pod without a name.
    let scale =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n";
    shell.write("tests/web/01-scale.yaml", scale);
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {labels: {app: web}}\nstatus: {phase: Running}\n";
    let more = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nstatus: {readyReplicas: 3}\n";
    let timeout = "apiVersion: kuttl.dev/v1beta1\nkind: TestAssert\ntimeout: 60\n";
    shell.write(
        "tests/web/01-assert.yaml",
        format!("{pod}---\n{more}---\n{timeout}"),
    );
    let commands = "commands:\n- command: kubectl annotate deployment web note=$NAMESPACE\n  namespaced: true\n";
    shell.write("tests/web/02-note.yaml", format!("{step}{commands}"));
    let noted = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, annotations: {note: kuttl-test-web}}\n";
    shell.write("tests/web/02-assert.yaml", noted);
    let delete = "delete:\n- apiVersion: apps/v1\n  kind: Deployment\n  name: web\n";
    shell.write("tests/web/03-delete.yaml", format!("{step}{delete}"));
    shell.write("tests/web/03-errors.yaml", pod);
    shell.write("tests/plain/01-namespace.yaml", WEB);
    let suite = "apiVersion: kuttl.dev/v1beta1\nkind: TestSuite\ntestDirs: [tests]\ntimeout: 20\n";
    shell.write("kuttl-test.yaml", suite);
    for line in [
        "test @/tests/web",
        "test @/tests",
        "test @/kuttl-test.yaml --filter web",
    ] {
        let said = shell.run(line);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{line}: {said:?}");
        assert!(said.out.starts_with("ok    web"), "{line}: {said:?}");
    }
    shell.write("tests/web/00-errors.yaml", expected);
    let said = shell.run("test @/tests/web");
    let text = "@/tests/web/00-assert.yaml:1: 00 assert deployment/web, deployment/web\n";
    assert!(said.code == 1 && said.out.contains(text), "{said:?}");
    assert!(
        said.out
            .contains("deployment/web: exists, but must not be as in @/tests/web/00-errors.yaml:1"),
        "{said:?}"
    );
    for (content, why) in [
        (
            "commands:\n- {command: sleep 1, background: true}\n",
            "in the background are not supported",
        ),
        ("unitTest: true\n", "unitTest and kubeconfig"),
        (
            "commands:\n- {timeout: 1}\n",
            "a command needs command or script",
        ),
    ] {
        shell.write("tests/web/00-first.yaml", format!("{step}{content}"));
        let said = shell.run("test @/tests/web");
        assert!(said.code == 2 && said.err.contains(why), "{said:?}");
    }
}

#[test]
fn fault_matrix_runs_each_case_with_every_fault() {
    let shell = Shell::new();
    shell.write("tests/web.yaml", WEB);
    let assert = "  - assert: {object: deploy/web, that: ready == 2}\n    within: ";
    case(
        &shell,
        "patient",
        &format!("  steps:\n  - apply: web.yaml\n{assert}20m\n"),
    );
    let said = shell.run("test @/tests --matrix faults");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    for part in [
        "ok    patient\n",
        "ok    patient (node/node-0 down",
        "ok    patient (node/node-2 down",
        "ok    patient (pod/web-",
        "ok    patient (image web:1 missing) (5m",
        "ok    patient (API errors)",
        "8 passed, 0 failed",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    // A minute suffices for a normal start, but not if the image is missing for five.
    case(
        &shell,
        "patient",
        &format!("  steps:\n  - apply: web.yaml\n{assert}1m\n"),
    );
    let said = shell.run("test @/tests --matrix faults");
    assert!(
        said.code == 1 && said.out.contains("FAIL  patient (image web:1 missing)\n"),
        "{said:?}"
    );
    assert!(said.out.contains("\nok    patient (pod/web-"), "{said:?}");
}

#[test]
fn expected_objects_can_be_updated() {
    let shell = Shell::new();
    shell.write("tests/web.yaml", WEB);
    let head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    shell.write("tests/expected.txt", "");
    shell.write(
        "tests/out/expected.yaml",
        format!("{head}status:\n  # as many as wanted\n  readyReplicas: 7 # ready\n"),
    );
    case(
        &shell,
        "web",
        "  steps:\n  - apply: web.yaml\n  - settle:\n  - assert: out/expected.yaml\n  - assert:\n      apiVersion: apps/v1\n      kind: Deployment\n      \
         metadata: {name: web}\n      spec: {replicas: 9, template: {spec: {containers: [{image: 'x:2'}]}}}\n",
    );
    let said = shell.run("test @/tests --update");
    assert_eq!(
        (said.code, said.err.as_str()),
        (0, "updated 3 values in 2 files\n"),
        "{said:?}"
    );
    let read = |name: &str| std::fs::read_to_string(shell.path(name)).unwrap();
    assert!(
        read("tests/out/expected.yaml")
            .ends_with("  # as many as wanted\n  readyReplicas: 2 # ready\n")
    );
    let own = read("tests/web.test.yaml");
    assert!(
        own.ends_with(
            "spec: {replicas: 2, template: {spec: {containers: [{image: \"web:1\"}]}}}\n"
        ),
        "{own}"
    );
    let said = shell.run("test @/tests --update");
    assert_eq!(
        (said.code, said.err.as_str()),
        (0, "updated 0 values in 0 files\n"),
        "{said:?}"
    );
}

#[test]
fn files_of_chainsaw_run_as_they_are() {
    let shell = Shell::new();
    shell.write(
        "tests/web.yaml",
        WEB.replace("name: web}\nspec", "name: ($name)}\nspec"),
    );
    shell.write(
        "tests/expected.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ($name)}\n\
        spec: {(length(template.spec.containers)): 1}\nstatus: {(readyReplicas >= `2`): true}\n",
    );
    let head = "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: web}\nspec:\n  bindings: [{name: name, value: web}]\n  steps:\n";
    let steps = "  - name: install\n    try:\n    - apply: {file: web.yaml}\n    - assert: {file: expected.yaml, timeout: 1m}\n    \
        - error: {resource: {apiVersion: v1, kind: Pod, status: {phase: Failed}}, timeout: 1s}\n  \
        - try:\n    - patch: {resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3}}}\n    \
        - wait: {apiVersion: apps/v1, kind: Deployment, name: web, for: {condition: {name: Available}}}\n    \
        - sleep: {duration: 10s}\n    - command: {entrypoint: kubectl, args: [scale, deployment, web, --replicas=1]}\n    \
        - assert: {bindings: [{name: count, value: 1}], resource: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: ($count)}}}\n    \
        - create:\n        resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ($namespace)}}\n        \
        expect: [{check: {($error == null): true, metadata: {namespace: chainsaw-web}}}]\n    \
        - create:\n        resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n        expect: [{check: {($error != null): true}}]\n    \
        - delete: {ref: {apiVersion: apps/v1, kind: Deployment, name: web}}\n    - error: {resource: {apiVersion: v1, kind: Pod}}\n";
    shell.write("tests/chainsaw-test.yaml", format!("{head}{steps}"));
    let said = shell.run("test @/tests");
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{said:?}");
    let more = "  - try:\n    - assert: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: b}}, timeout: 1s}\n    \
        catch:\n    - get: {apiVersion: v1, kind: ConfigMap, name: a}\n";
    shell.write("tests/chainsaw-test.yaml", format!("{head}{steps}{more}"));
    let said = shell.run("test @/tests");
    for part in [
        "chainsaw-test.yaml:27: assert configmap/a\n",
        "data is (none), expected ",
        "get configmap:\n",
        "NAME   DATA   AGE",
    ] {
        assert!(
            said.code == 1 && said.out.contains(part),
            "{part}: {}",
            said.out
        );
    }
    let other = "  - try:\n    - proxy: {kind: Pod}\n";
    shell.write("tests/chainsaw-test.yaml", format!("{head}{other}"));
    let said = shell.run("test @/tests");
    let text = "chainsaw-test.yaml:8: the operation \"proxy\" is not supported";
    assert!(said.code == 1 && said.out.contains(text), "{}", said.out);
}

#[test]
fn scripts_end_at_the_limit_of_a_step() {
    let shell = Shell::new();
    case(&shell, "slow", "  steps:\n  - script: sleep 20\n");
    let said = shell.run("test @/tests --timeout 100ms");
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out.contains("it did not exit within 100ms"),
        "{said:?}"
    );
}
