//! The server side of SPDY/3.1: a client opens several streams over one connection.
//!
//! Flow-control windows are ignored, as by the clients of Kubernetes.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::event::{Broken, Event, PROTOCOL_ERROR};
use super::headers::{self, Reader};

/// The maximum size of a control frame in bytes.
const LONGEST_CONTROL: usize = 16 * 1024;

/// The maximum number of open streams.
const MOST_STREAMS: usize = 256;

const SYN_STREAM: u16 = 1;
const SYN_REPLY: u16 = 2;
const RST_STREAM: u16 = 3;
const PING: u16 = 6;
const GOAWAY: u16 = 7;
const HEADERS: u16 = 8;

/// The flag of a stream's last frame.
const FIN: u8 = 1;

/// The status for a stream that exceeds the maximum.
const REFUSED_STREAM: u32 = 3;

/// A data frame of which more bytes are expected.
#[derive(Debug)]
struct Data {
    stream: u32,
    left: usize,
    fin: bool,
}

/// Decodes frames from arbitrary pieces of bytes, and encodes the server's frames.
#[derive(Debug)]
pub(crate) struct Spdy {
    /// The bytes of an incomplete frame.
    held: Vec<u8>,
    data: Option<Data>,
    headers: Reader,
    has_replied: bool,
    /// Streams that the client has not closed.
    open: BTreeSet<u32>,
    /// Frames to send in response to the input.
    replies: Vec<u8>,
}

impl Spdy {
    pub(crate) fn new() -> Self {
        Self {
            held: Vec::new(),
            data: None,
            headers: Reader::new(),
            has_replied: false,
            open: BTreeSet::new(),
            replies: Vec::new(),
        }
    }

    /// Decodes the next bytes and appends their events.
    ///
    /// # Errors
    /// Returns an error if the bytes are not valid frames.
    pub(crate) fn read(&mut self, mut bytes: &[u8], events: &mut Vec<Event>) -> Result<(), Broken> {
        while !bytes.is_empty() {
            bytes = match self.data.take() {
                Some(data) => self.pass_on(data, bytes, events),
                None => self.collect(bytes, events)?,
            };
        }
        Ok(())
    }

    /// Takes the frames to send in response to the input.
    pub(crate) fn replies(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.replies)
    }

    /// Appends an event for a piece of data; returns the bytes after it.
    fn pass_on<'b>(
        &mut self,
        mut data: Data,
        bytes: &'b [u8],
        events: &mut Vec<Event>,
    ) -> &'b [u8] {
        let (now, rest) = bytes.split_at(data.left.min(bytes.len()));
        let stream = data.stream;
        // Data is discarded if its stream was reset or never opened.
        let is_open = self.open.contains(&stream);
        if is_open && !now.is_empty() {
            let bytes = now.to_vec();
            events.push(Event::Data { stream, bytes });
        }
        data.left -= now.len();
        if data.left > 0 {
            self.data = Some(data);
        } else if data.fin && is_open {
            self.open.remove(&stream);
            events.push(Event::End { stream });
        }
        rest
    }

    /// Collects the head of a data frame, or a whole control frame; returns the bytes after it.
    fn collect<'b>(
        &mut self,
        bytes: &'b [u8],
        events: &mut Vec<Event>,
    ) -> Result<&'b [u8], Broken> {
        let needed = match self.held.as_slice() {
            [first, _, _, _, _, high, middle, low, ..] if first & 0x80 != 0 => {
                8 + length(*high, *middle, *low)
            }
            _ => 8,
        };
        // Control frames are buffered as a whole, so their size must be limited.
        if needed > LONGEST_CONTROL {
            return Err(PROTOCOL_ERROR);
        }
        let (now, rest) = bytes.split_at((needed - self.held.len()).min(bytes.len()));
        self.held.extend_from_slice(now);
        let [a, b, c, d, flags, high, middle, low, body @ ..] = self.held.as_slice() else {
            return Ok(rest);
        };
        let left = length(*high, *middle, *low);
        if a & 0x80 != 0 {
            if body.len() == left {
                let (version, kind) = (u16::from_be_bytes([a & 0x7f, *b]), [*c, *d]);
                let (kind, flags) = (u16::from_be_bytes(kind), *flags);
                let body = body.to_vec();
                self.held.clear();
                if version != 3 {
                    return Err(PROTOCOL_ERROR);
                }
                self.control(kind, flags, &body, events)?;
            }
            return Ok(rest);
        }
        let data = Data {
            stream: u32::from_be_bytes([*a, *b, *c, *d]),
            left,
            fin: flags & FIN != 0,
        };
        self.held.clear();
        // A frame without data is complete, because no further bytes will arrive for it.
        self.data = match data.left {
            0 => {
                self.pass_on(data, &[], events);
                None
            }
            _ => Some(data),
        };
        Ok(rest)
    }

    /// Handles a control frame.
    fn control(
        &mut self,
        kind: u16,
        flags: u8,
        body: &[u8],
        events: &mut Vec<Event>,
    ) -> Result<(), Broken> {
        let number = || {
            let (first, rest) = body.split_first_chunk().ok_or(PROTOCOL_ERROR)?;
            Ok((u32::from_be_bytes(*first) & 0x7fff_ffff, rest))
        };
        match kind {
            SYN_STREAM => {
                let (stream, rest) = number()?;
                // Skips the associated stream and the priority.
                let block = rest.get(6..).ok_or(PROTOCOL_ERROR)?;
                // Always decoded, because all blocks share a compressor.
                let headers = self.headers.read(block)?;
                if self.open.len() >= MOST_STREAMS {
                    self.reset(stream);
                    return Ok(());
                }
                // Every stream is accepted here; one that is not used is closed later.
                self.reply(stream);
                self.open.insert(stream);
                events.push(Event::Open { stream, headers });
                if flags & FIN != 0 {
                    self.open.remove(&stream);
                    events.push(Event::End { stream });
                }
            }
            // The headers are not used, but decoding the next block needs the compressor's state after this one.
            HEADERS => {
                let (_, block) = number()?;
                self.headers.read(block)?;
            }
            RST_STREAM => {
                let (stream, _) = number()?;
                self.open.remove(&stream);
                events.push(Event::Reset { stream });
            }
            PING => {
                let (id, _) = number()?;
                // Even numbers identify the server's own pings, and it sends none.
                if id % 2 == 1 {
                    control(PING, 0, &id.to_be_bytes(), &mut self.replies);
                }
            }
            GOAWAY => events.push(Event::Over),
            // Settings and windows have no effect on this server.
            _ => {}
        }
        Ok(())
    }

    fn reply(&mut self, stream: u32) {
        let mut body = stream.to_be_bytes().to_vec();
        // The zlib header is sent once in each direction.
        headers::empty(!self.has_replied, &mut body);
        self.has_replied = true;
        control(SYN_REPLY, 0, &body, &mut self.replies);
    }

    fn reset(&mut self, stream: u32) {
        let body = [stream.to_be_bytes(), REFUSED_STREAM.to_be_bytes()].concat();
        control(RST_STREAM, 0, &body, &mut self.replies);
    }
}

/// Appends a data frame; `ends` marks it as the last one of its stream.
pub(crate) fn data(stream: u32, bytes: &[u8], ends: bool, out: &mut Vec<u8>) {
    out.extend((stream & 0x7fff_ffff).to_be_bytes());
    out.push(if ends { FIN } else { 0 });
    out.extend(three(bytes.len()));
    out.extend_from_slice(bytes);
}

fn control(kind: u16, flags: u8, body: &[u8], out: &mut Vec<u8>) {
    out.extend([0x80, 3]);
    out.extend(kind.to_be_bytes());
    out.push(flags);
    out.extend(three(body.len()));
    out.extend_from_slice(body);
}

/// Returns a length as three bytes.
fn three(length: usize) -> [u8; 3] {
    let [_, high, middle, low] = u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes();
    [high, middle, low]
}

fn length(high: u8, middle: u8, low: u8) -> usize {
    usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low)
}
