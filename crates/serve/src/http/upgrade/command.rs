//! Commands in containers: connects a client's streams to the terminal of a command.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use std::time::Duration;

use ctl_shell::{Stream, Terminal, Tty, Typed, shown};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::pump::{self, Link, Message, Taker};
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{ApiError, ClockMode};
use crate::connect::{Connection, Streams};
use crate::http::shared::Shared;
use crate::sys::clock::Stopwatch;
use crate::wire::{Codec, Event, PIECE};
use crate::{Body, Response};

/// The maximum amount of input that waits for the command, in bytes.
const MOST_INPUT: usize = 256 * 1024;

/// The maximum size of a client's resize message, in bytes.
const MOST_SIZE: usize = 256;

/// How often the stop flag is checked.
const LOOK: Duration = Duration::from_millis(200);

/// The time limit for a client to open its streams, as in the kubelet.
const OPENING: Duration = Duration::from_secs(30);

/// The maximum number of messages that wait for the client.
const QUEUE: usize = 4;

/// A stream of a command; the order is that of the channel numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Stdin,
    Stdout,
    Stderr,
    Error,
    Resize,
}

const ROLES: [(&str, Role); 5] = [
    ("stdin", Role::Stdin),
    ("stdout", Role::Stdout),
    ("stderr", Role::Stderr),
    ("error", Role::Error),
    ("resize", Role::Resize),
];

/// The client's input that the command has not consumed yet.
#[derive(Debug, Default)]
struct State {
    /// The numbers of the open streams.
    streams: BTreeMap<Role, u32>,
    /// Pieces of input; an empty one marks the end.
    input: VecDeque<Vec<u8>>,
    held: usize,
    /// Turns the keys of a terminal into lines.
    tty: Option<Tty>,
    resize: Vec<u8>,
    size: Option<(u16, u16)>,
    has_ended: bool,
    interrupted: bool,
    gone: bool,
    /// Wakes the reader of the connection, if it waits for room.
    reader: Option<Waker>,
}

#[derive(Debug, Default)]
struct Inbox {
    state: Mutex<State>,
    changed: Condvar,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a condition, up to a time limit. Returns true if it holds.
    fn wait(&self, time: Duration, holds: impl Fn(&State) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), time, |state| !holds(state));
        holds(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

impl State {
    fn role(&self, stream: u32) -> Option<Role> {
        let mut all = self.streams.iter();
        all.find(|(_, own)| **own == stream).map(|(role, _)| *role)
    }

    fn put(&mut self, piece: Vec<u8>) {
        // Counted until the command consumes it, because a client may type ahead only so far.
        self.held += piece.len();
        self.input.push_back(piece);
    }

    fn end(&mut self) {
        self.has_ended = true;
    }

    /// Processes keys and appends a terminal's echo.
    fn press(&mut self, keys: &[u8], echo: &mut Vec<u8>) {
        // Without a terminal, no byte has a special meaning.
        let Some(tty) = &mut self.tty else {
            return self.put(keys.to_vec());
        };
        for typed in tty.press(keys, echo) {
            match typed {
                Typed::Line(line) => self.put(line),
                // The input may end in the middle: what follows is for the next reader.
                Typed::End => self.input.push_back(Vec::new()),
                Typed::Interrupt => {
                    self.interrupted = true;
                    // An interrupt discards earlier input.
                    (self.held, self.input) = (0, VecDeque::new());
                }
            }
        }
    }

    /// Processes a piece of a resize message, an object with `Width` and `Height`.
    fn resize(&mut self, piece: &[u8]) {
        self.resize.extend_from_slice(piece);
        let size = serde_json::from_slice::<Value>(&self.resize).ok();
        // Unknown fields and a screen without a size are possible.
        let number = |name| {
            let number = size.as_ref()?[name].as_u64()?;
            u16::try_from(number).ok()
        };
        if let (Some(columns), Some(rows)) = (number("Width"), number("Height")) {
            self.size = Some((columns, rows));
        }
        // Keeps an incomplete object until the rest arrives.
        if size.is_some() || self.resize.len() > MOST_SIZE {
            self.resize.clear();
        }
    }
}

impl Taker for Arc<Inbox> {
    fn take(&mut self, event: Event, codec: &mut Codec) {
        let mut state = self.lock();
        match event {
            Event::Open { stream, headers } => {
                // Only this header identifies the streams: their numbers depend on the order in which they are opened.
                let kind = headers.iter().find(|(name, _)| name == "streamtype");
                let kind = kind.map_or("", |(_, value)| value.as_str());
                if let Some((_, role)) = ROLES.iter().find(|(name, _)| *name == kind) {
                    state.streams.insert(*role, stream);
                }
            }
            Event::Data { stream, bytes } => match state.role(stream) {
                Some(Role::Stdin) => {
                    let mut echo = Vec::new();
                    state.press(&bytes, &mut echo);
                    if let Some(out) = state
                        .streams
                        .get(&Role::Stdout)
                        .filter(|_| !echo.is_empty())
                    {
                        codec.write(*out, &echo, false);
                    }
                }
                Some(Role::Resize) => state.resize(&bytes),
                // Clients send nothing on the other streams.
                _ => {}
            },
            Event::End { stream } | Event::Reset { stream } => {
                if state.role(stream) == Some(Role::Stdin) {
                    state.end();
                }
            }
            Event::Over => state.gone = true,
        }
        // The command may be waiting for input, for its end, or for the streams to open.
        self.changed.notify_all();
    }

    fn is_full(&self, cx: &Context<'_>) -> bool {
        // Until there is room, the connection is not read, which slows the client down.
        let mut state = self.lock();
        if state.held < MOST_INPUT {
            return false;
        }
        state.reader = Some(cx.waker().clone());
        true
    }
}

/// The terminal of a command whose client is remote.
struct Remote {
    inbox: Arc<Inbox>,
    to: mpsc::Sender<Message>,
    shared: Arc<Shared>,
    streams: Streams,
    /// True if sleeping takes real time. On a virtual clock, it takes none.
    waits: bool,
}

impl Remote {
    /// Sends bytes, and waits if the client reads slowly.
    fn send(&self, role: Role, bytes: &[u8], ends: bool) {
        // A stream that the client did not request has no number.
        let Some(stream) = self.inbox.lock().streams.get(&role).copied() else {
            return;
        };
        let message = |bytes: &[u8], ends| Message {
            stream,
            bytes: bytes.to_vec(),
            ends,
        };
        // A client that has gone receives nothing; the command notices that elsewhere.
        for piece in bytes.chunks(PIECE) {
            if self.to.blocking_send(message(piece, false)).is_err() {
                return;
            }
        }
        if ends || bytes.is_empty() {
            let _ = self.to.blocking_send(message(&[], ends));
        }
    }

    fn is_stopping(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }
}

impl Terminal for Remote {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        // A terminal has a single output stream, whose lines start in the first column.
        match (stream, self.streams.tty) {
            (_, true) => self.send(Role::Stdout, &shown(bytes), false),
            (Stream::Out, false) => self.send(Role::Stdout, bytes, false),
            (Stream::Err, false) => self.send(Role::Stderr, bytes, false),
        }
    }

    fn read(&mut self) -> Option<Vec<u8>> {
        // Without `-i`, a command has no input, even if the client sends some.
        if !self.streams.stdin {
            return None;
        }
        loop {
            let is_there = self.inbox.wait(LOOK, |state| {
                !state.input.is_empty() || state.has_ended || state.gone || state.interrupted
            });
            let mut state = self.inbox.lock();
            // Input after an interrupt is for the next reader. This one first checks for an interrupt.
            if state.interrupted {
                return None;
            }
            if let Some(piece) = state.input.pop_front() {
                state.held -= piece.len();
                // The connection may have been waiting for this room.
                if let Some(reader) = state.reader.take() {
                    reader.wake();
                }
                return (!piece.is_empty()).then_some(piece);
            }
            if is_there || self.is_stopping() {
                return None;
            }
        }
    }

    fn sleep(&mut self, time: Duration) -> bool {
        // On a virtual clock, a finite sleep returns at once; only an endless one waits for the client.
        if !self.waits && time < Duration::MAX {
            return !self.is_gone();
        }
        let since = Stopwatch::start();
        while since.elapsed() < time {
            // Waits in short steps, because the server may stop in the meantime.
            let left = time.saturating_sub(since.elapsed()).min(LOOK);
            let ends = |state: &State| state.gone || state.interrupted;
            if self.inbox.wait(left, ends) || self.is_stopping() {
                return false;
            }
        }
        true
    }

    fn is_interactive(&self) -> bool {
        self.streams.tty && self.streams.stdin
    }

    fn is_gone(&self) -> bool {
        self.inbox.lock().gone || self.is_stopping()
    }

    fn was_interrupted(&mut self) -> bool {
        std::mem::take(&mut self.inbox.lock().interrupted)
    }

    fn size(&self) -> Option<(u16, u16)> {
        let size = self.inbox.lock().size;
        // The traditional size, for a terminal that has not sent its own.
        size.or(self.streams.tty.then_some((80, 24)))
    }
}

/// Runs a command, or attaches to the main process of the container, on this thread.
pub(super) fn run(
    connection: &Connection<'_>,
    words: Option<&[String]>,
    streams: Streams,
    link: Link,
    runtime: &Handle,
) {
    let inbox = Arc::new(Inbox::default());
    let has_streams = Codec::new(link.protocol).has_streams();
    {
        let mut state = inbox.lock();
        state.tty = streams.tty.then(Tty::default);
        if !has_streams {
            // Channels have fixed numbers and are open from the start.
            state.streams = (0..)
                .zip(ROLES)
                .map(|(number, (_, role))| (role, number))
                .collect();
        }
    }
    // The queue is short, so that a slow client blocks its command rather than using the server's memory.
    let (to, from) = mpsc::channel(QUEUE);
    let mut remote = Remote {
        inbox: Arc::clone(&inbox),
        to,
        shared: Arc::clone(&link.shared),
        streams,
        waits: connection.cluster.settings().clock == ClockMode::System,
    };
    runtime.spawn(pump::run(link, from, Arc::clone(&inbox)));
    if has_streams {
        let wanted = wanted(streams);
        let open = |state: &State| wanted.iter().all(|role| state.streams.contains_key(role));
        // As in the kubelet, the connection is closed if the client does not open its streams.
        if !inbox.wait(OPENING, |state| open(state) || state.gone) {
            return;
        }
    } else {
        // Announces the connection, as the API server does.
        let lowest = match (streams.stdout, streams.stderr) {
            (true, _) => Role::Stdout,
            (false, true) => Role::Stderr,
            _ => Role::Error,
        };
        remote.send(lowest, &[], false);
    }
    let (nodes, cluster, target) = (connection.nodes, connection.cluster, &connection.target);
    let outcome = match words {
        Some(words) => nodes.exec(cluster, target, words, &mut remote),
        None => nodes.attach(cluster, target, &mut remote).map(|()| 0),
    };
    let shown = words.unwrap_or_default().join(" ");
    // Sent last, because clients close the connection after the status.
    let status = verdict(outcome, &shown).to_string();
    // A reader waits for the end of each stream, and then for the status.
    if has_streams {
        for role in [Role::Stdout, Role::Stderr] {
            remote.send(role, &[], true);
        }
    }
    remote.send(Role::Error, status.as_bytes(), has_streams);
}

/// Returns the streams that a client must open one by one.
fn wanted(streams: Streams) -> Vec<Role> {
    let all = [
        (streams.stdin, Role::Stdin),
        (streams.stdout, Role::Stdout),
        (streams.stderr, Role::Stderr),
        (true, Role::Error),
    ];
    all.into_iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, role)| role)
        .collect()
}

/// Returns the status that is sent on the error channel when a command ends.
fn verdict(outcome: Result<i32, ApiError>, words: &str) -> Value {
    match outcome {
        Ok(0) => json!({"metadata": {}, "status": "Success"}),
        Ok(code) => json!({
            "metadata": {}, "status": "Failure",
            "message": format!(
                "command terminated with non-zero exit code: error executing command [{words}], exit code {code}"
            ),
            "reason": "NonZeroExitCode",
            "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]},
        }),
        Err(error) => match Response::from(error).body {
            Body::Object(status) => status,
            Body::Text(text) => Status::internal(text).to_value(),
            Body::Encoded(_) => Status::internal("no status").to_value(),
        },
    }
}
