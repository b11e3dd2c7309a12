//! Matches requests with the policies, bindings and webhooks that apply to them.

use super::attributes::Attributes;
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kind::Kind;
use crate::tree::{field, has, list, text, texts};

/// The fields that select requests: `matchConstraints` of a policy, `matchResources` of a binding, or a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Constraints<'a> {
    /// The object with the selectors and the match policy.
    pub of: &'a Value,
    /// The rules. A policy without rules matches everything.
    pub rules: &'a [Value],
    /// The rules that exclude requests.
    pub excluded: &'a [Value],
}

impl<'a> Constraints<'a> {
    /// Returns the constraints of a policy or a binding.
    pub fn of_policy(resources: &'a Value) -> Self {
        Self {
            of: resources,
            rules: list(resources, "resourceRules"),
            excluded: list(resources, "excludeResourceRules"),
        }
    }

    /// Returns the constraints of a webhook, which matches nothing without rules.
    pub fn of_webhook(hook: &'a Value) -> Self {
        Self {
            of: hook,
            rules: list(hook, "rules"),
            excluded: &[],
        }
    }

    /// Returns the version of the resource at which a request matches, preferably the request's own; `None` if it
    /// does not match. `versions` are those of the resource; `namespace` returns the namespace of the request.
    pub fn matched(
        &self,
        at: &Attributes<'_>,
        versions: &[&'static Kind],
        namespace: &dyn Fn() -> Option<Value>,
    ) -> Option<&'static Kind> {
        let kind = self.kind(at, versions)?;
        let fits = self.selects_object(at) && self.selects_namespace(at, namespace);
        fits.then_some(kind)
    }

    fn kind(&self, at: &Attributes<'_>, versions: &[&'static Kind]) -> Option<&'static Kind> {
        let equivalent = text(self.of, "matchPolicy") != "Exact";
        let others = versions.iter().copied().filter(|kind| *kind != at.kind);
        let others: Vec<_> = others.filter(|_| equivalent).collect();
        let any = |rules: &[Value]| {
            let kinds = std::iter::once(at.kind).chain(others.iter().copied());
            kinds
                .into_iter()
                .find(|kind| matches_rules(rules, at, kind))
        };
        // Equivalent versions count for exclusions, too: a request cannot avoid an exclusion by using another
        // version.
        if any(self.excluded).is_some() {
            return None;
        }
        match self.rules {
            [] => Some(at.kind),
            rules => any(rules),
        }
    }

    fn selects_object(&self, at: &Attributes<'_>) -> bool {
        let Some(selector) = selector(field(self.of, "objectSelector")) else {
            return true;
        };
        // The old object counts as well, so removing a label does not evade the policy.
        let mut objects = at.object.into_iter().chain(at.old);
        objects.any(|object| selector.matches_object(object))
    }

    fn selects_namespace(
        &self,
        at: &Attributes<'_>,
        namespace: &dyn Fn() -> Option<Value>,
    ) -> bool {
        let Some(selector) = selector(field(self.of, "namespaceSelector")) else {
            return true;
        };
        // A Namespace is matched by its own new labels. Cluster-scoped objects always match.
        if at.is_namespace() && at.subresource.is_empty() {
            let own = at.object.or(at.old);
            return own.is_none_or(|own| selector.matches_object(own));
        }
        at.own_namespace().is_empty()
            || namespace().is_some_and(|namespace| selector.matches_object(&namespace))
    }
}

/// Returns the selector unless it selects everything.
fn selector(selector: &Value) -> Option<LabelSelector> {
    if selector.is_null() {
        return None;
    }
    let selector = LabelSelector::from_object(Some(selector)).ok()?;
    (!selector.is_everything()).then_some(selector)
}

/// Returns true if one of the rules matches the request at the version of `kind`.
pub fn matches_rules(rules: &[Value], at: &Attributes<'_>, kind: &Kind) -> bool {
    rules.iter().any(|rule| matches_rule(rule, at, kind))
}

fn matches_rule(rule: &Value, at: &Attributes<'_>, kind: &Kind) -> bool {
    let any_or =
        |name: &str, wanted: &str| texts(rule, name).any(|own| own == "*" || own == wanted);
    // Namespaces are cluster-scoped, although their requests carry a namespace.
    let namespaced = !at.is_namespace() && !at.namespace.is_empty();
    let scope = match text(rule, "scope") {
        "Namespaced" => namespaced,
        "Cluster" => !namespaced,
        _ => true,
    };
    let resource = |own: &str| {
        let (resource, subresource) = own.split_once('/').unwrap_or((own, ""));
        (resource == "*" || resource == kind.plural)
            && (subresource == "*" || subresource == at.subresource)
    };
    let named = !has(rule, "resourceNames")
        || list(rule, "resourceNames").is_empty()
        || texts(rule, "resourceNames").any(|name| name == at.name);
    scope
        && named
        && any_or("operations", at.operation.name())
        && any_or("apiGroups", kind.group)
        && any_or("apiVersions", kind.version)
        && texts(rule, "resources").any(resource)
}

/// Returns true if a rule might match a kind. This check is cheap and precedes all others.
pub fn wants(rules: &[Value], kind: &Kind) -> bool {
    let has_group = |own: &str| own == "*" || own == kind.group;
    let group = |rule: &Value| texts(rule, "apiGroups").any(has_group);
    rules.is_empty() || rules.iter().any(group)
}
