//! Hosts that lead side by side: each share of the namespaces is a key with the lease of its host.
//!
//! A host has one key with the same lease as its shares. They end together, so a transaction that compares the host's
//! key succeeds only while it owns all its shares.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ctl_etcd::{Compare, KeyWrite, Txn};
use parking_lot::Mutex;

use super::follow::Shared;
use super::shares::{Fence, HOSTS, Hosts, SHARE, SHARES};
use crate::division::{Division, Shares};
use crate::interface::Result;
use crate::revision::Revision;

/// The longest wait of a slower host for the watch to report the conflict.
const CONFLICT: Duration = Duration::from_millis(100);

/// The shares of this process.
pub(super) struct Host {
    shared: Arc<Shared>,
    name: String,
    lease: u64,
    fence: Fence,
    /// The shares that the caller works on, and the change of the hosts up to which they are right.
    given: Mutex<(Option<BTreeSet<u32>>, Revision)>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.name).finish()
    }
}

impl Host {
    /// Writes the key of a host with its lease. From then on commits under an epoch succeed only while the key exists.
    pub(super) fn register(
        shared: &Arc<Shared>,
        number: u32,
        lease: u64,
        command: &str,
        lost: Arc<AtomicBool>,
    ) -> Result<Self> {
        let name = format!("{number:08x}");
        let key = shared.keys.own(&format!("{HOSTS}{name}"));
        let txn = Txn {
            compares: vec![Compare::mod_revision(key.as_str(), 0)],
            writes: vec![KeyWrite {
                lease,
                ..KeyWrite::put(key.as_str(), command)
            }],
            ..Txn::default()
        };
        let revision = shared.client.txn(&txn)?.revision;
        let fence = Fence {
            key,
            revision,
            lost,
        };
        shared.reach(revision)?;
        // For every commit under an epoch, because the controllers of a process share one lead.
        *shared.fence.lock() = Some(fence.clone());
        Ok(Self {
            shared: Arc::clone(shared),
            name,
            lease,
            fence,
            given: Mutex::default(),
        })
    }

    fn key(&self, share: u32) -> String {
        self.shared.keys.own(&format!("{SHARE}{share}"))
    }

    fn hosts(&self) -> Arc<Hosts> {
        self.shared.read(|cached| Arc::clone(&cached.hosts))
    }

    /// Gives up the shares that belong to another host now.
    fn release(&self, hosts: &Hosts) -> Result<()> {
        let wanted = hosts.wanted(&self.name);
        let own = hosts
            .shares
            .iter()
            .filter(|(share, (holder, _))| *holder == self.name && !wanted.contains(share));
        let mut txn = Txn::default();
        for (share, (_, revision)) in own {
            let key = self.key(*share);
            txn.compares
                .push(Compare::mod_revision(key.as_str(), *revision));
            txn.writes.push(KeyWrite::delete(key));
        }
        if !txn.writes.is_empty() {
            let done = self.shared.client.txn(&txn)?;
            self.shared
                .reach(if done.succeeded { done.revision } else { 0 })?;
        }
        Ok(())
    }

    /// Takes the free shares that belong to this host; returns false if another host was faster.
    fn take(&self, hosts: &Hosts) -> Result<bool> {
        let mut wanted = hosts.wanted(&self.name);
        wanted.retain(|share| !hosts.shares.contains_key(share));
        let mut txn = Txn::default();
        for share in wanted {
            let key = self.key(share);
            txn.compares.push(Compare::mod_revision(key.as_str(), 0));
            txn.writes.push(KeyWrite {
                lease: self.lease,
                ..KeyWrite::put(key, self.name.as_str())
            });
        }
        if txn.writes.is_empty() {
            return Ok(true);
        }
        // etcd rejects the write if the lease has ended; the key reports the same as a failed comparison.
        txn.compares.push(self.fence.compare());
        let done = self.shared.client.txn(&txn)?;
        if done.succeeded {
            self.shared.reach(done.revision)?;
        } else {
            let before = hosts.changed;
            let changed = || self.hosts().changed > before;
            self.shared.wait(CONFLICT, |_, _| changed());
        }
        Ok(done.succeeded)
    }
}

impl Division for Host {
    fn begin(&self) {
        *self.given.lock() = (None, 0);
    }

    fn is_due(&self) -> bool {
        self.hosts().changed != self.given.lock().1
    }

    fn renew(&self) -> Result<Option<Shares>> {
        let hosts = self.hosts();
        if hosts.changed == self.given.lock().1 {
            return Ok(None);
        }
        let (held, upto) = if hosts.alive.contains(&self.name) {
            // First, because another host waits for them.
            self.release(&hosts)?;
            let took = self.take(&self.hosts())?;
            let now = self.hosts();
            (now.held(&self.name), if took { now.changed } else { 0 })
        } else {
            // Its lease has ended, so all that it had is free or another host's.
            self.fence.lost.store(true, Ordering::Relaxed);
            (BTreeSet::new(), hosts.changed)
        };
        // Without the revision after a lost race, the next turn tries again.
        let mut given = self.given.lock();
        given.1 = upto;
        if given.0.as_ref() == Some(&held) {
            return Ok(None);
        }
        given.0 = Some(held.clone());
        Ok(Some(Shares::new(held, SHARES)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::server;
    use ctl_etcd::KeyRange;

    use super::*;
    use crate::sys::entropy::Seed;
    use crate::{
        Batch, Candidate, Cause, ClockMode, EtcdStore, Expect, Key, Leadership, Members, Op,
        Options, Settings, Share, Store as _, StoreError,
    };

    fn open(etcd: &server::Etcd) -> EtcdStore {
        let members = Members {
            addresses: vec![etcd.address.clone()],
            prefix: "registry".to_owned(),
            tls: None,
        };
        let settings = Settings {
            clock: ClockMode::System,
            ..Settings::new(Seed(1))
        };
        EtcdStore::open_or_create(&members, &Options::default(), &settings).unwrap()
    }

    fn lead(store: &EtcdStore) -> Leadership {
        let mut candidate = Candidate::new(Duration::from_secs(2), Share::WHOLE);
        let lead = store.election().try_lead(&mut candidate);
        lead.unwrap().unwrap()
    }

    /// Renews the shares of all hosts until those of all together are `count`.
    fn until(leads: &[&Leadership], count: u32) -> Vec<Vec<u32>> {
        let mut own = vec![Vec::new(); leads.len()];
        for _ in 0..400 {
            for (lead, own) in leads.iter().zip(&mut own) {
                if let Some(shares) = lead.division().unwrap().renew().unwrap() {
                    *own = (0..SHARES).filter(|share| shares.has(*share)).collect();
                }
            }
            let all: Vec<u32> = own.iter().flatten().copied().collect();
            let distinct: BTreeSet<&u32> = all.iter().collect();
            assert_eq!(distinct.len(), all.len(), "no share has two holders");
            if distinct.len() == count as usize && own.iter().all(|own| !own.is_empty()) {
                return own;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("the shares are not divided: {own:?}");
    }

    #[test]
    fn hosts_divide_shares_and_an_expired_lease_fences_writes() {
        let Some((etcd, client)) = server::Etcd::plain() else {
            return;
        };
        let (one, two) = (open(&etcd), open(&etcd));
        let first = lead(&one);
        assert_eq!(until(&[&first], SHARES)[0].len(), SHARES as usize);
        assert_eq!(first.division().unwrap().renew().unwrap(), None);
        // Restarted controllers receive their shares again.
        first.division().unwrap().begin();
        assert_eq!(until(&[&first], SHARES)[0].len(), SHARES as usize);
        let epoch = one.commit(
            &Cause::new("a", "lead"),
            Batch {
                lead: true,
                ..Batch::default()
            },
        );
        let epoch = epoch.unwrap().epoch;
        first.writes_under(epoch);
        let second = lead(&two);
        let own = until(&[&first, &second], SHARES);
        assert!(own[0].len() < SHARES as usize);
        // The second host joins the epoch of the first one.
        for _ in 0..400 {
            if second.joined_epoch(0).unwrap() == Some(epoch) {
                break;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        assert_eq!(second.joined_epoch(0).unwrap(), Some(epoch));
        assert_eq!(second.joined_epoch(epoch).unwrap(), None);
        let put = |store: &EtcdStore, epoch, n: u32| {
            let key = Key::new("configmaps", Some("default"), "a").unwrap();
            let json = format!(r#"{{"apiVersion":"v1","n":{n}}}"#).into_bytes();
            let batch = Batch {
                epoch,
                ..Batch::new(vec![Op::put(key, json, Expect::Any)])
            };
            store.commit(&Cause::new("a", "b"), batch)
        };
        put(&one, Some(epoch), 1).unwrap();
        put(&two, Some(epoch), 2).unwrap();
        // As if the first host had slept for longer than its lease.
        let range = KeyRange::prefix(one.shared.keys.own(HOSTS));
        let found = client.range(&range).unwrap();
        let fence = one.shared.fence.lock().clone().unwrap();
        let own_key = |kv: &&ctl_etcd::KeyValue| kv.key == fence.key.as_bytes();
        let lease = found.kvs.iter().find(own_key).unwrap().lease;
        client.revoke(lease).unwrap();
        let fenced = put(&one, Some(epoch), 3).unwrap_err();
        assert!(matches!(fenced, StoreError::Fenced { .. }), "{fenced}");
        assert!(first.is_lost());
        // Commands need no lead.
        put(&one, None, 4).unwrap();
        assert_eq!(until(&[&second], SHARES)[0].len(), SHARES as usize);
        drop((first, second));
        assert!(client.range(&range).unwrap().kvs.is_empty());
        assert_eq!(one.election().heartbeat().unwrap(), None);
    }
}
