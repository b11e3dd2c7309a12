//! A small client for HTTP/1.1: connections that are kept open, bodies in chunks, and watches.
//!
//! Must not know: the kinds of the API.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// The limit on any read. A test never waits for a time, only for a condition.
const PATIENCE: Duration = Duration::from_secs(120);

/// A response of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    pub code: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Returns the object of a response that must be a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert!((200..300).contains(&self.code), "{self:?}");
        self.json()
    }

    /// Returns the message of a `Status` that must have this code.
    #[track_caller]
    pub fn refused(&self, code: u16) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.json()["message"].as_str().unwrap().to_owned()
    }

    /// Checks that a request was refused with this code and a message that contains a text.
    #[track_caller]
    pub fn says(&self, code: u16, text: &str) {
        let message = self.refused(code);
        assert!(message.contains(text), "{text:?} is missing: {message}");
    }
}

/// A connection that is kept open between requests.
pub struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends a request with extra header fields, each with its line end.
    pub fn send(&mut self, method: &str, path: &str, fields: &str, body: &str) {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: conformance/1\r\n{fields}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        // A client that is rejected early finds the connection closed.
        drop(self.stream.get_mut().write_all(text.as_bytes()));
    }

    pub fn ask(&mut self, method: &str, path: &str, fields: &str, body: &str) -> Answer {
        self.send(method, path, fields, body);
        self.answer()
    }

    fn head(&mut self) -> (u16, String) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "{head:?}");
        }
        (head[9..12].parse().unwrap(), head)
    }

    fn answer(&mut self) -> Answer {
        let (code, head) = self.head();
        let lower = head.to_ascii_lowercase();
        let mut body = Vec::new();
        if lower.contains("transfer-encoding: chunked") {
            while let Some(chunk) = self.chunk() {
                body.extend(chunk);
            }
        } else {
            let length = lower
                .lines()
                .find_map(|l| l.strip_prefix("content-length: "));
            body.resize(length.unwrap().trim().parse().unwrap(), 0);
            self.stream.read_exact(&mut body).unwrap();
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer { code, head, body }
    }

    /// Returns the next chunk of a body, or `None` after the last one.
    fn chunk(&mut self) -> Option<Vec<u8>> {
        let mut size = String::new();
        self.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        (size > 0).then_some(chunk)
    }
}

/// The events of a watch in order, until it ends.
pub struct Watch {
    connection: Connection,
    text: String,
    over: bool,
}

impl Watch {
    #[track_caller]
    pub fn open(address: &str, path: &str, fields: &str) -> Self {
        let mut connection = Connection::open(address);
        connection.send("GET", path, fields, "");
        let (code, head) = connection.head();
        assert_eq!(code, 200, "{path}: {head}");
        Self {
            connection,
            text: String::new(),
            over: false,
        }
    }

    /// Returns the next event, which must have this type, and its object.
    #[track_caller]
    pub fn expect(&mut self, kind: &str) -> Value {
        let event = self
            .next()
            .unwrap_or_else(|| panic!("no {kind}: the watch ended"));
        assert_eq!(event["type"], kind, "{event}");
        event["object"].clone()
    }

    /// Returns the object of the first event of a type for which a condition holds. Skips other events.
    #[track_caller]
    pub fn find(&mut self, kind: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let found = self.find_map(|event| {
            (event["type"] == kind && holds(&event["object"])).then(|| event["object"].clone())
        });
        found.unwrap_or_else(|| panic!("no such {kind}: the watch ended"))
    }
}

impl Iterator for Watch {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        while !self.text.contains('\n') && !self.over {
            match self.connection.chunk() {
                Some(chunk) => self.text.push_str(std::str::from_utf8(&chunk).unwrap()),
                None => self.over = true,
            }
        }
        let (line, rest) = self.text.split_once('\n')?;
        let event = serde_json::from_str(line).unwrap();
        self.text = rest.to_owned();
        Some(event)
    }
}

/// Opens a WebSocket with a protocol, and returns the payloads of all messages until the server closes it.
#[track_caller]
pub fn messages(address: &str, path: &str, protocol: &str) -> Vec<Vec<u8>> {
    let mut connection = Connection::open(address);
    let fields = format!(
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: {protocol}\r\n"
    );
    connection.send("GET", path, &fields, "");
    let (code, head) = connection.head();
    assert_eq!(code, 101, "{head}");
    let mut messages: Vec<Vec<u8>> = Vec::new();
    while let Some((kind, payload)) = connection.frame() {
        match kind {
            0 => messages
                .last_mut()
                .unwrap_or_else(|| panic!("no first part"))
                .extend(payload),
            1 | 2 => messages.push(payload),
            8 => break,
            _ => {}
        }
    }
    messages
}

impl Connection {
    /// Returns the kind and the payload of a frame, or `None` after the last one. Frames of servers have no mask.
    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head).ok()?;
        let mut length = u64::from(head[1] & 0x7f);
        let more = match length {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        if more > 0 {
            let mut bytes = [0; 8];
            self.stream.read_exact(&mut bytes[8 - more..]).unwrap();
            length = u64::from_be_bytes(bytes);
        }
        let mut payload = vec![0; usize::try_from(length).unwrap()];
        self.stream.read_exact(&mut payload).unwrap();
        Some((head[0] & 0x0f, payload))
    }
}
