//! Tests that comments in objects' files are preserved.

use std::path::Path;

use crate::support::{World, finish};

const FILE: &str = "default/deployments.apps/web.yaml";

/// Returns a world with a Deployment whose file has a comment in every kind of place.
fn commented() -> World {
    let world = plain();
    comment(&world, |text| text);
    world
}

fn plain() -> World {
    let world = World::fresh();
    let _ = world
        .run(&["create", "deployment", "web", "--image", "nginx:1"])
        .ok();
    world
}

/// Writes comments into the file and applies `edit`.
fn comment(world: &World, edit: impl FnOnce(String) -> String) {
    let mut text = read(world);
    for (before, after) in [
        (
            "apiVersion:",
            "# Owned by team web.\n#   See the wiki.\napiVersion:",
        ),
        (
            "  replicas: 1\n",
            "  # two are too many\n  replicas: 1 # for now\n",
        ),
        (
            "      - image: nginx:1\n",
            "      # the server\n      - image: nginx:1 # pinned\n",
        ),
    ] {
        assert!(text.contains(before), "{text}");
        text = text.replace(before, after);
    }
    crate::support::race::write_file(&world.path(FILE), edit(text + "# the end\n"));
}

fn read(world: &World) -> String {
    std::fs::read_to_string(world.path(FILE)).unwrap()
}

/// Runs a command that must write nothing to standard error.
fn quiet(world: &World, args: &[&str]) -> String {
    let ran = world.run(args);
    assert_eq!((ran.code, &*ran.err), (0, ""), "{args:?}: {ran:?}");
    ran.out
}

fn assert_comments(text: &str) {
    for comment in [
        "# Owned by team web.\n#   See the wiki.\napiVersion: apps/v1\n",
        "\n  # two are too many\n  replicas: ",
        " # for now\n",
        "\n      # the server\n      - image: ",
        " # pinned\n",
    ] {
        assert!(text.contains(comment), "{comment:?} is missing:\n{text}");
    }
    assert!(text.ends_with("\n# the end\n"), "{text}");
}

#[test]
fn comments_stay_in_place_through_every_rewrite() {
    let world = commented();
    let edited = read(&world);
    let revision = |world: &World| quiet(world, &["raw", "revision"]);
    let before = revision(&world);
    let _ = quiet(&world, &["get", "deployments"]);
    assert_eq!(read(&world), edited, "comments alone change no byte");
    assert_eq!(revision(&world), before, "and make no commit");
    let _ = quiet(&world, &["scale", "deployment", "web", "--replicas", "3"]);
    let _ = quiet(&world, &["set", "image", "deployment/web", "nginx=nginx:2"]);
    let _ = quiet(&world, &["label", "deployment", "web", "a=b"]);
    let _ = world.run(&["settle"]).ok();
    let text = read(&world);
    assert_comments(&text);
    assert!(text.contains("  replicas: 3 # for now\n"), "{text}");
    assert!(text.contains("      - image: nginx:2 # pinned\n"), "{text}");
    let printed = quiet(&world, &["get", "deployment", "web", "-o", "yaml"]);
    assert!(!printed.contains('#'), "{printed}");
    // This edit moves one comment and removes one.
    let text = text
        .replace("# the end\n", "")
        .replace("  # two are too many\n", "  # three are enough\n")
        .replace("replicas: 3 # for now", "replicas: 2 # for now");
    crate::support::race::write_file(&world.path(FILE), &text);
    assert_eq!(world.replicas("web"), "2");
    let _ = quiet(&world, &["annotate", "deployment", "web", "x=y"]);
    let text = read(&world);
    assert!(
        text.contains("  # three are enough\n  replicas: 2 # for now\n"),
        "{text}"
    );
    assert!(
        !text.contains("the end") && !text.contains("too many"),
        "{text}"
    );
    world.fsck_without_remarks();
}

#[test]
fn comments_move_with_their_fields_during_normalization() {
    let world = World::fresh();
    let text = "# about this map\nkind: ConfigMap # a kind\napiVersion: v1\ndata: {k: v, # of k\n  \
                l: w}\nmetadata: {name: m}\n";
    std::fs::create_dir_all(world.path("default/configmaps")).unwrap();
    let path = world.path("default/configmaps/m.yaml");
    crate::support::race::write_file(&path, text);
    let _ = world.run(&["get", "configmaps"]).ok();
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = "# about this map\napiVersion: v1\ndata:\n  k: v # of k\n  l: w\nkind: ConfigMap # a kind\n";
    assert!(text.starts_with(begin), "{text}");
    // A new object with the same name has none of the comments.
    let _ = quiet(&world, &["delete", "configmap", "m"]);
    assert!(!world.path(".ctl/comments").exists());
    let _ = quiet(&world, &["create", "configmap", "m"]);
    assert!(!std::fs::read_to_string(&path).unwrap().contains('#'));
}

#[test]
fn comments_survive_fork_git_clone_and_lost_journal() {
    let world = commented();
    let _ = quiet(&world, &["get", "deployments"]);
    let scale = |world: &World, to: &str| {
        let _ = quiet(world, &["scale", "deployment", "web", "--replicas", to]);
    };
    scale(&world, "2");
    std::fs::remove_dir_all(world.path(".ctl")).unwrap();
    let _ = quiet(&world, &["get", "deployments"]);
    assert_comments(&read(&world));
    scale(&world, "3");
    assert_comments(&read(&world));
    let git = |args: &[&str]| {
        let mut git = world.command_for(Path::new("git"));
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
        git.args(args).current_dir(world.state());
        let _ = finish(git, "").ok();
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "x"]);
    let clone = world.outside("clone");
    git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let copy = world.outside("copy");
    let mut cp = world.command_for(Path::new("cp"));
    cp.arg("-r").arg(world.state()).arg(&copy);
    let _ = finish(cp, "").ok();
    for directory in [&clone, &copy] {
        let mut command = world.command();
        command.env("CTL_STATE", directory);
        command.args(["scale", "deployment", "web", "--replicas", "4"]);
        let _ = finish(command, "").ok();
        let text = std::fs::read_to_string(directory.join(FILE)).unwrap();
        assert!(text.contains("replicas: 4 # for now"), "{text}");
        assert_comments(&text);
    }
}

#[test]
fn comments_of_a_manifest_stay_in_the_manifest() {
    let world = World::fresh();
    let manifest = "# head\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m # name\n";
    let _ = world.run_with(&["apply", "-f", "-"], manifest).ok();
    let text = std::fs::read_to_string(world.path("default/configmaps/m.yaml")).unwrap();
    assert!(!text.contains('#'), "{text}");
    assert!(!world.path(".ctl/comments").exists());
}

#[test]
fn save_of_an_outdated_buffer_keeps_newer_comments() {
    let world = plain();
    let old = read(&world);
    comment(&world, |text| {
        text.replace("replicas: 1 #", "replicas: 2 #")
    });
    let _ = world.run(&["get", "deployments"]).ok();
    let mine = old.replace(
        "progressDeadlineSeconds: 600",
        "progressDeadlineSeconds: 300",
    );
    crate::support::race::write_file(&world.path(FILE), mine);
    let ran = world.run(&["get", "deployments"]);
    assert!(ran.err.contains("spec.replicas remains 2"), "{ran:?}");
    let text = read(&world);
    assert!(text.contains("progressDeadlineSeconds: 300"), "{text}");
    assert_comments(&text);
}
