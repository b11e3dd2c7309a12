//! A read-only client for a live cluster: `GET` requests and watches, one at a time or concurrently.
//!
//! Must not know: kubeconfig files, or what the objects are used for.

mod connection;
mod download;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::api::json::{Value, from_bytes};
use crate::sys::net::{self, within};
use connection::{Dial, IdleConnection};
pub use download::download;

/// The time limit for a response, equal to the server's own limit for a request.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum number of events waiting to be read, because a server may send them faster.
const WAITING: usize = 1024;

/// The address of a cluster, with a user's credentials.
#[derive(Clone, Default)]
pub struct Access {
    /// The address: `https://HOST:PORT`, optionally with a path.
    pub server: String,
    /// The authorities to verify the server's certificate, as PEM; the machine's own if empty.
    pub authorities: Vec<u8>,
    /// True to accept any certificate.
    pub insecure: bool,
    /// The expected name in the server's certificate, if it differs from the host.
    pub server_name: Option<String>,
    /// The user's certificate and key, as PEM.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// The value of the `Authorization` header.
    pub authorization: Option<String>,
}

// Omits the credentials, which must not appear in logs and panics.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Access");
        shown.field("server", &self.server).finish_non_exhaustive()
    }
}

/// The reason why a live cluster did not return an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveError {
    /// The connection failed or was lost.
    Unreachable(String),
    /// The server rejected the request.
    Refused {
        /// The HTTP status code.
        code: u16,
        /// The API's reason, such as `Forbidden`.
        reason: String,
        /// The server's message.
        message: String,
    },
    /// The response is not JSON.
    Malformed(String),
}

impl LiveError {
    /// Returns the status code if the server rejected the request.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Unreachable(_) | Self::Malformed(_) => None,
        }
    }

    /// Parses a `Status`, or any other body of an error response.
    fn refused(code: u16, body: &[u8]) -> Self {
        let status = from_bytes(body, &[]).unwrap_or_default();
        let text = |field: &str| status[field].as_str().map(str::to_owned);
        let message = text("message").unwrap_or_else(|| {
            let body = String::from_utf8_lossy(body);
            body.chars().take(200).collect::<String>().trim().to_owned()
        });
        Self::Refused {
            code,
            reason: text("reason").unwrap_or_default(),
            message,
        }
    }
}

// kubectl's messages, because users know them.
impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "Unable to connect to the server: {why}"),
            Self::Refused { message, code, .. } if message.is_empty() => {
                write!(f, "the server responded with the status code {code}")
            }
            Self::Refused {
                message, reason, ..
            } if reason.is_empty() => {
                write!(f, "Error from server: {message}")
            }
            Self::Refused {
                message, reason, ..
            } => {
                write!(f, "Error from server ({reason}): {message}")
            }
            Self::Malformed(why) => write!(f, "the server's response is no JSON: {why}"),
        }
    }
}

impl std::error::Error for LiveError {}

/// An event of a watch, or its end.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveEvent {
    /// The number of the watch.
    pub watch: usize,
    /// The event with its `type` and `object`; an error marks the end.
    pub event: Result<Value, Ended>,
}

/// How a watch ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The server ended it, as it does every few minutes.
    ByServer,
    /// The watch could not be started or read.
    Failed(LiveError),
}

/// A connection to a live cluster.
///
/// ```no_run
/// use std::time::Duration;
///
/// use ctl_serve::live::{Access, Ended, LiveEvent, Live, LiveError};
///
/// let access = Access { server: "http://127.0.0.1:8001".to_owned(), ..Access::default() };
/// let mut cluster = Live::new(&access).map_err(std::io::Error::other)?;
/// let namespaces = cluster.get("/api/v1/namespaces").map_err(std::io::Error::other)?;
/// println!("{}", namespaces["items"]);
/// cluster.watch(1, "/api/v1/pods?watch=true".to_owned());
/// while let Some(LiveEvent { event, .. }) = cluster.next(Duration::from_secs(1)) {
///     match event {
///         Ok(event) => println!("{}", event["type"]),
///         Err(Ended::Failed(LiveError::Refused { message, .. })) => println!("{message}"),
///         Err(_) => break,
///     }
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Live {
    runtime: Runtime,
    dial: Arc<Dial>,
    kept: Option<IdleConnection>,
    sender: mpsc::Sender<LiveEvent>,
    events: mpsc::Receiver<LiveEvent>,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Live");
        shown.field("dial", &self.dial).finish_non_exhaustive()
    }
}

impl Live {
    /// Prepares to connect. The first request makes the connection.
    ///
    /// # Errors
    /// Returns an error if the address or the credentials are invalid.
    pub fn new(access: &Access) -> Result<Self, String> {
        let (sender, events) = mpsc::channel(WAITING);
        Ok(Self {
            dial: Arc::new(Dial::new(access)?),
            runtime: net::runtime(1).map_err(|e| e.to_string())?,
            kept: None,
            sender,
            events,
        })
    }

    /// Returns the body of the response for a path.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, rejects the request or does not return JSON.
    pub fn get(&mut self, path: &str) -> Result<Value, LiveError> {
        let kept = self.kept.take();
        // A timer must be created within its runtime.
        let exchange = async { within(PATIENCE, connection::get(&self.dial, path, kept)).await };
        let ended = self.runtime.block_on(exchange);
        let Ok(outcome) = ended else {
            let why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
            return Err(LiveError::Unreachable(why.to_owned()));
        };
        let (code, body, kept) = outcome.map_err(LiveError::Unreachable)?;
        self.kept = Some(kept);
        if code != 200 {
            return Err(LiveError::refused(code, &body));
        }
        from_bytes(&body, &[]).map_err(|e| LiveError::Malformed(e.to_string()))
    }

    /// Starts a watch, whose events will contain this number.
    pub fn watch(&self, watch: usize, path: String) {
        let (dial, sender) = (Arc::clone(&self.dial), self.sender.clone());
        let _task = self.runtime.spawn(async move {
            let ended = match connection::watch(&dial, &path, watch, &sender).await {
                Ok(()) => Ended::ByServer,
                Err(e) => Ended::Failed(e),
            };
            // Fails if the client has been dropped.
            let event = Err(ended);
            let _ = sender.send(LiveEvent { watch, event }).await;
        });
    }

    /// Returns the next event of any watch, or `None` if none arrives within this time.
    pub fn next(&mut self, wait: Duration) -> Option<LiveEvent> {
        let next = async { within(wait, self.events.recv()).await };
        self.runtime.block_on(next).ok().flatten()
    }
}
