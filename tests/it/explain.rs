//! Tests `explain` through the real binary.

use crate::support::World;

#[test]
fn types_and_fields_are_explained() {
    let world = World::fresh();
    let replicas = world.run(&["explain", "deploy.spec.replicas"]).ok();
    assert!(replicas.starts_with(
        "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n\nFIELD: replicas <integer>\n"
    ));
    let ingress = world
        .run(&["explain", "ingresses.networking.k8s.io.spec", "--recursive"])
        .ok();
    assert!(
        ingress
            .contains("\n  tls\t<[]IngressTLS>\n    hosts\t<[]string>\n    secretName\t<string>\n"),
        "{ingress}"
    );
    let old = world
        .run(&["explain", "hpa.spec", "--api-version=autoscaling/v1"])
        .ok();
    assert!(
        old.contains("  targetCPUUtilizationPercentage\t<integer>\n"),
        "{old}"
    );
}

#[test]
fn explain_reports_unknown_kinds_fields_and_versions() {
    let world = World::fresh();
    let missing = world.run(&["explain", "pod.spec.nope"]);
    assert_eq!(missing.out, "KIND:       Pod\nVERSION:    v1\n\n");
    assert_eq!(
        (missing.err.as_str(), missing.code),
        ("error: field \"nope\" does not exist\n", 1)
    );
    let unknown = world.run(&["explain", "rocket"]);
    assert_eq!(
        unknown.fails(),
        "the server doesn't have a resource type \"rocket\"\n"
    );
    let versions = [
        (
            "v9",
            "plaintext",
            "couldn't find resource for \"/v9, Resource=pods\"",
        ),
        (
            "v9",
            "plaintext-openapiv2",
            "couldn't find resource for \"/v9, Kind=Pod\"",
        ),
        (
            "apps/v1",
            "plaintext",
            "GVR (apps/v1, Resource=pods) not found in OpenAPI schema",
        ),
        (
            "apps/v1",
            "plaintext-openapiv2",
            "couldn't find resource for \"apps/v1, Kind=Pod\"",
        ),
        (
            "a/b/c",
            "plaintext",
            "unexpected GroupVersion string: a/b/c",
        ),
        ("v1", "yaml", "unrecognized format: yaml"),
        (
            "v9",
            "yaml",
            "couldn't find resource for \"/v9, Resource=pods\"",
        ),
    ];
    for (version, format, error) in versions {
        let (version, format) = (
            format!("--api-version={version}"),
            format!("--output={format}"),
        );
        let said = world.run(&["explain", "pods", &version, &format]).fails();
        assert_eq!(said, format!("error: {error}\n"));
    }
    assert!(
        world
            .run(&["explain"])
            .fails()
            .contains("Use \"ctl api-resources\"")
    );
}
