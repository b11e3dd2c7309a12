//! A request to delete an object, and the resulting step.

use jiff::Timestamp;

use crate::api::json::Value;

/// The treatment of the dependents of a deleted object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// The garbage collector deletes them after the object is gone.
    #[default]
    Background,
    /// The garbage collector deletes them first; the object waits for them.
    Foreground,
    /// They stay, without an owner.
    Orphan,
}

/// A request to delete an object.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The grace period of a Pod in seconds; by default the Pod's own.
    pub grace: Option<i64>,
    /// The treatment of dependents. By default, finalizers of an earlier request or the kind decide.
    pub propagation: Option<Propagation>,
    /// The time of the request.
    pub now: Timestamp,
}

/// The next step of a deletion.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::find;
/// use ctl_kinds::strategy::deletion::{Propagation, Request, Step, delete};
///
/// let kind = find("apps", "v1", "Deployment").unwrap();
/// let web = json!({"metadata": {"name": "web", "uid": "1"}});
/// let mut request = Request {
///     grace: None,
///     propagation: Some(Propagation::Background),
///     now: "2026-01-02T12:00:00Z".parse()?,
/// };
/// assert!(matches!(delete(kind, &web, &request), Step::Gone(_)));
/// // The garbage collector deletes the dependents first.
/// request.propagation = Some(Propagation::Foreground);
/// assert!(matches!(delete(kind, &web, &request), Step::Marked(_)));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The object is removed; the value is its last state.
    Gone(Value),
    /// The object stays, marked as terminating.
    Marked(Value),
    /// The object is already terminating, and the request changes nothing.
    Unchanged,
}
