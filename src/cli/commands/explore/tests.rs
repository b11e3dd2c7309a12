use crate::cli::testing::{CommandOutput, Shell};

/// Returns a shell with a Deployment of two Pods.
fn shell() -> Shell {
    let shell = Shell::new();
    let _ = shell.out("create deployment web --image=nginx:1 --replicas=2");
    let _ = shell.out("settle");
    shell
}

/// Explores a rollout that never has as many Pods as its condition requires.
fn violated(shell: &Shell) -> CommandOutput {
    shell.run(
        "explore --seeds 8 --crash --api-faults --save @/schedule.json --object deploy/web \
         --never 'total > 3' -- set image deploy/web nginx=nginx:2",
    )
}

#[test]
fn rollout_converges_under_every_schedule() {
    let shell = shell();
    let before = shell.out("get deploy,rs,pods -o yaml");
    let said =
        shell.run("explore --seeds 10 --crash --api-faults -- set image deploy/web nginx=nginx:2");
    assert_eq!(
        (said.code, said.out.as_str(), said.err.as_str()),
        (
            0,
            "set image deploy/web nginx=nginx:2: 10 schedules, all end alike\n",
            ""
        )
    );
    // Exploring does not change the cluster itself.
    assert_eq!(shell.out("get deploy,rs,pods -o yaml"), before);
}

#[test]
fn violation_is_reduced_to_the_same_shortest_schedule() {
    let shell = shell();
    let said = violated(&shell);
    assert_eq!((said.code, said.err.as_str()), (1, ""), "{said:?}");
    for part in [
        "of 8 schedules failed\nseed",
        ": a condition does not hold\n    deployment.apps/web: never `total > 3` is violated\n",
        "  shortest schedule, 1 of ",
        "written to @/schedule.json; `ctl replay @/schedule.json` steps through it\n",
    ] {
        assert!(said.out.contains(part), "{part:?} is not in\n{}", said.out);
    }
    assert_eq!(violated(&shell), said);
    let one = |flags: &str| {
        shell.run(&format!(
            "explore {flags} --seeds 8 --crash --api-faults --save @/other.json --object deploy/web \
             --never 'total > 3' -- set image deploy/web nginx=nginx:2"
        ))
    };
    assert_eq!(
        one("--parallel 1").out.replace("other", "schedule"),
        said.out
    );
    let data: serde_json::Value = serde_json::from_str(&one("-o json").out).unwrap();
    let found = &data["scenarios"][0]["found"][0];
    assert_eq!(found["problem"], "violation");
    assert_eq!(found["shortest"].as_array().unwrap().len(), 1);
}

#[test]
fn scripts_and_test_cases_are_scenarios() {
    let shell = shell();
    shell.write(
        "steps",
        "# a comment\nscale deployment web --replicas=3\n\nsettle\nassert deployment/web 'ready == 3'\n",
    );
    let said = shell.run("explore --seeds 5 --crash -- @/steps");
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "@/steps: 5 schedules, all end alike\n"),
        "{said:?}"
    );
    let case = |name: &str, steps: &str| {
        format!(
            "apiVersion: ctl.dev/v1\nkind: Test\nmetadata: {{name: {name}}}\nspec:\n  steps:\n{steps}"
        )
    };
    let create = "  - run: ctl create deployment api --image=i --replicas=2\n";
    shell.write(
        "good.yaml",
        case(
            "good",
            &format!("{create}  - settle:\n  - assert: {{object: deploy/api, that: ready == 2}}\n"),
        ),
    );
    // The case checks before the controllers can have done anything for certain.
    shell.write(
        "hasty.yaml",
        case(
            "hasty",
            &format!(
                "{create}  - for: 1s\n  - run: ctl set image deployment/api i=i:2\n  - settle:\n  - assert: {{object: deploy/api, \
                 never: total > 3}}\n"
            ),
        ),
    );
    let good = shell.run("explore --seeds 5 --api-faults -- @/good.yaml");
    assert_eq!(
        (good.code, good.out.as_str()),
        (0, "good: 5 schedules, all end alike\n"),
        "{good:?}"
    );
    let hasty =
        shell.run("explore --seeds 15 --crash --api-faults --save @/h.json -- @/hasty.yaml");
    assert_eq!(hasty.code, 1, "{hasty:?}");
    assert!(hasty.out.contains("hasty: "), "{hasty:?}");
    let replayed = shell.out("replay @/h.json");
    assert!(replayed.contains("a condition does not hold"), "{replayed}");
    std::fs::remove_file(shell.path("hasty.yaml")).unwrap();
    assert_eq!(shell.out("replay @/h.json"), replayed);
}

#[test]
fn condition_that_never_holds_fails_under_every_schedule() {
    let shell = shell();
    let said = shell.run(
        "explore --object deploy/web --always 'ready >= 2' -- scale deployment web --replicas=1",
    );
    assert_eq!(said.code, 1, "{said:?}");
    let head = "scale deployment web --replicas=1: fails under every schedule\n    deployment.apps/web: always `ready >= 2` does not hold\n";
    assert!(said.out.starts_with(head), "{said:?}");
}

#[test]
fn invalid_scenario_exits_with_2() {
    let shell = shell();
    shell.write("bad", "get pods\nserve\n");
    for (line, told) in [
        ("explore get pods", "put the scenario after --"),
        (
            "explore -- scale deployment none --replicas=1",
            "deployments.apps \"none\" not found",
        ),
        ("explore -- @/none.yaml", "none.yaml"),
        (
            "explore -- @/bad",
            "@/bad:2: `serve` does not work on a copy of the cluster in memory",
        ),
        (
            "explore --object web --always 'ready > 1' -- get pods",
            "--object needs TYPE/NAME, such as deploy/web",
        ),
        (
            "explore --object deploy/web -- get pods",
            "--object needs --always, --never or --eventually",
        ),
        (
            "explore --object deploy/web --always 'nothing == 1' -- get pods",
            "nothing",
        ),
    ] {
        let said = shell.run(line);
        assert_eq!(said.code, 2, "{line}: {said:?}");
        assert!(said.err.contains(told), "{line}: {said:?}");
    }
}

#[test]
fn a_run_that_is_out_of_time_is_no_difference() {
    let shell = shell();
    let told = shell.run("explore --timeout 1ns --seeds 2 -- scale deployment web --replicas=4");
    assert_eq!(
        (told.code, told.err.as_str()),
        (2, "the run without deviations exceeded the time limit\n")
    );
}

#[test]
fn condition_on_an_object_that_never_exists_is_a_mistake() {
    let shell = shell();
    let said = shell.run(
        "explore --object deploy/none --always 'ready >= 2' -- scale deployment web --replicas=1",
    );
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("\"none\" not found"), "{said:?}");
}
