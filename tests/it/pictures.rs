//! The moving picture in the README is what `ctl render` makes of a rollout today.

use std::path::Path;

use crate::documents::plain;
use crate::support::World;
use crate::support::state::write_file;

/// Runs a line, and returns what it says.
fn run(world: &World, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    world.run(&words).ok()
}

/// The picture of a rollout with three Pods.
fn rollout() -> String {
    let world = World::fresh();
    let _ = run(&world, "create deployment web --image=shop:1 --replicas=3");
    let _ = run(&world, "settle --for 30s");
    let begin = run(&world, "raw revision");
    let _ = run(&world, "set image deployment/web shop=shop:2");
    let _ = run(&world, "settle");
    let line = format!("render deployment/web --svg - --range {}..", begin.trim());
    run(&world, &line)
}

#[test]
fn the_rollout_in_the_readme_is_current() {
    let made = rollout();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rollout.svg");
    if std::env::var_os("CTL_UPDATE").is_some_and(|v| v == "1") {
        write_file(&file, made.as_bytes());
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    // The letters of generated names follow from everything that a cluster has ever drawn.
    let lines = |text: &str| text.lines().map(plain).collect::<Vec<_>>();
    assert!(
        lines(&made) == lines(&committed),
        "CTL_UPDATE=1 cargo test pictures"
    );
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    assert!(readme.contains("](docs/rollout.svg)"));
}
