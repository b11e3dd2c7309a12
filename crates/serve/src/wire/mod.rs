//! The protocols of upgraded connections, as bytes: several streams over one connection.
//!
//! Clients speak channels over WebSocket, SPDY/3.1 inside of a WebSocket, or SPDY/3.1 alone. All of them become
//! the same events.
//! Must not know: connections, and what the streams carry.

mod event;
mod headers;
mod spdy;
#[cfg(test)]
mod tests;
pub(crate) mod websocket;

pub(crate) use event::{Broken, Event};
use spdy::Spdy;
use websocket::{Decoder, Item};

/// The channel on which a client of version 5 ends other channels.
const CLOSE_CHANNEL: u8 = 255;

/// The most bytes in a frame that the server sends.
pub(crate) const PIECE: usize = 32 * 1024;

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
            // Sent before everything else: a client waits for the reply of each stream.
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
        // In version 4 the number is that of a channel like any other.
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
            // One message for each frame, as its head tells nothing without its data.
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
