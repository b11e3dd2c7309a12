//! `ctl completion`: the committed scripts are what the program prints, and they know the cluster.

use std::path::Path;

use crate::support::{World, can_run};

#[test]
fn the_committed_completions_are_current() {
    let world = World::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (shell, file) in [
        ("bash", "ctl.bash"),
        ("zsh", "_ctl"),
        ("fish", "ctl.fish"),
        ("powershell", "_ctl.ps1"),
    ] {
        let script = world.run(&["completion", shell]).ok();
        let committed = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
        assert!(
            committed == script,
            "completions/{file}: ctl completion {shell} > completions/{file}"
        );
    }
}

/// What the program offers for the last of these words.
fn offers(world: &World, words: &[&str]) -> Vec<String> {
    let text = world.run(&[&["__complete"], words].concat()).ok();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert!(
        lines.pop().is_some_and(|last| last.starts_with(':')),
        "{text}"
    );
    lines
}

fn shop() -> World {
    let world = World::fresh();
    let run = |args: &[&str]| drop(world.run(args).ok());
    run(&["create", "namespace", "shop"]);
    run(&["create", "configmap", "prices", "-n", "shop"]);
    run(&["create", "configmap", "plain"]);
    run(&["config", "set-context", "dev", "--namespace=shop"]);
    world
}

#[test]
fn names_of_the_live_cluster_complete() {
    let world = shop();
    assert_eq!(offers(&world, &["get", "-n", "sh"]), ["shop"]);
    assert_eq!(
        offers(&world, &["get", "cm", "-n", "shop", "pr"]),
        ["prices"]
    );
    assert_eq!(offers(&world, &["delete", "configmaps", "pl"]), ["plain"]);
    assert_eq!(offers(&world, &["describe", "cm/pl"]), ["cm/plain"]);
    assert_eq!(offers(&world, &["config", "use-context", ""]), ["dev"]);
    assert_eq!(offers(&world, &["--context=d"]), ["--context=dev"]);
    assert_eq!(offers(&world, &["cordon", "node-"]), ["node-0", "node-1"]);
}

#[test]
fn completing_makes_no_cluster() {
    let world = World::new();
    assert!(offers(&world, &["get", "pods", ""]).is_empty());
    assert!(!world.state().exists());
}

/// What bash offers when a line is completed.
fn bash(world: &World, line: &str) -> String {
    let program = env!("CARGO_BIN_EXE_ctl");
    let script = format!(
        "source <('{program}' completion bash); COMP_LINE='{program} {line}'; \
         COMP_POINT=${{#COMP_LINE}}; __start_ctl; echo \"${{COMPREPLY[*]}}\""
    );
    let mut command = world.command_for(Path::new("bash"));
    let ran = command.args(["--norc", "-c", &script]).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

#[test]
fn bash_completes_with_the_script() {
    if !can_run(&["bash", "--version"]) {
        return;
    }
    let world = shop();
    assert_eq!(bash(&world, "get -n sh"), "shop");
    assert_eq!(bash(&world, "get configmaps -n shop "), "prices");
    assert_eq!(bash(&world, "--context=d"), "dev");
    assert_eq!(bash(&world, "api-r"), "api-resources");
}
