//! Tests names that try to escape their directory, from the command line and as files that a user created.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::support::race::{make_old, write_file};
use crate::support::{World, config_map, count, finish};

/// Returns names with every known way to escape a directory or to disturb a terminal.
fn names(how_many: usize) -> Vec<String> {
    let parts = [
        "..",
        ".",
        "",
        "../x",
        "..%2f",
        "%2e%2e",
        "%00",
        "\\",
        "..\\",
        "\0",
        "\n",
        "\r",
        "\t",
        "é",
        "e\u{301}",
        "\u{202e}gnp",
        "\u{200b}",
        "A",
        "a",
        "-",
        "-rf",
        ".hidden",
        "~",
        "~0123",
        "x~y",
        "*",
        "?",
        "$(id)",
        "`id`",
        ";",
        "|",
        "&",
        " ",
        "'",
        "\"",
        ":",
        "con",
        "nul",
        "\u{1b}[31m",
        "\u{9b}",
        "\u{fffd}",
        "x.yaml",
        ".yaml",
        ".rejected",
        ".ctl",
        "_cluster",
        "/etc/passwd",
        "cluster.yaml",
        "%",
        "+",
        "@",
        "=",
    ];
    let mut names: Vec<String> = parts.iter().map(|p| (*p).to_owned()).collect();
    for length in [220, 221, 252, 253, 254, 255, 4096] {
        names.push("x".repeat(length));
        names.push("é".repeat(length / 2));
        names.push("/..".repeat(length / 3));
    }
    for first in parts {
        for second in parts.iter().rev() {
            names.push(format!("{first}/{second}"));
            names.push(format!("{first}{second}"));
        }
    }
    let all: BTreeSet<String> = names.iter().cloned().collect();
    // The single parts come first, followed by an even selection of the combinations.
    let (single, combined) = names.split_at(parts.len() + 21);
    let left = how_many.saturating_sub(single.len()).max(1);
    // An odd step covers both ways to combine two parts.
    let step = (combined.len() / left).max(1) | 1;
    let chosen = single.iter().chain(combined.iter().step_by(step)).cloned();
    let chosen: BTreeSet<String> = chosen.collect();
    assert!(chosen.is_subset(&all));
    chosen.into_iter().take(how_many).collect()
}

/// Returns everything below a directory, relative to it.
fn below(directory: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(at) = left.pop() {
        for entry in at.read_dir().unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            }
            found.insert(entry.path().strip_prefix(directory).unwrap().to_path_buf());
        }
    }
    found
}

/// Returns the files next to the state directory and in its root.
fn surroundings(world: &World) -> BTreeSet<PathBuf> {
    let all = below(&world.outside(""));
    let inside = |path: &PathBuf| path.starts_with("state") && path.components().count() > 2;
    all.into_iter().filter(|path| !inside(path)).collect()
}

#[test]
fn hostile_object_names_never_escape_the_directory() {
    let world = World::cluster();
    let _ = world
        .run_with(&["raw", "put", "roles/ns/x"], &config_map("x"))
        .ok();
    let before = surroundings(&world);
    let (mut taken, mut refused) = (0, 0);
    for name in names(count(130, 400)) {
        for key in [
            format!("roles/ns/{name}"),
            format!("roles/{name}/x"),
            format!("{name}/ns/x"),
        ] {
            // A batch can put names that a command line cannot contain.
            let input = format!("put {key} {}\n", config_map("x").replace(' ', ""));
            let ran = if key.contains('\0') {
                world.run_with(&["raw", "batch"], &input)
            } else {
                world.run_with(&["raw", "put", "--", &key], &config_map("x"))
            };
            if ran.code == 0 {
                taken += 1;
            } else {
                let text = ran.fails();
                let told = text.contains("invalid ") || text.contains("not JSON");
                assert!(
                    told || text.contains("neither put nor delete"),
                    "{key:?}: {text}"
                );
                assert!(
                    !text.contains(['\u{1b}', '\u{9b}', '\r', '\0']),
                    "{key:?}: {text}"
                );
                refused += 1;
            }
        }
    }
    eprintln!("{taken} taken, {refused} refused");
    assert!(taken > 20 && refused > 200);
    // New namespaces are directories in the root; there is no other new entry.
    let new: Vec<PathBuf> = surroundings(&world).difference(&before).cloned().collect();
    assert!(new.iter().all(|path| path.starts_with("state")), "{new:?}");
    for path in below(&world.state())
        .iter()
        .filter(|path| !path.starts_with(".ctl"))
    {
        let text = path.to_str().unwrap();
        assert!(
            path.components().count() <= 3 && !text.split('/').any(|part| part == ".."),
            "{text:?}"
        );
        assert!(text.bytes().all(|b| b.is_ascii_graphic()), "{text:?}");
    }
    let list = world.run(&["raw", "list", "roles/"]).ok();
    assert!(list.lines().count() > 20);
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn hostile_file_names_are_imported_or_kept_aside() {
    let world = World::cluster();
    let _ = world.put("good", "x").ok();
    let before = surroundings(&world);
    let (mut made, text) = (0, "apiVersion: v1\nkind: ConfigMap\ndata: {v: x}\n");
    for name in names(count(130, 400)) {
        for name in [
            format!("{name}.yaml").into_bytes(),
            [b"\xff", name.as_bytes()].concat(),
        ] {
            let usable = !name.contains(&b'/') && !name.contains(&0) && name.len() <= 255;
            let path = world
                .path("default/configmaps")
                .join(OsStr::from_bytes(&name));
            if usable && !path.exists() {
                write_file(&path, text);
                make_old(&path);
                made += 1;
            }
        }
    }
    let list = world.run(&["raw", "list"]);
    assert!(
        !list.err.contains(['\u{1b}', '\u{9b}', '\r', '\0']),
        "{list:?}"
    );
    let kept = list
        .err
        .lines()
        .filter(|l| l.contains("the file is kept as"))
        .count();
    let taken = list.ok().lines().count() - 2;
    eprintln!("{made} files made, {taken} taken, {kept} kept aside");
    assert!(taken > 10 && kept > 10 && taken + kept <= made);
    assert_eq!(surroundings(&world), before);
    assert_eq!(world.run(&["raw", "list"]).err, "", "each was told once");
    assert_eq!(world.fsck().lines().count(), 1);
}

#[test]
fn no_path_that_is_opened_leaves_the_state_directory() {
    let world = World::cluster();
    let names = names(count(6, 100));
    let traced = world.command_for(Path::new("strace")).arg("-V").output();
    let trace = world.outside("trace");
    for name in &names {
        if name.contains('\0') {
            continue;
        }
        let key = format!("roles/ns/{name}");
        let input = config_map("x");
        if traced.is_err() {
            // Without strace, the commands run, too, but only the resulting files are checked.
            let before = surroundings(&world);
            world
                .run_with(&["raw", "put", "--", &key], &input)
                .must_not_crash();
            let new: Vec<_> = surroundings(&world).difference(&before).cloned().collect();
            assert!(
                new.iter().all(|path| path == Path::new("state/ns")),
                "{new:?}"
            );
            continue;
        }
        let mut command = world.command_for(Path::new("strace"));
        command
            .args(["-f", "-qq", "-s", "8192", "-e", "trace=file", "-o"])
            .arg(&trace);
        command
            .arg(env!("CARGO_BIN_EXE_ctl"))
            .args(["raw", "put", "--", &key]);
        finish(command, &input).must_not_crash();
        let calls = std::fs::read_to_string(&trace).unwrap();
        let state = world.state();
        let mut beneath = 0;
        for call in calls.lines().filter(|call| !call.contains(" execve(")) {
            let Some(path) = call.split('"').nth(1) else {
                continue;
            };
            // These are the loader, information about the machine, and the directory itself.
            let known = ["/etc/", "/lib", "/usr/", "/proc/", "/sys/", "/nix/"];
            let marks = ["cluster.yaml", "store.yaml"].map(|name| state.join(name));
            let own = Path::new(path) == state || marks.iter().any(|mark| mark == Path::new(path));
            let own = own || path.starts_with(state.join(".ctl").to_str().unwrap());
            // These are the user's own kubeconfig, which may set a namespace, and preferences.
            let configuration = ["/.config/ctl/config", "/.config/ctl/kuberc"];
            let own = own || configuration.iter().any(|name| path.ends_with(name));
            let relative = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
            beneath += usize::from(relative);
            assert!(
                own || relative || known.iter().any(|k| path.starts_with(k)),
                "{call}"
            );
        }
        assert!(beneath > 3, "nothing was traced: {calls}");
    }
    let _ = world.fsck();
}
