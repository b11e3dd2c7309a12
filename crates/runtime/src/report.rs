//! What is told of each reconcile.

use jiff::Timestamp;

use super::object::Key;
use super::plan::Plan;
use crate::cluster::Revision;

/// One look at one key.
#[derive(Debug)]
pub struct Reconciled<'a> {
    /// Which controller looked.
    pub controller: &'static str,
    /// At which key.
    pub key: &'a Key,
    /// The revision of the change that led to it.
    pub trigger: Option<Revision>,
    /// What was to be done: the rules and the names; the trees of the objects have gone into the
    /// requests.
    pub plan: &'a Plan,
    /// What was refused.
    pub error: Option<&'a str>,
    /// When.
    pub now: Timestamp,
}

/// Who is told.
pub type Observer = Box<dyn FnMut(&Reconciled<'_>)>;
