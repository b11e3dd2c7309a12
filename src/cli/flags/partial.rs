//! Parses an unfinished command line as far as possible.

use std::ffi::OsString;

use clap::{Arg, Command};

use super::{find, stages};

/// The parsed part of an unfinished command line.
pub(crate) struct PartialCommandLine<'a> {
    /// The program's command, its subcommand, and so on.
    pub(crate) stages: Vec<&'a Command>,
    /// The names of the command and its subcommands, without the program's.
    pub(crate) path: Vec<String>,
    /// The arguments that are not flags.
    pub(crate) words: Vec<String>,
    /// The flags with their values.
    pub(crate) flags: Vec<(&'a Arg, String)>,
    /// The flag whose value comes next.
    pub(crate) pending: Option<&'a Arg>,
    /// True after `--`, which ends the flags.
    pub(crate) only_words: bool,
}

impl<'a> PartialCommandLine<'a> {
    /// Parses the words so far.
    pub(crate) fn at(root: &'a Command, args: &[OsString]) -> Self {
        let found = find::command(root, args);
        let mut command_line = Self {
            stages: stages(root, &found.path),
            path: found.path,
            words: Vec::new(),
            flags: Vec::new(),
            pending: None,
            only_words: false,
        };
        for word in &found.rest {
            command_line.take(&word.to_string_lossy());
        }
        command_line
    }

    /// Finds a flag by its long name.
    pub(crate) fn flag(&self, long: &str) -> Option<&'a Arg> {
        find::by_name(&self.stages, long)
    }

    fn take(&mut self, word: &str) {
        if let Some(flag) = self.pending.take() {
            self.flags.push((flag, word.to_owned()));
        } else if self.only_words || word == "-" || !word.starts_with('-') {
            self.words.push(word.to_owned());
        } else if word == "--" {
            self.only_words = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            // An unknown flag is skipped, because the line may still be edited.
            if let Some(flag) = find::by_name(&self.stages, name) {
                self.set(flag, value);
            }
        } else {
            self.letters(&word[1..]);
        }
    }

    fn letters(&mut self, letters: &str) {
        for (at, letter) in letters.char_indices() {
            let Some(flag) = find::by_short(&self.stages, letter) else {
                return;
            };
            let rest = &letters[at + letter.len_utf8()..];
            if find::is_complete(flag) {
                self.set(flag, None);
                continue;
            }
            // pflag accepts both `-n=blue` and `-nblue`.
            let value = rest.strip_prefix('=').unwrap_or(rest);
            self.set(flag, (!rest.is_empty()).then_some(value));
            return;
        }
    }

    fn set(&mut self, flag: &'a Arg, value: Option<&str>) {
        match value {
            Some(value) => self.flags.push((flag, value.to_owned())),
            None if find::is_complete(flag) => self.flags.push((flag, "true".to_owned())),
            None => self.pending = Some(flag),
        }
    }
}
