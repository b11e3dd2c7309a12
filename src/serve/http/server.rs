//! The server: one thread for each connection, and no more of them than so many.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::exchange;
use super::reply::Refusal;
use crate::cluster::Cluster;
use crate::serve::Logs;
use crate::sys::clock::Stopwatch;
use crate::sys::net::{Connection, Listener};
use crate::sys::signal::sleep;

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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1000,
            watches: 500,
            idle: Duration::from_secs(90),
            head: Duration::from_secs(10),
            body: Duration::from_secs(60),
        }
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    limits: Limits,
    logs: Option<Logs>,
}

/// What the threads of a server share.
#[derive(Debug)]
pub(in crate::serve) struct Shared {
    pub(super) limits: Limits,
    pub(super) stop: Arc<AtomicBool>,
    /// The host that is listened at, as requests name it.
    pub(super) host: String,
    pub(super) logs: Option<Logs>,
    connections: AtomicUsize,
    watches: AtomicUsize,
    busy: AtomicUsize,
}

/// One of so many, until it goes.
pub(super) struct Permit<'s>(&'s AtomicUsize);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn permit(count: &AtomicUsize, most: usize) -> Option<Permit<'_>> {
    let permit = (count.fetch_add(1, Ordering::AcqRel), Permit(count));
    (permit.0 < most).then_some(permit.1)
}

impl Shared {
    pub(in crate::serve) fn new(
        limits: Limits,
        address: SocketAddr,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let host = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        Self {
            limits,
            stop,
            host,
            logs: None,
            connections: AtomicUsize::new(0),
            watches: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
        }
    }

    /// The right to watch, where there are not too many already.
    pub(super) fn watch(&self) -> Option<Permit<'_>> {
        permit(&self.watches, self.limits.watches)
    }

    /// Says that something is being answered.
    pub(super) fn busy(&self) -> Option<Permit<'_>> {
        permit(&self.busy, usize::MAX)
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
        })
    }

    /// The same, where somebody knows the logs of containers.
    #[must_use]
    pub fn with_logs(mut self, logs: Logs) -> Self {
        self.logs = Some(logs);
        self
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Serves a cluster until `stop` is raised. What has begun by then is answered; watches end.
    ///
    /// # Errors
    /// Where no more connections can be taken.
    pub fn run(&self, cluster: &Arc<Cluster>, stop: &Arc<AtomicBool>) -> io::Result<()> {
        let mut shared = Shared::new(self.limits.clone(), self.address(), Arc::clone(stop));
        shared.logs = self.logs;
        let shared = Arc::new(shared);
        while !stop.load(Ordering::Relaxed) {
            if let Some(connection) = self.listener.accept(LOOK)? {
                take(connection, cluster, &shared);
            }
        }
        let since = Stopwatch::start();
        while shared.busy.load(Ordering::Acquire) > 0 && since.elapsed() < LAST_WORDS {
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

fn take(mut connection: Connection, cluster: &Arc<Cluster>, shared: &Arc<Shared>) {
    let (cluster, ours) = (Arc::clone(cluster), Arc::clone(shared));
    if shared.connections.fetch_add(1, Ordering::AcqRel) >= shared.limits.connections {
        drop(Permit(&shared.connections));
        if let Some(response) = Refusal::closing(503, "there are too many connections").response() {
            // Who does not hear it is turned away all the same.
            let _ = exchange::refuse(&mut connection, &response);
        }
        return;
    }
    let thread = std::thread::Builder::new().stack_size(STACK);
    let started = thread.spawn(move || {
        let _permit = Permit(&ours.connections);
        exchange::run(connection, &cluster, &ours);
    });
    if started.is_err() {
        drop(Permit(&shared.connections));
    }
}
