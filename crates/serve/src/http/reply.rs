//! Complete and streaming responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode, Version};

use super::coding;
use super::pipe::Receiver;
use super::proxy::ProxyResponse;
use super::refusal::Refusal;
use super::shared::InFlightRequest;
use crate::budget::{Full, Reservation};
use crate::cluster::administrator;
use crate::{Body, Flow, Request, Response};

/// The maximum size of a response that is sent regardless of the budget.
const SMALL: usize = 16 * 1024;

/// A response to be sent to the client.
pub(super) type Answer = hyper::Response<Outgoing>;

/// The body of a response to be sent to the client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// The complete body.
    Whole {
        bytes: Option<Bytes>,
        /// Ends with the body, if there are no bytes.
        _ongoing: Option<InFlightRequest>,
    },
    /// A body that is sent in pieces.
    Pieces {
        from: Receiver,
        _ongoing: InFlightRequest,
    },
}

impl HttpBody for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = match self.get_mut() {
            Self::Whole { bytes, .. } => bytes.take().map(Ok),
            Self::Pieces { from, .. } => ready!(from.poll_next(cx)),
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole { bytes: None, .. })
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole { bytes, .. } => {
                let bytes = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
            Self::Pieces { .. } => SizeHint::default(),
        }
    }
}

/// The bytes of a response in reserved memory, which live until the last one is written.
struct ReservedBytes {
    bytes: Vec<u8>,
    _memory: Reservation,
    _ongoing: InFlightRequest,
}

impl AsRef<[u8]> for ReservedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Returns a complete response, in memory reserved in `held`. For `HEAD`, returns only the headers.
pub(super) fn whole(
    response: &mut Response,
    request: &Request<'_>,
    mut held: Reservation,
    ongoing: InFlightRequest,
) -> Answer {
    let (media, body) = response.encode(request);
    let is_small = body.len() <= SMALL;
    // For a list, more than its text was reserved before it was built.
    let kept = request.body.len() + body.len();
    let missing = kept.saturating_sub(held.bytes());
    // A rejection is small and the only thing left to send, so it must not wait for memory.
    let grown = match is_small {
        true => held.grow_at_once(missing),
        false => held.grow(missing),
    };
    if grown == Err(Full) && !is_small {
        // Dropped first, because the rejection is written when memory is short.
        drop(body);
        return whole(&mut Refusal::no_memory().said(), request, held, ongoing);
    }
    let mut headers = headers(media);
    if response.code == 304 {
        // A cache would replace the header field of its copy by this one.
        headers.remove(header::CONTENT_TYPE);
    }
    let mut body = body;
    if let Some(packed) = coding::packed(&response.body, &body, request.accept_encoding) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        body = packed;
        // Frees the memory of the uncompressed text while a slow client reads.
        held.shrink_to(body.len());
    }
    // By now, a list's trees and pieces have been freed.
    held.shrink_to(kept);
    // The length is that of the body that a GET would return.
    if response.code != 304 {
        headers.insert(header::CONTENT_LENGTH, body.len().into());
    }
    warn(&mut headers, &response.warnings);
    for (name, value) in &response.fields {
        // An invalid header value is omitted, because the response matters more.
        if let Ok(value) = HeaderValue::from_str(value) {
            let name = HeaderName::from_static(name);
            if name == header::VARY {
                // A list, which the coding of the body extends.
                headers.append(name, value);
            } else {
                headers.insert(name, value);
            }
        }
    }
    if let Some(seconds) = retry_after(response) {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    let outgoing = outgoing(body, request.method == "HEAD", held, ongoing);
    answer(response.code, headers, outgoing)
}

/// Returns the body of a response. The bytes own their memory until the socket has written them. A body that is not
/// sent has no bytes.
fn outgoing(body: Vec<u8>, is_head: bool, held: Reservation, ongoing: InFlightRequest) -> Outgoing {
    match is_head || body.is_empty() {
        true => Outgoing::Whole {
            bytes: None,
            _ongoing: Some(ongoing),
        },
        false => Outgoing::Whole {
            bytes: Some(Bytes::from_owner(ReservedBytes {
                bytes: body,
                _memory: held,
                _ongoing: ongoing,
            })),
            _ongoing: None,
        },
    }
}

/// Returns the response to a forwarded request.
pub(super) fn passed(
    passed: ProxyResponse,
    method: &Method,
    mut held: Reservation,
    ongoing: InFlightRequest,
) -> Answer {
    // The response is complete and its size limited, so it is sent even if memory is short; others wait.
    let _ = held.grow_at_once(passed.body.len());
    let mut headers = passed.headers;
    headers.insert(header::CONTENT_LENGTH, passed.body.len().into());
    let body = outgoing(passed.body, method == Method::HEAD, held, ongoing);
    answer(passed.code, headers, body)
}

/// Returns the response after which the connection uses another protocol.
pub(super) fn switching(headers: HeaderMap) -> Answer {
    let body = Outgoing::Whole {
        bytes: None,
        _ongoing: None,
    };
    answer(101, headers, body)
}

/// Returns a streaming response.
pub(super) fn pieces(flow: &dyn Flow, from: Receiver, ongoing: InFlightRequest) -> Answer {
    let body = Outgoing::Pieces {
        from,
        _ongoing: ongoing,
    };
    let mut headers = headers(flow.media());
    warn(&mut headers, flow.warnings());
    answer(200, headers, body)
}

/// Returns the response to an invalid request; the connection is then closed.
pub(super) fn rejection(
    response: &Response,
    version: Version,
    held: Reservation,
    ongoing: InFlightRequest,
) -> Answer {
    // The sender is unknown, so the response is written as if for the administrator.
    let request = Request::get("", administrator());
    let mut answer = whole(&mut response.clone(), &request, held, ongoing);
    // An HTTP/2 connection carries other requests as well.
    if version < Version::HTTP_2 {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(header::CONNECTION, close);
    }
    answer
}

fn answer(code: u16, headers: HeaderMap, body: Outgoing) -> Answer {
    let mut answer = hyper::Response::new(body);
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
    *answer.headers_mut() = headers;
    answer
}

/// Returns the API server's common headers. `nosniff` keeps a browser from running a log as a page.
fn headers(media: &'static str) -> HeaderMap {
    let fixed: [(HeaderName, &'static str); 3] = [
        (header::CACHE_CONTROL, "no-cache, private"),
        (header::CONTENT_TYPE, media),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let fixed = fixed.map(|(name, value)| (name, HeaderValue::from_static(value)));
    fixed.into_iter().collect()
}

/// The maximum total length of the warnings, in characters; beyond it, each warning is truncated.
const MOST_WARNED: usize = 4 * 1024;

/// The maximum length of a warning, in characters, if all of them together are too long.
const MOST_OF_ONE: usize = 256;

/// Adds the warnings, within the API server's limits: proxies reject responses with long headers.
fn warn(headers: &mut HeaderMap, warnings: &[String]) {
    let length = |text: &str| text.chars().count();
    let all: usize = warnings.iter().map(|text| length(text)).sum();
    let mut left = MOST_WARNED;
    for text in warnings {
        let cut: String = match all > MOST_WARNED {
            true => text.chars().take(MOST_OF_ONE).collect(),
            false => text.clone(),
        };
        if let Ok(value) = HeaderValue::from_str(&format!("299 - {}", quoted(&cut))) {
            headers.append(header::WARNING, value);
        }
        // As in the real API server, the warning that exceeds the limit is the last one.
        match left.checked_sub(length(&cut)) {
            Some(rest) if rest > 0 => left = rest,
            _ => return,
        }
    }
}

/// Quotes a text so that it cannot end its header.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // A line break in a warning would start another header.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns after how many seconds the client should retry.
fn retry_after(response: &Response) -> Option<u64> {
    let Body::Object(object) = &response.body else {
        return None;
    };
    (object["kind"] == "Status").then_some(())?;
    // client-go waits this long and then retries on its own. A budget that allows no eviction names no time: `kubectl drain`
    // reports the refusal and waits itself.
    object["details"]["retryAfterSeconds"].as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::status::{Details, Status};

    #[test]
    fn only_a_status_with_a_time_tells_the_client_to_retry() {
        let mut status = Status {
            code: 429,
            ..Status::bad_request(
                "Cannot evict pod as it would violate the pod's disruption budget.",
            )
        };
        assert_eq!(retry_after(&Response::from(status.clone())), None);
        status.details = Some(Box::new(Details {
            retry_after_seconds: 10,
            ..Details::default()
        }));
        assert_eq!(retry_after(&Response::from(status)), Some(10));
    }

    #[test]
    fn warning_header_escapes_quotes_and_line_breaks() {
        assert_eq!(quoted("a \"b\"\r\nc: d\\"), "\"a \\\"b\\\"  c: d\\\\\"");
    }

    #[test]
    fn long_and_numerous_warnings_are_truncated() {
        let warned = |texts: &[String]| -> Vec<usize> {
            let mut headers = HeaderMap::new();
            warn(&mut headers, texts);
            let all = headers.get_all(header::WARNING).into_iter();
            all.map(|value| value.len() - "299 - \"\"".len()).collect()
        };
        assert_eq!(warned(&["a".to_owned(), "b".repeat(4095)]), [1, 4095]);
        assert_eq!(warned(&["a".to_owned(), "b".repeat(4096)]), [1, 256]);
        let many = vec!["c".repeat(300); 50];
        assert_eq!(warned(&many), [256; 16]);
    }
}
