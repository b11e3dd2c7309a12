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

/// A request to delete an object.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The grace period of a Pod in seconds; by default the Pod's own.
    pub grace: Option<i64>,
    /// The treatment of dependents; the kind's default if unset.
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
    /// The object is removed; this is its last state.
    Gone(Value),
    /// The object stays, marked as terminating.
    Marked(Value),
    /// The object is terminating already, and nothing changes.
    Unchanged,
}
