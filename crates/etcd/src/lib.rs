//! A blocking client of etcd's v3 API.
//!
//! The messages are encoded by hand in the wire format of `ctl-protobuf`, and gRPC's frames over HTTP/2: neither
//! `protoc` nor generated code is needed. A small runtime drives the connection, and the API has no futures. A call
//! from a task of another runtime panics; its threads for blocking work are fine.
//!
//! A transaction whose response is lost is never sent again: [`EtcdError::Lost`] requires the caller to read a key that
//! the transaction writes. Reads are sent to the next member instead.
//!
//! Must not know: Kubernetes, the layout of the keys.

use ctl_protobuf as protobuf;
use ctl_sys as sys;

mod channel;
mod client;
mod error;
mod message;
mod tls;
mod watch;

pub use client::Client;
pub use error::{EtcdError, Result};
pub use message::{
    Compare, Event, KeyRange, KeyValue, KeyWrite, Lease, MemberStatus, Order, Ranged, Txn, TxnDone,
    Watched, prefix_end,
};
pub use tls::Tls;
pub use watch::Watch;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
