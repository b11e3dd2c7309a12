//! The body of a request: whole, or in chunks, and never more than so much.

use std::io::{self, Read};

use super::head::Length;
use super::input::Input;
use super::reply::Refusal;
use crate::MAX_BODY;
use crate::budget::{Full, Reservation};

/// The longest line that says how long a chunk is, and the longest line behind the last one.
const MAX_LINE: usize = 1024;

/// The most lines behind the last chunk.
const MAX_TRAILERS: usize = 16;

/// Reads a body into memory that `held` reserves.
pub(super) fn read(
    input: &mut Input<impl Read>,
    length: Length,
    held: &mut Reservation,
) -> Result<Vec<u8>, Refusal> {
    let mut body = Vec::new();
    match length {
        Length::Bytes(bytes) => {
            // The declared length is checked before any byte is read: a client must not be able to
            // send gigabytes first.
            check(bytes)?;
            take(input, bytes, &mut body, held)?;
        }
        Length::Chunked => read_chunks(input, &mut body, held)?,
    }
    Ok(body)
}

fn take(
    input: &mut Input<impl Read>,
    bytes: usize,
    body: &mut Vec<u8>,
    held: &mut Reservation,
) -> Result<(), Refusal> {
    let grow = |more| {
        let grown = held.grow(more);
        // The budget's refusal travels as an I/O error through the reader and becomes 429 below.
        grown.map_err(|Full| io::ErrorKind::OutOfMemory.into())
    };
    input.take(bytes, body, grow).map_err(|e| match e.kind() {
        io::ErrorKind::OutOfMemory => Refusal::no_memory(),
        _ => Refusal::silent(),
    })
}

/// Refuses a body that is said to be too large before any of it is read.
pub(super) fn check(bytes: usize) -> Result<(), Refusal> {
    match bytes > MAX_BODY {
        true => Err(Refusal::closing(
            413,
            &format!("Request entity too large: limit is {MAX_BODY}"),
        )),
        false => Ok(()),
    }
}

fn read_chunks(
    input: &mut Input<impl Read>,
    body: &mut Vec<u8>,
    held: &mut Reservation,
) -> Result<(), Refusal> {
    let malformed = || {
        Refusal::closing(
            400,
            "the request cannot be read: a chunk without its length",
        )
    };
    let line = |input: &mut Input<_>| input.line(MAX_LINE).map_err(|_| malformed());
    loop {
        let said = line(input)?;
        let digits = said.split(|byte| *byte == b';').next().unwrap_or_default();
        let text = std::str::from_utf8(digits).unwrap_or_default().trim_end();
        // Digits alone: `from_str_radix` would take a sign, and two readers could disagree on where
        // the chunk ends.
        let hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let size = hex.then(|| usize::from_str_radix(text, 16).unwrap_or(usize::MAX));
        match size.ok_or_else(malformed)? {
            0 => break,
            // Checked with every chunk, because a chunked body has no length in advance.
            size => check(size.saturating_add(body.len()))
                .and_then(|()| take(input, size, body, held))?,
        }
        if !line(input)?.is_empty() {
            return Err(malformed());
        }
    }
    // Trailers are read and dropped, so that the next request begins at its first byte.
    for _ in 0..MAX_TRAILERS {
        if line(input)?.is_empty() {
            return Ok(());
        }
    }
    Err(malformed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    fn chunks(text: &str) -> Result<String, u16> {
        let mut held = Budget::new(16 << 20).reserve();
        let body = read(&mut Input::new(text.as_bytes()), Length::Chunked, &mut held);
        body.map(|body| String::from_utf8(body).unwrap())
            .map_err(|refusal| refusal.code)
    }

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(
            chunks("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"),
            Ok("abcde".to_owned())
        );
        assert_eq!(
            chunks("A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"),
            Ok("0123456789".to_owned())
        );
        for text in ["", "x\r\n", "-1\r\n", "3\r\nabcd\r\n", "\r\n", "0\r\n"] {
            assert_eq!(chunks(text), Err(400), "{text:?}");
        }
        assert_eq!(chunks("3\r\nab"), Err(0));
        assert_eq!(chunks("300001\r\n"), Err(413));
        assert_eq!(chunks("ffffffffffffffffffff\r\n"), Err(413));
    }

    #[test]
    fn an_endless_body_ends_at_the_limit() {
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        assert_eq!(chunks(&chunk.repeat(60)), Err(413));
        let whole = |bytes: usize, there: usize| {
            let there = vec![b'x'; there];
            let mut held = Budget::new(MAX_BODY).reserve();
            let body = read(&mut Input::new(&there[..]), Length::Bytes(bytes), &mut held);
            body.map(|body| body.len()).map_err(|refusal| refusal.code)
        };
        assert_eq!(whole(MAX_BODY, MAX_BODY + 5), Ok(MAX_BODY));
        assert_eq!(whole(MAX_BODY + 1, 0), Err(413));
        assert_eq!(whole(10, 9), Err(0));
    }

    #[test]
    fn memory_is_reserved_as_bytes_arrive_and_not_as_they_are_announced() {
        let budget = Budget::new(1 << 20);
        let sent = |bytes: usize, there: usize| {
            let (there, mut held) = (vec![b'x'; there], budget.reserve());
            let body = read(&mut Input::new(&there[..]), Length::Bytes(bytes), &mut held);
            body.map(|body| body.len()).map_err(|refusal| refusal.code)
        };
        assert_eq!(sent(MAX_BODY, 100), Err(0));
        assert!(budget.peak() < 64 << 10, "{}", budget.peak());
        assert_eq!(sent(1 << 19, 1 << 19), Ok(1 << 19));
        assert_eq!(sent(MAX_BODY, MAX_BODY), Err(429));
        assert!(budget.peak() <= 1 << 20);
    }
}
