//! Runs unmodified suites in the formats of chainsaw and kuttl: every supported feature of the formats, and the
//! messages about the others.

use std::path::Path;

use crate::support::World;

/// Returns the directory of a suite.
fn suite(name: &str) -> String {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/suites");
    all.join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_suite_of_chainsaw_runs_as_it_is() {
    let world = World::fresh();
    let ran = world.run(&["test", &suite("chainsaw")]);
    let expected = "ok    expressions (scenario 1)\nok    expressions (scenario 2)\nok    kubectl\nok    no-cluster\n\
        ok    outcomes\nskip  later: spec.skip is true\nok    rollout (10s simulated)\nok    templates\n\
        7 passed, 0 failed, 1 skipped\n";
    assert_eq!(ran.out, expected, "{ran:?}");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_suite_of_kuttl_runs_as_it_is() {
    let world = World::fresh();
    let ran = world.run(&["test", &suite("kuttl")]);
    let expected = "ok    job\nskip  skipped-later: skipTestRegex\nok    upgrade\n2 passed, 0 failed, 1 skipped\n";
    assert_eq!(ran.out, expected, "{ran:?}");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn failures_of_chainsaw_are_caught_and_unsupported_parts_are_named() {
    let mut world = World::fresh();
    let mark = world.outside("mark");
    world.set("CHAINSAW_MARK", mark.to_str().unwrap());
    let file = suite("chainsaw-failing");
    let ran = world.run(&["test", &file]);
    assert_eq!((ran.code, ran.err.as_str()), (1, ""), "{ran:?}");
    assert!(ran.out.ends_with("0 passed, 6 failed\n"), "{}", ran.out);
    for part in [
        "chainsaw-test.yaml:27: assert configmap/settings\n",
        "data.color is blue, expected green\n",
        // The operation in `catch` shows the object.
        "get configmap:\n        {\"color\":\"blue\"}\n",
        "no matches for kind \"Ship\" in version \"example.com/v1\"\n",
        "chainsaw-test.yaml:81: `cluster` is not supported\n",
        "chainsaw-test.yaml:93: `compiler` is not supported\n",
        "unknown function x509_decode()\n",
        "the operation \"proxy\" is not supported\n",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains("nowhere"), "{}", ran.out);
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "done\n");
}
