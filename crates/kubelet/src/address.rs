//! Assigns addresses to Pods: each Pod gets the lowest free one.
//!
//! The existing Pods determine which addresses are free, so a restart assigns the same ones. If several processes
//! share the namespaces, each has a part of the addresses.

use std::collections::{BTreeSet, HashMap};
use std::net::Ipv4Addr;

use crate::cluster::Shares;

/// The range for Pods on nodes without a range of their own.
pub(crate) const CLUSTER_RANGE: &str = "10.200.0.0/14";

/// The assigned addresses and the Pods that have them.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    ranges: HashMap<String, Range>,
    used: HashMap<Ipv4Addr, usize>,
    lent: HashMap<String, Ipv4Addr>,
    shares: Option<Shares>,
}

/// The addresses of a range. Those below `next` are in use, free again, or belong to another process.
#[derive(Debug)]
struct Range {
    first: u32,
    last: u32,
    next: u32,
    free: BTreeSet<u32>,
}

impl Addresses {
    /// Restricts the addresses to those of these shares from now on.
    pub(crate) fn set_shares(&mut self, shares: &Shares) {
        // A reserved address may now belong to another process.
        self.lent.clear();
        // The ranges have skipped addresses of other processes that may belong to this one now.
        self.ranges.clear();
        self.shares = Some(shares.clone());
    }

    /// Records that a Pod has an address.
    pub(crate) fn take(&mut self, uid: &str, address: &str) {
        // The reservation ends once the status has been written; from then on, the Pod has the address.
        self.lent.remove(uid);
        if let Ok(address) = address.parse::<Ipv4Addr>() {
            // Counted, because two Pods may have the same address in their status. It is free once both are gone.
            *self.used.entry(address).or_default() += 1;
        }
    }

    /// Frees the address of a Pod that was deleted or lost it.
    pub(crate) fn release(&mut self, uid: &str, address: &str) {
        let lent = self.lent.remove(uid);
        // If the address was never written, the Pod's reservation is released.
        let Some(address) = address.parse().ok().or(lent) else {
            return;
        };
        if let Some(users) = self.used.get_mut(&address) {
            *users -= 1;
            if *users > 0 {
                return;
            }
            self.used.remove(&address);
        }
        for range in self.ranges.values_mut() {
            let number = u32::from(address);
            // Only assigned addresses: those from `next` on are free anyway.
            if (range.first..range.next).contains(&number) {
                range.free.insert(number);
            }
        }
    }

    /// Returns the address that is reserved for a Pod and not in its status yet.
    pub(crate) fn lent(&self, uid: &str) -> Option<String> {
        self.lent.get(uid).map(Ipv4Addr::to_string)
    }

    /// Reserves an address of a range for a Pod without one. Returns the same address until the status has it.
    pub(crate) fn lend(&mut self, uid: &str, range: &str) -> Option<String> {
        if let Some(address) = self.lent(uid) {
            return Some(address);
        }
        if !self.ranges.contains_key(range) {
            self.ranges.insert(range.to_owned(), Range::parse(range)?);
        }
        let (used, shares) = (&self.used, &self.shares);
        // Shards never share an address: each takes every n-th one, without asking the others.
        let is_own = |number: u32| shares.as_ref().is_none_or(|shares| shares.has(number));
        let taken = |address: &Ipv4Addr| used.contains_key(address) || !is_own(u32::from(*address));
        let address = self.ranges.get_mut(range)?.lowest(&taken)?;
        self.lent.insert(uid.to_owned(), address);
        Some(address.to_string())
    }
}

impl Range {
    /// Parses a range such as `10.200.0.0/14`. Its first and last address are never assigned.
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let bits: u32 = bits.parse().ok().filter(|bits| (1..=30).contains(bits))?;
        let size = 1_u32 << (32 - bits);
        // Ignores host bits, as Go's `ParseCIDR` does for the network.
        let base = u32::from(address.parse::<Ipv4Addr>().ok()?) & !(size - 1);
        Some(Self {
            // As in a real Pod range, the network and broadcast addresses are not used.
            first: base + 1,
            last: base + size - 2,
            next: base + 1,
            free: BTreeSet::new(),
        })
    }

    fn lowest(&mut self, taken: &dyn Fn(&Ipv4Addr) -> bool) -> Option<Ipv4Addr> {
        // The lowest one first, so that a replay assigns the same addresses.
        while let Some(number) = self.free.pop_first() {
            if !taken(&Ipv4Addr::from(number)) {
                return Some(Ipv4Addr::from(number));
            }
        }
        while self.next <= self.last {
            let address = Ipv4Addr::from(self.next);
            self.next += 1;
            if !taken(&address) {
                return Some(address);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_free_pod_address_is_reserved_until_use() {
        let mut addresses = Addresses::default();
        addresses.take("old", "10.200.0.2");
        assert_eq!(addresses.lend("a", CLUSTER_RANGE).unwrap(), "10.200.0.1");
        assert_eq!(addresses.lend("a", CLUSTER_RANGE).unwrap(), "10.200.0.1");
        assert_eq!(addresses.lend("b", CLUSTER_RANGE).unwrap(), "10.200.0.3");
        addresses.take("a", "10.200.0.1");
        addresses.release("a", "10.200.0.1");
        addresses.release("old", "10.200.0.2");
        assert_eq!(addresses.lend("c", CLUSTER_RANGE).unwrap(), "10.200.0.1");
        assert_eq!(addresses.lend("d", CLUSTER_RANGE).unwrap(), "10.200.0.2");
        assert_eq!(addresses.lend("e", "10.1.2.0/24").unwrap(), "10.1.2.1");
    }

    #[test]
    fn shards_reserve_disjoint_pod_addresses() {
        let lent = |own: u32| -> Vec<String> {
            let mut addresses = Addresses::default();
            addresses.set_shares(&Shares::new([own], 2));
            addresses.take("old", "10.0.0.3");
            let lend = |n: u32| addresses.lend(&n.to_string(), "10.0.0.0/28");
            let lent: Vec<String> = (0..7).map_while(lend).collect();
            addresses.release("0", "");
            assert_eq!(
                addresses.lend("again", "10.0.0.0/28").as_ref(),
                lent.first()
            );
            lent
        };
        let (even, odd) = (lent(0), lent(1));
        assert_eq!(even[..2], ["10.0.0.2", "10.0.0.4"]);
        assert_eq!(odd[..2], ["10.0.0.1", "10.0.0.5"]);
        assert_eq!((even.len(), odd.len()), (7, 6));
    }

    #[test]
    fn unused_reserved_address_is_returned_on_pod_deletion() {
        let mut addresses = Addresses::default();
        assert_eq!(addresses.lend("a", "10.0.0.0/30").unwrap(), "10.0.0.1");
        assert_eq!(addresses.lend("b", "10.0.0.0/30").unwrap(), "10.0.0.2");
        assert_eq!(addresses.lend("c", "10.0.0.0/30"), None);
        addresses.release("a", "");
        assert_eq!(addresses.lend("c", "10.0.0.0/30").unwrap(), "10.0.0.1");
        assert_eq!(addresses.lend("x", "nonsense"), None);
    }
}
