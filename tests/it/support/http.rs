//! Runs `ctl serve` as a separate process, with a client that connects over loopback.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use super::race::signal;
use super::{CommandOutput, World, collect};
use ctl::api::json::Value;

/// A server that stops when the value is dropped.
pub struct Server {
    child: Option<Child>,
    pub address: String,
}

/// A response of the server.
#[derive(Clone, Debug)]
pub struct Answer {
    pub code: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Returns the object of a response that must be a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert!((200..300).contains(&self.code), "{self:?}");
        self.json()
    }

    /// Returns the `Status` of a response that must have this code.
    #[track_caller]
    pub fn refused(&self, code: u16) -> Value {
        assert_eq!(self.code, code, "{self:?}");
        self.json()
    }
}

impl Server {
    /// Starts `ctl serve` on a free port, without TLS.
    pub fn start(world: &World, args: &[&str]) -> Self {
        let plain = ["serve", "--plain-http", "--listen", "127.0.0.1:0"];
        Self::run(world, &[&plain, args].concat())
    }

    /// Starts a command whose first line ends with its address.
    pub fn run(world: &World, args: &[&str]) -> Self {
        let (child, first) = Self::begin(world, args);
        let address = first.trim().rsplit(['/', ' ']).next().unwrap().to_owned();
        let known = address.starts_with("127.0.0.1:") || address.ends_with(".sock");
        assert!(known, "{first}");
        Self {
            child: Some(child),
            address,
        }
    }

    /// Starts a command whose first line is a link to its page. Also returns the link.
    pub fn linked(world: &World, args: &[&str]) -> (Self, String) {
        let (child, first) = Self::begin(world, args);
        let link = first.trim().to_owned();
        let address = link
            .strip_prefix("http://")
            .and_then(|l| l.split('/').next());
        let server = Self {
            child: Some(child),
            address: address.unwrap_or_else(|| panic!("{link}")).to_owned(),
        };
        (server, link)
    }

    fn begin(world: &World, args: &[&str]) -> (Child, String) {
        let mut command = world.command();
        command.args(args);
        let piped = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.as_mut().unwrap());
        out.read_line(&mut first).unwrap();
        (child, first)
    }

    pub fn client(&self) -> Client {
        Client::new(&self.address)
    }

    pub fn process(&self) -> &Child {
        self.child.as_ref().unwrap()
    }

    /// Stops the server with a signal, and waits for it to end.
    pub fn stop(mut self) -> CommandOutput {
        let child = self.child.take().unwrap();
        signal(&child, Signal::TERM);
        collect(child)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// A connection that is kept open between requests.
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn new(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends a request with extra header fields, each with its line end.
    pub fn send(&mut self, method: &str, path: &str, fields: &str, body: &str) {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: tests/1\r\n{fields}\
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

    pub fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, "", "")
    }

    pub fn post(&mut self, path: &str, object: &Value) -> Answer {
        self.ask(
            "POST",
            path,
            "Content-Type: application/json\r\n",
            &object.to_string(),
        )
    }

    pub fn patch(&mut self, path: &str, kind: &str, patch: &Value) -> Answer {
        let media = format!("Content-Type: application/{kind}-patch+json\r\n");
        self.ask("PATCH", path, &media, &patch.to_string())
    }

    /// Reads the head of a response.
    fn head(&mut self) -> (u16, String) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "{head:?}");
        }
        let code = head[9..12].parse().unwrap();
        (code, head)
    }

    pub fn answer(&mut self) -> Answer {
        let (code, head) = self.head();
        let length = head
            .lines()
            .find_map(|l| l.strip_prefix("Content-Length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        self.stream.read_exact(&mut body).unwrap();
        let body = String::from_utf8(body).unwrap();
        Answer { code, head, body }
    }

    /// Begins a watch.
    pub fn watch(address: &str, path: &str) -> Watch {
        let mut client = Self::new(address);
        client.send("GET", path, "", "");
        let (code, head) = client.head();
        assert!(code == 200 && head.contains("chunked"), "{head}");
        Watch {
            client,
            text: String::new(),
            over: false,
        }
    }
}

/// The events of a watch in order, until it ends.
pub struct Watch {
    client: Client,
    text: String,
    over: bool,
}

impl Watch {
    /// Reads until a text has arrived. Returns everything up to the end of its chunk.
    pub fn until(&mut self, wanted: &str) -> String {
        while !self.text.contains(wanted) {
            assert!(!self.over, "{wanted:?} did not come: {}", self.text);
            self.chunk();
        }
        std::mem::take(&mut self.text)
    }

    fn chunk(&mut self) {
        let mut size = String::new();
        self.client.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; size + 2];
        self.client.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        self.over = size == 0;
        self.text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

impl Iterator for Watch {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        while !self.text.contains('\n') && !self.over {
            self.chunk();
        }
        let (line, rest) = self.text.split_once('\n')?;
        let event = serde_json::from_str(line).unwrap();
        self.text = rest.to_owned();
        Some(event)
    }
}

/// Returns an event as `+name`, `~name`, `-name` or `|`.
pub fn told(event: &Value) -> String {
    let sign = match event["type"].as_str().unwrap() {
        "ADDED" => "+",
        "MODIFIED" => "~",
        "DELETED" => "-",
        "BOOKMARK" => return "|".to_owned(),
        other => panic!("{other}: {event}"),
    };
    format!(
        "{sign}{}",
        event["object"]["metadata"]["name"].as_str().unwrap()
    )
}
