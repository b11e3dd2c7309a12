//! Tests containers over HTTP: commands, ports and followed logs. The client implements WebSocket and SPDY itself.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::support::World;
use crate::support::http::{Client, Server};
use ctl::api::json::json;

const EXEC: &str = "/api/v1/namespaces/default/pods/web/exec?stdin=1&stdout=1&stderr=1";
const V5: &str = "Sec-WebSocket-Protocol: v5.channel.k8s.io";

/// A connection that has been upgraded to another protocol, and the head of the response.
struct Upgraded {
    stream: TcpStream,
    head: String,
}

impl Upgraded {
    fn ask(server: &Server, path: &str, fields: &[&str]) -> Self {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let fields = fields.join("\r\n");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n{fields}\r\n\r\n"
        )
        .unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        Self { stream, head }
    }

    fn socket(server: &Server, path: &str, protocol: &str) -> Self {
        let fields = [
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            // Python's client sends this header.
            "Origin: http://localhost",
            protocol,
        ];
        let socket = Self::ask(server, path, &fields);
        assert!(socket.head.starts_with("HTTP/1.1 101 "), "{}", socket.head);
        socket
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Sends a message of at most 125 bytes.
    fn send(&mut self, channel: u8, payload: &[u8]) {
        let length = u8::try_from(payload.len() + 1).unwrap();
        // A mask of zeros leaves the payload unchanged.
        let frame = [&[0x82, 0x80 | length, 0, 0, 0, 0, channel], payload].concat();
        self.stream.write_all(&frame).unwrap();
    }

    /// Returns the channel and payload of the next message, or `None` if the connection is closed.
    fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let [first, second] = self.bytes();
        let length = match second {
            126 => usize::from(u16::from_be_bytes(self.bytes())),
            short => usize::from(short),
        };
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload).unwrap();
        if first == 0x88 {
            assert_eq!(payload, 1000_u16.to_be_bytes());
            return None;
        }
        assert_eq!(first, 0x82);
        Some((payload.remove(0), payload))
    }

    /// Reads until the output of a channel ends with the text.
    fn until(&mut self, channel: u8, text: &str) -> String {
        let mut said = String::new();
        while !said.ends_with(text) {
            let (own, payload) = self.next().unwrap_or_else(|| panic!("closed: {said:?}"));
            assert_eq!(own, channel, "{said:?} {payload:?}");
            said += std::str::from_utf8(&payload).unwrap();
        }
        said
    }

    /// Reads to the end. Returns the output of each channel.
    fn rest(&mut self) -> [String; 4] {
        let mut said = <[String; 4]>::default();
        while let Some((channel, payload)) = self.next() {
            said[usize::from(channel)] += std::str::from_utf8(&payload).unwrap();
        }
        said
    }
}

/// Starts a server and a running Pod.
fn served(flags: &[&str]) -> (World, Server) {
    let world = World::fresh();
    let run = ["run", "web", "--image=nginx"];
    world.run(&[&run, flags].concat()).ok();
    world.run(&["settle"]).ok();
    let server = Server::start(&world, &[]);
    (world, server)
}

fn command(words: &[&str]) -> String {
    let escaped = |word: &&str| {
        word.replace('&', "%26")
            .replace('>', "%3E")
            .replace(' ', "+")
    };
    let words = words
        .iter()
        .map(|word| format!("&command={}", escaped(word)));
    EXEC.to_owned() + &words.collect::<String>()
}

#[test]
fn exec_transmits_stdin_stdout_stderr_and_exit_code() {
    let (_world, server) = served(&[]);
    let script = "cat > /tmp/in; echo out; echo err >&2; exit 3";
    let mut socket = Upgraded::socket(&server, &command(&["sh", "-c", script]), V5);
    assert_eq!(socket.next(), Some((1, Vec::new())), "it is there");
    socket.send(0, b"from ");
    socket.send(0, b"outside");
    socket.send(255, &[0]);
    let [_, out, err, status] = socket.rest();
    assert_eq!((out.as_str(), err.as_str()), ("out\n", "err\n"));
    assert!(status.contains(r#""reason":"NonZeroExitCode""#), "{status}");
    assert!(
        status.contains(r#"{"message":"3","reason":"ExitCode"}"#),
        "{status}"
    );
    // The next command finds the file, even through a client with an older protocol version.
    let v4 = "Sec-WebSocket-Protocol: base64.channel.k8s.io, v4.channel.k8s.io";
    let mut socket = Upgraded::socket(&server, &command(&["cat", "/tmp/in"]), v4);
    let [_, out, err, status] = socket.rest();
    assert_eq!((out.as_str(), err.as_str()), ("from outside", ""));
    assert_eq!(status, r#"{"metadata":{},"status":"Success"}"#);
    let mut socket = Upgraded::socket(&server, &command(&["nginx"]), V5);
    let [_, out, _, status] = socket.rest();
    assert!(
        out.is_empty() && status.contains("executable file not found in $PATH"),
        "{status}"
    );
}

#[test]
fn exec_with_tty_echoes_interrupts_and_has_a_size() {
    let (_world, server) = served(&[]);
    let mut socket = Upgraded::socket(&server, &(command(&["sh"]) + "&tty=1"), V5);
    socket.send(4, br#"{"Width":120,"Height":40}"#);
    socket.until(1, "/ # ");
    socket.send(0, b"stty size\r");
    assert_eq!(socket.until(1, "/ # "), "stty size\r\n40 120\r\n/ # ");
    socket.send(0, b"sleep infinity\r");
    socket.until(1, "sleep infinity\r\n");
    socket.send(0, b"\x03");
    assert_eq!(socket.until(1, "/ # "), "^C\r\n/ # ");
    // Ctrl-C also interrupts a command that reads, and discards an unfinished line.
    socket.send(0, b"cat\rx\r");
    socket.until(1, "x\r\nx\r\n");
    socket.send(0, b"\x03");
    assert_eq!(socket.until(1, "/ # "), "^C\r\n/ # ");
    socket.send(0, b"rubbish\x03");
    assert_eq!(socket.until(1, "/ # "), "rubbish^C\r\n/ # ");
    socket.send(0, b"exit 7\r");
    let [_, out, _, status] = socket.rest();
    assert_eq!(out, "exit 7\r\n");
    assert!(
        status.contains(r#"{"message":"7","reason":"ExitCode"}"#),
        "{status}"
    );
}

#[test]
fn a_command_ends_with_its_client_and_with_the_server() {
    let (world, server) = served(&[]);
    let sleeps = command(&["sh", "-c", "sleep infinity; echo x > /tmp/late"]);
    let mut gone = Upgraded::socket(&server, &sleeps, V5);
    gone.next().unwrap();
    drop(gone);
    let mut stays = Upgraded::socket(&server, &sleeps, V5);
    stays.next().unwrap();
    let said = server.stop();
    assert_eq!(said.code, 0, "{said:?}");
    let files = "jsonpath={.metadata.annotations}";
    let kept = world.run(&["get", "pod", "web", "-o", files]).ok();
    assert!(!kept.contains("late"), "{kept}");
}

#[test]
fn exec_without_upgrade_or_supported_protocol_is_rejected() {
    let (_world, server) = served(&[]);
    let path = command(&["true"]);
    let plain = server.client().get(&path).refused(400);
    assert_eq!(plain["message"], "Upgrade request required");
    let posted = server.client().post(&path, &json!({}));
    assert_eq!(posted.refused(400)["message"], "Upgrade request required");
    let nothing = server
        .client()
        .get("/api/v1/namespaces/default/pods/web/exec?command=x");
    let why = "you must specify at least 1 of stdin, stdout, stderr";
    assert_eq!(nothing.refused(400)["message"], why);
    let missing = server.client().get(&path.replace("/web/", "/none/"));
    missing.refused(404);
    let spdy = [
        "Upgrade: SPDY/3.1",
        "X-Stream-Protocol-Version: v9.channel.k8s.io",
    ];
    let other = Upgraded::ask(&server, &path, &spdy);
    assert!(other.head.starts_with("HTTP/1.1 403 "), "{}", other.head);
}

/// Listens on a local port and echoes its input in upper case until the peer closes the connection.
fn loud() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut piece = [0; 100];
            while let Ok(length @ 1..) = stream.read(&mut piece) {
                let answer = piece[..length].to_ascii_uppercase();
                stream.write_all(&answer).unwrap();
            }
        }
    });
    port
}

#[test]
fn port_forward_connects_to_the_annotated_address() {
    let forward = format!("--annotations=ctl.dev/forward.80=127.0.0.1:{}", loud());
    let (_world, server) = served(&[&forward]);
    let path = "/api/v1/namespaces/default/pods/web/portforward?ports=80,81";
    let v4 = "Sec-WebSocket-Protocol: v4.channel.k8s.io";
    let mut socket = Upgraded::socket(&server, path, v4);
    socket.send(0, b"hello");
    let mut said = <[Vec<u8>; 4]>::default();
    let is_complete = |said: &[Vec<u8>; 4]| {
        let has_ports = said.iter().all(|own| own.len() >= 2);
        has_ports && said[0].ends_with(b"HELLO") && said[3].ends_with(b"HOST:PORT of this machine)")
    };
    while !is_complete(&said) {
        let (channel, payload) = socket.next().unwrap();
        said[usize::from(channel)].extend(payload);
    }
    // The first message of each channel contains its port.
    for (said, port) in said.iter().zip([80_u16, 80, 81, 81]) {
        assert_eq!(said[..2], port.to_le_bytes());
    }
    let error = String::from_utf8_lossy(&said[3][2..]).into_owned();
    assert!(
        error.starts_with("error forwarding port 81 to pod web_default, uid "),
        "{error}"
    );
}

/// Returns a control frame of SPDY.
fn control(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).unwrap();
    [&[0x80, 3, 0, kind, 0, 0, 0, length], body].concat()
}

/// Returns the frame that opens a stream; its headers are stored without compression.
fn opened(stream: u8, is_first: bool, headers: &[(&str, &str)]) -> Vec<u8> {
    let number = |number: usize| u32::try_from(number).unwrap().to_be_bytes();
    let mut block = number(headers.len()).to_vec();
    for word in headers.iter().flat_map(|(name, value)| [name, value]) {
        block.extend(number(word.len()));
        block.extend(word.bytes());
    }
    let length = u16::try_from(block.len()).unwrap();
    let mut body = vec![0, 0, 0, stream, 0, 0, 0, 0, 0, 0];
    body.extend(if is_first { &[0x78, 0x01][..] } else { &[] });
    body.push(0);
    body.extend(length.to_le_bytes());
    body.extend((!length).to_le_bytes());
    body.extend(block);
    control(1, &body)
}

#[test]
fn spdy_carries_commands_and_ports_of_older_clients() {
    let forward = format!("--annotations=ctl.dev/forward=127.0.0.1:{}", loud());
    let (_world, server) = served(&[&forward]);
    let fields = [
        "Upgrade: SPDY/3.1",
        "X-Stream-Protocol-Version: v4.channel.k8s.io",
    ];
    let path = command(&["cat"]).replace("&stderr=1", "");
    let mut spdy = Upgraded::ask(&server, &path, &fields);
    assert!(spdy.head.starts_with("HTTP/1.1 101 "), "{}", spdy.head);
    for (stream, kind) in [(1, "error"), (3, "stdin"), (5, "stdout")] {
        let frame = opened(stream, stream == 1, &[("streamtype", kind)]);
        spdy.stream.write_all(&frame).unwrap();
    }
    // This is the last data frame of the stream.
    spdy.stream
        .write_all(b"\x00\x00\x00\x03\x01\x00\x00\x02hi")
        .unwrap();
    let mut all = Vec::new();
    spdy.stream.read_to_end(&mut all).unwrap();
    let has = |wanted: &[u8]| all.windows(wanted.len()).any(|own| own == wanted);
    assert!(has(b"\x00\x00\x00\x05\x00\x00\x00\x02hi"), "{all:?}");
    assert!(has(br#""status":"Success"}"#), "{all:?}");
    let fields = [
        "Upgrade: SPDY/3.1",
        "X-Stream-Protocol-Version: portforward.k8s.io",
    ];
    let path = "/api/v1/namespaces/default/pods/web/portforward";
    let mut spdy = Upgraded::ask(&server, path, &fields);
    for (stream, kind) in [(1, "error"), (3, "data")] {
        let headers = [("streamtype", kind), ("port", "80"), ("requestid", "0")];
        let frame = opened(stream, stream == 1, &headers);
        spdy.stream.write_all(&frame).unwrap();
    }
    spdy.stream
        .write_all(b"\x00\x00\x00\x03\x01\x00\x00\x02hi")
        .unwrap();
    let mut all = Vec::new();
    // Both streams end when the connection to the address ends.
    while !all.ends_with(b"\x00\x00\x00\x01\x01\x00\x00\x00") {
        all.extend(spdy.bytes::<1>());
    }
    let wanted = b"\x00\x00\x00\x03\x00\x00\x00\x02HI";
    assert!(
        all.windows(wanted.len()).any(|own| own == wanted),
        "{all:?}"
    );
}

#[test]
fn a_log_is_followed_until_its_container_ends() {
    let (world, server) = served(&["--annotations=ctl.dev/logs=one"]);
    let path = "/api/v1/namespaces/default/pods/web/log?follow=true";
    let mut follows = Client::watch(&server.address, path);
    // The first line arrives before the second is written.
    follows.until("one\n");
    let more = [
        "annotate",
        "--overwrite",
        "pod",
        "web",
        "ctl.dev/logs=one\ntwo",
    ];
    world.run(&more).ok();
    assert_eq!(follows.until("two\n"), "two\n");
    let delete = ["delete", "pod", "web", "--grace-period=0", "--force"];
    let gone = world.run(&delete);
    assert_eq!(gone.code, 0, "{gone:?}");
    assert!(follows.next().is_none());
}

/// Listens on a local port, and returns the first line of each request with the code 201.
fn mirror() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = String::new();
            while !head.contains("\r\n\r\n") {
                let mut piece = [0; 1000];
                let length = stream.read(&mut piece).unwrap();
                head += std::str::from_utf8(&piece[..length]).unwrap();
            }
            let (first, fields) = head.split_once("\r\n").unwrap();
            assert!(
                !fields.to_lowercase().contains("authorization:"),
                "{fields}"
            );
            let length = first.len();
            write!(
                stream,
                "HTTP/1.1 201 Created\r\nX-Own: y\r\nContent-Length: {length}\r\n\r\n{first}"
            )
            .unwrap();
        }
    });
    port
}

#[test]
fn requests_are_passed_on_to_pods_and_services() {
    let forward = format!("--annotations=ctl.dev/forward=127.0.0.1:{}", mirror());
    let (world, server) = served(&[&forward, "--port=8080", "--expose", "--labels=app=web"]);
    world.run(&["run", "bare", "--image=nginx"]).ok();
    world.run(&["settle"]).ok();
    let mut client = server.client();
    for (path, expected) in [
        ("pods/web/proxy/a%2Fb/?c=d", "GET /a%2Fb/?c=d HTTP/1.1"),
        ("pods/web:81/proxy", "GET / HTTP/1.1"),
        ("services/web/proxy/x", "GET /x HTTP/1.1"),
        ("services/http:web:8080/proxy/", "GET / HTTP/1.1"),
    ] {
        let fields = "Authorization: Basic eA==\r\nAccept: text/html\r\n";
        let path = format!("/api/v1/namespaces/default/{path}");
        let said = client.ask("GET", &path, fields, "");
        assert_eq!((said.code, said.body.as_str()), (201, expected), "{path}");
        assert!(said.head.contains("X-Own: y"), "{}", said.head);
    }
    for (path, code, message) in [
        ("pods/bare/proxy/", 503, "connect: connection refused"),
        (
            "services/web:81/proxy/",
            503,
            "no service port \"81\" found for service \"web\"",
        ),
        ("services/none/proxy/", 404, "services \"none\" not found"),
        (
            "pods/ftp:web:80/proxy/",
            400,
            "invalid pod request \"ftp:web:80\"",
        ),
    ] {
        let said = client.get(&format!("/api/v1/namespaces/default/{path}"));
        let refused = said.refused(code);
        let text = refused["message"].as_str().unwrap();
        assert!(text.ends_with(message), "{path}: {text}");
    }
}

#[test]
fn node_proxy_serves_the_kubelet_endpoints() {
    let (_world, server) = served(&[
        "--annotations=ctl.dev/logs=one",
        "--annotations=ctl.dev/memory-usage=1Mi",
    ]);
    let mut client = server.client();
    let pod = client.get("/api/v1/namespaces/default/pods/web").ok();
    let node = pod["spec"]["nodeName"].as_str().unwrap();
    let mut of = |path: &str| client.get(&format!("/api/v1/nodes/{node}/proxy/{path}"));
    assert_eq!(of("healthz").body, "ok");
    assert_eq!(
        of("containerLogs/default/web/web?tailLines=1").body,
        "one\n"
    );
    assert_eq!(of("pods").ok()["items"][0]["metadata"]["name"], "web");
    let used = &of("stats/summary").ok()["pods"][0]["containers"][0];
    assert_eq!(used["memory"]["workingSetBytes"], 1 << 20);
    assert!(of("metrics").body.contains("\nkubelet_running_pods 1\n"));
    assert_eq!(
        of("configz").ok()["kubeletconfig"]["kind"],
        "KubeletConfiguration"
    );
    assert_eq!(of("run").code, 404);
}
