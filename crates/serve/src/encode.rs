//! Encodes responses.

use serde::Serialize;

use super::negotiate::Format;
use super::{Body, Request, Response, negotiate, openapi, ordered};
use crate::api::json::Value;
use crate::api::yaml;
use crate::protobuf;

impl Response {
    /// Returns the media type and the body in the requested format. Takes the body out if it consists of bytes.
    pub fn encode(&mut self, request: &Request<'_>) -> (&'static str, Vec<u8>) {
        let object = match &mut self.body {
            Body::Text(text) => {
                let media = match self.media {
                    "" => "text/plain; charset=utf-8",
                    media => media,
                };
                return (media, std::mem::take(text).into_bytes());
            }
            Body::Encoded(bytes) => return (self.media, std::mem::take(bytes)),
            Body::Object(object) => &*object,
        };
        let mut bytes = Vec::new();
        if self.media == openapi::MEDIA_TYPE {
            return (self.media, openapi::in_binary(object));
        }
        // If the requested format is not supported, the error is in JSON.
        let media = negotiate::media(request.accept, true, true).unwrap_or_default();
        // A response with a media type of its own, such as discovery, has a fixed format.
        if media.format == Format::Protobuf
            && self.media.is_empty()
            && let Some(bytes) = protobuf::encode(object)
        {
            return (protobuf::MEDIA_TYPE, bytes);
        }
        if media.format == Format::Yaml && self.media.is_empty() {
            yaml::emit(object, &mut bytes);
            return ("application/yaml", bytes);
        }
        // The fields are ordered, because `get --raw` prints discovery as it is.
        match ordered::in_order(object) {
            Some(ordered) => write(&ordered, request, &mut bytes),
            None => write(object, request, &mut bytes),
        }
        // As in Go's encoder, each document ends with a line break, which also makes `curl` output readable.
        bytes.push(b'\n');
        let media = match self.media {
            "" => "application/json",
            media => media,
        };
        (media, bytes)
    }
}

/// Writes a document on one line, or indented for people.
fn write(document: &impl Serialize, request: &Request<'_>, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = match is_read_by_a_person(request) {
        true => serde_json::to_writer_pretty(out, document),
        false => serde_json::to_writer(out, document),
    };
}

/// Appends a value to `out`, on one line.
pub(super) fn json(value: &Value, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Returns true if the client asks for `pretty=true` or is curl or a browser, as on the real API server.
pub(super) fn is_read_by_a_person(request: &Request<'_>) -> bool {
    let (_, query) = request.path.split_once('?').unwrap_or_default();
    let asked = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("pretty="));
    match asked {
        Some(asked) => matches!(asked, "true" | "1"),
        None => ["curl", "Wget", "Mozilla/5.0"]
            .iter()
            .any(|name| request.user_agent.starts_with(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::cluster::administrator;

    fn encoded(response: &Response, path: &str, accept: &str) -> (&'static str, String) {
        let request = Request {
            accept,
            user_agent: "test/1",
            ..Request::get(path, administrator())
        };
        let (media, bytes) = response.clone().encode(&request);
        (media, String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn response_format_follows_accept_header_and_pretty_parameter() {
        let object = Response::object(200, json!({"a": {"b": [1]}}), Vec::new());
        let of = |path: &str, accept: &str| encoded(&object, path, accept);
        assert_eq!(
            of("/", ""),
            ("application/json", "{\"a\":{\"b\":[1]}}\n".to_owned())
        );
        assert_eq!(
            of("/", "application/yaml"),
            ("application/yaml", "a:\n  b:\n  - 1\n".to_owned())
        );
        let (_, pretty) = of("/?x=y&pretty=true", "");
        assert!(
            pretty.starts_with("{\n  \"a\": {\n    \"b\": ["),
            "{pretty}"
        );
        let text = Response::text(200, "ok");
        assert_eq!(
            encoded(&text, "/healthz", ""),
            ("text/plain; charset=utf-8", "ok".to_owned())
        );
        let refused = Response::from(crate::api::status::Status::bad_request("no"));
        assert_eq!(encoded(&refused, "/", "text/html").0, "application/json");
    }
}
