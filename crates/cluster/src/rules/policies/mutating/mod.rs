//! MutatingAdmissionPolicy and mutating webhooks: changes to a request before it is validated.

use std::collections::BTreeSet;

use super::attributes::{Converted, Namespace};
use super::body::{Body, Request};
use super::hooks::{self, Hooks, WebhookPass};
use super::{ActivePolicies, Bound, Resources, VALIDATING, denied};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::kinds::Kind;
use crate::kinds::admission::policy::{Attributes, applies, mutate as mutated};
use crate::kinds::admission::webhook::WebhookType;
use crate::kinds::convert::convert;
use crate::kinds::tree::{list, text};
use crate::request::response::ApiError;
use crate::store::{CLUSTER_SCOPE, Range, Store, StoreError, View};

const MUTATING: Resources = Resources {
    policies: "mutatingadmissionpolicies.admissionregistration.k8s.io",
    bindings: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
};

/// Returns true if the state has a policy or a webhook that may change an object.
pub(crate) fn may_change(view: &dyn View) -> Result<bool, ApiError> {
    let some = |resource: &str| -> Result<bool, ApiError> {
        let all = view.list(&Range::resource(resource, Some(CLUSTER_SCOPE)))?;
        Ok(!all.is_empty())
    };
    Ok(some(MUTATING.bindings)? || some(hooks::resource(WebhookType::Mutating))?)
}

/// Returns true if a store has any policy or webhook.
pub(crate) fn are_there(store: &dyn Store) -> Result<bool, StoreError> {
    for resource in [
        // A policy without a binding has no effect.
        MUTATING.bindings,
        VALIDATING.bindings,
        hooks::resource(WebhookType::Mutating),
        hooks::resource(WebhookType::Validating),
    ] {
        let all = store.list(&Range::resource(resource, Some(CLUSTER_SCOPE)))?;
        if !all.items.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Changes the object of a request by the policies and webhooks of the state. `again` runs the other mutating plug-ins
/// once more on an object that a policy has changed.
pub(crate) fn mutate(
    view: &dyn View,
    request: Request<'_>,
    object: &mut Value,
    again: &mut dyn FnMut(&mut Value) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let kind = request.place.kind;
    let policies = ActivePolicies::new(view, kind, &MUTATING)?;
    let hooks = Hooks::new(view, kind, request.author, WebhookType::Mutating)?;
    if policies.is_none() && hooks.is_none() {
        return Ok(());
    }
    let mut body = Body::new(request, object);
    let first = match &policies {
        Some(policies) => policies.pass(&mut body, None)?,
        None => Pass::default(),
    };
    let called = match &hooks {
        Some(hooks) => hooks.pass(&mut body, None)?,
        None => WebhookPass::default(),
    };
    let changed = first.changed || called.changed;
    body.into(object);
    if !changed {
        return Ok(());
    }
    again(object)?;
    // A policy or webhook with `reinvocationPolicy: IfNeeded` runs once more after later changes.
    let mut body = Body::new(request, object);
    if let Some(policies) = &policies {
        policies.pass(&mut body, Some(&first.reinvocable))?;
    }
    if let Some(hooks) = &hooks {
        hooks.pass(&mut body, Some(called))?;
    }
    body.into(object);
    Ok(())
}

/// The outcome of one pass over all policies.
#[derive(Default)]
struct Pass {
    changed: bool,
    /// The numbers of the policies that must run again.
    reinvocable: BTreeSet<usize>,
}

impl ActivePolicies<'_> {
    fn pass(&self, body: &mut Body<'_>, only: Option<&BTreeSet<usize>>) -> Result<Pass, ApiError> {
        let mut pass = Pass::default();
        let mut matched = Vec::new();
        // As on the API server, all policies are matched before the first one changes the object.
        for (number, policy) in self.policies.iter().enumerate() {
            if only.is_some_and(|only| !only.contains(&number)) {
                continue;
            }
            let own = body.attributes();
            let namespace = Namespace::new(self.view, &own);
            let Some(kind) = self.matched(policy, &own, &namespace) else {
                continue;
            };
            let converted = Converted::new(&own, kind);
            let bound = self.bound(policy, &converted.attributes(&own), &namespace)?;
            matched.push((number, policy, kind, bound));
        }
        for (number, policy, kind, bound) in matched {
            let Some(new) = self.run(kind, &bound, &body.attributes())? else {
                continue;
            };
            if text(policy.spec(), "reinvocationPolicy") == "IfNeeded" {
                pass.reinvocable.insert(number);
            }
            pass.changed |= new != body.object;
            body.object = new;
        }
        if pass.changed {
            body.decode()?;
        }
        Ok(pass)
    }

    /// Returns the body of a request after one policy with its bindings, or `None` if the conditions are not met.
    fn run(
        &self,
        kind: &'static Kind,
        bindings: &[Bound<'_>],
        own: &Attributes<'_>,
    ) -> Result<Option<Value>, ApiError> {
        let namespace = Namespace::new(self.view, own);
        let converted = Converted::new(own, kind);
        let at = converted.attributes(own);
        let mut changed = None;
        for bound in bindings {
            let current = changed.as_ref().or(at.object).unwrap_or(&Value::Null);
            match self.change(bound, &at, kind, &namespace, current)? {
                Ok(Some(new)) => changed = Some(new),
                Err(why) if bound.fails_closed() => return Err(refusal(&at, bound, &why).into()),
                Ok(None) | Err(_) => {}
            }
        }
        let mut changed = changed;
        if let Some(changed) = &mut changed
            && own.body.is_none()
        {
            convert(changed, own.kind);
        }
        Ok(changed)
    }

    /// Returns the object after the mutations of a bound policy, `None` if its conditions are not met, or the reason
    /// why it could not be evaluated.
    fn change(
        &self,
        bound: &Bound<'_>,
        at: &Attributes<'_>,
        kind: &'static Kind,
        namespace: &Namespace<'_>,
        object: &Value,
    ) -> Result<Result<Option<Value>, String>, ApiError> {
        let all = match &bound.params {
            Ok(all) => all,
            Err(why) => return Ok(Err(why.clone())),
        };
        let spec = bound.policy.spec();
        let mut changed: Option<Value> = None;
        for params in all {
            let inputs = |object: &Value| {
                let at = Attributes {
                    object: Some(object),
                    ..*at
                };
                self.inputs(bound.policy, &at, kind, namespace, params.as_ref())
            };
            match applies(spec, &mut inputs(changed.as_ref().unwrap_or(object))?) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(why) => return Ok(Err(why)),
            }
            // The body of a subresource has another type than the kind of its object.
            let typed = at.body.is_none().then_some(kind);
            for mutation in list(spec, "mutations") {
                let current = changed.as_ref().unwrap_or(object);
                // Each mutation and its variables use the result of the previous one.
                let mut names = inputs(current)?.with_variables(spec);
                match mutated(typed, current, mutation, &mut names) {
                    Ok(new) => changed = Some(new),
                    Err(why) => return Ok(Err(why)),
                }
            }
        }
        Ok(Ok(changed))
    }
}

fn refusal(at: &Attributes<'_>, bound: &Bound<'_>, why: &str) -> Status {
    let message = format!(
        "policy '{}' with binding '{}' denied request: {why}",
        bound.policy_name(),
        bound.binding_name()
    );
    denied(at, message, "Invalid")
}

#[cfg(test)]
mod tests;
