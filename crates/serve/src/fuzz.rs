//! The entry points of fuzzers and of their counterparts in `cargo test`. For any bytes on a connection, the server
//! closes the connection or sends a valid response.

use std::io;
use std::pin::Pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Runtime;

use super::Service;
use super::http::server::serve;
use super::http::shared::{ConnectionState, Limits, Shared};
use crate::cluster::Cluster;
use crate::sys::net::{Socket, runtime};
use crate::wire::{Broken, Codec, Event, Protocol};

static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| runtime(64));

/// A simulated connection that records the server's output.
#[derive(Debug, Default)]
struct Tape {
    sent: Vec<u8>,
    taken: usize,
    /// The maximum number of bytes to arrive at once.
    piece: usize,
    /// True if the client keeps the connection open after sending everything.
    stays: bool,
    got: Arc<Mutex<Vec<u8>>>,
}

impl AsyncRead for Tape {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.sent.len() - self.taken;
        let piece = self.piece.min(buffer.remaining()).min(left);
        if left == 0 && self.stays {
            return Poll::Pending;
        }
        buffer.put_slice(&self.sent[self.taken..self.taken + piece]);
        self.taken += piece;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tape {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut got = self.got.lock().unwrap_or_else(PoisonError::into_inner);
        got.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Returns the shared state of a server on a loopback address.
pub(super) fn shared(limits: Limits, stops: bool) -> Arc<Shared> {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 80));
    Arc::new(Shared::new(
        limits,
        Some(address),
        Arc::new(AtomicBool::new(stops)),
    ))
}

/// The bytes that a client sends, and how it sends them.
#[derive(Clone, Copy)]
pub(super) struct Sends<'b> {
    pub(super) bytes: &'b [u8],
    /// The maximum number of bytes to arrive at once.
    pub(super) piece: usize,
    /// True if the client waits for the server to close the connection.
    pub(super) stays: bool,
}

/// Returns a client that sends bytes, and a buffer for the server's output.
pub(super) fn client(sends: Sends<'_>) -> (impl Socket + 'static, Arc<Mutex<Vec<u8>>>) {
    let tape = Tape {
        sent: sends.bytes.to_vec(),
        piece: sends.piece,
        stays: sends.stays,
        ..Tape::default()
    };
    let got = Arc::clone(&tape.got);
    (tape, got)
}

/// Sends bytes to a server and returns its responses.
pub(super) fn converse<S: Service + 'static>(
    service: &Arc<S>,
    sends: Sends<'_>,
    shared: &Arc<Shared>,
) -> Vec<u8> {
    let (tape, got) = client(sends);
    if let Ok(runtime) = &*RUNTIME {
        runtime.block_on(serve(
            tape,
            Arc::clone(service),
            ConnectionState::new(shared, None),
        ));
    }
    std::mem::take(&mut got.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Sends bytes over a connection to a cluster, where watches end at once.
pub fn connection(cluster: &'static Cluster, bytes: &[u8]) {
    let shared = shared(Limits::default(), true);
    let sends = Sends {
        bytes,
        piece: 1 + bytes.len() / 3,
        stays: false,
    };
    let got = converse(&Arc::new(cluster), sends, &shared);
    // The server responds to the preface of an HTTP/2 connection with frames.
    let begins = got.starts_with(b"HTTP/1.1 ") || bytes.starts_with(b"PRI ");
    assert!(
        got.is_empty() || begins,
        "{:?}",
        String::from_utf8_lossy(&got)
    );
}

/// Decodes bytes as an object in protobuf, then encodes and decodes it again.
#[cfg(feature = "fuzz")]
pub fn protobuf(bytes: &[u8]) {
    crate::protobuf::fuzz::body(bytes);
}

/// Decodes bytes of an upgraded connection in each of its protocols. The streams must not depend on how the bytes are
/// split, and the size of the output is bounded by that of the input.
pub fn frames(bytes: &[u8]) {
    for protocol in [
        Protocol::Channels { ends: false },
        Protocol::Channels { ends: true },
        Protocol::Tunnel,
        Protocol::Spdy,
    ] {
        let whole = read(protocol, bytes, bytes.len().max(1));
        for piece in [1, 7] {
            assert_eq!(read(protocol, bytes, piece), whole, "{protocol:?} {piece}");
        }
    }
}

/// Returns the events in bytes that arrive in pieces of this size, with adjacent data joined, and the code of an
/// error.
fn read(protocol: Protocol, bytes: &[u8], piece: usize) -> (Vec<Event>, Option<u16>) {
    let (mut codec, mut all) = (Codec::new(protocol), Vec::<Event>::new());
    let mut sent = 0;
    for piece in bytes.chunks(piece) {
        let events = match codec.read(piece) {
            Ok(events) => events,
            // How many events precede the error depends on how the bytes are split.
            Err(Broken(code)) => return (Vec::new(), Some(code)),
        };
        sent += codec.written().len();
        for event in events {
            match (all.last_mut(), event) {
                (
                    Some(Event::Data { stream, bytes }),
                    Event::Data {
                        stream: own,
                        bytes: more,
                    },
                ) if *stream == own => {
                    bytes.extend(more);
                }
                (_, event) => all.push(event),
            }
        }
    }
    // The reply to a ping has the ping's size, and a stream causes one short reply.
    assert!(
        sent <= 4 * bytes.len() + 64,
        "{sent} bytes for {}",
        bytes.len()
    );
    (all, None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cluster::testing::{Scratch, fresh};

    static CLUSTER: LazyLock<Scratch> = LazyLock::new(fresh);

    fn word(words: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop_oneof![
            12 => proptest::sample::select(words).prop_map(str::to_owned),
            1 => "[ -~]{0,8}",
        ]
    }

    fn path() -> impl Strategy<Value = String> {
        let words = word(&[
            "api",
            "apis",
            "v1",
            "apps",
            "namespaces",
            "default",
            "configmaps",
            "pods",
            "deployments",
            "a",
            "status",
            "scale",
            "log",
            "eviction",
            "binding",
            "token",
            "openapi",
            "v3",
            "..",
            "%2e",
            "nodes",
            "customresourcedefinitions",
            "apiextensions.k8s.io",
            "",
        ]);
        proptest::collection::vec(words, 0..8).prop_map(|words| format!("/{}", words.join("/")))
    }

    fn query() -> impl Strategy<Value = String> {
        let names = word(&[
            "watch",
            "limit",
            "continue",
            "labelSelector",
            "fieldSelector",
            "resourceVersion",
            "dryRun",
            "fieldManager",
            "force",
            "fieldValidation",
            "resourceVersionMatch",
            "timeoutSeconds",
            "includeObject",
            "pretty",
            "sendInitialEvents",
            "gracePeriodSeconds",
            "propagationPolicy",
        ]);
        let values = word(&[
            "",
            "1",
            "0",
            "true",
            "All",
            "a%3Db",
            "metadata.name%3Da",
            "NotOlderThan",
            "Exact",
            "-1",
            "99999999999999999999",
            "Strict",
            "Foreground",
            "me",
            "%zz",
            "%00",
        ]);
        let pair = (names, values).prop_map(|(name, value)| format!("{name}={value}"));
        proptest::collection::vec(pair, 0..4).prop_map(|pairs| pairs.join("&"))
    }

    fn body() -> impl Strategy<Value = String> {
        word(&[
            "",
            "{}",
            "[]",
            "null",
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}"#,
            r#"{"metadata":{"finalizers":["x.io/a"]}}"#,
            r#"{"data":{"k":null}}"#,
            r#"[{"op":"add","path":"/data","value":{}}]"#,
            r#"{"kind":"DeleteOptions","preconditions":{"uid":"x"}}"#,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
            r#"{"spec":{"replicas":"many"}}"#,
        ])
    }

    fn media() -> impl Strategy<Value = String> {
        word(&[
            "",
            "*/*",
            "application/json",
            "application/yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml",
            "application/vnd.kubernetes.protobuf",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        ])
    }

    proptest! {
        #[test]
        fn arbitrary_requests_get_a_response(
            method in word(&["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]),
            (path, query) in (path(), query()),
            (accept, media) in (media(), media()),
            body in body(),
        ) {
            let request = format!(
                "{method} {path}?{query} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\
                 Content-Type: {media}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            connection(&CLUSTER, request.as_bytes());
        }

        #[test]
        fn arbitrary_bytes_get_a_response_or_a_closed_connection(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            connection(&CLUSTER, &bytes);
            let mut almost = b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n\
                Transfer-Encoding: chunked\r\n\r\n".to_vec();
            almost.extend_from_slice(&bytes);
            connection(&CLUSTER, &almost);
        }
    }

    /// Generates frames that a client may send, and nearly valid ones.
    fn frame() -> impl Strategy<Value = Vec<u8>> {
        let head = proptest::sample::select(vec![
            0x82_u8, 0x81, 0x02, 0x80, 0x00, 0x88, 0x89, 0x8a, 0xc2,
        ]);
        let inner = prop_oneof![
            3 => proptest::collection::vec(any::<u8>(), 0..40),
            // The start of a SPDY frame: of a control frame or of data.
            1 => (1_u8..10, 0_u8..20).prop_map(|(kind, length)| {
                let mut frame = vec![0x80, 3, 0, kind, 0, 0, 0, length];
                frame.resize(8 + usize::from(length), 1);
                frame
            }),
            1 => (0_u8..4).prop_map(|stream| vec![0, 0, 0, stream, 1, 0, 0, 1, b'x']),
        ];
        (head, any::<[u8; 4]>(), inner).prop_map(|(head, mask, inner)| {
            let length = u8::try_from(inner.len()).unwrap();
            let masked = inner
                .iter()
                .zip(mask.iter().cycle())
                .map(|(byte, key)| byte ^ key);
            [
                &[head, 0x80 | length],
                mask.as_slice(),
                &masked.collect::<Vec<_>>(),
            ]
            .concat()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn frame_parsing_is_independent_of_chunk_boundaries(
            all in proptest::collection::vec(frame(), 0..6),
            noise in proptest::collection::vec(any::<u8>(), 0..12),
        ) {
            super::frames(&[all.concat(), noise.clone()].concat());
            // Without other frames around it, as in plain SPDY.
            super::frames(&noise);
        }
    }
}
