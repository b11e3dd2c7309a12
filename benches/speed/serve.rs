//! Measures `ctl serve` as clients see it: starts, single requests, many connections, large lists, and watchers.
//!
//! The server is the real program in its own process. The client is this program on the same processors, connected over
//! loopback. Only the first row uses TLS, because the handshake is not part of a request.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ctl::api::json::{Value, json};
use ctl::sys::clock::Stopwatch;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};

use crate::api;
use crate::raw;
use crate::scratch::Scratch;
use crate::table::{Table, median, ms};
use crate::{Size, sample};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The number of connections in the rows about throughput.
const CONNECTIONS: usize = 16;

/// A server that is stopped when the value is dropped.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(state: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ctl"));
        command.arg("--state").arg(state).arg("serve").args(args);
        command.args(["--listen", "127.0.0.1:0"]);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut first).unwrap();
        let address = first.trim().rsplit('/').next().unwrap().to_owned();
        Self { child, address }
    }

    fn plain(state: &Path) -> Self {
        Self::start(state, &["--plain-http"])
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).unwrap();
        Client(BufReader::new(stream))
    }

    /// Returns the current memory of the process in MB, as the kernel counts it.
    fn megabytes(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
        let kilobytes = line.split_whitespace().nth(1).unwrap();
        kilobytes.parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept open between requests.
struct Client(BufReader<TcpStream>);

impl Client {
    fn send(&mut self, method: &str, path: &str, accept: &str, body: &str) {
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\
             Content-Type: {JSON}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Reads the status code and the head of a response.
    fn head(&mut self) -> (u16, String) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.0.read_line(&mut head).unwrap() > 0, "{head:?}");
        }
        (head[9..12].parse().unwrap(), head)
    }

    /// Sends a request. Returns the size of its response, which must be a success.
    fn ask(&mut self, method: &str, path: &str, accept: &str, body: &str) -> usize {
        self.send(method, path, accept, body);
        let (code, head) = self.head();
        assert!((200..300).contains(&code), "{method} {path}: {head}");
        let field = head
            .lines()
            .find_map(|l| l.strip_prefix("Content-Length: "));
        let mut body = vec![0; field.unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        body.len()
    }

    /// Begins a watch of all ConfigMaps. Existing objects come first and end with a bookmark.
    fn watch(&mut self) {
        let all = "watch=1&sendInitialEvents=true&allowWatchBookmarks=true\
                   &resourceVersionMatch=NotOlderThan";
        self.send("GET", &format!("{MAPS}?{all}"), JSON, "");
        assert_eq!(self.head().0, 200);
        while !self.event().contains("BOOKMARK") {}
    }

    /// Returns the next line with an event. Chunk sizes are on lines of their own.
    fn event(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the watch ended");
            if line.starts_with('{') {
                return line;
            }
        }
    }
}

fn map(name: &str, value: usize) -> String {
    let map: Value = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
        "data": {"value": value.to_string()},
    });
    map.to_string()
}

/// Measures all rows.
pub(crate) fn measure(table: &mut Table, size: Size) {
    starts(table, size);
    requests(table, size);
    lists(table, size);
    watchers(table, size);
    idle_watchers(table, size);
    most_watchers(table);
}

/// Measures the time from the start of the process to its first response over TLS.
fn starts(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    drop(api::open(&state));
    // The authority of the cluster is created only once.
    drop(Server::start(&state, &[]));
    let (mut times, mut memory) = (Vec::new(), 0.0_f64);
    for _ in 0..(size.rounds / 10) {
        let stopwatch = Stopwatch::start();
        let server = Server::start(&state, &[]);
        ready(&state, &server.address);
        times.push(stopwatch.elapsed());
        memory = memory.max(server.megabytes());
    }
    let time = median(times);
    table.row(
        "ctl serve: from its start to the first response over TLS",
        &format!("{}, {memory:.1} MB", ms(time)),
        "",
        "60 ms, 25 MB",
        time <= Duration::from_millis(60) && memory <= 25.0,
    );
}

/// Requests `/readyz` over TLS, as a client with the kubeconfig does.
fn ready(state: &Path, address: &str) {
    let kubeconfig = std::fs::read_to_string(state.join(".ctl/kubeconfig")).unwrap();
    let kubeconfig: Value = serde_yaml::from_str(&kubeconfig).unwrap();
    let authority = &kubeconfig["clusters"][0]["cluster"]["certificate-authority-data"];
    let authority = BASE64_STANDARD.decode(authority.as_str().unwrap()).unwrap();
    let mut roots = RootCertStore::empty();
    let known = CertificateDer::from_pem_slice(&authority).unwrap();
    roots.add(known).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(address).unwrap();
    let mut stream = rustls::StreamOwned::new(session, stream);
    let request = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut got = [0; 12];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"HTTP/1.1 200");
}

/// Serves a new cluster without TLS. The directory exists as long as the first value.
fn served() -> (Scratch, Server) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    drop(api::open(&state));
    let server = Server::plain(&state);
    (dir, server)
}

/// Measures single requests, and the number of requests per second over 16 connections.
fn requests(table: &mut Table, size: Size) {
    let (_dir, server) = served();
    let mut client = server.client();
    client.ask("POST", MAPS, JSON, &map("one", 0));
    let one = format!("{MAPS}/one");
    let get = || {
        let stopwatch = Stopwatch::start();
        client.ask("GET", &one, JSON, "");
        stopwatch.elapsed()
    };
    let time = median(std::iter::repeat_with(get).take(size.rounds * 20).collect());
    table.row(
        "GET of an object over HTTP",
        &ms(time),
        "",
        "0.25 ms",
        time <= Duration::from_micros(250),
    );
    let each = size.rounds * 10;
    let rate = throughput(&server, each, |client, _, _| {
        client.ask("GET", &one, JSON, "");
    });
    rate_row(table, "GET, 16 connections", rate, 6_000.0);
    let each = size.rounds * 2;
    let rate = throughput(&server, each, |client, connection, n| {
        client.ask(
            "POST",
            MAPS,
            JSON,
            &map(&format!("map-{connection}-{n}"), n),
        );
    });
    rate_row(table, "durable creates, 16 connections", rate, 2_500.0);
}

/// The number of requests per second over all connections, and the processors that the server and this client use for
/// them.
#[derive(Clone, Copy)]
struct Rate {
    requests: f64,
    server: f64,
    client: f64,
}

fn rate_row(table: &mut Table, what: &str, rate: Rate, target: f64) {
    let Rate {
        requests,
        server,
        client,
    } = rate;
    table.row(
        what,
        &format!("{requests:.0}/s (processors: server {server:.2}, client {client:.2})"),
        "",
        &format!("{target:.0}/s"),
        requests >= target,
    );
}

/// Measures the throughput of all connections together.
fn throughput(
    server: &Server,
    each: usize,
    work: impl Fn(&mut Client, usize, usize) + Sync,
) -> Rate {
    // CPU time is that of whole processes, because the threads of the client end before it is read.
    let used = || [raw::cpu_of(server.child.id()), raw::own_cpu()].map(|time| time.as_secs_f64());
    let before = used();
    let stopwatch = Stopwatch::start();
    std::thread::scope(|scope| {
        for connection in 0..CONNECTIONS {
            let (work, mut client) = (&work, server.client());
            scope.spawn(move || (0..each).for_each(|n| work(&mut client, connection, n)));
        }
    });
    let time = stopwatch.elapsed().as_secs_f64();
    let all = u32::try_from(CONNECTIONS * each).unwrap();
    let after = used();
    Rate {
        requests: f64::from(all) / time,
        server: (after[0] - before[0]) / time,
        client: (after[1] - before[1]) / time,
    }
}

/// Measures lists of many Pods.
fn lists(table: &mut Table, size: Size) {
    let dir = Scratch::new();
    let state = dir.path().join("state");
    std::fs::create_dir(&state).unwrap();
    drop(api::open(&state));
    sample::fill(&sample::store(&state), size.objects);
    let server = Server::plain(&state);
    let mut client = server.client();
    let pods = "/api/v1/namespaces/default/pods";
    for (name, media, target) in [("JSON", JSON, 150), ("protobuf", PROTOBUF, 100)] {
        // The first request reads the files, so it does not count.
        client.ask("GET", pods, media, "");
        let list = || {
            let stopwatch = Stopwatch::start();
            assert!(client.ask("GET", pods, media, "") > 1000 * size.objects);
            stopwatch.elapsed()
        };
        let time = median(std::iter::repeat_with(list).take(9).collect());
        // The targets are for 10,000 Pods, and the time is proportional to the number of Pods.
        let pods = u32::try_from(size.objects).unwrap();
        let target = Duration::from_millis(target) * pods / 10_000;
        table.row(
            &format!("list of {} Pods over HTTP in {name}", size.objects),
            &ms(time),
            "",
            &ms(target),
            time <= target,
        );
    }
}

/// Measures the time from the response to a change until each of 100 watchers has its event.
fn watchers(table: &mut Table, size: Size) {
    const WATCHERS: usize = 100;
    let (_dir, server) = served();
    let mut client = server.client();
    client.ask("POST", MAPS, JSON, &map("watched", 0));
    let (sender, events) = mpsc::channel();
    let begun = Stopwatch::start();
    let mut delays = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..WATCHERS {
            let (mut watcher, sender) = (server.client(), sender.clone());
            watcher.watch();
            let rounds = size.rounds;
            scope.spawn(move || {
                for _ in 0..rounds {
                    watcher.event();
                    sender.send(begun.elapsed()).unwrap();
                }
            });
        }
        for round in 0..size.rounds {
            client.ask(
                "PUT",
                &format!("{MAPS}/watched"),
                JSON,
                &map("watched", round + 1),
            );
            let answered = begun.elapsed();
            let seen = events.iter().take(WATCHERS);
            delays.extend(seen.map(|seen| seen.saturating_sub(answered)));
        }
    });
    delays.sort_unstable();
    let (half, most) = (delays[delays.len() / 2], delays[delays.len() * 99 / 100]);
    table.row(
        "a change reaches 100 watchers, 99 of 100 events",
        &format!("{}, {}", ms(half), ms(most)),
        "",
        "5 ms",
        most <= Duration::from_millis(5),
    );
}

/// Begins watches, each on its own connection.
fn watching(server: &Server, count: usize) -> Vec<Client> {
    let begin = || {
        let mut watcher = server.client();
        watcher.watch();
        watcher
    };
    std::iter::repeat_with(begin).take(count).collect()
}

/// Measures the memory of the maximum number of watches.
fn most_watchers(table: &mut Table) {
    const MOST: f64 = 64.0;
    // A runtime of the server raises the limit on open files, which this client needs, too.
    drop(ctl::sys::net::runtime(1).unwrap());
    let (_dir, server) = served();
    // The first watch starts everything that watches share.
    let first = watching(&server, 1);
    let before = server.megabytes();
    let watchers = watching(&server, 1_199);
    let memory = server.megabytes() - before;
    drop((first, watchers));
    table.row(
        "1,200 watches: memory beyond that of one",
        &format!("{memory:.1} MB"),
        "",
        &format!("{MOST:.0} MB"),
        memory <= MOST,
    );
}

/// Measures the CPU time and memory of a thousand idle watchers.
fn idle_watchers(table: &mut Table, size: Size) {
    let (_dir, server) = served();
    let watchers = watching(&server, 1_000);
    std::thread::sleep(Duration::from_secs(2));
    let time = Duration::from_secs(if size.rounds < 100 { 5 } else { 20 });
    let before = raw::cpu_of(server.child.id());
    std::thread::sleep(time);
    let used = raw::cpu_of(server.child.id()) - before;
    let (share, memory) = (
        100.0 * used.as_secs_f64() / time.as_secs_f64(),
        server.megabytes(),
    );
    drop(watchers);
    table.row(
        "1,000 idle watchers: share of a processor, memory",
        &format!("{share:.2} %, {memory:.1} MB"),
        "",
        "1 %, 60 MB",
        share <= 1.0 && memory <= 60.0,
    );
}
