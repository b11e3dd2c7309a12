//! The points in the history of a cluster.

/// A point in the history of a cluster; 0 is before everything.
pub type Revision = u64;

/// The largest revision: JSON numbers are exact up to here. A larger one in a journal is damage.
pub(crate) const MAX_REVISION: Revision = (1 << 53) - 1;

/// The largest epoch: the head stores signed numbers.
pub(crate) const MAX_EPOCH: u64 = (1 << 63) - 1;

/// The largest revision that is accepted from a file: a journal that begins with files counts on from
/// there.
pub(crate) const MAX_FILE_REVISION: Revision = 1 << 52;
