//! The defaults that the kinds of this group share.

use crate::api::json::Value;
use crate::tree::{child, empty, ensure, items, set_default};

/// Sets the defaults of a ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
pub(crate) fn admission_policy(object: &mut Value) {
    let spec = ensure(object, "spec");
    set_default(spec, "failurePolicy", "Fail");
    if let Some(constraints) = child(spec, "matchConstraints") {
        match_resources(constraints);
    }
}

/// Sets the defaults of a policy binding.
pub(crate) fn policy_binding(object: &mut Value) {
    let spec = ensure(object, "spec");
    if let Some(resources) = child(spec, "matchResources") {
        match_resources(resources);
    }
}

fn match_resources(resources: &mut Value) {
    set_default(resources, "matchPolicy", "Equivalent");
    // An empty selector selects everything; an absent one would select nothing.
    set_default(resources, "namespaceSelector", empty());
    set_default(resources, "objectSelector", empty());
    for name in ["resourceRules", "excludeResourceRules"] {
        items(resources, name).for_each(|rule| set_default(rule, "scope", "*"));
    }
}

pub(crate) fn webhook(hook: &mut Value) {
    set_default(hook, "failurePolicy", "Fail");
    set_default(hook, "matchPolicy", "Equivalent");
    set_default(hook, "namespaceSelector", empty());
    set_default(hook, "objectSelector", empty());
    set_default(hook, "timeoutSeconds", 10);
    items(hook, "rules").for_each(|rule| set_default(rule, "scope", "*"));
    if let Some(service) = child(ensure(hook, "clientConfig"), "service") {
        set_default(service, "port", 443);
    }
}
