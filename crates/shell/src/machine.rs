//! Runs a program with its arguments in the shell.

use crate::arguments::base;
use crate::run::Shell;
use crate::{Machine, Program, Terminal, commands, fits};

/// The name of a program that the container lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound(pub String);

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exec: {:?}: executable file not found in $PATH", self.0)
    }
}

impl std::error::Error for NotFound {}

impl Machine {
    /// Returns the first of the further programs that fits a command.
    pub(crate) fn program(&self, words: &[String]) -> Option<&Program> {
        let line = words.join(" ");
        self.programs
            .iter()
            .find(|program| fits(&program.command, &line))
    }

    /// Runs a program with its arguments; returns its exit code.
    ///
    /// # Errors
    /// If the program does not exist.
    pub fn run(&mut self, words: &[String], terminal: &mut dyn Terminal) -> Result<i32, NotFound> {
        let name = words.first().map(String::as_str).unwrap_or_default();
        // Without a shell, a missing program is an error of the runtime and not of the container.
        let is_known = commands::find(base(name)).is_some() || self.program(words).is_some();
        if !is_known {
            return Err(NotFound(name.to_owned()));
        }
        let mut shell = Shell::new(self, terminal, commands::find);
        let code = shell.program(words);
        let code = shell.exit.unwrap_or(code);
        // A shell has asked already: an interrupt that is left was meant for the program itself.
        let code = match shell.terminal.was_interrupted() {
            true => commands::INTERRUPTED,
            false => code,
        };
        // The system keeps eight bits of an exit code.
        Ok(code & 0xff)
    }
}
