//! The command line as kubectl reads it, before clap sees it.
//!
//! Commands are declared with clap; what a user typed is read here by the rules of kubectl's own
//! parser (flags anywhere, `--flag=false`, optional values, underscores for dashes), with its
//! texts where it cannot be read, and handed to clap in one plain form: the command, each flag as
//! `--flag=value`, `--`, the rest. Must not know: what any command does.

mod find;
mod glance;
mod read;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;
use std::ffi::OsString;

use clap::{Arg, Command};

pub(crate) use glance::Glance;
pub(crate) use value::{Pairs, Span, StringMap};

use super::error::CliError;
use super::{redact, suggest};

/// A command line that was understood.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// The names of the command, without the program's.
    pub(crate) path: Vec<String>,
    /// The command line in the normalized form that clap parses.
    pub(crate) plain: Vec<OsString>,
    /// The arguments that are not flags.
    pub(crate) words: Vec<OsString>,
    /// The number of them before `--`, if there was one.
    pub(crate) dash: Option<usize>,
    /// The long names of the flags that were given.
    pub(crate) given: Vec<String>,
    /// Those of them that are the command's own, not the program's.
    pub(crate) own: Vec<String>,
    /// The flags as they were typed, in that order, by their long names.
    pub(crate) typed: Vec<(String, Option<String>)>,
    /// All arguments as they were typed, without their secrets.
    pub(crate) shown: Vec<String>,
    /// Help was asked for.
    pub(crate) help: bool,
    /// Remarks about flags that are no longer wanted.
    pub(crate) notes: Vec<String>,
}

impl Line {
    /// Returns the line as kubectl records it: the words, then each flag by its long name.
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
                // The object holds the variables too, and kubectl records them.
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

    /// Returns the line for the program's version.
    pub(crate) fn version(program: &str) -> Self {
        Self {
            plain: vec![program.into(), "--version".into()],
            ..Self::default()
        }
    }
}

/// Reads a command line, `args` without the program's name.
pub(crate) fn parse(root: &Command, program: &str, args: &[OsString]) -> Result<Line, CliError> {
    let found = find::command(root, args);
    let stages = stages(root, &found.path);
    let command = stages[stages.len() - 1];
    if found.path.is_empty()
        // An unknown command is reported before its flags, which cannot be known.
        && let Some(word) = find::words(&stages, &found.rest).first()
    {
        // kubectl looks for a plugin then, which cannot have flags in front. It does not know `--state`.
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
    // Help must not fail because a required flag is missing.
    if !line.help {
        read::check_required(command, &line)?;
        refuse_words(command, program, &line)?;
    }
    Ok(line)
}

/// Returns the names of the command that a command line calls, as far as it names one.
pub(crate) fn command_path(root: &Command, args: &[OsString]) -> Vec<String> {
    find::command(root, args).path
}

/// Returns the program's command, its subcommand, and so on down to the one to run.
pub(crate) fn stages<'a>(root: &'a Command, path: &[String]) -> Vec<&'a Command> {
    let mut stages = vec![root];
    for name in path {
        let last = stages[stages.len() - 1];
        stages.extend(last.find_subcommand(name));
    }
    stages
}

/// Returns true if a line names only a group of commands and none of them.
pub(crate) fn is_group(root: &Command, line: &Line) -> bool {
    let stages = stages(root, &line.path);
    let command = stages[stages.len() - 1];
    // `apply` and `create` have subcommands and run by themselves; `rollout` and `config` only group.
    let runs = command.get_arguments().any(Arg::is_positional);
    !line.path.is_empty() && command.has_subcommands() && !runs
}

/// Rejects words after a group of commands that takes no arguments of its own.
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

/// `kubectl rollout undo`.
pub(crate) fn full_path(program: &str, path: &[String]) -> String {
    let words = std::iter::once(program).chain(path.iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}
