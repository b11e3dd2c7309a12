//! A watch as a server streams it: one event per line, until its time is over or the history that it needs is no longer
//! kept.

use std::time::Duration;

use super::negotiate::Format;
use super::table::View;
use super::{Call, Response, negotiate};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::cluster::{ApiError, WatchEvent, Watching};
use crate::protobuf;
use crate::sys::clock::Stopwatch;

/// The default duration of a watch.
const LASTS: Duration = Duration::from_secs(1800);

/// The interval of bookmarks, if the client requests them.
const MARK_EVERY: Duration = Duration::from_secs(60);

/// The time of the last bookmark before the end of a watch.
const MARK_BEFORE_END: Duration = Duration::from_secs(2);

/// A streaming response: its server sends the next part as long as there is one and the client reads.
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
    /// Waits until there may be new data, for at most `patience`.
    ///
    /// # Errors
    /// Waiting for changes failed.
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError>;

    /// Returns the bytes of the changes since the last call, after a wait of at most `patience`; `None` at the end.
    fn next(&mut self, patience: Duration) -> Option<Vec<u8>>;

    /// Returns the final text for a client that does not read.
    fn left_behind(&self) -> Vec<u8>;

    /// Returns the texts of the warnings in its head.
    fn warnings(&self) -> &[String] {
        &[]
    }

    /// Returns the media type.
    fn media(&self) -> &'static str;

    /// Returns true if its parts are binary frames, which have no end marker.
    fn is_binary(&self) -> bool;
}

/// A watch that is streamed line by line.
#[derive(Debug)]
pub(crate) struct Stream<'c> {
    watching: Watching<'c>,
    view: View,
    lasts: Duration,
    since: Stopwatch,
    /// The time of the next bookmark; `None` without bookmarks.
    mark_at: Option<Duration>,
    /// True if events are binary frames instead of lines.
    binary: bool,
    /// True after the first event.
    begun: bool,
    over: bool,
    warnings: Vec<String>,
}

impl<'c> Call<'c, '_> {
    /// Starts a watch with these warnings.
    pub(super) fn watch(&self, warnings: Vec<String>) -> Result<Stream<'c>, ApiError> {
        // Parsed before the watch starts, so that an error becomes a response and not an event.
        let seconds = self.query.number("timeoutSeconds")?.unwrap_or(0);
        if self.media.format == Format::Yaml {
            return Err(negotiate::not_acceptable(
                "only the following media types are accepted: application/json;stream=watch, \
                 application/vnd.kubernetes.protobuf;stream=watch",
            )
            .into());
        }
        // Zero and negative values mean the server's choice.
        let lasts = match u64::try_from(seconds) {
            Ok(seconds) if seconds > 0 => Duration::from_secs(seconds),
            _ => LASTS,
        };
        let wants_marks = self.query.flag("allowWatchBookmarks");
        // Once before the end even of a short watch, so that the client can resume without another list.
        let first = lasts.saturating_sub(MARK_BEFORE_END).min(MARK_EVERY);
        Ok(Stream {
            watching: self.cluster.watch(&self.place(), &self.list_options()?)?,
            view: self.view()?,
            lasts,
            since: Stopwatch::start(),
            mark_at: wants_marks.then_some(first),
            binary: self.media.format == Format::Protobuf,
            begun: false,
            over: false,
            warnings,
        })
    }
}

impl Flow for Stream<'_> {
    fn wait(&mut self, patience: Duration) -> Result<(), ApiError> {
        // Never beyond the end of the watch or the next bookmark.
        let mut patience = patience.min(self.lasts.saturating_sub(self.since.elapsed()));
        if let Some(at) = self.mark_at {
            patience = patience.min(at.saturating_sub(self.since.elapsed()));
        }
        self.watching.wait(patience)
    }

    fn next(&mut self, patience: Duration) -> Option<Vec<u8>> {
        let left = self.lasts.saturating_sub(self.since.elapsed());
        if self.over || left.is_zero() {
            return None;
        }
        let mut patience = patience.min(left);
        if let Some(at) = self.mark_at {
            patience = patience.min(at.saturating_sub(self.since.elapsed()));
        }
        let mut lines = Vec::new();
        match self.watching.next(patience) {
            Ok(events) => events
                .into_iter()
                .for_each(|event| self.tell(event, &mut lines)),
            Err(error) => {
                // An error ends a watch, because later events would follow a gap.
                self.over = true;
                let status = Response::from(error).into_object();
                self.line("ERROR", &status, &mut lines);
            }
        }
        // After the events, so that the bookmark is not ahead of them.
        if self.mark_at.is_some_and(|at| self.since.elapsed() >= at) && !self.over {
            // From now and not from the last one, so that a slow reader does not get several at once.
            self.mark_at = Some(self.since.elapsed() + MARK_EVERY);
            let mark = self.watching.bookmark();
            self.tell(mark, &mut lines);
        }
        Some(lines)
    }

    fn left_behind(&self) -> Vec<u8> {
        let status = Status {
            // 410 makes client-go list again; any other error would make it retry the same revision.
            code: 410,
            reason: "Expired",
            ..Status::bad_request("the client read too slowly: list again and watch from there")
        };
        let mut lines = Vec::new();
        self.line("ERROR", &status.to_value(), &mut lines);
        lines
    }

    fn warnings(&self) -> &[String] {
        // Fixed at the start, because an event cannot contain a warning.
        &self.warnings
    }

    fn media(&self) -> &'static str {
        match self.binary {
            true => "application/vnd.kubernetes.protobuf;stream=watch",
            false => "application/json",
        }
    }

    fn is_binary(&self) -> bool {
        self.binary
    }
}

impl Stream<'_> {
    fn tell(&mut self, event: WatchEvent, lines: &mut Vec<u8>) {
        let (kind, object) = match event {
            WatchEvent::Added(object) => ("ADDED", object),
            WatchEvent::Modified(object) => ("MODIFIED", object),
            WatchEvent::Deleted(object) => ("DELETED", object),
            WatchEvent::Bookmark(object) => {
                return self.line("BOOKMARK", &self.view.mark(object), lines);
            }
        };
        // Column definitions are sent once per watch, as kubectl expects.
        let first = !std::mem::replace(&mut self.begun, true);
        self.line(kind, &self.view.event(object, first), lines);
    }

    fn line(&self, kind: &str, object: &Value, lines: &mut Vec<u8>) {
        match self.binary {
            // A watch is binary only if its objects are.
            true => lines.extend(protobuf::encode_watch_event(kind, object).unwrap_or_default()),
            false => line(kind, object, lines),
        }
    }
}

fn line(kind: &str, object: &Value, lines: &mut Vec<u8>) {
    // Written by hand around the object, because a value for the envelope would copy the whole tree.
    lines.extend_from_slice(b"{\"object\":");
    super::encode::json(object, lines);
    lines.extend_from_slice(format!(",\"type\":\"{kind}\"}}\n").as_bytes());
}
