//! The kinds by which a cluster is extended and shared out: definitions, roles, classes, flow control.

use crate::api::json::Value;
use crate::tree::{child, ensure, has, items, set_default, text};

/// A CustomResourceDefinition.
pub(super) fn crd(object: &mut Value) {
    let spec = ensure(object, "spec");
    let names = ensure(spec, "names");
    let kind = text(names, "kind").to_owned();
    if !kind.is_empty() {
        set_default(names, "singular", kind.to_lowercase());
        set_default(names, "listKind", format!("{kind}List"));
    }
    let conversion = ensure(spec, "conversion");
    set_default(conversion, "strategy", "None");
    let config = child(conversion, "webhook").and_then(|hook| child(hook, "clientConfig"));
    if let Some(service) = config.and_then(|config| child(config, "service")) {
        set_default(service, "port", 443);
    }
}

/// An APIService.
pub(super) fn api_service(object: &mut Value) {
    if let Some(service) = child(ensure(object, "spec"), "service") {
        set_default(service, "port", 443);
    }
}

/// A RoleBinding or ClusterRoleBinding.
pub(super) fn role_binding(object: &mut Value) {
    const GROUP: &str = "rbac.authorization.k8s.io";
    set_default(ensure(object, "roleRef"), "apiGroup", GROUP);
    for subject in items(object, "subjects") {
        if matches!(text(subject, "kind"), "User" | "Group") {
            set_default(subject, "apiGroup", GROUP);
        }
    }
}

/// A PriorityClass.
pub(super) fn priority_class(object: &mut Value) {
    set_default(object, "preemptionPolicy", "PreemptLowerPriority");
}

/// A FlowSchema.
pub(super) fn flow_schema(object: &mut Value) {
    set_default(ensure(object, "spec"), "matchingPrecedence", 1000);
}

/// A PriorityLevelConfiguration.
pub(super) fn priority_level(object: &mut Value) {
    let spec = ensure(object, "spec");
    if let Some(exempt) = child(spec, "exempt") {
        set_default(exempt, "nominalConcurrencyShares", 0);
        set_default(exempt, "lendablePercent", 0);
    }
    let Some(limited) = child(spec, "limited") else {
        return;
    };
    set_default(limited, "nominalConcurrencyShares", 30);
    set_default(limited, "lendablePercent", 0);
    if let Some(queuing) = child(ensure(limited, "limitResponse"), "queuing") {
        set_default(queuing, "queues", 64);
        set_default(queuing, "handSize", 8);
        set_default(queuing, "queueLengthLimit", 50);
    }
}

/// A ResourceClaim.
pub(super) fn resource_claim(object: &mut Value) {
    claim_spec(ensure(object, "spec"));
}

/// A ResourceClaimTemplate.
pub(super) fn resource_claim_template(object: &mut Value) {
    claim_spec(ensure(ensure(object, "spec"), "spec"));
}

fn claim_spec(spec: &mut Value) {
    for request in items(ensure(spec, "devices"), "requests") {
        if let Some(exactly) = child(request, "exactly") {
            device_request(exactly);
        }
        items(request, "firstAvailable").for_each(device_request);
    }
}

fn device_request(request: &mut Value) {
    set_default(request, "allocationMode", "ExactCount");
    if text(request, "allocationMode") == "ExactCount" {
        set_default(request, "count", 1);
    }
    for toleration in items(request, "tolerations") {
        if has(toleration, "key") {
            set_default(toleration, "operator", "Equal");
        }
    }
}
