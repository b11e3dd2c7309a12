//! The README's tour: every command in it is run, in order, as it stands there.

use std::path::Path;

use crate::support::{World, finish};

/// The commands between the README's marks.
fn commands() -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md"));
    let text = text.unwrap();
    let tour = text
        .split("<!-- tour -->")
        .nth(1)
        .unwrap()
        .split("<!-- end -->")
        .next()
        .unwrap();
    tour.lines()
        .filter_map(|l| l.strip_prefix("    $ "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_tour_of_the_readme_does_what_it_says() {
    let world = World::new();
    let scratch = world.outside("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let commands = commands();
    assert!(commands.len() > 10);
    let script: String = commands
        .iter()
        .map(|c| c.replace("/tmp/", &format!("{}/", scratch.display())))
        .map(|c| format!("echo '## {}'\n{c} 2>&1\n", c.replace('\'', "")))
        .collect();
    let mut command = world.command_for(Path::new("bash"));
    let program = Path::new(env!("CARGO_BIN_EXE_ctl")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    command
        .env("PATH", path)
        .env_remove("CTL_STATE")
        .env_remove("CTL_TEST_BARE")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["-e", "-c", &script]);
    let ran = finish(command, "");
    let said = ran.clone().ok();
    for expected in [
        "service/kubernetes   ClusterIP   10.96.0.1",
        "image: nginx:1.25",
        "web    0/3     0            0 ",
        "must be greater than or equal to 0; the file is kept as default/deployments.apps/web.yaml.rejected",
        "# ctl did not take this: default/deployments.apps/web.yaml: Deployment.apps \"web\" is invalid",
        "forked at revision ",
        "deployment.apps \"web\" deleted from default namespace",
        ", no problem",
    ] {
        assert!(said.contains(expected), "{expected} is not in\n{said}");
    }
    assert_eq!(
        std::fs::read_dir(scratch).unwrap().count(),
        0,
        "the tour cleans up"
    );
}
