//! `ctl completion`: the committed scripts are what the program prints.

use std::path::Path;

use crate::support::World;

#[test]
fn the_committed_completions_are_current() {
    let world = World::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (shell, file) in [
        ("bash", "ctl.bash"),
        ("zsh", "_ctl"),
        ("fish", "ctl.fish"),
        ("powershell", "_ctl.ps1"),
    ] {
        let script = world.run(&["completion", shell]).ok();
        let committed = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
        assert!(
            committed == script,
            "completions/{file}: ctl completion {shell} > completions/{file}"
        );
    }
}
