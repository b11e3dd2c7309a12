//! Frames of WebSocket (RFC 6455), as a server reads and writes them.
//!
//! What comes is passed on piece by piece: a message costs no memory of its own, however long it is.

use super::Broken;

/// The longest payload of a frame, as on the real server.
const LONGEST: u64 = 32 * 1024 * 1024;

/// The longest payload of a frame that is about the connection.
const LONGEST_CONTROL: u64 = 125;

/// The code of a connection that is closed because its work is done.
pub(crate) const DONE: u16 = 1000;

/// The code for bytes that are no frames.
const PROTOCOL_ERROR: Broken = Broken(1002);

/// The code for a frame that is too long.
const TOO_LONG: Broken = Broken(1009);

/// A part of what came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A piece of a message.
    Data {
        /// The bytes.
        bytes: Vec<u8>,
        /// True if a message begins with it.
        first: bool,
    },
    /// The client wants these bytes back.
    Ping(Vec<u8>),
    /// The client closes the connection.
    Close,
}

/// What a frame is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Data,
    Close,
    Ping,
    Pong,
}

/// A frame whose payload has not come as a whole.
#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// True if it begins a message of which nothing was passed on.
    first: bool,
    left: u64,
    mask: [u8; 4],
    /// How many bytes of the payload have come.
    at: usize,
}

/// Reads frames from bytes as they come.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    /// A head of which bytes are missing.
    head: Vec<u8>,
    frame: Option<Frame>,
    /// The payload of a frame that is about the connection.
    control: Vec<u8>,
    /// True if further frames continue the message.
    continues: bool,
}

impl Decoder {
    /// Reads the next bytes and appends what they contain.
    ///
    /// # Errors
    /// The bytes are no frames of a client.
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
            let mask = frame.mask.iter().cycle().skip(frame.at % 4);
            let piece: Vec<u8> = now.iter().zip(mask).map(|(byte, key)| byte ^ key).collect();
            frame.left -= piece.len() as u64;
            frame.at += piece.len();
            let (kind, is_whole) = (frame.kind, frame.left == 0);
            if kind == Kind::Data {
                // An empty message is one as well: it may be the first of its channel.
                let first = std::mem::take(&mut frame.first);
                if first || !piece.is_empty() {
                    items.push(Item::Data {
                        bytes: piece,
                        first,
                    });
                }
            } else {
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

    /// Begins a frame if its head is here.
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
        // Extensions were not agreed on, and clients must mask what they send.
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
        let Ok(mask) = <[u8; 4]>::try_from(mask) else {
            return Ok(());
        };
        if kind == Kind::Data {
            self.continues = !fin;
        }
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

/// Appends a message in one frame, which consists of several parts.
pub(crate) fn message(parts: &[&[u8]], out: &mut Vec<u8>) {
    frame(2, parts, out);
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
    // The shortest form of the length, which the RFC requires.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a client sends it.
    fn sent(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match payload.len() {
            short @ ..126 => frame.push(0x80 | u8::try_from(short).unwrap()),
            middle @ ..65536 => {
                frame.push(0x80 | 126);
                frame.extend(u16::try_from(middle).unwrap().to_be_bytes());
            }
            long => {
                frame.push(0x80 | 127);
                frame.extend((long as u64).to_be_bytes());
            }
        }
        let mask = [0x37, 0xfa, 0x21, 0x3d];
        frame.extend(mask);
        let masked = payload.iter().zip(mask.iter().cycle());
        frame.extend(masked.map(|(byte, key)| byte ^ key));
        frame
    }

    /// What bytes contain that come in pieces of a size: the messages, and the rest.
    fn read(bytes: &[u8], piece: usize) -> Result<(Vec<Vec<u8>>, Vec<Item>), Broken> {
        let (mut decoder, mut items) = (Decoder::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            decoder.read(piece, &mut items)?;
        }
        let (mut messages, mut rest) = (Vec::<Vec<u8>>::new(), Vec::new());
        for item in items {
            match item {
                Item::Data { bytes, first } if first => messages.push(bytes),
                Item::Data { bytes, .. } => messages.last_mut().unwrap().extend(bytes),
                other => rest.push(other),
            }
        }
        Ok((messages, rest))
    }

    #[test]
    fn messages_come_whole_whatever_pieces_they_come_in() {
        // The masked "Hello" of the RFC.
        let hello = [
            0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58,
        ];
        assert_eq!(hello.to_vec(), sent(0x81, b"Hello"));
        let long = vec![b'x'; 70_000];
        let mut all = hello.to_vec();
        all.extend(sent(0x02, b"He"));
        // A ping may come between the frames of a message.
        all.extend(sent(0x89, b"?"));
        all.extend(sent(0x80, b"llo"));
        all.extend(sent(0x82, b""));
        all.extend(sent(0x82, &long[..300]));
        all.extend(sent(0x82, &long));
        all.extend(sent(0x8a, b"unasked"));
        all.extend(sent(0x88, &DONE.to_be_bytes()));
        for piece in [1, 2, 7, 1000, all.len()] {
            let (messages, rest) = read(&all, piece).unwrap();
            let expected: [&[u8]; 5] = [b"Hello", b"Hello", b"", &long[..300], &long];
            assert_eq!(messages, expected, "{piece}");
            assert_eq!(rest, [Item::Ping(b"?".to_vec()), Item::Close], "{piece}");
        }
    }

    #[test]
    fn what_no_client_may_send_is_refused() {
        let unmasked = vec![0x82, 0x01, b'x'];
        let mut endless = vec![0x82, 0xff];
        endless.extend(u64::MAX.to_be_bytes());
        let two = [sent(0x02, b"a"), sent(0x82, b"b")].concat();
        for (bytes, code) in [
            (unmasked, 1002),
            (sent(0xc2, b"compressed"), 1002),
            (sent(0x83, b"reserved"), 1002),
            (sent(0x80, b"continues nothing"), 1002),
            (sent(0x09, b"ping in parts"), 1002),
            (sent(0x89, &[0; 126]), 1002),
            (two, 1002),
            (endless, 1009),
        ] {
            assert_eq!(read(&bytes, 1).unwrap_err(), Broken(code), "{bytes:?}");
        }
    }

    #[test]
    fn frames_of_the_server_have_the_shortest_length() {
        for (length, head) in [
            (0, vec![0x82, 0]),
            (125, vec![0x82, 125]),
            (126, vec![0x82, 126, 0, 126]),
            (65_536, vec![0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] {
            let mut out = Vec::new();
            message(&[&[], &vec![0; length]], &mut out);
            assert_eq!(out[..head.len()], head);
            assert_eq!(out.len(), head.len() + length);
        }
        let mut out = Vec::new();
        pong(b"?", &mut out);
        close(DONE, &mut out);
        assert_eq!(out, [0x8a, 1, b'?', 0x88, 2, 0x03, 0xe8]);
    }
}
