//! Commands inside of fake containers, with the terminal of the caller.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use super::ui::Ui;
use crate::cluster::{ClockMode, Cluster, LogTarget};
use crate::kubelet::inside::{self, Failure};
use crate::sys::{bounded, signal};

/// A stay in a container.
pub(crate) struct Session {
    inside: inside::Session,
    console: Console,
}

impl Session {
    /// Enters a container that runs. It gets what the caller types if `stdin` is set.
    ///
    /// # Errors
    /// If it does not run, or an annotation about it cannot be read.
    pub(crate) fn enter(
        cluster: &Cluster,
        target: LogTarget,
        stdin: bool,
        context: &Context,
    ) -> Result<Self, CliError> {
        let inside = inside::Session::enter(cluster, target).map_err(failed)?;
        let console = Console {
            ui: context.ui.clone(),
            stdin,
            waits: cluster.settings().clock == ClockMode::System,
            failed: None,
        };
        Ok(Self { inside, console })
    }

    /// Runs a command; returns its exit code.
    ///
    /// # Errors
    /// If there is no such program, or the files that it wrote cannot be kept.
    pub(crate) fn run(&mut self, words: &[String]) -> Result<i32, CliError> {
        let code = self.inside.run(words, &mut self.console).map_err(failed)?;
        self.console.failed.take().map_or(Ok(code), Err)
    }

    /// Joins the process that the container began with, until it has ended.
    ///
    /// # Errors
    /// If the container's files or its end cannot be kept.
    pub(crate) fn attach(&mut self) -> Result<(), CliError> {
        self.inside.attach(&mut self.console).map_err(failed)?;
        self.console.failed.take().map_or(Ok(()), Err)
    }
}

fn failed(failure: Failure) -> CliError {
    match failure {
        Failure::Text(text) => CliError::text(text),
        Failure::Api(error) => error.into(),
    }
}

/// The streams of the program itself.
struct Console {
    ui: Ui,
    stdin: bool,
    /// True if a sleep takes real time. On a virtual clock it takes none.
    waits: bool,
    failed: Option<CliError>,
}

impl ctl_shell::Terminal for Console {
    fn write(&mut self, stream: ctl_shell::Stream, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        match stream {
            ctl_shell::Stream::Out => {
                // The first error is reported once the command has ended.
                self.failed = self.failed.take().or(self.ui.out(&text).err());
            }
            ctl_shell::Stream::Err => self.ui.note(text.trim_end_matches('\n')),
        }
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        // A command without `-i` has no input, whatever is typed.
        let line = self.stdin.then(bounded::stdin_line)?.ok()?;
        (!line.is_empty()).then(|| line.into_bytes())
    }

    fn sleep(&mut self, time: Duration) -> bool {
        if !self.waits {
            // Nothing happens in a container that waits for ever.
            return time < Duration::MAX;
        }
        signal::sleep(time);
        true
    }

    fn is_interactive(&self) -> bool {
        self.stdin && self.ui.is_terminal()
    }
}
