//! Which requests a policy, a binding or a webhook is for.

use super::attributes::Attributes;
use crate::api::json::Value;
use crate::api::selector::LabelSelector;
use crate::kind::Kind;
use crate::tree::{field, has, list, text, texts};

/// The fields that say which requests are meant: `matchConstraints` of a policy, `matchResources` of a
/// binding, or a webhook.
#[derive(Clone, Copy, Debug)]
pub struct Constraints<'a> {
    /// The object with the selectors and the match policy.
    pub of: &'a Value,
    /// The rules; no rules match everything.
    pub rules: &'a [Value],
    /// The rules that take requests out.
    pub excluded: &'a [Value],
}

impl<'a> Constraints<'a> {
    /// Those of a policy or a binding.
    pub fn of_policy(resources: &'a Value) -> Self {
        Self {
            of: resources,
            rules: list(resources, "resourceRules"),
            excluded: list(resources, "excludeResourceRules"),
        }
    }

    /// Those of a webhook, which without rules is for nothing.
    pub fn of_webhook(hook: &'a Value) -> Self {
        Self {
            of: hook,
            rules: list(hook, "rules"),
            excluded: &[],
        }
    }

    /// Returns the version of the resource at which the request is meant, the request's own first;
    /// none if it is not meant. `versions` are those that the resource has; `namespace` finds the
    /// namespace of the request.
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
        // A namespace is selected by what it will be; what is in no namespace is always selected.
        if at.is_namespace() && at.subresource.is_empty() {
            let own = at.object.or(at.old);
            return own.is_none_or(|own| selector.matches_object(own));
        }
        at.own_namespace().is_empty()
            || namespace().is_some_and(|namespace| selector.matches_object(&namespace))
    }
}

/// The selector, unless it selects everything.
fn selector(selector: &Value) -> Option<LabelSelector> {
    if selector.is_null() {
        return None;
    }
    let selector = LabelSelector::from_object(Some(selector)).ok()?;
    (!selector.is_everything()).then_some(selector)
}

/// Returns true if one of the rules is for the request at a version of its resource.
pub fn matches_rules(rules: &[Value], at: &Attributes<'_>, kind: &Kind) -> bool {
    rules.iter().any(|rule| matches_rule(rule, at, kind))
}

fn matches_rule(rule: &Value, at: &Attributes<'_>, kind: &Kind) -> bool {
    let any_or =
        |name: &str, wanted: &str| texts(rule, name).any(|own| own == "*" || own == wanted);
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

/// Returns true if a rule of a configuration could be for a kind at all: a quick look before anything
/// else is done.
pub fn wants(rules: &[Value], kind: &Kind) -> bool {
    let has_group = |own: &str| own == "*" || own == kind.group;
    let group = |rule: &Value| texts(rule, "apiGroups").any(has_group);
    rules.is_empty() || rules.iter().any(group)
}
