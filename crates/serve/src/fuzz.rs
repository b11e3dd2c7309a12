//! Entry points for fuzzers, and their twins in `cargo test`: whatever comes over a connection, the
//! server returns it or hangs up, and what it sends is a response.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::http::exchange::{self, Line};
use super::http::server::{Limits, Shared};
use crate::cluster::Cluster;
use crate::sys::net::Closer;

/// A connection that was recorded; what is returned is kept.
#[derive(Debug, Default)]
pub(super) struct Tape<'t> {
    pub(super) sent: &'t [u8],
    /// At most so many bytes come at a time.
    pub(super) piece: usize,
    pub(super) got: Vec<u8>,
}

impl Read for Tape<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.piece.min(buffer.len()).min(self.sent.len());
        buffer[..piece].copy_from_slice(&self.sent[..piece]);
        self.sent = &self.sent[piece..];
        Ok(piece)
    }
}

impl Write for Tape<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.got.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Line for &mut Tape<'_> {
    fn read_within(&mut self, _: Duration) {}

    fn is_gone(&self) -> bool {
        false
    }

    fn finish(&mut self) {}

    fn can_write(&self, _: Duration) -> bool {
        true
    }

    fn closer(&self) -> Option<Closer> {
        None
    }
}

/// Returns the shared state of a server on a loopback address.
pub(super) fn shared(limits: Limits, stops: bool) -> Shared {
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 80));
    Shared::new(limits, address, Arc::new(AtomicBool::new(stops)))
}

/// Sends bytes over a connection to a cluster; a watch is over at once.
pub fn connection(cluster: &Cluster, bytes: &[u8]) {
    let mut tape = Tape {
        sent: bytes,
        piece: 1 + bytes.len() / 3,
        got: Vec::new(),
    };
    exchange::run(&mut tape, cluster, &shared(Limits::default(), true));
    let begins = tape.got.starts_with(b"HTTP/1.1 ");
    assert!(
        tape.got.is_empty() || begins,
        "{:?}",
        String::from_utf8_lossy(&tape.got)
    );
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

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
        fn any_request_is_answered(
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
        fn any_bytes_are_answered_or_hung_up_on(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            connection(&CLUSTER, &bytes);
            let mut almost = b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n\
                Transfer-Encoding: chunked\r\n\r\n".to_vec();
            almost.extend_from_slice(&bytes);
            connection(&CLUSTER, &almost);
        }
    }
}
