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

/// The interval between checks of the stop flag and of the idle time.
const LOOK: Duration = Duration::from_millis(500);

/// The number of bytes that are read at a time.
const READ: usize = 32 * 1024;

/// The maximum number of bytes waiting to be written before more is encoded.
const WAITING: usize = 64 * 1024;

/// The close code of a stopping server.
const GOING_AWAY: u16 = 1001;

/// Bytes for a stream.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) stream: u32,
    pub(super) bytes: Vec<u8>,
    /// True if the stream ends with this message.
    pub(super) ends: bool,
}

/// Processes the client's events.
pub(super) trait Taker {
    /// Processes an event; immediate output is written to the codec.
    fn take(&mut self, event: Event, codec: &mut Codec);

    /// Returns true if reading must pause; wakes the caller when there is room.
    fn is_full(&self, cx: &Context<'_>) -> bool;
}

/// A connection that has left HTTP, and its resources.
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
    /// True if the connection ends after the pending output.
    closing: bool,
    since: Stopwatch,
    flushed: bool,
}

/// Moves bytes until one side ends. The connection is closed when neither side can send any more.
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
    // The other side must be notified of any kind of end.
    pump.to.take(Event::Over, &mut pump.codec);
    drop(held);
}

impl<T: Taker> Pump<T> {
    /// Moves available bytes; ready at the end of the connection.
    fn turn(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            // Written first, because pending output makes room for more.
            let written = self.write(cx);
            let read = match self.closing {
                true => Poll::Pending,
                false => self.read(cx),
            };
            match (written, read) {
                (Poll::Ready(Err(_)), _) | (_, Poll::Ready(Err(_))) => return Poll::Ready(()),
                (Poll::Pending, Poll::Pending) => return Poll::Pending,
                // Only the end of the output closes the connection in order.
                (Poll::Ready(Ok(false)), _) => return Poll::Ready(()),
                _ => self.since = Stopwatch::start(),
            }
        }
    }

    /// Writes a piece; returns false at the end.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        // Consumed only as fast as the client reads.
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
        // TLS buffers output until it is flushed.
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
        // Only the events of a piece are kept.
        let mut space = [0; READ];
        let mut buffer = ReadBuf::new(&mut space);
        std::task::ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
        if buffer.filled().is_empty() {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        // After an error the bytes have no meaning, so reading stops.
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

    /// Sends the end of the connection, and no further output.
    fn close(&mut self, code: u16) {
        // The first reason is kept.
        if !self.closing {
            self.closing = true;
            self.codec.close(code);
        }
    }
}
