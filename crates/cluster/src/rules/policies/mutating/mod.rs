//! MutatingAdmissionPolicy: changes a request before it is validated.

use std::collections::BTreeSet;

use super::{Asked, Bound, Converted, Namespace, Policy, Resources, attributes, denied, options};
use crate::api::json::Value;
use crate::api::status::Status;
use crate::kinds::admission::policy::{Attributes, Operation, applies, mutate as mutated};
use crate::kinds::convert::convert;
use crate::kinds::tree::{list, text};
use crate::kinds::{Kind, shape};
use crate::objects;
use crate::request::Place;
use crate::request::options::Author;
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::scale_paths::ScalePaths;
use crate::store::View;

const MUTATING: Resources = Resources {
    policies: "mutatingadmissionpolicies.admissionregistration.k8s.io",
    bindings: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
};

/// The body of a `/scale` request.
const SCALE: (&str, &str, &str) = ("autoscaling", "v1", "Scale");

/// A request that policies may change.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) place: &'a Place,
    pub(crate) author: Author<'a>,
    pub(crate) part: Part,
    /// The stored object; `None` for a creation.
    pub(crate) old: Option<&'a Value>,
}

/// Changes the object of a request as the policies of the state say. `again` runs the other mutating plug-ins once more on
/// an object that a policy has changed.
pub(crate) fn mutate(
    view: &dyn View,
    request: Request<'_>,
    object: &mut Value,
    again: &mut dyn FnMut(&mut Value) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let Some(asked) = Asked::new(view, request.place.kind, &MUTATING)? else {
        return Ok(());
    };
    let first = asked.pass(&request, object, None)?;
    if !first.changed {
        return Ok(());
    }
    again(object)?;
    // A policy with `reinvocationPolicy: IfNeeded` sees the changes of those after it, once.
    asked.pass(&request, object, Some(&first.reinvocable))?;
    Ok(())
}

/// The outcome of one pass over all policies.
#[derive(Default)]
struct Pass {
    changed: bool,
    /// The numbers of the policies that want to run again.
    reinvocable: BTreeSet<usize>,
}

impl Asked<'_> {
    fn pass(
        &self,
        request: &Request<'_>,
        object: &mut Value,
        only: Option<&BTreeSet<usize>>,
    ) -> Result<Pass, ApiError> {
        let kind = request.place.kind;
        let (operation, options_kind) = match request.old {
            None => (Operation::Create, "CreateOptions"),
            Some(_) => (Operation::Update, "UpdateOptions"),
        };
        let options = options(options_kind, request.author);
        // A `/scale` request is about a Scale, of which only the replicas reach the object.
        let scales = match request.part {
            Part::Scale => ScalePaths::of(kind),
            _ => None,
        };
        let old = request.old.map(|old| match &scales {
            Some(paths) => paths.show(old),
            None => old.clone(),
        });
        let mut body = match &scales {
            Some(paths) => paths.show(object),
            None => object.clone(),
        };
        let name = objects::meta(object, "name").to_owned();
        let base = Attributes {
            subresource: request.part.name(),
            body: scales.as_ref().map(|_| SCALE),
            old: old.as_ref(),
            ..attributes(request.place, request.author, &name, operation, &options)
        };
        let mut pass = Pass::default();
        for (number, policy) in self.policies.iter().enumerate() {
            if only.is_some_and(|only| !only.contains(&number)) {
                continue;
            }
            let Some(new) = self.run(policy, &base, &body)? else {
                continue;
            };
            if text(policy.spec(), "reinvocationPolicy") == "IfNeeded" {
                pass.reinvocable.insert(number);
            }
            pass.changed |= new != body;
            body = new;
        }
        if pass.changed {
            *object = match &scales {
                Some(paths) => paths.set(object, &body),
                // The patched object is decoded as if it had been sent: a patch may add any field.
                None => shape::read_own(kind, body)?.object,
            };
        }
        Ok(pass)
    }

    /// Returns the body of a request after one policy, or `None` if the policy does not apply to it.
    fn run(
        &self,
        policy: &Policy,
        base: &Attributes<'_>,
        body: &Value,
    ) -> Result<Option<Value>, ApiError> {
        let own = Attributes {
            object: Some(body),
            ..*base
        };
        let namespace = self.namespace(base);
        let Some(kind) = self.matched(policy, &own, &namespace) else {
            return Ok(None);
        };
        let converted = Converted::new(&own, kind);
        let at = converted.attributes(&own);
        let mut changed = None;
        for bound in self.bound(policy, &at, &namespace)? {
            let current = changed.as_ref().or(at.object).unwrap_or(body);
            match self.change(&bound, &at, kind, &namespace, current)? {
                Ok(Some(new)) => changed = Some(new),
                Err(why) if bound.fails_closed() => return Err(refusal(&at, &bound, &why).into()),
                Ok(None) | Err(_) => {}
            }
        }
        let mut changed = changed;
        if let Some(changed) = &mut changed
            && base.body.is_none()
        {
            convert(changed, base.kind);
        }
        Ok(changed)
    }

    /// Returns the object after the mutations of a bound policy, `None` if its conditions do not hold, or the reason why it
    /// could not be evaluated.
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
                // Each mutation and its variables see the result of the previous one.
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
