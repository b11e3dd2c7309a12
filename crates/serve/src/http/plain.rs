//! Handles clients that send plain HTTP to a TLS port. They get a response that says so rather than a failed
//! handshake, whose error gives no reason.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::sys::net::Socket;

/// The maximum number of bytes to read before the protocol is known.
const MOST: usize = 2048;

/// The response of Go's server, in the oldest HTTP version, because the client's is unknown.
const REFUSAL: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/// A connection whose first bytes have been read, and are returned again by the next reads.
pub(super) struct Opened<S> {
    first: Vec<u8>,
    /// How many of these bytes have been returned again.
    read: usize,
    socket: S,
}

/// Waits for the first bytes of a TLS connection. If the client sends plain HTTP, rejects it and returns `None`.
pub(super) async fn open<S: Socket>(mut socket: S) -> Option<Opened<S>> {
    let mut space = [0; MOST];
    let mut piece = ReadBuf::new(&mut space);
    let read = poll_fn(|cx| Pin::new(&mut socket).poll_read(cx, &mut piece)).await;
    read.ok()?;
    let first = piece.filled().to_vec();
    // A handshake starts with the byte 22, an HTTP request with the name of a method.
    if !first.first()?.is_ascii_uppercase() {
        return Some(Opened {
            first,
            read: 0,
            socket,
        });
    }
    // Fits into the buffer of a new connection. A client that has gone needs no response.
    let _ = poll_fn(|cx| Pin::new(&mut socket).poll_write(cx, REFUSAL)).await;
    let _ = poll_fn(|cx| Pin::new(&mut socket).poll_shutdown(cx)).await;
    None
}

impl<S: Socket> AsyncRead for Opened<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = &self.first[self.read..];
        if left.is_empty() {
            return Pin::new(&mut self.socket).poll_read(cx, to);
        }
        let taken = left.len().min(to.remaining());
        to.put_slice(&left[..taken]);
        self.read += taken;
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> AsyncWrite for Opened<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
