//! HTTP/1.1 and HTTP/2: what comes over a connection becomes a request of the API, and its response
//! goes back.
//!
//! `hyper` reads and writes the protocol on a runtime that only the server makes. Requests are handled
//! on threads of their own, because the cluster reads files and waits for locks.
//! Must not know: what is returned.

mod body;
mod coding;
pub(super) mod exchange;
mod guard;
mod head;
#[cfg(test)]
mod heads;
mod login;
mod metrics;
mod pipe;
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
pub use record::{Detail, Logged};
pub use server::Server;
pub use shared::Limits;
