//! Runs a program with its arguments in the shell, or predicts its outcome.

use crate::arguments::base;
use crate::run::Shell;
use crate::{Machine, Outcome, Program, Terminal, commands, fits, predict};

/// The error for a program that the container does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound(pub String);

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exec: {:?}: executable file not found in $PATH", self.0)
    }
}

impl std::error::Error for NotFound {}

impl Machine {
    /// Returns the first additional program that matches a command.
    pub(crate) fn program(&self, words: &[String]) -> Option<&Program> {
        let line = words.join(" ");
        self.programs
            .iter()
            .find(|program| fits(&program.command, &line))
    }

    /// Runs a program with its arguments and returns the exit code.
    ///
    /// # Errors
    /// Returns an error if the program does not exist.
    pub fn run(&mut self, words: &[String], terminal: &mut dyn Terminal) -> Result<i32, NotFound> {
        let name = words.first().map(String::as_str).unwrap_or_default();
        // Without a shell, the runtime rather than the container reports a missing program.
        let is_known = commands::find(base(name)).is_some() || self.program(words).is_some();
        if !is_known {
            return Err(NotFound(name.to_owned()));
        }
        let mut shell = Shell::new(self, terminal, commands::find);
        let code = shell.program(words);
        let code = shell.exit.unwrap_or(code);
        // A shell handles interrupts itself, so one that is left was meant for the program.
        let code = match shell.terminal.was_interrupted() {
            true => commands::INTERRUPTED,
            false => code,
        };
        // The system keeps eight bits of an exit code.
        Ok(code & 0xff)
    }

    /// Predicts the outcome of a program with its arguments; `None` if it is unknown.
    ///
    /// ```
    /// use ctl_shell::{FileChange, Machine, Outcome};
    ///
    /// let words = ["sh", "-c", "sleep 2; touch /tmp/ready; exit 3"].map(str::to_owned);
    /// let Outcome { code, seconds, files, .. } = Machine::default().predict(&words).unwrap();
    /// assert_eq!((code, seconds), (Some(3), 2.0));
    /// assert_eq!(files, [FileChange { at: 2.0, path: "/tmp/ready".to_owned(), is_there: true }]);
    /// ```
    pub fn predict(&mut self, words: &[String]) -> Option<Outcome> {
        predict::outcome(self, words, commands::find)
    }
}
