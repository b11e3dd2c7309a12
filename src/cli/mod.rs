//! Parse, call, print. The only module that reads arguments and the environment, or prints.
//!
//! One command is one file under `commands/`: its arguments (whose doc comment is the help text)
//! and `run`. Must not know: the store, paths of object files.

mod args;
mod commands;
mod context;
mod error;
mod kustomize;
mod manifest;
mod output;
mod resources;
mod state_dir;
mod ui;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::Cli;
use context::Context;
use ui::Ui;

/// Runs the program with `args` and answers its exit code.
pub fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.collect();
    let program = program_name(&args);
    let ui = Ui::new();
    let command = Cli::command().bin_name(program.clone());
    let parsed = command
        .try_get_matches_from(&args)
        .and_then(|m| Cli::from_arg_matches(&m));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(e) => return ui.usage(&e),
    };
    let line = command_line(&program, &args);
    let context = Context::new(cli.global, line, ui);
    match commands::run(cli.command, &context) {
        Ok(code) => code,
        Err(e) => context.ui.fail(&e),
    }
}

/// What the program was started as: `kubectl` where it is linked under that name.
fn program_name(args: &[OsString]) -> String {
    let name = args.first().map(Path::new).and_then(Path::file_stem);
    name.map_or_else(|| "ctl".to_owned(), |n| n.to_string_lossy().into_owned())
}

/// The command line as people would type it, for the history.
fn command_line(program: &str, args: &[OsString]) -> String {
    let rest = args.iter().skip(1).map(|a| a.to_string_lossy());
    let words: Vec<String> = std::iter::once(program.into())
        .chain(rest)
        .map(quoted)
        .collect();
    words.join(" ").chars().take(1000).collect()
}

fn quoted(word: std::borrow::Cow<'_, str>) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+~".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_read_as_typed() {
        let args = ["/usr/bin/ctl", "get", "a b", "x=1", ""].map(OsString::from);
        assert_eq!(program_name(&args), "ctl");
        assert_eq!(command_line("ctl", &args), "ctl get 'a b' x=1 ''");
    }

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }
}
