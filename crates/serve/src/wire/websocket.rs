//! The server side of WebSocket (RFC 6455).
//!
//! The decoder returns each piece of a message as it arrives, so a long message does not need more memory.

#[cfg(test)]
mod tests;

use super::event::{Broken, PROTOCOL_ERROR};

/// The maximum payload of a frame in bytes, equal to the API server's limit.
const LONGEST: u64 = 32 * 1024 * 1024;

/// The maximum payload of a control frame in bytes.
const LONGEST_CONTROL: u64 = 125;

/// The close code for a normal end.
pub(crate) const DONE: u16 = 1000;

/// The error for a frame that is too long.
const TOO_LONG: Broken = Broken(1009);

/// A decoded part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A piece of a message.
    Data {
        /// The bytes.
        bytes: Vec<u8>,
        /// True if the piece starts a message.
        first: bool,
    },
    /// A ping, whose payload must be returned in a pong.
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

/// A frame of which more payload is expected.
#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// True if the frame starts a message and none of its payload was returned yet.
    first: bool,
    left: u64,
    mask: [u8; 4],
    /// The number of payload bytes received so far.
    at: usize,
}

/// Decodes frames from arbitrary pieces of bytes.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// The bytes of an incomplete frame header.
    head: Vec<u8>,
    frame: Option<Frame>,
    /// The payload of a control frame.
    control: Vec<u8>,
    /// True if the message continues in another frame.
    continues: bool,
}

impl Decoder {
    /// Decodes the next bytes and appends their items.
    ///
    /// # Errors
    /// Returns an error if the bytes are not valid frames of a client.
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
            // The mask continues where the last piece ended.
            let mask = frame.mask.iter().cycle().skip(frame.at % 4);
            let piece: Vec<u8> = now.iter().zip(mask).map(|(byte, key)| byte ^ key).collect();
            frame.left -= piece.len() as u64;
            frame.at += piece.len();
            let (kind, is_whole) = (frame.kind, frame.left == 0);
            if kind == Kind::Data {
                // An empty message is returned too, because it may be the first one of its channel.
                let first = std::mem::take(&mut frame.first);
                if first || !piece.is_empty() {
                    items.push(Item::Data {
                        bytes: piece,
                        first,
                    });
                }
            } else {
                // At most 125 bytes, which was checked together with the header.
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

    /// Starts a frame once its header is complete.
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
        // No extensions were negotiated, and clients must mask their frames.
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
            // A continuation frame needs an unfinished message, and a new message needs a finished one.
            if (opcode == 0) != self.continues {
                return Err(PROTOCOL_ERROR);
            }
        } else if !fin || length > LONGEST_CONTROL {
            return Err(PROTOCOL_ERROR);
        }
        if length > LONGEST {
            return Err(TOO_LONG);
        }
        // Checked before the mask is read, so that an error is found without waiting for more bytes.
        let Ok(mask) = <[u8; 4]>::try_from(mask) else {
            return Ok(());
        };
        if kind == Kind::Data {
            self.continues = !fin;
        }
        // From here on, the payload is returned as it arrives.
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

/// Appends a binary message in one frame, with the parts as its payload.
pub(crate) fn message(parts: &[&[u8]], out: &mut Vec<u8>) {
    frame(2, parts, out);
}

/// Appends a text or binary message in one frame.
pub(crate) fn whole(is_text: bool, bytes: &[u8], out: &mut Vec<u8>) {
    frame(if is_text { 1 } else { 2 }, &[bytes], out);
}

/// Appends the pong for a ping.
pub(crate) fn pong(bytes: &[u8], out: &mut Vec<u8>) {
    frame(10, &[bytes], out);
}

/// Appends the frame that closes the connection.
pub(crate) fn close(code: u16, out: &mut Vec<u8>) {
    frame(8, &[&code.to_be_bytes()], out);
}

fn frame(opcode: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    out.push(0x80 | opcode);
    // The RFC requires the shortest encoding of the length.
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
