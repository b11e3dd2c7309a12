//! Reading objects: from a client, who may write anything, and from storage, where they are sound.

use super::kind::Kind;
use super::schema::{self, canonical, decode};
use super::tree::set;
use super::{custom, defaults, warnings};
use crate::api::json::Value;
use crate::api::status::Status;

/// An object as the server reads it from a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object: canonical, defaulted, without unknown fields.
    pub object: Value,
    /// Paths of the unknown fields that were dropped, sorted; [`decode::strict`] makes an error of them.
    pub unknown: Vec<String>,
}

/// Reads an object of a kind: checks its shape, drops what is unknown, sets defaults.
///
/// # Errors
/// A value has the wrong type, or the object is of another kind; the answer is the server's 400.
pub fn read(kind: &Kind, object: &Value) -> Result<Decoded, Status> {
    if let Some(custom) = kind.custom {
        return custom::read(custom, object);
    }
    let unknown = decode::check(kind, object)?;
    Ok(decoded(kind, object.clone(), unknown))
}

/// The same of an object that nobody else needs.
///
/// # Errors
/// As for [`read`].
pub fn read_own(kind: &Kind, object: Value) -> Result<Decoded, Status> {
    if let Some(custom) = kind.custom {
        return custom::read(custom, &object);
    }
    let unknown = decode::check(kind, &object)?;
    Ok(decoded(kind, object, unknown))
}

fn decoded(kind: &Kind, mut object: Value, unknown: Vec<String>) -> Decoded {
    set(&mut object, "apiVersion", kind.api_version());
    set(&mut object, "kind", kind.kind);
    settle(kind, &mut object);
    Decoded { object, unknown }
}

/// Gives an object canonical shape and defaults, as every read does. Doing it twice changes nothing.
pub fn settle(kind: &Kind, object: &mut Value) {
    if let Some(custom) = kind.custom {
        return custom::settle(custom, object);
    }
    canonical(kind, object);
    defaults::apply(kind, object);
    canonical(kind, object);
}

/// Gives an object of canonical shape what defaults it lacks, and canonical shape again.
pub fn settle_again(kind: &Kind, object: &mut Value) {
    if kind.custom.is_some() {
        return settle(kind, object);
    }
    defaults::apply(kind, object);
    canonical(kind, object);
}

/// Gives an object canonical shape alone, as before it is validated.
pub fn canonical(kind: &Kind, object: &mut Value) {
    if kind.custom.is_some() {
        custom::canonical_metadata(object);
    } else if let Some(schema) = schema::of_kind(kind.group, kind.version, kind.kind) {
        canonical::apply(schema, object);
    }
}

impl Decoded {
    /// The warnings of a lenient server: unknown fields first, then what [`warnings`] finds.
    pub fn warnings(&self, kind: &Kind) -> Vec<String> {
        let unknown = self.unknown.iter().map(|path| decode::unknown_field(path));
        unknown.chain(warnings::of(kind, &self.object)).collect()
    }
}
