//! The request log of `ctl serve`: a line for each request, in the format of kube-apiserver's `httplog` or as JSON.
//!
//! This module has its own subscriber: tracing-subscriber has neither format, and its JSON formatter makes the program
//! a few hundred KiB larger.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::api::go::quoted;
use crate::api::json::{Map, Value, json};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::ui::Ui;
use crate::serve::http::{REQUEST_BODIES, REQUEST_HEADERS, REQUESTS};
use crate::sys::clock::Clock;

/// Writes requests to standard error.
pub(super) struct RequestLog {
    verbosity: i32,
    is_json: bool,
    clock: Clock,
    ui: Ui,
}

impl RequestLog {
    /// Creates the log with the verbosity of `-v`.
    pub(super) fn new(context: &Context, is_json: bool) -> Result<Self, CliError> {
        Ok(Self {
            verbosity: context.global.v,
            is_json,
            clock: context.clock()?,
            ui: context.ui.clone(),
        })
    }

    /// Runs a server and logs its requests.
    pub(super) fn around<T>(self, run: impl FnOnce() -> T) -> T {
        match self.verbosity {
            ..6 => run(),
            _ => tracing::subscriber::with_default(self, run),
        }
    }
}

impl Subscriber for RequestLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // kubectl logs its own requests, headers and bodies at these verbosities.
        let least = match metadata.target() {
            REQUESTS => 6,
            REQUEST_HEADERS => 7,
            REQUEST_BODIES => 8,
            // The libraries of the server also emit events.
            _ => return false,
        };
        self.verbosity >= least
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        let now = self.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%6fZ");
        let mut line = Line::at(now.to_string());
        event.record(&mut line);
        self.ui.record(&match self.is_json {
            true => line.into_json().to_string(),
            false => line.as_text(),
        });
    }

    // Requests have no spans: each emits a single event when it ends.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The fields of a request.
struct Line {
    fields: Map,
    headers: Vec<(String, String)>,
}

impl Line {
    fn at(time: String) -> Self {
        Self {
            fields: Map::from_iter([("time".to_owned(), json!(time))]),
            headers: Vec::new(),
        }
    }

    fn into_json(self) -> Value {
        let Self {
            mut fields,
            headers,
        } = self;
        // A field that occurs twice keeps both values in a list.
        let mut by_name = Map::new();
        for (name, value) in headers {
            let values = by_name.entry(name).or_insert_with(|| json!([]));
            if let Some(values) = values.as_array_mut() {
                values.push(json!(value));
            }
        }
        if !by_name.is_empty() {
            fields.insert("headers".to_owned(), Value::Object(by_name));
        }
        Value::Object(fields)
    }

    fn text(&self, name: &str) -> &str {
        let value = self.fields.get(name).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    fn as_text(&self) -> String {
        let seconds = self.fields.get("latencySeconds").and_then(Value::as_f64);
        let mut line = format!(
            "{} \"{}\" verb=\"{}\" URI={} latency=\"{:.3}ms\"",
            self.text("time"),
            self.text("message"),
            self.text("verb"),
            quoted(self.text("uri")),
            seconds.unwrap_or_default() * 1000.0,
        );
        // Writing to a string cannot fail.
        for (name, field) in [
            ("userAgent", "userAgent"),
            ("user", "user"),
            ("audit-ID", "auditID"),
            ("srcIP", "source"),
        ] {
            let value = self.text(field);
            if !value.is_empty() {
                let _ = write!(line, " {name}={}", quoted(value));
            }
        }
        let _ = write!(
            line,
            " resp={}",
            self.fields.get("code").unwrap_or(&Value::Null)
        );
        for (name, value) in &self.headers {
            let _ = write!(line, "\n    {name}: {}", quoted(value));
        }
        let body = self.text("body");
        if !body.is_empty() {
            let _ = write!(line, "\n    Request Body: {}", quoted(body));
        }
        line
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "headers" {
            self.headers = serde_json::from_str(value).unwrap_or_default();
            return;
        }
        self.fields.insert(field.name().to_owned(), json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.insert(field.name().to_owned(), json!(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.insert(field.name().to_owned(), json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let value = format!("{value:?}");
        self.fields.insert(field.name().to_owned(), json!(value));
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use tracing::{Level, info};

    use super::*;

    /// Returns the line of a request of an agent.
    fn line(agent: &str, verbosity: i32, is_json: bool) -> String {
        let (ui, captured) = Ui::captured();
        let log = RequestLog {
            verbosity,
            is_json,
            clock: Clock::Fixed(Timestamp::UNIX_EPOCH),
            ui,
        };
        tracing::subscriber::with_default(log, || {
            info!(target: "h2", code = 200, "another library");
            let is_full = tracing::enabled!(target: REQUEST_BODIES, Level::INFO);
            info!(
                target: REQUESTS,
                verb = "LIST",
                method = "GET",
                uri = "/api/v1/pods?limit=5",
                latencySeconds = 0.001_234,
                code = 200_u16,
                userAgent = agent,
                user = "admin",
                source = "127.0.0.1:5000",
                headers = is_full.then_some(r#"[["accept","*/*"],["accept","text/html"]]"#),
                body = is_full.then_some("{}"),
                "HTTP"
            );
        });
        let text = captured.lock().unwrap().err.clone();
        text.trim_end().to_owned()
    }

    #[test]
    fn request_is_logged_as_one_escaped_line() {
        assert_eq!(
            line("kubectl/v1.36.2", 6, false),
            "1970-01-01T00:00:00.000000Z \"HTTP\" verb=\"LIST\" URI=\"/api/v1/pods?limit=5\" latency=\"1.234ms\" \
             userAgent=\"kubectl/v1.36.2\" user=\"admin\" srcIP=\"127.0.0.1:5000\" resp=200"
        );
        let odd = line("a\"\nb", 6, false);
        assert!(odd.contains("userAgent=\"a\\\"\\nb\""), "{odd}");
    }

    #[test]
    fn headers_and_bodies_follow_if_they_are_wanted() {
        let text = line("a", 9, false);
        let more =
            "resp=200\n    accept: \"*/*\"\n    accept: \"text/html\"\n    Request Body: \"{}\"";
        assert!(text.ends_with(more), "{text}");
        let text = line("a", 9, true);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            value,
            json!({
                "time": "1970-01-01T00:00:00.000000Z", "message": "HTTP", "verb": "LIST", "method": "GET",
                "uri": "/api/v1/pods?limit=5", "latencySeconds": 0.001234, "code": 200, "userAgent": "a",
                "user": "admin", "source": "127.0.0.1:5000",
                "headers": {"accept": ["*/*", "text/html"]}, "body": "{}",
            })
        );
        assert_eq!(line("a", 5, false), "");
    }
}
