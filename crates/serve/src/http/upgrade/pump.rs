//! Moves the bytes of an upgraded connection, in both directions at once.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

use super::Held;
use crate::http::shared::Shared;
use crate::sys::clock::Stopwatch;
use crate::sys::net::within;
use crate::wire::websocket::DONE;
use crate::wire::{Broken, Codec, Event, Protocol};

/// How often it is looked if the server stops or the connection was silent for too long.
const LOOK: Duration = Duration::from_millis(500);

/// How many bytes are read at a time.
const READ: usize = 32 * 1024;

/// The most bytes that wait to be written before more is encoded.
const WAITING: usize = 64 * 1024;

/// The code with which a server closes that stops.
const GOING_AWAY: u16 = 1001;

/// Bytes for a stream.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) stream: u32,
    pub(super) bytes: Vec<u8>,
    /// True if no more comes on the stream.
    pub(super) ends: bool,
}

/// Takes what the client does.
pub(super) trait Taker {
    /// Takes an event; what has to be sent at once is written to the codec.
    fn take(&mut self, event: Event, codec: &mut Codec);

    /// Returns true if nothing more is to be read for now; wakes the caller when there is room.
    fn is_full(&self, cx: &Context<'_>) -> bool;
}

/// A connection that has left HTTP, and what it holds.
pub(super) struct Link {
    pub(super) io: TokioIo<Upgraded>,
    pub(super) protocol: Protocol,
    pub(super) held: Held,
    pub(super) shared: Arc<Shared>,
}

struct Pump<T> {
    io: TokioIo<Upgraded>,
    codec: Codec,
    from: mpsc::Receiver<Message>,
    to: T,
    waiting: Vec<u8>,
    /// True if nothing more is written once everything that waits is sent.
    closing: bool,
    since: Stopwatch,
    flushed: bool,
}

/// Moves bytes until one side has had enough. The connection is closed when nobody can send any more.
pub(super) async fn run<T: Taker + Send>(link: Link, from: mpsc::Receiver<Message>, to: T) {
    let Link {
        io,
        protocol,
        held,
        shared,
    } = link;
    let mut pump = Pump {
        io,
        codec: Codec::new(protocol),
        from,
        to,
        waiting: Vec::new(),
        closing: false,
        since: Stopwatch::start(),
        flushed: true,
    };
    loop {
        match within(LOOK, poll_fn(|cx| pump.turn(cx))).await {
            Ok(()) => break,
            Err(_) if shared.stop.load(Ordering::Relaxed) => pump.close(GOING_AWAY),
            Err(_) if pump.since.elapsed() > shared.limits.stream => pump.close(DONE),
            Err(_) => {}
        }
    }
    // However it ended, the other side must hear of it.
    pump.to.take(Event::Over, &mut pump.codec);
    drop(held);
}

impl<T: Taker> Pump<T> {
    /// Moves what can be moved; ready at the end of the connection.
    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            // Written first: what waits for the client makes room for what comes next.
            let written = self.write(cx);
            let read = match self.closing {
                true => Poll::Pending,
                false => self.read(cx),
            };
            match (written, read) {
                (Poll::Ready(Err(_)), _) | (_, Poll::Ready(Err(_))) => return Poll::Ready(()),
                (Poll::Pending, Poll::Pending) => return Poll::Pending,
                // The end of what is written, and nothing else, closes in order.
                (Poll::Ready(Ok(false)), _) => return Poll::Ready(()),
                _ => self.since = Stopwatch::start(),
            }
        }
    }

    /// Writes a piece; false at the end.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        // Taken only as fast as the client reads.
        while self.waiting.len() < WAITING && !self.closing {
            match self.from.poll_recv(cx) {
                Poll::Ready(Some(message)) => {
                    self.codec
                        .write(message.stream, &message.bytes, message.ends);
                }
                Poll::Ready(None) => self.close(DONE),
                Poll::Pending => break,
            }
            self.waiting.extend(self.codec.written());
        }
        self.waiting.extend(self.codec.written());
        if !self.waiting.is_empty() {
            return match Pin::new(&mut self.io).poll_write(cx, &self.waiting) {
                Poll::Ready(Ok(0)) => Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Ok(bytes)) => {
                    self.waiting.drain(..bytes);
                    self.flushed = false;
                    Poll::Ready(Ok(true))
                }
                Poll::Ready(Err(e)) => Poll::Ready(Err(e)),
                Poll::Pending => Poll::Pending,
            };
        }
        // TLS keeps what is not flushed.
        if !self.flushed {
            std::task::ready!(Pin::new(&mut self.io).poll_flush(cx))?;
            self.flushed = true;
        }
        match self.closing {
            true => Pin::new(&mut self.io).poll_shutdown(cx).map_ok(|()| false),
            false => Poll::Pending,
        }
    }

    /// Reads a piece, if there is room for it.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        if self.to.is_full(cx) {
            return Poll::Pending;
        }
        // Nothing is kept of a piece but what its events hold.
        let mut space = [0; READ];
        let mut buffer = ReadBuf::new(&mut space);
        std::task::ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
        if buffer.filled().is_empty() {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        // After an error the bytes have no meaning, so nothing more is read.
        let events = match self.codec.read(buffer.filled()) {
            Ok(events) => events,
            Err(Broken(code)) => {
                self.close(code);
                return Poll::Ready(Ok(true));
            }
        };
        for event in events {
            match event {
                Event::Over => self.close(DONE),
                event => self.to.take(event, &mut self.codec),
            }
        }
        Poll::Ready(Ok(true))
    }

    /// Sends that the connection ends, and then nothing more.
    fn close(&mut self, code: u16) {
        // The first reason counts.
        if !self.closing {
            self.closing = true;
            self.codec.close(code);
        }
    }
}
