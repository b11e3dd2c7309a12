//! The server: one thread per connection, up to a limit.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::exchange;
use super::reply::Refusal;
use crate::budget::{self, Budget};
use crate::sys::clock::Stopwatch;
use crate::sys::net::{Closer, Connection, Listener};
use crate::sys::signal::sleep;
use crate::{Logs, Service};

/// How often the server looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(200);

/// How long requests that have begun may go on when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// The stack of a connection's thread: objects may be deep.
const STACK: usize = 8 * 1024 * 1024;

/// How much is taken on, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
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
}

/// Receives the server's messages for its owner.
#[derive(Clone, Default)]
struct Notes(Option<crate::cluster::Notice>);

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Notes").field(&self.0.is_some()).finish()
    }
}

/// The state that the threads of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(super) limits: Limits,
    pub(super) stop: Arc<AtomicBool>,
    /// The host that is listened at, as requests name it.
    pub(super) host: String,
    pub(super) logs: Option<Logs>,
    pub(super) budget: Budget,
    notes: Notes,
    waiting: Arc<Mutex<Waiting>>,
    connections: AtomicUsize,
    watches: AtomicUsize,
    busy: AtomicUsize,
}

/// A slot of a limited number; dropping it frees the slot.
pub(super) struct Permit<'s>(&'s AtomicUsize);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn permit(count: &AtomicUsize, most: usize) -> Option<Permit<'_>> {
    // Counted before it is compared: two connections at the limit cannot both see room.
    let permit = (count.fetch_add(1, Ordering::AcqRel), Permit(count));
    (permit.0 < most).then_some(permit.1)
}

impl Shared {
    pub(crate) fn new(limits: Limits, address: SocketAddr, stop: Arc<AtomicBool>) -> Self {
        let host = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        Self {
            budget: Budget::new(limits.memory),
            notes: Notes::default(),
            waiting: Arc::default(),
            limits,
            stop,
            host,
            logs: None,
            connections: AtomicUsize::new(0),
            watches: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
        }
    }

    /// Tells the owner of the server something.
    pub(super) fn note(&self, text: fmt::Arguments<'_>) {
        if let Some(notes) = &self.notes.0 {
            notes(&text.to_string());
        }
    }

    /// Notes that a connection waits for a head: it may have to make room for another one.
    pub(super) fn waits(&self, closer: Option<Closer>) -> Waits {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // A growing number instead of a time: the order is all that is needed.
        waiting.begun += 1;
        let place = waiting.begun;
        if let Some(closer) = closer {
            waiting.closers.insert(place, closer);
        }
        Waits(Arc::clone(&self.waiting), place)
    }

    /// Breaks the connection that has waited longest for a head; returns whether there was one.
    fn make_room(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        // The oldest one without a head: a client that opens connections and sends nothing makes
        // room for others.
        let oldest = waiting.closers.pop_first();
        oldest.is_some_and(|(_, closer)| {
            closer.close();
            true
        })
    }

    /// Waits for the threads of broken connections to end; returns whether there are few enough.
    fn has_room(&self) -> bool {
        // A tenth more, because threads of broken connections need a moment to end.
        let most = self.limits.connections + self.limits.connections / 10 + 1;
        let since = Stopwatch::start();
        while self.connections.load(Ordering::Acquire) > most {
            if since.elapsed() > LOOK {
                return false;
            }
            sleep(Duration::from_millis(1));
        }
        true
    }

    /// Takes a slot for a watch; `None` if all are taken.
    pub(super) fn watch(&self) -> Option<Permit<'_>> {
        permit(&self.watches, self.limits.watches)
    }

    /// Counts a request that is being served.
    pub(super) fn busy(&self) -> Option<Permit<'_>> {
        permit(&self.busy, usize::MAX)
    }
}

/// Connections on which no complete head has come yet, by when they began to wait.
#[derive(Debug, Default)]
struct Waiting {
    begun: u64,
    closers: BTreeMap<u64, Closer>,
}

/// A connection that waits for a head, until this is dropped.
pub(super) struct Waits(Arc<Mutex<Waiting>>, u64);

impl Drop for Waits {
    fn drop(&mut self) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.closers.remove(&self.1);
    }
}

impl Server {
    /// Listens at an address; only at one of the machine itself unless `anywhere`.
    ///
    /// # Errors
    /// Where it cannot.
    pub fn bind(address: SocketAddr, anywhere: bool, limits: Limits) -> io::Result<Self> {
        let listener = Listener::bind(address, anywhere)?;
        Ok(Self {
            listener,
            limits,
            logs: None,
            notes: Notes::default(),
        })
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
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
        let shared = Arc::new(shared);
        // Waits with a limit, so that the stop flag is seen without a connection coming in.
        while !stop.load(Ordering::Relaxed) {
            if let Some(connection) = self.listener.accept(LOOK)? {
                take(connection, service, &shared);
            }
        }
        let since = Stopwatch::start();
        // Requests that have begun are finished, but not for ever: a client may have stopped
        // reading.
        while shared.busy.load(Ordering::Acquire) > 0 && since.elapsed() < LAST_WORDS {
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

fn take<S: Service + 'static>(mut connection: Connection, service: &Arc<S>, shared: &Arc<Shared>) {
    let (service, ours) = (Arc::clone(service), Arc::clone(shared));
    let taken = shared.connections.fetch_add(1, Ordering::AcqRel);
    // Whoever has not asked for anything yet makes room.
    if taken >= shared.limits.connections && !(shared.make_room() && shared.has_room()) {
        drop(Permit(&shared.connections));
        if let Some(response) = Refusal::closing(503, "too many connections").response() {
            // Who does not hear it is turned away all the same.
            let _ = exchange::refuse(&mut connection, &response, shared);
        }
        return;
    }
    // It may have to go before its thread has begun.
    let waits = shared.waits(Some(connection.closer()));
    // An object tree may be as deep as the parser allows; a thread's default stack is not enough
    // for its recursion.
    let thread = std::thread::Builder::new().stack_size(STACK);
    let started = thread.spawn(move || {
        let _permit = Permit(&ours.connections);
        exchange::run_waiting(connection, &*service, &ours, waits);
    });
    if started.is_err() {
        // The thread did not start, so nobody else gives the place back.
        drop(Permit(&shared.connections));
    }
}
