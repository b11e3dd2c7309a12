//! Hosts and their shares of the namespaces, as the keys of etcd show them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ctl_etcd::{Compare, KeyRange};

use crate::error::StoreError;
use crate::revision::Revision;

/// The number of shares. With 64, the parts of two hosts differ by a few percent, and all of them fit one transaction.
pub(super) const SHARES: u32 = 64;

/// The prefix of the keys of hosts.
pub(super) const HOSTS: &str = "hosts/";
/// The prefix of the keys of shares.
pub(super) const SHARE: &str = "shares/";

/// The hosts and the holders of the shares, as the watch shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hosts {
    pub(super) alive: BTreeSet<String>,
    /// The holder of a share and the revision of its key.
    pub(super) shares: BTreeMap<u32, (String, Revision)>,
    /// The revision of the last change.
    pub(super) changed: Revision,
}

impl Hosts {
    /// Applies a change of a host's key.
    pub(super) fn host(&mut self, name: String, is_alive: bool, revision: Revision) {
        self.changed = self.changed.max(revision);
        match is_alive {
            true => self.alive.insert(name),
            false => self.alive.remove(&name),
        };
    }

    /// Applies a change of a share's key.
    pub(super) fn share(&mut self, number: u32, holder: Option<String>, revision: Revision) {
        self.changed = self.changed.max(revision);
        match holder {
            Some(holder) => self.shares.insert(number, (holder, revision)),
            None => self.shares.remove(&number),
        };
    }

    /// Returns the shares that belong to a host: for each, the hosts are ranked by a hash of both, so that a host that
    /// joins or leaves moves no share between the others.
    pub(super) fn wanted(&self, host: &str) -> BTreeSet<u32> {
        // The name decides between equal hashes, or two hosts could each wait for the other.
        let best = |share: u32| {
            self.alive
                .iter()
                .max_by_key(|name| (rank(share, name), *name))
        };
        let wanted = (0..SHARES).filter(|share| best(*share).is_some_and(|best| best == host));
        wanted.collect()
    }

    /// Returns the shares that a host has.
    pub(super) fn held(&self, host: &str) -> BTreeSet<u32> {
        let own = self.shares.iter().filter(|(_, (holder, _))| holder == host);
        own.map(|(share, _)| *share).collect()
    }
}

/// Returns the weight of a host for a share.
fn rank(share: u32, host: &str) -> u64 {
    let bytes = share.to_be_bytes().into_iter().chain(host.bytes());
    let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    // FNV-1a leaves the high bits of similar texts equal; the product spreads them.
    (sum ^ (sum >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The condition under which a host may write.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    pub(super) key: String,
    pub(super) revision: Revision,
    pub(super) lost: Arc<AtomicBool>,
}

impl Fence {
    pub(super) fn compare(&self) -> Compare {
        Compare::mod_revision(self.key.as_str(), self.revision)
    }

    pub(super) fn range(&self) -> KeyRange {
        KeyRange {
            keys_only: true,
            ..KeyRange::key(self.key.as_str())
        }
    }

    /// Returns the error of a host whose lease has ended.
    pub(super) fn fenced(&self, epoch: u64) -> StoreError {
        // The epoch may be the current one: another host has the shares, which required no new epoch.
        StoreError::Fenced {
            writer: epoch,
            current: epoch,
        }
    }

    /// Returns true if the key with this revision is still the host's; if not, its lead has ended.
    pub(super) fn holds(&self, revision: Option<Revision>) -> bool {
        let holds = revision == Some(self.revision);
        if !holds {
            self.lost.store(true, Ordering::Relaxed);
        }
        holds
    }
}

/// A key about hosts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostKey {
    /// The key of a host.
    Host(String),
    /// The key of a share.
    Share(u32),
}

impl HostKey {
    /// Parses the part of a key after the prefix of ctl's own data.
    pub(super) fn read(own: &str) -> Option<Self> {
        if let Some(share) = own.strip_prefix(SHARE) {
            return share.parse().ok().map(Self::Share);
        }
        let host = own.strip_prefix(HOSTS)?;
        Some(Self::Host(host.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &[&str]) -> Hosts {
        let mut hosts = Hosts::default();
        for name in names {
            hosts.host((*name).to_owned(), true, 1);
        }
        hosts
    }

    #[test]
    fn departing_host_moves_no_share_between_remaining_hosts() {
        let three = hosts(&["00000001", "9a3f0b2c", "ffffffff"]);
        let two = hosts(&["00000001", "ffffffff"]);
        let mut all = BTreeSet::new();
        for name in ["00000001", "9a3f0b2c", "ffffffff"] {
            let wanted = three.wanted(name);
            assert!(wanted.len() > 10, "{name} has {}", wanted.len());
            assert!(wanted.iter().all(|share| all.insert(*share)), "one holder");
            let after = two.wanted(name);
            assert!(name == "9a3f0b2c" || after.is_superset(&wanted));
        }
        assert_eq!(all.len(), SHARES as usize);
    }
}
