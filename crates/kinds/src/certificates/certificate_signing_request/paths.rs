//! The rules for writes to the subresources of a CertificateSigningRequest.

use crate::api::json::{Value, json};
use crate::api::status::Cause;
use crate::tree::{field, list, text};
use crate::validate::errors::Errors;
use crate::validate::meta;
use crate::validate::path::Path;

/// Returns the validation errors of a write to the `/approval` of a CertificateSigningRequest.
pub fn approval(request: &Value, old: &Value) -> Vec<Cause> {
    let mut errors = Errors::default();
    meta::before_update(request, old, &mut errors);
    conditions(request, old, &mut errors);
    errors.into_causes()
}

/// Validates a write to the `/status` of a CertificateSigningRequest. A signer must not decide about it.
pub(crate) fn status(request: &Value, old: &Value, errors: &mut Errors) {
    meta::update(request, old, errors);
    conditions(request, old, errors);
    let path = Path::root("status");
    let count = |object: &Value, kind: &str| {
        let all = list(field(object, "status"), "conditions").iter();
        all.filter(|c| text(c, "type") == kind).count()
    };
    for kind in ["Approved", "Denied"] {
        // Approval has its own subresource and permission; `/status` must not bypass them.
        if count(request, kind) > count(old, kind) {
            let detail = format!("updates may not add a condition of type \"{kind}\"");
            errors.forbidden(&path.child("conditions"), &detail);
        }
    }
    let certificate = |object| text(field(object, "status"), "certificate");
    let (new, before) = (certificate(request), certificate(old));
    // Clients may already use the issued certificate.
    if !before.is_empty() && new != before {
        let detail = "updates may not modify the content of status.certificate";
        errors.forbidden(&path.child("certificate"), detail);
    }
}

fn conditions(request: &Value, old: &Value, errors: &mut Errors) {
    let path = Path::root("status");
    let path = path.child("conditions");
    let conditions = list(field(request, "status"), "conditions");
    let before = list(field(old, "status"), "conditions");
    let count = |all: &[Value], kind: &str| all.iter().filter(|c| text(c, "type") == kind).count();
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        let kind = text(condition, "type");
        if kind.is_empty() {
            errors.required(&path.child("type"), "");
        }
        let (status, status_path) = (text(condition, "status"), path.child("status"));
        let decides = matches!(kind, "Approved" | "Denied" | "Failed");
        if status.is_empty() {
            errors.required(&status_path, "");
        // These conditions record a decision, so they can only be true.
        } else if decides && status != "True" {
            errors.not_supported(&status_path, &json!(status), &["True"]);
        } else if !matches!(status, "True" | "False" | "Unknown") {
            errors.not_supported(&status_path, &json!(status), &["False", "True", "Unknown"]);
        }
        let contradicted = match kind {
            "Approved" => "Denied",
            "Denied" => "Approved",
            _ => continue,
        };
        // Report only the later of the two, which causes the contradiction.
        if count(&conditions[..index], contradicted) > 0 {
            let detail = "Approved and Denied conditions are mutually exclusive";
            errors.invalid(&path.child("type"), &json!(kind), detail);
        }
    }
    for kind in ["Approved", "Denied", "Failed"] {
        if count(conditions, kind) < count(before, kind) {
            let detail = format!("updates may not remove a condition of type \"{kind}\"");
            errors.forbidden(&path, &detail);
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
        assert_eq!(approval(&request(&["Approved", "Denied"]), &none).len(), 1);
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
        signed["status"]["certificate"] = json!("QQ==");
        assert!(causes(&signed, &approved).is_empty());
        assert_eq!(
            causes(&approved, &request(&[])),
            ["Forbidden: updates may not add a condition of type \"Approved\""]
        );
        assert_eq!(causes(&approved, &signed).len(), 1);
    }
}
