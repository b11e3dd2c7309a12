//! Tests `config` through the real binary.

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
fn kubeconfig_with_a_token_has_mode_0600() {
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

/// Returns the output, the errors and the exit code of `config` on a file of its own.
fn said(world: &World, args: &str) -> String {
    let path = world.outside("kc").display().to_string();
    let mut all = vec!["--kubeconfig", path.as_str(), "config"];
    all.extend(args.split(' '));
    let ran = world.run(&all);
    format!("{}{}[{}]", ran.out, ran.err, ran.code).replace(&path, "FILE")
}

#[test]
fn properties_are_found_by_their_paths() {
    let world = World::new();
    let said = |args: &str| said(&world, args);
    // As in kubectl, a file that does not exist is an empty kubeconfig.
    assert_eq!(
        said("view"),
        "apiVersion: v1\nclusters: null\ncontexts: null\ncurrent-context: \"\"\nkind: Config\nusers: null\n[0]"
    );
    assert_eq!(
        said("set contexts.a.b.namespace x"),
        "Property \"contexts.a.b.namespace\" set.\n[0]"
    );
    assert_eq!(
        said("set contexts.a.b x"),
        "error: can't set a map to a value: map[a.b]\n[1]"
    );
    assert_eq!(
        said("set preferences.colors true"),
        "Property \"preferences.colors\" set.\n[0]"
    );
    assert_eq!(
        said("unset contexts.nope.namespace"),
        "error: current map key `nope` is invalid\n[1]"
    );
    assert_eq!(
        said("unset contexts.nope"),
        "Property \"contexts.nope\" unset.\n[0]"
    );
    assert_eq!(
        said("get-contexts -o json"),
        "error: --output json is not available in ctl config get-contexts; resetting to default \
         output format\n[1]"
    );
    assert_eq!(
        said("get-contexts -o nope"),
        "error: --output nope is not available in ctl config get-contexts; resetting to default \
         output format\n[1]"
    );
    said("set-context B");
    assert_eq!(said("get-contexts -o name a.b B"), "B\na.b\n[0]");
}

#[test]
fn user_with_two_authentication_methods_is_rejected() {
    let world = World::new();
    let said = |args: &str| said(&world, args);
    assert_eq!(
        said("set-credentials ann --token=t --username=ann"),
        "error: you cannot specify more than one authentication method at the same time: --token, \
         --username/--password\n[1]"
    );
    assert_eq!(
        said("set-cluster c --certificate-authority=nope.crt --embed-certs"),
        "error: could not stat certificate-authority file nope.crt: stat nope.crt: no such file or \
         directory\n[1]"
    );
    assert_eq!(
        said("delete-user"),
        "error: user to delete is required\nSee 'ctl config delete-user -h' for help and \
         examples\n[1]"
    );
    let key = world.outside("keys/ann.key").display().to_string();
    said(&format!("set-credentials ann --client-key={key}"));
    said("set-cluster home --server=https://x --tls-server-name=y");
    said("set-cluster home --server=https://z");
    assert_eq!(
        said("view -o json"),
        r#"{
    "kind": "Config",
    "apiVersion": "v1",
    "clusters": [
        {
            "name": "home",
            "cluster": {
                "server": "https://z"
            }
        }
    ],
    "users": [
        {
            "name": "ann",
            "user": {
                "client-key": "keys/ann.key"
            }
        }
    ],
    "contexts": null,
    "current-context": ""
}
[0]"#
    );
    // The file of the environment is shown as it is, too.
    let path = world.outside("kc").display().to_string();
    let shown = world.run_env(&[("CTL_CONFIG", path.as_str())], &["config", "view"], "");
    let shown = shown.ok();
    assert!(shown.contains("client-key: keys/ann.key\n"), "{shown}");
}
