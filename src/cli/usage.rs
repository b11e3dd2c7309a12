//! Errors in the command line of a command.

use clap::CommandFactory as _;

use super::args::Cli;
use super::context::Context;
use super::error::CliError;
use super::flags;
use super::suggest;

impl Context {
    /// Returns an error in the command line.
    pub(crate) fn usage(&self, text: impl std::fmt::Display) -> CliError {
        CliError::usage(&self.command(), text)
    }

    /// Returns an error about unexpected words, or about a subcommand that does not exist.
    pub(crate) fn unexpected(&self, words: &[String]) -> CliError {
        let text = format!("Unexpected args: [{}]", words.join(" "));
        let hint = words.first().and_then(|word| self.subcommand_hint(word));
        self.usage(text).hinted(hint)
    }

    /// Returns a suggestion for a word in the position of a subcommand.
    pub(crate) fn subcommand_hint(&self, word: &str) -> Option<String> {
        // The whole program: `lean` dropped the subcommands that a suggestion needs.
        let root = Cli::command();
        let stages = flags::stages(&root, self.path());
        suggest::subcommand(stages[stages.len() - 1], word)
    }
}
