//! The decoded form of an object that a client sent.

use crate::api::json::Value;

/// An object after decoding.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::shape::{self, Decoded};
/// use ctl_kinds::find;
///
/// let kind = find("", "v1", "ConfigMap").unwrap();
/// let sent = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "dat": {}});
/// let decoded: Decoded = shape::read(kind, &sent).unwrap();
/// assert_eq!(decoded.unknown, ["dat"]);
/// assert!(decoded.object["dat"].is_null());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object: canonical, defaulted, without unknown fields.
    pub object: Value,
    /// The paths of unknown fields that were dropped, in the order of their names.
    /// [`decode::strict`](crate::schema::decode::strict) turns them into an error.
    pub unknown: Vec<String>,
}
