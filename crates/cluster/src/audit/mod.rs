//! The audit log: Events of `audit.k8s.io/v1`, one JSON object for each stage of a request.
//!
//! Must not know: the source of a request. HTTP describes its own requests, the calls of the library those of all other
//! callers.

mod notes;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

pub use notes::Notes;

use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::kinds::admission::User;
use crate::kinds::tree::{field, has, text};
use crate::store::Notice;
use crate::sys::clock::Clock;
use crate::sys::entropy::Seed;
use crate::sys::lines::Lines;

/// The amount of a request that the log records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// User, verb, object and result.
    #[default]
    Metadata,
    /// The body of the request too.
    Request,
    /// The object of the response too.
    RequestResponse,
}

impl Level {
    /// Every level with its name.
    pub const ALL: [(Self, &str); 3] = [
        (Self::Metadata, "Metadata"),
        (Self::Request, "Request"),
        (Self::RequestResponse, "RequestResponse"),
    ];

    /// Returns the level with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, own)| *own == name).map(|(level, _)| level)
    }

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The object that a request is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectRef {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource, such as `pods`.
    pub resource: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// The namespace; empty for the cluster.
    pub namespace: String,
    /// The name; empty for a collection.
    pub name: String,
}

/// A request on its arrival.
#[derive(Clone, Debug, Default)]
pub struct AuditedRequest {
    /// The id from the client; one is drawn if it is empty.
    pub id: String,
    /// Path and query.
    pub uri: String,
    /// The verb, in the form of roles.
    pub verb: String,
    /// The sender.
    pub user: User,
    /// The user that the sender impersonates.
    pub impersonated: Option<User>,
    /// The address of the client, if it has one.
    pub source: Option<String>,
    /// The client program.
    pub agent: String,
    /// The object; `None` for non-resource paths.
    pub object: Option<ObjectRef>,
}

/// An audit log.
///
/// A cluster writes its requests itself. A server that knows more of them describes each one:
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::{AuditedRequest, AuditLog, Audited, Level, Notes, ObjectRef, Outcome, administrator};
/// use ctl_sys::clock::Clock;
/// use ctl_sys::entropy::Seed;
/// use ctl_sys::lines::Lines;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("audit.log");
/// let ids = Seed(1);
/// let notice = Arc::new(|text: &str| panic!("{text}"));
/// let log = AuditLog::new(Lines::open(&path)?, Level::Metadata, Clock::System, ids, notice);
/// let log = Arc::new(log);
/// let asked = AuditedRequest {
///     uri: "/api/v1/nodes".to_owned(),
///     verb: "list".to_owned(),
///     user: administrator(),
///     object: Some(ObjectRef {
///         version: "v1".to_owned(),
///         resource: "nodes".to_owned(),
///         ..ObjectRef::default()
///     }),
///     ..AuditedRequest::default()
/// };
/// let audited: Audited = log.begin(asked)?;
/// let notes: &Notes = audited.notes();
/// notes.authorized(true, "");
/// audited.complete(Outcome { code: 200, object: None });
/// let events = ctl_sys::bounded::read_text(&path, 1 << 20)?;
/// assert_eq!(events.lines().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuditLog {
    lines: Lines,
    level: Level,
    clock: Clock,
    ids: Seed,
    next: AtomicU64,
    notice: Notice,
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.lines.path();
        f.debug_tuple("AuditLog").field(&path).finish()
    }
}

/// The result of a request for the log.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome<'a> {
    /// The status code.
    pub code: u16,
    /// The object of the response, which may be a `Status`.
    pub object: Option<&'a Value>,
}

impl AuditLog {
    /// Creates a log in a file. `ids` is drawn at random for each process, and `notice` receives the events that cannot
    /// be written.
    pub fn new(lines: Lines, level: Level, clock: Clock, ids: Seed, notice: Notice) -> Self {
        Self {
            lines,
            level,
            clock,
            ids,
            next: AtomicU64::new(0),
            notice,
        }
    }

    /// Records the arrival of a request.
    ///
    /// # Errors
    /// Returns a 500 if that cannot be written: a request that cannot be logged is not executed.
    pub fn begin(self: &Arc<Self>, mut asked: AuditedRequest) -> Result<Audited, Status> {
        // A client may set the id, to find one request in the logs of several servers.
        if asked.id.is_empty() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            asked.id = self.ids.uid(&["audit", &number.to_string()]);
        }
        // With credentials in it, the log would be as sensitive as the store.
        let level = match asked.object.as_ref().is_some_and(is_secret) {
            true => Level::Metadata,
            false => self.level,
        };
        let audited = Audited {
            log: Arc::clone(self),
            level,
            received: self.clock.now(),
            notes: Notes::new(level >= Level::Request),
            asked,
        };
        let event = audited.event("RequestReceived");
        self.lines.append(&event.to_string()).map_err(|e| {
            let path = self.lines.path().display();
            Status::internal_error(format!("cannot write the audit log {path}: {e}"))
        })?;
        Ok(audited)
    }

    /// Records a request without valid credentials; `tried` are the kinds of its credentials. Returns its id.
    pub fn unauthenticated(
        self: &Arc<Self>,
        asked: AuditedRequest,
        tried: &[&str],
    ) -> Option<String> {
        let audited = self.refused(asked)?;
        let message = match tried {
            [] => "Authentication failed, no credentials provided".to_owned(),
            tried => format!("Authentication failed, attempted: {}", tried.join(", ")),
        };
        let mut event = audited.event("ResponseStarted");
        event["responseStatus"] = json!({
            "metadata": {}, "status": "Failure", "message": message, "reason": "Unauthorized", "code": 401,
        });
        self.write(&event);
        Some(audited.id().to_owned())
    }

    /// Records a request of a user that is rejected without being handled. Returns its id.
    pub fn rejected(
        self: &Arc<Self>,
        asked: AuditedRequest,
        outcome: Outcome<'_>,
    ) -> Option<String> {
        let audited = self.refused(asked)?;
        audited.complete(outcome);
        Some(audited.id().to_owned())
    }

    /// Records the arrival of a request that is rejected in any case.
    fn refused(self: &Arc<Self>, asked: AuditedRequest) -> Option<Audited> {
        let begun = self.begin(asked);
        let audited = begun.map_err(|status| (self.notice)(&status.message));
        audited.ok()
    }

    fn write(&self, event: &Value) {
        if let Err(e) = self.lines.append(&event.to_string()) {
            // The request is done, so the failure can only be reported.
            let path = self.lines.path().display();
            (self.notice)(&format!("cannot write the audit log {path}: {e}"));
        }
    }
}

/// Returns true if bodies and responses are credentials, which no log may contain.
fn is_secret(object: &ObjectRef) -> bool {
    matches!(
        (&*object.group, &*object.resource, &*object.subresource),
        ("", "secrets", _)
            | ("", "serviceaccounts", "token")
            | ("authentication.k8s.io", "tokenreviews", _)
    )
}

/// A request whose arrival is in the log.
#[derive(Debug)]
pub struct Audited {
    log: Arc<AuditLog>,
    level: Level,
    received: Timestamp,
    notes: Notes,
    asked: AuditedRequest,
}

impl Audited {
    /// Returns the id of the request in the log.
    pub fn id(&self) -> &str {
        &self.asked.id
    }

    /// Returns true if the request is a watch.
    pub(crate) fn is_watch(&self) -> bool {
        self.asked.verb == "watch"
    }

    /// Returns the notes of the code that serves the request.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Records the start of a streaming response, with its code.
    pub fn started(&self, code: u16) {
        let mut event = self.event("ResponseStarted");
        event["responseStatus"] = json!({"metadata": {}, "code": code});
        self.log.write(&event);
    }

    /// Records the end of the request.
    pub fn complete(&self, outcome: Outcome<'_>) {
        let mut event = self.event("ResponseComplete");
        event["responseStatus"] = status(outcome);
        if let Some(body) = self.notes.body() {
            event["requestObject"] = body;
        }
        if let Some(object) = outcome.object
            && self.level >= Level::RequestResponse
        {
            event["responseObject"] = object.clone();
        }
        self.log.write(&event);
    }

    /// Returns an event with the data so far.
    fn event(&self, stage: &str) -> Value {
        let AuditedRequest {
            id,
            uri,
            verb,
            user,
            impersonated,
            source,
            agent,
            object,
        } = &self.asked;
        // The arrival is one moment: a second reading of the clock would give its event two times.
        let now = if stage == "RequestReceived" {
            self.received
        } else {
            self.log.clock.now()
        };
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": self.level.name(), "auditID": id, "stage": stage,
            "requestURI": uri, "verb": verb, "user": shown(user),
        });
        if let Some(user) = impersonated {
            event["impersonatedUser"] = shown(user);
        }
        if let Some(source) = source {
            event["sourceIPs"] = json!([source]);
        }
        if !agent.is_empty() {
            event["userAgent"] = json!(agent);
        }
        if let Some(object) = object {
            event["objectRef"] = reference(object, self.notes.object_name());
        }
        event["requestReceivedTimestamp"] = json!(micros(self.received));
        event["stageTimestamp"] = json!(micros(now));
        let annotations = self.notes.annotations();
        if !annotations.is_empty() {
            event["annotations"] = json!(annotations);
        }
        event
    }
}

/// Returns the fields of a `Status` that the log may contain; of another object only the code.
fn status(outcome: Outcome<'_>) -> Value {
    let mut shown = json!({"metadata": {}});
    let said = outcome
        .object
        .filter(|object| text(object, "kind") == "Status");
    if let Some(said) = said {
        for name in ["status", "message", "reason", "details"] {
            if has(said, name) {
                shown[name] = field(said, name).clone();
            }
        }
    }
    shown["code"] = json!(outcome.code);
    shown
}

fn shown(user: &User) -> Value {
    let mut shown = json!({});
    for (name, value) in [("username", &user.name), ("uid", &user.uid)] {
        if !value.is_empty() {
            shown[name] = json!(value);
        }
    }
    if !user.groups.is_empty() {
        shown["groups"] = json!(user.groups);
    }
    if !user.extra.is_empty() {
        shown["extra"] = json!(user.extra);
    }
    shown
}

/// Returns the reference of an object, with the name in its body.
fn reference(object: &ObjectRef, named: Option<String>) -> Value {
    let name = match object.name.as_str() {
        "" => named.unwrap_or_default(),
        name => name.to_owned(),
    };
    let mut shown = json!({});
    for (name, value) in [
        ("resource", &object.resource),
        ("namespace", &object.namespace),
        ("name", &name),
        ("apiGroup", &object.group),
        ("apiVersion", &object.version),
        ("subresource", &object.subresource),
    ] {
        if !value.is_empty() {
            shown[name] = json!(value);
        }
    }
    shown
}

/// Returns a time in the form of the type `MicroTime`.
fn micros(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string()
}
