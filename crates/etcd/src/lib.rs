//! A blocking client of etcd's v3 API.
//!
//! Encodes the messages by hand in the wire format of `ctl-protobuf` and puts gRPC's frames over HTTP/2, so neither
//! `protoc` nor generated code is needed. A small runtime drives the connection; the API has no futures. A call from
//! an async task of another runtime panics, but its threads for blocking work may call.
//!
//! A transaction whose response is lost is never sent again: after [`EtcdError::Lost`], the caller must read a key
//! that the transaction writes. Reads are repeated on the next member.
//!
//! Must not know: Kubernetes, or the layout of the keys.

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
