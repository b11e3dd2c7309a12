//! `config` through the real binary.

use crate::support::World;

#[test]
fn contexts_are_made_used_renamed_and_removed() {
    let world = World::new();
    let path = world.outside("kc").display().to_string();
    let run = |args: &[&str]| {
        let mut all = vec!["--kubeconfig", path.as_str(), "config"];
        all.extend(args);
        world.run(&all)
    };
    assert_eq!(
        run(&["current-context"]).fails(),
        "error: current-context is not set\n"
    );
    run(&["set-cluster", "home", "--server=file:///x"]).ok();
    run(&["set-credentials", "ann", "--token=secret"]).ok();
    let made = run(&[
        "set-context",
        "one",
        "--cluster=home",
        "--user=ann",
        "-n",
        "blue",
    ])
    .ok();
    assert_eq!(made, "Context \"one\" created.\n");
    run(&["use-context", "one"]).ok();
    assert_eq!(
        run(&["get-contexts"]).ok(),
        "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n*         one    home      ann        blue\n"
    );
    let shown = run(&["view"]).ok();
    assert!(
        shown.contains("token: REDACTED") && !shown.contains("secret"),
        "{shown}"
    );
    assert!(run(&["view", "--raw"]).ok().contains("token: secret"));
    run(&["set", "contexts.one.namespace", "red"]).ok();
    let namespace = run(&["view", "--minify", "-o", "jsonpath={..namespace}"]).ok();
    assert_eq!(namespace, "red");
    run(&["rename-context", "one", "uno"]).ok();
    assert_eq!(run(&["current-context"]).ok(), "uno\n");
    let gone = run(&["delete-context", "uno"]);
    assert!(
        gone.err
            .starts_with("warning: this removed your active context")
    );
    assert_eq!(gone.out, format!("deleted context uno from {path}\n"));
    let missing = run(&["use-context", "uno"]).fails();
    assert_eq!(missing, "error: no context exists with the name: \"uno\"\n");
}

#[test]
fn the_file_with_tokens_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let path = world.outside("kc");
    let file = path.display().to_string();
    world
        .run(&[
            "--kubeconfig",
            &file,
            "config",
            "set-credentials",
            "ann",
            "--token=t",
        ])
        .ok();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
