//! Moves the bytes of an upgraded connection in both directions.

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

use super::ConnectionResources;
use crate::http::shared::Shared;
use crate::sys::clock::Stopwatch;
use crate::sys::net::within;
use crate::wire::websocket::DONE;
use crate::wire::{Broken, Codec, Event, Protocol};

/// How often the stop flag and the idle time are checked.
const LOOK: Duration = Duration::from_millis(500);

/// The number of bytes to read at once.
const READ: usize = 32 * 1024;

/// The maximum number of bytes to be written before more are encoded.
const WAITING: usize = 64 * 1024;

/// The close code for a server that is stopping.
const GOING_AWAY: u16 = 1001;

/// Bytes for a stream.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) stream: u32,
    pub(super) bytes: Vec<u8>,
    /// True if this message ends the stream.
    pub(super) ends: bool,
}

/// Processes the client's events.
pub(super) trait Taker {
    /// Processes an event. Immediate output is written to the codec.
    fn take(&mut self, event: Event, codec: &mut Codec);

    /// Returns true if reading must pause; wakes the caller when there is room.
    fn is_full(&self, cx: &Context<'_>) -> bool;
}

/// A connection that has left HTTP, with its resources.
pub(super) struct Link {
    pub(super) io: TokioIo<Upgraded>,
    pub(super) protocol: Protocol,
    pub(super) held: ConnectionResources,
    pub(super) shared: Arc<Shared>,
}

struct Pump<T> {
    io: TokioIo<Upgraded>,
    codec: Codec,
    from: mpsc::Receiver<Message>,
    to: T,
    waiting: Vec<u8>,
    /// True if the connection ends once the pending output is written.
    closing: bool,
    since: Stopwatch,
    flushed: bool,
}

/// Moves bytes until one side ends. Closes the connection once neither side can send any more.
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
    // The other side must learn of the end, whatever its cause.
    pump.to.take(Event::Over, &mut pump.codec);
    drop(held);
}

impl<T: Taker> Pump<T> {
    /// Moves the available bytes. Ready once the connection has ended.
    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            // Writing comes first, because it makes room for more.
            let written = self.write(cx);
            let read = match self.closing {
                true => Poll::Pending,
                false => self.read(cx),
            };
            match (written, read) {
                (Poll::Ready(Err(_)), _) | (_, Poll::Ready(Err(_))) => return Poll::Ready(()),
                (Poll::Pending, Poll::Pending) => return Poll::Pending,
                // Only the end of the output closes the connection in an orderly way.
                (Poll::Ready(Ok(false)), _) => return Poll::Ready(()),
                _ => self.since = Stopwatch::start(),
            }
        }
    }

    /// Writes a piece; returns false at the end.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        // Messages are consumed only as fast as the client reads.
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
        // TLS keeps output in a buffer until it is flushed.
        if !self.flushed {
            std::task::ready!(Pin::new(&mut self.io).poll_flush(cx))?;
            self.flushed = true;
        }
        match self.closing {
            true => Pin::new(&mut self.io).poll_shutdown(cx).map_ok(|()| false),
            false => Poll::Pending,
        }
    }

    /// Reads a piece if there is room for it.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        if self.to.is_full(cx) {
            return Poll::Pending;
        }
        // Only the events in a piece are kept.
        let mut space = [0; READ];
        let mut buffer = ReadBuf::new(&mut space);
        std::task::ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
        if buffer.filled().is_empty() {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        // After an error, the bytes mean nothing, so reading stops.
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

    /// Announces the end of the connection, after which nothing is sent.
    fn close(&mut self, code: u16) {
        // Keeps the first reason.
        if !self.closing {
            self.closing = true;
            self.codec.close(code);
        }
    }
}
