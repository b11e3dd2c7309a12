//! Tests Kubernetes objects through the real binary: create, get, replace, delete, and hand edits.

use crate::support::{CommandOutput, World};

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  \
    replicas: 2\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      \
    labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.25\n";

fn create(world: &World, text: &str) -> CommandOutput {
    world.run_with(&["create", "-f", "-"], text)
}

#[test]
fn fresh_cluster_has_the_standard_objects() {
    let world = World::fresh();
    let nodes = world.run(&["get", "nodes"]).ok();
    assert_eq!(
        nodes,
        "NAME     STATUS   ROLES    AGE   VERSION\n\
         node-0   Ready    <none>   0s    v1.36.2\n\
         node-1   Ready    <none>   0s    v1.36.2\n"
    );
    let namespaces = world.run(&["get", "ns", "-o", "name"]).ok();
    for name in ["default", "kube-node-lease", "kube-public", "kube-system"] {
        assert!(
            namespaces.contains(&format!("namespace/{name}\n")),
            "{namespaces}"
        );
    }
    let all = world.run(&["get", "all"]).ok();
    assert!(
        all.contains("service/kubernetes   ClusterIP   10.96.0.1"),
        "{all}"
    );
    let accounts = world.run(&["get", "sa", "-A", "--no-headers"]).ok();
    assert_eq!(accounts.lines().count(), 4);
}

#[test]
fn a_deployment_is_created_with_defaults_shown_and_deleted() {
    let world = World::fresh();
    assert_eq!(
        create(&world, DEPLOYMENT).ok(),
        "deployment.apps/web created\n"
    );
    assert_eq!(
        world.run(&["get", "deploy"]).ok(),
        "NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/2     0            0           0s\n"
    );
    let yaml = world.run(&["get", "deploy/web", "-o", "yaml"]).ok();
    for line in [
        "  generation: 1\n",
        "      maxSurge: 25%\n",
        "      terminationGracePeriodSeconds: 30\n",
    ] {
        assert!(yaml.contains(line), "{line:?} in {yaml}");
    }
    assert_eq!(
        create(&world, DEPLOYMENT).fails(),
        "Error from server (AlreadyExists): error when creating \"STDIN\": deployments.apps \"web\" \
         already exists\n"
    );
    assert_eq!(
        world.run(&["delete", "deploy", "web"]).ok(),
        "deployment.apps \"web\" deleted from default namespace\n"
    );
    assert_eq!(
        world.run(&["get", "deploy", "web"]).fails(),
        "Error from server (NotFound): deployments.apps \"web\" not found\n"
    );
    let none = world.run(&["get", "deploy"]);
    assert_eq!(
        (none.code, &*none.err),
        (0, "No resources found in default namespace.\n")
    );
}

#[test]
fn errors_have_the_texts_of_kubernetes() {
    let world = World::fresh();
    for (text, error) in [
        (
            DEPLOYMENT.replace("replicas: 2", "replicas: -1"),
            "The Deployment \"web\" is invalid: spec.replicas: Invalid value: -1: must be greater \
          than or equal to 0\n",
        ),
        (
            DEPLOYMENT.replace("replicas", "replcas"),
            "Error from server (BadRequest): error when creating \"STDIN\": Deployment in version \"v1\" \
          cannot be handled as a Deployment: strict decoding error: unknown field \"spec.replcas\"\n",
        ),
        (
            DEPLOYMENT.replace("  name: web\nspec", "  name: web\n  namespace: nope\nspec"),
            "Error from server (NotFound): error when creating \"STDIN\": namespaces \"nope\" not found\n",
        ),
    ] {
        assert_eq!(create(&world, &text).fails(), error);
    }
    assert!(
        world
            .run(&["get", "rockets"])
            .fails()
            .contains("resource type \"rockets\"")
    );
    let old = DEPLOYMENT.replace("apps/v1", "extensions/v1beta1");
    let error = create(&world, &old).fails();
    assert!(
        error.contains("no matches for kind \"Deployment\" in version \"extensions/v1beta1\""),
        "{error}"
    );
}

#[test]
fn replace_increments_generation_and_rejects_a_stale_version() {
    let world = World::fresh();
    let _ = create(&world, DEPLOYMENT).ok();
    let replace = |text: &str| world.run_with(&["replace", "-f", "-"], text);
    let five = DEPLOYMENT.replace("replicas: 2", "replicas: 5");
    assert_eq!(replace(&five).ok(), "deployment.apps/web replaced\n");
    let yaml = world.run(&["get", "deploy", "web", "-o", "yaml"]).ok();
    assert!(
        yaml.contains("  generation: 2\n") && yaml.contains("  replicas: 5\n"),
        "{yaml}"
    );
    let stale = five.replace(
        "  name: web\nspec",
        "  name: web\n  resourceVersion: \"1\"\nspec",
    );
    let error = replace(&stale).fails();
    assert!(
        error.contains("(Conflict)") && error.contains("the object has been modified"),
        "{error}"
    );
    let dry = world
        .run_with(&["replace", "--dry-run=server", "-f", "-"], DEPLOYMENT)
        .ok();
    assert_eq!(dry, "deployment.apps/web replaced (server dry run)\n");
    assert_eq!(
        world.run(&["get", "deploy", "web", "-o", "yaml"]).ok(),
        yaml
    );
}

#[test]
fn delete_respects_grace_period_and_finalizers() {
    let world = World::fresh();
    let pod = |name: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n{more}  containers:\n  - name: c\n    \
             image: i\n"
        )
    };
    let _ = create(&world, &pod("bound", "spec:\n  nodeName: node-0\n")).ok();
    let _ = create(&world, &pod("free", "spec:\n")).ok();
    let _ = create(
        &world,
        &pod("held", "  finalizers: [example.com/x]\nspec:\n"),
    )
    .ok();
    let _ = world
        .run(&["delete", "pod", "bound", "free", "held", "--wait=false"])
        .ok();
    assert_eq!(
        world.run(&["get", "pods", "-o", "name"]).ok(),
        "pod/bound\npod/held\n"
    );
    let bound = world.run(&["get", "pod", "bound", "-o", "yaml"]).ok();
    assert!(
        bound.contains("deletionGracePeriodSeconds: 30\n"),
        "{bound}"
    );
    let table = world.run(&["get", "pod", "bound"]).ok();
    assert!(table.contains("Terminating"), "{table}");
    let held = world.run(&["get", "pod", "held", "-o", "yaml"]).ok();
    let freed = held.replace("  finalizers:\n  - example.com/x\n", "");
    let _ = world.run_with(&["replace", "-f", "-"], &freed).ok();
    assert_eq!(
        world.run(&["get", "pods", "-o", "name"]).ok(),
        "pod/bound\n"
    );
}

#[test]
fn services_get_unique_cluster_ips() {
    let world = World::fresh();
    let service = |name: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\nspec:\n  selector: {{app: web}}\n  \
             ports:\n  - port: 80\n{more}"
        )
    };
    for name in ["a", "b"] {
        let _ = create(&world, &service(name, "  type: NodePort\n")).ok();
    }
    let table = world.run(&["get", "svc", "--no-headers"]).ok();
    let addresses: std::collections::BTreeSet<&str> = table
        .lines()
        .map(|l| l.split_whitespace().nth(2).unwrap())
        .collect();
    assert_eq!(addresses.len(), 3, "{table}");
    let error = create(&world, &service("c", "  clusterIP: 10.96.0.1\n")).fails();
    assert!(
        error.contains("provided IP is already allocated"),
        "{error}"
    );
}

#[test]
fn hand_edit_is_validated_like_an_update() {
    let world = World::fresh();
    let _ = create(&world, DEPLOYMENT).ok();
    let file = world.path("default/deployments.apps/web.yaml");
    let edit = |from: &str, to: &str| {
        let mut command = world.command_for(std::path::Path::new("sed"));
        command.arg("-i").arg(format!("s/{from}/{to}/")).arg(&file);
        let _ = crate::support::finish(command, "").ok();
    };
    edit("replicas: 2", "replicas: 4");
    let yaml = world.run(&["get", "deploy", "web", "-o", "yaml"]).ok();
    assert!(
        yaml.contains("  replicas: 4\n") && yaml.contains("  generation: 2\n"),
        "{yaml}"
    );
    edit("replicas: 4", "replicas: -4");
    let ran = world.run(&["get", "deploy", "web"]);
    assert!(
        ran.err
            .contains("must be greater than or equal to 0; the file is kept as"),
        "{ran:?}"
    );
    assert!(ran.ok().contains("0/4"));
    let _ = world.fsck();
}

#[test]
fn apply_creates_then_merges_three_ways() {
    let world = World::fresh();
    let apply = |text: &str| world.run_with(&["apply", "-f", "-"], text);
    assert_eq!(apply(DEPLOYMENT).ok(), "deployment.apps/web created\n");
    assert_eq!(apply(DEPLOYMENT).ok(), "deployment.apps/web unchanged\n");
    let patch = r#"{"metadata":{"labels":{"mine":"1"}},"spec":{"paused":true}}"#;
    let _ = world.run(&["patch", "deploy", "web", "-p", patch]).ok();
    let without = DEPLOYMENT.replace("  replicas: 2\n", "");
    assert_eq!(apply(&without).ok(), "deployment.apps/web configured\n");
    let yaml = world.run(&["get", "deploy", "web", "-o", "yaml"]).ok();
    // A field that was applied and is now omitted returns to its default; fields of other managers stay.
    for line in ["  replicas: 1\n", "  paused: true\n", "    mine: \"1\"\n"] {
        assert!(yaml.contains(line), "{line:?} in {yaml}");
    }
}

#[test]
fn strategic_merge_and_json_patches_work() {
    let world = World::fresh();
    let _ = create(&world, DEPLOYMENT).ok();
    let patch =
        |how: &str, patch: &str| world.run(&["patch", "deploy/web", "--type", how, "-p", patch]);
    let side = r#"{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}"#;
    assert_eq!(
        patch("strategic", side).ok(),
        "deployment.apps/web patched\n"
    );
    assert_eq!(
        patch("strategic", side).ok(),
        "deployment.apps/web patched (no change)\n"
    );
    let wide = world.run(&["get", "deploy", "web", "-o", "wide"]).ok();
    assert!(wide.contains("side,web     s,nginx:1.25"), "{wide}");
    assert_eq!(
        patch("merge", r#"{"spec":{"replicas":7}}"#).ok(),
        "deployment.apps/web patched\n"
    );
    let replace = r#"[{"op":"replace","path":"/spec/replicas","value":3}]"#;
    assert_eq!(patch("json", replace).ok(), "deployment.apps/web patched\n");
    assert!(world.run(&["get", "deploy", "web"]).ok().contains("0/3"));
    assert_eq!(
        patch("json", r#"[{"op":"remove","path":"/spec/nope"}]"#).fails(),
        "The request is invalid: the server rejected our request due to an error in our request\n"
    );
    let error = patch("merge", r#"{"spec":{"replicas":-1,"minReadySeconds":-2}}"#).fails();
    assert_eq!(
        error,
        "The Deployment \"web\" is invalid: \n\
         * spec.replicas: Invalid value: -1: must be greater than or equal to 0\n\
         * spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0\n"
    );
    let status = [
        "patch",
        "deploy",
        "web",
        "--subresource=status",
        "--type=merge",
    ];
    let ready = r#"{"status":{"replicas":3,"readyReplicas":2},"spec":{"replicas":9}}"#;
    let _ = world.run(&[&status[..], &["-p", ready]].concat()).ok();
    assert!(world.run(&["get", "deploy", "web"]).ok().contains("2/3"));
}

#[test]
fn hand_edit_removing_the_last_finalizer_deletes_the_object() {
    let world = World::fresh();
    let held =
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: held\n  finalizers: [example.com/x]\n";
    create(&world, held).ok();
    world.run(&["delete", "cm", "held", "--wait=false"]).ok();
    let file = world.path("default/configmaps/held.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("deletionTimestamp: "), "{text}");
    let freed = text.replace("  finalizers:\n  - example.com/x\n", "");
    assert_ne!(freed, text);
    crate::support::race::write_file(&file, freed);
    assert_eq!(
        world.run(&["get", "cm", "held"]).fails(),
        "ctl: default/configmaps/held.yaml: removed\n\
         Error from server (NotFound): configmaps \"held\" not found\n"
    );
    assert!(!file.exists());
}
