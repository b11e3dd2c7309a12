//! Streaming responses over WebSocket: watches and logs.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{HeaderMap, HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::mpsc;

use super::pump::{self, Message, Taker};
use super::{ConnectionResources, PATIENCE, proof, refused, switch};
use crate::Response;
use crate::http::head::Head;
use crate::http::login::is_bearer;
use crate::http::pipe;
use crate::http::shared::Shared;
use crate::sys::net::within;
use crate::wire::{Codec, Event, Protocol};

/// The protocols for logs. Without a protocol, logs are binary, too.
const LOGS: [&str; 2] = ["binary.k8s.io", "base64.binary.k8s.io"];

/// The content of a streaming response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Events, as one line of JSON each.
    Lines,
    /// Events in protobuf, each preceded by its length.
    Prefixed,
    /// Text, in pieces of any size.
    Text,
}

/// How a client wants to receive a streaming response as messages.
#[derive(Debug)]
pub(crate) struct Streamed {
    pub(crate) headers: HeaderMap,
    content: Content,
    encoded: bool,
}

/// Returns how a client wants to receive a streaming response as messages; `None` if it does not.
///
/// # Errors
/// Returns the API server's response if no protocol fits.
pub(crate) fn agree(head: &Head, content: Content) -> Option<Result<Streamed, Box<Response>>> {
    head.is_socket().then(|| handshake(head, content))
}

fn handshake(head: &Head, content: Content) -> Result<Streamed, Box<Response>> {
    let proof = proof(head)?;
    let asked = head.offered("sec-websocket-protocol");
    let asked: Vec<&str> = asked.into_iter().filter(|own| !is_bearer(own)).collect();
    let name = match (content, asked.as_slice()) {
        (_, []) => "",
        (Content::Text, asked) => {
            let known = asked.iter().find(|own| LOGS.contains(own));
            let none = || {
                let why = format!(
                    "requested protocol(s) are not supported: {asked:?}; supports {LOGS:?}"
                );
                refused(403, &why)
            };
            known.ok_or_else(none)?
        }
        // As in the API server, a watch accepts any protocol.
        (_, [one]) => one,
        _ => return Err(refused(400, "bad WebSocket handshake")),
    };
    let mut headers = switch("websocket");
    headers.extend(proof);
    // A name that a client has sent is a valid header value.
    if let (false, Ok(name)) = (name.is_empty(), HeaderValue::from_str(name)) {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, name);
    }
    // A watch may use the same name, but always sends text.
    let encoded = name == LOGS[1] && content == Content::Text;
    Ok(Streamed {
        headers,
        content,
        encoded,
    })
}

/// Ignores what the client sends, as the API server does.
struct Deaf;

impl Taker for Deaf {
    fn take(&mut self, _: Event, _: &mut Codec) {}

    fn is_full(&self, _: &Context<'_>) -> bool {
        false
    }
}

/// Sends a streaming response as messages until one side ends.
pub(crate) async fn run(
    streamed: Streamed,
    from: pipe::Receiver,
    upgrade: OnUpgrade,
    held: ConnectionResources,
    shared: Arc<Shared>,
) {
    // The client may have gone by now.
    let Ok(Ok(upgraded)) = within(PATIENCE, upgrade).await else {
        return;
    };
    let protocol = match (streamed.content, streamed.encoded) {
        (Content::Lines, _) | (_, true) => Protocol::Messages { text: true },
        _ => Protocol::Messages { text: false },
    };
    let link = pump::Link {
        io: TokioIo::new(upgraded),
        protocol,
        held,
        shared,
    };
    // One message at a time, so that the pipe notices a client that does not read.
    let (to, messages) = mpsc::channel(1);
    // The pump ends once the sender is dropped and the last message is sent.
    tokio::spawn(pump::run(link, messages, Deaf));
    let mut cutter = Cutter::new(&streamed);
    // The first message of a log is empty, which tells the client that it is connected.
    if streamed.content == Content::Text && to.send(message(Vec::new())).await.is_err() {
        return;
    }
    let mut closed = pin!(to.closed());
    // When the connection ends, so does the response, which may otherwise be silent for hours.
    let mut next = poll_fn(|cx| match closed.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(None),
        Poll::Pending => from.poll_next(cx),
    });
    while let Some(Ok(piece)) = (&mut next).await {
        for cut in cutter.cut(&piece) {
            if to.send(message(cut)).await.is_err() {
                return;
            }
        }
    }
}

fn message(bytes: Vec<u8>) -> Message {
    Message {
        stream: 0,
        bytes,
        ends: false,
    }
}

/// Cuts a response into messages.
struct Cutter {
    content: Content,
    encoded: bool,
    /// The start of an incomplete event.
    rest: Vec<u8>,
}

impl Cutter {
    fn new(streamed: &Streamed) -> Self {
        Self {
            content: streamed.content,
            encoded: streamed.encoded,
            rest: Vec::new(),
        }
    }

    fn cut(&mut self, piece: &[u8]) -> Vec<Vec<u8>> {
        if self.content == Content::Text {
            // Only the first message is empty.
            if piece.is_empty() {
                return Vec::new();
            }
            let text = match self.encoded {
                true => BASE64_STANDARD.encode(piece).into_bytes(),
                false => piece.to_vec(),
            };
            return vec![text];
        }
        // A piece may end anywhere, so an incomplete event waits for its rest.
        self.rest.extend_from_slice(piece);
        let (mut cuts, mut begin) = (Vec::new(), 0);
        while let Some((skipped, end)) = self.event(&self.rest[begin..]) {
            cuts.push(self.rest[begin + skipped..begin + end].to_vec());
            begin += end;
        }
        self.rest.drain(..begin);
        cuts
    }

    /// Returns the range of the next complete event.
    fn event(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        if self.content == Content::Lines {
            let end = bytes.iter().position(|byte| *byte == b'\n')?;
            return Some((0, end + 1));
        }
        let (length, _) = bytes.split_first_chunk::<4>()?;
        let end = 4 + usize::try_from(u32::from_be_bytes(*length)).ok()?;
        (end <= bytes.len()).then_some((4, end))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::super::super::tests::{asked, served};
    use super::*;
    use crate::http::shared::Limits;

    #[test]
    fn events_become_messages_however_they_arrive() {
        let cut = |content, encoded, pieces: &[&[u8]]| {
            let mut cutter = Cutter {
                content,
                encoded,
                rest: Vec::new(),
            };
            let cuts = pieces.iter().flat_map(|piece| cutter.cut(piece));
            cuts.map(|cut| String::from_utf8(cut).unwrap())
                .collect::<Vec<_>>()
        };
        let lines = [&b"{1}\n{2"[..], b"}\n", b"{3}"];
        assert_eq!(cut(Content::Lines, false, &lines), ["{1}\n", "{2}\n"]);
        let prefixed = [&b"\0\0\0\x02ab\0\0"[..], b"\0\x01c\0\0\0\x05d"];
        assert_eq!(cut(Content::Prefixed, false, &prefixed), ["ab", "c"]);
        assert_eq!(cut(Content::Text, true, &[b"a\nb", b"c"]), ["YQpi", "Yw=="]);
        let text = [&b"a\nb"[..], b"", b"c"];
        assert_eq!(cut(Content::Text, false, &text), ["a\nb", "c"]);
    }

    #[test]
    fn a_watch_over_a_websocket_has_a_message_for_each_event() {
        let get = |path: &str, protocol: &str| {
            let sent = format!(
                "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{protocol}\r\n"
            );
            served(Limits::default(), |address, _| {
                let mut got = Vec::new();
                // The connection may end with a reset.
                let _ = asked(address, &sent).read_to_end(&mut got);
                String::from_utf8_lossy(&got).into_owned()
            })
        };
        let watch = "/api/v1/namespaces?watch=1&timeoutSeconds=1";
        let got = get(watch, "");
        assert!(got.starts_with("HTTP/1.1 101 "), "{got}");
        assert!(got.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{got}");
        assert!(
            !got.to_lowercase().contains("sec-websocket-protocol"),
            "{got}"
        );
        assert_eq!(got.matches("\"type\":\"ADDED\"").count(), 4, "{got}");
        let one = get(watch, "Sec-WebSocket-Protocol: mine.example.com\r\n");
        let named = one.to_lowercase();
        assert!(
            named.contains("sec-websocket-protocol: mine.example.com\r\n"),
            "{one}"
        );
        let two = get(watch, "Sec-WebSocket-Protocol: a, b\r\n");
        assert!(two.starts_with("HTTP/1.1 400 "), "{two}");
        // Other responses are not sent as messages.
        let list = get("/api/v1/namespaces", "Connection: close\r\n");
        assert!(list.starts_with("HTTP/1.1 200 "), "{list}");
    }
}
