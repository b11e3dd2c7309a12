//! Admission of a Node, and the values of its field selectors.

use crate::admission::AdmissionContext;
use crate::api::json::{Value, json};
use crate::api::status::Status;
use crate::tree::{ensure, field, flag, list, push, text};

/// Admits a new Node, which accepts no Pods until it reports that it is ready.
pub(super) fn admit(node: &mut Value, _: &str, _: &AdmissionContext<'_>) -> Result<(), Status> {
    const KEY: &str = "node.kubernetes.io/not-ready";
    let spec = ensure(node, "spec");
    let tainted =
        |taint: &Value| text(taint, "key") == KEY && text(taint, "effect") == "NoSchedule";
    // The plugin TaintNodesByCondition adds the taint, and the node lifecycle controller removes it.
    if !list(spec, "taints").iter().any(tainted) {
        push(spec, "taints", json!({"key": KEY, "effect": "NoSchedule"}));
    }
    Ok(())
}

/// Returns the values of field selectors that cannot be read directly from a field.
pub(super) fn selector_value(node: &Value, selector: &str) -> Option<String> {
    let cordoned = || flag(field(node, "spec"), "unschedulable").to_string();
    (selector == "spec.unschedulable").then(cordoned)
}
