//! Tests API paths on the command line, subresources, manifests without a cluster, plugins, access rights, and output
//! on a terminal.

use crate::support::{World, can_run};

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
";

const CONFIG: &str = "apiVersion: v1
kind: ConfigMap
metadata: {name: conf, labels: {set: a}}
data: {a: '1'}
";

const JSON: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"},"data":{"a":"1"}}"#;

#[test]
fn raw_flag_creates_replaces_gets_and_deletes() {
    let world = World::fresh();
    let path = "/api/v1/namespaces/default/configmaps";
    let made = world
        .run_with(&["create", "--raw", path, "-f", "-"], JSON)
        .ok();
    assert!(made.starts_with('{') && made.ends_with("}\n"), "{made}");
    let one = format!("{path}/conf");
    let new = JSON.replace("\"1\"", "\"2\"");
    let put = world
        .run_with(&["replace", "--raw", &one, "-f", "-"], &new)
        .ok();
    assert!(put.contains("\"a\":\"2\""), "{put}");
    assert!(
        world
            .run(&["get", "--raw", &one])
            .ok()
            .contains("\"a\":\"2\"")
    );
    assert_eq!(world.run(&["get", "--raw", "/healthz"]).ok(), "ok");
    assert!(
        world
            .run(&["delete", "--raw", &one])
            .ok()
            .contains("\"Success\"")
    );
    let gone = world.run(&["get", "--raw", &one]).fails();
    assert_eq!(
        gone,
        "Error from server (NotFound): configmaps \"conf\" not found\n"
    );
    let nowhere = world.run(&["get", "--raw", "/nowhere"]).fails();
    assert!(
        nowhere.contains("could not find the requested resource"),
        "{nowhere}"
    );
    let both = world
        .run(&["create", "--raw", path, "-f", "-", "-o", "json"])
        .fails();
    assert_eq!(both, "error: --raw and --output are mutually exclusive\n");
}

#[test]
fn scale_subresource_is_printed_and_patched() {
    let world = World::fresh();
    let _ = world.run_with(&["apply", "-f", "-"], WEB).ok();
    let shown = world
        .run(&["get", "deploy", "web", "--subresource=scale"])
        .ok();
    assert!(
        shown.starts_with("NAME   DESIRED   AVAILABLE   AGE\nweb    2         0 "),
        "{shown}"
    );
    let kind = [
        "get",
        "deploy",
        "web",
        "--subresource=scale",
        "-o",
        "jsonpath={.kind}",
    ];
    assert_eq!(world.run(&kind).ok(), "Scale");
    let patch = r#"{"spec":{"replicas":5}}"#;
    let patched = [
        "patch",
        "deploy",
        "web",
        "--subresource=scale",
        "--type=merge",
        "-p",
        patch,
    ];
    assert_eq!(world.run(&patched).ok(), "scale.autoscaling/web patched\n");
    assert_eq!(
        world.run(&patched).ok(),
        "scale.autoscaling/web patched (no change)\n"
    );
    assert_eq!(world.replicas("web"), "5");
    let none = world
        .run(&["get", "ns", "default", "--subresource=scale"])
        .fails();
    assert!(
        none.contains("could not find the requested resource"),
        "{none}"
    );
    let bulk = world.run(&["get", "deploy", "--subresource=scale"]).fails();
    assert!(
        bulk.contains("subresource cannot be used when bulk"),
        "{bulk}"
    );
}

#[test]
fn validate_needs_no_cluster() {
    let world = World::new();
    let good = format!("{WEB}---\n{CONFIG}");
    let told = world.run_with(&["validate", "-f", "-"], &good).ok();
    assert_eq!(told, "deployment.apps/web valid\nconfigmap/conf valid\n");
    let unknown = WEB.replace("replicas: 2", "replicaz: 2");
    let told = world.run_with(&["validate", "-f", "-"], &unknown).fails();
    assert!(told.contains("unknown field \"spec.replicaz\""), "{told}");
    let wrong = WEB.replace("name: web, image: nginx", "name: WEB, image: nginx");
    let ran = world.run_with(&["validate", "-f", "-", "--exit-codes"], &wrong);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(
        ran.err.contains("The Deployment \"web\" is invalid"),
        "{ran:?}"
    );
    assert!(!world.state().exists());
}

#[test]
fn validate_uses_crds_of_the_same_manifest() {
    let world = World::new();
    let text = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example.com}
spec:
  group: sea.example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {sails: {type: integer}}}}
---
apiVersion: sea.example.com/v1
kind: Boat
metadata: {name: a}
spec: {sails: SAILS}
";
    let check =
        |sails: &str| world.run_with(&["validate", "-f", "-"], &text.replace("SAILS", sails));
    assert!(check("2").ok().ends_with("boat.sea.example.com/a valid\n"));
    assert!(check("many").fails().contains("spec.sails"));
}

#[test]
fn client_dry_run_creates_no_cluster() {
    let world = World::new();
    let run = |args: &[&str]| world.run_with(args, WEB);
    let told = run(&["apply", "-f", "-", "--dry-run=client"]).ok();
    assert_eq!(told, "deployment.apps/web created (dry run)\n");
    assert!(
        run(&["create", "-f", "-", "--dry-run=client"])
            .ok()
            .contains("(dry run)")
    );
    assert!(
        run(&["create", "ns", "a", "--dry-run=client"])
            .ok()
            .contains("(dry run)")
    );
    let none = run(&["label", "deploy", "web", "a=b", "--dry-run=client"]).fails();
    assert!(none.contains("there is no cluster in"), "{none}");
    assert!(!world.state().exists());
}

#[test]
fn diff_with_prune_shows_deleted_objects() {
    let world = World::fresh();
    let two = format!("{CONFIG}---\n{}", CONFIG.replace("name: conf", "name: old"));
    let _ = world.run_with(&["apply", "-f", "-"], &two).ok();
    let same = world.run_with(&["diff", "-f", "-", "-l", "set=a"], CONFIG);
    assert_eq!((same.code, same.out.as_str()), (0, ""));
    let pruned = world.run_with(&["diff", "-f", "-", "--prune", "-l", "set=a"], CONFIG);
    assert_eq!(pruned.code, 1, "{pruned:?}");
    assert!(pruned.out.contains("-  name: old\n"), "{pruned:?}");
    assert!(!pruned.out.contains("name: conf"), "{pruned:?}");
}

#[test]
fn apply_with_overwrite_false_rejects_conflicting_changes() {
    let world = World::fresh();
    let _ = world.run_with(&["apply", "-f", "-"], WEB).ok();
    let _ = world.run(&["scale", "deploy", "web", "--replicas=7"]).ok();
    let new = WEB.replace("replicas: 2", "replicas: 3");
    let refused = world
        .run_with(&["apply", "-f", "-", "--overwrite=false"], &new)
        .fails();
    assert!(
        refused.contains("conflicts with changes made from original"),
        "{refused}"
    );
    assert!(
        world
            .run_with(&["apply", "-f", "-"], &new)
            .ok()
            .contains("configured")
    );
}

#[test]
fn kubectl_plugin_on_the_path_is_a_command() {
    let mut world = World::fresh();
    let bin = world.outside("bin");
    std::fs::create_dir(&bin).unwrap();
    let plugin = bin.join("kubectl-say_hello");
    // A separate process copies the program, as in `write_program`.
    assert!(can_run(&["cp", "/bin/echo", plugin.to_str().unwrap()]));
    world.set("PATH", bin.to_str().unwrap());
    assert_eq!(world.run(&["say-hello", "a", "-b"]).ok(), "a -b\n");
    let listed = world.run(&["plugin", "list", "--name-only"]).ok();
    assert!(listed.ends_with("\nkubectl-say_hello\n"), "{listed}");
    assert!(
        world
            .run(&["say-nothing"])
            .fails()
            .contains("unknown command")
    );
}

#[test]
fn auth_can_i_and_reconcile_report_and_grant_rights() {
    let world = World::fresh();
    let can = |who: &str| {
        world
            .run(&["auth", "can-i", "list", "pods", "--as", who])
            .code
    };
    assert_eq!(can("ann"), 1);
    let rights = "apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ann, namespace: default}
subjects: [{kind: User, name: ann, apiGroup: rbac.authorization.k8s.io}]
roleRef: {kind: Role, name: reader, apiGroup: rbac.authorization.k8s.io}
";
    let ran = world.run_with(&["auth", "reconcile", "-f", "-"], rights);
    assert!(
        ran.err
            .contains("\treconciliation required create\n\tmissing rules added:\n"),
        "{ran:?}"
    );
    assert!(
        ran.ok()
            .contains("role.rbac.authorization.k8s.io/reader reconciled\n")
    );
    assert_eq!(can("ann"), 0);
    let again = world.run_with(&["auth", "reconcile", "-f", "-"], rights);
    assert_eq!(again.err, "");
    let list = world.run(&["auth", "can-i", "--list", "--as=ann"]).ok();
    assert!(list.contains("\npods "), "{list}");
    let who = world.run(&["auth", "whoami", "--as=ann"]).ok();
    assert_eq!(
        who,
        "ATTRIBUTE   VALUE\nUsername    ann\nGroups      [system:authenticated]\n"
    );
}

#[test]
fn cluster_info_prints_and_dumps_the_cluster() {
    let world = World::fresh();
    let info = world.run(&["cluster-info"]).ok();
    assert!(
        info.starts_with("Kubernetes control plane is running at file:///"),
        "{info}"
    );
    let dump = world.outside("dump");
    let flag = format!("--output-directory={}", dump.display());
    assert!(
        world
            .run(&["cluster-info", "dump", &flag])
            .ok()
            .starts_with("Cluster info dumped to")
    );
    let nodes = std::fs::read_to_string(dump.join("nodes.json")).unwrap();
    assert!(
        nodes.starts_with("{\n    \"kind\": \"NodeList\",\n    \"apiVersion\": \"v1\","),
        "{nodes}"
    );
    assert!(dump.join("default/pods.json").exists());
}

#[test]
fn apply_creates_valid_objects_in_one_commit() {
    let world = World::fresh();
    let manifest = format!(
        "apiVersion: v1\nkind: Namespace\nmetadata: {{name: lab}}\n---\n{}\n---\n{}\n---\n{}",
        CONFIG.replace("name: conf,", "name: conf, namespace: lab,"),
        WEB.replace("replicas: 2", "replicas: -1"),
        CONFIG.replace("conf", "other"),
    );
    let commits = || {
        let told = world.run(&["fsck", "--history"]).ok();
        let (before, _) = told.split_once(" commits").unwrap();
        before.rsplit(' ').next().unwrap().parse::<u64>().unwrap()
    };
    let before = commits();
    let ran = world.run_with(&["apply", "-f", "-"], &manifest);
    assert_eq!(
        ran.out,
        "namespace/lab created\nconfigmap/conf created\nconfigmap/other created\n"
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("\"web\" is invalid: spec.replicas"),
        "{}",
        ran.err
    );
    assert_eq!(commits(), before + 1);
}
