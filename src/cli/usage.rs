//! Reports errors in the command line of a command.

use clap::CommandFactory as _;

use super::args::Cli;
use super::context::Context;
use super::error::CliError;
use super::flags;
use super::help;
use super::suggest;

impl Context {
    /// Returns an error in the command line.
    pub(crate) fn usage(&self, text: impl std::fmt::Display) -> CliError {
        CliError::usage(&self.command(), text)
    }

    /// Prints the help of the command to standard output, as some `config` commands do before an error.
    pub(crate) fn show_help(&self) -> Result<(), CliError> {
        self.ui
            .out(&help::of(&Cli::command(), &self.program, self.path()))
    }

    /// Prints the help and returns an error about unexpected words.
    pub(crate) fn unexpected_after_help(
        &self,
        text: &str,
        words: &[String],
    ) -> Result<CliError, CliError> {
        self.show_help()?;
        Ok(CliError::text(format!("{text}: [{}]", words.join(" "))))
    }

    /// Returns an error about unexpected words or an unknown subcommand.
    pub(crate) fn unexpected(&self, words: &[String]) -> CliError {
        let text = format!("Unexpected args: [{}]", words.join(" "));
        let hint = words.first().and_then(|word| self.subcommand_hint(word));
        self.usage(text).hinted(hint)
    }

    /// Returns a suggestion for a word in the position of a subcommand.
    pub(crate) fn subcommand_hint(&self, word: &str) -> Option<String> {
        // The whole program is needed, because `lean` has dropped the subcommands that a suggestion needs.
        let root = Cli::command();
        let stages = flags::stages(&root, self.path());
        suggest::subcommand(stages[stages.len() - 1], word)
    }
}
