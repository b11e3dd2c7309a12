//! The protocols of upgraded connections, as bytes: several streams over one connection.
//!
//! Clients speak channels over WebSocket, SPDY/3.1 inside of a WebSocket, or SPDY/3.1 alone. All of them become
//! the same events.
//! Must not know: connections, and what the streams carry.

mod headers;
mod spdy;
pub(crate) mod websocket;

use spdy::Spdy;
use websocket::{Decoder, Item};

/// The channel on which a client of version 5 ends other channels.
const CLOSE_CHANNEL: u8 = 255;

/// The most bytes in a frame that the server sends.
pub(crate) const PIECE: usize = 32 * 1024;

/// The code with which a connection is closed whose bytes cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) u16);

/// Something that a client does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Opens a stream. Channels are open from the start.
    Open {
        /// The number of the stream.
        stream: u32,
        /// Names in lower case, and values.
        headers: Vec<(String, String)>,
    },
    /// Sends bytes.
    Data {
        /// The number of the stream.
        stream: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Sends no more on a stream.
    End {
        /// The number of the stream.
        stream: u32,
    },
    /// Gives up a stream in both directions.
    Reset {
        /// The number of the stream.
        stream: u32,
    },
    /// Closes the connection.
    Over,
}

/// A protocol of an upgraded connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Channels over WebSocket; the client can end a channel if `ends`.
    Channels {
        /// True for version 5.
        ends: bool,
    },
    /// SPDY inside of a WebSocket.
    Tunnel,
    /// SPDY.
    Spdy,
}

/// Reads and writes a protocol.
#[derive(Debug)]
pub(crate) struct Codec {
    /// The frames around everything else.
    socket: Option<Decoder>,
    spdy: Option<Spdy>,
    /// The channel of the message that is coming.
    channel: Option<u8>,
    ends: bool,
    replies: Vec<u8>,
}

impl Codec {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self {
            socket: (protocol != Protocol::Spdy).then(Decoder::default),
            spdy: matches!(protocol, Protocol::Tunnel | Protocol::Spdy).then(Spdy::new),
            channel: None,
            ends: protocol == Protocol::Channels { ends: true },
            replies: Vec::new(),
        }
    }

    /// Returns true if streams are opened one by one.
    pub(crate) fn has_streams(&self) -> bool {
        self.spdy.is_some()
    }

    /// Reads the next bytes and returns what they contain.
    ///
    /// # Errors
    /// The bytes are not in the protocol.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Broken> {
        let mut events = Vec::new();
        let Some(socket) = &mut self.socket else {
            self.inner(bytes, true, &mut events)?;
            return Ok(events);
        };
        let mut items = Vec::new();
        socket.read(bytes, &mut items)?;
        for item in items {
            match item {
                Item::Data { bytes, first } => self.inner(&bytes, first, &mut events)?,
                Item::Ping(bytes) => websocket::pong(&bytes, &mut self.replies),
                Item::Close => events.push(Event::Over),
            }
        }
        Ok(events)
    }

    /// Reads the content of messages.
    fn inner(&mut self, bytes: &[u8], first: bool, events: &mut Vec<Event>) -> Result<(), Broken> {
        if let Some(spdy) = &mut self.spdy {
            spdy.read(bytes, events)?;
            let replies = spdy.replies();
            self.wrap(&[&replies]);
            return Ok(());
        }
        if first {
            self.channel = None;
        }
        let (channel, bytes) = match (self.channel, bytes) {
            (Some(channel), bytes) => (channel, bytes),
            (None, [channel, bytes @ ..]) => (*channel, bytes),
            // The channel comes with the next piece.
            (None, []) => return Ok(()),
        };
        self.channel = Some(channel);
        if self.ends && channel == CLOSE_CHANNEL {
            events.extend(bytes.iter().map(|own| Event::End {
                stream: u32::from(*own),
            }));
        } else if !bytes.is_empty() {
            events.push(Event::Data {
                stream: u32::from(channel),
                bytes: bytes.to_vec(),
            });
        }
        Ok(())
    }

    fn wrap(&mut self, parts: &[&[u8]]) {
        // An empty message would be one of a channel.
        if parts.iter().all(|part| part.is_empty()) {
            return;
        }
        match self.socket {
            Some(_) => websocket::message(parts, &mut self.replies),
            None => parts
                .iter()
                .for_each(|part| self.replies.extend_from_slice(part)),
        }
    }

    /// Writes bytes of a stream, the last ones if it `ends`. Channels have no end.
    pub(crate) fn write(&mut self, stream: u32, bytes: &[u8], ends: bool) {
        if self.spdy.is_some() {
            let mut frame = Vec::with_capacity(bytes.len() + 8);
            spdy::data(stream, bytes, ends, &mut frame);
            return self.wrap(&[&frame]);
        }
        if !(ends && bytes.is_empty()) {
            // Channels are numbered in one byte.
            let channel = u8::try_from(stream).unwrap_or(u8::MAX);
            self.wrap(&[&[channel], bytes]);
        }
    }

    /// Writes that the connection is closed.
    pub(crate) fn close(&mut self, code: u16) {
        if self.socket.is_some() {
            websocket::close(code, &mut self.replies);
        }
    }

    /// Returns the bytes to send.
    pub(crate) fn written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header blocks of a port's error and data stream, as zlib compresses them one after the other.
    pub(super) const BLOCKS: &[(&[u8], &[&str])] = &[
        (
            b"\x78\xf9\xe3\xc6\xa7\xc2\x02\x25\x3a\x50\x12\x0f\xc8\x2f\x02\x27\x75\x0b\x03\x0b\x03\x20\xcd\
              \x09\x8d\xaf\x4c\x50\x3a\x66\x04\x89\x70\x05\x97\x14\xa5\x26\xe6\x42\x0b\x1b\xd6\x54\x50\x54\
              \x00\x00\x00\x00\xff\xff",
            &["port=8080", "requestid=0", "streamtype=error"],
        ),
        (
            b"\x22\x53\x33\xa8\xa4\x4a\x04\x00\x00\x00\xff\xff",
            &["port=8080", "requestid=0", "streamtype=data"],
        ),
    ];

    /// A message as a client sends it, masked with zeros.
    fn sent(payload: &[u8]) -> Vec<u8> {
        let length = u8::try_from(payload.len()).unwrap();
        [&[0x82, 0x80 | length, 0, 0, 0, 0], payload].concat()
    }

    #[test]
    fn channels_are_the_first_byte_of_a_message_and_can_be_ended_in_version_5() {
        let data = |stream, bytes: &[u8]| Event::Data {
            stream,
            bytes: bytes.to_vec(),
        };
        let bytes = [
            sent(b"\x00in"),
            sent(b"\x04{}"),
            sent(b"\xff\x00"),
            sent(b""),
        ]
        .concat();
        let mut codec = Codec::new(Protocol::Channels { ends: true });
        let ended = Event::End { stream: 0 };
        assert_eq!(
            codec.read(&bytes),
            Ok(vec![data(0, b"in"), data(4, b"{}"), ended])
        );
        let mut codec = Codec::new(Protocol::Channels { ends: false });
        let other = data(255, b"\x00");
        assert_eq!(
            codec.read(&bytes),
            Ok(vec![data(0, b"in"), data(4, b"{}"), other])
        );
        codec.write(1, b"", false);
        codec.write(1, b"out", false);
        codec.write(1, b"", true);
        codec.close(websocket::DONE);
        assert_eq!(
            codec.written(),
            b"\x82\x01\x01\x82\x04\x01out\x88\x02\x03\xe8"
        );
    }

    #[test]
    fn a_tunnel_carries_the_frames_of_spdy_in_messages() {
        let mut frame = Vec::new();
        spdy::data(1, b"x", false, &mut frame);
        let mut ping = vec![0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1];
        let mut tunnel = Codec::new(Protocol::Tunnel);
        // Cut anywhere: messages have no meaning of their own here.
        let bytes = [sent(&ping[..5]), sent(&ping[5..]), sent(&frame)].concat();
        assert_eq!(tunnel.read(&bytes), Ok(Vec::new()));
        assert_eq!(tunnel.written(), [&[0x82, 12], ping.as_slice()].concat());
        tunnel.write(1, b"x", false);
        assert_eq!(tunnel.written(), [&[0x82, 9], frame.as_slice()].concat());
        let mut plain = Codec::new(Protocol::Spdy);
        ping.extend(&frame);
        assert_eq!(plain.read(&ping), Ok(Vec::new()));
        plain.write(1, b"x", false);
        plain.close(websocket::DONE);
        assert_eq!(plain.written(), ping);
    }
}
