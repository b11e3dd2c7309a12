//! The state that a server's connections share: the limits and their usage, the connections that may be closed to make
//! room, and the requests in progress.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Context;
use std::time::Duration;

use hyper::Version;
use tokio::sync::watch;

use super::hub::Hub;
use super::login::Token;
use super::metrics::{CurrentValues, Metrics};
use super::record::Logs;
use super::refusal::Refusal;
use crate::budget::{self, Budget};
use crate::sys::clock::Stopwatch;
use crate::sys::net::{Control, pause};
use crate::tls::{Peer, Tls};
use crate::{Nodes, Process};

/// How often the stop flag is checked.
pub(super) const LOOK: Duration = Duration::from_millis(200);

/// The time limit for requests in progress after the server stops.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(5);

/// The time in which connections announce that the server is stopping.
const ANNOUNCING: Duration = Duration::from_millis(20);

/// The time without any request after which a stopping server closes its connections.
const QUIET: Duration = Duration::from_millis(100);

/// The limits of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum number of connections.
    pub connections: usize,
    /// The maximum number of concurrent requests, not counting watches.
    pub requests: usize,
    /// The maximum number of watches, followed logs and connections to containers.
    pub watches: usize,
    /// How long a connection may be idle between requests.
    pub idle: Duration,
    /// The time limit for the head of a request.
    pub head: Duration,
    /// The time limit for the body of a request.
    pub body: Duration,
    /// How long a watch's client may leave events unread.
    pub unread: Duration,
    /// How long a connection to a container may be idle.
    pub stream: Duration,
    /// The maximum memory, in bytes, that all clients together can make the server hold.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 2500,
            // The real API server's limits: 400 for reads and 200 for writes.
            requests: 600,
            // Enough for a thousand clients with a watch each; the client of a large operator watches dozens of kinds.
            watches: 1200,
            idle: Duration::from_secs(90),
            head: Duration::from_secs(5),
            body: Duration::from_secs(60),
            unread: Duration::from_secs(8),
            // The default of the kubelet's `--streaming-connection-idle-timeout`.
            stream: Duration::from_secs(4 * 3600),
            memory: budget::DEFAULT,
        }
    }
}

/// Receives the server's messages for its owner.
#[derive(Clone, Default)]
pub(super) struct Notes(pub(super) Option<crate::cluster::Notice>);

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Notes").field(&self.0.is_some()).finish()
    }
}

/// Provides additional metrics of the process in Prometheus' text format.
#[derive(Clone, Default)]
pub(super) struct Numbers(pub(super) Option<Arc<dyn Fn() -> String + Send + Sync>>);

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Numbers").field(&self.0.is_some()).finish()
    }
}

/// The state that a server's connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) limits: Limits,
    pub(super) stop: Arc<AtomicBool>,
    /// The listening host, as in the `Host` header of requests.
    pub(super) host: String,
    pub(super) nodes: Option<&'static dyn Nodes>,
    pub(super) process: Process,
    pub(super) budget: Budget,
    pub(super) notes: Notes,
    pub(super) numbers: Numbers,
    pub(super) logs: Logs,
    pub(super) tls: Option<Tls>,
    /// The token that requests must contain, if any.
    pub(super) token: Option<Token>,
    waiting: Mutex<Waiting>,
    pub(super) connections: AtomicUsize,
    reads: AtomicUsize,
    writes: AtomicUsize,
    watches: AtomicUsize,
    pub(super) metrics: Metrics,
    pub(super) hub: Hub,
    /// The number of requests whose response is not written yet.
    ongoing: AtomicUsize,
    /// Becomes true when connections must end after their current requests.
    pub(super) ending: watch::Sender<bool>,
}

/// Connections that are waiting for a request, starting with the one that has waited longest.
#[derive(Debug, Default)]
struct Waiting {
    begun: u64,
    controls: BTreeMap<u64, Control>,
}

/// One of a limited number of slots. Dropping it frees the slot.
pub(super) struct Permit {
    shared: Arc<Shared>,
    count: fn(&Shared) -> &AtomicUsize,
}

impl Permit {
    /// Reserves the slot of a request. Reads and writes share the limit.
    pub(super) fn request(shared: &Arc<Shared>, is_read: bool) -> Result<Self, Refusal> {
        let count: fn(&Shared) -> &AtomicUsize = match is_read {
            true => |shared| &shared.reads,
            false => |shared| &shared.writes,
        };
        let permit = Self::take(shared, count, usize::MAX);
        // After the request is counted, so that a read and a write at the limit cannot both pass.
        let taken = [&shared.reads, &shared.writes].map(|count| count.load(Ordering::Acquire));
        let fits = taken.iter().sum::<usize>() <= shared.limits.requests;
        let permit = permit.filter(|_| fits);
        permit.ok_or_else(|| Refusal::too_many("requests"))
    }

    /// Reserves the slot of a watch, or returns `None` if all are taken.
    pub(super) fn watch(shared: &Arc<Shared>) -> Option<Self> {
        Self::take(shared, |shared| &shared.watches, shared.limits.watches)
    }

    pub(super) fn take(
        shared: &Arc<Shared>,
        count: fn(&Shared) -> &AtomicUsize,
        most: usize,
    ) -> Option<Self> {
        // Counted before the comparison, so that two requests at the limit cannot both pass.
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
            numbers: Numbers::default(),
            logs: Logs::default(),
            tls: None,
            token: None,
            waiting: Mutex::default(),
            limits,
            stop,
            host,
            nodes: None,
            process: Process::default(),
            connections: AtomicUsize::new(0),
            reads: AtomicUsize::new(0),
            writes: AtomicUsize::new(0),
            watches: AtomicUsize::new(0),
            metrics: Metrics::default(),
            hub: Hub::default(),
            ongoing: AtomicUsize::new(0),
            ending: watch::Sender::new(false),
        }
    }

    /// Returns the server's metrics in text format.
    pub(super) fn numbers(&self) -> String {
        let of = |count: &AtomicUsize| count.load(Ordering::Acquire);
        let own = self.metrics.text(CurrentValues {
            reads: of(&self.reads),
            writes: of(&self.writes),
            watches: of(&self.watches),
            connections: of(&self.connections),
            memory: self.budget.used(),
        });
        match &self.numbers.0 {
            // Appended to the server's own metrics, which have different names.
            Some(more) => own + &more(),
            None => own,
        }
    }

    /// Sends a message to the owner of the server.
    pub(super) fn note(&self, text: fmt::Arguments<'_>) {
        if let Some(notes) = &self.notes.0 {
            notes(&text.to_string());
        }
    }

    /// Records that a connection is waiting for a request and may be closed to make room.
    fn waits(&self, control: Control) -> u64 {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // A counter rather than a time, because only the order matters.
        waiting.begun += 1;
        let place = waiting.begun;
        waiting.controls.insert(place, control);
        place
    }

    /// Records that a request has arrived or the connection has gone.
    fn waits_no_more(&self, place: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.controls.remove(&place);
    }

    /// Closes the connection that has been waiting longest for a request. Returns true if there was one.
    pub(super) fn make_room(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // The oldest one, so that a client with idle connections makes room for others.
        let oldest = waiting.controls.pop_first();
        oldest.is_some_and(|(_, control)| {
            control.close();
            true
        })
    }

    /// Waits for closed connections to end. Returns true if there are few enough.
    pub(super) async fn has_room(&self) -> bool {
        // Allows for a tenth more, because closed connections need a moment to end.
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

    /// Waits for the requests in progress, with a limit, because a client may have stopped reading.
    pub(super) async fn end(&self) {
        self.ending.send_replace(true);
        if self.connections.load(Ordering::Acquire) > 0 {
            // Allows HTTP/2 clients to receive the announcement before their connections close.
            pause(ANNOUNCING).await;
        }
        while self.make_room() {}
        let since = Stopwatch::start();
        let mut quiet = Stopwatch::start();
        while self.connections.load(Ordering::Acquire) > 0 && since.elapsed() < LAST_WORDS {
            if self.ongoing.load(Ordering::Acquire) > 0 {
                quiet = Stopwatch::start();
            } else if quiet.elapsed() > QUIET {
                // All responses are written; only clients that keep their connections open are left.
                return;
            }
            pause(Duration::from_millis(2)).await;
        }
    }
}

/// A connection, as its requests see it.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    pub(super) shared: Arc<Shared>,
    pub(super) control: Control,
    /// Its position among those that are waiting for a request.
    place: Mutex<Option<u64>>,
    /// The client, if it has a certificate.
    peer: OnceLock<Peer>,
    /// The address of the client, if it has one.
    source: Option<SocketAddr>,
}

impl ConnectionState {
    /// Returns a connection; `source` is the client's address.
    pub(crate) fn new(shared: &Arc<Shared>, source: Option<SocketAddr>) -> Arc<Self> {
        let connection = Self {
            shared: Arc::clone(shared),
            control: Control::default(),
            place: Mutex::default(),
            peer: OnceLock::new(),
            source,
        };
        connection.waits();
        Arc::new(connection)
    }

    /// Records the client according to its certificate, before the first request.
    pub(super) fn identify(&self, peer: Peer) {
        let known = self.peer.set(peer);
        debug_assert!(known.is_ok(), "a connection has one handshake");
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

    /// Records that a request has arrived: the connection must no longer be closed to make room, and a stopping server
    /// lets the request finish.
    pub(super) fn begin(self: Arc<Self>, version: Version) -> InFlightRequest {
        self.waits_no_more();
        self.shared.ongoing.fetch_add(1, Ordering::AcqRel);
        self.control.begin(version >= Version::HTTP_2);
        InFlightRequest {
            connection: self,
            is_endless: false,
        }
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        self.waits_no_more();
    }
}

/// A request whose response is not written yet.
#[derive(Debug)]
pub(super) struct InFlightRequest {
    connection: Arc<ConnectionState>,
    /// True if the response is endless.
    is_endless: bool,
}

impl InFlightRequest {
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.connection.shared
    }

    /// Returns the client, if it has a certificate.
    pub(super) fn peer(&self) -> Option<&Peer> {
        self.connection.peer.get()
    }

    /// Returns the address of the client, if it has one.
    pub(super) fn source(&self) -> Option<String> {
        self.connection.source.map(|address| address.to_string())
    }

    /// Returns true if the rest of the request cannot arrive.
    pub(super) fn is_cut(&self, cx: &Context<'_>) -> bool {
        self.connection.control.has_ended(cx)
    }

    /// Records that the response is endless.
    pub(super) fn mark_endless(&mut self) {
        self.is_endless = true;
        self.connection.control.mark_endless();
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        if self.connection.control.end(self.is_endless) {
            self.connection.waits();
        }
        self.connection
            .shared
            .ongoing
            .fetch_sub(1, Ordering::AcqRel);
    }
}
