//! The inputs of a write that a pure function cannot produce itself, such as the time.

/// The inputs of a write from outside the object.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::find;
/// use ctl_kinds::strategy::{WriteContext, prepare_create};
///
/// let kind = find("apps", "v1", "Deployment").unwrap();
/// let mut web = json!({"metadata": {"name": "web"}, "spec": {}, "status": {"replicas": 9}});
/// let write_context = WriteContext { now: "2026-01-02T12:00:00Z", uid: "1", labeled: true };
/// prepare_create(kind, &mut web, &write_context);
/// assert!(web["status"]["replicas"].is_null(), "a client does not set the status");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WriteContext<'a> {
    /// The time of the write, in RFC 3339.
    pub now: &'a str,
    /// The uid that the object gets.
    pub uid: &'a str,
    /// True if the writer gave the object labels, as opposed to defaulted ones.
    pub labeled: bool,
}
