//! A request to delete an object, and the step that follows.

use jiff::Timestamp;

use crate::api::json::Value;

/// The treatment of dependents of a deleted object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// It is collected later.
    #[default]
    Background,
    /// It is collected first; the object waits for it.
    Foreground,
    /// It stays, without an owner.
    Orphan,
}

/// How an object is asked to go.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Seconds that a Pod has to end; the Pod's own without.
    pub grace: Option<i64>,
    /// The treatment of dependents; the kind's default if unset.
    pub propagation: Option<Propagation>,
    /// The time of the request.
    pub now: Timestamp,
}

/// The next step of a deletion.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It goes; this is the last that is seen of it.
    Gone(Value),
    /// It stays, marked like this.
    Marked(Value),
    /// It is going already, and nothing changes.
    Unchanged,
}
