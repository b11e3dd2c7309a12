//! The rules for writes to the subresources of a CertificateSigningRequest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::api::json::{Value, json};
use crate::api::status::Cause;
use crate::pki::check_issued;
use crate::tree::{field, list, text};
use crate::validate::errors::Errors;
use crate::validate::path::Path;
use crate::validate::{go, meta};

const DECISIONS: [&str; 3] = ["Approved", "Denied", "Failed"];

/// Returns the validation errors of a write to the `/approval` of a CertificateSigningRequest.
pub fn approval(request: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(request, old, &mut errors);
    conditions(request, old, &mut errors);
    removals(request, old, &mut errors);
    meta::update(request, old, &mut errors);
    errors.into_causes()
}

/// Validates a write to the `/status` of a CertificateSigningRequest. A signer must not decide about it.
pub(crate) fn status(request: &Value, old: &Value, errors: &mut Errors) {
    conditions(request, old, errors);
    let path = Path::root("status.certificate");
    let certificate = |object| text(field(object, "status"), "certificate");
    let (new, before) = (certificate(request), certificate(old));
    // A signer may repeat what an earlier version of the server accepted.
    if new != before
        && unfit(before).is_none()
        && let Some(why) = unfit(new)
    {
        errors.invalid_shown(&path, "\"<certificate data>\"", &why);
    }
    removals(request, old, errors);
    for kind in &DECISIONS[..2] {
        // Approval has its own subresource and permission; `/status` must not bypass them.
        if count(all(request), kind) > count(all(old), kind) {
            let detail = format!("updates may not add a condition of type \"{kind}\"");
            errors.forbidden(&Path::root("status.conditions"), &detail);
        }
    }
    // Clients may already use the issued certificate.
    if !before.is_empty() && new != before {
        errors.forbidden(&path, "updates may not modify existing certificate content");
    }
    meta::update(request, old, errors);
}

/// Returns the reason why an issued certificate, which may be absent, is invalid.
fn unfit(certificate: &str) -> Option<String> {
    let pem = STANDARD.decode(certificate).unwrap_or_default();
    let checked = check_issued(&String::from_utf8_lossy(&pem));
    checked.err().filter(|_| !certificate.is_empty())
}

fn all(request: &Value) -> &[Value] {
    list(field(request, "status"), "conditions")
}

fn count(all: &[Value], kind: &str) -> usize {
    all.iter().filter(|c| text(c, "type") == kind).count()
}

/// Reports the decisions that an update removes.
fn removals(request: &Value, old: &Value, errors: &mut Errors) {
    for kind in DECISIONS {
        if count(all(request), kind) < count(all(old), kind) {
            let detail = format!("updates may not remove a condition of type \"{kind}\"");
            errors.forbidden(&Path::root("status.conditions"), &detail);
        }
    }
}

fn conditions(request: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let path = path.child("conditions");
    let (conditions, before) = (all(request), all(old));
    // A stored request keeps what its first version was accepted with.
    let repeats = before.iter().any(|c| count(before, text(c, "type")) > 1);
    let decided_twice = count(before, "Approved") > 0 && count(before, "Denied") > 0;
    for (index, condition) in conditions.iter().enumerate() {
        let at = path.index(index);
        let kind = text(condition, "type");
        if kind.is_empty() && count(before, "") == 0 {
            errors.required(&at.child("type"), "");
        }
        let (status, status_path) = (text(condition, "status"), at.child("status"));
        let decides = DECISIONS.contains(&kind);
        if status.is_empty() {
            errors.required(&status_path, "");
        // These conditions record a decision, so they can only be true.
        } else if decides && status != "True" {
            errors.not_supported(&status_path, &json!(status), &["True"]);
        } else if !matches!(status, "True" | "False" | "Unknown") {
            errors.not_supported(&status_path, &json!(status), &["False", "True", "Unknown"]);
        }
        let contradicted = match kind {
            "Approved" => Some("Denied"),
            "Denied" => Some("Approved"),
            _ => None,
        };
        // Report only the later of the two, which causes the contradiction.
        let contradicted = contradicted.filter(|_| !decided_twice);
        if contradicted.is_some_and(|other| count(&conditions[..index], other) > 0) {
            let detail = "Approved and Denied conditions are mutually exclusive";
            errors.invalid(&path, &json!(kind), detail);
        }
        if !repeats && count(&conditions[..index], kind) > 0 {
            errors.duplicate(&at.child("type"), &go::quoted(kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kinds: &[&str]) -> Value {
        let conditions: Vec<Value> = kinds
            .iter()
            .map(|kind| json!({"type": kind, "status": "True"}))
            .collect();
        json!({"metadata": {"name": "r"}, "status": {"conditions": conditions}})
    }

    #[test]
    fn approval_and_denial_are_final_and_exclusive() {
        let none = request(&[]);
        assert!(approval(&request(&["Approved"]), &none).is_empty());
        let causes = approval(&request(&["Approved", "Denied"]), &none);
        assert_eq!(causes.len(), 1);
        assert_eq!(
            causes[0].to_string(),
            "status.conditions: Invalid value: \"Denied\": Approved and Denied conditions are mutually exclusive"
        );
        let twice = request(&["Failed", "Failed"]);
        let causes = approval(&twice, &none);
        assert_eq!(
            causes[0].to_string(),
            "status.conditions[1].type: Duplicate value: \"Failed\""
        );
        assert!(approval(&twice, &twice).is_empty());
        let causes = approval(&none, &request(&["Denied"]));
        assert_eq!(
            causes[0].message,
            "Forbidden: updates may not remove a condition of type \"Denied\""
        );
    }

    #[test]
    fn status_update_cannot_approve_a_request() {
        let causes = |new: &Value, old: &Value| {
            let mut errors = Errors::default();
            status(new, old, &mut errors);
            errors
                .into_causes()
                .iter()
                .map(|c| c.message.clone())
                .collect::<Vec<_>>()
        };
        let approved = request(&["Approved"]);
        let mut signed = approved.clone();
        let authority = crate::pki::Authority::generate().unwrap();
        signed["status"]["certificate"] = json!(STANDARD.encode(authority.certificate()));
        assert!(causes(&signed, &approved).is_empty());
        let mut wrong = approved.clone();
        wrong["status"]["certificate"] = json!("QQ==");
        let invalid = "Invalid value: \"<certificate data>\": must contain at least one CERTIFICATE PEM block";
        assert_eq!(causes(&wrong, &approved), [invalid]);
        // An invalid one that is stored may be replaced by another, but for its own rule.
        let kept = "Forbidden: updates may not modify existing certificate content";
        assert_eq!(causes(&signed, &wrong), [kept]);
        assert_eq!(causes(&wrong, &wrong), [""; 0]);
        assert_eq!(
            causes(&approved, &request(&[])),
            ["Forbidden: updates may not add a condition of type \"Approved\""]
        );
        assert_eq!(causes(&approved, &signed).len(), 1);
    }
}
