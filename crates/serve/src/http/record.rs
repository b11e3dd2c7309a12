//! Records a request in the metrics, the audit log and the request log.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tracing::{Dispatch, Level, dispatcher, enabled, info};

use super::head::Head;
use super::metrics::{Subject, Watching};
use super::route::Route;
use super::shared::Shared;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::cluster::{AuditLog, Audited, AuditedRequest, Impersonation, Notes, ObjectRef, Outcome};
use crate::kinds::admission::User;
use crate::protobuf;
use crate::sys::clock::Stopwatch;
use crate::{Body, Response};

/// The maximum size of a body in the request log, in bytes.
const MOST_SHOWN: usize = 16 * 1024;

/// Header fields that contain credentials.
const CREDENTIALS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    // May contain a token.
    "sec-websocket-protocol",
];

/// The text that replaces credentials.
const MASK: &str = "<masked>";

/// The target of the request log's events, one per request.
///
/// An event has the level `INFO` and the fields `verb`, `method`, `uri`, `latencySeconds` and `code` and, if they are
/// known, `userAgent`, `user`, `auditID` and `source`. A subscriber that enables [`REQUEST_HEADERS`] also gets
/// `headers`, a JSON array of name-value pairs without credentials. One that enables [`REQUEST_BODIES`] also gets
/// `body`, without secrets.
///
/// ```
/// use ctl_serve::http::{Limits, REQUESTS, Server};
/// use tracing::span::{Attributes, Id, Record};
/// use tracing::{Event, Metadata, Subscriber};
///
/// struct Printer;
///
/// impl Subscriber for Printer {
///     fn enabled(&self, metadata: &Metadata<'_>) -> bool {
///         metadata.target() == REQUESTS
///     }
///     fn event(&self, event: &Event<'_>) {
///         println!("{event:?}");
///     }
///     fn new_span(&self, _: &Attributes<'_>) -> Id {
///         Id::from_u64(1)
///     }
///     fn record(&self, _: &Id, _: &Record<'_>) {}
///     fn record_follows_from(&self, _: &Id, _: &Id) {}
///     fn enter(&self, _: &Id) {}
///     fn exit(&self, _: &Id) {}
/// }
///
/// # let (service, stop) = (std::sync::Arc::new(ctl_serve::Page::new(String::new)), std::sync::Arc::new(true.into()));
/// let server = Server::bind(([127, 0, 0, 1], 0).into(), false, Limits::default())?;
/// tracing::subscriber::with_default(Printer, || server.run(&service, &stop))?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub const REQUESTS: &str = "ctl_serve::request";

/// A target that has no events itself. A subscriber that enables it at the level `INFO` gets the request headers. It
/// is not a level of its own, because release builds have no events below `INFO`.
pub const REQUEST_HEADERS: &str = "ctl_serve::request::headers";

/// A target that has no events itself. A subscriber that enables it at the level `INFO` gets the request bodies.
pub const REQUEST_BODIES: &str = "ctl_serve::request::bodies";

/// A request with its response, for the request log.
#[derive(Clone, Copy, Debug)]
struct Logged<'a> {
    head: &'a Head,
    /// The body, if it was read.
    body: Option<&'a [u8]>,
    /// The time until the response; for a watch, its total duration.
    latency: Duration,
    /// The user; empty if the sender is unknown.
    user: &'a str,
    /// The address of the client, if it has one.
    source: Option<&'a str>,
    /// The ID in the audit log; empty if there is none.
    audit_id: &'a str,
    code: u16,
}

/// The logs of a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Logs {
    pub(super) audit: Option<Arc<AuditLog>>,
    /// The subscriber of the request log.
    pub(super) requests: Option<Dispatch>,
}

/// A received request.
#[derive(Clone, Debug)]
pub(super) struct Received<'r> {
    pub(super) head: &'r Head,
    pub(super) body: &'r [u8],
    /// The address of the client, if it has one.
    pub(super) source: Option<String>,
}

/// A request that is being handled.
pub(super) struct Record<'r> {
    shared: &'r Shared,
    came: Received<'r>,
    user: String,
    audited: Option<Audited>,
    since: Stopwatch,
}

/// The record of a request that outlives its handler.
pub(super) struct RequestRecord {
    source: Option<String>,
    user: String,
    audited: Option<Audited>,
    since: Stopwatch,
}

impl RequestRecord {
    /// Returns the record, combined with its request.
    pub(super) fn with<'r>(self, shared: &'r Shared, head: &'r Head, body: &'r [u8]) -> Record<'r> {
        let source = self.source;
        Record {
            shared,
            came: Received { head, body, source },
            user: self.user,
            audited: self.audited,
            since: self.since,
        }
    }
}

/// Counts an active watch until the returned value is dropped.
pub(super) fn watching<'m>(shared: &'m Shared, head: &Head) -> Watching<'m> {
    let subject = Subject::from_route(&Route::new(head.method.as_str(), &head.target), "");
    shared.metrics.watching(&subject)
}

impl Logs {
    /// Returns true if there are no logs.
    pub(super) fn is_empty(&self) -> bool {
        self.audit.is_none() && self.requests.is_none()
    }

    /// Passes a request to the request log's subscriber.
    fn log(&self, logged: Logged<'_>) {
        let Some(subscriber) = &self.requests else {
            return;
        };
        let Logged { head, code, .. } = logged;
        // Set here, because the threads that handle requests have a different default subscriber.
        dispatcher::with_default(subscriber, || {
            let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
            let headers = enabled!(target: REQUEST_HEADERS, Level::INFO).then(|| headers(head));
            let is_full = enabled!(target: REQUEST_BODIES, Level::INFO);
            let body = logged
                .body
                .filter(|_| is_full)
                .map(|body| shown(head, body));
            info!(
                target: REQUESTS,
                verb = Route::new(head.method.as_str(), &head.target).counted_as(),
                method = head.method.as_str(),
                uri = head.target,
                latencySeconds = logged.latency.as_secs_f64(),
                code,
                userAgent = head.field("user-agent"),
                user = given(logged.user),
                auditID = given(logged.audit_id),
                source = logged.source,
                headers,
                body = body.as_deref(),
                "HTTP"
            );
        });
    }
}

impl<'r> Record<'r> {
    /// Starts the record of a user's request; `sender` is the impersonating user, if any.
    ///
    /// # Errors
    /// Returns an error if the audit log cannot be written.
    pub(super) fn begin(
        shared: &'r Shared,
        came: Received<'r>,
        user: &User,
        sender: Option<&Impersonation>,
    ) -> Result<Self, Status> {
        let audited = match &shared.logs.audit {
            None => None,
            Some(log) => Some(log.begin(AuditedRequest {
                // The log names both users, because the rights are those of the impersonated user rather than the
                // sender's.
                user: sender.map_or(user, |sender| &sender.by).clone(),
                impersonated: sender.map(|_| user.clone()),
                ..asked(came.head, came.source.clone())
            })?),
        };
        Ok(Self {
            shared,
            came,
            user: user.name.clone(),
            audited,
            since: Stopwatch::start(),
        })
    }

    /// Returns the notes to which the request's handlers add.
    pub(super) fn notes(&self) -> Option<Notes> {
        self.audited.as_ref().map(|audited| audited.notes().clone())
    }

    /// Records the start of a watch.
    pub(super) fn started(&self) {
        if let Some(audited) = &self.audited {
            audited.started(200);
        }
    }

    /// Returns the record without the request.
    pub(super) fn keep(self) -> RequestRecord {
        RequestRecord {
            source: self.came.source,
            user: self.user,
            audited: self.audited,
            since: self.since,
        }
    }

    /// Records that the connection switched to another protocol.
    pub(super) fn switched(&self) {
        // Counted at the start and without a duration, because the client determines that.
        self.count(101, None);
        if let Some(audited) = &self.audited {
            audited.started(101);
        }
    }

    /// Records the end of a connection that switched protocols.
    pub(super) fn disconnected(self) {
        self.end(Outcome {
            code: 101,
            object: None,
        });
    }

    /// Records the response to a forwarded request.
    pub(super) fn passed(&self, code: u16) {
        self.count(code, Some(self.since.elapsed()));
        self.end(Outcome { code, object: None });
    }

    /// Records the end of a watch.
    pub(super) fn watched(self) {
        // Counted without a duration, because the client determines that.
        self.count(200, None);
        let ended = Outcome {
            code: 200,
            object: None,
        };
        self.end(ended);
    }

    /// Returns true if the record includes the object in the response.
    pub(super) fn reads_objects(&self) -> bool {
        self.audited.is_some()
    }

    /// Records a response, and adds its audit log ID to the headers.
    pub(super) fn responded(&self, response: &mut Response) {
        // Measured before the logs are written, because that is not part of the response time.
        self.count(response.code, Some(self.since.elapsed()));
        if let Some(audited) = &self.audited {
            response.fields.push(("audit-id", audited.id().to_owned()));
        }
        self.end(outcome(response));
    }

    fn route(&self) -> Route<'r> {
        Route::new(self.came.head.method.as_str(), &self.came.head.target)
    }

    // Parsed again only for recorded requests: keeping copies of the names would cost every request more.
    fn count(&self, code: u16, took: Option<Duration>) {
        let content_type = self.came.head.field("content-type").unwrap_or_default();
        let subject = Subject::from_route(&self.route(), content_type);
        self.shared.metrics.count(subject, code, took);
    }

    fn end(&self, outcome: Outcome<'_>) {
        // Comes before the response is sent, because its receiver may rely on the event.
        if let Some(audited) = &self.audited {
            audited.complete(outcome);
        }
        self.shared.logs.log(Logged {
            head: self.came.head,
            body: Some(self.came.body),
            latency: self.since.elapsed(),
            user: &self.user,
            source: self.came.source.as_deref(),
            audit_id: self.audited.as_ref().map_or("", Audited::id),
            code: outcome.code,
        });
    }
}

/// The response to a request that was rejected before it was handled.
pub(super) struct RejectedRequest<'r> {
    pub(super) response: &'r mut Response,
    /// The sender, if known.
    pub(super) user: Option<User>,
    /// True if the client has a certificate.
    pub(super) has_certificate: bool,
}

/// Records the response to a rejected request, and adds its audit log ID to the headers.
pub(super) fn record_rejection(
    shared: &Shared,
    head: &Head,
    source: Option<String>,
    refused: RejectedRequest<'_>,
) {
    let RejectedRequest {
        response,
        user,
        has_certificate,
    } = refused;
    let name = user.as_ref().map(|user| user.name.clone());
    let id = shared.logs.audit.as_ref().and_then(|log| {
        let asked = asked(head, source.clone());
        match user {
            // Without a response, the client has gone.
            _ if response.code == 0 => None,
            Some(user) => log.rejected(AuditedRequest { user, ..asked }, outcome(response)),
            // Other requests are not meant for this server, or are for the web view.
            None if response.code != 401 => None,
            None => {
                let has_token = head
                    .field("authorization")
                    .and_then(|value| value.split_once(' '))
                    .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
                let tried = [(has_token, "bearer"), (has_certificate, "x509")];
                let tried = tried.into_iter().filter(|one| one.0);
                let tried: Vec<&str> = tried.map(|one| one.1).collect();
                log.unauthenticated(asked, &tried)
            }
        }
    });
    shared.logs.log(Logged {
        head,
        body: None,
        latency: Duration::ZERO,
        user: name.as_deref().unwrap_or_default(),
        source: source.as_deref(),
        audit_id: id.as_deref().unwrap_or_default(),
        code: response.code,
    });
    response.fields.extend(id.map(|id| ("audit-id", id)));
}

/// Returns the result of a request for the audit log.
fn outcome(response: &Response) -> Outcome<'_> {
    let object = match &response.body {
        Body::Object(object) => Some(object),
        Body::Text(_) | Body::Encoded(_) => None,
    };
    Outcome {
        code: response.code,
        object,
    }
}

/// Returns what the audit log needs from the head of a request.
fn asked(head: &Head, source: Option<String>) -> AuditedRequest {
    let route = Route::new(head.method.as_str(), &head.target);
    let object = (!route.resource.is_empty()).then(|| ObjectRef {
        group: route.group.to_owned(),
        version: route.version.to_owned(),
        resource: route.resource.to_owned(),
        subresource: route.subresource.to_owned(),
        namespace: route.namespace.to_owned(),
        name: route.name.to_owned(),
    });
    AuditedRequest {
        id: head.field("audit-id").unwrap_or_default().to_owned(),
        uri: head.target.clone(),
        verb: route.verb(),
        // The log contains addresses without ports.
        source: source.and_then(|from| Some(from.rsplit_once(':')?.0.to_owned())),
        agent: head.field("user-agent").unwrap_or_default().to_owned(),
        object,
        ..AuditedRequest::default()
    }
}

/// Returns all header fields as JSON, even unknown ones, because they help to debug a client.
fn headers(head: &Head) -> String {
    let fields = head.all_fields().map(|(name, value)| {
        // The name stays, because it is useful to know that there were credentials.
        let value = match CREDENTIALS.contains(&name) {
            true => MASK.into(),
            false => String::from_utf8_lossy(value),
        };
        json!([name, value])
    });
    Value::Array(fields.collect()).to_string()
}

/// Returns the text of a body, unless it may contain secrets.
fn shown<'a>(head: &'a Head, body: &'a [u8]) -> Cow<'a, str> {
    let route = Route::new(head.method.as_str(), &head.target);
    // As in the audit log, because more people read logs than may read the cluster.
    let is_secret = matches!(
        (route.resource, route.subresource),
        ("secrets", _) | ("tokenreviews", _) | ("serviceaccounts", "token")
    );
    if is_secret && !body.is_empty() {
        return MASK.into();
    }
    // kubectl's creates are in protobuf, and readers of the log want to see what it sent.
    if body.len() <= MOST_SHOWN
        && let Ok(object) = protobuf::decode(body)
    {
        return object.to_string().into();
    }
    match std::str::from_utf8(body) {
        // Other bytes and large bodies would make the log unreadable.
        Ok(text) if text.len() <= MOST_SHOWN => text.into(),
        _ => format!("({} bytes)", body.len()).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::sync::Mutex;

    use tracing::field::{Field, Visit};
    use tracing::span::{self, Attributes, Id};
    use tracing::{Event, Metadata, Subscriber};

    use super::super::login::Token;
    use super::super::shared::Limits;
    use super::super::tests::{codes, fresh, shared, told, told_to_the_end};
    use super::*;
    use crate::cluster;
    use crate::sys::clock::Clock;
    use crate::sys::entropy::Seed;
    use crate::sys::lines::Lines;

    /// Collects the fields of all events.
    struct Heard(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Heard {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target().starts_with(REQUESTS)
        }

        fn event(&self, event: &Event<'_>) {
            let mut line = Fields(String::new());
            event.record(&mut line);
            self.0.lock().unwrap().push(line.0);
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &span::Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    struct Fields(String);

    impl Visit for Fields {
        fn record_str(&mut self, field: &Field, value: &str) {
            self.0 += &format!("{field}=\"{value}\" ");
        }

        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            self.0 += &format!("{field}={value:?} ");
        }
    }

    const SECRET: &str =
        r#"{"kind":"Secret","metadata":{"name":"s"},"stringData":{"p":"hunter2"}}"#;

    /// Returns a server with an audit log, and the directory of the log.
    fn audited() -> (Arc<Shared>, tempfile::TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let lines = Lines::open(&directory.path().join("audit")).unwrap();
        let (clock, notice) = (Clock::System, Arc::new(|text: &str| panic!("{text}")));
        let log = AuditLog::new(lines, cluster::Level::Request, clock, Seed(1), notice);
        let mut shared = shared(Limits::default());
        Arc::get_mut(&mut shared).unwrap().logs.audit = Some(Arc::new(log));
        (shared, directory)
    }

    fn events(directory: &tempfile::TempDir) -> Vec<Value> {
        let text = std::fs::read_to_string(directory.path().join("audit")).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Returns the ID in the headers of a response.
    fn id_in(got: &str) -> &str {
        let line = got.lines().find_map(|line| line.strip_prefix("Audit-Id: "));
        line.unwrap_or_default()
    }

    fn asked(method: &str, path: &str, fields: &str, body: &str) -> String {
        let length = body.len();
        format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{fields}Content-Length: {length}\r\n\r\n{body}"
        )
    }

    #[test]
    fn requests_produce_audit_events_and_an_audit_id_header() {
        let (cluster, (shared, directory)) = (fresh(), audited());
        let map = r#"{"kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}"#;
        let maps = "/api/v1/namespaces/default/configmaps";
        let fields = "User-Agent: robot/1\r\nAudit-ID: my-id\r\nImpersonate-User: ann\r\nImpersonate-Group: system:masters\r\n";
        let got = told(&cluster, &asked("POST", maps, fields, map), &shared);
        assert!(got.contains("\r\nAudit-Id: my-id\r\n"), "{got}");
        let watch = asked("GET", "/api/v1/pods?watch=1&timeoutSeconds=1", "", "");
        told_to_the_end(&cluster, &watch, &shared);
        told(&cluster, &asked("GET", "/healthz", "", ""), &shared);
        let secrets = "/api/v1/namespaces/default/secrets";
        told(&cluster, &asked("POST", secrets, "", SECRET), &shared);
        let events = events(&directory);
        let line = |event: &Value| {
            let of = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            let code = &event["responseStatus"]["code"];
            format!("{} {} {} {code}", of("stage"), of("verb"), of("level"))
        };
        assert_eq!(
            events.iter().map(line).collect::<Vec<_>>(),
            [
                "RequestReceived create Request null",
                "ResponseComplete create Request 201",
                "RequestReceived watch Request null",
                "ResponseStarted watch Request 200",
                "ResponseComplete watch Request 200",
                "RequestReceived get Request null",
                "ResponseComplete get Request 200",
                "RequestReceived create Metadata null",
                "ResponseComplete create Metadata 201",
            ]
        );
        let made = &events[1];
        assert_eq!(made["auditID"], "my-id");
        assert_eq!(made["user"]["username"], "admin");
        assert_eq!(made["impersonatedUser"]["username"], "ann");
        assert_eq!(made["userAgent"], "robot/1");
        assert_eq!(made["objectRef"]["name"], "a");
        assert_eq!(made["requestObject"]["data"]["k"], "v");
        assert_eq!(
            made["annotations"]["authorization.k8s.io/decision"],
            "allow"
        );
        assert!(events[6].get("objectRef").is_none());
        assert!(!events[8].to_string().contains("hunter2"));
    }

    #[test]
    fn failed_authentication_is_audited_without_a_user() {
        let (cluster, (mut shared, directory)) = (fresh(), audited());
        Arc::get_mut(&mut shared).unwrap().token = Some(Token::new("right"));
        for (fields, said) in [
            ("", "Authentication failed, no credentials provided"),
            (
                "Authorization: Bearer wrong\r\n",
                "Authentication failed, attempted: bearer",
            ),
        ] {
            let got = told(&cluster, &asked("GET", "/api/v1/pods", fields, ""), &shared);
            assert_eq!(codes(&got), ["401"]);
            let last = events(&directory).pop().unwrap();
            assert_eq!(last["auditID"], id_in(&got), "{got}");
            assert_eq!(
                (&last["stage"], &last["user"]),
                (
                    &"ResponseStarted".into(),
                    &Value::Object(Default::default())
                )
            );
            assert_eq!(last["responseStatus"]["message"], said);
            assert!(!last.to_string().contains("wrong"));
        }
    }

    #[test]
    fn request_with_a_body_that_is_too_large_is_audited() {
        let (cluster, (shared, directory)) = (fresh(), audited());
        let pods = "/api/v1/namespaces/default/pods";
        let sent = asked("POST", pods, "", "").replace("Length: 0", "Length: 4000000");
        let got = told(&cluster, &sent, &shared);
        assert_eq!(codes(&got), ["413"]);
        let last = events(&directory).pop().unwrap();
        assert_eq!(last["stage"], "ResponseComplete");
        assert_eq!(last["user"]["username"], "admin");
        assert_eq!(last["responseStatus"]["code"], 413);
        assert_eq!(last["auditID"], id_in(&got), "{got}");
        // A request not meant for this server leaves no event.
        let evil = asked("GET", "/api", "", "").replace("localhost", "evil.example");
        assert_eq!(codes(&told(&cluster, &evil, &shared)), ["403"]);
        assert_eq!(events(&directory).pop().unwrap(), last);
    }

    #[test]
    fn request_log_masks_secrets() {
        let (cluster, mut shared) = (fresh(), shared(Limits::default()));
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = Heard(Arc::clone(&lines));
        Arc::get_mut(&mut shared).unwrap().logs.requests = Some(Dispatch::new(heard));
        let fields = "Authorization: Bearer hunter2\r\nCookie: hunter2\r\n";
        told(
            &cluster,
            &asked("POST", "/api/v1/namespaces/default/secrets", fields, SECRET),
            &shared,
        );
        let evil = asked("GET", "/api", "", "").replace("localhost", "evil.example");
        told(&cluster, &evil, &shared);
        let lines = lines.lock().unwrap();
        for part in [
            "verb=\"POST\" method=\"POST\" uri=\"/api/v1/namespaces/default/secrets\" latencySeconds=",
            " code=201 ",
            " user=\"admin\" ",
            r#"["authorization","<masked>"]"#,
            "body=\"<masked>\"",
        ] {
            assert!(lines[0].contains(part), "{part} {lines:?}");
        }
        assert!(lines[1].contains(" code=403 "), "{lines:?}");
        assert!(!lines[1].contains(" user="), "{lines:?}");
        assert!(!lines.concat().contains("hunter2") && lines.len() == 2);
    }
}
