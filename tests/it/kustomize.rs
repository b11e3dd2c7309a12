//! Tests kustomizations through the real program: a table of directories with kubectl's output for each, and `-k`.

use std::path::{Path, PathBuf};

use crate::support::World;

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kustomize")
}

#[test]
fn every_test_directory_builds_like_kubectl() {
    let world = World::new();
    let mut count = 0;
    for entry in std::fs::read_dir(table()).unwrap() {
        let directory = entry.unwrap().path();
        let expected = std::fs::read_to_string(directory.join("expected.yaml")).unwrap();
        let built = world.run(&["kustomize", directory.to_str().unwrap()]).ok();
        assert_eq!(built, expected, "{}", directory.display());
        count += 1;
    }
    assert!(count > 20, "{count}");
    assert!(!world.state().exists(), "no cluster is needed for that");
}

#[test]
fn a_directory_without_a_kustomization_is_named() {
    let world = World::new();
    let at = world.outside("empty");
    std::fs::create_dir(&at).unwrap();
    let at = at.canonicalize().unwrap();
    let said = world.run(&["kustomize", at.to_str().unwrap()]).fails();
    let words = "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory";
    assert_eq!(said, format!("error: {words} '{}'\n", at.display()));
    let said = world.run(&["kustomize", "a", "b"]).fails();
    assert_eq!(said, "error: specify one path to kustomization.yaml\n");
}

#[test]
fn output_flag_writes_one_file_or_one_per_object() {
    let world = World::new();
    let from = table().join("vars");
    let from = from.to_str().unwrap();
    let _ = world.run(&["kustomize", from, "-o", "whole.yaml"]).ok();
    let whole = std::fs::read_to_string(world.outside("whole.yaml")).unwrap();
    assert_eq!(
        whole,
        std::fs::read_to_string(table().join("vars/expected.yaml")).unwrap()
    );
    std::fs::create_dir(world.outside("each")).unwrap();
    let _ = world.run(&["kustomize", from, "--output", "each"]).ok();
    for name in ["v1_pod_v-p.yaml", "v1_service_v-web.yaml"] {
        assert!(world.outside("each").join(name).exists(), "{name}");
    }
}

#[test]
fn invalid_flag_values_list_the_legal_values() {
    let world = World::new();
    let from = table().join("vars");
    let run = |flags: &[&str]| {
        let arguments = [&["kustomize", from.to_str().unwrap()], flags].concat();
        world.run(&arguments)
    };
    let said = run(&["--load-restrictor", "x"]).fails();
    let legal = "[LoadRestrictionsRootOnly LoadRestrictionsNone]";
    assert!(
        said.ends_with(&format!(
            "illegal flag value --load-restrictor x; legal values: {legal}\n"
        )),
        "{said}"
    );
    let said = run(&["--reorder", "x"]).fails();
    assert!(
        said.contains("Flag --reorder has been deprecated"),
        "{said}"
    );
    assert!(
        said.ends_with("illegal flag value --reorder x; legal values: [legacy none]\n"),
        "{said}"
    );
    let unsorted = run(&["--reorder", "none"]).ok();
    assert!(unsorted.find("kind: Pod") < unsorted.find("kind: Service"));
    let labeled = run(&["--enable-managedby-label"]).ok();
    assert_eq!(
        labeled
            .matches("app.kubernetes.io/managed-by: kustomize-v5.8.1")
            .count(),
        2
    );
}

#[test]
fn a_kustomization_can_be_applied_and_deleted() {
    let world = World::fresh();
    let from = table().join("behaviors");
    let from = from.to_str().unwrap();
    let made = world.run(&["apply", "-k", from]).ok();
    assert!(made.contains("configmap/o-b-fixed created"), "{made}");
    assert!(made.contains("pod/o-b-p created"), "{made}");
    let again = world.run(&["apply", "-k", from]).ok();
    assert!(again.contains("configmap/o-b-fixed unchanged"), "{again}");
    let gone = world.run(&["delete", "-k", from]).ok();
    assert!(gone.contains("configmap \"o-b-fixed\" deleted"), "{gone}");
}
