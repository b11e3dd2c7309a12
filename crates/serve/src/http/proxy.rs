//! Forwards requests to a local address and returns the responses.

use std::time::Duration;

use hyper::Method;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::head::Head;
use crate::Response;
use crate::api::status::Status;
use crate::client;
use crate::proxy::Proxied;
use crate::sys::net::{self, within};

/// The time limit for a response.
const PATIENCE: Duration = Duration::from_secs(60);

/// Headers that concern only a single connection or that reveal the client.
const OWN: [HeaderName; 9] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::CONTENT_LENGTH,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::HOST,
    header::AUTHORIZATION,
    header::COOKIE,
];

/// The response from an address.
pub(super) struct ProxyResponse {
    pub(super) code: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Returns the response for an address that does not respond.
pub(super) fn unreachable(why: &str) -> Response {
    Status {
        code: 503,
        reason: "ServiceUnavailable",
        ..Status::bad_request(why)
    }
    .into()
}

/// Forwards a request.
///
/// # Errors
/// Returns the API server's error if the address does not respond.
pub(super) async fn pass(
    to: &Proxied,
    head: &Head,
    source: Option<String>,
    body: Vec<u8>,
) -> Result<ProxyResponse, String> {
    let failed = |why: String| format!("error trying to reach service: {why}");
    // A single limit for everything, because the address may be slow at any point.
    match within(PATIENCE, exchange(to, head, source, body)).await {
        Ok(passed) => passed.map_err(failed),
        Err(_) => Err(failed("context deadline exceeded".to_owned())),
    }
}

async fn exchange(
    to: &Proxied,
    head: &Head,
    source: Option<String>,
    body: Vec<u8>,
) -> Result<ProxyResponse, String> {
    // Declared, because chunks would be used otherwise, which simple servers do not support.
    let length = body.len();
    let socket = net::connect(&to.address).await;
    let socket = socket.map_err(|e| client::failure::dial(&to.address, &e))?;
    let mut connection = client::handshake(socket).await?;
    let mut request = hyper::Request::builder()
        .method(head.method.clone())
        .uri(&to.target)
        .body(client::WholeBody::from_bytes(body))
        .map_err(|e| e.to_string())?;
    *request.headers_mut() = kept(head.all());
    forwarded(request.headers_mut(), head, source);
    // Browsers and Go's client send no length with a GET that has no body.
    if length > 0 || !matches!(head.method, Method::GET | Method::HEAD) {
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    // This server's host name means nothing to the address.
    if let Ok(host) = to.address.parse() {
        request.headers_mut().insert(header::HOST, host);
    }
    let response = connection
        .send_request(request)
        .await
        .map_err(|e| e.to_string())?;
    let (parts, body) = response.into_parts();
    Ok(ProxyResponse {
        code: parts.status.as_u16(),
        headers: kept(&parts.headers),
        body: client::read(body, client::LONGEST).await?,
    })
}

/// Adds the headers that tell a program behind a proxy who sent the request and its original path, as the API server
/// does.
fn forwarded(headers: &mut HeaderMap, head: &Head, source: Option<String>) {
    let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
    let mut insert = |name, value: &str| {
        // The address and path of a request are valid header values.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    // Programs use it to make links. The query is part of the request rather than of the program's location.
    insert("x-forwarded-uri", &path(&head.target));
    let address = source.and_then(|from| Some(from.rsplit_once(':')?.0.to_owned()));
    if let Some(address) = address {
        // A list, which proxies before this server may have started.
        let earlier: Vec<&str> = head.fields("x-forwarded-for").collect();
        let all = [earlier.as_slice(), &[&address]].concat().join(", ");
        insert("x-forwarded-for", &all);
    }
}

/// Returns the headers to forward.
fn kept(headers: &HeaderMap) -> HeaderMap {
    // All other headers, such as media types and ranges, concern both ends.
    let mut kept = headers.clone();
    for name in OWN {
        kept.remove(name);
    }
    kept
}
