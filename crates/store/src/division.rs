//! The division of the namespaces among hosts that lead side by side.

use std::collections::BTreeSet;
use std::fmt;

use super::interface::Result;

/// Some of the equal shares of the namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    own: BTreeSet<u32>,
    of: u32,
}

impl Shares {
    /// Returns the shares with these numbers, counted from 0, of a division into `of` shares.
    pub fn new(own: impl IntoIterator<Item = u32>, of: u32) -> Self {
        Self {
            own: own.into_iter().collect(),
            // A division into no shares counts as one whole share.
            of: of.max(1),
        }
    }

    /// Returns true if a number, such as that of an address, belongs to one of the shares.
    pub fn has(&self, number: u32) -> bool {
        self.own.contains(&(number % self.of))
    }

    /// Returns true if a namespace belongs to one of the shares; objects without a namespace use the empty one.
    pub fn contains(&self, namespace: &str) -> bool {
        // FNV-1a, because all processes must agree and the standard hasher may change between versions.
        let sum: u32 = namespace.bytes().fold(0x811c_9dc5, |h, b| {
            (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
        });
        self.has(sum)
    }
}

/// The shares of one host, which change as hosts join and leave.
///
/// ```
/// use ctl_store::{Division, Shares};
///
/// /// Returns true if this host now works on the objects of a namespace.
/// fn is_ours(division: &dyn Division, namespace: &str) -> ctl_store::Result<Option<bool>> {
///     let shares: Option<Shares> = division.renew()?;
///     Ok(shares.map(|shares| shares.contains(namespace)))
/// }
/// ```
pub trait Division: fmt::Debug + Send + Sync {
    /// Starts again with a caller that works on no shares yet: the next renewal returns them.
    fn begin(&self);

    /// Returns true if the shares may have changed: a cheap check, for a loop that waits.
    fn is_due(&self) -> bool;

    /// Gives up the shares that belong to another host now, and takes the free ones that belong to this host. The
    /// caller must not work on any of them meanwhile. Returns the shares if they have changed.
    ///
    /// # Errors
    /// The store cannot be read or written.
    fn renew(&self) -> Result<Option<Shares>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_namespace_belongs_to_one_of_the_shares() {
        let halves = [Shares::new([0], 2), Shares::new([1], 2)];
        for namespace in ["", "default", "kube-system", "a", "b"] {
            let count = halves
                .iter()
                .filter(|half| half.contains(namespace))
                .count();
            assert_eq!(count, 1, "{namespace}");
        }
        let most = Shares::new([0, 2, 3], 4);
        assert!(most.has(0) && !most.has(5) && most.has(6));
        assert!(!Shares::new([], 4).contains("default"));
    }
}
