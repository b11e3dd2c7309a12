//! Checks that the animated pictures in the README and in the lessons equal the current output of `ctl render`.

use std::path::{Path, PathBuf};

use crate::documents::{after, plain};
use crate::support::World;
use crate::support::state::write_file;

/// Runs a line. Returns its output.
fn run(world: &World, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    world.run(&words).ok()
}

/// Returns the picture of a rollout with three Pods.
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

/// Checks that a picture equals the current one.
fn compare(file: &Path, made: &str) {
    if std::env::var_os("CTL_UPDATE").is_some_and(|v| v == "1") {
        write_file(file, made.as_bytes());
    }
    let committed = std::fs::read_to_string(file).unwrap_or_default();
    // Generated name suffixes depend on all earlier random draws of the cluster.
    let lines = |text: &str| text.lines().map(plain).collect::<Vec<_>>();
    assert!(
        lines(made) == lines(&committed),
        "{}: CTL_UPDATE=1 cargo test pictures",
        file.display()
    );
}

#[test]
fn the_rollout_in_the_readme_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    compare(&root.join("docs/rollout.svg"), &rollout());
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains("](docs/rollout.svg)"));
}

/// Each lesson shows the effects of its own commands.
#[test]
fn each_lesson_has_a_picture_of_its_session() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/learn");
    let lessons = std::fs::read_dir(&folder).unwrap();
    let lessons = lessons.map(|entry| entry.unwrap().path());
    let is_lesson = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with(|c: char| c.is_ascii_digit()) && name.ends_with(".md")
    };
    let lessons: Vec<PathBuf> = lessons.filter(is_lesson).collect();
    assert_eq!(lessons.len(), 7);
    std::thread::scope(|scope| {
        for lesson in &lessons {
            scope.spawn(move || {
                let text = std::fs::read_to_string(lesson).unwrap();
                let title = text.lines().next().unwrap().trim_start_matches("# ");
                let made = after(lesson, &format!("ctl render --svg - --title '{title}'"));
                assert!(made.contains("@keyframes"), "{made}");
                let picture = lesson.with_extension("svg");
                compare(&picture, &made);
                let link = format!("]({})", picture.file_name().unwrap().to_str().unwrap());
                assert!(text.contains(&link), "{}: {link}", lesson.display());
            });
        }
    });
}
