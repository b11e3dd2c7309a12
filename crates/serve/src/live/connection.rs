//! Connections to a live cluster: HTTP/1.1, with or without TLS.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::SendRequest;
use hyper::http::response::Parts;
use hyper::{Request, Response, Uri};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::sync::mpsc::Sender;
use tokio_rustls::TlsConnector;

use super::{Access, LiveError, LiveEvent};
use crate::api::json::from_bytes;
use crate::client::trust::Client;
use crate::client::{WholeBody, failure, handshake, read};
use crate::sys::net::{self, within};

/// The maximum length of an event or of a page of a list. An object has at most a few MiB.
const LONGEST: usize = 64 << 20;

/// The time limit for connecting, as in kubectl.
const DIAL: Duration = Duration::from_secs(30);

/// A connection that can be reused.
pub(super) type IdleConnection = SendRequest<WholeBody>;

/// The parameters for connecting.
pub(super) struct Dial {
    /// `HOST:PORT`.
    address: String,
    /// The `Host` header.
    authority: String,
    /// The prefix of all paths, without a trailing slash.
    prefix: String,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    authorization: Option<String>,
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dial").field(&self.address).finish()
    }
}

impl Dial {
    pub(super) fn new(access: &Access) -> Result<Self, String> {
        let server = &access.server;
        let uri: Uri = server.parse().map_err(|e| format!("{server:?}: {e}"))?;
        let host = uri.host().unwrap_or_default();
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(format!("{server:?} must begin with https:// or http://")),
        };
        let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
        let tls = if secure {
            // A certificate contains an IPv6 address without brackets.
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let name = access.server_name.as_deref().unwrap_or(bare);
            let name = ServerName::try_from(name.to_owned()).map_err(|e| format!("{name}: {e}"))?;
            let client = Client {
                insecure: access.insecure,
                identity: access.identity.as_ref().map(|(c, k)| (&**c, &**k)),
                authorities: &access.authorities,
            };
            Some((client.config()?, name))
        } else {
            None
        };
        Ok(Self {
            address: format!("{host}:{port}"),
            authority: uri.authority().map_or(host, |a| a.as_str()).to_owned(),
            prefix: uri.path().trim_end_matches('/').to_owned(),
            tls,
            authorization: access.authorization.clone(),
        })
    }

    async fn connect(&self) -> Result<IdleConnection, String> {
        let socket = net::connect(&self.address)
            .await
            .map_err(|e| failure::dial(&self.address, &e))?;
        match &self.tls {
            None => handshake(socket).await,
            Some((config, name)) => {
                let connector = TlsConnector::from(Arc::clone(config));
                let stream = connector.connect(name.clone(), socket).await;
                let stream = stream.map_err(|e| failure::handshake(&e, &name.to_str()))?;
                handshake(stream).await
            }
        }
    }

    async fn connect_in_time(&self) -> Result<IdleConnection, String> {
        let late = |_| format!("dial tcp {}: i/o timeout", self.address);
        within(DIAL, self.connect()).await.map_err(late)?
    }

    fn request(&self, path: &str) -> Result<Request<WholeBody>, String> {
        let mut request = Request::get(format!("{}{path}", self.prefix))
            .header("host", &self.authority)
            .header("user-agent", "ctl")
            // Hosts of files may reject a client that accepts nothing but JSON.
            .header("accept", "application/json, */*");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        request.body(WholeBody::none()).map_err(|e| e.to_string())
    }
}

/// Requests a path, reusing an idle connection if there is one. Returns the status code, the body and the connection.
pub(super) async fn get(
    dial: &Dial,
    path: &str,
    kept: Option<IdleConnection>,
) -> Result<(u16, Vec<u8>, IdleConnection), String> {
    if let Some(kept) = kept
        && let Ok(done) = exchange(dial, path, kept).await
    {
        return Ok(done);
    }
    // A server may close idle connections at any time. The request only reads, so it can be sent again.
    exchange(dial, path, dial.connect_in_time().await?).await
}

async fn exchange(
    dial: &Dial,
    path: &str,
    mut kept: IdleConnection,
) -> Result<(u16, Vec<u8>, IdleConnection), String> {
    let response = send(dial, path, &mut kept).await?;
    let code = response.status().as_u16();
    let body = read(response.into_body(), LONGEST).await?;
    Ok((code, body, kept))
}

async fn send(
    dial: &Dial,
    path: &str,
    kept: &mut IdleConnection,
) -> Result<Response<Incoming>, String> {
    let request = dial.request(path)?;
    kept.ready().await.map_err(|e| failure::exchange(&e))?;
    let response = kept.send_request(request).await;
    response.map_err(|e| failure::exchange(&e))
}

/// Requests a path once, and returns the head and body of the response.
pub(super) async fn fetch(dial: &Dial, path: &str) -> Result<(Parts, Vec<u8>), String> {
    let mut kept = dial.connect_in_time().await?;
    let (head, body) = send(dial, path, &mut kept).await?.into_parts();
    Ok((head, read(body, LONGEST).await?))
}

/// Sends the events of a watch until the watch ends.
pub(super) async fn watch(
    dial: &Dial,
    path: &str,
    watch: usize,
    events: &Sender<LiveEvent>,
) -> Result<(), LiveError> {
    let lost = LiveError::Unreachable;
    let mut kept = dial.connect_in_time().await.map_err(lost)?;
    let response = send(dial, path, &mut kept).await.map_err(lost)?;
    let code = response.status().as_u16();
    if code != 200 {
        let body = read(response.into_body(), LONGEST).await.map_err(lost)?;
        return Err(LiveError::refused(code, &body));
    }
    let mut body = response.into_body();
    let mut line = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|e| lost(failure::exchange(&e)))?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        let mut pieces = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = pieces.next() {
            if line.len() + part.len() > LONGEST {
                let why = format!("an event is longer than {LONGEST} bytes");
                return Err(LiveError::Malformed(why));
            }
            line.extend_from_slice(part);
            // The last piece is not complete yet.
            if pieces.peek().is_none() || line.is_empty() {
                continue;
            }
            let event = from_bytes(&line, &[]).map_err(|e| LiveError::Malformed(e.to_string()))?;
            line.clear();
            let event = Ok(event);
            // A full channel makes the server wait, which limits the memory of this program.
            if events.send(LiveEvent { watch, event }).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}
