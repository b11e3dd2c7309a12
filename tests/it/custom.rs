//! Tests custom resources through the real binary: a definition adds a kind, and its deletion removes the kind.

use crate::support::{CommandOutput, World};

/// The definition of `applications.example.com` and one application as text.
const DEFINITION: &str = include_str!("../../testdata/custom/applications-crd.yaml");
const APPLICATION: &str = include_str!("../../testdata/custom/application.yaml");

fn apply(world: &World, text: &str) -> CommandOutput {
    world.run_with(&["apply", "-f", "-"], text)
}

fn with_definition() -> World {
    let world = World::fresh();
    assert_eq!(
        apply(&world, DEFINITION).ok(),
        "customresourcedefinition.apiextensions.k8s.io/applications.example.com created\n"
    );
    world
}

#[test]
fn crd_establishes_its_kind_immediately() {
    let world = World::fresh();
    assert_eq!(
        world.run(&["get", "applications"]).fails(),
        "error: the server doesn't have a resource type \"applications\"\n"
    );
    apply(&world, DEFINITION).ok();
    assert_eq!(
        world
            .run(&["api-resources", "--api-group=example.com"])
            .ok(),
        "NAME           SHORTNAMES   APIVERSION       NAMESPACED   KIND\n\
         applications   app          example.com/v1   true         Application\n"
    );
    let definition = world
        .run(&["get", "crd", "applications.example.com", "-o", "yaml"])
        .ok();
    for line in [
        "    listKind: ApplicationList\n",
        "    reason: NoConflicts\n",
        "    reason: InitialNamesAccepted\n",
        "  storedVersions:\n  - v1\n",
    ] {
        assert!(definition.contains(line), "{line:?} in {definition}");
    }
}

#[test]
fn custom_objects_have_schema_defaults_and_printer_columns() {
    let world = with_definition();
    assert_eq!(
        apply(&world, APPLICATION).ok(),
        "application.example.com/shop created\n"
    );
    assert_eq!(
        world.run(&["get", "app"]).ok(),
        "NAME   IMAGE        REPLICAS   READY   PHASE   AGE\nshop   nginx:1.25   2                          0s\n"
    );
    let yaml = world.run(&["get", "application/shop", "-o", "yaml"]).ok();
    for line in ["  generation: 1\n", "  port: 80\n", "  replicas: 2\n"] {
        assert!(yaml.contains(line), "{line:?} in {yaml}");
    }
    assert!(
        world
            .run(&["get", "all"])
            .ok()
            .contains("application.example.com/shop   nginx:1.25")
    );
    assert_eq!(
        apply(&world, APPLICATION).ok(),
        "application.example.com/shop unchanged\n"
    );
    assert_eq!(
        apply(&world, &APPLICATION.replace("1.25", "1.27")).ok(),
        "application.example.com/shop configured\n"
    );
}

#[test]
fn object_that_violates_the_schema_is_rejected() {
    let world = with_definition();
    let wrong = APPLICATION.replace("replicas: 2", "replicas: 101\n  port: none");
    assert_eq!(
        apply(&world, &wrong).fails(),
        "The Application \"shop\" is invalid: \n\
         * spec.port: Invalid value: \"string\": spec.port in body must be of type integer: \"string\"\n\
         * spec.replicas: Invalid value: 101: spec.replicas in body should be less than or equal to 100\n"
    );
    assert_eq!(
        world
            .run_with(
                &["create", "-f", "-"],
                &format!("{APPLICATION}  colour: red\n")
            )
            .fails(),
        "Error from server (BadRequest): error when creating \"STDIN\": Application in version \"v1\" \
         cannot be handled as a Application: strict decoding error: unknown field \"spec.colour\"\n"
    );
}

#[test]
fn status_of_a_custom_object_changes_only_by_subresource() {
    let world = with_definition();
    apply(&world, APPLICATION).ok();
    let both = r#"{"spec":{"replicas":3},"status":{"phase":"Ready","readyReplicas":3}}"#;
    let merge = ["patch", "app", "shop", "--type=merge", "-p", both];
    assert_eq!(
        world.run(&merge).ok(),
        "application.example.com/shop patched\n"
    );
    let shown = |world: &World| world.run(&["get", "app", "--no-headers"]).ok();
    assert_eq!(shown(&world), "shop   nginx:1.25   3                 0s\n");
    let spec = both.replace('3', "4");
    let status = [
        "patch",
        "app",
        "shop",
        "--subresource=status",
        "--type=merge",
        "-p",
        &spec,
    ];
    world.run(&status).ok();
    assert_eq!(
        shown(&world),
        "shop   nginx:1.25   3     4     Ready   0s\n"
    );
    assert_eq!(
        world.run(&["patch", "app", "shop", "-p", both]).fails(),
        "error: application/strategic-merge-patch+json is not supported by example.com/v1, \
         Kind=Application: the body of the request was in an unknown format - accepted media types \
         include: application/json-patch+json, application/merge-patch+json, \
         application/apply-patch+yaml\n"
    );
}

#[test]
fn deletion_of_a_crd_deletes_its_objects() {
    let world = with_definition();
    apply(&world, APPLICATION).ok();
    apply(&world, &APPLICATION.replace("shop", "blog")).ok();
    assert_eq!(
        world
            .run(&["delete", "crd", "applications.example.com"])
            .ok(),
        "customresourcedefinition.apiextensions.k8s.io \"applications.example.com\" deleted\n"
    );
    assert_eq!(
        world.run(&["get", "app"]).fails(),
        "error: the server doesn't have a resource type \"app\"\n"
    );
    apply(&world, DEFINITION).ok();
    assert_eq!(world.run(&["get", "app", "-o", "name"]).ok(), "");
}

#[test]
fn an_object_with_a_finalizer_keeps_its_definition() {
    let world = with_definition();
    let kept = APPLICATION.replace(
        "name: shop",
        "name: shop\n  finalizers: [example.com/backup]",
    );
    apply(&world, &kept).ok();
    apply(&world, &APPLICATION.replace("shop", "blog")).ok();
    world
        .run(&["delete", "crd", "applications.example.com", "--wait=false"])
        .ok();
    assert_eq!(
        world.run(&["get", "app", "-o", "name"]).ok(),
        "application.example.com/shop\n"
    );
    let definition = world
        .run(&["get", "crd", "applications.example.com", "-o", "yaml"])
        .ok();
    assert!(
        definition.contains("reason: InstanceDeletionInProgress"),
        "{definition}"
    );
    assert!(
        apply(&world, &APPLICATION.replace("shop", "late"))
            .fails()
            .contains("create not allowed while custom resource definition is terminating")
    );
    let free = r#"{"metadata":{"finalizers":null}}"#;
    world
        .run(&["patch", "app", "shop", "--type=merge", "-p", free])
        .ok();
    assert_eq!(world.run(&["get", "crd", "-o", "name"]).ok(), "");
}

#[test]
fn crd_versions_and_validation_rules_are_enforced() {
    let world = World::fresh();
    let rule = "      x-kubernetes-validations:\n          - {rule: \"self.spec.replicas != 13\", message: unlucky}\n";
    let old = "  - name: v1beta1\n    served: true\n    storage: false\n    deprecated: true\n    schema:\n      \
        openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n  \
        - name: v1alpha1\n    served: false\n    storage: false\n    schema:\n      \
        openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";
    let broken = DEFINITION.replace(
        "        required: [spec]\n",
        "        required: [spec]\n        x-kubernetes-validations: [{rule: \"self.spec.size > 1\"}]\n",
    );
    let refused = apply(&world, &broken).fails();
    assert!(
        refused.contains("compilation failed: ERROR: <input>:1:10: undefined field 'size'"),
        "{refused}"
    );
    let good = DEFINITION.replace(
        "        required: [spec]\n",
        &format!("        required: [spec]\n  {rule}"),
    );
    apply(&world, &(good + old)).ok();
    assert_eq!(
        apply(&world, &APPLICATION.replace("replicas: 2", "replicas: 13")).fails(),
        "The Application \"shop\" is invalid: <nil>: Invalid value: unlucky\n"
    );
    apply(&world, APPLICATION).ok();
    assert_eq!(
        world
            .run(&["set", "image", "application/shop", "a=b"])
            .fails(),
        "error: no kind \"Application\" is registered for version \"example.com/v1\" in scheme \
         \"pkg/scheme/scheme.go:28\"\n"
    );
    let beta = apply(
        &world,
        &APPLICATION.replace("example.com/v1", "example.com/v1beta1"),
    );
    assert_eq!(
        beta.err,
        "Warning: example.com/v1beta1 Application is deprecated; use example.com/v1 Application\n"
    );
    let yaml = world.run(&["get", "app", "shop", "-o", "yaml"]).ok();
    assert!(
        yaml.starts_with("apiVersion: example.com/v1\n") && yaml.contains("  port: 80\n"),
        "{yaml}"
    );
    let beta = world.run(&[
        "get",
        "applications.v1beta1.example.com",
        "shop",
        "-o",
        "yaml",
    ]);
    assert!(
        beta.out.starts_with("apiVersion: example.com/v1beta1\n"),
        "{beta:?}"
    );
    let alpha = apply(
        &world,
        &APPLICATION.replace("example.com/v1", "example.com/v1alpha1"),
    );
    assert!(
        alpha
            .fails()
            .contains("no matches for kind \"Application\" in version \"example.com/v1alpha1\"")
    );
}

#[test]
fn new_finalizer_without_a_domain_prints_a_warning() {
    let world = with_definition();
    let warning = |name: &str| {
        format!(
            "Warning: metadata.finalizers: \"{name}\": prefer a domain-qualified finalizer name including a path (/) \
             to avoid accidental conflicts with other finalizer writers\n"
        )
    };
    let with = |names: &str| {
        APPLICATION.replace(
            "name: shop",
            &format!("name: shop\n  finalizers: [{names}]"),
        )
    };
    assert_eq!(apply(&world, &with("hold, a.b/c")).err, warning("hold"));
    let patched = |names: &str| {
        let patch = format!(r#"{{"metadata":{{"finalizers":[{names}]}}}}"#);
        world
            .run(&["patch", "app", "shop", "--type=merge", "-p", &patch])
            .err
    };
    assert_eq!(patched(r#""hold","b","a""#), warning("a") + &warning("b"));
    assert_eq!(patched(r#""b""#), "");
    let server = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    let said = world.run_with(&server, &with("b, c")).err;
    assert_eq!(said, warning("c"));
    let said = world.run_with(&["replace", "-f", "-"], &with("d")).err;
    assert_eq!(said, warning("d"));
}
