//! Runs commands in fake containers, on the terminal of the caller.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::time::Duration;

use ctl_shell::{Tty, Typed};

use super::context::Context;
use super::error::{self, CliError};
use super::resource::Info;
use super::ui::Ui;
use crate::api::json::json;
use crate::api::status::Status;
use crate::cluster::{ClockMode, Cluster, LogTarget, Place, WriteOptions};
use crate::kinds::tree::{flag, text, texts};
use crate::kubelet::exec::{self, Failure};
use crate::sys::clock::Stopwatch;
use crate::sys::keys::Keys;
use crate::sys::{bounded, signal};

/// The interval at which a sleeping command checks for keys.
const LOOK: Duration = Duration::from_millis(50);

/// The streams that are connected to a command.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Streams {
    /// True if the command reads the caller's input.
    pub(crate) stdin: bool,
    /// True if the command gets a terminal with its keys: Ctrl-C then ends the command instead of this program.
    pub(crate) tty: bool,
}

/// A session in a container.
pub(crate) struct Session {
    session: exec::Session,
    console: Console,
}

impl Session {
    /// Enters a running container.
    ///
    /// # Errors
    /// If it does not run, or an annotation about it cannot be read.
    pub(crate) fn enter(
        cluster: &Cluster,
        target: LogTarget,
        streams: Streams,
        context: &Context,
    ) -> Result<Self, CliError> {
        // The server has accepted the connection by then, so it reports an error of the node as its own.
        let entered = exec::Session::enter(cluster, target);
        let session = entered.map_err(|e| failed(e).with_context("Internal error occurred: "))?;
        let console = Console {
            ui: context.ui.clone(),
            stdin: streams.stdin,
            person: Person::at(streams, context)?,
            waits: cluster.settings().clock == ClockMode::System,
            limit: context.request_timeout()?,
            since: Stopwatch::start(),
            failed: None,
        };
        Ok(Self { session, console })
    }

    /// Returns true if the command gets the keys of the terminal.
    pub(crate) fn has_keys(&self) -> bool {
        self.console.person.is_some()
    }

    /// Runs a command. Returns its exit code.
    ///
    /// # Errors
    /// If there is no such program, or the files that it wrote cannot be kept.
    pub(crate) fn run(&mut self, words: &[String]) -> Result<i32, CliError> {
        let code = self.session.run(words, &mut self.console);
        let code = code.map_err(|failure| match failed(failure) {
            // The error comes over the connection to the container, so kubectl does not print it as the server's.
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
        self.session.files(path)
    }

    /// Writes files below a path, or below `name` in that path if it is a directory.
    ///
    /// # Errors
    /// If they cannot be kept.
    pub(crate) fn put(
        &mut self,
        path: &str,
        name: &str,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<(), CliError> {
        self.session.put(path, name, files).map_err(failed)
    }

    /// Attaches to the first process of the container until that process ends.
    ///
    /// # Errors
    /// If the container's files or its end cannot be kept.
    pub(crate) fn attach(&mut self) -> Result<(), CliError> {
        self.session.attach(&mut self.console).map_err(failed)?;
        self.console.failed.take().map_or(Ok(()), Err)
    }
}

/// Requests a connection to a container. kubectl reports every rejection as a failed upgrade.
pub(crate) fn target(
    cluster: &Cluster,
    place: &Place,
    pod: &str,
    connect: Connect<'_>,
) -> Result<Admitted, CliError> {
    let Connect {
        streams,
        words,
        container,
    } = connect;
    let (subresource, kind) = match words {
        Some(_) => ("exec", "PodExecOptions"),
        None => ("attach", "PodAttachOptions"),
    };
    let mut options = json!({"kind": kind, "apiVersion": "v1", "container": container,
        "stdout": true});
    let flags = [
        ("stdin", streams.stdin),
        ("tty", streams.tty),
        // A terminal has only one output stream.
        ("stderr", !streams.tty),
    ];
    for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
        options[*name] = json!(true);
    }
    if let Some(words) = words {
        options["command"] = json!(words);
    }
    let subresources = cluster.subresources();
    let write = WriteOptions::default();
    let admitted = subresources.connect(place, pod, subresource, &options, &write);
    let admitted = admitted.and_then(|options| {
        let container = Some(text(&options, "container")).filter(|name| !name.is_empty());
        Ok(Admitted {
            target: subresources.exec_target(place, pod, subresource, container)?,
            words: texts(&options, "command").map(str::to_owned).collect(),
            streams: Streams {
                stdin: flag(&options, "stdin"),
                tty: flag(&options, "tty"),
            },
        })
    });
    admitted.map_err(|e| CliError::from(e).reworded(not_upgraded))
}

/// A connection that admission has accepted and may have changed.
pub(crate) struct Admitted {
    pub(crate) target: LogTarget,
    /// The command; empty to attach.
    pub(crate) words: Vec<String>,
    pub(crate) streams: Streams,
}

/// The options of a connection to a container.
#[derive(Clone, Copy)]
pub(crate) struct Connect<'a> {
    pub(crate) streams: Streams,
    /// The command; `None` to attach.
    pub(crate) words: Option<&'a [String]>,
    pub(crate) container: &'a str,
}

/// Returns kubectl's text about a rejected connection to a container.
pub(crate) fn not_upgraded(status: &Status) -> String {
    format!("unable to upgrade connection: {}", status.message)
}

/// Attaches to the process of a container that `run` or `debug` has created. Returns false if it does not wait for
/// input, so that its log is complete.
///
/// # Errors
/// If the container does not run, or its files or its end cannot be kept.
pub(crate) fn join(
    cluster: &Cluster,
    pod: &Info,
    container: &str,
    tty: bool,
    context: &Context,
) -> Result<bool, CliError> {
    let streams = Streams { stdin: true, tty };
    let connect = Connect {
        streams,
        words: None,
        container,
    };
    let Admitted {
        target, streams, ..
    } = target(cluster, &pod.place(), &pod.name, connect)?;
    if !exec::Session::has_shell(&target.pod, &target.container) {
        return Ok(false);
    }
    Session::enter(cluster, target, streams, context)?.attach()?;
    Ok(true)
}

fn failed(failure: Failure) -> CliError {
    match failure {
        Failure::Text(text) => CliError::text(text),
        Failure::Api(error) => error.into(),
    }
}

/// The user at the terminal.
struct Person {
    keys: Keys,
    tty: Tty,
    /// The lines that no command has read yet; an empty one is the end of the input.
    lines: VecDeque<Vec<u8>>,
    interrupted: bool,
    gone: bool,
}

impl Person {
    /// Takes over the keys of the terminal, if a command needs them and there is a terminal.
    fn at(streams: Streams, context: &Context) -> Result<Option<Self>, CliError> {
        if !(streams.stdin && streams.tty) {
            return Ok(None);
        }
        // The user would not see what they type if, for example, the output goes to a file.
        if !context.ui.is_terminal() && io::stdin().is_terminal() {
            return Ok(None);
        }
        let Ok(keys) = Keys::take() else {
            // Input from a pipe is not interactive. This is kubectl's text.
            context
                .ui
                .note("Unable to use a TTY - input is not a terminal or the right kind of file");
            return Ok(None);
        };
        let before = keys.modes();
        signal::exit_after(error::FAILURE.into(), move || before.restore())?;
        Ok(Some(Self {
            keys,
            tty: Tty::default(),
            lines: VecDeque::new(),
            interrupted: false,
            gone: false,
        }))
    }

    /// Reads and echoes the keys that are pressed within a time.
    fn listen(&mut self, time: Duration, ui: &Ui) -> Result<(), CliError> {
        let Some(keys) = self.keys.read(time)? else {
            return Ok(());
        };
        if keys.is_empty() {
            self.gone = true;
        }
        let mut echo = Vec::new();
        for typed in self.tty.press(&keys, &mut echo) {
            match typed {
                Typed::Line(line) => self.lines.push_back(line),
                Typed::End => self.lines.push_back(Vec::new()),
                Typed::Interrupt => {
                    self.interrupted = true;
                    // Keys that were pressed before the interrupt are dropped.
                    self.lines.clear();
                }
            }
        }
        // The terminal adds the carriage returns itself.
        ui.out_painted(&String::from_utf8_lossy(&echo).replace("\r\n", "\n"))
    }

    /// Waits for the next line. Returns none at the end of the input and after an interrupt.
    fn line(&mut self, ui: &Ui) -> Result<Option<Vec<u8>>, CliError> {
        loop {
            // Lines after an interrupt belong to the next reader, so the interrupt is checked first.
            if self.interrupted {
                return Ok(None);
            }
            if let Some(line) = self.lines.pop_front() {
                return Ok((!line.is_empty()).then_some(line));
            }
            if self.gone {
                return Ok(None);
            }
            self.listen(Duration::MAX, ui)?;
        }
    }

    /// Lets time pass. Returns false if the command must end.
    fn sleep(&mut self, time: Duration, ui: &Ui) -> Result<bool, CliError> {
        let since = Stopwatch::start();
        while since.elapsed() < time && !self.interrupted && !self.gone {
            let left = time.saturating_sub(since.elapsed());
            self.listen(left.min(LOOK), ui)?;
        }
        Ok(!self.interrupted && !self.gone)
    }
}

/// The streams of this process.
struct Console {
    ui: Ui,
    stdin: bool,
    /// The user whose keys the command gets, if any.
    person: Option<Person>,
    /// True if a sleep takes real time. On a virtual clock it takes none.
    waits: bool,
    /// The time limit on waiting for output of a container.
    limit: Option<Duration>,
    since: Stopwatch,
    failed: Option<CliError>,
}

impl Console {
    /// Keeps the first error, which is reported after the command has ended.
    fn noting<T>(&mut self, done: Result<T, CliError>) -> Option<T> {
        match done {
            Ok(done) => Some(done),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }
}

impl ctl_shell::Terminal for Console {
    fn write(&mut self, stream: ctl_shell::Stream, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        match stream {
            ctl_shell::Stream::Out => {
                let done = self.ui.out(&text);
                self.noting(done);
            }
            ctl_shell::Stream::Err => self.ui.note(text.trim_end_matches('\n')),
        }
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        if let Some(person) = &mut self.person {
            let line = person.line(&self.ui);
            return self.noting(line).flatten();
        }
        // Without `-i` a command has no input, whatever the user types.
        let line = self.stdin.then(bounded::stdin_line)?.ok()?;
        (!line.is_empty()).then(|| line.into_bytes())
    }

    fn sleep(&mut self, time: Duration) -> bool {
        if !self.waits {
            // Nothing ever happens in a container that waits forever, so the command ends.
            return time < Duration::MAX;
        }
        if let Some(person) = &mut self.person {
            let done = person.sleep(time, &self.ui);
            return self.noting(done).unwrap_or(false);
        }
        signal::sleep(time);
        true
    }

    fn is_gone(&self) -> bool {
        let gone = self.person.as_ref().is_some_and(|person| person.gone);
        gone || self
            .limit
            .is_some_and(|limit| self.since.elapsed() >= limit)
    }

    fn was_interrupted(&mut self) -> bool {
        let person = self.person.as_mut();
        person.is_some_and(|person| std::mem::take(&mut person.interrupted))
    }

    fn is_interactive(&self) -> bool {
        self.stdin && self.ui.is_terminal()
    }

    fn size(&self) -> Option<(u16, u16)> {
        self.person.as_ref()?.keys.size()
    }
}
