//! Connections that leave HTTP: WebSocket and SPDY, for commands in containers and for ports.

mod command;
mod forward;
mod pump;
pub(super) mod streamed;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tokio::runtime::Handle;

use super::head::Head;
use super::login::is_bearer;
use super::refusal::Refusal;
use super::shared::{InFlightRequest, Permit, Shared};
use crate::Response;
use crate::api::status::Status;
use crate::budget::Reservation;
use crate::connect::{Connection, Purpose};
use crate::sys::net::within;
use crate::wire::Protocol;

/// The text that RFC 6455 appends to a client's key.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The memory to reserve for a connection, in bytes, for the queues of both directions.
const MEMORY: usize = 512 * 1024;

/// The time limit for the client to receive the response to its upgrade request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The WebSocket protocols for commands.
const COMMANDS: &[(&str, Protocol)] = &[
    ("v5.channel.k8s.io", Protocol::Channels { ends: true }),
    ("v4.channel.k8s.io", Protocol::Channels { ends: false }),
];

/// The WebSocket protocols for ports.
const PORTS: &[(&str, Protocol)] = &[
    ("SPDY/3.1+portforward.k8s.io", Protocol::Tunnel),
    ("v4.channel.k8s.io", Protocol::Channels { ends: false }),
];

/// The SPDY protocols.
const SPDY_COMMANDS: &[(&str, Protocol)] = &[("v4.channel.k8s.io", Protocol::Spdy)];
const SPDY_PORTS: &[(&str, Protocol)] = &[("portforward.k8s.io", Protocol::Spdy)];

/// The protocol on which server and client have agreed, with the connection's resources.
pub(super) struct Negotiated {
    pub(super) protocol: Protocol,
    pub(super) headers: HeaderMap,
    pub(super) permit: Permit,
    pub(super) memory: Reservation,
}

/// The resources of a connection, which it holds until it ends.
pub(super) struct ConnectionResources {
    _ongoing: InFlightRequest,
    _own: Option<(Permit, Reservation)>,
}

impl ConnectionResources {
    pub(super) fn new(ongoing: InFlightRequest, permit: Permit, memory: Reservation) -> Self {
        Self {
            _ongoing: ongoing,
            _own: Some((permit, memory)),
        }
    }

    /// Returns the resources of a streaming response, which has its own slot and memory.
    pub(super) fn streaming(ongoing: InFlightRequest) -> Self {
        Self {
            _ongoing: ongoing,
            _own: None,
        }
    }
}

/// Chooses the protocol, and reserves a slot and memory for the connection.
pub(super) fn agree(
    head: &Head,
    connection: &Connection<'_>,
    shared: &Arc<Shared>,
) -> Result<Negotiated, Box<Response>> {
    let (protocol, headers) = handshake(head, &connection.purpose)?;
    // Uses the slots of watches, because both last long.
    let permit = Permit::watch(shared);
    let permit = permit.ok_or_else(|| Refusal::too_many("connections to containers").said())?;
    let mut memory = shared.budget.reserve();
    memory
        .grow(MEMORY)
        .map_err(|_| Refusal::no_memory().said())?;
    Ok(Negotiated {
        protocol,
        headers,
        permit,
        memory,
    })
}

/// Returns the protocol and the response headers.
fn handshake(head: &Head, purpose: &Purpose) -> Result<(Protocol, HeaderMap), Box<Response>> {
    if !head.upgrades() {
        return Err(Connection::not_upgraded().into());
    }
    // Commands and ports have different protocols.
    let is_command = matches!(purpose, Purpose::Command { .. });
    if head.is_socket() {
        let proof = proof(head)?;
        let known = if is_command { COMMANDS } else { PORTS };
        let (name, protocol) = chosen(head, "sec-websocket-protocol", known)?;
        let mut headers = switch("websocket");
        headers.insert("sec-websocket-protocol", HeaderValue::from_static(name));
        headers.extend(proof);
        return Ok((protocol, headers));
    }
    // Used by kubectl up to 1.29, and by programs with an older client-go.
    if head.lists("upgrade", "spdy/3.1") {
        let known = if is_command {
            SPDY_COMMANDS
        } else {
            SPDY_PORTS
        };
        let (name, protocol) = chosen(head, "x-stream-protocol-version", known)?;
        let mut headers = switch("SPDY/3.1");
        headers.insert("x-stream-protocol-version", HeaderValue::from_static(name));
        return Ok((protocol, headers));
    }
    Err(Connection::not_upgraded().into())
}

/// Returns the header that proves that the server has read a WebSocket's key.
fn proof(head: &Head) -> Result<HeaderMap, Box<Response>> {
    let key = head.field("sec-websocket-key");
    // Version 13 is the only standardized one.
    let key = key.filter(|_| head.lists("sec-websocket-version", "13"));
    let key = key.ok_or_else(|| refused(400, "bad WebSocket handshake"))?;
    let accepted = HeaderValue::from_str(&accepted(key)).ok();
    let accepted = accepted.map(|accepted| (header::SEC_WEBSOCKET_ACCEPT, accepted));
    Ok(accepted.into_iter().collect())
}

/// Returns the first of the client's protocols that the server supports.
fn chosen(
    head: &Head,
    field: &str,
    known: &[(&'static str, Protocol)],
) -> Result<(&'static str, Protocol), Box<Response>> {
    let asked = head.offered(field);
    // In the client's order, as in the API server.
    let known_one = |own: &&str| known.iter().find(|(name, _)| name == own);
    let found = asked.iter().find_map(known_one);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let asked: Vec<&str> = asked.into_iter().filter(|own| !is_bearer(own)).collect();
        let asked = asked.join(" ");
        let why = format!(
            "unable to upgrade: unable to negotiate protocol: client supports [{asked}], server accepts [{}]",
            names.join(" ")
        );
        refused(403, &why)
    })
}

fn refused(code: u16, why: &str) -> Box<Response> {
    let reason = if code == 403 {
        "Forbidden"
    } else {
        "BadRequest"
    };
    Box::new(
        Status {
            code,
            reason,
            ..Status::bad_request(why)
        }
        .into(),
    )
}

fn switch(to: &'static str) -> HeaderMap {
    HeaderMap::from_iter([
        (header::UPGRADE, HeaderValue::from_static(to)),
        (header::CONNECTION, HeaderValue::from_static("Upgrade")),
    ])
}

/// Returns the proof that the server has read the key.
fn accepted(key: &str) -> String {
    // Only proves that the response does not come from a cache. It protects nothing, so the outdated digest does no
    // harm.
    let whole = format!("{key}{MAGIC}");
    BASE64_STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, whole.as_bytes()))
}

/// Serves a connection, on this thread and its runtime.
pub(super) fn run(
    protocol: Protocol,
    connection: Connection<'_>,
    upgrade: OnUpgrade,
    held: ConnectionResources,
    shared: &Arc<Shared>,
) {
    let runtime = Handle::current();
    // The client may have gone by now.
    let Ok(Ok(upgraded)) = runtime.block_on(async { within(PATIENCE, upgrade).await }) else {
        return;
    };
    // The connection's time limits still apply, so a client that does not read is disconnected.
    let io = TokioIo::new(upgraded);
    let link = pump::Link {
        io,
        protocol,
        held,
        shared: Arc::clone(shared),
    };
    match &connection.purpose {
        Purpose::Command { words, streams } => {
            command::run(&connection, words.as_deref(), *streams, link, &runtime);
        }
        Purpose::Ports(ports) => {
            let (nodes, pod) = (connection.nodes, connection.target.pod.clone());
            let forwarding = forward::Forwarding { nodes, pod };
            let ports = ports.clone();
            // The cluster is no longer needed, so the thread is free for others.
            runtime.spawn(forward::run(forwarding, ports, link));
        }
    }
}
