//! Leadership: heartbeats as keys, and the turn to settle as a key with a lease.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ctl_etcd::{Client, Compare, KeyRange, Put, Txn};

use super::EtcdStore;
use super::follow::Shared;
use crate::beats::{Beat, Beats};
use crate::interface::Result;
use crate::leader::{Election, Share, Turn};
use crate::sys::entropy::kernel_random;
use crate::sys::fs::LockGuard;

/// The seconds after which the turn of a process that died is free.
const LEASE: u64 = 10;

/// How often a lease is renewed.
const RENEWAL: Duration = Duration::from_secs(3);

const BEATS: &str = "beats/";
const TURN: &str = "turn";

/// Heartbeats as keys of etcd, which no cache shows.
struct EtcdBeats(Arc<Shared>);

impl fmt::Debug for EtcdBeats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EtcdBeats").field(&self.0.keys).finish()
    }
}

fn read_beat(value: &[u8]) -> Option<Beat> {
    let text = std::str::from_utf8(value).ok()?;
    let mut words = text.split(' ').map(|word| u64::from_str_radix(word, 16));
    let mut word = || words.next()?.ok();
    Some(Beat {
        holder: word()?,
        count: word()?,
        epoch: word()?,
    })
}

impl Beats for EtcdBeats {
    fn all(&self) -> Result<Vec<(Share, Beat)>> {
        let prefix = self.0.keys.own(BEATS);
        let found = self.0.client.range(&KeyRange::prefix(prefix.as_str()))?;
        let beat = |kv: &ctl_etcd::KeyValue| {
            let name = std::str::from_utf8(kv.key.strip_prefix(prefix.as_bytes())?).ok()?;
            Some((Share::of_key(name)?, read_beat(&kv.value)?))
        };
        Ok(found.kvs.iter().filter_map(beat).collect())
    }

    fn write(&self, share: Share, beat: Beat) -> Result<()> {
        let key = self.0.keys.own(&format!("{BEATS}{}", share.key()));
        let mut txn = Txn::default();
        if beat.holder == 0 {
            txn.deletes.push(key.into_bytes());
        } else {
            let Beat {
                holder,
                count,
                epoch,
            } = beat;
            let line = format!("{holder:x} {count:x} {epoch:x}");
            txn.puts.push(Put::new(key, line));
        }
        self.0.client.txn(&txn)?;
        Ok(())
    }

    fn fresh(&self) -> u64 {
        kernel_random()
    }
}

/// A turn that is held: a thread renews its lease.
struct Held {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Held {
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
        // A lease that cannot be renewed ends; who settles without a turn is fenced by the next one's epoch.
        let _ = client.keep_alive(lease);
    }
    let _ = client.revoke(lease);
}

impl LockGuard for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        // The end of the channel is the word to the thread.
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // Waits until the key is gone, or the next command of a script would wait for the lease.
            let _ = thread.join();
        }
    }
}

impl Election for EtcdStore {
    fn beats(&self) -> Arc<dyn Beats> {
        Arc::new(EtcdBeats(Arc::clone(&self.shared)))
    }

    fn try_turn(&self) -> Result<Option<Turn>> {
        let client = &self.shared.client;
        let key = self.shared.keys.own(TURN);
        if !client.range(&KeyRange::key(key.as_str()))?.kvs.is_empty() {
            return Ok(None);
        }
        // A lease instead of a holder's name alone: a killed process cannot leave the key behind.
        let lease = client.grant(LEASE)?.id;
        let txn = Txn {
            compares: vec![Compare::mod_revision(key.as_str(), 0)],
            puts: vec![Put {
                lease,
                ..Put::new(key, self.writer_name.as_str())
            }],
            ..Txn::default()
        };
        if client.txn(&txn)?.succeeded {
            let held = Held::new(Arc::clone(&self.shared), lease);
            return Ok(Some(Turn::under(Some(Box::new(held)))));
        }
        client.revoke(lease)?;
        Ok(None)
    }

    fn whose_turn(&self) -> String {
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
