//! A watch over a connection: sends events as they happen, as long as the client reads them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::pipe::Sender;
use super::shared::Shared;
use crate::Flow;
use crate::budget::Queue;

/// The interval between checks for the client.
const LOOK: Duration = Duration::from_millis(500);

/// The number of bytes of a watch that are sent at a time.
const PIECE: usize = 16 * 1024;

/// Streams a watch until it ends, the client is gone or does not read, or the server stops.
pub(super) fn run(out: Sender, path: &str, mut stream: Box<dyn Flow + '_>, shared: &Shared) {
    // Every event is reserved before it is sent, so that a client that does not read cannot grow the process.
    let mut queue = shared.budget.queue();
    while !shared.stop.load(Ordering::Relaxed) && !out.is_gone() {
        if stream.wait(LOOK).is_err() {
            break;
        }
        // Few at a time, because the events of `next` exist before they are reserved.
        let turn = shared.budget.fill_permit();
        let Some(lines) = stream.next(Duration::ZERO) else {
            break;
        };
        let slow = queue.hold(lines.len()).is_err();
        drop(turn);
        if slow || !tell(&out, &lines, stream.is_binary(), &mut queue, shared) {
            shared.note(format_args!(
                "watch {path}: closed because the client read too slowly"
            ));
            // Frees the held memory before the final text is sent.
            drop(queue);
            return out.finish_with(&stream.left_behind());
        }
    }
    out.finish();
}

/// Sends events piece by piece as they are read; returns false if the client is too slow.
fn tell(out: &Sender, lines: &[u8], is_binary: bool, queue: &mut Queue, shared: &Shared) -> bool {
    let mut left = lines;
    let mut looks = 0;
    while !left.is_empty() && !out.is_gone() {
        // Evicted by a writer that needs the memory, or unread for too long.
        if queue.has_to_go() || looks * LOOK >= shared.limits.unread {
            return false;
        }
        if !out.is_free(LOOK) {
            looks += 1;
            // Counted in checks and not by a clock, so that time in which data moved does not count.
            continue;
        }
        let piece = &left[..left.len().min(PIECE)];
        // A piece ends with an event, so that a final text can follow it.
        let end = memchr::memrchr(b'\n', piece).filter(|_| !is_binary);
        let end = end.map_or(piece.len(), |at| at + 1);
        // Only the end of the last piece ends an event of a binary watch.
        let clean = end == left.len() || !is_binary && left[end - 1] == b'\n';
        out.send(left[..end].to_vec(), clean);
        left = &left[end..];
        queue.was_read(left.len());
        looks = 0;
    }
    true
}
