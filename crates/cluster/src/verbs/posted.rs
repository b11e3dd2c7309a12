//! Admission of requests that store nothing: connections to Pods, Services and nodes, requests for tokens, and
//! reviews.

use crate::api::json::Value;
use crate::api::status::Status;
use crate::commit::step::{Decided, Decision, Step};
use crate::commit::transaction::run;
use crate::context::Context;
use crate::entry::Admitted;
use crate::kinds::admission::policy::Operation;
use crate::request::response::{ApiError, Response};
use crate::rules::policies::{self, SubresourceBody};
use crate::store::View;

/// Asks policies and webhooks about the body of a request; returns it as they leave it, with their warnings. `check` is
/// the server's own check between changes and rejections.
///
/// # Errors
/// The error of the one that rejects it.
pub(crate) fn admitted(
    context: &Context,
    at: &Admitted<'_>,
    operation: Operation,
    body: &Value,
    check: &(dyn Fn(&Value) -> Result<(), Status> + Sync),
) -> Result<Response, ApiError> {
    // Most clusters have none, and a connection must not wait for the lock of the store.
    if !policies::are_there(&*context.store)? {
        check(body)?;
        return Ok(Response::transient(body.clone()));
    }
    let at = *at;
    let decide = move |view: &dyn View| {
        let mut warnings = Vec::new();
        let posted = SubresourceBody {
            name: at.name(),
            subresource: at.verb().subresource(),
            operation,
            body,
        };
        let (place, author) = (at.place(), at.author());
        let body = policies::part_created(view, place, author, posted, check, &mut warnings)?;
        Ok(Decided {
            warnings,
            ..Decision::Keep(body).into()
        })
    };
    run(context, Step::new(at, "connect", decide))
}

#[cfg(test)]
mod tests {
    use crate::api::json::json;
    use crate::testing::{fresh, place};
    use crate::{Subresources, WriteOptions};

    #[test]
    fn policies_refuse_connections_and_tokens() {
        let cluster = fresh();
        let policy = json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "p"}, "spec": {
                "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                    "operations": ["CONNECT", "CREATE"],
                    "resources": ["pods/exec", "nodes/proxy", "serviceaccounts/token"]}]},
                "validations": [
                    {"expression": "request.operation != 'CONNECT' || request.kind.kind != 'PodExecOptions' || \
                        object.command[0] != 'rm'", "message": "no rm"},
                    {"expression": "request.kind.kind != 'NodeProxyOptions'", "message": "no proxy"},
                    {"expression": "request.kind.kind != 'TokenRequest' || object.spec.expirationSeconds < 1000",
                        "message": "too long"}]}});
        let binding = json!({"apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "b"},
            "spec": {"policyName": "p", "validationActions": ["Deny"]}});
        let options = WriteOptions::default();
        for (resource, object) in [
            ("validatingadmissionpolicies", policy),
            ("validatingadmissionpolicybindings", binding),
        ] {
            cluster.create(&place(resource), &object, &options).unwrap();
        }
        let subresources: Subresources<'_> = cluster.subresources();
        let connect = |resource: &str, part: &str, body| {
            let asked = subresources.connect(&place(resource), "x", part, &body, &options);
            asked.map_or_else(|e| e.to_string(), |body| body.to_string())
        };
        let refused = |of: &str, why: &str| {
            format!(
                "{of} is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {why}"
            )
        };
        let exec =
            |word: &str| json!({"kind": "PodExecOptions", "apiVersion": "v1", "command": [word]});
        assert_eq!(
            connect("pods", "exec", exec("rm")),
            refused("pods \"x\"", "no rm")
        );
        assert_eq!(connect("pods", "exec", exec("ls")), exec("ls").to_string());
        let attach = json!({"kind": "PodAttachOptions", "apiVersion": "v1"});
        assert_eq!(
            connect("pods", "attach", attach.clone()),
            attach.to_string()
        );
        let proxy = json!({"kind": "NodeProxyOptions", "apiVersion": "v1", "path": "/healthz"});
        assert_eq!(
            connect("nodes", "proxy", proxy),
            refused("nodes \"x\"", "no proxy")
        );
        let token = |seconds: i64| {
            let request = json!({"spec": {"expirationSeconds": seconds}});
            let issued = subresources.token(&place("sa"), "default", &request);
            issued.map_or_else(|e| e.to_string(), |_| "issued".to_owned())
        };
        assert_eq!(token(600), "issued");
        assert_eq!(
            token(3600),
            refused("serviceaccounts \"default\"", "too long")
        );
    }
}
