//! What is kept up to date of a kind's objects as they change: counts and sums that a plan would
//! otherwise work out of all of them each time.
//!
//! Guarantees: a tally has seen each change of the cache once, and says what one says that was made of
//! the cache's objects just now.

use std::any::Any;
use std::fmt::Debug;

use super::cache::Change;
use crate::cluster::Kind;

/// What is kept of the objects of a kind.
pub trait Tally: Any + Debug {
    /// The kind.
    fn kind(&self) -> &'static Kind;

    /// Takes in that an object came, changed or went.
    fn change(&mut self, change: &Change);
}
