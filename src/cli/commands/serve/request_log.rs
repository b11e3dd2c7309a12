//! The request log of `ctl serve`: a line for each request, as kube-apiserver's `httplog` writes it, or JSON.
//!
//! Written here and not with a framework: the server has one kind of line, and a framework with its JSON formatter makes the program
//! a few hundred KiB larger.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::Timestamp;

use crate::api::go::quoted;
use crate::api::json::{Map, Value, json};
use crate::serve::http::{Detail, Logged};

/// Returns what the log holds of a request at a verbosity; `None` if there is no log.
pub(super) fn detail(verbosity: i32) -> Option<Detail> {
    // The levels at which kubectl logs its own requests, their headers and their bodies.
    match verbosity {
        ..6 => None,
        6 => Some(Detail::Line),
        7 => Some(Detail::Headers),
        _ => Some(Detail::Body),
    }
}

/// Returns the line of a request.
pub(super) fn line(at: Timestamp, logged: &Logged<'_>, is_json: bool) -> String {
    let time = at.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
    match is_json {
        true => as_json(time, logged).to_string(),
        false => as_text(&time, logged),
    }
}

fn as_text(time: &str, logged: &Logged<'_>) -> String {
    let mut line = format!(
        "{time} \"HTTP\" verb=\"{}\" URI={} latency=\"{}\"",
        logged.verb,
        quoted(logged.uri),
        milliseconds(logged.latency),
    );
    let source = logged.source.as_deref().unwrap_or_default();
    // Writing to a string cannot fail.
    for (name, value) in [
        ("userAgent", logged.agent),
        ("user", logged.user),
        ("audit-ID", logged.audit_id),
        ("srcIP", source),
    ] {
        if !value.is_empty() {
            let _ = write!(line, " {name}={}", quoted(value));
        }
    }
    let _ = write!(line, " resp={}", logged.code);
    for (name, value) in &logged.headers {
        let _ = write!(line, "\n    {name}: {}", quoted(value));
    }
    if let Some(body) = logged.body.as_ref().filter(|body| !body.is_empty()) {
        let _ = write!(line, "\n    Request Body: {}", quoted(body));
    }
    line
}

fn as_json(time: String, logged: &Logged<'_>) -> Value {
    let mut line = json!({
        "time": time, "message": "HTTP", "verb": logged.verb, "method": logged.method, "uri": logged.uri,
        "latencySeconds": logged.latency.as_secs_f64(), "code": logged.code,
    });
    let source = logged.source.as_deref().unwrap_or_default();
    for (name, value) in [
        ("userAgent", logged.agent),
        ("user", logged.user),
        ("auditID", logged.audit_id),
        ("source", source),
    ] {
        if !value.is_empty() {
            line[name] = json!(value);
        }
    }
    if !logged.headers.is_empty() {
        // A field that comes twice keeps both values, in a list.
        let mut headers = Map::new();
        for (name, value) in &logged.headers {
            let values = headers.entry(name.clone()).or_insert_with(|| json!([]));
            if let Some(values) = values.as_array_mut() {
                values.push(json!(value));
            }
        }
        line["headers"] = Value::Object(headers);
    }
    if let Some(body) = &logged.body {
        line["body"] = json!(body.as_ref());
    }
    line
}

fn milliseconds(latency: Duration) -> String {
    format!("{:.3}ms", latency.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged() -> Logged<'static> {
        Logged {
            verb: "LIST",
            method: "GET",
            uri: "/api/v1/pods?limit=5",
            latency: Duration::from_micros(1234),
            agent: "kubectl/v1.36.2",
            user: "admin",
            source: Some("127.0.0.1:5000".to_owned()),
            audit_id: "",
            code: 200,
            headers: Vec::new(),
            body: None,
        }
    }

    #[test]
    fn request_is_logged_as_one_escaped_line() {
        let at = Timestamp::UNIX_EPOCH;
        assert_eq!(
            line(at, &logged(), false),
            "1970-01-01T00:00:00.000000Z \"HTTP\" verb=\"LIST\" URI=\"/api/v1/pods?limit=5\" latency=\"1.234ms\" \
             userAgent=\"kubectl/v1.36.2\" user=\"admin\" srcIP=\"127.0.0.1:5000\" resp=200"
        );
        let odd = Logged {
            agent: "a\"\nb",
            ..logged()
        };
        assert!(line(at, &odd, false).contains("userAgent=\"a\\\"\\nb\""));
    }

    #[test]
    fn headers_and_bodies_follow_if_they_are_wanted() {
        let full = Logged {
            headers: vec![
                ("accept".to_owned(), "*/*".to_owned()),
                ("accept".to_owned(), "text/html".to_owned()),
            ],
            body: Some("{}".into()),
            ..logged()
        };
        let text = line(Timestamp::UNIX_EPOCH, &full, false);
        let more =
            "resp=200\n    accept: \"*/*\"\n    accept: \"text/html\"\n    Request Body: \"{}\"";
        assert!(text.ends_with(more), "{text}");
        let text = line(Timestamp::UNIX_EPOCH, &full, true);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["headers"], json!({"accept": ["*/*", "text/html"]}));
        assert_eq!(
            (&value["code"], &value["body"]),
            (&json!(200), &json!("{}"))
        );
        assert_eq!(detail(5), None);
        assert_eq!(detail(9), Some(Detail::Body));
    }
}
