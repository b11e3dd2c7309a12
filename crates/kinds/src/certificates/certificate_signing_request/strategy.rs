//! Prepares a CertificateSigningRequest: records its author, and keeps the parts that a write must not change.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::admission::AdmissionContext;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::hooks::Fields;
use crate::pki::CertificateRequest;
use crate::strategy::keep;
use crate::tree::{ensure, field, items, list, set, take, text};

/// The fields that each kind of write leaves unchanged.
pub(super) const RESET_FIELDS: &[(&str, &[Fields])] = &[
    ("status", &[&["spec"], &["status", "conditions"]]),
    ("approval", &[&["spec"], &["status", "certificate"]]),
    ("", &[&["spec"], &["status"]]),
];

/// The signer of client certificates for the API server.
const CLIENT: &str = "kubernetes.io/kube-apiserver-client";

/// Sets the author of a new request. Rejects a request for a certificate with all rights (plugin
/// `CertificateSubjectRestriction`).
pub(super) fn admit(
    request: &mut Value,
    _: &str,
    context: &AdmissionContext<'_>,
) -> Result<(), Status> {
    let asked = field(request, "spec");
    if text(asked, "signerName") == CLIENT && asks_for_all_rights(text(asked, "request")) {
        return Err(Status::forbidden(
            "certificatesigningrequests.certificates.k8s.io",
            context.called,
            &format!("use of {CLIENT} signer with system:masters group is not allowed"),
        ));
    }
    let user = context.user;
    let spec = ensure(request, "spec");
    // Always overwrite these fields, because signers trust them.
    set(spec, "username", user.name.clone());
    set(spec, "uid", user.uid.clone());
    set(spec, "groups", json!(user.groups));
    match user.extra.is_empty() {
        true => drop(take(spec, "extra")),
        false => set(spec, "extra", json!(user.extra)),
    }
    Ok(())
}

/// Returns true if the subject of a request is in the group that passes all authorization.
fn asks_for_all_rights(request: &str) -> bool {
    let pem = STANDARD.decode(request).unwrap_or_default();
    // A request that cannot be parsed is left to validation, which rejects it.
    let request = CertificateRequest::from_pem(&String::from_utf8_lossy(&pem));
    let subject = request.and_then(|request| request.subject());
    subject.is_some_and(|subject| subject.organizations.iter().any(|o| o == "system:masters"))
}

/// Keeps the decision, which a status update must not change. Validation rejects added or removed decisions.
pub(super) fn keep_decision(request: &mut Value, old: &Value) {
    // Approval needs its own permission, which a signer may lack.
    for kind in ["Approved", "Denied"] {
        let is_of = |condition: &Value| text(condition, "type") == kind;
        let before = list(field(old, "status"), "conditions").iter();
        let before: Vec<&Value> = before.filter(|condition| is_of(condition)).collect();
        let new = items(ensure(request, "status"), "conditions");
        let new: Vec<&mut Value> = new.filter(|condition| is_of(condition)).collect();
        if new.len() == before.len() {
            new.into_iter()
                .zip(before)
                .for_each(|(new, old)| *new = old.clone());
        }
    }
}

/// Keeps the spec, which no update can change.
pub(super) fn prepare_update(request: &mut Value, old: &Value) {
    keep(request, old, "spec");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_update_keeps_the_decision() {
        let approved =
            |reason: &str| json!({"type": "Approved", "status": "True", "reason": reason});
        let failed = json!({"type": "Failed", "status": "True"});
        let old = json!({"status": {"conditions": [approved("x")]}});
        let mut new = json!({"status": {"conditions": [failed, approved("zz")]}});
        keep_decision(&mut new, &old);
        assert_eq!(new["status"]["conditions"], json!([failed, approved("x")]));
        let mut more = json!({"status": {"conditions": [approved("x"), approved("y")]}});
        keep_decision(&mut more, &old);
        assert_eq!(more["status"]["conditions"][1]["reason"], "y");
    }

    #[test]
    fn no_certificate_has_all_rights() {
        // Both have P-256 keys: `O = system:masters, CN = root` and `O = crew, CN = pilot`.
        let masters = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaU1JR0tBZ0VBTUNneEZ6QVZCZ05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVEwd0N3WURWUVFEREFSeQpiMjkwTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFUFBuT0V1OE1xN1h0NkVRSFR0Yjc0Yy9kCjRvdWUvbGowRFlOaThzMndrZm1UUDcra1ZYQjhBSUVUZFdMU21FTDBVZ3ByU1hWOUtDdFNZa0QvcjByeS82QUEKTUFvR0NDcUdTTTQ5QkFNQ0EwY0FNRVFDSUFza080bFo2M3ZHdUVzeDVMcGV5ZVRoWGJ5T0o5d2Y1TjE3OW1zKwp1TjFBQWlCODNNRzJSckt5RHNCT3B4Tk9abHBENmp0emNSNmFpa0cyelovQ2ZOaDhmZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
        assert!(asks_for_all_rights(masters));
        assert!(!asks_for_all_rights(crate::facts::server::REQUEST));
        assert!(!asks_for_all_rights("AAAA"));
    }
}
