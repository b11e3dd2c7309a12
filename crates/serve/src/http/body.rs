//! Reads request bodies up to a limit, into memory reserved from the budget.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes};

use super::refusal::Refusal;
use crate::MAX_BODY;
use crate::budget::{Full, Reservation};

/// The maximum number of bytes to discard from a body.
const MOST_DISCARDED: usize = 4 * MAX_BODY;

/// Reads a body into memory reserved in `held`. `has_ended` returns true if the client has closed its sending side.
pub(super) async fn read<B: Body<Data = Bytes> + Unpin>(
    mut from: B,
    held: &mut Reservation,
    has_ended: impl Fn(&Context<'_>) -> bool,
) -> Result<Vec<u8>, Refusal> {
    // The declared length is checked before any byte is read, so that a client cannot send gigabytes first.
    let declared = from.size_hint().exact();
    let declared = declared.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    check(declared.unwrap_or(0))?;
    let most = declared.unwrap_or(MAX_BODY);
    let mut body = Vec::new();
    let mut next = poll_fn(|cx| {
        // Checked first: if the client has ended, the body then contains everything it sent.
        let has_ended = has_ended(cx);
        match Pin::new(&mut from).poll_frame(cx) {
            Poll::Pending if has_ended => Poll::Ready(Some(Err(()))),
            polled => polled.map_err(|_| ()),
        }
    });
    while let Some(frame) = (&mut next).await {
        // The client has closed the connection or violated the protocol. The stream is unusable, so there is no
        // response.
        let frame = frame.map_err(|()| Refusal::silent())?;
        // Drops trailers.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        // Checked for every piece, because a chunked body declares no length.
        check(body.len() + piece.len())?;
        // Grows with the received bytes rather than to the declared length: declaring 3 MiB costs a client nothing.
        if body.capacity() - body.len() < piece.len() {
            // Doubles, so that copying takes linear time, but never exceeds what is left of the limit.
            let more = piece.len().max(body.len()).min(most - body.len());
            grow(held, more).await?;
            body.reserve_exact(more);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Discards the rest of a body. Otherwise, HTTP/2 would reset the stream after the response, and clients that are
/// still sending, such as curl 7.88, would lose the response.
pub(super) async fn discard<B: Body<Data = Bytes> + Unpin>(mut from: B) {
    let mut left = MOST_DISCARDED;
    let mut next = poll_fn(|cx| Pin::new(&mut from).poll_frame(cx));
    while let Some(Ok(frame)) = (&mut next).await {
        let piece = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(piece) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// Reserves more memory. If a slow watch must be evicted first, waits for that on another thread.
pub(super) async fn grow(held: &mut Reservation, bytes: usize) -> Result<(), Refusal> {
    if held.grow_at_once(bytes).is_ok() {
        return Ok(());
    }
    // Waiting on this thread would block all other connections.
    let mut waiting = held.take();
    let waited = tokio::task::spawn_blocking(move || {
        let grown = waiting.grow(bytes);
        (waiting, grown)
    });
    match waited.await {
        Ok((back, Ok(()))) => {
            *held = back;
            Ok(())
        }
        Ok((_, Err(Full))) | Err(_) => Err(Refusal::no_memory()),
    }
}

/// Rejects a body that is too large.
fn check(bytes: usize) -> Result<(), Refusal> {
    match bytes > MAX_BODY {
        true => Err(Refusal::closing(
            413,
            &format!("Request entity too large: limit is {MAX_BODY}"),
        )),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use hyper::body::{Frame, SizeHint};

    use super::*;
    use crate::budget::Budget;
    use crate::sys::net::runtime;

    /// A body that arrives in pieces of 64 KiB, with its declared length.
    struct Pieces {
        left: usize,
        announced: Option<usize>,
    }

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let now = self.left.min(64 << 10);
            self.left -= now;
            let piece = (now > 0).then(|| Ok(Frame::data(vec![b'x'; now].into())));
            Poll::Ready(piece)
        }

        fn size_hint(&self) -> SizeHint {
            self.announced.map_or_else(SizeHint::default, |bytes| {
                SizeHint::with_exact(bytes.try_into().unwrap())
            })
        }
    }

    fn sent(budget: &Budget, announced: Option<usize>, left: usize) -> Result<usize, u16> {
        let mut held = budget.reserve();
        let body =
            runtime(1)
                .unwrap()
                .block_on(read(Pieces { left, announced }, &mut held, |_| false));
        body.map(|body| body.len()).map_err(|refusal| refusal.code)
    }

    #[test]
    fn oversized_body_is_rejected_with_413() {
        let budget = Budget::new(16 << 20);
        assert_eq!(sent(&budget, None, MAX_BODY), Ok(MAX_BODY));
        assert_eq!(sent(&budget, Some(MAX_BODY), MAX_BODY), Ok(MAX_BODY));
        assert_eq!(sent(&budget, None, MAX_BODY + 1), Err(413));
        assert_eq!(sent(&budget, Some(MAX_BODY + 1), 0), Err(413));
        assert_eq!(sent(&budget, Some(0), 0), Ok(0));
    }

    #[test]
    fn refused_body_is_discarded_up_to_a_limit() {
        for (left, expected) in [(MAX_BODY + 1, 0), (1 << 30, (1 << 30) - MOST_DISCARDED)] {
            let announced = None;
            let mut sent = Pieces { left, announced };
            runtime(1).unwrap().block_on(discard(&mut sent));
            assert!(sent.left <= expected && expected - sent.left <= 64 << 10);
        }
    }

    #[test]
    fn body_memory_is_reserved_as_bytes_arrive() {
        let budget = Budget::new(1 << 20);
        assert_eq!(sent(&budget, Some(MAX_BODY), 100), Ok(100));
        assert!(budget.peak() < 64 << 10, "{}", budget.peak());
        assert_eq!(sent(&budget, Some(1 << 19), 1 << 19), Ok(1 << 19));
        assert_eq!(sent(&budget, Some(MAX_BODY), MAX_BODY), Err(429));
        assert!(budget.peak() <= 1 << 20);
    }
}
