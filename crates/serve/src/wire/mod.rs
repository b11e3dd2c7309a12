//! The protocols of upgraded connections as bytes: several streams over one connection.
//!
//! Clients use channels over WebSocket, SPDY/3.1 tunneled in WebSocket, or plain SPDY/3.1. All are converted to the
//! same events.
//! Must not know: connections, and the content of the streams.

mod event;
mod headers;
mod spdy;
#[cfg(test)]
mod tests;
pub(crate) mod websocket;

pub(crate) use event::{Broken, Event};
use spdy::Spdy;
use websocket::{Decoder, Item};

/// The channel on which a client of protocol version 5 closes other channels.
const CLOSE_CHANNEL: u8 = 255;

/// The maximum payload of a frame that the server sends, in bytes.
pub(crate) const PIECE: usize = 32 * 1024;

/// A protocol of an upgraded connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Channels over WebSocket. If `ends` is true, the client can close single channels.
    Channels {
        /// True for version 5 of the protocol.
        ends: bool,
    },
    /// SPDY tunneled in WebSocket.
    Tunnel,
    /// SPDY.
    Spdy,
    /// A single stream of WebSocket messages from the server to the client.
    Messages {
        /// True if the messages are text, false if they are binary.
        text: bool,
    },
}

/// Decodes and encodes a protocol.
#[derive(Debug)]
pub(crate) struct Codec {
    /// The decoder of the WebSocket frames around the inner protocol.
    socket: Option<Decoder>,
    spdy: Option<Spdy>,
    /// The channel of the message that is being received.
    channel: Option<u8>,
    ends: bool,
    /// Set if the protocol has a single stream instead of channels: true if its messages are text.
    single: Option<bool>,
    replies: Vec<u8>,
}

impl Codec {
    pub(crate) fn new(protocol: Protocol) -> Self {
        Self {
            socket: (protocol != Protocol::Spdy).then(Decoder::default),
            spdy: matches!(protocol, Protocol::Tunnel | Protocol::Spdy).then(Spdy::new),
            channel: None,
            ends: protocol == Protocol::Channels { ends: true },
            single: match protocol {
                Protocol::Messages { text } => Some(text),
                Protocol::Channels { .. } | Protocol::Tunnel | Protocol::Spdy => None,
            },
            replies: Vec::new(),
        }
    }

    /// Returns true if the client opens streams one by one.
    pub(crate) fn has_streams(&self) -> bool {
        self.spdy.is_some()
    }

    /// Decodes the next bytes and returns their events.
    ///
    /// # Errors
    /// Returns an error if the bytes violate the protocol.
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

    /// Decodes the payload of messages.
    fn inner(&mut self, bytes: &[u8], first: bool, events: &mut Vec<Event>) -> Result<(), Broken> {
        if let Some(spdy) = &mut self.spdy {
            spdy.read(bytes, events)?;
            // Sent before the events are handled, because a client waits for the reply to each stream that it opens.
            let replies = spdy.replies();
            self.wrap(&[&replies]);
            return Ok(());
        }
        // The server ignores the client's messages in this protocol.
        if self.single.is_some() {
            return Ok(());
        }
        if first {
            self.channel = None;
        }
        let (channel, bytes) = match (self.channel, bytes) {
            (Some(channel), bytes) => (channel, bytes),
            (None, [channel, bytes @ ..]) => (*channel, bytes),
            // The channel number arrives with the next piece.
            (None, []) => return Ok(()),
        };
        self.channel = Some(channel);
        // In version 4, this number is an ordinary channel.
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
        // Nothing is sent, because even an empty message would need a channel number.
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

    /// Encodes bytes of a stream; `ends` closes it after them. Channels cannot be closed by the server.
    pub(crate) fn write(&mut self, stream: u32, bytes: &[u8], ends: bool) {
        if self.spdy.is_some() {
            // A frame is sent in one message, because its head cannot be used without its data.
            let mut frame = Vec::with_capacity(bytes.len() + 8);
            spdy::data(stream, bytes, ends, &mut frame);
            return self.wrap(&[&frame]);
        }
        if let Some(is_text) = self.single {
            // An empty message is significant here, so it is sent.
            return websocket::whole(is_text, bytes, &mut self.replies);
        }
        if !(ends && bytes.is_empty()) {
            // The number of a channel is a single byte.
            let channel = u8::try_from(stream).unwrap_or(u8::MAX);
            self.wrap(&[&[channel], bytes]);
        }
    }

    /// Encodes the end of the connection.
    pub(crate) fn close(&mut self, code: u16) {
        if self.socket.is_some() {
            websocket::close(code, &mut self.replies);
        }
    }

    /// Takes the bytes to send.
    pub(crate) fn written(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }
}
