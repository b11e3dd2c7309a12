//! Accepts connections, up to a limit.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rustls::pki_types::UnixTime;
use tracing::dispatcher;
use tracing::subscriber::NoSubscriber;

use super::login::Token;
use super::shared::{ConnectionState, LAST_WORDS, LOOK, Limits, Notes, Numbers, Permit, Shared};
use super::{exchange, plain};
use crate::cluster::AuditLog;
use crate::kinds::admission::User;
use crate::sys::clock::Clock;
use crate::sys::net::{self, Accepted, Listener, Socket, Timed, Timeouts};
use crate::tls::Tls;
use crate::{Nodes, Process, Service};

/// The maximum size of a request head in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// The maximum number of header fields. Many tiny fields take far more memory than their bytes.
const MAX_FIELDS: usize = 128;

/// The maximum number of concurrent requests on an HTTP/2 connection, as in the real API server.
const MAX_STREAMS: u32 = 250;

/// The flow-control windows of an HTTP/2 connection, for one request and for all of them.
const WINDOWS: (u32, u32) = (64 * 1024, 256 * 1024);

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    limits: Limits,
    nodes: Option<&'static dyn Nodes>,
    process: Process,
    notes: Notes,
    numbers: Numbers,
    audit: Option<Arc<AuditLog>>,
    tls: Option<Tls>,
    token: Option<Token>,
    users: Vec<(String, User)>,
}

/// Serves all requests on a connection until one side closes it.
pub(crate) async fn serve<S: Service + 'static>(
    socket: impl Socket + 'static,
    service: Arc<S>,
    state: Arc<ConnectionState>,
) {
    let shared = Arc::clone(&state.shared);
    let limits = &shared.limits;
    let timeouts = Timeouts {
        head: limits.head,
        idle: limits.idle,
        // A watch is ended first, by its own task, which can send a reason; the connection ends a little later.
        unread: limits.unread + LOOK * 5,
    };
    let timed = Timed::new(socket, state.control.clone(), timeouts);
    match &shared.tls {
        None => speak(timed, service, state).await,
        // The time limits of a connection include the TLS handshake.
        Some(tls) => {
            let Some(opened) = plain::open(timed).await else {
                return;
            };
            // A client without a common TLS version gets the error from the handshake.
            if let Ok(stream) = tls.acceptor.accept(opened).await {
                let shown = stream.get_ref().1.peer_certificates();
                if let Some(peer) = shown.and_then(|chain| tls.peer(chain, UnixTime::now())) {
                    state.identify(peer);
                }
                speak(stream, service, state).await;
            }
        }
    }
}

/// Serves HTTP on a connection until one side closes it.
async fn speak<S: Service + 'static>(
    socket: impl Socket + 'static,
    service: Arc<S>,
    state: Arc<ConnectionState>,
) {
    let mut ending = state.shared.ending.subscribe();
    let control = state.control.clone();
    let requests = service_fn(move |request: hyper::Request<Incoming>| {
        // Recorded before the response is polled, because the next read must know of the request.
        let ongoing = Arc::clone(&state).begin(request.version());
        exchange::answer(request, ongoing, Arc::clone(&service))
    });
    let protocol = protocol();
    let connection = protocol.serve_connection_with_upgrades(TokioIo::new(socket), requests);
    let mut connection = pin!(connection);
    let mut told = pin!(ending.wait_for(|ends| *ends));
    let mut is_told = false;
    // An error means that the client has gone or was too slow, so there is no one to notify.
    let _ = poll_fn(|cx| {
        loop {
            if !is_told && (control.is_over() || told.as_mut().poll(cx).is_ready()) {
                is_told = true;
                connection.as_mut().graceful_shutdown();
            }
            let polled = connection.as_mut().poll(cx);
            // Only reading notices that a client is idle.
            if polled.is_ready() || is_told || !control.is_over() {
                return polled;
            }
        }
    })
    .await;
}

/// Returns the configuration of the protocol.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without a date, because the cluster may have its own clock.
    let mut first = builder.http1();
    first
        .title_case_headers(true)
        .auto_date_header(false)
        .max_headers(MAX_FIELDS)
        .max_buf_size(MAX_HEAD);
    let mut second = builder.http2();
    // The windows are small, because hyper's buffers for unread bodies are not part of the budget.
    second
        .auto_date_header(false)
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(WINDOWS.0)
        .initial_connection_window_size(WINDOWS.1)
        .max_send_buf_size(MAX_HEAD)
        .max_header_list_size(64 * 1024);
    builder
}

impl Server {
    /// Listens on an address, which must be a loopback address unless `anywhere` is set.
    ///
    /// # Errors
    /// Returns an error if the address cannot be used.
    pub fn bind(address: SocketAddr, anywhere: bool, limits: Limits) -> io::Result<Self> {
        Ok(Self::new(Listener::bind(address, anywhere)?, limits))
    }

    /// Listens on a socket file that only its owner can open.
    ///
    /// # Errors
    /// Returns an error if another process listens on it or a different file exists.
    pub fn bind_path(path: &Path, limits: Limits) -> io::Result<Self> {
        Ok(Self::new(Listener::bind_path(path)?, limits))
    }

    fn new(listener: Listener, limits: Limits) -> Self {
        Self {
            listener,
            limits,
            nodes: None,
            process: Process {
                started: Clock::System.now(),
                flags: Vec::new(),
            },
            notes: Notes::default(),
            numbers: Numbers::default(),
            audit: None,
            tls: None,
            token: None,
            users: Vec::new(),
        }
    }

    /// Requires this bearer token for every request except health checks.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(Token::new(token));
        self
    }

    /// Adds users with tokens of their own, next to the administrator. Has no effect without [`Server::with_token`].
    #[must_use]
    pub fn with_users(mut self, users: Vec<(String, User)>) -> Self {
        self.users = users;
        self
    }

    /// Encrypts all connections.
    #[must_use]
    pub fn with_tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Sets the receiver of messages about the server's own actions, such as closing slow watches.
    #[must_use]
    pub fn with_notes(mut self, notes: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notes = Notes(Some(Arc::new(notes)));
        self
    }

    /// Sets a source of additional metrics for `/metrics`, in Prometheus' text format.
    #[must_use]
    pub fn with_numbers(mut self, numbers: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.numbers = Numbers(Some(Arc::new(numbers)));
        self
    }

    /// Writes all requests to an audit log.
    #[must_use]
    pub fn with_audit(mut self, log: Arc<AuditLog>) -> Self {
        self.audit = Some(log);
        self
    }

    /// Sets the fake nodes, which provide logs, commands and ports.
    #[must_use]
    pub fn with_nodes(mut self, nodes: &'static dyn Nodes) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Sets the flags of the server, for `/flagz`.
    #[must_use]
    pub fn with_flags(mut self, flags: Vec<(&'static str, String)>) -> Self {
        self.process.flags = flags;
        self
    }

    /// Returns the listening address, or `None` if the server listens on a path.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.address()
    }

    /// Serves a request handler, such as a cluster, until `stop` is set. Requests that have started by then are
    /// completed; watches end. The default tracing subscriber of this thread gets an event for each request
    /// ([`REQUESTS`](super::REQUESTS)).
    ///
    /// # Errors
    /// Returns an error if no more connections can be accepted.
    pub fn run<S: Service + 'static>(
        &self,
        service: &Arc<S>,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<()> {
        let mut shared = Shared::new(self.limits.clone(), self.address(), Arc::clone(stop));
        shared.nodes = self.nodes;
        shared.process.clone_from(&self.process);
        // Cloned, because a server may run more than once.
        shared.logs.audit.clone_from(&self.audit);
        shared.logs.requests = dispatcher::get_default(|subscriber| {
            let is_some = !subscriber.is::<NoSubscriber>();
            is_some.then(|| subscriber.clone())
        });
        shared.notes = self.notes.clone();
        shared.numbers = self.numbers.clone();
        shared.tls = self.tls.clone();
        let token = self.token.clone();
        shared.token = token.map(|token| token.and_users(&self.users));
        let shared = Arc::new(shared);
        let runtime = net::runtime(self.limits.requests + self.limits.watches)?;
        let served = runtime.block_on(self.accept(service, &shared));
        // Threads of streams notice the stop flag at their next poll.
        runtime.shutdown_timeout(LAST_WORDS);
        served
    }

    async fn accept<S: Service + 'static>(
        &self,
        service: &Arc<S>,
        shared: &Arc<Shared>,
    ) -> io::Result<()> {
        let listener = self.listener.accepting()?;
        // Waits with a limit, so that the stop flag is noticed even without a connection.
        while !shared.stop.load(Ordering::Relaxed) {
            if let Some(accepted) = listener.next(LOOK).await? {
                take(accepted, service, shared).await;
            }
        }
        shared.end().await;
        Ok(())
    }
}

/// Serves a connection if the limits allow it.
async fn take<S: Service + 'static>(
    (socket, source): Accepted,
    service: &Arc<S>,
    shared: &Arc<Shared>,
) {
    let permit = Permit::take(shared, |shared| &shared.connections, usize::MAX);
    let taken = shared.connections.load(Ordering::Acquire);
    // Idle connections are closed to make room.
    if taken > shared.limits.connections && !(shared.make_room() && shared.has_room().await) {
        // The rejection cannot be sent before a TLS handshake.
        if shared.tls.is_none() {
            refuse(socket).await;
        }
        return;
    }
    // The connection may be closed to make room before its task starts.
    let (service, state) = (Arc::clone(service), ConnectionState::new(shared, source));
    tokio::spawn(async move {
        serve(socket, service, state).await;
        drop(permit);
    });
}

/// Rejects a connection, even if the client does not read the response.
async fn refuse(mut socket: Box<dyn Socket>) {
    let why = "too many connections";
    let text = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{why}",
        why.len()
    );
    // Fits into the buffer of a new connection.
    let write = poll_fn(|cx| Pin::new(&mut *socket).poll_write(cx, text.as_bytes()));
    let _ = net::within(LOOK, write).await;
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;
    use crate::Page;

    /// The type of the frame that ends an HTTP/2 connection.
    const GOAWAY: u8 = 7;

    /// Sends a request on a connection and returns the types of all frames until its end.
    fn frames(mut client: TcpStream) -> Vec<u8> {
        let fields = b"\x82\x86\x04\x08/metrics\x41\x09localhost";
        let mut sent = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        // The settings, and the head of a request without a body.
        sent.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        sent.extend_from_slice(&[0, 0, fields.len() as u8, 1, 5, 0, 0, 0, 1]);
        sent.extend_from_slice(fields);
        client.write_all(&sent).unwrap();
        let mut got = Vec::new();
        client.read_to_end(&mut got).unwrap();
        let (mut rest, mut types) = (&got[..], Vec::new());
        while let [a, b, c, kind, ..] = *rest {
            types.push(kind);
            rest = &rest[9 + u32::from_be_bytes([0, a, b, c]) as usize..];
        }
        types
    }

    /// Returns the types of the frames from a server that stops after this time.
    fn served(limits: Limits, stop_after: Duration) -> Vec<u8> {
        let server = Server::bind(([127, 0, 0, 1], 0).into(), false, limits).unwrap();
        let address = server.address().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let page = Arc::new(Page::new(|| "text".to_owned()));
        std::thread::scope(|scope| {
            let run = scope.spawn(|| server.run(&page, &stop));
            let client = scope.spawn(|| frames(TcpStream::connect(address).unwrap()));
            std::thread::sleep(stop_after);
            stop.store(true, Ordering::Relaxed);
            run.join().unwrap().unwrap();
            client.join().unwrap()
        })
    }

    #[test]
    fn clients_of_http_2_are_told_before_the_end() {
        let impatient = Limits {
            head: Duration::from_millis(300),
            idle: Duration::from_millis(200),
            ..Limits::default()
        };
        for (limits, stop_after) in [
            // An idle client, then a server that stops.
            (impatient, Duration::from_secs(2)),
            (Limits::default(), Duration::from_secs(1)),
        ] {
            let types = served(limits, stop_after);
            assert!(types.starts_with(&[4]), "{types:?}");
            // The response comes before the end.
            let (response, end) = [1, GOAWAY]
                .map(|kind| types.iter().position(|t| *t == kind))
                .into();
            assert!(response.is_some() && end > response, "{types:?}");
        }
    }
}
