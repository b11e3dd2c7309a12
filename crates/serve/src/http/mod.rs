//! HTTP/1.1 and HTTP/2: turns the input on a connection into API requests and sends the responses.
//!
//! `hyper` implements the protocol, on a runtime that only the server creates. Requests are handled on threads of
//! their own, because the cluster reads files and waits for locks. Watches need no thread, because changes wake them
//! (`hub`). Must not know: the content of responses.

mod author;
mod body;
mod coding;
pub(super) mod exchange;
mod guard;
mod head;
#[cfg(test)]
mod heads;
mod hub;
mod lists;
mod login;
mod metrics;
mod pipe;
mod plain;
mod proxy;
mod record;
mod refusal;
mod reply;
mod route;
pub(super) mod server;
pub(super) mod shared;
#[cfg(test)]
mod tests;
mod upgrade;
mod watch;

pub use login::view_key;
pub use record::{REQUEST_BODIES, REQUEST_HEADERS, REQUESTS};
pub use server::Server;
pub use shared::Limits;
