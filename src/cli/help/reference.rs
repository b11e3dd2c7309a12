//! `docs/commands.md`: every command's help, generated. `CTL_UPDATE=1` writes it anew.

use std::path::Path;

use clap::{Command, CommandFactory as _};

use super::of;
use crate::cli::args::Cli;
use crate::cli::output::write_file;

const HEAD: &str = "# Commands\n\nEvery command as `--help` tells it. This page is generated: \
    `CTL_UPDATE=1 cargo test --lib help` writes it anew.\n";

fn sections(root: &Command, command: &Command, path: &[String], out: &mut String) {
    if !path.is_empty() {
        let name = path.join(" ");
        let help = of(root, "ctl", path);
        out.push_str(&format!("\n## ctl {name}\n\n```text\n{help}```\n"));
    }
    let mut below: Vec<&Command> = command
        .get_subcommands()
        .filter(|c| !c.is_hide_set())
        .collect();
    below.sort_by_key(|c| c.get_name());
    for sub in below {
        let path = [path, &[sub.get_name().to_owned()]].concat();
        sections(root, sub, &path, out);
    }
}

#[test]
fn the_reference_of_the_commands_is_current() {
    let root = Cli::command();
    let mut text = HEAD.to_owned();
    sections(&root, &root, &[], &mut text);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    if std::env::var_os("CTL_UPDATE").is_some_and(|v| v == "1") {
        write_file(&file, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == text,
        "docs/commands.md: CTL_UPDATE=1 cargo test --lib help"
    );
}
