//! `ctl plugin`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Subcommand};

use super::Outcome;
use crate::cli::args::Cli;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::plugins;

/// Show plugins: programs named ctl-NAME or kubectl-NAME in PATH
///
/// Example: ctl plugin list
#[derive(Args, Debug)]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    command: PluginCommand,
}

#[derive(Debug, Subcommand)]
enum PluginCommand {
    /// List the plugins in PATH
    ///
    /// Example: ctl plugin list --name-only
    List(ListArgs),
}

#[derive(Args, Debug)]
struct ListArgs {
    /// kubectl ignores words.
    #[arg(id = "words", value_name = "WORDS", hide = true)]
    _words: Vec<String>,
    /// Print only the file names of the plugins
    #[arg(long)]
    name_only: bool,
}

pub(crate) fn run(args: &PluginArgs, context: &Context) -> Outcome {
    let PluginCommand::List(args) = &args.command;
    let found = all(context);
    let mut errors = Vec::new();
    if !found.is_empty() {
        let text = "The following compatible plugins are available:\n";
        context.ui.line(text)?;
    }
    // The first plugin of a name in PATH is the one that runs, so later ones are reported as overshadowed.
    let mut seen = HashMap::new();
    let mut warnings = 0;
    for path in &found {
        let file = name(path);
        match args.name_only {
            true => context.ui.line(&file)?,
            false => context.ui.line(path.display())?,
        }
        for text in complaints(path, &mut seen, &context.program) {
            context.ui.note(&format!("  - {text}"));
            warnings += 1;
        }
    }
    if found.is_empty() {
        let program = &context.program;
        errors.push(format!("unable to find any {program} plugins in your PATH"));
    }
    match warnings {
        0 => {}
        1 => errors.push("one plugin warning was found".to_owned()),
        many => errors.push(format!("{many} plugin warnings were found")),
    }
    if errors.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let lines: Vec<String> = errors.iter().map(|e| format!("error: {e}")).collect();
    Err(CliError::Text(lines.join("\n")))
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Returns the plugins of each directory in the order of PATH, sorted within a directory.
fn all(context: &Context) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in plugins::directories() {
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(e) => {
                let (path, why) = (directory.display(), e.kind());
                context.ui.note(&format!(
                    "Unable to read directory \"{path}\" from your PATH: open {path}: {why}. \
                     Skipping..."
                ));
                // PATH often holds directories that do not exist; kubectl reports and skips them.
                continue;
            }
        };
        let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
        let mut here: Vec<PathBuf> = paths
            .filter(|path| !path.is_dir() && plugins::is_plugin(&name(path)))
            .collect();
        // The order of PATH decides which plugin runs; within a directory the file system's order is arbitrary.
        here.sort();
        found.extend(here);
    }
    found
}

/// Returns kubectl's warnings about a plugin: it is not executable, or another command hides it.
fn complaints(path: &Path, seen: &mut HashMap<String, PathBuf>, program: &str) -> Vec<String> {
    let (file, shown) = (name(path), path.display());
    let mut all = Vec::new();
    if !plugins::is_executable(path) {
        all.push(format!(
            "warning: {shown} identified as a {program} plugin, but it is not executable"
        ));
    }
    match seen.get(&file) {
        Some(other) => all.push(format!(
            "warning: {shown} is overshadowed by a similarly named plugin: {}",
            other.display()
        )),
        None => {
            seen.insert(file.clone(), path.to_owned());
        }
    }
    let root = Cli::command();
    // `kubectl-get-pods` implements `get pods`: each dash begins another word.
    let mut words = file.split('-').skip(1);
    let first = words.next().unwrap_or_default();
    if let Some(command) = root.find_subcommand(first) {
        let below = words.next().and_then(|word| command.find_subcommand(word));
        let own = match below {
            Some(below) => format!("{program} {first} {}", below.get_name()),
            None => format!("{program} {first}"),
        };
        all.push(format!(
            "warning: {file} overwrites existing command: {own:?}"
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::testing::Shell;

    #[test]
    fn unusable_plugins_are_reported_with_a_reason() {
        let shell = Shell::empty();
        shell.write("one/kubectl-greet", "#!/bin/sh\n");
        shell.write("two/kubectl-greet", "#!/bin/sh\n");
        shell.write("two/kubectl-create-role-now", "#!/bin/sh\n");
        let mut seen = HashMap::new();
        let mut of = |file: &str| {
            let told = complaints(&shell.path(file), &mut seen, "kubectl");
            let here = shell.path("").display().to_string();
            told.iter()
                .map(|t| t.replace(&here, ""))
                .collect::<Vec<_>>()
        };
        let not =
            "warning: one/kubectl-greet identified as a kubectl plugin, but it is not executable";
        assert_eq!(of("one/kubectl-greet"), [not]);
        assert_eq!(
            of("two/kubectl-greet")[1],
            "warning: two/kubectl-greet is overshadowed by a similarly named plugin: one/kubectl-greet"
        );
        assert_eq!(
            of("two/kubectl-create-role-now")[1],
            "warning: kubectl-create-role-now overwrites existing command: \"kubectl create role\""
        );
    }

    #[test]
    fn plugin_list_fails_without_valid_plugins() {
        let shell = Shell::empty();
        let said = shell.run("plugin list word --name-only");
        // The installed plugins depend on the machine, and the texts depend on them.
        let heading = "The following compatible plugins are available:\n\n";
        let is_listed = said.out.starts_with(heading);
        let is_missing = said
            .err
            .contains("unable to find any kubectl plugins in your PATH");
        assert!(is_listed != is_missing, "{said:?}");
        assert_eq!(said.code == 0, is_listed && said.err.is_empty(), "{said:?}");
        assert_eq!(name(Path::new("/a/kubectl-b")), "kubectl-b");
    }
}
