//! Accepts only requests meant for this server. Rejects a web page that reaches the machine's address under a foreign
//! name, or that sends requests on its own.

use hyper::Version;

use super::head::Head;
use super::login;
use super::refusal::Refusal;
use crate::pki::SERVER_NAMES;

/// The host names of the local machine.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Rejects requests by web pages and requests for foreign host names.
///
/// `listens` is the host of the listening address. Its name is accepted, too; with the wildcard address, any name is.
/// On an encrypted connection, the names in the certificate are accepted as well.
pub(super) fn check(head: &Head, listens: &str, is_encrypted: bool) -> Result<(), Refusal> {
    let refuse = |code, why: &str| Err(Refusal::closing(code, why));
    let mut hosts = head.hosts();
    // There must be exactly one host: with two, a proxy and this server might disagree on which one to use.
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host,
        (None, _) if head.version < Version::HTTP_11 => OWN[0],
        _ => return refuse(400, "a request must have exactly one Host header"),
    };
    // Targets without a path are meant for proxies and for `OPTIONS`.
    if !head.target.starts_with('/') {
        return refuse(400, "a request must name a path");
    }
    let name = name(host).to_ascii_lowercase();
    // With the wildcard address, it is unknown which names are valid.
    let anywhere = ["0.0.0.0", "[::]"].contains(&listens);
    // Under such a name, a browser shows a page only if it trusts the cluster's authority.
    let is_certified = is_encrypted && SERVER_NAMES.contains(&name.as_str());
    let is_own = is_certified || name == listens || OWN.contains(&name.as_str());
    // Prevents DNS rebinding: a foreign name that resolves to 127.0.0.1 appears in `Host`.
    if !anywhere && !is_own {
        return refuse(403, "this host is not served");
    }
    let site = head.field("sec-fetch-site");
    // Browsers add these headers to requests by pages; kubectl and client-go never send them.
    let is_foreign = |origin: &str| {
        // The web view's page may send requests only to its own server and path. Programs that open a WebSocket, such
        // as Python's client, use their server as the origin.
        let from = origin.split_once("://").map(|(_, from)| from);
        let may = login::is_view(head) || head.field("sec-websocket-key").is_some();
        !(may && from.is_some_and(|from| from.eq_ignore_ascii_case(host)))
    };
    if head.field("origin").is_some_and(is_foreign)
        || site.is_some_and(|s| s != "none" && s != "same-origin")
    {
        return refuse(403, "requests from browser pages are rejected");
    }
    let coding = head.field("content-encoding");
    // No client of the API compresses bodies, and a small one could expand to gigabytes.
    if coding.is_some_and(|c| !c.eq_ignore_ascii_case("identity")) {
        return refuse(415, "the body of a request must not be compressed");
    }
    Ok(())
}

/// Returns the host without the port.
fn name(host: &str) -> &str {
    match host.rsplit_once(':') {
        // A bare `::1` also ends in digits after a colon.
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => {
            name
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(request: hyper::Request<()>, listens: &str) -> u16 {
        let head = Head::new(request.into_parts().0);
        check(&head, listens, false).map_or_else(|refusal| refusal.code, |()| 200)
    }

    fn asked(target: &str, fields: &str, listens: &str) -> u16 {
        let mut request = hyper::Request::get(target);
        for field in fields.lines() {
            let (name, value) = field.split_once(':').unwrap();
            request = request.header(name, value.trim());
        }
        code(request.body(()).unwrap(), listens)
    }

    #[test]
    fn foreign_hosts_and_origins_are_rejected() {
        for (fields, code) in [
            ("Host: 127.0.0.1:8001\r\n", 200),
            ("Host: LocalHost\r\n", 200),
            ("Host: [::1]:8001\r\n", 200),
            ("Host: evil.com\r\n", 403),
            ("Host: localhost.evil.com\r\n", 403),
            ("Host: 127.0.0.1.nip.io:8001\r\n", 403),
            ("Host: localhost:x\r\n", 403),
            ("Host:\r\n", 403),
            ("", 400),
            ("Host: localhost\r\nHost: localhost\r\n", 400),
            ("Host: localhost\r\nOrigin: http://localhost\r\n", 403),
            ("Host: localhost\r\nOrigin: null\r\n", 403),
            ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", 403),
            ("Host: localhost\r\nSec-Fetch-Site: none\r\n", 200),
            ("Host: localhost\r\nContent-Encoding: gzip\r\n", 415),
        ] {
            assert_eq!(asked("/api", fields, "127.0.0.1"), code, "{fields}");
        }
        for (target, code) in [
            ("http://evil.com/", 403),
            ("http://localhost/api", 200),
            ("https://127.0.0.1:80/api", 200),
        ] {
            // The host in the target takes precedence.
            for fields in ["Host: localhost\r\n", "Host: evil.com\r\n", ""] {
                assert_eq!(
                    asked(target, fields, "127.0.0.1"),
                    code,
                    "{target} {fields}"
                );
            }
        }
        assert_eq!(asked("*", "Host: localhost\r\n", "127.0.0.1"), 400);
        for (path, origin, code) in [
            ("/ui/run", "http://localhost:80", 200),
            ("/ui/run", "https://LOCALHOST:80", 200),
            ("/ui/run", "http://localhost:81", 403),
            ("/ui/run", "http://localhost:80.evil.com", 403),
            ("/ui/run", "null", 403),
            ("/uid", "http://localhost:80", 403),
            ("/api", "http://localhost:80", 403),
        ] {
            let fields = format!("Host: localhost:80\r\nOrigin: {origin}\r\n");
            assert_eq!(asked(path, &fields, "127.0.0.1"), code, "{path} {origin}");
        }
        for (origin, code) in [
            ("http://localhost:80", 200),
            ("https://localhost:80", 200),
            ("http://localhost", 403),
            ("http://evil.com", 403),
            ("null", 403),
        ] {
            let fields =
                format!("Host: localhost:80\r\nSec-WebSocket-Key: k\r\nOrigin: {origin}\r\n");
            assert_eq!(asked("/api", &fields, "127.0.0.1"), code, "{origin}");
        }
        assert_eq!(asked("/", "Host: 10.1.2.3:80\r\n", "10.1.2.3"), 200);
        assert_eq!(asked("/", "Host: box.lan\r\n", "0.0.0.0"), 200);
    }

    #[test]
    fn names_in_the_certificate_are_served_over_tls() {
        for (host, encrypted) in [
            ("kubernetes.default.svc:443", Ok(())),
            ("Kubernetes", Ok(())),
            ("10.96.0.1", Ok(())),
            ("kubernetes.default.svc.evil.com", Err(403)),
            ("default.svc", Err(403)),
        ] {
            let request = hyper::Request::get("/api").header("host", host);
            let head = Head::new(request.body(()).unwrap().into_parts().0);
            let got = |is_encrypted| {
                check(&head, "127.0.0.1", is_encrypted).map_err(|refusal| refusal.code)
            };
            assert_eq!((got(true), got(false)), (encrypted, Err(403)), "{host}");
        }
    }

    #[test]
    fn http2_host_check_uses_the_request_target() {
        for (target, expected) in [
            ("https://localhost:8001/api", 200),
            ("https://127.0.0.1/api", 200),
            ("https://evil.com/api", 403),
        ] {
            let request = hyper::Request::get(target).version(Version::HTTP_2);
            // Sends the host twice, like a client that adds the field of HTTP/1.1.
            let request = request.header("host", "localhost").body(()).unwrap();
            assert_eq!(code(request, "127.0.0.1"), expected, "{target}");
        }
    }
}
