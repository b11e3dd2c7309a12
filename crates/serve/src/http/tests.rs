//! Tests over an in-memory connection: bytes in, bytes out.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hyper::body::Body as _;
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::server::Server;
use super::shared::{ConnectionState, Limits, Shared};
use super::{pipe, server, watch};
use crate::cluster::Follower;
use crate::cluster::testing::{self, Scratch};
use crate::fuzz::{Sends, converse};
use crate::kinds::admission::User;
use crate::kinds::{Kind, registry};
use crate::sys::net;
use crate::{Page, Reply, Request, Response, Service};

impl Service for Scratch {
    fn open<'s>(&'s self, request: &Request<'_>) -> Reply<'s> {
        self.cluster.open(request)
    }

    fn identity(&self) -> User {
        self.cluster.rights().identity().clone()
    }

    fn bearer(&self, token: &str) -> Option<User> {
        self.cluster.bearer(token)
    }

    fn follower(&self) -> Option<Follower<'_>> {
        Some(self.cluster.feed().follower())
    }
}

pub(super) fn fresh() -> Arc<Scratch> {
    Arc::new(testing::fresh())
}

pub(super) fn shared(limits: Limits) -> Arc<Shared> {
    crate::fuzz::shared(limits, false)
}

fn sends(bytes: &[u8], stays: bool) -> Sends<'_> {
    Sends {
        bytes,
        piece: 7,
        stays,
    }
}

/// Returns the output for a client that sends this and then closes its sending side.
pub(super) fn told(cluster: &Arc<Scratch>, sent: &str, shared: &Arc<Shared>) -> String {
    let got = converse(cluster, sends(sent.as_bytes(), false), shared);
    String::from_utf8(got).unwrap()
}

/// Returns the output for a client that waits for the server to close the connection.
pub(super) fn told_to_the_end(cluster: &Arc<Scratch>, sent: &str, shared: &Arc<Shared>) -> String {
    let sent = sent.replace("Host:", "Connection: close\r\nHost:");
    let got = converse(cluster, sends(sent.as_bytes(), true), shared);
    String::from_utf8(got).unwrap()
}

pub(super) fn codes(text: &str) -> Vec<&str> {
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
    // Input after the last request is not read.
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
fn expect_continue_gets_100_or_413() {
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
fn invalid_request_gets_an_error_and_closes_the_connection() {
    let cluster = fresh();
    let got = told(
        &cluster,
        "nonsense\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        &shared(Limits::default()),
    );
    assert_eq!(codes(&got), ["400"]);
    assert!(got.contains("\r\nConnection: close\r\n"), "{got}");
    let evil = post("").replace("localhost", "evil.example");
    assert_eq!(
        codes(&told(&cluster, &evil, &shared(Limits::default()))),
        ["403"]
    );
    // A connection that is closed too early gets no response.
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
fn watch_is_chunked_and_ends_at_its_timeout() {
    let cluster = fresh();
    let sent = "GET /api/v1/namespaces?watch=1&timeoutSeconds=1&allowWatchBookmarks=true HTTP/1.1\r\n\
        Host: localhost\r\n\r\n";
    let got = told_to_the_end(&cluster, sent, &shared(Limits::default()));
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
    let got = told_to_the_end(&cluster, sent, &shared(none));
    assert_eq!(codes(&got), ["429"]);
    assert!(got.contains("\r\nRetry-After: 1\r\n"), "{got}");
}

#[test]
fn a_server_that_stops_ends_its_watches() {
    let cluster = fresh();
    let shared = shared(Limits::default());
    shared.stop.store(true, Ordering::Relaxed);
    let sent = "GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let got = told_to_the_end(&cluster, sent, &shared);
    assert!(got.ends_with("\r\n0\r\n\r\n"), "{got}");
}

#[test]
fn watch_of_an_unwatchable_kind_returns_405() {
    let sent = "GET /api/v1/componentstatuses?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let got = told(&fresh(), sent, &shared(Limits::default()));
    assert_eq!(codes(&got), ["405"], "{got}");
    let why = "watch is not supported on resources of kind \\\"componentstatuses\\\"";
    assert!(got.contains(why), "{got}");
}

#[test]
fn impersonation_changes_the_user_of_a_request() {
    let sent =
        "GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nImpersonate-User: bob\r\n\r\n";
    let got = told(&fresh(), sent, &shared(Limits::default()));
    assert!(got.contains("User \\\"bob\\\" cannot list"), "{got}");
    assert_eq!(codes(&got), ["403"]);
}

/// Returns the requests to try for a kind: the method, the path after the collection, and the media type of the body.
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
fn user_without_a_role_is_forbidden_every_request() {
    let (cluster, shared) = (fresh(), shared(Limits::default()));
    let before = cluster.stored().moment().unwrap();
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
    assert_eq!(cluster.stored().moment().unwrap(), before);
    assert!(count > 800, "{count}");
}

#[test]
fn users_may_read_only_discovery_paths() {
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
        // As in the real API server, clients without credentials may read two of them (`system:public-info-viewer`).
        let nobody = match path {
            "/version" | "/healthz" => "200",
            _ => "403",
        };
        let stranger = "Impersonate-User: system:anonymous\r\n";
        assert_eq!(code(path, stranger), nobody, "{path}");
    }
    assert_eq!(code("/metrics", "Impersonate-User: bob\r\n"), "403");
    assert_eq!(code("/", "Impersonate-User: bob\r\n"), "403");
    assert_eq!(code("/", ""), "200");
}

#[test]
fn metrics_endpoint_counts_requests() {
    let (cluster, shared) = (fresh(), shared(Limits::default()));
    let get = |path: &str| {
        let sent = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        told(&cluster, &sent, &shared)
    };
    get("/api/v1/namespaces");
    get("/api/v1/namespaces/default/pods/none");
    let got = get("/metrics");
    assert!(
        got.contains("\r\nContent-Type: text/plain; version=0.0.4\r\n"),
        "{got}"
    );
    for part in [
        "{code=\"200\",component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"namespaces\",scope=\"cluster\"",
        "{code=\"404\",component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"pods\",scope=\"resource\"",
    ] {
        assert!(got.contains(part), "{got}");
    }
    assert!(
        got.contains("\napiserver_current_inflight_requests{request_kind=\"readOnly\"} 1\n"),
        "{got}"
    );
    // Without a server, there are no metrics.
    let request = Request::get("/metrics", cluster.rights().identity().clone());
    assert_eq!(crate::respond(&cluster, &request).code, 404);
}

#[test]
fn default_field_manager_is_the_user_agent() {
    let cluster = fresh();
    let got = told(
        &cluster,
        &post("User-Agent: robot/1.0 (x)\r\n"),
        &shared(Limits::default()),
    );
    assert!(got.contains("\"manager\":\"robot\""), "{got}");
}

#[test]
fn a_watch_that_is_not_read_ends_with_410() {
    let cluster = testing::fresh();
    let limits = Limits {
        unread: Duration::from_millis(1),
        ..Limits::default()
    };
    let shared = shared(limits);
    let user = cluster.rights().identity().clone();
    let request = Request::get("/api/v1/namespaces?watch=1", user);
    let Reply::Watch(stream) = Service::open(&cluster, &request) else {
        panic!("a watch");
    };
    let (out, from) = pipe::pipe();
    // The first events are not read, so the next ones do not fit.
    out.send(b"{}\n".to_vec(), true);
    let run = watch::run(&out, request.path, watch::OnThread(stream), &shared);
    let end = net::runtime(1).unwrap().block_on(run);
    end.finish(out);
    let mut got = String::new();
    let end = loop {
        match from.poll_next(&Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(Ok(piece))) => got += std::str::from_utf8(&piece).unwrap(),
            other => break other,
        }
    };
    assert!(matches!(end, Poll::Ready(None)), "{end:?}");
    assert!(got.contains("\"code\":410") && got.contains("\"reason\":\"Expired\""));
    assert!(!got.contains("ADDED"), "{got}");
}

#[test]
fn bodies_beyond_the_budget_get_a_retry_later() {
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
    // A declared length reserves nothing.
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

/// Holds all requests until they are released.
#[derive(Default)]
struct Slow {
    /// The number of held requests, and true once they are released.
    state: Mutex<(usize, bool)>,
    news: Condvar,
}

impl Slow {
    fn wait_for(&self, held: usize) {
        let state = self.state.lock().unwrap();
        let waits = |state: &mut (usize, bool)| state.0 < held;
        drop(self.news.wait_while(state, waits).unwrap());
    }

    fn let_go(&self) {
        self.state.lock().unwrap().1 = true;
        self.news.notify_all();
    }
}

impl Service for Slow {
    fn open<'s>(&'s self, _: &Request<'_>) -> Reply<'s> {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.news.notify_all();
        drop(self.news.wait_while(state, |state| !state.1).unwrap());
        Reply::Whole(Response::text(200, "served"))
    }

    fn identity(&self) -> User {
        crate::cluster::administrator()
    }

    fn bearer(&self, _: &str) -> Option<User> {
        None
    }

    fn follower(&self) -> Option<Follower<'_>> {
        None
    }
}

#[test]
fn more_than_600_concurrent_requests_get_a_retry_later() {
    let limits = Limits::default();
    let (most, watches) = (limits.requests, limits.watches);
    assert_eq!(most, 600, "the real server's 400 and 200");
    let (slow, shared) = (Arc::new(Slow::default()), shared(limits));
    let runtime = net::runtime(most + watches).unwrap();
    let get = b"GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let sends = sends(get, true);
    let held: Vec<_> = (0..most)
        .map(|_| {
            let (tape, got) = crate::fuzz::client(sends);
            let line = ConnectionState::new(&shared, None);
            let serving = server::serve(tape, Arc::clone(&slow), line);
            (runtime.spawn(serving), got)
        })
        .collect();
    slow.wait_for(most);
    let ask = || String::from_utf8(converse(&slow, sends, &shared)).unwrap();
    let refused = ask();
    assert_eq!(codes(&refused), ["429"], "{refused}");
    assert!(refused.contains("\r\nRetry-After: 1\r\n"), "{refused}");
    assert!(refused.contains("too many requests, try again later"));
    slow.let_go();
    for (task, got) in held {
        runtime.block_on(task).unwrap();
        let got = String::from_utf8(got.lock().unwrap().clone()).unwrap();
        assert_eq!(codes(&got), ["200"], "{got}");
    }
    assert_eq!(codes(&ask()), ["200"], "their places are free");
}

/// Runs clients against a server on a loopback address, which they are given.
pub(super) fn served<T>(
    limits: Limits,
    clients: impl FnOnce(SocketAddr, &Mutex<Vec<String>>) -> T,
) -> T {
    let Scratch { cluster, directory } = testing::fresh();
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
        let result = clients(server.address().unwrap(), &notes);
        drop(stops);
        runs.join().unwrap().unwrap();
        drop(directory);
        result
    })
}

/// Stops a server, even if the test fails.
struct Stops<'s>(&'s AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub(super) fn asked(address: SocketAddr, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

fn answered(mut stream: TcpStream) -> String {
    let mut got = String::new();
    // The connection may end with a reset.
    let _ = stream.read_to_string(&mut got);
    got
}

#[test]
fn incomplete_requests_are_dropped_for_other_clients() {
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
fn unread_watches_are_closed_and_reported() {
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
fn page_server_checks_hosts_and_serves_concurrent_clients() {
    let server = Server::bind(([127, 0, 0, 1], 0).into(), false, Limits::default()).unwrap();
    let address = server.address().unwrap();
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

/// Sends a request over an HTTP/2 connection. Returns the status code and the first piece of the body.
async fn ask(
    connection: &mut hyper::client::conn::http2::SendRequest<String>,
    target: &str,
    body: &str,
) -> (u16, String, hyper::body::Incoming) {
    let method = if body.is_empty() { "GET" } else { "POST" };
    let request = hyper::Request::builder()
        .method(method)
        .uri(format!("http://localhost{target}"))
        .body(body.to_owned());
    let response = connection.send_request(request.unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let mut body = response.into_body();
    let first = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
    let first = first.unwrap().unwrap().into_data().unwrap();
    (code, String::from_utf8(first.to_vec()).unwrap(), body)
}

#[test]
fn http2_connection_multiplexes_a_watch_and_requests() {
    served(Limits::default(), |address, _| {
        net::runtime(1).unwrap().block_on(async {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let (mut sender, connection) =
                hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                    .await
                    .unwrap();
            tokio::spawn(connection);
            let maps = "/api/v1/namespaces/default/configmaps";
            let from = "?watch=1&fieldSelector=metadata.name%3Da";
            let (mut other, watched) = (sender.clone(), format!("{maps}{from}"));
            let begun = ask(&mut other, &watched, "");
            let during = async {
                // The watch has no event until the object is created.
                let (code, ..) = ask(&mut sender, "/healthz", "").await;
                let (made, ..) = ask(&mut sender, maps, MAP).await;
                (code, made)
            };
            let (watch, codes) = both(begun, during).await;
            assert_eq!(codes, (200, 201));
            assert_eq!(watch.0, 200);
            assert!(watch.1.contains("\"type\":\"ADDED\""), "{}", watch.1);
            // HTTP/2 rejects foreign host names, too.
            let evil = hyper::Request::get("http://evil.example/healthz");
            let refused = sender.send_request(evil.body(String::new()).unwrap()).await;
            assert_eq!(refused.unwrap().status(), 403);
        });
    });
}

/// Runs two futures concurrently until both have completed.
async fn both<A: Future, B: Future>(one: A, other: B) -> (A::Output, B::Output) {
    let (mut one, mut other) = (std::pin::pin!(one), std::pin::pin!(other));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(|cx| {
        if first.is_none()
            && let Poll::Ready(done) = one.as_mut().poll(cx)
        {
            first = Some(done);
        }
        if second.is_none()
            && let Poll::Ready(done) = other.as_mut().poll(cx)
        {
            second = Some(done);
        }
        match (first.take(), second.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            (one, other) => {
                (first, second) = (one, other);
                Poll::Pending
            }
        }
    })
    .await
}
