//! The client side of HTTP/1.1, for webhooks, proxied requests and live clusters.

pub(crate) mod failure;
pub(crate) mod trust;

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;

use crate::sys::net::Socket;

/// The maximum length of a response from a webhook or proxied address. A patch is smaller than its object.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Starts HTTP/1.1 on a stream.
pub(crate) async fn handshake(
    stream: impl Socket + 'static,
) -> Result<SendRequest<WholeBody>, String> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|e| failure::exchange(&e))?;
    // The task ends when the request sender is dropped.
    tokio::spawn(connection);
    Ok(sender)
}

/// Reads a body of up to `most` bytes to its end.
pub(crate) async fn read(mut body: Incoming, most: usize) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|e| failure::exchange(&e))?;
        // Drops trailers.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if whole.len() + piece.len() > most {
            return Err(format!("the response is longer than {most} bytes"));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// A request body in a single piece.
pub(crate) struct WholeBody(Option<Bytes>);

impl WholeBody {
    /// Returns a body of these bytes.
    pub(crate) fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        Self(Some(bytes.into()))
    }

    /// Returns an empty body.
    pub(crate) fn none() -> Self {
        Self(None)
    }
}

impl Body for WholeBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().map(|all| Ok(Frame::data(all))))
    }
}
