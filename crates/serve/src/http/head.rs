//! The head of a request: its first line and its header fields.
//!
//! What two readers could understand differently is refused: lengths that contradict each other,
//! folded lines, names with blanks.

use super::input::{Input, NoLine};
use super::reply::Refusal;

/// The most bytes of a head.
const MAX_HEAD: usize = 64 * 1024;

/// The most header fields.
const MAX_FIELDS: usize = 128;

/// A request without its body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) method: String,
    /// Path and query as sent.
    pub(super) target: String,
    /// True if it is HTTP/1.1 and not 1.0.
    pub(super) is_new: bool,
    fields: Vec<(String, String)>,
}

/// How the end of a body is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Bytes(usize),
    Chunked,
}

impl Head {
    /// Reads a head; nothing where the other side is done.
    pub(super) fn read(input: &mut Input<impl std::io::Read>) -> Result<Option<Self>, Refusal> {
        let mut left = MAX_HEAD;
        let mut line = |first: bool| {
            let line = match input.line(left) {
                Ok(line) => line,
                Err(NoLine::End) if first => return Ok(None),
                Err(NoLine::TooLong) if first => {
                    return Err(Refusal::closing(414, "the request line is too long"));
                }
                Err(NoLine::TooLong) => {
                    return Err(Refusal::closing(431, "the header fields are too large"));
                }
                Err(NoLine::End | NoLine::Broken) => return Err(Refusal::silent()),
            };
            // One limit for the whole head, however many lines share it.
            left = left.saturating_sub(line.len() + 2);
            match String::from_utf8(line) {
                // Control characters and bare CR are how requests are smuggled past other readers.
                Ok(line) if !line.bytes().any(is_control) => Ok(Some(line)),
                _ => Err(malformed("invalid byte in a header")),
            }
        };
        let mut first = line(true)?;
        if first.as_deref() == Some("") {
            // An empty line before a request is left over from the one before.
            first = line(true)?;
        }
        let Some(first) = first else {
            return Ok(None);
        };
        let mut head = Self::of_line(&first)?;
        while let Some(text) = line(false)?.filter(|text| !text.is_empty()) {
            // A bound on the number too: a head of tiny fields would cost far more memory than its
            // bytes.
            if head.fields.len() == MAX_FIELDS {
                return Err(Refusal::closing(431, "too many header fields"));
            }
            let (name, value) = text
                .split_once(':')
                // A blank before the colon is forbidden by RFC 9112, because readers disagree on
                // what it names.
                .filter(|(name, _)| !name.is_empty() && name.bytes().all(is_token))
                .ok_or_else(|| malformed("a header field without a name"))?;
            let value = value.trim_matches([' ', '\t']).to_owned();
            head.fields.push((name.to_ascii_lowercase(), value));
        }
        Ok(Some(head))
    }

    fn of_line(line: &str) -> Result<Self, Refusal> {
        let mut words = line.split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        // Exactly three words: a fourth is where request splitting begins.
        let (Some(method), Some(target), Some(version), None) =
            (method, target, version, words.next())
        else {
            return Err(malformed("the first line is not a request line"));
        };
        let is_new = match version {
            "HTTP/1.1" => true,
            "HTTP/1.0" => false,
            // HTTP/2 starts with `PRI * HTTP/2.0`, which ends here too.
            _ => return Err(Refusal::closing(505, "only HTTP/1.1 is supported")),
        };
        if method.is_empty() || !method.bytes().all(is_token) || target.is_empty() {
            return Err(malformed("the first line is not a request line"));
        }
        Ok(Self {
            method: method.to_owned(),
            target: target.to_owned(),
            is_new,
            fields: Vec::new(),
        })
    }

    /// The first field of a name, in lower case.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        self.fields(name).next()
    }

    /// All fields of a name, in lower case.
    pub(super) fn fields<'h>(&'h self, name: &str) -> impl Iterator<Item = &'h str> {
        let own = self.fields.iter().filter(move |(own, _)| own == name);
        own.map(|(_, value)| value.as_str())
    }

    /// Returns true if a field that is a list of words has this word.
    pub(super) fn says(&self, name: &str, word: &str) -> bool {
        self.fields(name)
            .flat_map(|value| value.split(','))
            .any(|own| own.trim().eq_ignore_ascii_case(word))
    }

    /// Returns true if more requests may come over the connection.
    pub(super) fn keeps_open(&self) -> bool {
        // The defaults of the two versions are opposite.
        match self.is_new {
            true => !self.says("connection", "close"),
            false => self.says("connection", "keep-alive"),
        }
    }

    /// How long the body is.
    pub(super) fn length(&self) -> Result<Length, Refusal> {
        let coded: Vec<&str> = self.fields("transfer-encoding").collect();
        let mut lengths = self.fields("content-length");
        let length = lengths.next();
        match (coded.as_slice(), length) {
            ([], None) => Ok(Length::Bytes(0)),
            ([], Some(text)) => {
                let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                // Several equal lengths are allowed by RFC 9112, different ones are an attack.
                if !digits || lengths.any(|other| other != text) {
                    return Err(malformed("the content length is not a number"));
                }
                // A number that does not fit is surely too large.
                Ok(Length::Bytes(text.parse().unwrap_or(usize::MAX)))
            }
            // With both, readers disagree on the end of the body (RFC 9112, 6.3): refused below.
            ([coding], None) if coding.eq_ignore_ascii_case("chunked") && self.is_new => {
                Ok(Length::Chunked)
            }
            ([_], None) => Err(Refusal::closing(501, "unknown transfer coding")),
            _ => Err(malformed("conflicting content lengths")),
        }
    }
}

fn malformed(why: &str) -> Refusal {
    Refusal::closing(400, &format!("the request cannot be read: {why}"))
}

fn is_control(byte: u8) -> bool {
    byte < b' ' && byte != b'\t' || byte == 0x7f
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Head, u16> {
        let mut input = Input::new(text.as_bytes());
        match Head::read(&mut input) {
            Ok(head) => Ok(head.unwrap()),
            Err(refusal) => Err(refusal.code),
        }
    }

    fn length(fields: &str) -> Result<Length, u16> {
        let head = read(&format!("POST / HTTP/1.1\r\n{fields}\r\n")).unwrap();
        head.length().map_err(|refusal| refusal.code)
    }

    #[test]
    fn a_head_is_a_line_and_fields() {
        let head = read("\r\nGET /a?b=c HTTP/1.1\r\nHost: x\r\nACCEPT:  a , b\t\r\n\r\n").unwrap();
        assert_eq!(
            (head.method.as_str(), head.target.as_str()),
            ("GET", "/a?b=c")
        );
        assert_eq!(head.field("accept"), Some("a , b"));
        assert!(head.keeps_open() && head.says("accept", "B"));
        let bare = read("GET / HTTP/1.0\nConnection: close\n\n").unwrap();
        assert!(!bare.keeps_open() && !bare.is_new);
        assert!(
            !read("GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n")
                .unwrap()
                .keeps_open()
        );
        assert!(Head::read(&mut Input::new(&b""[..])).unwrap().is_none());
    }

    #[test]
    fn what_is_no_head_is_refused() {
        let long = "x".repeat(MAX_HEAD);
        let many = "a: b\r\n".repeat(MAX_FIELDS + 1);
        for (text, code) in [
            ("GET /\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1 x\r\n\r\n", 400),
            ("G(T / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 505),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na : b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\0c\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\na: b\rc\r\n\r\n", 400),
            (&format!("GET /{long} HTTP/1.1\r\n\r\n"), 414),
            (&format!("GET / HTTP/1.1\r\na: {long}\r\n\r\n"), 431),
            (&format!("GET / HTTP/1.1\r\n{many}\r\n"), 431),
            ("GET / HTTP/1.1\r\nHost: x", 0),
        ] {
            assert_eq!(
                read(text).unwrap_err(),
                code,
                "{}",
                &text[..text.len().min(60)]
            );
        }
    }

    #[test]
    fn a_length_is_said_in_one_way() {
        assert_eq!(length(""), Ok(Length::Bytes(0)));
        assert_eq!(length("Content-Length: 12\r\n"), Ok(Length::Bytes(12)));
        assert_eq!(
            length("Content-Length: 12\r\nContent-Length: 12\r\n"),
            Ok(Length::Bytes(12))
        );
        assert_eq!(
            length("Transfer-Encoding: Chunked\r\n"),
            Ok(Length::Chunked)
        );
        assert_eq!(
            length("Content-Length: 99999999999999999999999\r\n"),
            Ok(Length::Bytes(usize::MAX))
        );
        for (fields, code) in [
            ("Content-Length: 12\r\nContent-Length: 13\r\n", 400),
            ("Content-Length: +1\r\n", 400),
            ("Content-Length:\r\n", 400),
            ("Content-Length: 1, 1\r\n", 400),
            ("Content-Length: 12\r\nTransfer-Encoding: chunked\r\n", 400),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                400,
            ),
            ("Transfer-Encoding: gzip, chunked\r\n", 501),
        ] {
            assert_eq!(length(fields), Err(code), "{fields}");
        }
    }
}
