//! One connection to an etcd member, and gRPC's frames on its streams.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Method, Request, Version};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio_rustls::TlsConnector;

use crate::error::{EtcdError, Result};
use crate::sys::net::{self, Socket};
use crate::tls;

/// The flow-control windows of a stream and of the connection, large enough for a page of a list without waiting for
/// credit.
const WINDOW: u32 = 8 * 1024 * 1024;

/// The longest message to accept; callers page their reads to stay below it.
const LONGEST: usize = 256 * 1024 * 1024;

/// A flag byte and four bytes of length precede each message.
const FRAME: usize = 5;

/// A connection to one member.
#[derive(Clone)]
pub(crate) struct Channel {
    send: SendRequest<Bytes>,
    address: Arc<str>,
    secure: bool,
}

impl Channel {
    /// Connects to a member. The task that drives the connection ends with it.
    pub(crate) async fn connect(
        address: &Arc<str>,
        tls: Option<&Arc<ClientConfig>>,
    ) -> io::Result<Self> {
        let socket = net::connect(address).await?;
        let socket: Box<dyn Socket> = match tls {
            None => socket,
            Some(config) => {
                let host = address
                    .rsplit_once(':')
                    .map_or(&**address, |(host, _)| host);
                // A certificate contains an IPv6 address without brackets.
                let host = host.trim_start_matches('[').trim_end_matches(']');
                let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
                let connector = TlsConnector::from(Arc::clone(config));
                let connected = connector.connect(name, socket).await;
                Box::new(connected.map_err(tls::of_handshake)?)
            }
        };
        let handshake = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(2 * WINDOW)
            .handshake(socket);
        let (send, connection) = handshake.await.map_err(io::Error::other)?;
        tokio::spawn(async move {
            // An error of the connection reaches every stream on it, and the streams report it.
            drop(connection.await);
        });
        Ok(Self {
            send,
            address: Arc::clone(address),
            secure: tls.is_some(),
        })
    }

    /// Opens a stream and sends the first message on it. [`EtcdError::Unreachable`] means that nothing was sent.
    pub(crate) async fn open(&self, path: &str, message: &[u8], last: bool) -> Result<Call> {
        let scheme = if self.secure { "https" } else { "http" };
        let mut request = Request::builder()
            .version(Version::HTTP_2)
            .method(Method::POST)
            .uri(format!("{scheme}://{}{path}", self.address))
            .header("content-type", "application/grpc");
        if !last {
            // With this header, a member that is cut off from the others ends the stream. Without it, the member would
            // keep a watch that never returns a change, and would even confirm that the watch is up to date.
            request = request.header("hasleader", "true");
        }
        let request = request
            // gRPC servers reject a client that does not announce that it accepts trailers.
            .header("te", "trailers")
            .body(())
            .map_err(|e| EtcdError::Config(e.to_string()))?;
        let unsent = |e: h2::Error| {
            let reason = format!("{}: {e}", self.address);
            tls::refusal(&reason).unwrap_or(EtcdError::Unreachable(reason))
        };
        let mut ready = self.send.clone().ready().await.map_err(unsent)?;
        let (response, mut send) = ready.send_request(request, false).map_err(unsent)?;
        // h2 buffers whatever exceeds the window, so a long message needs no loop here.
        if let Err(error) = send.send_data(frame(message), last) {
            // The connection has ended since the head was sent. Only the response has the reason, such as a rejected
            // certificate; the error here is that the stream is inactive.
            return Err(lost(response.await.err().unwrap_or(error)));
        }
        Ok(Call {
            response: Some(response),
            send,
            body: None,
            buffer: BytesMut::new(),
            status: None,
        })
    }
}

/// The stream of one call, read message by message.
pub(crate) struct Call {
    response: Option<h2::client::ResponseFuture>,
    send: SendStream<Bytes>,
    body: Option<RecvStream>,
    buffer: BytesMut,
    status: Option<HeaderMap>,
}

impl Call {
    /// Sends another message.
    pub(crate) fn send(&mut self, message: &[u8]) -> Result<()> {
        self.send.send_data(frame(message), false).map_err(lost)
    }

    /// Returns the next message, or `None` at the end of a stream with gRPC's status OK.
    ///
    /// Dropping the future loses nothing: whatever has arrived is in the buffer.
    pub(crate) async fn next(&mut self, path: &'static str) -> Result<Option<Bytes>> {
        if let Some(response) = &mut self.response {
            let response = response.await.map_err(lost)?;
            self.response = None;
            let (head, body) = response.into_parts();
            // An error of a proxy, which may have forwarded the request before.
            if !head.status.is_success() {
                return Err(EtcdError::Lost(format!("HTTP status {}", head.status)));
            }
            // The headers contain the status if the call fails at once; otherwise, the trailers do.
            self.status = head
                .headers
                .contains_key("grpc-status")
                .then_some(head.headers);
            self.body = Some(body);
        }
        let Some(body) = &mut self.body else {
            return Ok(None);
        };
        loop {
            if let Some(message) = unframe(&mut self.buffer, path)? {
                return Ok(Some(message));
            }
            match poll_fn(|context| body.poll_data(context)).await {
                Some(chunk) => {
                    let chunk = chunk.map_err(lost)?;
                    // Without this credit, the sender stops at the end of the window.
                    body.flow_control()
                        .release_capacity(chunk.len())
                        .map_err(lost)?;
                    self.buffer.extend_from_slice(&chunk);
                }
                None => break,
            }
        }
        let trailers = body.trailers().await.map_err(lost)?;
        match trailers.as_ref().or(self.status.as_ref()) {
            Some(status) => success(status).map(|()| None),
            // A stream that was cut off says nothing about the effects in etcd.
            None => Err(EtcdError::Lost(
                "the stream ended without a status".to_owned(),
            )),
        }
    }
}

fn lost(error: h2::Error) -> EtcdError {
    let reason = error.to_string();
    tls::refusal(&reason).unwrap_or(EtcdError::Lost(reason))
}

fn frame(message: &[u8]) -> Bytes {
    let mut framed = Vec::with_capacity(FRAME + message.len());
    framed.push(0);
    // etcd rejects requests over 1.5 MiB, long before the length could overflow.
    framed.extend((message.len() as u32).to_be_bytes());
    framed.extend(message);
    framed.into()
}

fn unframe(buffer: &mut BytesMut, path: &'static str) -> Result<Option<Bytes>> {
    let Some((&[flag, a, b, c, d], rest)) = buffer.split_first_chunk::<FRAME>() else {
        return Ok(None);
    };
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    // The client does not offer compression, so any other flag means a different protocol.
    if flag != 0 || length > LONGEST {
        return Err(EtcdError::Malformed(path));
    }
    if rest.len() < length {
        return Ok(None);
    }
    buffer.advance(FRAME);
    Ok(Some(buffer.split_to(length).freeze()))
}

fn success(status: &HeaderMap) -> Result<()> {
    let read = |name| status.get(name).and_then(|v| v.to_str().ok());
    match read("grpc-status").and_then(|code| code.parse().ok()) {
        Some(0) => Ok(()),
        Some(code) => Err(EtcdError::of_status(
            code,
            read("grpc-message").unwrap_or_default(),
        )),
        None => Err(EtcdError::Lost(
            "the status of the call is missing".to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_once_it_is_whole() {
        let framed = frame(b"hello");
        let mut buffer = BytesMut::new();
        for byte in framed.iter().take(framed.len() - 1) {
            buffer.extend_from_slice(&[*byte]);
            assert_eq!(unframe(&mut buffer, "x"), Ok(None));
        }
        buffer.extend_from_slice(&framed[framed.len() - 1..]);
        assert_eq!(
            unframe(&mut buffer, "x"),
            Ok(Some(Bytes::from_static(b"hello")))
        );
        assert!(buffer.is_empty());
    }

    #[test]
    fn compressed_and_endless_frames_are_malformed() {
        for bytes in [[1, 0, 0, 0, 1], [0, 255, 255, 255, 255]] {
            let mut buffer = BytesMut::from(&bytes[..]);
            assert_eq!(unframe(&mut buffer, "x"), Err(EtcdError::Malformed("x")));
        }
    }
}
