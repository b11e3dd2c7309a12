//! Kubernetes objects in `application/vnd.kubernetes.protobuf`.
//!
//! A body consists of the four bytes `k8s` NUL and a `runtime.Unknown`, which contains the type of the object and its
//! bytes. One table with the field numbers of the built-in kinds serves both directions. Decoded objects match the
//! JSON of a Go client, but without the unset fields that Go marshals.
//!
//! Must not know: HTTP, or the meaning of fields.

use ctl_api as api;

mod decode;
mod encode;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
mod members;
mod presence;
mod schema;
mod special;
pub mod wire;

pub use decode::{DecodeError, decode};
pub use encode::{List, encode, encode_watch_event};

/// The first four bytes of every body.
pub const MAGIC: &[u8] = b"k8s\0";

/// The media type of objects in this encoding.
pub const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// Returns true if objects of this kind can be encoded. Custom resources cannot.
pub fn knows(api_version: &str, kind: &str) -> bool {
    schema::Schema::get()
        .message_of(api_version, kind)
        .is_some()
}

#[cfg(test)]
mod tests;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
