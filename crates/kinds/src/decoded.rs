//! An object as it was read from a client.

use crate::api::json::Value;

/// An object as the server reads it from a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object: canonical, defaulted, without unknown fields.
    pub object: Value,
    /// Paths of the unknown fields that were dropped, sorted; [`decode::strict`](crate::schema::decode::strict) makes an error of them.
    pub unknown: Vec<String>,
}
