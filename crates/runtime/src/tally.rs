//! Incremental summaries of objects: counts and orders that plans would otherwise recompute from all objects.
//!
//! Guarantees: a tally has received each change of the cache once, and equals a tally computed from the objects in the
//! cache.

use std::any::Any;
use std::fmt::Debug;

use super::cache::{Cache, Change};
use crate::cluster::Kind;

/// An incremental summary of the objects of some kinds.
///
/// ```
/// use ctl_cluster::Kind;
/// use ctl_runtime::{Cache, Change, Tally};
///
/// /// Counts the Pods of a cluster.
/// #[derive(Clone, Debug, Default)]
/// struct Pods {
///     kind: Option<&'static Kind>,
///     count: i64,
/// }
///
/// impl Tally for Pods {
///     fn kinds(&self) -> Vec<&'static Kind> {
///         self.kind.into_iter().collect()
///     }
///
///     fn change(&mut self, change: &Change, _: &Cache) {
///         self.count += i64::from(change.after.is_some()) - i64::from(change.before.is_some());
///     }
/// }
/// ```
pub trait Tally: Any + Debug + Send + Sync {
    /// Returns the kinds. A new tally receives all objects of the first one first.
    fn kinds(&self) -> Vec<&'static Kind>;

    /// Processes an added, changed or deleted object; the cache contains this change already, and no later one.
    fn change(&mut self, change: &Change, cache: &Cache);
}
