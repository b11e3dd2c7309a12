//! The stored form of a CertificateSigningRequest: with the author of the request, and with parts that never change.

use crate::admission::Surroundings;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::hooks::Fields;
use crate::strategy::keep;
use crate::tree::{ensure, set, take};

/// The fields that each kind of write does not change.
pub(super) const UNTOUCHED: &[(&str, &[Fields])] = &[
    ("status", &[&["spec"], &["status", "conditions"]]),
    ("approval", &[&["spec"], &["status", "certificate"]]),
    ("", &[&["spec"], &["status"]]),
];

/// Sets the author of a new request.
pub(super) fn admit(request: &mut Value, _: &str, around: &Surroundings<'_>) -> Result<(), Status> {
    let user = around.user;
    let spec = ensure(request, "spec");
    // Overwritten and not defaulted: signers trust these fields.
    set(spec, "username", user.name.clone());
    set(spec, "uid", user.uid.clone());
    set(spec, "groups", json!(user.groups));
    match user.extra.is_empty() {
        true => drop(take(spec, "extra")),
        false => set(spec, "extra", json!(user.extra)),
    }
    Ok(())
}

/// Keeps the spec, which no update may change.
pub(super) fn prepare_update(request: &mut Value, old: &Value) {
    keep(request, old, "spec");
}
