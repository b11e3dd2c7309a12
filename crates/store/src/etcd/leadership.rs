//! Leadership: heartbeats and the settle lock as keys with a lease.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ctl_etcd::{Client, Compare, EtcdError, KeyRange, KeyWrite, Txn};
use parking_lot::Mutex;

use super::EtcdStore;
use super::follow::Shared;
use super::hosts::Host;
use crate::heartbeats::{Heartbeat, Heartbeats};
use crate::interface::Result;
use crate::leader::{Candidate, Election, Leadership, SettleLock, Share};
use crate::settings::ClockMode;
use crate::sys::entropy::kernel_random;
use crate::sys::fs::LockGuard;

/// The seconds after which the settle lock of a process that died is free.
const LEASE: u64 = 10;

/// The interval at which a lease is renewed.
const RENEWAL: Duration = Duration::from_secs(3);

const BEATS: &str = "beats/";
const TURN: &str = "turn";

/// Heartbeats as keys of etcd, each with a lease: etcd removes that of a process that died.
pub(super) struct EtcdHeartbeats {
    shared: Arc<Shared>,
    /// The leases of this process's heartbeats, with the content of their keys.
    leases: Mutex<BTreeMap<Share, (u64, Heartbeat)>>,
}

impl fmt::Debug for EtcdHeartbeats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EtcdBeats").field(&self.shared.keys).finish()
    }
}

impl EtcdHeartbeats {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            leases: Mutex::default(),
        }
    }

    fn key(&self, share: Share) -> String {
        self.shared.keys.own(&format!("{BEATS}{}", share.key()))
    }

    /// Returns the lease of a share that this process leads.
    fn lease(&self, share: Share) -> Option<u64> {
        self.leases.lock().get(&share).map(|(lease, _)| *lease)
    }

    /// Ends a lead, and with its lease everything that depends on it.
    fn release(&self, share: Share) -> Result<()> {
        // This process does not lead the share, so there is nothing to end.
        let Some((lease, _)) = self.leases.lock().remove(&share) else {
            return Ok(());
        };
        match self.shared.client.revoke(lease) {
            // It has ended before.
            Ok(()) | Err(EtcdError::Refused { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn read_beat(value: &[u8]) -> Option<Heartbeat> {
    let text = std::str::from_utf8(value).ok()?;
    let mut words = text.split(' ').map(|word| u64::from_str_radix(word, 16));
    let mut word = || words.next()?.ok();
    Some(Heartbeat {
        holder: word()?,
        count: word()?,
        epoch: word()?,
    })
}

impl Heartbeats for EtcdHeartbeats {
    fn all(&self) -> Result<Vec<(Share, Heartbeat)>> {
        let prefix = self.shared.keys.own(BEATS);
        let found = self
            .shared
            .client
            .range(&KeyRange::prefix(prefix.as_str()))?;
        let beat = |kv: &ctl_etcd::KeyValue| {
            let name = std::str::from_utf8(kv.key.strip_prefix(prefix.as_bytes())?).ok()?;
            Some((Share::of_key(name)?, read_beat(&kv.value)?))
        };
        Ok(found.kvs.iter().filter_map(beat).collect())
    }

    fn write(&self, share: Share, beat: Heartbeat, lease: Duration) -> Result<()> {
        if beat.holder == 0 {
            return self.release(share);
        }
        let client = &self.shared.client;
        let known = self.leases.lock().get(&share).copied();
        if let Some((lease, last)) = known {
            let ended = || EtcdError::Lost("the lease of the leader has ended".to_owned());
            if client.keep_alive(lease)?.seconds == 0 {
                return Err(ended().into());
            }
            // An unchanged heartbeat costs etcd no revision.
            if (last.holder, last.epoch) == (beat.holder, beat.epoch) {
                return Ok(());
            }
        }
        let lease = match known {
            Some((lease, _)) => lease,
            // Counted in whole seconds, and etcd raises those of less than its own elections take.
            None => client.grant(lease.as_secs().max(1))?.id,
        };
        self.leases.lock().insert(share, (lease, beat));
        let Heartbeat {
            holder,
            count,
            epoch,
        } = beat;
        let line = format!("{holder:x} {count:x} {epoch:x}");
        let txn = Txn {
            writes: vec![KeyWrite {
                lease,
                ..KeyWrite::put(self.key(share), line)
            }],
            ..Txn::default()
        };
        client.txn(&txn)?;
        Ok(())
    }

    fn end_by_themselves(&self) -> bool {
        true
    }

    fn fresh(&self) -> u64 {
        kernel_random()
    }
}

/// A held settle lock, whose lease a thread renews.
struct LeaseSettleLock {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LeaseSettleLock {
    fn new(shared: Arc<Shared>, lease: u64) -> Self {
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || renew(&shared.client, lease, &ended));
        Self {
            end: Some(end),
            thread: Some(thread),
        }
    }
}

fn renew(client: &Client, lease: u64, ended: &Receiver<()>) {
    while ended.recv_timeout(RENEWAL) == Err(RecvTimeoutError::Timeout) {
        // A lease that cannot be renewed ends; a process that settles without the lock is fenced off by the next epoch.
        let _ = client.keep_alive(lease);
    }
    let _ = client.revoke(lease);
}

impl LockGuard for LeaseSettleLock {}

impl Drop for LeaseSettleLock {
    fn drop(&mut self) {
        // Closing the channel stops the thread.
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // Waits until the key is removed; otherwise the next command of a script would wait for the lease.
            let _ = thread.join();
        }
    }
}

impl Election for EtcdStore {
    fn heartbeats(&self) -> Arc<dyn Heartbeats> {
        Arc::<EtcdHeartbeats>::clone(&self.heartbeats)
    }

    fn try_lead(&self, candidate: &mut Candidate) -> Result<Option<Leadership>> {
        // One leader moves a virtual clock, because two would skip each other's timers.
        let alone = self.shared.known.get().clock == ClockMode::Virtual;
        if candidate.share() != Share::WHOLE || alone {
            return candidate.try_lead(self.heartbeats());
        }
        // A new name for each lead, because the keys of an earlier one may not have ended yet.
        let number = kernel_random() as u32;
        let share = Share::host(number);
        let mut host = Candidate::new(candidate.lease(), share);
        let Some(lead) = host.try_lead(self.heartbeats())? else {
            return Ok(None);
        };
        let lease = self.heartbeats.lease(share).unwrap_or(0);
        let name = self.writer_name.as_str();
        let host = Host::register(&self.shared, number, lease, name, lead.lost_flag())?;
        Ok(Some(lead.divided(Arc::new(host))))
    }

    fn try_settle_lock(&self) -> Result<Option<SettleLock>> {
        let client = &self.shared.client;
        let key = self.shared.keys.own(TURN);
        if !client.range(&KeyRange::key(key.as_str()))?.kvs.is_empty() {
            return Ok(None);
        }
        // A lease instead of only a holder's name: a killed process cannot leave the key behind.
        let lease = client.grant(LEASE)?.id;
        let txn = Txn {
            compares: vec![Compare::mod_revision(key.as_str(), 0)],
            writes: vec![KeyWrite {
                lease,
                ..KeyWrite::put(key, self.writer_name.as_str())
            }],
            ..Txn::default()
        };
        if client.txn(&txn)?.succeeded {
            let held = LeaseSettleLock::new(Arc::clone(&self.shared), lease);
            return Ok(Some(SettleLock::under(Some(Box::new(held)))));
        }
        client.revoke(lease)?;
        Ok(None)
    }

    fn settle_lock_holder(&self) -> String {
        let found = self
            .shared
            .client
            .range(&KeyRange::key(self.shared.keys.own(TURN)));
        let holder = found.ok().and_then(|found| found.kvs.into_iter().next());
        holder.map_or_else(
            || "another process".to_owned(),
            |kv| String::from_utf8_lossy(&kv.value).into_owned(),
        )
    }
}
