//! Tests `ctl serve` with strangers: requests without credentials, from web pages and under foreign names, clients that
//! use too many resources, and kubectl itself with the kubeconfig that the server writes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use ctl::api::json::{Value, json};
use ctl::sys::clock::Stopwatch;

use crate::support::http::Server;
use crate::support::race::{eventually, p99, write_file};
use crate::support::{World, can_run, count, finish, in_time, note, quiet, write_program};

/// A server with TLS, and the credentials in the kubeconfig that it wrote.
struct Guarded {
    server: Server,
    token: String,
    config: Arc<ClientConfig>,
}

impl Guarded {
    fn start(world: &World) -> Self {
        let server = Server::run(world, &["serve", "--listen", "127.0.0.1:0"]);
        let text = std::fs::read_to_string(world.path(".ctl/kubeconfig")).unwrap();
        let file: Value = serde_yaml::from_str(&text).unwrap();
        let certificate = &file["clusters"][0]["cluster"]["certificate-authority-data"];
        let certificate = BASE64_STANDARD
            .decode(certificate.as_str().unwrap())
            .unwrap();
        let mut roots = RootCertStore::empty();
        for known in CertificateDer::pem_slice_iter(&certificate) {
            roots.add(known.unwrap()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self {
            server,
            token: file["users"][0]["user"]["token"]
                .as_str()
                .unwrap()
                .to_owned(),
            config: Arc::new(config),
        }
    }

    /// Sends a head and nothing else. Returns the code and the head of the response.
    fn asked(&self, head: &str) -> (u16, String) {
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let session = ClientConnection::new(Arc::clone(&self.config), name).unwrap();
        let stream = TcpStream::connect(&self.server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut stream = BufReader::new(StreamOwned::new(session, stream));
        stream.get_mut().write_all(head.as_bytes()).unwrap();
        let mut got = String::new();
        // A server that waited for the body would send nothing.
        while !got.ends_with("\r\n\r\n") {
            let read = stream.read_line(&mut got);
            assert!(read.is_ok_and(|n| n > 0), "{head}\n{got}");
        }
        (got[9..12].parse().unwrap(), got)
    }
}

/// Returns the path of every collection, of an object in it, and of the object's subresources.
fn routes() -> Vec<String> {
    let mut all: Vec<String> = [
        "/",
        "/api",
        "/api/v1",
        "/apis",
        "/apis/apps/v1",
        "/version",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/healthz",
        "/livez",
        "/readyz",
        "/livez/ping",
        "/nothing",
        "/openid/v1/jwks",
    ]
    .map(str::to_owned)
    .into();
    for kind in ctl::kinds::Catalogue::default().all() {
        let root = match kind.group {
            "" => format!("/api/{}", kind.version),
            group => format!("/apis/{group}/{}", kind.version),
        };
        let namespace = if kind.namespaced {
            "/namespaces/default"
        } else {
            ""
        };
        let collection = format!("{root}{namespace}/{}", kind.plural);
        let parts = kind.subresources.iter().map(|part| part.name);
        all.extend(parts.map(|part| format!("{collection}/x/{part}")));
        all.push(format!("{collection}/x"));
        all.push(collection);
    }
    all
}

/// Requests that must fail: a description, the code, the target and the header fields, in which `TOKEN` stands for the
/// valid token.
const STRANGERS: &[(&str, u16, &str, &str)] = &[
    ("no token", 401, "PATH", "Host: localhost"),
    (
        "a wrong token",
        401,
        "PATH",
        "Host: localhost\r\nAuthorization: Bearer guess",
    ),
    (
        "a short token",
        401,
        "PATH",
        "Host: localhost\r\nAuthorization: Bearer SHORT",
    ),
    (
        "a password",
        401,
        "PATH",
        "Host: localhost\r\nAuthorization: Basic TOKEN",
    ),
    (
        "a token in the query",
        401,
        "PATH?token=TOKEN&access_token=TOKEN",
        "Host: localhost",
    ),
    (
        "a foreign host",
        403,
        "PATH",
        "Host: evil.com\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a host that begins well",
        403,
        "PATH",
        "Host: localhost.evil.com\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "an address as a name",
        403,
        "PATH",
        "Host: 127.0.0.1.nip.io\r\nAuthorization: Bearer TOKEN",
    ),
    ("no host", 400, "PATH", "Authorization: Bearer TOKEN"),
    (
        "another host in the target",
        403,
        "http://evil.comPATH",
        "Host: localhost\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a page",
        403,
        "PATH",
        "Host: localhost\r\nOrigin: http://evil.com\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a page without an origin",
        403,
        "PATH",
        "Host: localhost\r\nOrigin: null\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a page of this host",
        403,
        "PATH",
        "Host: localhost\r\nOrigin: https://localhost\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a page's picture",
        403,
        "PATH",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nAuthorization: Bearer TOKEN",
    ),
    (
        "a compressed body",
        415,
        "PATH",
        "Host: localhost\r\nContent-Encoding: gzip\r\nAuthorization: Bearer TOKEN",
    ),
];

#[test]
fn requests_without_token_or_with_foreign_origin_are_rejected() {
    let world = World::fresh();
    let guarded = Guarded::start(&world);
    let routes = routes();
    let all = routes.len() * STRANGERS.len();
    // The distance is a large prime, so that a part of all combinations covers every stranger and nearly every route.
    let asked: Vec<(usize, usize)> = (0..count(1_200, all))
        .map(|at| at * 1_000_003 % all)
        .map(|at| (at % routes.len(), at / routes.len()))
        .collect();
    std::thread::scope(|scope| {
        for part in asked.chunks(asked.len().div_ceil(4)) {
            let (guarded, routes) = (&guarded, &routes);
            scope.spawn(move || {
                for (route, stranger) in part {
                    let method = ["GET", "POST", "OPTIONS", "DELETE"][(route + stranger) % 4];
                    refused(guarded, method, &routes[*route], STRANGERS[*stranger]);
                }
            });
        }
    });
    note(&format!("{} combinations", asked.len()));
    let (code, _) = guarded.asked(&format!(
        "GET /api HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n",
        guarded.token
    ));
    assert_eq!(code, 200);
    assert_eq!(guarded.server.stop().code, 0);
}

/// Sends a stranger's request, announces a body that never comes, and checks the rejection.
fn refused(guarded: &Guarded, method: &str, path: &str, stranger: (&str, u16, &str, &str)) {
    let (what, expected, target, fields) = stranger;
    let token = &guarded.token;
    let filled = |text: &str| text.replace("TOKEN", token).replace("SHORT", &token[1..]);
    let (target, fields) = (filled(target).replace("PATH", path), filled(fields));
    let is_public = ["/healthz", "/livez", "/readyz"].contains(&path);
    // A password is no credential here, and foreign names are rejected on every path.
    let has_credentials = fields.contains("Bearer");
    // A probe has no credentials and no body.
    if is_public && !has_credentials {
        let head = format!("GET {target} HTTP/1.1\r\n{fields}\r\n\r\n");
        let (code, _) = guarded.asked(&head);
        return assert_eq!(code, 200, "{what}: {path}");
    }
    let head = format!(
        "{method} {target} HTTP/1.1\r\n{fields}\r\nAccess-Control-Request-Method: PUT\r\n\
         Content-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    );
    let (code, got) = guarded.asked(&head);
    assert_eq!(code, expected, "{what}: {method} {path}: {got}");
    let got = got.to_ascii_lowercase();
    assert!(
        !got.contains("access-control-"),
        "{what}: {method} {path}: {got}"
    );
}

/// Returns the memory that a process uses.
fn resident(pid: u32) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: usize = line.unwrap().trim_end_matches("kB").trim().parse().unwrap();
    kib << 10
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A guard that sets a flag when it is dropped, even in a failed test.
struct Raised<'f>(&'f AtomicBool);

impl Drop for Raised<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Begins a watch and reads the code of the response.
fn watch(address: &str, path: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    (String::from_utf8_lossy(&line[9..]).parse().unwrap(), stream)
}

/// Returns the value of one of the server's metrics.
fn metric(server: &Server, name: &str) -> f64 {
    let text = server.client().get("/metrics").body;
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}

#[test]
fn excess_watches_are_rejected_and_stalled_ones_end() {
    quiet::alone();
    let world = World::fresh();
    let server = Server::start(&world, &[]);
    let pid = server.process().id();
    let mut client = server.client();
    client.get("/readyz");
    let before = resident(pid);
    let over = AtomicBool::new(false);
    // A watch needs no thread, only memory for its connection and its state. Futures are larger without optimization.
    let allowed = before + ((if cfg!(debug_assertions) { 96 } else { 64 }) << 20);
    let times = std::thread::scope(|scope| {
        let ends = Raised(&over);
        let honest = scope.spawn(|| {
            let (mut client, mut times) = (server.client(), Vec::new());
            while !over.load(Ordering::Relaxed) {
                let time = Stopwatch::start();
                client.get("/api/v1/namespaces/default").ok();
                times.push(time.elapsed());
            }
            times
        });
        // Most shells allow a process 1,024 open files, and each connection is one.
        let limit = getrlimit(Resource::Nofile);
        let current = limit.maximum;
        setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
        let path = format!("{MAPS}?watch=1");
        let watches: Vec<(u16, TcpStream)> =
            (0..1_300).map(|_| watch(&server.address, &path)).collect();
        let codes = |code: u16| watches.iter().filter(|(own, _)| *own == code).count();
        assert_eq!((codes(200), codes(429)), (1_200, 100));
        assert!(resident(pid) < allowed, "{} of {before}", resident(pid));
        drop(watches);
        let gone = || metric(&server, "ctl_serve_watches") == 0.0;
        assert!(eventually(in_time(Duration::from_secs(5)), gone));
        stuck(&server, &mut client);
        drop(ends);
        honest.join().unwrap()
    });
    let slow = p99(times);
    assert!(slow <= in_time(Duration::from_millis(250)), "{slow:?}");
    assert!(resident(pid) < allowed, "{} of {before}", resident(pid));
    assert_eq!(server.stop().code, 0);
}

/// Starts watchers that never read, and checks that the server ends them.
fn stuck(server: &Server, client: &mut crate::support::http::Client) {
    let large = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"},
        "data": {"k": "x".repeat(512 << 10)}});
    client.post(MAPS, &large).ok();
    let _watches = [(); 3].map(|()| watch(&server.address, &format!("{MAPS}?watch=1")));
    // This is more than the buffers of a loopback connection hold.
    for n in 0..40 {
        let patch = json!({"metadata": {"labels": {"n": n.to_string()}}});
        client.patch(&format!("{MAPS}/large"), "merge", &patch).ok();
    }
    let ended = || metric(server, "ctl_serve_watches") == 0.0;
    assert!(eventually(in_time(Duration::from_secs(12)), ended));
}

/// Runs kubectl with a kubeconfig and nothing else of this machine.
fn kubectl(world: &World, config: &Path, args: &[&str]) -> Command {
    let mut command = world.command_for(Path::new("kubectl"));
    command.args(args).env("KUBECONFIG", config);
    command
}

#[test]
fn kubectl_works_with_the_kubeconfig_and_only_over_tls() {
    let world = World::fresh();
    let guarded = Guarded::start(&world);
    let config = world.path(".ctl/kubeconfig");
    let plain = world.outside("plain");
    let text = std::fs::read_to_string(&config).unwrap();
    write_file(&plain, text.replace("https://", "http://"));
    // Without TLS there is only an error, with or without the token.
    for fields in [
        String::new(),
        format!("Authorization: Bearer {}\r\n", guarded.token),
    ] {
        let mut stream = TcpStream::connect(&guarded.server.address).unwrap();
        let head = format!("GET /api HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut got = String::new();
        stream.read_to_string(&mut got).unwrap();
        assert_eq!(
            got,
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
        );
    }
    if !can_run(&["kubectl", "version", "--client"]) {
        return note("no kubectl here: the requests above are all that is tried without TLS");
    }
    let manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n";
    let run = |args: &[&str], input: &str| finish(kubectl(&world, &config, args), input);
    let applied = run(&["apply", "-f", "-"], manifest).ok();
    assert_eq!(applied, "configmap/a created\n");
    let mut watching = kubectl(
        &world,
        &config,
        &[
            "get",
            "configmap",
            "a",
            "--watch",
            "-o",
            "jsonpath={.data.k}{\"\\n\"}",
        ],
    );
    let mut watching = watching
        .stdout(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = BufReader::new(watching.stdout.take().unwrap()).lines();
    assert_eq!(seen.next().unwrap().unwrap(), "v");
    let editor = world.outside("editor");
    write_program(&editor, "#!/bin/sh\nsed -i 's/k: v/k: edited/' \"$1\"\n");
    let mut edit = kubectl(&world, &config, &["edit", "configmap", "a"]);
    edit.env("KUBE_EDITOR", &editor);
    assert_eq!(finish(edit, "").ok(), "configmap/a edited\n");
    assert_eq!(seen.next().unwrap().unwrap(), "edited");
    watching.kill().unwrap();
    watching.wait().unwrap();
    let got = run(&["get", "configmap", "a", "-o", "jsonpath={.data.k}"], "").ok();
    assert_eq!(got, "edited");
    let refused = finish(kubectl(&world, &plain, &["get", "configmap", "a"]), "");
    assert!(refused.code != 0 && refused.out.is_empty(), "{refused:?}");
    assert_eq!(guarded.server.stop().code, 0);
}
