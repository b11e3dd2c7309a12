//! Forwards requests to an address on this machine, and returns the responses.

use std::time::Duration;

use hyper::Method;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::head::Head;
use crate::Response;
use crate::api::status::Status;
use crate::client;
use crate::proxy::Proxied;
use crate::sys::net::{self, within};

/// The time limit for the response of an address.
const PATIENCE: Duration = Duration::from_secs(60);

/// Headers that concern a single connection, or reveal the client.
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

/// The response of an address.
pub(super) struct ProxyResponse {
    pub(super) code: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Returns the response if an address does not respond.
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
/// The API server's error if the address does not respond.
pub(super) async fn pass(
    to: &Proxied,
    head: &Head,
    source: Option<String>,
    body: Vec<u8>,
) -> Result<ProxyResponse, String> {
    let failed = |why: String| format!("error trying to reach service: {why}");
    // A single limit, because an address may be slow at any point.
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
    // Declared, because chunks would be sent otherwise, which small servers do not support.
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
    // A GET without a body has no length, as browsers and Go's client send it.
    if length > 0 || !matches!(head.method, Method::GET | Method::HEAD) {
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    // The host name of this server has no meaning to the address.
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

/// Adds the headers by which a program behind a proxy learns the sender and the original path, as the API server does.
fn forwarded(headers: &mut HeaderMap, head: &Head, source: Option<String>) {
    let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
    let mut insert = |name, value: &str| {
        // An address and a path of a request are valid values.
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    // Programs make links from it. The query belongs to the request and not to the place of the program.
    insert("x-forwarded-uri", &path(&head.target));
    let address = source.and_then(|from| Some(from.rsplit_once(':')?.0.to_owned()));
    if let Some(address) = address {
        // A list, which other proxies before this server may have begun.
        let earlier: Vec<&str> = head.fields("x-forwarded-for").collect();
        let all = [earlier.as_slice(), &[&address]].concat().join(", ");
        insert("x-forwarded-for", &all);
    }
}

/// Returns the headers that concern both ends.
fn kept(headers: &HeaderMap) -> HeaderMap {
    // All other headers concern both ends, such as media types and ranges.
    let mut kept = headers.clone();
    for name in OWN {
        kept.remove(name);
    }
    kept
}
