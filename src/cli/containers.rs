//! Commands inside of fake containers, with the terminal of the caller.

use std::time::Duration;

use super::context::Context;
use super::error::CliError;
use super::resource::Info;
use super::ui::Ui;
use crate::cluster::{ClockMode, Cluster, LogTarget};
use crate::kubelet::inside::{self, Failure};
use crate::sys::clock::Stopwatch;
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
            limit: context.request_timeout()?,
            since: Stopwatch::start(),
            failed: None,
        };
        Ok(Self { inside, console })
    }

    /// Runs a command; returns its exit code.
    ///
    /// # Errors
    /// If there is no such program, or the files that it wrote cannot be kept.
    pub(crate) fn run(&mut self, words: &[String]) -> Result<i32, CliError> {
        let code = self.inside.run(words, &mut self.console);
        let code = code.map_err(|failure| match failed(failure) {
            // It comes over the connection to the container, so kubectl does not print it as the server's.
            CliError::Server(status) => CliError::Reworded {
                text: status.message.clone(),
                status,
            },
            other => other,
        })?;
        self.console.failed.take().map_or(Ok(code), Err)
    }

    /// Returns the files at and below a path; `None` if there is nothing.
    pub(crate) fn files(&self, path: &str) -> Option<Vec<(String, Vec<u8>)>> {
        self.inside.files(path)
    }

    /// Writes files below a path, or below `name` in it if the path is that of a directory.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub(crate) fn put(
        &mut self,
        path: &str,
        name: &str,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<(), CliError> {
        self.inside.put(path, name, files).map_err(failed)
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

/// Joins the process of a container, as `run` and `debug` do with the one that they have made; false if it waits for
/// no input, so that its log is complete.
///
/// # Errors
/// If the container does not run, or its files or its end cannot be kept.
pub(crate) fn join(
    cluster: &Cluster,
    pod: &Info,
    container: &str,
    context: &Context,
) -> Result<bool, CliError> {
    let subresources = cluster.subresources();
    let target = subresources.exec_target(&pod.place(), &pod.name, "attach", Some(container))?;
    if !inside::Session::has_shell(&target.pod, container) {
        return Ok(false);
    }
    Session::enter(cluster, target, true, context)?.attach()?;
    Ok(true)
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
    /// How long the output of a container is watched.
    limit: Option<Duration>,
    since: Stopwatch,
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

    fn is_gone(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.since.elapsed() >= limit)
    }

    fn is_interactive(&self) -> bool {
        self.stdin && self.ui.is_terminal()
    }
}
