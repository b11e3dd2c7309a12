//! Output: whole responses, chunked responses, and rejections of malformed requests.

use std::io::{self, Write};

use crate::api::status::Status;
use crate::budget::{Full, Reservation};
use crate::{Body, Request, Response};

/// Responses up to this many bytes are given whatever the budget.
const SMALL: usize = 16 * 1024;

/// Why a request is not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status code; 0 where nothing is said.
    pub(super) code: u16,
    why: String,
}

impl Refusal {
    /// The connection is closed with a response.
    pub(super) fn closing(code: u16, why: &str) -> Self {
        Self {
            code,
            why: why.to_owned(),
        }
    }

    /// The connection is closed without a word: there is nobody to hear it.
    pub(super) fn silent() -> Self {
        Self::closing(0, "")
    }

    /// The memory for requests is spent: it is worth trying again.
    pub(super) fn no_memory() -> Self {
        Self::closing(
            429,
            "the server's memory for requests is exhausted, try again later",
        )
    }

    /// Returns the response, if there is one.
    pub(super) fn response(&self) -> Option<Response> {
        let reason = match self.code {
            0 => return None,
            403 => "Forbidden",
            413 => "RequestEntityTooLarge",
            415 => "UnsupportedMediaType",
            429 => "TooManyRequests",
            503 => "ServiceUnavailable",
            _ => "BadRequest",
        };
        let status = Status {
            code: self.code,
            reason,
            ..Status::bad_request(self.why.as_str())
        };
        Some(status.into())
    }
}

/// Writes a whole response, in memory that `held` reserves; only its head if the request is a `HEAD`.
pub(super) fn write_whole(
    out: &mut impl Write,
    response: &Response,
    request: &Request<'_>,
    keeps_open: bool,
    held: &mut Reservation,
) -> io::Result<()> {
    let (media, body) = response.encode(request);
    // A refusal is small, and what else could be said?
    let refused = match held.grow(body.len()) {
        Err(Full) if body.len() > SMALL => Refusal::no_memory().response(),
        _ => None,
    };
    if let Some(refusal) = refused {
        // Dropped first: the refusal is written when memory is short.
        drop(body);
        return write_whole(out, &refusal, request, keeps_open, held);
    }
    // Head and body in one write: with two, a small response would be two packets.
    let mut head = begin(response.code, media, keeps_open);
    head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    for warning in &response.warnings {
        head.push_str(&format!("Warning: 299 - {}\r\n", quoted(warning)));
    }
    if let Some(seconds) = retry_after(response) {
        head.push_str(&format!("Retry-After: {seconds}\r\n"));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    // The length is the one of the body that a GET would get.
    if request.method != "HEAD" {
        bytes.extend_from_slice(&body);
    }
    out.write_all(&bytes)?;
    out.flush()
}

/// Begins a response in chunks.
pub(super) fn begin_chunks(out: &mut impl Write, media: &str) -> io::Result<()> {
    // Never kept open: the end of a watch is the end of its connection.
    let head = begin(200, media, false);
    write!(out, "{head}Transfer-Encoding: chunked\r\n\r\n")?;
    out.flush()
}

/// Writes a chunk; an empty one is left out, as it would be the end.
pub(super) fn chunk(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        // A chunk without bytes is the end marker of the protocol.
        return Ok(());
    }
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    out.write_all(&framed)?;
    out.flush()
}

/// Ends a response in chunks.
pub(super) fn end_chunks(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"0\r\n\r\n")?;
    out.flush()
}

fn begin(code: u16, media: &str, keeps_open: bool) -> String {
    let close = if keeps_open {
        ""
    } else {
        "Connection: close\r\n"
    };
    format!(
        // Headers that the API server sends as well; `nosniff` keeps a browser from running a log
        // as a page.
        "HTTP/1.1 {code} {}\r\nCache-Control: no-cache, private\r\nContent-Type: {media}\r\n\
         X-Content-Type-Options: nosniff\r\n{close}",
        reason(code)
    )
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        409 => "Conflict",
        410 => "Gone",
        413 => "Request Entity Too Large",
        414 => "Request URI Too Long",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "Answer",
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
    fn chunks_have_their_length_before_them() {
        let mut out = Vec::new();
        for bytes in [&b"abc"[..], b"", b"0123456789abcdef"] {
            chunk(&mut out, bytes).unwrap();
        }
        end_chunks(&mut out).unwrap();
        assert_eq!(out, b"3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n");
    }
}
