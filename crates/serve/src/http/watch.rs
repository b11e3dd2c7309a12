//! A watch over a connection: events as they happen, for as long as the client reads them.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::pipe::Sender;
use super::shared::Shared;
use crate::Flow;
use crate::budget::Queue;

/// How often a watch looks whether anybody is still there.
const LOOK: Duration = Duration::from_millis(500);

/// How much of a watch is sent at a time.
const PIECE: usize = 16 * 1024;

/// Tells a watch until it is over, the other side hangs up or does not read, or the server stops.
pub(super) fn run(out: Sender, path: &str, mut stream: Box<dyn Flow + '_>, shared: &Shared) {
    // Every event is reserved before it is sent: a client that does not read must not grow the
    // process.
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
            // Frees what was held before the last words are sent.
            drop(queue);
            return out.finish_with(&stream.left_behind());
        }
    }
    out.finish();
}

/// Sends events piece by piece as they are read; returns false if the other side is too slow.
fn tell(out: &Sender, lines: &[u8], is_binary: bool, queue: &mut Queue, shared: &Shared) -> bool {
    let mut left = lines;
    let mut looks = 0;
    while !left.is_empty() && !out.is_gone() {
        // Evicted by a writer who needs the memory, or silent for too long.
        if queue.has_to_go() || looks * LOOK >= shared.limits.unread {
            return false;
        }
        if !out.is_free(LOOK) {
            looks += 1;
            // Counted in looks and not by a clock: the time in which data did move does not count.
            continue;
        }
        let piece = &left[..left.len().min(PIECE)];
        // Events that fit end a piece, so that something else can be said between them.
        let end = memchr::memrchr(b'\n', piece).filter(|_| !is_binary);
        let end = end.map_or(piece.len(), |at| at + 1);
        // No byte ends an event of a binary watch; the last piece does.
        let clean = end == left.len() || !is_binary && left[end - 1] == b'\n';
        out.send(left[..end].to_vec(), clean);
        left = &left[end..];
        queue.was_read(left.len());
        looks = 0;
    }
    true
}
