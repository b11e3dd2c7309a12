//! Tests that no secret in a command line or an object leaks into causes in the journal, `holder`, messages, the output
//! of `-v`, or files for editors and other programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ctl::sys::clock::Stopwatch;

use crate::support::{CommandOutput, World, write_program};

/// The secret in the form that users type, and in the form that Secrets store.
const MARKS: [&str; 2] = ["hunter2secret", "aHVudGVyMnNlY3JldA"];

const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: applied}\nstringData: {p: hunter2secret}\n";

const OTHER: &str = "apiVersion: v1\nkind: Secret\nmetadata: {name: applied}\nstringData: {p: hunter2secret2, q: x}\n";

/// Command lines with a secret, and their input.
const LINES: &[(&[&str], &str)] = &[
    (
        &[
            "create",
            "secret",
            "generic",
            "a",
            "--from-literal=p=hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "generic",
            "b",
            "--from-literal",
            "p=hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "--from-literal",
            "p=hunter2secret",
            "secret",
            "generic",
            "c",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "generic",
            "d",
            "--from-literal=hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "generic",
            "e",
            "--from-literal=p=hunter2secret",
            "--token",
            "hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "generic",
            "f",
            "--password=hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "docker-registry",
            "g",
            "--docker-server=h",
            "--docker-username=u",
            "--docker-password=hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "docker-registry",
            "h",
            "--docker-server=h",
            "--docker-username=u",
            "--docker-password",
            "hunter2secret",
        ],
        "",
    ),
    (
        &[
            "create",
            "secret",
            "generic",
            "a",
            "--from-literal=p=hunter2secret",
        ],
        "",
    ),
    (&["apply", "-f", "-"], SECRET),
    (&["diff", "-f", "-"], OTHER),
    (&["apply", "-f", "-"], OTHER),
    (
        &["apply", "--server-side", "--force-conflicts", "-f", "-"],
        SECRET,
    ),
    (
        &["diff", "--server-side", "--force-conflicts", "-f", "-"],
        OTHER,
    ),
    (&["replace", "-f", "-"], SECRET),
    (
        &[
            "patch",
            "secret",
            "a",
            "-p",
            r#"{"stringData":{"p":"hunter2secret"}}"#,
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret/a",
            r#"-p={"data":{"p":"aHVudGVyMnNlY3JldA=="}}"#,
        ],
        "",
    ),
    (
        &[
            "patch",
            r#"-p{"stringData":{"q":"hunter2secret"}}"#,
            "secrets",
            "a",
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret",
            "a",
            "--patch",
            "stringData: {r: hunter2secret}",
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret",
            "a",
            "--type=json",
            r#"--patch=[{"op":"add","path":"/data/s","value":"aHVudGVyMnNlY3JldA=="}]"#,
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret",
            "a",
            "-p",
            r#"{"data":{"p":"hunter2secret, not base64"}}"#,
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret",
            "a",
            "--type=merge",
            "-p",
            r#"{"data":{"p":"hunter2secret?"}}"#,
        ],
        "",
    ),
    (
        &[
            "patch",
            "secret",
            "a",
            "--type=merge",
            "-p",
            r#"{"data":"hunter2secret"}"#,
        ],
        "",
    ),
    (&["patch", "secret", "a", "-p", r#"{"immutable":"x"}"#], ""),
    (
        &["annotate", "secret", "a", "k=v", "--token=hunter2secret"],
        "",
    ),
    (&["create", "deployment", "web", "--image=i"], ""),
    (&["set", "env", "deployment/web", "P=hunter2secret"], ""),
    (
        &["set", "env", "deployment/web", "-e", "Q=hunter2secret"],
        "",
    ),
    (
        &["set", "env", "deployment/web", "--env=R=hunter2secret"],
        "",
    ),
    (&["set", "env", "deployment/web", "-eS=hunter2secret"], ""),
    (
        &[
            "patch",
            "deployment",
            "web",
            "-p",
            r#"{"spec":{"template":{"spec":{"containers":[{"name":"i","env":[{"name":"P","value":"hunter2secret"}]}]}}}}"#,
        ],
        "",
    ),
    (&["run", "p", "--image=i", "--env=P=hunter2secret"], ""),
    (&["run", "q", "--image=i", "--env", "P=hunter2secret"], ""),
    (
        &[
            "run",
            "r",
            "--image=i",
            "--overrides",
            r#"{"spec":{"containers":[{"name":"r","image":"i","env":[{"name":"P","value":"hunter2secret"}]}]}}"#,
        ],
        "",
    ),
    (
        &[
            "create",
            "-f",
            "https://ann:hunter2secret@localhost:1/x.yaml",
        ],
        "",
    ),
    (
        &[
            "create",
            "configmap",
            "m",
            "--from-literal=u=x",
            "--cluster=https://ann:hunter2secret@h",
        ],
        "",
    ),
    (
        &[
            "annotate",
            "configmap",
            "kube-root-ca.crt",
            "home=https://hunter2secret@h/x",
        ],
        "",
    ),
    (
        &["config", "set-credentials", "u", "--token=hunter2secret"],
        "",
    ),
    (
        &[
            "config",
            "set-credentials",
            "u",
            "--username=u",
            "--password",
            "hunter2secret",
        ],
        "",
    ),
    (&["config", "set", "users.u.token", "hunter2secret"], ""),
    (
        &[
            "raw",
            "merge",
            "secrets/default/a",
            r#"{"data":{"t":"aHVudGVyMnNlY3JldA=="}}"#,
        ],
        "",
    ),
    (&["describe", "secret", "a"], ""),
    (&["get", "secrets"], ""),
    (&["get", "events"], ""),
    (&["delete", "secret", "a", "--token", "hunter2secret"], ""),
    (&["delete", "secret", "--all"], ""),
    (&["delete", "deployment", "web"], ""),
    (&["delete", "pod", "--all", "--force"], ""),
    (&["annotate", "configmap", "kube-root-ca.crt", "home-"], ""),
    (&["settle"], ""),
];

fn marked(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Returns the files below a directory.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Returns the text of a file without its objects: of a record in the journal, only the part before the bodies.
fn around_objects(path: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    match path.parent().is_some_and(|p| p.ends_with("journal")) {
        true => text
            .lines()
            .map(|line| line.split('\t').next().unwrap_or_default().to_owned() + "\n")
            .collect(),
        false => text,
    }
}

/// Returns a diff without the values of last-applied annotations. As in kubectl, `diff` masks the data of a Secret but
/// shows this annotation as it is stored.
fn without_applied(diff: &str) -> String {
    let is_applied = |line: &str| {
        let value = line.trim_start_matches(['+', '-', ' ']);
        value.starts_with(r#"{"apiVersion":"v1","kind":"Secret","#)
    };
    diff.lines()
        .filter(|line| !is_applied(line))
        .map(|line| line.to_owned() + "\n")
        .collect()
}

#[track_caller]
fn must_not_tell(root: &Path, what: &str) {
    for path in files(root) {
        assert!(
            !marked(&around_objects(&path)),
            "{what}: {}",
            path.display()
        );
    }
}

#[test]
fn secrets_of_commands_are_stored_only_in_objects() {
    let mut world = World::fresh();
    world.set("CTL_CONFIG", world.outside("config").to_str().unwrap());
    let mut causes = 0;
    for (args, input) in LINES {
        let what = args.join(" ");
        let said = world.run_with(&[args, &["-v=9"][..]].concat(), input);
        // kubectl repeats a malformed literal on the terminal where it was typed, but neither the log nor the history
        // does.
        let malformed = "error: invalid literal source hunter2secret, expected key=value\n";
        let err = said.err.replace(malformed, "");
        let out = match args[0] {
            "diff" => without_applied(&said.out),
            _ => said.out.clone(),
        };
        assert!(!marked(&out) && !marked(&err), "{what}: {said:?}");
        must_not_tell(&world.path(".ctl"), &what);
        causes += usize::from(said.code == 0);
    }
    assert!(causes > 35, "{causes} commands went well");
    // The files of the removed objects are removed, too.
    must_not_tell(&world.state(), "in the end");
    let log = fs::read_to_string(world.path(".ctl/journal/0000000001")).unwrap();
    assert!(
        marked(&log),
        "the bodies in the journal are the past itself"
    );
    for shape in [
        "ctl create secret generic a --from-literal=p=*** -v=9",
        "ctl create secret generic b --from-literal p=*** -v=9",
        "ctl create --from-literal p=*** secret generic c -v=9",
        "--docker-password *** -v=9",
        "ctl set env deployment/web P=*** -v=9",
        "ctl set env deployment/web -eS=*** -v=9",
        "ctl patch secret a --patch *** -v=9",
        "ctl patch -p*** secrets a -v=9",
        "home=https://***@h/x",
    ] {
        assert!(log.contains(shape), "{shape}");
    }
    let config = world.outside("config");
    assert_eq!(mode(&config), 0o600);
    assert!(marked(&fs::read_to_string(config).unwrap()));
}

#[test]
fn lock_holder_file_redacts_secrets() {
    let world = World::fresh();
    let line = [
        "create",
        "secret",
        "generic",
        "a",
        "--from-literal=p=hunter2secret",
    ];
    let _ = world.run(&line).ok();
    let holder = fs::read_to_string(world.path(".ctl/holder")).unwrap();
    assert!(
        holder.contains("ctl create secret generic a --from-literal=p=***"),
        "{holder}"
    );
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

/// Returns a world with a Secret and a directory for temporary files, and a program that receives their names and
/// writes their modes to the file `modes`.
fn with_program(script: &str) -> (World, PathBuf) {
    let mut world = World::fresh();
    let temporary = world.outside("tmp");
    fs::create_dir(&temporary).unwrap();
    world.set("TMPDIR", temporary.to_str().unwrap());
    let program = world.outside("program");
    let text = format!("#!/bin/sh\ncd \"$HOME\"\nstat -c %a \"$@\" >> modes\n{script}\n");
    write_program(&program, &text);
    for name in ["KUBE_EDITOR", "KUBECTL_EXTERNAL_DIFF"] {
        world.set(name, program.to_str().unwrap());
    }
    let _ = world
        .run(&[
            "create",
            "secret",
            "generic",
            "a",
            "--from-literal=p=hunter2secret",
        ])
        .ok();
    (world, temporary)
}

fn edit(world: &World) -> CommandOutput {
    world.run(&["edit", "secret", "a"])
}

#[test]
fn edit_uses_a_private_temporary_file_and_removes_it() {
    for (script, said) in [
        ("true", "Edit cancelled, no changes made.\n"),
        ("sed -i 's/  p: .*/  p: eA==/' \"$1\"", ""),
    ] {
        let (world, temporary) =
            with_program(&format!("stat -c %a \"${{1%/*}}\" >> modes; {script}"));
        let ran = edit(&world);
        assert_eq!((ran.code, ran.err.as_str()), (0, said), "{script}");
        let modes = fs::read_to_string(world.outside("modes")).unwrap();
        assert_eq!(modes, "600\n700\n", "{script}");
        assert_eq!(files(&temporary), [] as [PathBuf; 0], "{script}");
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{script}");
    }
}

#[test]
fn rejected_edit_is_kept_in_a_private_file() {
    let (world, temporary) = with_program("sed -i 's/  p: .*/  p: hunter2secret!/' \"$1\"");
    let ran = edit(&world);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!marked(&ran.err), "{ran:?}");
    let kept = files(&temporary);
    let [kept] = kept.as_slice() else {
        panic!("{kept:?}: {ran:?}");
    };
    let said = format!(
        "A copy of your changes has been stored to {:?}",
        kept.display().to_string()
    );
    assert!(ran.err.contains(&said), "{said}: {ran:?}");
    assert_eq!(mode(kept), 0o600);
    let failing = with_program("exit 3");
    let ran = edit(&failing.0);
    assert!(
        ran.err.contains("there was a problem with the editor"),
        "{ran:?}"
    );
    assert_eq!(fs::read_dir(&failing.1).unwrap().count(), 0);
}

#[test]
fn sigterm_during_edit_removes_the_temporary_file() {
    let (world, temporary) =
        with_program("echo $$ > started.new; mv started.new started; exec sleep 60");
    let mut child = world
        .command()
        .args(["edit", "secret", "a"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (started, begun) = (world.outside("started"), Stopwatch::start());
    while !started.exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let editor = fs::read_to_string(started).unwrap();
    assert_eq!(files(&temporary).len(), 1);
    let tell = |signal: &str, who: &str| {
        let told = Command::new("kill").args([signal, who.trim()]).status();
        assert!(told.unwrap().success());
    };
    // Ctrl-C is meant for the editor.
    tell("-INT", &child.id().to_string());
    std::thread::sleep(Duration::from_millis(50));
    assert!(child.try_wait().unwrap().is_none());
    tell("-TERM", &child.id().to_string());
    let ended = child.wait().unwrap();
    tell("-KILL", &editor);
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&ended),
        Some(15)
    );
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn external_diff_receives_private_files() {
    let (world, temporary) =
        with_program("stat -c %a \"$1\"/* \"$2\"/* >> modes; diff -r \"$1\" \"$2\"");
    let shown = world.run_with(
        &["diff", "--show-secrets", "-f", "-"],
        &SECRET
            .replace("applied", "a")
            .replace("hunter2secret", "other"),
    );
    assert_eq!(shown.code, 1, "{shown:?}");
    let modes = fs::read_to_string(world.outside("modes")).unwrap();
    assert_eq!(modes, "700\n700\n600\n600\n");
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn all_files_with_secrets_are_private() {
    let mut world = World::fresh();
    world.set("CTL_CONFIG", world.outside("config").to_str().unwrap());
    world.set("KUBERC", world.outside("kuberc").to_str().unwrap());
    let preferences = b"apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n";
    let mut file = fs::File::create(world.outside("kuberc")).unwrap();
    std::io::Write::write_all(&mut file, preferences).unwrap();
    for line in [
        "create secret generic a --from-literal=p=x",
        "settle",
        "config set-credentials u --token=x",
        "kuberc set --section defaults --command get --option output=wide",
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let _ = world.run(&args).ok();
    }
    let copy = world.outside("copy");
    let _ = world.run(&["cluster", "fork", copy.to_str().unwrap()]).ok();
    for root in [world.state(), copy] {
        for path in files(&root) {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
        assert_eq!(mode(&root.join(".ctl")), 0o700);
    }
    for file in ["config", "kuberc"] {
        assert_eq!(mode(&world.outside(file)), 0o600, "{file}");
    }
}
