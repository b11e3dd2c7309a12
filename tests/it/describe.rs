//! Tests `describe` through the real binary: the objects that it finds, the related data that it collects, and its
//! output if nothing exists.

use crate::support::World;

const MANIFEST: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf, labels: {app: rich}}\ndata: {a: '1'}\n\
    ---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\n\
    ---\napiVersion: v1\nkind: Event\nmetadata: {name: conf.1, namespace: default}\ntype: Normal\nreason: Seen\n\
    message: somebody looked\nsource: {component: eye}\n\
    involvedObject: {kind: ConfigMap, name: conf, namespace: default}\n";

fn world() -> World {
    let world = World::fresh();
    world.run_with(&["create", "-f", "-"], MANIFEST).ok();
    world
}

#[test]
fn describe_shows_events_only_for_one_object_by_default() {
    let world = world();
    let one = world.run(&["describe", "cm", "conf"]).ok();
    assert_eq!(
        one,
        "Name:         conf\nNamespace:    default\nLabels:       app=rich\nAnnotations:  <none>\n\nData\n====\na:\n\
         ----\n1\n\n\nBinaryData\n====\n\nEvents:  <none>\n"
    );
    let several = world.run(&["describe", "cm", "conf", "config"]).ok();
    assert!(!several.contains("Events:"), "{several}");
    assert!(
        several.contains("====\n\n\n\nName:         config\n"),
        "{several}"
    );
    let asked = ["describe", "cm", "conf", "config", "--show-events"];
    assert_eq!(world.run(&asked).ok().matches("Events:").count(), 2);
    let alone = world
        .run(&["describe", "cm/conf", "--show-events=false"])
        .ok();
    assert!(!alone.contains("Events:"), "{alone}");
}

#[test]
fn describe_finds_node_events_by_uid_and_name() {
    let world = World::fresh();
    let uid = world.run(&["get", "node", "node-0", "-o", "yaml"]).ok();
    let uid = uid
        .lines()
        .find_map(|line| line.trim().strip_prefix("uid: "))
        .unwrap();
    let event = |name: &str, uid: &str| {
        format!(
            "apiVersion: v1\nkind: Event\nmetadata: {{name: {name}, namespace: default}}\ntype: Normal\nreason: {name}\n\
             message: hello\nsource: {{component: me}}\ninvolvedObject: {{kind: Node, name: node-0, uid: {uid}}}\n---\n"
        )
    };
    let events = event("byuid", uid) + &event("byname", "node-0") + &event("other", "x");
    world.run_with(&["create", "-f", "-"], &events).ok();
    let shown = world.run(&["describe", "node", "node-0"]).ok();
    assert!(
        shown.contains("  Normal  byuid   <unknown>  me    hello\n"),
        "{shown}"
    );
    assert!(
        shown.contains("  Normal  byname  <unknown>  me    hello\n"),
        "{shown}"
    );
    assert!(!shown.contains("other"), "{shown}");
    assert!(
        shown.contains("\nNon-terminated Pods:          (0 in total)\n"),
        "{shown}"
    );
}

#[test]
fn names_selectors_and_files_choose_objects() {
    let world = world();
    let prefix = world.run(&["describe", "cm", "conf-"]).fails();
    assert_eq!(
        prefix,
        "Error from server (NotFound): configmaps \"conf-\" not found\n"
    );
    let begun = world.run(&["describe", "cm", "confi"]).ok();
    assert!(begun.starts_with("Name:         config\n"), "{begun}");
    let selected = world
        .run(&["describe", "cm,secrets", "-l", "app=rich"])
        .ok();
    assert_eq!(selected.matches("Name:").count(), 1, "{selected}");
    let file = world.run_with(&["describe", "-f", "-"], MANIFEST).ok();
    assert_eq!(file.matches("\n\n\nName:").count(), 2, "{file}");
    let both = world
        .run(&["describe", "cm", "conf", "-l", "app=rich"])
        .fails();
    assert_eq!(
        both,
        "error: name cannot be provided when a selector is specified\n"
    );
}

#[test]
fn describe_without_objects_reports_no_resources() {
    let world = World::fresh();
    let nothing = world.run(&["describe", "pods"]);
    assert_eq!(nothing.err, "No resources found in default namespace.\n");
    let anywhere = world.run(&["describe", "pods", "-A"]);
    assert_eq!(anywhere.err, "No resources found\n");
    assert_eq!(
        world.run(&["describe"]).fails(),
        "error: You must specify the type of resource to describe. Use \"ctl api-resources\" for a complete list of \
         supported resources.\n"
    );
    assert_eq!(
        world.run(&["describe", "rocket"]).fails(),
        "error: the server doesn't have a resource type \"rocket\"\n"
    );
}
