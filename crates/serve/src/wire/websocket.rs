//! Frames of WebSocket (RFC 6455) on the server's side.
//!
//! The decoder passes on each piece of a message as it arrives, so the length of a message costs no memory.

#[cfg(test)]
mod tests;

use super::event::{Broken, PROTOCOL_ERROR};

/// The maximum payload of a frame, as on the real server.
const LONGEST: u64 = 32 * 1024 * 1024;

/// The maximum payload of a control frame.
const LONGEST_CONTROL: u64 = 125;

/// The close code of a connection whose work is done.
pub(crate) const DONE: u16 = 1000;

/// The code for a frame that is too long.
const TOO_LONG: Broken = Broken(1009);

/// A decoded part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A piece of a message.
    Data {
        /// The bytes.
        bytes: Vec<u8>,
        /// True if it starts a message.
        first: bool,
    },
    /// A ping, whose bytes must be returned.
    Ping(Vec<u8>),
    /// The client closes the connection.
    Close,
}

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Data,
    Close,
    Ping,
    Pong,
}

/// A frame with an incomplete payload.
#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// True if it starts a message of which nothing was passed on.
    first: bool,
    left: u64,
    mask: [u8; 4],
    /// The number of payload bytes received.
    at: usize,
}

/// Decodes frames from pieces of bytes.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The bytes of an incomplete head.
    head: Vec<u8>,
    frame: Option<Frame>,
    /// The payload of a control frame.
    control: Vec<u8>,
    /// True if further frames continue the message.
    continues: bool,
}

impl Decoder {
    /// Decodes the next bytes and appends their items.
    ///
    /// # Errors
    /// The bytes are not valid frames of a client.
    pub(crate) fn read(&mut self, mut bytes: &[u8], items: &mut Vec<Item>) -> Result<(), Broken> {
        loop {
            let Some(frame) = &mut self.frame else {
                let Some((&byte, rest)) = bytes.split_first() else {
                    return Ok(());
                };
                bytes = rest;
                self.head.push(byte);
                self.begin()?;
                continue;
            };
            let most = usize::try_from(frame.left).unwrap_or(usize::MAX);
            let (now, rest) = bytes.split_at(most.min(bytes.len()));
            bytes = rest;
            // The mask continues at the end of the last piece.
            let mask = frame.mask.iter().cycle().skip(frame.at % 4);
            let piece: Vec<u8> = now.iter().zip(mask).map(|(byte, key)| byte ^ key).collect();
            frame.left -= piece.len() as u64;
            frame.at += piece.len();
            let (kind, is_whole) = (frame.kind, frame.left == 0);
            if kind == Kind::Data {
                // An empty message is passed on too, because it may be the first of its channel.
                let first = std::mem::take(&mut frame.first);
                if first || !piece.is_empty() {
                    items.push(Item::Data {
                        bytes: piece,
                        first,
                    });
                }
            } else {
                // At most 125 bytes, which was checked with the head.
                self.control.extend(piece);
            }
            if !is_whole {
                return Ok(());
            }
            self.frame = None;
            let control = std::mem::take(&mut self.control);
            match kind {
                Kind::Ping => items.push(Item::Ping(control)),
                Kind::Close => items.push(Item::Close),
                Kind::Data | Kind::Pong => {}
            }
        }
    }

    /// Starts a frame if its head is complete.
    fn begin(&mut self) -> Result<(), Broken> {
        let [first, second, rest @ ..] = self.head.as_slice() else {
            return Ok(());
        };
        let (fin, opcode) = (first & 0x80 != 0, first & 0x0f);
        let (length, mask) = match (second & 0x7f, rest) {
            (126, [a, b, mask @ ..]) => (u64::from(u16::from_be_bytes([*a, *b])), mask),
            (127, [a, b, c, d, e, f, g, h, mask @ ..]) => {
                let length = u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
                (length, mask)
            }
            (short @ ..126, mask) => (u64::from(short), mask),
            _ => return Ok(()),
        };
        // Extensions were not negotiated, and clients must mask their frames.
        if first & 0x70 != 0 || second & 0x80 == 0 {
            return Err(PROTOCOL_ERROR);
        }
        let kind = match opcode {
            0..=2 => Kind::Data,
            8 => Kind::Close,
            9 => Kind::Ping,
            10 => Kind::Pong,
            _ => return Err(PROTOCOL_ERROR),
        };
        if kind == Kind::Data {
            // A continuation needs a message, and a message must have ended before the next one.
            if (opcode == 0) != self.continues {
                return Err(PROTOCOL_ERROR);
            }
        } else if !fin || length > LONGEST_CONTROL {
            return Err(PROTOCOL_ERROR);
        }
        if length > LONGEST {
            return Err(TOO_LONG);
        }
        // The checks come before the mask, so that an error needs no further bytes.
        let Ok(mask) = <[u8; 4]>::try_from(mask) else {
            return Ok(());
        };
        if kind == Kind::Data {
            self.continues = !fin;
        }
        // From here on the payload is passed on as it arrives.
        self.frame = Some(Frame {
            kind,
            first: opcode != 0,
            left: length,
            mask,
            at: 0,
        });
        self.head.clear();
        Ok(())
    }
}

/// Appends a message in one frame, built from several parts.
pub(crate) fn message(parts: &[&[u8]], out: &mut Vec<u8>) {
    frame(2, parts, out);
}

/// Appends a message in one frame, as text or as bytes.
pub(crate) fn whole(is_text: bool, bytes: &[u8], out: &mut Vec<u8>) {
    frame(if is_text { 1 } else { 2 }, &[bytes], out);
}

/// Appends the response to a ping.
pub(crate) fn pong(bytes: &[u8], out: &mut Vec<u8>) {
    frame(10, &[bytes], out);
}

/// Appends the frame that closes a connection.
pub(crate) fn close(code: u16, out: &mut Vec<u8>) {
    frame(8, &[&code.to_be_bytes()], out);
}

fn frame(opcode: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.push(0x80 | opcode);
    // The shortest encoding of the length, which the RFC requires.
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..126), _) => out.push(short),
        (_, Ok(middle)) => {
            out.push(126);
            out.extend(middle.to_be_bytes());
        }
        _ => {
            out.push(127);
            out.extend((length as u64).to_be_bytes());
        }
    }
    parts.iter().for_each(|part| out.extend_from_slice(part));
}
