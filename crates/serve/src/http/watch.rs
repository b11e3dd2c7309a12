//! Streams a response over a connection: sends events as they happen, as long as the client reads them. A watch is a
//! task that sleeps until its resource changes; other streams wait on a thread.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{SemaphorePermit, watch};
use tokio::task::spawn_blocking;

use super::hub::Woken;
use super::pipe::Sender;
use super::shared::Shared;
use crate::budget::{Full, Queue};
use crate::sys::net::pause;
use crate::{Flow, Stream};

/// How often to check for a client that does not read; also the interval at which threads wake up.
const LOOK: Duration = Duration::from_millis(500);

/// The number of bytes to send at once.
const PIECE: usize = 16 * 1024;

/// New data of a stream, with the permit to read more than is in memory.
type Part<'s> = (Vec<u8>, Option<SemaphorePermit<'s>>);

/// The source of a streaming response.
pub(super) trait Source {
    /// Returns the bytes of all changes since the last call, without waiting; `None` at the end.
    async fn read<'s>(&mut self, shared: &'s Shared) -> Option<Part<'s>>;

    /// Waits until there may be new data, the client has gone or the server stops. Returns false at the end.
    async fn wait(&mut self, out: &Sender) -> bool;

    /// Returns true if the data consists of binary frames.
    fn is_binary(&self) -> bool;

    /// Returns the final text for a client that does not read.
    fn left_behind(&self) -> Vec<u8>;
}

/// How a stream ends.
#[derive(Debug)]
pub(super) enum End {
    /// On its own.
    Whole,
    /// With a final text, because the client did not read.
    Behind(Vec<u8>),
}

impl End {
    /// Ends the response.
    pub(super) fn finish(self, out: Sender) {
        match self {
            Self::Whole => out.finish(),
            Self::Behind(text) => out.finish_with(&text),
        }
    }
}

/// Streams until the source ends, the client has gone or does not read, or the server stops.
pub(super) async fn run(out: &Sender, path: &str, mut source: impl Source, shared: &Shared) -> End {
    // Memory is reserved for every event before it is sent, so that a client that does not read cannot make the
    // process grow.
    let mut queue = shared.budget.queue();
    while !shared.stop.load(Ordering::Relaxed) && !out.is_gone() {
        let Some((lines, turn)) = source.read(shared).await else {
            break;
        };
        // Waits only once everything has been read, because many changes are read in parts.
        if lines.is_empty() {
            drop(turn);
            if !source.wait(out).await {
                break;
            }
            continue;
        }
        let (held, outcome) = hold(queue, lines.len()).await;
        queue = held;
        drop(turn);
        if outcome.is_err()
            || !send_events(out, &lines, source.is_binary(), &mut queue, shared).await
        {
            shared.note(format_args!(
                "watch {path}: closed because the client read too slowly"
            ));
            // The memory is freed before the final text is sent.
            return End::Behind(source.left_behind());
        }
    }
    End::Whole
}

/// Reserves memory for data. If a slower watch must be evicted first, waits for that on another thread.
async fn hold(mut queue: Queue, bytes: usize) -> (Queue, Result<(), Full>) {
    // Memory is nearly always available, and a thread per event would cost more than the event.
    if queue.hold_at_once(bytes).is_ok() {
        return (queue, Ok(()));
    }
    // A panic on the other thread would take the queue with it.
    let empty = queue.another();
    let waited = spawn_blocking(move || {
        let held = queue.hold(bytes);
        (queue, held)
    });
    waited.await.unwrap_or((empty, Err(Full)))
}

/// Sends events piece by piece as the client reads them. Returns false if the client is too slow.
async fn send_events(
    out: &Sender,
    lines: &[u8],
    is_binary: bool,
    queue: &mut Queue,
    shared: &Shared,
) -> bool {
    let mut left = lines;
    let mut looks = 0;
    while !left.is_empty() && !out.is_gone() {
        // A writer that needs the memory has evicted the queue, or it was not read for too long.
        if queue.has_to_go() || looks * LOOK >= shared.limits.unread {
            return false;
        }
        if !out.is_free(LOOK).await {
            looks += 1;
            // Counts checks rather than time, so that time in which data moved does not count.
            continue;
        }
        let piece = &left[..left.len().min(PIECE)];
        // A piece ends with an event, so that a final text can follow it.
        let end = memchr::memrchr(b'\n', piece).filter(|_| !is_binary);
        let end = end.map_or(piece.len(), |at| at + 1);
        // In a binary watch, only the last piece ends with an event.
        let clean = end == left.len() || !is_binary && left[end - 1] == b'\n';
        out.send(left[..end].to_vec(), clean);
        left = &left[end..];
        queue.was_read(left.len());
        looks = 0;
    }
    true
}

/// A watch that changes wake up.
pub(super) struct Watched {
    /// `None` if reading it has panicked.
    stream: Option<Box<Stream>>,
    woken: Woken,
    ending: watch::Receiver<bool>,
}

impl Watched {
    pub(super) fn new(stream: Box<Stream>, woken: Woken, shared: &Shared) -> Self {
        Self {
            stream: Some(stream),
            woken,
            ending: shared.ending.subscribe(),
        }
    }
}

impl Source for Watched {
    async fn read<'s>(&mut self, shared: &'s Shared) -> Option<Part<'s>> {
        let stream = self.stream.as_mut().filter(|stream| !stream.is_over())?;
        // Read here rather than on a thread: a hundred watches of the same change would need a hundred threads.
        if let Some(lines) = stream.recent(false) {
            return Some((lines, None));
        }
        // Only a few at a time, because the events of `next` exist before memory is reserved for them.
        let turn = shared.budget.fill_permit().await;
        let mut stream = self.stream.take()?;
        let read = spawn_blocking(move || {
            // Even changes in memory may be large or need a webhook.
            let lines = stream.recent(true);
            let lines = lines.or_else(|| stream.next(Duration::ZERO));
            (stream, lines)
        });
        let (stream, lines) = read.await.ok()?;
        self.stream = Some(stream);
        Some((lines?, turn))
    }

    async fn wait(&mut self, out: &Sender) -> bool {
        let Some(stream) = &self.stream else {
            return false;
        };
        let mut due = pin!(pause(stream.due()));
        let mut changed = pin!(self.woken.changed());
        let mut ends = pin!(self.ending.wait_for(|ends| *ends));
        // No polling: a thousand idle watches would keep a CPU busy.
        poll_fn(|cx| {
            let is_due = due.as_mut().poll(cx).is_ready();
            let is_woken = changed.as_mut().poll(cx).is_ready();
            let is_over = ends.as_mut().poll(cx).is_ready() || out.poll_gone(cx);
            match is_due || is_woken || is_over {
                true => Poll::Ready(!is_over),
                false => Poll::Pending,
            }
        })
        .await
    }

    fn is_binary(&self) -> bool {
        self.stream.as_ref().is_some_and(|s| s.is_binary())
    }

    fn left_behind(&self) -> Vec<u8> {
        let text = self.stream.as_ref().map(|stream| stream.left_behind());
        text.unwrap_or_default()
    }
}

/// A stream that waits on the thread that polls it.
pub(super) struct OnThread<'f>(pub(super) Box<dyn Flow + 'f>);

impl Source for OnThread<'_> {
    async fn read<'s>(&mut self, shared: &'s Shared) -> Option<Part<'s>> {
        let turn = shared.budget.fill_permit().await;
        Some((self.0.next(Duration::ZERO)?, turn))
    }

    async fn wait(&mut self, _: &Sender) -> bool {
        // Blocks only its own thread, because such a stream is never a task.
        self.0.wait(LOOK).is_ok()
    }

    fn is_binary(&self) -> bool {
        self.0.is_binary()
    }

    fn left_behind(&self) -> Vec<u8> {
        self.0.left_behind()
    }
}
