//! Output: whole responses and responses that go on.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode, Version};

use super::coding;
use super::pipe::Receiver;
use super::proxy::Passed;
use super::refusal::Refusal;
use super::shared::Ongoing;
use crate::budget::{Full, Reservation};
use crate::cluster::administrator;
use crate::{Body, Flow, Request, Response};

/// Responses up to this many bytes are given whatever the budget.
const SMALL: usize = 16 * 1024;

/// A response on its way to the client.
pub(super) type Answer = hyper::Response<Outgoing>;

/// The body of a response on its way to the client.
#[derive(Debug)]
pub(super) enum Outgoing {
    /// It is here.
    Whole {
        bytes: Option<Bytes>,
        /// Ends with the body, if there are no bytes to end with.
        _ongoing: Option<Ongoing>,
    },
    /// It comes piece by piece.
    Pieces { from: Receiver, _ongoing: Ongoing },
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

/// The bytes of a response, in reserved memory, until the last of them is written.
struct Held {
    bytes: Vec<u8>,
    _memory: Reservation,
    _ongoing: Ongoing,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Makes a whole response, in memory that `held` reserves; only its head if the request is a `HEAD`.
pub(super) fn whole(
    response: &Response,
    request: &Request<'_>,
    mut held: Reservation,
    ongoing: Ongoing,
) -> Answer {
    let (media, body) = response.encode(request);
    let is_small = body.len() <= SMALL;
    // A refusal is small, and what else could be said? It must not wait for memory either.
    let grown = match is_small {
        true => held.grow_at_once(body.len()),
        false => held.grow(body.len()),
    };
    if grown == Err(Full) && !is_small {
        // Dropped first: the refusal is written when memory is short.
        drop(body);
        return whole(&Refusal::no_memory().said(), request, held, ongoing);
    }
    let mut headers = headers(media);
    let mut body = body;
    if let Some(packed) = coding::packed(&response.body, &body, request.accept_encoding) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        body = packed;
        // The larger text is gone, and its memory is for others while a slow client reads.
        held.shrink_to(body.len());
    }
    // The length is the one of the body that a GET would get.
    headers.insert(header::CONTENT_LENGTH, body.len().into());
    warn(&mut headers, &response.warnings);
    for (name, value) in &response.fields {
        // A value that cannot stand in a header would end it; the response is worth more than the field.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    if let Some(seconds) = retry_after(response) {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    let outgoing = outgoing(body, request.method == "HEAD", held, ongoing);
    answer(response.code, headers, outgoing)
}

/// Makes the body of a response. The memory goes with the bytes, whose last owner is the socket; a body that is
/// not sent has none.
fn outgoing(body: Vec<u8>, is_head: bool, held: Reservation, ongoing: Ongoing) -> Outgoing {
    match is_head || body.is_empty() {
        true => Outgoing::Whole {
            bytes: None,
            _ongoing: Some(ongoing),
        },
        false => Outgoing::Whole {
            bytes: Some(Bytes::from_owner(Held {
                bytes: body,
                _memory: held,
                _ongoing: ongoing,
            })),
            _ongoing: None,
        },
    }
}

/// Makes the response of an address to which a request was passed on.
pub(super) fn passed(
    passed: Passed,
    method: &Method,
    mut held: Reservation,
    ongoing: Ongoing,
) -> Answer {
    // It is bounded, and here already: if memory is short, others wait for it.
    let _ = held.grow_at_once(passed.body.len());
    let mut headers = passed.headers;
    headers.insert(header::CONTENT_LENGTH, passed.body.len().into());
    let body = outgoing(passed.body, method == Method::HEAD, held, ongoing);
    answer(passed.code, headers, body)
}

/// Makes the response after which the connection speaks another protocol.
pub(super) fn switching(headers: HeaderMap) -> Answer {
    let body = Outgoing::Whole {
        bytes: None,
        _ongoing: None,
    };
    answer(101, headers, body)
}

/// Makes a response that goes on.
pub(super) fn pieces(flow: &dyn Flow, from: Receiver, ongoing: Ongoing) -> Answer {
    let body = Outgoing::Pieces {
        from,
        _ongoing: ongoing,
    };
    let mut headers = headers(flow.media());
    warn(&mut headers, flow.warnings());
    answer(200, headers, body)
}

/// Makes the response to what was no request, after which the connection is closed.
pub(super) fn refused(
    response: &Response,
    version: Version,
    held: Reservation,
    ongoing: Ongoing,
) -> Answer {
    // Nobody is known to have asked, so the refusal is written as for the administrator.
    let request = Request::get("", administrator());
    let mut answer = whole(response, &request, held, ongoing);
    // In HTTP/2, a connection carries other requests too.
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

/// The headers that the API server sends with everything; `nosniff` keeps a browser from running a
/// log as a page.
fn headers(media: &'static str) -> HeaderMap {
    let fixed: [(HeaderName, &'static str); 3] = [
        (header::CACHE_CONTROL, "no-cache, private"),
        (header::CONTENT_TYPE, media),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let fixed = fixed.map(|(name, value)| (name, HeaderValue::from_static(value)));
    fixed.into_iter().collect()
}

/// The most characters of all warnings of a response; above it, each one is cut.
const MOST_WARNED: usize = 4 * 1024;

/// The most characters of a warning if all of them are too long.
const MOST_OF_ONE: usize = 256;

/// Adds the warnings, within the limits of the API server: proxies refuse responses with long heads.
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
        // The one that crosses the limit is the last one, as on the real server.
        match left.checked_sub(length(&cut)) {
            Some(rest) if rest > 0 => left = rest,
            _ => return,
        }
    }
}

/// A text in quotation marks that cannot end the header that it stands in.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // A line break in a warning would begin a header of its own.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// After how many seconds it is worth asking again.
fn retry_after(response: &Response) -> Option<u64> {
    let Body::Object(object) = &response.body else {
        return None;
    };
    // client-go waits this long and tries again by itself.
    let said = object["details"]["retryAfterSeconds"].as_u64();
    let hurried = response.code == 429;
    (object["kind"] == "Status").then_some(())?;
    said.or(hurried.then_some(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_cannot_break_out_of_its_header() {
        assert_eq!(quoted("a \"b\"\r\nc: d\\"), "\"a \\\"b\\\"  c: d\\\\\"");
    }

    #[test]
    fn long_warnings_are_cut_and_never_fill_the_head() {
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
