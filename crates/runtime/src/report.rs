//! The report of each reconcile.

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
    /// The plan: its rules and names; the objects themselves have moved into the requests.
    pub plan: &'a Plan,
    /// The error, if the plan was rejected.
    pub error: Option<&'a str>,
    /// When.
    pub now: Timestamp,
}

/// The receiver of reports.
pub type Observer = Box<dyn FnMut(&Reconciled<'_>)>;
