//! HTTP/1.1 and HTTP/2: converts input from a connection to API requests and returns their responses.
//!
//! `hyper` implements the protocol on a runtime that only the server creates. Requests are handled on separate threads,
//! because the cluster reads files and waits for locks. Watches need no thread: they are woken by changes (`hub`).
//! Must not know: the content of responses.

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
