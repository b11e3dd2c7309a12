//! An in-memory connection: bytes in, bytes out.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::exchange;
use super::server::{Limits, Server, Shared};
use crate::Page;
use crate::cluster::testing::{Scratch, fresh};
use crate::fuzz::Tape;
use crate::kinds::{Kind, registry};
use crate::sys::net::Closer;

fn shared(limits: Limits) -> Shared {
    crate::fuzz::shared(limits, false)
}

fn told(cluster: &Scratch, sent: &str, shared: &Shared) -> String {
    let mut tape = Tape {
        sent: sent.as_bytes(),
        piece: 7,
        got: Vec::new(),
    };
    exchange::run(&mut tape, &**cluster, shared);
    String::from_utf8(tape.got).unwrap()
}

fn codes(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("HTTP/1.1 "));
    lines.map(|line| &line[..3]).collect()
}

const MAP: &str =
    r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}"#;

fn post(extra: &str) -> String {
    format!(
        "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n{extra}\
         Content-Length: {}\r\n\r\n{MAP}",
        MAP.len()
    )
}

#[test]
fn requests_follow_each_other_on_one_connection() {
    let cluster = fresh();
    let get = "GET /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let chunked = format!(
        "PUT /api/v1/namespaces/default/configmaps/a HTTP/1.1\r\nHost: localhost\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{MAP}\r\n0\r\n\r\n",
        MAP.len()
    );
    let sent = format!("{}{get}{chunked}{get}", post(""));
    let got = told(&cluster, &sent, &shared(Limits::default()));
    assert_eq!(codes(&got), ["201", "200", "200", "200"], "{got}");
    // What comes behind a last request is not read.
    let last = get.replace("Host", "Connection: close\r\nHost");
    let got = told(
        &cluster,
        &format!("{last}{get}"),
        &shared(Limits::default()),
    );
    assert_eq!(codes(&got), ["200"]);
    assert!(got.contains("\r\nConnection: close\r\n"));
}

#[test]
fn a_client_that_waits_for_leave_gets_it() {
    let sent = post("Expect: 100-continue\r\n");
    let got = told(&fresh(), &sent, &shared(Limits::default()));
    assert_eq!(codes(&got), ["100", "201"]);
    let large =
        post("Expect: 100-continue\r\n").replace("Content-Length: ", "Content-Length: 9999999");
    assert_eq!(
        codes(&told(&fresh(), &large, &shared(Limits::default()))),
        ["413"]
    );
}

#[test]
fn the_answer_to_what_is_no_request_is_a_status_and_the_end() {
    let cluster = fresh();
    let got = told(
        &cluster,
        "nonsense\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        &shared(Limits::default()),
    );
    assert_eq!(codes(&got), ["400"]);
    assert!(
        got.contains("\"kind\":\"Status\"") && got.contains("Connection: close"),
        "{got}"
    );
    let evil = post("").replace("localhost", "evil.example");
    assert_eq!(
        codes(&told(&cluster, &evil, &shared(Limits::default()))),
        ["403"]
    );
    // A connection that breaks off is told nothing.
    assert_eq!(told(&cluster, "GET / HT", &shared(Limits::default())), "");
    for method in ["HEAD", "OPTIONS", "TRACE"] {
        let sent = format!("{method} /api/v1/pods HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let got = told(&cluster, &sent, &shared(Limits::default()));
        assert_eq!(codes(&got), ["405"], "{method}");
        assert!(!got.contains("Access-Control"));
        assert_eq!(got.ends_with("\r\n\r\n"), method == "HEAD", "{got}");
    }
}

#[test]
fn a_watch_is_chunks_that_end_with_its_time() {
    let cluster = fresh();
    let sent = "GET /api/v1/namespaces?watch=1&timeoutSeconds=1&allowWatchBookmarks=true HTTP/1.1\r\n\
        Host: localhost\r\n\r\n";
    let got = told(&cluster, sent, &shared(Limits::default()));
    assert!(
        got.contains("Transfer-Encoding: chunked") && got.ends_with("\r\n0\r\n\r\n"),
        "{got}"
    );
    assert_eq!(got.matches("\"type\":\"ADDED\"").count(), 4);
    assert_eq!(got.matches("\"type\":\"BOOKMARK\"").count(), 1);
    let none = Limits {
        watches: 0,
        ..Limits::default()
    };
    let got = told(&cluster, sent, &shared(none));
    assert_eq!(codes(&got), ["429"]);
    assert!(got.contains("\r\nRetry-After: 1\r\n"), "{got}");
}

#[test]
fn a_server_that_stops_ends_its_watches() {
    let cluster = fresh();
    let shared = shared(Limits::default());
    shared.stop.store(true, Ordering::Relaxed);
    let sent = "GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let got = told(&cluster, sent, &shared);
    assert!(got.ends_with("\r\n0\r\n\r\n"), "{got}");
}

#[test]
fn somebody_else_is_asked_for_by_impersonation() {
    let sent =
        "GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nImpersonate-User: bob\r\n\r\n";
    let got = told(&fresh(), sent, &shared(Limits::default()));
    assert!(got.contains("User \\\"bob\\\" cannot list"), "{got}");
    assert_eq!(codes(&got), ["403"]);
}

/// The requests that a kind takes: method, what follows the path of the collection, type of the body.
fn tries(kind: &Kind) -> Vec<(&'static str, String, &'static str)> {
    let all = || String::new();
    let one = || "/x".to_owned();
    let mut tries = vec![
        ("GET", all(), ""),
        ("GET", "?watch=true".to_owned(), ""),
        ("POST", all(), "application/json"),
        ("DELETE", all(), ""),
        ("GET", one(), ""),
        ("PUT", one(), "application/json"),
        ("DELETE", one(), ""),
    ];
    for media in [
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ] {
        tries.push(("PATCH", one(), media));
    }
    tries.push((
        "PATCH",
        "/x?fieldManager=t&force=true".to_owned(),
        "application/apply-patch+yaml",
    ));
    for below in kind.subresources {
        for verb in below.verbs {
            let method = match *verb {
                "get" => "GET",
                "create" => "POST",
                "update" => "PUT",
                "patch" => "PATCH",
                "delete" => "DELETE",
                other => panic!("{other}"),
            };
            tries.push((method, format!("/x/{}", below.name), "application/json"));
        }
    }
    tries
}

#[test]
fn a_user_without_a_role_is_refused_every_request_for_every_kind() {
    let (cluster, shared) = (fresh(), shared(Limits::default()));
    let before = cluster.moment().unwrap();
    let mut count = 0;
    for kind in registry::all().filter(|kind| kind.served) {
        let root = match kind.group {
            "" => format!("/api/{}", kind.version),
            group => format!("/apis/{group}/{}", kind.version),
        };
        let inside = if kind.namespaced {
            "/namespaces/default"
        } else {
            ""
        };
        let object = format!(
            r#"{{"apiVersion":"{}","kind":"{}","metadata":{{"name":"x"}}}}"#,
            kind.api_version(),
            kind.kind
        );
        for (method, below, media) in tries(kind) {
            let own = method == "POST" && below.is_empty() && kind.kind.starts_with("SelfSubject");
            if own {
                continue;
            }
            count += 1;
            let path = format!("{root}{inside}/{}{below}", kind.plural);
            let sent = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nImpersonate-User: bob\r\n\
                 Content-Type: {media}\r\nContent-Length: {}\r\n\r\n{object}",
                object.len()
            );
            let got = told(&cluster, &sent, &shared);
            assert_eq!(codes(&got), ["403"], "{method} {path}: {got}");
            assert!(
                got.contains("is forbidden: User \\\"bob\\\" cannot "),
                "{method} {path}: {got}"
            );
        }
    }
    assert_eq!(cluster.moment().unwrap(), before);
    assert!(count > 800, "{count}");
}

#[test]
fn everybody_reads_what_the_api_is_and_nothing_else_that_is_no_object() {
    let cluster = fresh();
    let code = |path: &str, who: &str| {
        let sent = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{who}\r\n");
        let got = told(&cluster, &sent, &shared(Limits::default()));
        codes(&got).join(" ")
    };
    for path in [
        "/api",
        "/apis/apps/v1",
        "/version",
        "/healthz",
        "/openapi/v3",
    ] {
        assert_eq!(code(path, "Impersonate-User: bob\r\n"), "200", "{path}");
        let nobody = "Impersonate-User: system:anonymous\r\n";
        assert_eq!(code(path, nobody), "403", "{path}");
    }
    assert_eq!(code("/metrics", "Impersonate-User: bob\r\n"), "403");
    assert_eq!(code("/", "Impersonate-User: bob\r\n"), "403");
    assert_eq!(code("/", ""), "200");
}

#[test]
fn nobody_is_in_a_group_without_being_somebody() {
    let cluster = fresh();
    let sent = "GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nImpersonate-Group: g\r\n\r\n";
    let got = told(&cluster, sent, &shared(Limits::default()));
    assert_eq!(codes(&got), ["500"], "{got}");
    let said = "Internal Server Error: \"/api/v1/pods\": requested \
                [{Group  g  rbac.authorization.k8s.io/v1  }] without impersonating a user\n";
    assert!(got.ends_with(said), "{got}");
}

#[test]
fn the_program_that_asks_owns_the_fields_that_it_sets() {
    let cluster = fresh();
    let got = told(
        &cluster,
        &post("User-Agent: robot/1.0 (x)\r\n"),
        &shared(Limits::default()),
    );
    assert!(got.contains("\"manager\":\"robot\""), "{got}");
}

/// A client that does not read: nothing can be sent to it without waiting.
struct Silent<'s, 't> {
    tape: &'s mut Tape<'t>,
    /// True if there is room for a few last words.
    hears_the_end: bool,
}

impl io::Read for Silent<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.tape.read(buffer)
    }
}

impl io::Write for Silent<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tape.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl exchange::Line for Silent<'_, '_> {
    fn read_within(&mut self, _: Duration) {}

    fn is_gone(&self) -> bool {
        false
    }

    fn finish(&mut self) {}

    fn can_write(&self, patience: Duration) -> bool {
        self.hears_the_end && patience.is_zero()
    }

    fn closer(&self) -> Option<Closer> {
        None
    }
}

#[test]
fn a_watch_that_is_not_read_ends_with_410() {
    let cluster = fresh();
    let limits = Limits {
        unread: Duration::from_millis(1),
        ..Limits::default()
    };
    for hears_the_end in [true, false] {
        let mut tape = Tape {
            sent: b"GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            piece: 100,
            got: Vec::new(),
        };
        let shared = shared(limits.clone());
        exchange::run(
            Silent {
                tape: &mut tape,
                hears_the_end,
            },
            &*cluster,
            &shared,
        );
        let got = String::from_utf8(tape.got).unwrap();
        assert_eq!(got.contains("\"code\":410"), hears_the_end, "{got}");
        assert_eq!(got.contains("\"reason\":\"Expired\""), hears_the_end);
        assert!(!got.contains("ADDED"), "{got}");
    }
}

#[test]
fn bodies_beyond_the_budget_are_told_to_come_again() {
    let cluster = fresh();
    let limits = Limits {
        memory: 100 << 10,
        ..Limits::default()
    };
    let shared = shared(limits);
    let head = |length: usize| {
        format!(
            "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n\
             Content-Length: {length}\r\n\r\n"
        )
    };
    // A length that is only announced takes nothing.
    let got = told(&cluster, &format!("{}{{", head(3_000_000)), &shared);
    assert_eq!((got.as_str(), codes(&got).len()), ("", 0));
    assert!(shared.budget.peak() < 32 << 10);
    let large = "x".repeat(200_000);
    let got = told(&cluster, &format!("{}{large}", head(large.len())), &shared);
    assert_eq!(codes(&got), ["429"]);
    assert!(got.contains("\r\nRetry-After: 1\r\n"), "{got}");
    assert_eq!(codes(&told(&cluster, &post(""), &shared)), ["201"]);
    assert!(shared.budget.peak() <= 100 << 10);
}

/// A server on the machine itself, and the address that it listens at.
fn served<T>(limits: Limits, clients: impl FnOnce(SocketAddr, &Mutex<Vec<String>>) -> T) -> T {
    let Scratch { cluster, directory } = fresh();
    let notes: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&notes);
    let server = Server::bind(([127, 0, 0, 1], 0).into(), false, limits)
        .unwrap()
        .with_notes(move |text| heard.lock().unwrap().push(text.to_owned()));
    let stop = Arc::new(AtomicBool::new(false));
    let cluster = Arc::new(cluster);
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| server.run(&cluster, &stop));
        let stops = Stops(&stop);
        let result = clients(server.address(), &notes);
        drop(stops);
        runs.join().unwrap().unwrap();
        drop(directory);
        result
    })
}

/// Stops a server, also where a test fails.
struct Stops<'s>(&'s AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn asked(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn answered(mut stream: TcpStream) -> String {
    let mut got = String::new();
    // The end may be a reset.
    let _ = stream.read_to_string(&mut got);
    got
}

#[test]
fn half_sent_heads_make_room_for_those_who_ask() {
    let limits = Limits {
        connections: 8,
        ..Limits::default()
    };
    served(limits, |address, _| {
        let mut half: Vec<TcpStream> = (0..30)
            .map(|_| asked(address, "GET / HTTP/1.1\r\n"))
            .collect();
        let whole = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        for _ in 0..5 {
            let got = answered(asked(address, whole));
            assert_eq!(codes(&got), ["200"], "{got}");
            half.push(asked(address, "GET / HTTP/1.1\r\n"));
        }
    });
}

#[test]
fn watches_that_nobody_reads_are_closed_and_told_of() {
    let limits = Limits {
        memory: 3 << 20,
        unread: Duration::from_secs(1),
        ..Limits::default()
    };
    served(limits, |address, notes| {
        let maps = "/api/v1/namespaces/default/configmaps";
        let watch = format!("GET {maps}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let silent: Vec<TcpStream> = (0..4).map(|_| asked(address, &watch)).collect();
        let large = "x".repeat(500_000);
        let mut told = Vec::new();
        for n in 0..100 {
            let body = format!(
                "{{\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"m{n}\"}},\"data\":{{\"k\":\"{large}\"}}}}"
            );
            let head = format!(
                "POST {maps} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let got = answered(asked(address, &format!("{head}{body}")));
            told.extend(codes(&got).iter().map(|code| (*code).to_owned()));
            if notes.lock().unwrap().len() == silent.len() {
                break;
            }
        }
        let notes = notes.lock().unwrap();
        assert_eq!(notes.len(), silent.len(), "{notes:?} {told:?}");
        assert!(
            notes[0].starts_with(&format!("watch {maps}?watch=1: closed because ")),
            "{notes:?}"
        );
        assert!(told.iter().any(|code| code == "201"), "{told:?}");
    });
}

#[test]
fn a_page_is_served_with_the_same_guard_and_to_many_at_once() {
    let server = Server::bind(([127, 0, 0, 1], 0).into(), false, Limits::default()).unwrap();
    let address = server.address();
    let stop = Arc::new(AtomicBool::new(false));
    let page = Arc::new(Page::new(|| "up 1\n".to_owned()));
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| server.run(&page, &stop));
        let stops = Stops(&stop);
        let silent = asked(address, "GET /met");
        let get = |path: &str, host: &str| {
            let text = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            answered(asked(address, &text))
        };
        let got = get("/metrics", "localhost");
        assert!(
            got.starts_with("HTTP/1.1 200 ") && got.ends_with("\r\n\r\nup 1\n"),
            "{got}"
        );
        assert!(
            got.contains("\r\nContent-Type: text/plain; version=0.0.4\r\n"),
            "{got}"
        );
        assert_eq!(codes(&get("/other", "localhost")), ["404"]);
        assert_eq!(codes(&get("/metrics", "evil.example")), ["403"]);
        drop((silent, stops));
        runs.join().unwrap().unwrap();
    });
}
