//! A watch as a server streams it: one event per line, until the watch times out or the history that it needs was
//! discarded.

use std::time::Duration;

use super::negotiate::Format;
use super::table::View;
use super::{Call, Response, negotiate};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{ApiError, WatchEvent, Watching};
use crate::protobuf;
use crate::sys::clock::Stopwatch;
use crate::sys::entropy::kernel_random;

/// The shortest duration in seconds of a watch whose client sets none.
const LASTS: u64 = 1800;

/// The interval of bookmarks, if the client requests them.
const MARK_EVERY: Duration = Duration::from_secs(60);

/// The time between the last bookmark and the end of a watch.
const MARK_BEFORE_END: Duration = Duration::from_secs(2);

/// A streaming response. The server sends parts until there are no more or the client closes the connection.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_cluster::administrator;
/// use ctl_serve::{Flow, Reply, Request, Service as _};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let request = Request::get("/api/v1/namespaces?watch=1", administrator());
/// let Reply::Watch(flow) = cluster.open(&request) else {
///     panic!("a watch goes on");
/// };
/// let mut flow: Box<dyn Flow> = flow;
/// let first = flow.next(Duration::ZERO).unwrap_or_default();
/// assert!(String::from_utf8_lossy(&first).contains("ADDED"));
/// ```
pub trait Flow: std::fmt::Debug {
    /// Waits at most `patience` until new data may be available.
    ///
    /// # Errors
    /// Returns an error if it cannot wait for changes.
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError>;

    /// Returns the bytes of the changes since the last call, and waits at most `patience` for them; `None` at the end.
    fn next(&mut self, patience: Duration) -> Option<Vec<u8>>;

    /// Returns the final bytes for a client that reads too slowly.
    fn left_behind(&self) -> Vec<u8>;

    /// Returns the warnings for the response headers.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Returns the media type.
    fn media(&self) -> &'static str;

    /// Returns true if the parts are binary frames, for which no end marker may be sent.
    fn is_binary(&self) -> bool;
}

/// A watch that is streamed line by line.
///
/// ```
/// use std::time::Duration;
///
/// use ctl_cluster::administrator;
/// use ctl_serve::{Flow as _, Reply, Request, Service as _, Stream};
///
/// # let cluster = ctl_cluster::testing::in_memory();
/// let request = Request::get("/api/v1/namespaces?watch=1", administrator());
/// let Reply::Watch(watch) = cluster.open(&request) else {
///     panic!("a watch goes on");
/// };
/// let mut watch: Box<Stream> = watch;
/// assert!(watch.next(Duration::ZERO).is_some());
/// ```
#[derive(Debug)]
pub struct Stream {
    watching: Watching,
    events: Events,
    lasts: Duration,
    since: Stopwatch,
    /// The time of the next bookmark; `None` if the client requested none.
    mark_at: Option<Duration>,
    over: bool,
    warnings: Vec<String>,
}

/// The encoder of the events of a watch.
#[derive(Debug)]
struct Events {
    view: View,
    /// True if events are binary frames rather than lines.
    binary: bool,
    /// True once the first event was encoded.
    begun: bool,
}

impl Call<'_, '_> {
    /// Starts a watch; `warnings` are sent in the response headers.
    pub(super) fn watch(&self, warnings: Vec<String>) -> Result<Stream, ApiError> {
        // Parsed before the watch starts, so that an error can still be returned as a response rather than as an
        // event.
        let seconds = self.query.number("timeoutSeconds")?.unwrap_or(0);
        if self.media.format == Format::Yaml {
            return Err(negotiate::not_acceptable(
                "only the following media types are accepted: application/json;stream=watch, \
                 application/vnd.kubernetes.protobuf;stream=watch",
            )
            .into());
        }
        // The server chooses the duration if the value is zero or negative.
        let lasts = match u64::try_from(seconds) {
            Ok(seconds) if seconds > 0 => Duration::from_secs(seconds),
            // Drawn, so that the clients of a restarted server do not all return at the same time.
            _ => Duration::from_secs(LASTS + kernel_random() % LASTS),
        };
        let wants_marks = self.query.flag("allowWatchBookmarks");
        // Even a short watch sends a bookmark before its end, so that the client can resume without a new list.
        let first = lasts.saturating_sub(MARK_BEFORE_END).min(MARK_EVERY);
        Ok(Stream {
            watching: self.cluster.watch(&self.place(), &self.list_options()?)?,
            events: Events {
                view: self.view()?,
                binary: self.media.format == Format::Protobuf,
                begun: false,
            },
            lasts,
            since: Stopwatch::start(),
            mark_at: wants_marks.then_some(first),
            over: false,
            warnings,
        })
    }
}

impl Flow for Stream {
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError> {
        self.watching.wait(patience.min(self.due()))
    }

    fn next(&mut self, patience: Duration) -> Option<Vec<u8>> {
        if self.is_over() {
            return None;
        }
        let patience = patience.min(self.due());
        let mut lines = Vec::new();
        match self.watching.next(patience) {
            Ok(events) => events
                .into_iter()
                .for_each(|event| self.events.encode(event, &mut lines)),
            Err(error) => self.fail(error, &mut lines),
        }
        self.mark(&mut lines);
        Some(lines)
    }

    fn left_behind(&self) -> Vec<u8> {
        let status = Status {
            // 410 makes client-go list again; after any other error it would retry with the same revision.
            code: 410,
            reason: "Expired",
            ..Status::bad_request("the client read too slowly: list again and watch from there")
        };
        let mut lines = Vec::new();
        self.events.line("ERROR", &status.to_value(), &mut lines);
        lines
    }

    fn warnings(&self) -> &[String] {
        // All warnings are known at the start; an event cannot contain one.
        &self.warnings
    }

    fn media(&self) -> &'static str {
        match self.events.binary {
            true => "application/vnd.kubernetes.protobuf;stream=watch",
            false => "application/json",
        }
    }

    fn is_binary(&self) -> bool {
        self.events.binary
    }
}

impl Stream {
    /// Returns the resource of the watched objects, as store keys contain it.
    pub(crate) fn resource(&self) -> &str {
        self.watching.resource()
    }

    /// Returns true after the end of the watch.
    pub(crate) fn is_over(&self) -> bool {
        self.over || self.lasts <= self.since.elapsed()
    }

    /// Returns the time until the next bookmark or the end.
    pub(crate) fn due(&self) -> Duration {
        let at = self.mark_at.map_or(self.lasts, |at| at.min(self.lasts));
        at.saturating_sub(self.since.elapsed())
    }

    /// Returns the bytes of the changes since the last call; `None` if they are not in memory. Expensive work is done
    /// only if `may_block` is true.
    pub(crate) fn recent(&mut self, may_block: bool) -> Option<Vec<u8>> {
        let (mut lines, events) = (Vec::new(), &mut self.events);
        let form = events.form();
        let mut tell = |event, out: &mut Vec<u8>| events.encode(event, out);
        let read = self.watching.recent(may_block, form, &mut lines, &mut tell);
        match read {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => self.fail(error, &mut lines),
        }
        // Also here, because a watch that is always up to date never calls `next`.
        self.mark(&mut lines);
        Some(lines)
    }

    /// Ends the watch with an error, because later events would leave a gap.
    fn fail(&mut self, error: ApiError, lines: &mut Vec<u8>) {
        self.over = true;
        let status = Response::from(error).into_object();
        self.events.line("ERROR", &status, lines);
    }

    /// Appends a bookmark if one is due.
    fn mark(&mut self, lines: &mut Vec<u8>) {
        // Appended after the events, because a bookmark must not be newer than they are.
        if self.mark_at.is_some_and(|at| self.since.elapsed() >= at) && !self.over {
            // Counted from now rather than from the last bookmark, so that a slow reader does not get several at once.
            self.mark_at = Some(self.since.elapsed() + MARK_EVERY);
            let mark = self.watching.bookmark();
            self.events.encode(mark, lines);
        }
    }
}

impl Events {
    /// Names the encoding of an event, by which watches share encoded events; `None` if the encoding depends on the
    /// watch.
    fn form(&self) -> Option<&'static str> {
        match (self.view.form(), self.binary) {
            (Some("object"), true) => Some("binary object"),
            (form, false) => form,
            (_, true) => None,
        }
    }

    fn encode(&mut self, event: WatchEvent, lines: &mut Vec<u8>) {
        let (kind, object) = match event {
            WatchEvent::Added(object) => ("ADDED", object),
            WatchEvent::Modified(object) => ("MODIFIED", object),
            WatchEvent::Deleted(object) => ("DELETED", object),
            WatchEvent::Bookmark(object) => {
                return self.line("BOOKMARK", &self.view.mark(object), lines);
            }
        };
        // As kubectl expects, only the first event of a watch contains the column definitions.
        let first = !std::mem::replace(&mut self.begun, true);
        self.line(kind, &self.view.event(object, first), lines);
    }

    fn line(&self, kind: &str, object: &Value, lines: &mut Vec<u8>) {
        match self.binary {
            // Only objects with a protobuf encoding are watched in binary.
            true => lines.extend(protobuf::encode_watch_event(kind, object).unwrap_or_default()),
            false => line(kind, object, lines),
        }
    }
}

fn line(kind: &str, object: &Value, lines: &mut Vec<u8>) {
    // Written around the encoded object, because a `Value` for the envelope would need a copy of the whole object.
    lines.extend_from_slice(b"{\"object\":");
    super::encode::json(object, lines);
    lines.extend_from_slice(format!(",\"type\":\"{kind}\"}}\n").as_bytes());
}
