//! Tests apply sets through the real binary: the variable enables the flag; a set is created, shrinks, spans
//! namespaces and is left alone if another tool manages it.

use crate::support::{CommandOutput, World};

const MAPS: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two}
---
apiVersion: v1
kind: Secret
metadata: {name: key}
";

/// The manifest without the second map and the secret.
const FEWER: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
";

const PARENTS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: bundles.example.com
  labels: {applyset.kubernetes.io/is-parent-type: 'true'}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Bundle, plural: bundles, singular: bundle}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
";

fn world() -> World {
    let mut world = World::fresh();
    world.set("KUBECTL_APPLYSET", "TRUE");
    let _ = world.run(&["create", "ns", "shop"]).ok();
    world
}

fn apply(world: &World, flags: &str, text: &str) -> CommandOutput {
    let mut args = vec!["apply", "--prune", "-f", "-"];
    args.extend(flags.split(' '));
    world.run_with(&args, text)
}

fn annotation(world: &World, parent: &str, name: &str) -> String {
    let path = format!(r"-ojsonpath={{.metadata.annotations.applyset\.kubernetes\.io/{name}}}");
    world.run(&["get", "-n", "shop", parent, &path]).ok()
}

#[test]
fn applyset_flag_exists_only_if_its_variable_is_true() {
    let mut world = world();
    let _ = apply(&world, "-n shop --applyset=set", FEWER).ok();
    let help = |world: &World| world.run(&["apply", "--help"]).ok();
    let completed = |world: &World| world.run(&["__complete", "apply", "--apply"]).out;
    assert!(help(&world).contains("    --applyset=''"));
    assert!(completed(&world).contains("--applyset"));
    for value in ["", "false", "1"] {
        world.set("KUBECTL_APPLYSET", value);
        let said = apply(&world, "-n shop --applyset=set", FEWER).fails();
        assert_eq!(
            said,
            "error: unknown flag: --applyset\nSee 'ctl apply --help' for usage.\n"
        );
        assert!(!help(&world).contains("    --applyset"));
        assert!(!completed(&world).contains("--applyset"));
    }
}

#[test]
fn applyset_prunes_members_with_secret_and_config_map_parents() {
    for (parent, place) in [("set", "secret/set"), ("configmap/set", "cm/set")] {
        let world = world();
        let flags = format!("-n shop --applyset={parent}");
        let said = apply(&world, &flags, MAPS).ok();
        assert_eq!(
            said,
            "configmap/one created\nconfigmap/two created\nsecret/key created\n"
        );
        let kinds = |world: &World| annotation(world, place, "contains-group-kinds");
        assert_eq!(kinds(&world), "ConfigMap,Secret");
        assert_eq!(annotation(&world, place, "tooling"), "kubectl/v1.36.2");
        let said = apply(&world, &flags, FEWER).ok();
        assert_eq!(
            said,
            "configmap/one unchanged\nconfigmap/two pruned\nsecret/key pruned\n"
        );
        assert_eq!(kinds(&world), "ConfigMap");
        // Objects that existed before are no members of the set.
        let _ = world.run(&["get", "-n", "shop", place]).ok();
        world.fsck_without_remarks();
    }
}

#[test]
fn members_in_two_namespaces_need_a_parent_without_one() {
    let world = world();
    let other = MAPS.replace("{name: two}", "{name: two, namespace: default}");
    let refused = apply(&world, "-n shop --applyset=set", &other).fails();
    assert_eq!(
        refused,
        "error: the namespace from the provided object \"default\" does not match the namespace \
         \"shop\". You must pass '--namespace=default' to perform this operation.\n"
    );
    let _ = world.run_with(&["apply", "-f", "-"], PARENTS).ok();
    let missing = apply(&world, "--applyset=bundle.example.com/all", &other).fails();
    assert_eq!(
        missing,
        "error: custom resource ApplySet parents cannot be created automatically\n"
    );
    let parent = "apiVersion: example.com/v1\nkind: Bundle\nmetadata:\n  name: all\n  \
         annotations: {applyset.kubernetes.io/tooling: kubectl/v1, \
         applyset.kubernetes.io/contains-group-kinds: ''}\n  \
         labels: {applyset.kubernetes.io/id: x}\n";
    let _ = world.run_with(&["create", "-f", "-"], parent).ok();
    let wrong = apply(&world, "--applyset=bundle.example.com/all", &other).fails();
    let (got, id) = wrong.split_once(", want: ").unwrap();
    assert_eq!(
        got,
        "error: ApplySet parent object \"bundles.example.com/all\" exists and has incorrect value \
         for label \"applyset.kubernetes.io/id\" (got: x"
    );
    let label = format!("applyset.kubernetes.io/id={}", id.trim_end_matches(")\n"));
    let _ = world
        .run(&["label", "--overwrite", "bundle", "all", &label])
        .ok();
    let both = other.replace("{name: one}", "{name: one, namespace: shop}");
    let said = apply(
        &world,
        "--applyset=bundle.example.com/all --server-side",
        &both,
    );
    assert_eq!(said.out.lines().count(), 3, "{said:?}");
    let namespaces = |world: &World| annotation(world, "bundle/all", "additional-namespaces");
    assert_eq!(namespaces(&world), "default,shop");
    let fewer = FEWER.replace("{name: one}", "{name: one, namespace: shop}");
    let said = apply(
        &world,
        "--applyset=bundle.example.com/all --server-side",
        &fewer,
    )
    .ok();
    assert_eq!(
        said,
        "configmap/one serverside-applied\nconfigmap/two pruned\nsecret/key pruned\n"
    );
    assert_eq!(namespaces(&world), "shop");
}

#[test]
fn applyset_prunes_only_its_own_members() {
    let world = world();
    let _ = apply(&world, "-n shop --applyset=a", FEWER).ok();
    let _ = apply(&world, "-n shop --applyset=b", &FEWER.replace("one", "uno")).ok();
    let said = apply(
        &world,
        "-n shop --applyset=a",
        &FEWER.replace("one", "eins"),
    )
    .ok();
    assert_eq!(said, "configmap/eins created\nconfigmap/one pruned\n");
    let _ = world.run(&["get", "-n", "shop", "cm", "uno"]).ok();
    // An object that is labeled as a member of another set is not adopted.
    let member = world
        .run(&["get", "-n", "shop", "cm", "uno", "-oyaml"])
        .ok();
    let refused = apply(&world, "-n shop --applyset=a", &member).fails();
    assert_eq!(
        refused,
        "error: ApplySet label \"applyset.kubernetes.io/part-of\" already set in input data\n"
    );
    let said = apply(&world, "-n shop --applyset=b", &FEWER.replace("one", "dos")).ok();
    assert_eq!(said, "configmap/dos created\nconfigmap/uno pruned\n");
}
