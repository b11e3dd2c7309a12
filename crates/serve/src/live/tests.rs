use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use super::*;

/// Starts a server that sends the next response on each connection, and then closes it.
fn serving(responses: Vec<String>) -> (Access, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = format!("http://{}/under", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let turn = |response: String| respond(listener.accept().unwrap().0, &response);
        responses.into_iter().map(turn).collect()
    });
    let access = Access {
        server,
        authorization: Some("Bearer t".to_owned()),
        ..Access::default()
    };
    (access, thread)
}

/// Reads a request up to the empty line, and sends the response.
fn respond(stream: TcpStream, response: &str) -> String {
    let mut request = String::new();
    let mut lines = BufReader::new(stream);
    while !request.ends_with("\r\n\r\n") {
        assert_ne!(lines.read_line(&mut request).unwrap(), 0);
    }
    lines.into_inner().write_all(response.as_bytes()).unwrap();
    request
}

fn whole(code: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {code}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

#[test]
fn closed_connection_reconnects_and_paths_keep_the_server_prefix() {
    let bodies = ["{\"n\": 1}", "{\"n\": 2}"].map(|body| whole("200 OK", body));
    let (access, server) = serving(bodies.to_vec());
    let mut live = Live::new(&access).unwrap();
    for n in [1, 2] {
        assert_eq!(live.get("/api/v1").unwrap()["n"], n);
    }
    for request in server.join().unwrap() {
        assert!(request.starts_with("GET /under/api/v1 HTTP/1.1\r\n"));
        assert!(request.contains("\r\nauthorization: Bearer t\r\n"));
    }
}

#[test]
fn invalid_responses_are_errors_with_kubectls_texts() {
    let forbidden =
        r#"{"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no pods for you"}"#;
    for (response, told) in [
        (
            whole("403 Forbidden", forbidden),
            "Error from server (Forbidden): no pods for you",
        ),
        (
            whole("502 Bad Gateway", "<html>busy</html>"),
            "Error from server: <html>busy</html>",
        ),
        (
            whole("503 Service Unavailable", ""),
            "the server responded with the status code 503",
        ),
        (
            whole("200 OK", "{\"items\": [1, "),
            "the server's response is no JSON: EOF while parsing",
        ),
        (
            whole("200 OK", &"[".repeat(100_000)),
            "the server's response is no JSON: recursion limit exceeded",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{".to_owned(),
            "Unable to connect to the server: ",
        ),
        (
            "SSH-2.0-OpenSSH_9.2\r\n\r\n".to_owned(),
            "Unable to connect to the server: ",
        ),
    ] {
        let (access, server) = serving(vec![response.clone()]);
        let error = Live::new(&access).unwrap().get("/api").unwrap_err();
        assert!(error.to_string().starts_with(told), "{response}: {error}");
        drop(server.join().unwrap());
    }
}

#[test]
fn unreachable_and_invalid_addresses_are_reported() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let access = |server: &str| Access {
        server: server.to_owned(),
        ..Access::default()
    };
    let mut live = Live::new(&access(&format!("http://{address}"))).unwrap();
    let refused =
        format!("Unable to connect to the server: dial tcp {address}: connect: connection refused");
    assert_eq!(live.get("/api").unwrap_err().to_string(), refused);
    let wrong = Live::new(&access("ftp://k")).unwrap_err();
    assert_eq!(wrong, "\"ftp://k\" must begin with https:// or http://");
}

#[test]
fn a_watch_returns_each_event_and_its_end() {
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    // One event arrives in pieces, and two in a single piece.
    let good = [
        head,
        &chunk("{\"type\": \"ADD"),
        &chunk("ED\"}\n{\"type\": \"DELETED\"}\n\n"),
        "0\r\n\r\n",
    ];
    let broken = [head, &chunk("{\"type\":\n"), "0\r\n\r\n"];
    let gone = whole("410 Gone", r#"{"reason": "Expired", "message": "too old"}"#);
    let (access, server) = serving(vec![good.concat(), broken.concat(), gone]);
    let mut live = Live::new(&access).unwrap();
    let mut heard = Vec::new();
    for watch in 0..3 {
        live.watch(watch, "/api/v1/pods?watch=true".to_owned());
        while let Some(next) = live.next(Duration::from_secs(20)) {
            assert_eq!(next.watch, watch);
            let ended = next.event.is_err();
            heard.push(match next.event {
                Ok(event) => event["type"].as_str().unwrap().to_owned(),
                Err(Ended::ByServer) => "ended".to_owned(),
                Err(Ended::Failed(e)) => e.to_string(),
            });
            if ended {
                break;
            }
        }
    }
    drop(server.join().unwrap());
    assert_eq!(heard[..3], ["ADDED", "DELETED", "ended"]);
    assert!(heard[3].starts_with("the server's response is no JSON"));
    assert_eq!(heard[4], "Error from server (Expired): too old");
}

#[test]
fn downloads_follow_redirects_and_try_again_after_errors_of_the_server() {
    let moved = "HTTP/1.1 302 Found\r\nLocation: there.yaml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (access, server) = serving(vec![
        whole("503 Service Unavailable", ""),
        moved.to_owned(),
        whole("200 OK", "kind: ConfigMap"),
    ]);
    let url = format!("{}/here.yaml?a=b", access.server).replace("//", "//me:a%40b@");
    assert_eq!(download(&url).unwrap(), b"kind: ConfigMap");
    let requests = server.join().unwrap();
    assert!(requests[1].starts_with("GET /under/here.yaml?a=b HTTP/1.1\r\n"));
    assert!(requests[2].starts_with("GET /under/there.yaml HTTP/1.1\r\n"));
    // A redirect to the same host keeps the credentials.
    for request in requests {
        assert!(request.contains("\r\nauthorization: Basic bWU6YUBi\r\n"));
    }
}

#[test]
fn failed_downloads_have_kubectls_texts() {
    let (access, server) = serving(vec![whole("404 No such file", "no")]);
    let url = format!("{}/x.yaml", access.server);
    let Err(LiveError::Refused { message, .. }) = download(&url) else {
        panic!("no error");
    };
    assert_eq!(
        message,
        format!("unable to read URL {url:?}, server reported 404 No such file, status code=404")
    );
    server.join().unwrap();
    let address = access
        .server
        .trim_start_matches("http://")
        .trim_end_matches("/under");
    let why = format!("dial tcp {address}: connect: connection refused");
    assert_eq!(download(&url), Err(LiveError::Unreachable(why)));
}
