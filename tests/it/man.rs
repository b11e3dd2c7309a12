//! Tests `ctl man`: there is a page for each command, and a formatter reads all of them without warnings.

use std::path::Path;

use crate::support::{World, can_run, finish, note};

#[test]
fn the_manual_has_a_page_for_each_command() {
    let world = World::new();
    let pages = world.outside("pages/man1");
    let said = world.run(&["man", pages.to_str().unwrap()]).ok();
    let mut files: Vec<_> = pages
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(
        said,
        format!("{} pages in {}\n", files.len(), pages.display())
    );
    for name in ["ctl.1", "ctl-get.1", "ctl-create-deployment.1", "ctl-man.1"] {
        assert!(files.contains(&pages.join(name)), "{name}");
    }
    let help = world.run(&["--help"]).ok();
    let listed = help
        .lines()
        .filter_map(|l| l.strip_prefix("  ")?.split_once("   "));
    let mut commands = 0;
    for (name, _) in listed.filter(|(name, _)| !name.contains(' ')) {
        commands += 1;
        assert!(
            files.contains(&pages.join(format!("ctl-{name}.1"))),
            "{name}"
        );
    }
    assert!(commands > 30, "{help}");
    if can_run(&["groff", "--version"]) {
        let mut groff = world.command_for(Path::new("groff"));
        groff.args(["-ww", "-man", "-z"]).args(&files);
        let ran = finish(groff, "");
        assert_eq!((ran.err.as_str(), ran.code), ("", 0));
    } else {
        note("no groff here: the pages are not formatted");
    }
}

#[test]
fn missing_directory_argument_is_an_error() {
    let world = World::new();
    let said = world.run(&["man"]).fails();
    let missing = "error: the following required arguments were not provided: <DIR>\n";
    assert!(said.starts_with(missing), "{said}");
}
