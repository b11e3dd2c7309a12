//! The calls of etcd's API.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use rustls::ClientConfig;
use tokio::runtime::Runtime;

use crate::channel::{Call, Channel};
use crate::error::{EtcdError, Result};
use crate::message::{
    KeyRange, Lease, MemberStatus, Parsed, Ranged, Txn, TxnDone, numbers, watch_create,
};
use crate::sys::net::{self, within};
use crate::tls::Tls;
use crate::watch::Watch;

/// The time that a member has to accept a connection before the next one is tried.
const CONNECT: Duration = Duration::from_secs(2);

/// The timeout of a call. By default, etcd gives up on a proposal after about 7 s.
const CALL: Duration = Duration::from_secs(10);

/// A client for the members of one etcd cluster.
pub struct Client {
    runtime: Arc<Runtime>,
    members: Vec<Arc<str>>,
    tls: Option<Arc<ClientConfig>>,
    /// The number of the current member, and the connection to it.
    current: Mutex<(usize, Option<Channel>)>,
    /// True once a member has responded.
    heard: AtomicBool,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Client").field(&self.members).finish()
    }
}

impl Client {
    /// Creates a client for members given as `HOST:PORT`. It connects with the first call.
    ///
    /// # Errors
    /// Returns an error if there is no member, or if a certificate or key is unusable.
    pub fn new(members: &[String], tls: Option<&Tls>) -> Result<Self> {
        if members.is_empty() {
            return Err(EtcdError::Config(
                "etcd needs at least one HOST:PORT".to_owned(),
            ));
        }
        // One blocking thread: only host name lookups block.
        let runtime = net::runtime(1).map_err(|e| EtcdError::Config(e.to_string()))?;
        Ok(Self {
            runtime: Arc::new(runtime),
            members: members.iter().map(|m| Arc::from(m.as_str())).collect(),
            tls: tls.map(Tls::config).transpose()?,
            current: Mutex::new((0, None)),
            heard: AtomicBool::new(false),
        })
    }

    /// Reads a key or a range.
    ///
    /// # Errors
    /// [`EtcdError::Compacted`] if the requested revision is no longer retained.
    pub fn range(&self, range: &KeyRange) -> Result<Ranged> {
        self.read("/etcdserverpb.KV/Range", &range.encode(), Ranged::parse)
    }

    /// Executes a transaction at most once.
    ///
    /// # Errors
    /// [`EtcdError::Lost`] if its outcome is unknown.
    pub fn txn(&self, txn: &Txn) -> Result<TxnDone> {
        self.write("/etcdserverpb.KV/Txn", &txn.encode(), TxnDone::parse)
    }

    /// Compacts the history before a revision: drops values that were overwritten or deleted.
    ///
    /// # Errors
    /// [`EtcdError::Compacted`] if another client has already compacted the revision.
    pub fn compact(&self, revision: u64) -> Result<()> {
        let request = numbers(&[revision]);
        self.write("/etcdserverpb.KV/Compact", &request, |_| Ok(()))
    }

    /// Grants a lease that ends after this number of seconds unless it is renewed.
    ///
    /// # Errors
    /// [`EtcdError::Lost`] if the lease may have been granted; it then ends by itself.
    pub fn grant(&self, seconds: u64) -> Result<Lease> {
        let request = numbers(&[seconds]);
        self.write("/etcdserverpb.Lease/LeaseGrant", &request, Lease::parse)
    }

    /// Renews a lease. A lease that has ended is returned with no seconds left.
    ///
    /// # Errors
    /// Returns an error if etcd does not respond.
    pub fn keep_alive(&self, lease: u64) -> Result<Lease> {
        // The stream is meant for clients that renew often; a single message that also ends it makes it a call.
        let request = numbers(&[lease]);
        self.read("/etcdserverpb.Lease/LeaseKeepAlive", &request, Lease::parse)
    }

    /// Revokes a lease and deletes every key attached to it.
    ///
    /// # Errors
    /// [`EtcdError::Refused`] if the lease has already ended.
    pub fn revoke(&self, lease: u64) -> Result<()> {
        let request = numbers(&[lease]);
        self.write("/etcdserverpb.Lease/LeaseRevoke", &request, |_| Ok(()))
    }

    /// Returns the status of the member to which the client is connected.
    ///
    /// # Errors
    /// Returns an error if no member responds.
    pub fn status(&self) -> Result<MemberStatus> {
        self.read("/etcdserverpb.Maintenance/Status", &[], MemberStatus::parse)
    }

    /// Watches a range for changes after a revision.
    ///
    /// # Errors
    /// Returns an error if no member responds. If the revision is compacted, the first message says so.
    pub fn watch(&self, range: &KeyRange, after: u64) -> Result<Watch> {
        let create = watch_create(&range.key, &range.end, after);
        let call = self
            .runtime
            .block_on(self.open(Watch::PATH, &create, false))?;
        Ok(Watch::new(Arc::clone(&self.runtime), call))
    }

    /// Makes a call that may be repeated: if its response is lost, tries the next member once.
    fn read<T>(&self, path: &'static str, request: &[u8], parse: Parse<T>) -> Result<T> {
        match self.write(path, request, parse) {
            Err(EtcdError::Lost(_)) => self.write(path, request, parse),
            result => result,
        }
    }

    /// Makes a call that must be sent at most once.
    fn write<T>(&self, path: &'static str, request: &[u8], parse: Parse<T>) -> Result<T> {
        let response = self.runtime.block_on(async {
            let late = || EtcdError::Lost(format!("no response within {} s", CALL.as_secs()));
            let call = async {
                let mut call = self.open(path, request, true).await?;
                let response = call.next(path).await?.ok_or(EtcdError::Malformed(path))?;
                // Only the status after the message confirms that the call succeeded.
                call.next(path).await?;
                Ok::<Bytes, EtcdError>(response)
            };
            // The timeout includes connecting, so the request may never have been sent. "Lost" is the safe error.
            within(CALL, call).await.map_err(|_| late()).flatten()
        });
        let response = match response {
            Err(EtcdError::Lost(reason)) => {
                // The member may hang, and the next call would wait for it just as long.
                self.leave();
                return Err(EtcdError::Lost(self.explained(reason)));
            }
            response => response?,
        };
        self.heard.store(true, Ordering::Relaxed);
        parse(&response).map_err(|()| EtcdError::Malformed(path))
    }

    /// Adds the likely reason if no member has ever responded.
    fn explained(&self, reason: String) -> String {
        // A TLS server closes a connection that does not start with a handshake, without a message.
        match self.tls.is_none() && !self.heard.load(Ordering::Relaxed) {
            true => format!("{reason}; if etcd uses TLS, give its authority with --ca"),
            false => reason,
        }
    }

    /// Opens a stream on the current connection, or on a new one if that has ended.
    async fn open(&self, path: &'static str, message: &[u8], last: bool) -> Result<Call> {
        // The lock is released here, so other threads can use the connection in the meantime.
        let current = self.current.lock().1.clone();
        if let Some(channel) = current {
            match channel.open(path, message, last).await {
                Err(EtcdError::Unreachable(_)) => self.leave(),
                result => return result,
            }
        }
        let opened = self.connect().await?.open(path, message, last).await;
        opened.map_err(|error| match error {
            EtcdError::Unreachable(reason) => EtcdError::Unreachable(self.explained(reason)),
            error => error,
        })
    }

    /// Connects to the first member that accepts, starting with the current one.
    async fn connect(&self) -> Result<Channel> {
        let first = self.current.lock().0;
        let mut reasons = Vec::new();
        for turn in 0..self.members.len() {
            let number = (first + turn) % self.members.len();
            let member = &self.members[number];
            match within(CONNECT, Channel::connect(member, self.tls.as_ref())).await {
                Ok(Ok(channel)) => {
                    // If two threads connect at once, one connection is kept and the other ends with its calls.
                    *self.current.lock() = (number, Some(channel.clone()));
                    return Ok(channel);
                }
                Ok(Err(error)) => reasons.push(format!("{member}: {error}")),
                Err(_) => reasons.push(format!("{member}: no connection in time")),
            }
        }
        Err(EtcdError::Unreachable(reasons.join("; ")))
    }

    /// Drops the current connection: the next call or watch goes to the next member.
    pub fn leave(&self) {
        let mut current = self.current.lock();
        // Skips the current member, because it may accept connections without responding.
        *current = ((current.0 + 1) % self.members.len(), None);
    }
}

type Parse<T> = fn(&[u8]) -> Parsed<T>;
