//! Administrative access to devices: claims for it exist only in namespaces with a label.

use crate::admission::AdmissionContext;
use crate::api::json::Value;
use crate::api::status::Status;
use crate::tree::{at, field, flag, has, list, text};
use crate::validate::{Errors, Path};

/// The label of namespaces for claims with administrative access.
const LABEL: &str = "resource.kubernetes.io/admin-access";

/// Rejects a new claim, or a template of claims, with administrative access if its namespace lacks the label.
pub(super) fn admit(
    object: &mut Value,
    namespace: &str,
    context: &AdmissionContext<'_>,
) -> Result<(), Status> {
    let spec = field(object, "spec");
    // A template contains the spec of its claims.
    let claim = match has(spec, "spec") {
        true => field(spec, "spec"),
        false => spec,
    };
    let mut requests = list(field(claim, "devices"), "requests").iter();
    let Some(index) = requests.position(|r| flag(field(r, "exactly"), "adminAccess")) else {
        return Ok(());
    };
    let found = (context.find)("namespaces", "", namespace);
    let labels = found.as_ref().map(|n| at(n, &["metadata", "labels"]));
    if labels.is_some_and(|labels| text(labels, LABEL) == "true") {
        return Ok(());
    }
    let mut errors = Errors::default();
    let path = Path::root("spec.devices.requests");
    let path = path.index(index);
    let detail = format!(
        "admin access to devices requires the `{LABEL}: true` label on the containing namespace"
    );
    errors.forbidden(&path.child("adminAccess"), &detail);
    let (kind, name) = (text(object, "kind"), at(object, &["metadata", "name"]));
    let name = name.as_str().unwrap_or_default();
    Err(Status::invalid(
        "resource.k8s.io",
        kind,
        name,
        errors.into_causes(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::User;
    use crate::api::json::json;

    #[test]
    fn claims_with_administrative_access_need_a_labeled_namespace() {
        let user = User::default();
        let find = |_: &str, _: &str, name: &str| {
            (name == "lab").then(|| json!({"metadata": {"labels": {LABEL: "true"}}}))
        };
        let context = AdmissionContext {
            find: &find,
            default_priority_class: None,
            token_volume: None,
            user: &user,
            called: "c",
        };
        let told = |kind: &str, spec: Value, namespace: &str| {
            let mut object = json!({"kind": kind, "metadata": {"name": "c"}, "spec": spec});
            let admitted = admit(&mut object, namespace, &context);
            admitted.err().map(|status| status.message)
        };
        let plain = json!({"name": "a", "exactly": {"deviceClassName": "d"}});
        let mut admin = plain.clone();
        admin["exactly"]["adminAccess"] = json!(true);
        let claim = json!({"devices": {"requests": [plain, admin]}});
        assert_eq!(told("ResourceClaim", claim.clone(), "lab"), None);
        let why = "is invalid: spec.devices.requests[1].adminAccess: Forbidden: admin access to devices requires \
                   the `resource.kubernetes.io/admin-access: true` label on the containing namespace";
        assert_eq!(
            told("ResourceClaim", claim.clone(), "default").unwrap(),
            format!("ResourceClaim.resource.k8s.io \"c\" {why}")
        );
        assert_eq!(
            told("ResourceClaimTemplate", json!({"spec": claim}), "default").unwrap(),
            format!("ResourceClaimTemplate.resource.k8s.io \"c\" {why}")
        );
        let plain = json!({"devices": {"requests": [{"name": "a", "exactly": {}}]}});
        assert_eq!(told("ResourceClaim", plain, "default"), None);
    }
}
