//! Tests `ctl completion`: the committed scripts equal the program's output, and they complete names from the cluster.

use std::path::Path;
use std::process::Command;

use crate::support::{World, can_run, note};

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

/// Returns the program's completions for the last of these words.
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
fn completion_offers_object_names_of_the_cluster() {
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
fn completion_does_not_create_a_cluster() {
    let world = World::new();
    assert!(offers(&world, &["get", "pods", ""]).is_empty());
    assert!(!world.state().exists());
}

/// Returns a shell command whose environment finds the program by its name.
pub fn shell(world: &World, program: &str) -> Command {
    let bin = world.outside("bin");
    if !bin.exists() {
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ctl"), bin.join("ctl")).unwrap();
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = world.command_for(Path::new(program));
    command.env("PATH", format!("{}:{path}", bin.display()));
    command
}

/// Returns the output of a shell, line by line.
fn lines(mut command: Command) -> Vec<String> {
    let ran = command.output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{text}{said}");
    text.lines().map(str::to_owned).collect()
}

/// Returns true if a shell is installed. Prints a note if it is missing.
fn has(name: &str, probe: &[&str]) -> bool {
    let there = can_run(probe);
    if !there {
        note(&format!(
            "completion: {name} is not installed here: its script is current, and was not run"
        ));
    }
    there
}

/// Returns bash's completions of a line.
fn bash(world: &World, line: &str) -> String {
    let script = format!(
        "source <(ctl completion bash); COMP_LINE='ctl {line}'; COMP_POINT=${{#COMP_LINE}}; \
         __start_ctl; echo \"${{COMPREPLY[*]}}\""
    );
    let mut command = shell(world, "bash");
    command.args(["--norc", "-c", &script]);
    lines(command).concat().trim().to_owned()
}

#[test]
fn bash_completes_with_the_script() {
    if !has("bash", &["bash", "--version"]) {
        return;
    }
    let world = shop();
    assert_eq!(bash(&world, "get -n sh"), "shop");
    assert_eq!(bash(&world, "get configmaps -n shop "), "prices");
    assert_eq!(bash(&world, "--context=d"), "dev");
    assert_eq!(bash(&world, "api-r"), "api-resources");
}

/// A zsh script that types lines and a tab into another zsh on a terminal, and prints the completed lines.
const TYPIST: &str = r#"
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PROMPT=; autoload -Uz compinit; compinit -u -D; source <(ctl completion zsh)'
zpty -w inner 'show() { print -r -- "=[$BUFFER]=" }; zle -N show; bindkey "^X" show; print ready""now'
zpty -r inner text '*readynow*'
for line; do
    zpty -w -n inner "$line"$'\t\x18'
    zpty -r inner text '*\]=*'
    print -r -- "${${text#*=\[}%\]=*}"
    zpty -w -n inner $'\x15'
done
"#;

#[test]
fn zsh_completes_with_the_script() {
    if !has("zsh", &["zsh", "-f", "-c", "zmodload zsh/zpty"]) {
        return;
    }
    let world = shop();
    let mut command = shell(&world, "zsh");
    command
        .env("TERM", "dumb")
        .args(["-f", "-c", TYPIST, "zsh"]);
    command.args([
        "ctl get -n sh",
        "ctl get configmaps -n shop ",
        "ctl --context=d",
        "ctl api-r",
        "ctl describe cm/pl",
        "ctl rollout st",
        "ctl get --watch-",
    ]);
    assert_eq!(
        lines(command),
        [
            "ctl get -n shop ",
            "ctl get configmaps -n shop prices ",
            "ctl --context=dev ",
            "ctl api-resources ",
            "ctl describe cm/plain ",
            "ctl rollout status ",
            "ctl get --watch-only ",
        ]
    );
}

#[test]
fn fish_completes_with_the_script() {
    if !has("fish", &["fish", "--version"]) {
        return;
    }
    let world = shop();
    std::fs::create_dir(world.outside("made")).unwrap();
    for (line, offers) in [
        ("ctl get -n sh", &["shop"][..]),
        ("ctl get configmaps -n shop ", &["prices"]),
        ("ctl --context=d", &["--context=dev"]),
        (
            "ctl api-r",
            &["api-resources\tList the API resources of the cluster"],
        ),
        ("ctl describe cm/pl", &["cm/plain"]),
        ("ctl apply -f ma", &["made/"]),
    ] {
        let script = format!("ctl completion fish | source; complete -C '{line}'");
        let mut command = shell(&world, "fish");
        command.args(["--no-config", "-c", &script]);
        assert_eq!(lines(command), offers, "{line}");
    }
}

#[test]
fn powershell_completes_with_the_script() {
    if !has("PowerShell", &["pwsh", "-NoProfile", "-Command", "exit"]) {
        return;
    }
    let world = shop();
    for (line, offer) in [
        ("ctl get -n sh", "shop"),
        ("ctl api-r", "api-resources"),
        ("ctl describe cm/pl", "cm/plain"),
    ] {
        let script = format!(
            "ctl completion powershell | Out-String | Invoke-Expression; \
             (TabExpansion2 '{line}' {}).CompletionMatches.CompletionText",
            line.len()
        );
        let mut command = shell(&world, "pwsh");
        command.args(["-NoProfile", "-Command", &script]);
        assert_eq!(lines(command), [offer], "{line}");
    }
}
