//! The calls of the client.

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

/// The time that a member must accept a connection before the next one is tried.
const CONNECT: Duration = Duration::from_secs(2);

/// The timeout of a call. etcd gives up a proposal after about 7 s by default.
const CALL: Duration = Duration::from_secs(10);

/// A client of the members of one etcd.
pub struct Client {
    runtime: Arc<Runtime>,
    members: Vec<Arc<str>>,
    tls: Option<Arc<ClientConfig>>,
    /// The connection in use and the number of its member.
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
    /// Creates a client of the members at `HOST:PORT` each; it connects with the first call.
    ///
    /// # Errors
    /// There is no member, or a certificate or key cannot be used.
    pub fn new(members: &[String], tls: Option<&Tls>) -> Result<Self> {
        if members.is_empty() {
            return Err(EtcdError::Config(
                "etcd needs at least one HOST:PORT".to_owned(),
            ));
        }
        // Only the names of hosts are looked up on a thread that blocks.
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

    /// Executes a transaction, at most once.
    ///
    /// # Errors
    /// [`EtcdError::Lost`] if its outcome is unknown.
    pub fn txn(&self, txn: &Txn) -> Result<TxnDone> {
        self.write("/etcdserverpb.KV/Txn", &txn.encode(), TxnDone::parse)
    }

    /// Drops values that were overwritten or removed before a revision.
    ///
    /// # Errors
    /// [`EtcdError::Compacted`] if another client did.
    pub fn compact(&self, revision: u64) -> Result<()> {
        let request = numbers(&[revision]);
        self.write("/etcdserverpb.KV/Compact", &request, |_| Ok(()))
    }

    /// Grants a lease that ends after some seconds, unless it is renewed.
    ///
    /// # Errors
    /// [`EtcdError::Lost`] if it may exist; it ends by itself then.
    pub fn grant(&self, seconds: u64) -> Result<Lease> {
        let request = numbers(&[seconds]);
        self.write("/etcdserverpb.Lease/LeaseGrant", &request, Lease::parse)
    }

    /// Renews a lease; an ended lease is returned with no seconds left.
    ///
    /// # Errors
    /// etcd does not respond.
    pub fn keep_alive(&self, lease: u64) -> Result<Lease> {
        // A stream is for callers that renew often; one message that also ends it is a call.
        let request = numbers(&[lease]);
        self.read("/etcdserverpb.Lease/LeaseKeepAlive", &request, Lease::parse)
    }

    /// Ends a lease, and every key that has it.
    ///
    /// # Errors
    /// [`EtcdError::Refused`] if the lease has ended before.
    pub fn revoke(&self, lease: u64) -> Result<()> {
        let request = numbers(&[lease]);
        self.write("/etcdserverpb.Lease/LeaseRevoke", &request, |_| Ok(()))
    }

    /// Returns the status of the member that the client is connected to.
    ///
    /// # Errors
    /// If no member responds.
    pub fn status(&self) -> Result<MemberStatus> {
        self.read("/etcdserverpb.Maintenance/Status", &[], MemberStatus::parse)
    }

    /// Watches a range for changes after a revision.
    ///
    /// # Errors
    /// If no member responds. A compacted revision shows with the first message.
    pub fn watch(&self, range: &KeyRange, after: u64) -> Result<Watch> {
        let create = watch_create(&range.key, &range.end, after);
        let call = self
            .runtime
            .block_on(self.open(Watch::PATH, &create, false))?;
        Ok(Watch::new(Arc::clone(&self.runtime), call))
    }

    /// Makes a call that may be repeated: if its response is lost, the next member is tried once.
    fn read<T>(&self, path: &'static str, request: &[u8], parse: Parse<T>) -> Result<T> {
        match self.write(path, request, parse) {
            Err(EtcdError::Lost(_)) => self.write(path, request, parse),
            result => result,
        }
    }

    /// Makes a call that is sent at most once.
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
            // The timeout includes the connection, so a late call may not have been sent: "lost" is the safe error.
            within(CALL, call).await.map_err(|_| late()).flatten()
        });
        let response = match response {
            Err(EtcdError::Lost(reason)) => {
                // The member may hang, and the next caller would wait for it as long.
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
        // A TLS server closes a connection that does not begin with a handshake, without a message.
        match self.tls.is_none() && !self.heard.load(Ordering::Relaxed) {
            true => format!("{reason}; if etcd uses TLS, give its authority with --ca"),
            false => reason,
        }
    }

    /// Opens a stream on the connection in use, or on a new one if that has ended.
    async fn open(&self, path: &'static str, message: &[u8], last: bool) -> Result<Call> {
        // The lock ends here: other threads call over the same connection meanwhile.
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

    /// Connects to the first member that accepts, starting with the one whose turn it is.
    async fn connect(&self) -> Result<Channel> {
        let first = self.current.lock().0;
        let mut reasons = Vec::new();
        for turn in 0..self.members.len() {
            let number = (first + turn) % self.members.len();
            let member = &self.members[number];
            match within(CONNECT, Channel::connect(member, self.tls.as_ref())).await {
                Ok(Ok(channel)) => {
                    // If two threads connect at once, one connection stays and the other ends with its calls.
                    *self.current.lock() = (number, Some(channel.clone()));
                    return Ok(channel);
                }
                Ok(Err(error)) => reasons.push(format!("{member}: {error}")),
                Err(_) => reasons.push(format!("{member}: no connection in time")),
            }
        }
        Err(EtcdError::Unreachable(reasons.join("; ")))
    }

    /// Drops the connection in use: the next call and the next watch go to the next member.
    pub fn leave(&self) {
        let mut current = self.current.lock();
        // Not the same member again, because it may accept connections without responding.
        *current = ((current.0 + 1) % self.members.len(), None);
    }
}

type Parse<T> = fn(&[u8]) -> Parsed<T>;
