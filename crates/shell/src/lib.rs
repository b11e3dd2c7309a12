//! A small shell for fake containers: POSIX syntax, common commands and a file tree in memory.
//!
//! Starts no processes: every command is a function that works on the files of a [`Machine`]. Must not know: Pods,
//! clusters, or where input comes from and output goes.

mod archive;
mod arguments;
mod arithmetic;
mod commands;
mod compound;
mod control;
mod expand;
mod file_commands;
mod files;
mod machine;
mod pattern;
mod predict;
mod run;
mod syntax;
#[cfg(test)]
mod tests;
mod texts;
mod tty;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

pub use expand::fits;
pub use files::{Files, absolute};
pub use machine::NotFound;
pub use predict::{FileChange, Outcome};
pub use tty::{Tty, Typed, shown};

/// The state shared by the commands of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machine {
    /// The host name.
    pub hostname: String,
    /// The environment variables.
    pub variables: BTreeMap<String, String>,
    /// True if there may be other variables, whose values are not known. A prediction that needs one has no outcome.
    pub has_unknown_variables: bool,
    /// The files.
    pub files: Files,
    /// The working directory; `/` if it is empty.
    pub directory: String,
    /// The user ID; 0 is root.
    pub user: i64,
    /// The current time.
    pub now: Timestamp,
    /// Additional programs. The first one that matches a command runs, even in place of a command of the shell.
    pub programs: Vec<Program>,
}

/// A program with a fixed output.
///
/// ```
/// use ctl_shell::{Captured, Machine, Program};
///
/// let ping = Program {
///     command: "redis-cli ping".to_owned(),
///     output: "PONG\n".to_owned(),
///     ..Program::default()
/// };
/// let mut machine = Machine { programs: vec![ping], ..Machine::default() };
/// let mut terminal = Captured::default();
/// let words = ["sh", "-c", "redis-cli ping && echo ready"].map(str::to_owned);
/// assert_eq!(machine.run(&words, &mut terminal)?, 0);
/// assert_eq!(terminal.out, b"PONG\nready\n");
/// # Ok::<(), ctl_shell::NotFound>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The command line that it matches; `*` matches any text.
    pub command: String,
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub error: String,
    /// The exit code.
    pub exit_code: i32,
    /// The time to wait before the output.
    pub delay: Duration,
}

/// An output stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// The external streams of a command, and its clock.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_shell::{Machine, Stream, Terminal};
///
/// /// Records standard output, and does not wait.
/// #[derive(Default)]
/// struct Recorder(Vec<u8>);
///
/// impl Terminal for Recorder {
///     fn write(&mut self, stream: Stream, bytes: &[u8]) {
///         if stream == Stream::Out {
///             self.0.extend_from_slice(bytes);
///         }
///     }
///
///     fn read(&mut self) -> Option<Vec<u8>> {
///         None
///     }
///
///     fn sleep(&mut self, _: Duration) -> bool {
///         true
///     }
/// }
///
/// let mut terminal = Recorder::default();
/// let words = ["sh", "-c", "sleep 60; echo done"].map(str::to_owned);
/// assert_eq!(Machine::default().run(&words, &mut terminal)?, 0);
/// assert_eq!(terminal.0, b"done\n");
/// # Ok::<(), ctl_shell::NotFound>(())
/// ```
pub trait Terminal {
    /// Receives output.
    fn write(&mut self, stream: Stream, bytes: &[u8]);
    /// Returns the next piece of input, or `None` at its end.
    fn read(&mut self) -> Option<Vec<u8>>;
    /// Waits for this long. Returns false if the command must end.
    fn sleep(&mut self, time: Duration) -> bool;
    /// Returns true if the input is interactive.
    fn is_interactive(&self) -> bool {
        false
    }
    /// Returns true if no client reads the output any longer.
    fn is_gone(&self) -> bool {
        false
    }
    /// Returns true if the user has interrupted the command since the last call.
    fn was_interrupted(&mut self) -> bool {
        false
    }
    /// Returns the columns and rows of the screen, if there is one.
    fn size(&self) -> Option<(u16, u16)> {
        None
    }
}

/// A terminal in memory, which never waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The input that has not been read yet.
    pub input: Vec<u8>,
    /// The standard output so far.
    pub out: Vec<u8>,
    /// The standard error so far.
    pub err: Vec<u8>,
    /// The total time for which the command has slept.
    pub slept: Duration,
}

impl Terminal for Captured {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.out.extend_from_slice(bytes),
            Stream::Err => self.err.extend_from_slice(bytes),
        }
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        let input = std::mem::take(&mut self.input);
        (!input.is_empty()).then_some(input)
    }

    fn sleep(&mut self, time: Duration) -> bool {
        self.slept = self.slept.saturating_add(time);
        true
    }
}

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
