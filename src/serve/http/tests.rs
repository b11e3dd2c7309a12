//! What goes over a connection, without one: bytes in, bytes out.

use std::sync::atomic::Ordering;

use super::exchange;
use super::server::{Limits, Shared};
use crate::cluster::testing::{Scratch, fresh};
use crate::kinds::{Kind, registry};
use crate::serve::fuzz::Tape;

fn shared(limits: Limits) -> Shared {
    crate::serve::fuzz::shared(limits, false)
}

fn told(cluster: &Scratch, sent: &str, shared: &Shared) -> String {
    let mut tape = Tape {
        sent: sent.as_bytes(),
        piece: 7,
        got: Vec::new(),
    };
    exchange::run(&mut tape, cluster, shared);
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
