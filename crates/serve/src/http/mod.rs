//! HTTP/1.1: what comes over a connection becomes a request of the API, and its response goes back.
//!
//! A connection is anything that can be read and written; `server` brings those of the machine.
//! Must not know: what is returned.

mod body;
pub(super) mod exchange;
mod guard;
mod head;
mod input;
mod reply;
pub(super) mod server;
#[cfg(test)]
mod tests;

pub use server::{Limits, Server};
