//! A slot for one piece of a response, between the task that produces it and the connection that sends it. The task
//! notices if the client does not read, and no data accumulates.

use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::body::Bytes;

use crate::sys::net::within;

#[derive(Debug, Default)]
struct Slot {
    piece: Option<Bytes>,
    /// True if an event ends with the last piece.
    clean: bool,
    end: Option<End>,
    /// True if the receiver was dropped.
    gone: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

/// How a response ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Complete.
    Whole,
    /// Incomplete: the client must not take it for complete.
    Broken,
}

#[derive(Debug, Default)]
struct Shared(Mutex<Slot>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sending end, for a task. Dropping it ends the response as incomplete.
#[derive(Debug)]
pub(super) struct Sender(Arc<Shared>);

/// The receiving end, for a connection.
#[derive(Debug)]
pub(super) struct Receiver(Arc<Shared>);

/// Returns both ends of an empty slot.
pub(super) fn pipe() -> (Sender, Receiver) {
    let shared = Arc::new(Shared::default());
    shared.lock().clean = true;
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

impl Sender {
    /// Returns true if the client has closed the connection.
    pub(super) fn is_gone(&self) -> bool {
        self.0.lock().gone
    }

    /// Returns true if the client has closed the connection; otherwise, wakes the caller when that happens.
    pub(super) fn poll_gone(&self, cx: &Context<'_>) -> bool {
        let mut slot = self.0.lock();
        if !slot.gone {
            // One waker is enough: the task waits either for the client or for changes, never for both.
            slot.writer = Some(cx.waker().clone());
        }
        slot.gone
    }

    /// Waits until the last piece has been taken or the receiver dropped. Returns false if that takes longer than
    /// `patience`.
    pub(super) async fn is_free(&self, patience: Duration) -> bool {
        let free = poll_fn(|cx| {
            let mut slot = self.0.lock();
            if slot.piece.is_none() || slot.gone {
                return Poll::Ready(());
            }
            slot.writer = Some(cx.waker().clone());
            Poll::Pending
        });
        within(patience, free).await.is_ok()
    }

    /// Puts a piece into the free slot; `clean` is true if an event ends with it.
    pub(super) fn send(&self, piece: Vec<u8>, clean: bool) {
        let mut slot = self.0.lock();
        debug_assert!(slot.piece.is_none() || slot.gone, "the slot is free");
        slot.clean = clean;
        slot.piece = Some(piece.into());
        wake(&mut slot.reader);
    }

    /// Ends the response.
    pub(super) fn finish(self) {
        self.0.lock().finish(End::Whole);
    }

    /// Ends the response with a final text, unless the response is in the middle of an event.
    pub(super) fn finish_with(self, words: &[u8]) {
        let mut slot = self.0.lock();
        if !slot.clean {
            return slot.finish(End::Broken);
        }
        // Appended to the waiting piece, so that the client loses no data.
        let last = slot.piece.take().unwrap_or_default();
        slot.piece = Some([&last, words].concat().into());
        slot.finish(End::Whole);
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.lock().finish(End::Broken);
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

impl Slot {
    fn finish(&mut self, end: End) {
        // Keeps the first end, because `finish` also drops the sender.
        self.end.get_or_insert(end);
        wake(&mut self.reader);
    }
}

impl Receiver {
    /// Takes the next piece; returns `None` at the end.
    pub(super) fn poll_next(&self, cx: &Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let mut slot = self.0.lock();
        if let Some(piece) = slot.piece.take() {
            // Wakes the writer before this piece is sent, so that it can produce the next one meanwhile.
            wake(&mut slot.writer);
            return Poll::Ready(Some(Ok(piece)));
        }
        match slot.end {
            Some(End::Whole) => Poll::Ready(None),
            Some(End::Broken) => {
                let error = io::Error::from(io::ErrorKind::BrokenPipe);
                Poll::Ready(Some(Err(error)))
            }
            None => {
                slot.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let mut slot = self.0.lock();
        slot.gone = true;
        wake(&mut slot.writer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads until no more data arrives. Returns the text and how it ended.
    fn rest(receiver: &Receiver) -> (String, &'static str) {
        let (mut text, cx) = (String::new(), Context::from_waker(Waker::noop()));
        loop {
            match receiver.poll_next(&cx) {
                Poll::Ready(Some(Ok(piece))) => text += std::str::from_utf8(&piece).unwrap(),
                Poll::Ready(Some(Err(_))) => return (text, "broken"),
                Poll::Ready(None) => return (text, "whole"),
                Poll::Pending => return (text, "open"),
            }
        }
    }

    fn is_free(sender: &Sender) -> bool {
        let runtime = crate::sys::net::runtime(1).unwrap();
        runtime.block_on(sender.is_free(Duration::from_millis(1)))
    }

    #[test]
    fn pipe_is_busy_until_the_chunk_is_read() {
        let (sender, receiver) = pipe();
        assert!(is_free(&sender));
        sender.send(b"a\n".to_vec(), true);
        assert!(!is_free(&sender));
        assert_eq!(rest(&receiver), ("a\n".to_owned(), "open"));
        assert!(is_free(&sender));
        sender.finish();
        assert_eq!(rest(&receiver), (String::new(), "whole"));
    }

    #[test]
    fn final_message_is_sent_only_between_complete_events() {
        for (sent, clean, taken, expected) in [
            ("a\n", true, false, ("a\n!".to_owned(), "whole")),
            ("a\n", true, true, ("!".to_owned(), "whole")),
            ("a", false, false, ("a".to_owned(), "broken")),
            ("a", false, true, (String::new(), "broken")),
        ] {
            let (sender, receiver) = pipe();
            sender.send(sent.as_bytes().to_vec(), clean);
            if taken {
                rest(&receiver);
            }
            sender.finish_with(b"!");
            assert_eq!(rest(&receiver), expected, "{sent:?} {taken}");
        }
    }

    #[test]
    fn closing_either_pipe_end_is_detected() {
        let (sender, receiver) = pipe();
        sender.send(b"a".to_vec(), false);
        drop(receiver);
        assert!(sender.is_gone() && is_free(&sender));
        let (sender, receiver) = pipe();
        drop(sender);
        assert_eq!(rest(&receiver), (String::new(), "broken"));
    }
}
