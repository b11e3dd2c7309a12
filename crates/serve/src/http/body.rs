//! Reads the body of a request up to a limit, in memory reserved from the budget.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes};

use super::refusal::Refusal;
use crate::MAX_BODY;
use crate::budget::{Full, Reservation};

/// The maximum size of a body that is discarded.
const MOST_DISCARDED: usize = 4 * MAX_BODY;

/// Reads a body into memory that `held` reserves. `has_ended` returns true if the client has closed its sending side.
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
        // Checked first, because the body then contains everything before the end.
        let has_ended = has_ended(cx);
        match Pin::new(&mut from).poll_frame(cx) {
            Poll::Pending if has_ended => Poll::Ready(Some(Err(()))),
            polled => polled.map_err(|_| ()),
        }
    });
    while let Some(frame) = (&mut next).await {
        // A client that closes the connection or violates the protocol gets no response, because the stream is
        // unusable.
        let frame = frame.map_err(|()| Refusal::silent())?;
        // Trailers are dropped.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        // Checked with every piece, because a chunked body has no length in advance.
        check(body.len() + piece.len())?;
        // Grows with the received bytes and not with the declared length, because a client could declare 3 MiB at no
        // cost.
        if body.capacity() - body.len() < piece.len() {
            // Doubles, so that copying stays linear, but never exceeds the rest of the limit.
            let more = piece.len().max(body.len()).min(most - body.len());
            grow(held, more).await?;
            body.reserve_exact(more);
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// Discards the rest of a body. HTTP/2 would reset the stream behind the response, and clients that still send, such as
/// curl 7.88, would lose the response.
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

/// Reserves more memory, on another thread if a slow watch must be evicted first.
pub(super) async fn grow(held: &mut Reservation, bytes: usize) -> Result<(), Refusal> {
    if held.grow_at_once(bytes).is_ok() {
        return Ok(());
    }
    // Waiting on this thread would block every other connection.
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
