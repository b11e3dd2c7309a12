//! The client of admission webhooks: HTTPS on a runtime that the first call makes.

pub(crate) mod failure;
#[cfg(test)]
mod tests;
pub(crate) mod trust;

pub(crate) use failure::dial;

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use hyper::body::{Body as _, Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;

use crate::cluster::{Call, Caller, Reply};
use crate::sys::net::{self, within};

/// Calls that are under way together. A rollout of many Pods asks about all of them at once.
const AT_ONCE: usize = 32;

/// The longest body that is read: a patch is smaller than the object that it is for.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// Calls admission webhooks over HTTPS.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::Open;
/// use ctl_serve::webhook::Webhooks;
///
/// // A cluster that is opened with this calls the webhooks of its configurations.
/// let open = Open {
///     webhooks: Some(Arc::new(Webhooks::default())),
///     ..Open::as_writer("example")
/// };
/// ```
#[derive(Default)]
pub struct Webhooks {
    // Most programs never call a webhook and need no runtime.
    runtime: OnceLock<Result<Runtime, String>>,
}

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Webhooks")
    }
}

impl Caller for Webhooks {
    fn call(&self, calls: &[Call]) -> Vec<Result<Reply, String>> {
        let start = || net::runtime(1).map_err(|e| e.to_string());
        let runtime = match self.runtime.get_or_init(start) {
            Ok(runtime) => runtime,
            Err(e) => return vec![Err(e.clone()); calls.len()],
        };
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let all: Vec<_> = calls
            .iter()
            .map(|call| runtime.spawn(one(call.clone(), Arc::clone(&turns))))
            .collect();
        let ended = |task| match runtime.block_on(task) {
            Ok(outcome) => outcome,
            Err(e) => Err(io::Error::from(e).to_string()),
        };
        all.into_iter().map(ended).collect()
    }
}

/// Makes a call when it is its turn; the time counts from then.
async fn one(call: Call, turns: Arc<Semaphore>) -> Result<Reply, String> {
    let _turn = turns.acquire().await.map_err(|e| e.to_string())?;
    match within(call.timeout, post(&call)).await {
        Ok(outcome) => outcome,
        Err(_) => Err("context deadline exceeded".to_owned()),
    }
}

async fn post(call: &Call) -> Result<Reply, String> {
    let uri: Uri = call.url.parse().map_err(|e| format!("parse: {e}"))?;
    let host = uri.host().unwrap_or_default();
    // A certificate names an IPv6 address without its brackets.
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let address = match &call.connect {
        Some(address) => address.clone(),
        None => format!("{host}:{}", uri.port_u16().unwrap_or(443)),
    };
    let socket = net::connect(&address)
        .await
        .map_err(|e| failure::dial(&address, &e))?;
    let config = trust::Client::trusting(&call.authorities).config()?;
    let server = ServerName::try_from(name.to_owned()).map_err(|e| e.to_string())?;
    let stream = TlsConnector::from(config)
        .connect(server, socket)
        .await
        .map_err(|e| failure::handshake(&e, name))?;
    // Most webhooks are Go programs that offer HTTP/2 only by ALPN, and HTTP/1.1 always.
    let (mut send, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|e| failure::exchange(&e))?;
    // The connection ends with the response, because its sender is dropped with this call.
    tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // Behind a forwarded port, the webhook still expects the name of its Service.
    let authority = uri.authority().map_or(host, |authority| authority.as_str());
    let request = Request::post(path)
        .header("host", authority)
        .header("user-agent", "kube-apiserver-admission")
        .header("content-type", "application/json")
        .header("accept", "application/json, */*")
        .header("content-length", call.body.len())
        .body(Whole(Some(Bytes::from(call.body.clone()))))
        .map_err(|e| e.to_string())?;
    let response = send
        .send_request(request)
        .await
        .map_err(|e| failure::exchange(&e))?;
    let code = response.status().as_u16();
    let content_type = response.headers().get("content-type");
    let content_type = content_type.and_then(|value| value.to_str().ok());
    Ok(Reply {
        code,
        content_type: content_type.unwrap_or_default().to_owned(),
        body: read(response.into_body(), LONGEST).await?,
    })
}

/// Reads a body to its end, but not beyond `most` bytes.
pub(crate) async fn read(mut body: Incoming, most: usize) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|e| failure::exchange(&e))?;
        // Trailers are dropped.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if whole.len() + piece.len() > most {
            return Err(format!("the response is longer than {most} bytes"));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// The body of a request in one piece.
pub(crate) struct Whole(pub(crate) Option<Bytes>);

impl hyper::body::Body for Whole {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(self.0.take().map(|all| Ok(hyper::body::Frame::data(all))))
    }
}
