//! The HTTPS client for admission webhooks, with a runtime that the first call creates.

use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::header::{HeaderMap, RETRY_AFTER};
use hyper::{Request, Uri};
use rustls::pki_types::ServerName;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;

use crate::client::{self, LONGEST, WholeBody, failure, trust};
use crate::cluster::{Call, Caller, Reply};
use crate::sys::net::{self, within};

/// The maximum number of concurrent calls; without one, a rollout of many Pods would start calls for all of them at
/// once.
const AT_ONCE: usize = 32;

/// The maximum number of times that one call is sent, as in client-go.
const MOST_ATTEMPTS: usize = 11;

/// Calls admission webhooks over HTTPS.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::Open;
/// use ctl_serve::webhook::Webhooks;
///
/// // A cluster opened with this calls the webhooks of its configurations.
/// let open = Open {
///     webhooks: Some(Arc::new(Webhooks::default())),
///     ..Open::as_writer("example")
/// };
/// ```
#[derive(Default)]
pub struct Webhooks {
    // Created on first use, because most programs never call a webhook.
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

/// Makes a call once the limit on concurrent calls permits it; the timeout starts only then.
async fn one(call: Call, turns: Arc<Semaphore>) -> Result<Reply, String> {
    let _turn = turns.acquire().await.map_err(|e| e.to_string())?;
    match within(call.timeout, persistently(&call)).await {
        Ok(outcome) => outcome,
        Err(_) => Err("context deadline exceeded".to_owned()),
    }
}

/// A reply, and the time after which the webhook wants to be called again.
struct Attempt {
    reply: Reply,
    again: Option<Duration>,
}

/// Repeats a call as long as the webhook is too busy and says when to call again.
async fn persistently(call: &Call) -> Result<Reply, String> {
    let mut attempts = 1;
    loop {
        let attempt = post(call).await?;
        match attempt.again.filter(|_| attempts < MOST_ATTEMPTS) {
            None => return Ok(attempt.reply),
            Some(wait) => net::pause(wait).await,
        }
        attempts += 1;
    }
}

/// Returns the time in `Retry-After`, which only counts for a 429 and the errors of servers. A date does not count.
fn wait_of(code: u16, headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    (code == 429 || code >= 500).then(|| Duration::from_secs(seconds))
}

async fn post(call: &Call) -> Result<Attempt, String> {
    let uri: Uri = call.url.parse().map_err(|e| format!("parse: {e}"))?;
    let host = uri.host().unwrap_or_default();
    // In a certificate, an IPv6 address has no brackets.
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
    // Most webhooks are Go programs: all of them support HTTP/1.1, but HTTP/2 only after ALPN.
    let mut connection = client::handshake(stream).await?;
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    // The webhook expects the name of its Service, even if the connection goes through a forwarded port.
    let authority = uri.authority().map_or(host, |authority| authority.as_str());
    let request = Request::post(path)
        .header("host", authority)
        .header("user-agent", "kube-apiserver-admission")
        .header("content-type", "application/json")
        .header("accept", "application/json, */*")
        .header("content-length", call.body.len())
        .body(WholeBody::from_bytes(call.body.clone()))
        .map_err(|e| e.to_string())?;
    let response = connection
        .send_request(request)
        .await
        .map_err(|e| failure::exchange(&e))?;
    let code = response.status().as_u16();
    let again = wait_of(code, response.headers());
    let content_type = response.headers().get("content-type");
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let reply = Reply {
        code,
        content_type: content_type.unwrap_or_default().to_owned(),
        body: client::read(response.into_body(), LONGEST).await?,
    };
    Ok(Attempt { reply, again })
}
