//! Incremental summaries of objects: counts and orders that plans would otherwise recompute from
//! all objects.
//!
//! Guarantees: a tally has seen each change of the cache once, and says what one says that was made of
//! the cache's objects just now.

use std::any::Any;
use std::fmt::Debug;

use super::cache::{Cache, Change};
use crate::cluster::Kind;

/// An incremental summary of the objects of some kinds.
pub trait Tally: Any + Debug + Send + Sync {
    /// The kinds. A new tally sees all objects of the first one first.
    fn kinds(&self) -> Vec<&'static Kind>;

    /// Takes in that an object came, changed or went; the cache has it already, and nothing later.
    fn change(&mut self, change: &Change, cache: &Cache);
}
