//! The server: connections up to a limit, and what they share.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use std::time::Duration;

use hyper::Version;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::sync::watch;

use super::exchange;
use super::metrics::{Metrics, Now};
use super::reply::Refusal;
use crate::authority::Tls;
use crate::budget::{self, Budget};
use crate::sys::clock::Stopwatch;
use crate::sys::net::{self, Control, Listener, Patience, Socket, Timed, pause};
use crate::{Logs, Service};

/// How often the server looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(200);

/// How long requests that have begun may go on when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How long no request goes on before the connections of a stopped server are cut.
const QUIET: Duration = Duration::from_millis(100);

/// The most bytes of a head.
const MAX_HEAD: usize = 64 * 1024;

/// The most header fields: a head of tiny fields would cost far more memory than its bytes.
const MAX_FIELDS: usize = 128;

/// The most requests at a time on one connection of HTTP/2, as on the real server.
const MAX_STREAMS: u32 = 250;

/// How much of what was not read yet one connection of HTTP/2 may hold, of one request and of all.
const WINDOWS: (u32, u32) = (64 * 1024, 256 * 1024);

/// How much is taken on, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Requests at a time, watches aside.
    pub requests: usize,
    /// Watches at a time.
    pub watches: usize,
    /// How long a connection may be silent between two requests.
    pub idle: Duration,
    /// How long the head of a request may take.
    pub head: Duration,
    /// How long its body may take.
    pub body: Duration,
    /// How long a watch may leave events unread that are waiting to be sent.
    pub unread: Duration,
    /// How many bytes of memory all clients together may make the server hold.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1000,
            // The real server's 400 for reading and 200 for writing.
            requests: 600,
            watches: 500,
            idle: Duration::from_secs(90),
            head: Duration::from_secs(5),
            body: Duration::from_secs(60),
            unread: Duration::from_secs(8),
            memory: budget::DEFAULT,
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    limits: Limits,
    logs: Option<Logs>,
    notes: Notes,
    tls: Option<Tls>,
}

/// Receives the server's messages for its owner.
#[derive(Clone, Default)]
struct Notes(Option<crate::cluster::Notice>);

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Notes").field(&self.0.is_some()).finish()
    }
}

/// The state that the connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) limits: Limits,
    pub(super) stop: Arc<AtomicBool>,
    /// The host that is listened at, as requests name it.
    pub(super) host: String,
    pub(super) logs: Option<Logs>,
    pub(super) budget: Budget,
    notes: Notes,
    tls: Option<Tls>,
    waiting: Mutex<Waiting>,
    connections: AtomicUsize,
    requests: AtomicUsize,
    watches: AtomicUsize,
    pub(super) metrics: Metrics,
    /// Requests whose response is not written yet.
    ongoing: AtomicUsize,
    /// Becomes true when connections are to end after the requests that have begun.
    ending: watch::Sender<bool>,
}

/// Connections on which no complete head has come yet, by when they began to wait.
#[derive(Debug, Default)]
struct Waiting {
    begun: u64,
    controls: BTreeMap<u64, Control>,
}

/// A slot of a limited number; dropping it frees the slot.
pub(super) struct Permit {
    shared: Arc<Shared>,
    count: fn(&Shared) -> &AtomicUsize,
}

impl Permit {
    /// Takes a slot for a request.
    pub(super) fn request(shared: &Arc<Shared>) -> Result<Self, Refusal> {
        let permit = Self::take(shared, |shared| &shared.requests, shared.limits.requests);
        permit.ok_or_else(|| Refusal::too_many("requests"))
    }

    /// Takes a slot for a watch; `None` if all are taken.
    pub(super) fn watch(shared: &Arc<Shared>) -> Option<Self> {
        Self::take(shared, |shared| &shared.watches, shared.limits.watches)
    }

    fn take(shared: &Arc<Shared>, count: fn(&Shared) -> &AtomicUsize, most: usize) -> Option<Self> {
        // Counted before it is compared: two that come at the limit cannot both see room.
        let taken = count(shared).fetch_add(1, Ordering::AcqRel);
        let permit = Self {
            shared: Arc::clone(shared),
            count,
        };
        (taken < most).then_some(permit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        (self.count)(&self.shared).fetch_sub(1, Ordering::AcqRel);
    }
}

impl Shared {
    pub(crate) fn new(limits: Limits, address: Option<SocketAddr>, stop: Arc<AtomicBool>) -> Self {
        let host = match address {
            None => "localhost".to_owned(),
            Some(SocketAddr::V4(address)) => address.ip().to_string(),
            Some(SocketAddr::V6(address)) => format!("[{}]", address.ip()),
        };
        Self {
            budget: Budget::new(limits.memory),
            notes: Notes::default(),
            tls: None,
            waiting: Mutex::default(),
            limits,
            stop,
            host,
            logs: None,
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            watches: AtomicUsize::new(0),
            metrics: Metrics::default(),
            ongoing: AtomicUsize::new(0),
            ending: watch::Sender::new(false),
        }
    }

    /// Returns the server's numbers as text.
    pub(super) fn numbers(&self) -> String {
        let of = |count: &AtomicUsize| count.load(Ordering::Acquire);
        self.metrics.text(Now {
            requests: of(&self.requests),
            watches: of(&self.watches),
            connections: of(&self.connections),
            memory: self.budget.used(),
        })
    }

    /// Tells the owner of the server something.
    pub(super) fn note(&self, text: fmt::Arguments<'_>) {
        if let Some(notes) = &self.notes.0 {
            notes(&text.to_string());
        }
    }

    /// Notes that a connection waits for a head: it may have to make room for another one.
    fn waits(&self, control: Control) -> u64 {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // A growing number instead of a time: the order is all that is needed.
        waiting.begun += 1;
        let place = waiting.begun;
        waiting.controls.insert(place, control);
        place
    }

    /// Notes that a head has come, or that the connection is gone.
    fn waits_no_more(&self, place: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.controls.remove(&place);
    }

    /// Breaks the connection that has waited longest for a head; returns true if there was one.
    fn make_room(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // The oldest one without a head: a client that opens connections and sends nothing makes
        // room for others.
        let oldest = waiting.controls.pop_first();
        oldest.is_some_and(|(_, control)| {
            control.close();
            true
        })
    }

    /// Waits for broken connections to end; returns true if there are few enough.
    async fn has_room(&self) -> bool {
        // A tenth more, because broken connections need a moment to end.
        let most = self.limits.connections + self.limits.connections / 10 + 1;
        let since = Stopwatch::start();
        while self.connections.load(Ordering::Acquire) > most {
            if since.elapsed() > LOOK {
                return false;
            }
            pause(Duration::from_millis(1)).await;
        }
        true
    }

    /// Lets requests that have begun end, but not for ever: a client may have stopped reading.
    async fn end(&self) {
        self.ending.send_replace(true);
        while self.make_room() {}
        let since = Stopwatch::start();
        let mut quiet = Stopwatch::start();
        while self.connections.load(Ordering::Acquire) > 0 && since.elapsed() < LAST_WORDS {
            if self.ongoing.load(Ordering::Acquire) > 0 {
                quiet = Stopwatch::start();
            } else if quiet.elapsed() > QUIET {
                // All responses are written: what is left are clients that do not hang up.
                return;
            }
            pause(Duration::from_millis(2)).await;
        }
    }
}

/// A connection, as its requests know it.
#[derive(Debug)]
pub(crate) struct Line {
    shared: Arc<Shared>,
    control: Control,
    /// Its place among those that wait for a head.
    place: Mutex<Option<u64>>,
}

impl Line {
    pub(crate) fn new(shared: &Arc<Shared>) -> Arc<Self> {
        let line = Self {
            shared: Arc::clone(shared),
            control: Control::default(),
            place: Mutex::default(),
        };
        line.waits();
        Arc::new(line)
    }

    fn waits(&self) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        place.get_or_insert_with(|| self.shared.waits(self.control.clone()));
    }

    fn waits_no_more(&self) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = place.take() {
            self.shared.waits_no_more(place);
        }
    }

    /// Notes that a head has come: the connection may no longer be broken to make room, and a
    /// stopping server lets the request finish.
    fn begin(self: Arc<Self>, version: Version) -> Ongoing {
        self.waits_no_more();
        self.shared.ongoing.fetch_add(1, Ordering::AcqRel);
        self.control.begin(version >= Version::HTTP_2);
        Ongoing {
            line: self,
            goes_on: false,
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.waits_no_more();
    }
}

/// A request whose response is not written yet.
#[derive(Debug)]
pub(super) struct Ongoing {
    line: Arc<Line>,
    /// True if its response has no end of its own.
    goes_on: bool,
}

impl Ongoing {
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.line.shared
    }

    /// Returns true if the client sends no more of the request.
    pub(super) fn is_cut(&self, cx: &Context<'_>) -> bool {
        self.line.control.has_ended(cx)
    }

    /// Notes that the response has no end of its own.
    pub(super) fn goes_on(&mut self) {
        self.goes_on = true;
        self.line.control.goes_on();
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        if self.line.control.end(self.goes_on) {
            self.line.waits();
        }
        self.line.shared.ongoing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Serves all that comes over a connection, until one side has had enough.
pub(crate) async fn serve<S: Service + 'static>(
    socket: impl Socket + 'static,
    service: Arc<S>,
    line: Arc<Line>,
) {
    let shared = Arc::clone(&line.shared);
    let limits = &shared.limits;
    let patience = Patience {
        head: limits.head,
        idle: limits.idle,
        // A watch is given up by its thread, which can say more; the connection ends a little later.
        unread: limits.unread + LOOK * 5,
    };
    let timed = Timed::new(socket, line.control.clone(), patience);
    match &shared.tls {
        None => speak(timed, service, line).await,
        // The times of a connection hold for its handshake too.
        Some(Tls(acceptor)) => {
            // Who cannot agree on TLS is told so by the handshake.
            if let Ok(stream) = acceptor.accept(timed).await {
                speak(stream, service, line).await;
            }
        }
    }
}

/// Speaks HTTP over a connection, until one side has had enough.
async fn speak<S: Service + 'static>(
    socket: impl Socket + 'static,
    service: Arc<S>,
    line: Arc<Line>,
) {
    let mut ending = line.shared.ending.subscribe();
    let requests = service_fn(move |request: hyper::Request<Incoming>| {
        // Before the response is polled for: the next read must know of the request.
        let ongoing = Arc::clone(&line).begin(request.version());
        exchange::answer(request, ongoing, Arc::clone(&service))
    });
    let protocol = protocol();
    let connection = protocol.serve_connection_with_upgrades(TokioIo::new(socket), requests);
    let mut connection = pin!(connection);
    let mut told = pin!(ending.wait_for(|ends| *ends));
    let mut is_told = false;
    // An error is a client that is gone or was too slow: there is nobody to tell.
    let _ = poll_fn(|cx| {
        if !is_told && told.as_mut().poll(cx).is_ready() {
            is_told = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(cx)
    })
    .await;
}

/// Returns how the protocol is spoken.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // Without a date: the cluster may have a clock of its own.
    let mut first = builder.http1();
    first
        .title_case_headers(true)
        .auto_date_header(false)
        .max_headers(MAX_FIELDS)
        .max_buf_size(MAX_HEAD);
    let mut second = builder.http2();
    // Small windows: what hyper holds of bodies that nobody has read yet is outside of the budget.
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
    /// Listens at an address; only at one of the machine itself unless `anywhere`.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn bind(address: SocketAddr, anywhere: bool, limits: Limits) -> io::Result<Self> {
        Ok(Self::new(Listener::bind(address, anywhere)?, limits))
    }

    /// Listens at a socket file that only its owner may open.
    ///
    /// # Errors
    /// Somebody listens there, or another file is there.
    pub fn bind_path(path: &Path, limits: Limits) -> io::Result<Self> {
        Ok(Self::new(Listener::bind_path(path)?, limits))
    }

    fn new(listener: Listener, limits: Limits) -> Self {
        Self {
            listener,
            limits,
            logs: None,
            notes: Notes::default(),
            tls: None,
        }
    }

    /// Encrypts all connections.
    #[must_use]
    pub fn with_tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Adds a receiver of notes about what the server does on its own, such as closing slow
    /// watches.
    #[must_use]
    pub fn with_notes(mut self, notes: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notes = Notes(Some(Arc::new(notes)));
        self
    }

    /// Sets the source of container logs.
    #[must_use]
    pub fn with_logs(mut self, logs: Logs) -> Self {
        self.logs = Some(logs);
        self
    }

    /// Returns the address that it listens at, unless it is a path.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.address()
    }

    /// Serves a handler of requests, such as a cluster, until `stop` is raised. Requests that have
    /// begun by then get their response; watches end.
    ///
    /// # Errors
    /// Where no more connections can be taken.
    pub fn run<S: Service + 'static>(
        &self,
        service: &Arc<S>,
        stop: &Arc<AtomicBool>,
    ) -> io::Result<()> {
        let mut shared = Shared::new(self.limits.clone(), self.address(), Arc::clone(stop));
        shared.logs = self.logs;
        shared.notes = self.notes.clone();
        shared.tls = self.tls.clone();
        let shared = Arc::new(shared);
        let runtime = net::runtime(self.limits.requests + self.limits.watches)?;
        let served = runtime.block_on(self.accept(service, &shared));
        // Threads of watches see the stop flag at their next look.
        runtime.shutdown_timeout(LAST_WORDS);
        served
    }

    async fn accept<S: Service + 'static>(
        &self,
        service: &Arc<S>,
        shared: &Arc<Shared>,
    ) -> io::Result<()> {
        let listener = self.listener.accepting()?;
        // Waits with a limit, so that the stop flag is seen without a connection coming in.
        while !shared.stop.load(Ordering::Relaxed) {
            if let Some(socket) = listener.next(LOOK).await? {
                take(socket, service, shared).await;
            }
        }
        shared.end().await;
        Ok(())
    }
}

/// Serves a connection, if there is room for it.
async fn take<S: Service + 'static>(
    socket: Box<dyn Socket>,
    service: &Arc<S>,
    shared: &Arc<Shared>,
) {
    let permit = Permit::take(shared, |shared| &shared.connections, usize::MAX);
    let taken = shared.connections.load(Ordering::Acquire);
    // Whoever has not asked for anything yet makes room.
    if taken > shared.limits.connections && !(shared.make_room() && shared.has_room().await) {
        // Without a handshake there is no way to say it.
        if shared.tls.is_none() {
            refuse(socket).await;
        }
        return;
    }
    // It may have to make room before its task has begun.
    let (service, line) = (Arc::clone(service), Line::new(shared));
    tokio::spawn(async move {
        serve(socket, service, line).await;
        drop(permit);
    });
}

/// Turns a connection away. Who does not hear it is turned away all the same.
async fn refuse(mut socket: Box<dyn Socket>) {
    let why = "too many connections";
    let text = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{why}",
        why.len()
    );
    // Small enough for the buffer of a fresh connection.
    let write = poll_fn(|cx| Pin::new(&mut *socket).poll_write(cx, text.as_bytes()));
    let _ = net::within(LOOK, write).await;
}
