//! Admission policies and webhooks in a transaction: the policies, bindings and parameters of the state, and the errors
//! of rejected requests.
//!
//! Policies compute without calls, so they are evaluated under the lock, on the state that the commit is based on.
//! `kinds::admission::policy` evaluates them.

mod attributes;
mod body;
mod hooks;
mod mutating;
mod params;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::access::Snapshot;
use crate::api::json::{Value, json};
use crate::api::status::{Cause, CauseReason, Status};
use crate::discovery::versions;
use crate::kinds::Kind;
use crate::kinds::admission::policy::{
    Attributes, Constraints, Decision, Inputs, Operation, Roles, is_exempt, validate,
};
use crate::kinds::admission::webhook::WebhookType;
use crate::kinds::tree::{field, text, texts};
use crate::objects;
use crate::request::Place;
use crate::request::options::Author;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::rules::admission::Update;
use crate::scale_paths::ScalePaths;
use crate::store::{CLUSTER_SCOPE, Range, View};

use attributes::{Converted, Namespace, attributes, options};
use hooks::Hooks;

pub(crate) use body::{Request, SubresourceBody};
pub(crate) use mutating::{are_there, may_change, mutate};

/// The resources of one kind of policy.
struct Resources {
    policies: &'static str,
    bindings: &'static str,
}

const VALIDATING: Resources = Resources {
    policies: "validatingadmissionpolicies.admissionregistration.k8s.io",
    bindings: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
};

/// Evaluates the policies for a new object.
pub(crate) fn created(
    view: &dyn View,
    place: &Place,
    author: Author<'_>,
    object: &Value,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    let Some(checks) = Checks::new(view, place.kind, author)? else {
        return Ok(());
    };
    let name = objects::meta(object, "name");
    let options = options(Operation::Create, author);
    let at = Attributes {
        object: Some(object),
        ..attributes(place, author, name, Operation::Create, &options)
    };
    checks.refuse(&at, warnings)
}

/// Evaluates the policies for a change of an object or of a part of one.
pub(crate) fn updated(
    view: &dyn View,
    place: &Place,
    author: Author<'_>,
    part: Part,
    Update { new: object, old }: Update<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    let Some(checks) = Checks::new(view, place.kind, author)? else {
        return Ok(());
    };
    let name = objects::meta(old, "name");
    let options = options(Operation::Update, author);
    // The API server decodes the body of `/scale` as a Scale, so a policy gets that and not the workload.
    let scales = match part {
        Part::Scale => ScalePaths::for_kind(place.kind),
        _ => None,
    };
    let scales = scales.map(|paths| (paths.show(object), paths.show(old)));
    let (object, old) = match &scales {
        Some((object, old)) => (object, old),
        None => (object, old),
    };
    let at = Attributes {
        subresource: part.name(),
        body: scales.as_ref().map(|_| ("autoscaling", "v1", "Scale")),
        object: Some(object),
        old: Some(old),
        ..attributes(place, author, name, Operation::Update, &options)
    };
    checks.refuse(&at, warnings)
}

/// Evaluates the policies for the deletion of an object.
pub(crate) fn deleted(
    view: &dyn View,
    place: &Place,
    author: Author<'_>,
    old: &Value,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    let Some(checks) = Checks::of_all(view, place.kind, author)? else {
        return Ok(());
    };
    let options = options(Operation::Delete, author);
    let name = objects::meta(old, "name");
    let at = Attributes {
        old: Some(old),
        ..attributes(place, author, name, Operation::Delete, &options)
    };
    checks.refuse(&at, warnings)
}

/// Asks policies and webhooks about the body of a request to a subresource that stores no object, such as a binding;
/// returns the body as they leave it. `check` is the server's own check between changes and rejections.
pub(crate) fn part_created(
    view: &dyn View,
    place: &Place,
    author: Author<'_>,
    posted: SubresourceBody<'_>,
    check: &dyn Fn(&Value) -> Result<(), Status>,
    warnings: &mut Vec<String>,
) -> Result<Value, ApiError> {
    let mut body = posted.body.clone();
    let request = Request {
        place,
        author,
        part: Part::Whole,
        old: None,
        named: false,
        posted: Some(posted),
    };
    // No other plug-in of the server changes such a body, so nothing runs again in between.
    mutate(view, request, &mut body, &mut |_| Ok(()))?;
    check(&body)?;
    let Some(checks) = Checks::new(view, place.kind, author)? else {
        return Ok(body);
    };
    let options = options(posted.operation, author);
    let at = Attributes {
        subresource: posted.subresource,
        body: posted.kind(place.kind),
        object: Some(&body),
        ..attributes(place, author, posted.name, posted.operation, &options)
    };
    checks.refuse(&at, warnings)?;
    Ok(body)
}

/// Everything outside the server that may refuse a request.
struct Checks<'v> {
    author: Author<'v>,
    policies: Option<ActivePolicies<'v>>,
    hooks: Option<Hooks<'v>>,
    /// `None` for a request without an object to change, such as a deletion.
    mutating: Option<Hooks<'v>>,
}

impl<'v> Checks<'v> {
    /// Returns the checks of a changed object; `None` if there are none, as in most clusters.
    fn new(
        view: &'v dyn View,
        kind: &'static Kind,
        author: Author<'v>,
    ) -> Result<Option<Self>, ApiError> {
        let checks = Self {
            author,
            policies: ActivePolicies::new(view, kind, &VALIDATING)?,
            hooks: Hooks::new(view, kind, author, WebhookType::Validating)?,
            mutating: None,
        };
        Ok((checks.policies.is_some() || checks.hooks.is_some()).then_some(checks))
    }

    /// Returns the checks of a request without an object, which mutating webhooks receive as well.
    fn of_all(
        view: &'v dyn View,
        kind: &'static Kind,
        author: Author<'v>,
    ) -> Result<Option<Self>, ApiError> {
        let mutating = Hooks::new(view, kind, author, WebhookType::Mutating)?;
        let checks = Self::new(view, kind, author)?;
        if mutating.is_none() {
            return Ok(checks);
        }
        let (policies, hooks) = checks.map_or((None, None), |c| (c.policies, c.hooks));
        Ok(Some(Self {
            author,
            policies,
            hooks,
            mutating,
        }))
    }

    /// Rejects a request that a webhook or a policy denies, with the warnings that the request has got by then.
    fn refuse(&self, at: &Attributes<'_>, warnings: &mut Vec<String>) -> Result<(), ApiError> {
        let asked = self.ask(at, warnings);
        asked.map_err(|e| e.warned(warnings))
    }

    /// Asks webhooks and policies in the order of the server's plug-ins.
    fn ask(&self, at: &Attributes<'_>, warnings: &mut Vec<String>) -> Result<(), ApiError> {
        if let Some(hooks) = &self.mutating {
            hooks.refuse(at, warnings)?;
        }
        if let Some(policies) = &self.policies {
            policies.refuse(at, self.author, warnings)?;
        }
        match &self.hooks {
            Some(hooks) => hooks.refuse(at, warnings),
            None => Ok(()),
        }
    }
}

/// The policies of a state that are in force.
struct ActivePolicies<'v> {
    view: &'v dyn View,
    bindings: Vec<Value>,
    policies: Vec<Policy>,
    versions: Vec<&'static Kind>,
}

/// A policy of the state.
struct Policy {
    object: Value,
    authorizes: bool,
}

impl Policy {
    fn spec(&self) -> &Value {
        field(&self.object, "spec")
    }
}

/// A policy with its binding, and the parameters for each evaluation or the reason why there are none.
struct Bound<'a> {
    policy: &'a Policy,
    binding: &'a Value,
    params: Result<Vec<Option<Value>>, String>,
}

impl<'v> ActivePolicies<'v> {
    /// Returns the bound policies; `None` if there are none, as in most clusters, or if no policy applies to the
    /// kind.
    fn new(
        view: &'v dyn View,
        kind: &'static Kind,
        resources: &Resources,
    ) -> Result<Option<Self>, ApiError> {
        let all = |resource: &str| view.list(&Range::resource(resource, Some(CLUSTER_SCOPE)));
        // A policy without a binding has no effect, and reading only the bindings keeps the usual write short.
        let bindings = all(resources.bindings)?;
        // A policy that rejects reviews would break clients that must know the rights of a user.
        if bindings.is_empty() || is_exempt(kind) || kind.reviews().is_some() {
            return Ok(None);
        }
        let bindings: Result<Vec<_>, _> = bindings.iter().map(objects::shown).collect();
        let mut policies = Vec::new();
        for stored in all(resources.policies)? {
            policies.push(Policy {
                object: objects::shown(&stored)?,
                // A snapshot of all roles is worth its cost only for a policy that names the authorizer.
                authorizes: memchr::memmem::find(&stored.json, b"authorizer").is_some(),
            });
        }
        Ok(Some(Self {
            view,
            bindings: bindings?,
            policies,
            versions: versions(view, kind),
        }))
    }

    /// Returns the kind for which a policy matches a request.
    fn matched(
        &self,
        policy: &Policy,
        at: &Attributes<'_>,
        namespace: &Namespace<'_>,
    ) -> Option<&'static Kind> {
        let constraints = Constraints::of_policy(field(policy.spec(), "matchConstraints"));
        constraints.matched(at, &self.versions, &|| namespace.get())
    }

    /// Returns the bindings of a policy that match a request, with their parameters.
    fn bound<'a>(
        &'a self,
        policy: &'a Policy,
        at: &Attributes<'_>,
        namespace: &Namespace<'_>,
    ) -> Result<Vec<Bound<'a>>, ApiError> {
        let name = objects::meta(&policy.object, "name");
        let mut found = Vec::new();
        for binding in &self.bindings {
            let spec = field(binding, "spec");
            if text(spec, "policyName") != name {
                continue;
            }
            let resources = field(spec, "matchResources");
            let constraints = Constraints::of_policy(resources);
            // A binding restricts the matches of the policy; without `matchResources` it restricts nothing.
            let narrowed = || constraints.matched(at, &self.versions, &|| namespace.get());
            if !resources.is_null() && narrowed().is_none() {
                continue;
            }
            let params = params::of(self.view, at, policy.spec(), spec)?;
            found.push(Bound {
                policy,
                binding,
                params,
            });
        }
        Ok(found)
    }

    /// Returns the names in the expressions of a policy, with their values for a request.
    fn inputs(
        &self,
        policy: &Policy,
        at: &Attributes<'_>,
        kind: &'static Kind,
        namespace: &Namespace<'_>,
        params: Option<&Value>,
    ) -> Result<Inputs, ApiError> {
        let roles: Option<Arc<dyn Roles>> = match policy.authorizes {
            true => Some(Arc::new(Snapshot::read(self.view)?)),
            false => None,
        };
        let namespace = match at.namespace {
            "" => None,
            _ => namespace.get(),
        };
        Ok(Inputs::new(at, kind, roles)
            .in_namespace(namespace.as_ref())
            .with_params(params))
    }

    /// Rejects a request that a policy denies. All policies are evaluated, and the first rejection is returned.
    fn refuse(
        &self,
        at: &Attributes<'_>,
        author: Author<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let namespace = Namespace::new(self.view, at);
        // The loop continues after a rejection, because later policies may still warn.
        let mut refused = Vec::new();
        for policy in &self.policies {
            let mut said = Annotations::default();
            let Some(kind) = self.matched(policy, at, &namespace) else {
                continue;
            };
            // Expressions are written for the version that the policy names, not for that of the request.
            let converted = Converted::new(at, kind);
            let at = converted.attributes(at);
            for bound in self.bound(policy, &at, &namespace)? {
                let all = match &bound.params {
                    Ok(all) => all,
                    // `failurePolicy` applies to missing parameters as well as failing expressions.
                    Err(why) => {
                        let why = Decision::failed(why);
                        refused.extend(bound.fails_closed().then(|| refusal(&at, &bound, &why)));
                        continue;
                    }
                };
                for params in all {
                    let inputs = self.inputs(policy, &at, kind, &namespace, params.as_ref())?;
                    let result = validate(policy.spec(), inputs);
                    for failure in &result.failures {
                        bound.act(&at, failure, author, &mut refused, warnings);
                    }
                    let hard = result.refusals.iter();
                    refused.extend(hard.map(|why| refusal(&at, &bound, why)));
                    said.add(result.annotations);
                }
            }
            said.publish(objects::meta(&policy.object, "name"), author);
        }
        let first = refused.into_iter().next();
        first.map_or(Ok(()), |status| Err(status.into()))
    }
}

impl Bound<'_> {
    fn fails_closed(&self) -> bool {
        text(self.policy.spec(), "failurePolicy") != "Ignore"
    }

    fn policy_name(&self) -> &str {
        objects::meta(&self.policy.object, "name")
    }

    fn binding_name(&self) -> &str {
        objects::meta(self.binding, "name")
    }

    /// Returns a validation that does not hold as the audit log shows it: a list of one, as on the API server.
    fn failure(&self, failure: &Decision) -> String {
        let actions = field(field(self.binding, "spec"), "validationActions");
        json!([{
            "message": failure.message, "policy": self.policy_name(), "binding": self.binding_name(),
            "expressionIndex": failure.validation.unwrap_or_default(), "validationActions": actions,
        }])
        .to_string()
    }

    /// Performs the actions of the binding for a failed validation.
    fn act(
        &self,
        at: &Attributes<'_>,
        failure: &Decision,
        author: Author<'_>,
        refused: &mut Vec<Status>,
        warnings: &mut Vec<String>,
    ) {
        for action in texts(field(self.binding, "spec"), "validationActions") {
            match action {
                "Deny" => refused.push(refusal(at, self, failure)),
                "Warn" => warnings.push(format!(
                    "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
                    self.policy_name(),
                    self.binding_name(),
                    failure.message
                )),
                _ => author.annotate(FAILED, || self.failure(failure)),
            }
        }
    }
}

/// The annotation of a validation that does not hold and whose binding has the action `Audit`.
const FAILED: &str = "validation.policy.admission.k8s.io/validation_failure";

/// The annotations of one policy for the audit log: by key, the different values in order.
#[derive(Default)]
struct Annotations(BTreeMap<String, Vec<String>>);

impl Annotations {
    fn add(&mut self, more: Vec<(String, String)>) {
        for (key, value) in more {
            let values = self.0.entry(key).or_default();
            // Bindings and parameters that lead to the same value count once.
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }

    fn publish(self, policy: &str, author: Author<'_>) {
        for (key, values) in self.0 {
            author.annotate(&format!("{policy}/{key}"), || values.join(", "));
        }
    }
}

fn refusal(at: &Attributes<'_>, bound: &Bound<'_>, why: &Decision) -> Status {
    let message = format!(
        "ValidatingAdmissionPolicy '{}' with binding '{}' denied request: {}",
        bound.policy_name(),
        bound.binding_name(),
        why.message
    );
    denied(at, message, why.reason)
}

/// Returns the error of a request that a policy denies: with the text of Forbidden for any reason.
fn denied(at: &Attributes<'_>, message: String, reason: &'static str) -> Status {
    let mut status = Status::forbidden(&at.kind.qualified_resource(), at.name, &message);
    // Clients use the code; the API server accepts four reasons and maps each to one.
    status.reason = reason;
    status.code = match reason {
        "Forbidden" => 403,
        "Unauthorized" => 401,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    };
    if let Some(details) = &mut status.details {
        details.causes.push(Cause {
            reason: CauseReason::Policy,
            field: String::new(),
            message,
        });
    }
    status
}

#[cfg(test)]
mod tests;
