//! Parses the command line by kubectl's rules, before clap does.
//!
//! Commands are declared with clap. This module parses a command line by the rules of kubectl's own parser (flags
//! anywhere, `--flag=false`, optional values, underscores for dashes), with kubectl's errors, and passes it to clap in
//! one plain form: the command, each flag as `--flag=value`, `--`, and the rest. Must not know: what any command does.

mod find;
mod partial;
mod read;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::ffi::OsString;

use clap::{Arg, Command};

pub(crate) use partial::PartialCommandLine;
pub(crate) use value::{Pairs, Span, StringMap};

use super::error::CliError;
use super::{redact, suggest};

/// A parsed command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The names of the command and its subcommands, without the program's.
    pub(crate) path: Vec<String>,
    /// The command line in the normalized form that clap parses.
    pub(crate) plain: Vec<OsString>,
    /// The arguments that are not flags.
    pub(crate) words: Vec<OsString>,
    /// The number of arguments before `--`, if it is given.
    pub(crate) dash: Option<usize>,
    /// The long names of the flags that were given.
    pub(crate) given: Vec<String>,
    /// Those of the given flags that are the command's own instead of global.
    pub(crate) own: Vec<String>,
    /// The flags with their values in their original order, by long name.
    pub(crate) typed: Vec<(String, Option<String>)>,
    /// All arguments in their original form, without secrets.
    pub(crate) shown: Vec<String>,
    /// True if help is requested.
    pub(crate) help: bool,
    /// Remarks about deprecated flags.
    pub(crate) notes: Vec<String>,
}

impl Line {
    /// Returns the line as kubectl records it: the words, and then each flag by its long name.
    pub(crate) fn recorded(&self, program: &str) -> String {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        let words: Vec<String> = words.map(String::from).collect();
        let command = redact::Command {
            path: &self.path,
            words: &words,
        };
        let mut parts = vec![full_path(program, &self.path)];
        parts.extend(words.iter().cloned());
        for (flag, value) in &self.typed {
            let value: Cow<'_, str> = match (flag.as_str(), value.as_deref()) {
                ("token" | "password", _) => "CLASSIFIED".into(),
                // Variables are not masked here, because kubectl records them and the object contains them, too.
                ("env", Some(value)) => value.into(),
                (flag, Some(value)) => command.flag(flag, value),
                ("dry-run", None) => "unchanged".into(),
                ("validate", None) => "strict".into(),
                ("cascade", None) => "background".into(),
                (_, None) => "true".into(),
            };
            parts.push(format!("--{flag}={value}"));
        }
        parts.join(" ")
    }

    /// Returns a line that prints the program's version.
    pub(crate) fn version(program: &str) -> Self {
        Self {
            plain: vec![program.into(), "--version".into()],
            ..Self::default()
        }
    }
}

/// Parses a command line. `args` lacks the program's name.
pub(crate) fn parse(root: &Command, program: &str, args: &[OsString]) -> Result<Line, CliError> {
    let found = find::command(root, args);
    let stages = stages(root, &found.path);
    let command = stages[stages.len() - 1];
    if found.path.is_empty()
        // An unknown command is reported before its flags, which are unknown, too.
        && let Some(word) = find::words(&stages, &found.rest).first()
    {
        // kubectl then looks for a plugin, which no flag may precede. kubectl does not know `--state`.
        let first = args.first().map(|arg| arg.to_string_lossy());
        let is_theirs = |arg: &Cow<'_, str>| arg.starts_with('-') && !arg.starts_with("--state");
        if let Some(flag) = first.filter(is_theirs) {
            let text = format!("Error: flags cannot be placed before plugin name: {flag}");
            return Err(CliError::Bare(text));
        }
        return Err(CliError::text(suggest::unknown(root, program, word)));
    }
    let mut line = read::flags(&stages, program, &found, args)?;
    line.path = found.path;
    // A missing required flag must not prevent the help.
    if !line.help {
        read::check_profile(&line)?;
        read::check_required(command, &line)?;
        refuse_words(command, program, &line)?;
    }
    Ok(line)
}

/// Returns the names of the command in a command line, as far as it names one.
pub(crate) fn command_path(root: &Command, args: &[OsString]) -> Vec<String> {
    find::command(root, args).path
}

/// Returns the program's command, its subcommand, and so on, down to the one to run.
pub(crate) fn stages<'a>(root: &'a Command, path: &[String]) -> Vec<&'a Command> {
    let mut stages = vec![root];
    for name in path {
        let last = stages[stages.len() - 1];
        stages.extend(last.find_subcommand(name));
    }
    stages
}

/// Returns true if a line names a group of commands but none of its commands.
pub(crate) fn is_group(root: &Command, line: &Line) -> bool {
    let stages = stages(root, &line.path);
    let command = stages[stages.len() - 1];
    // `apply` and `create` have subcommands but also run alone; `rollout` and `config` are only groups.
    let runs = command.get_arguments().any(Arg::is_positional);
    !line.path.is_empty() && command.has_subcommands() && !runs
}

/// Rejects words after a group of commands that takes no arguments.
fn refuse_words(command: &Command, program: &str, line: &Line) -> Result<(), CliError> {
    let takes_words = command.get_arguments().any(Arg::is_positional);
    // kubectl prints the help of this group, whatever follows.
    let is_helpful = line.path == ["certificate"];
    let is_bare = line.path.is_empty();
    if takes_words || line.words.is_empty() || is_helpful || is_bare {
        return Ok(());
    }
    let words: Vec<_> = line.words.iter().map(|w| w.to_string_lossy()).collect();
    let path = full_path(program, &line.path);
    if command.has_subcommands() {
        let text = format!("unknown command {:?}", words.join(" "));
        let hint = suggest::subcommand(command, &words[0]);
        return Err(CliError::usage(&path, text).hinted(hint));
    }
    let text = format!("unknown command {:?} for {path:?}", words[0]);
    Err(CliError::text(text))
}

/// Returns the full name of a command, such as `kubectl rollout undo`.
pub(crate) fn full_path(program: &str, path: &[String]) -> String {
    let words = std::iter::once(program).chain(path.iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}
