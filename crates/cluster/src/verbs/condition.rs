//! Conditions of a Pod that a subresource sets.

use crate::api::json::{Value, json};
use crate::kinds::tree::{ensure, items, push, set, text};

/// Sets a condition of a Pod; its transition time changes only with its status.
pub(crate) fn set_condition(pod: &mut Value, condition: &Value, now: &str) {
    let status = ensure(pod, "status");
    let kind = text(condition, "type");
    let mut new = condition.clone();
    set(&mut new, "lastProbeTime", Value::Null);
    set(&mut new, "lastTransitionTime", now);
    // Replaced in place: clients print conditions in the stored order.
    for old in items(status, "conditions") {
        if text(old, "type") != kind {
            continue;
        }
        if text(old, "status") == text(&new, "status") {
            let since = old["lastTransitionTime"].clone();
            set(&mut new, "lastTransitionTime", since);
        }
        *old = new;
        return;
    }
    if !status["conditions"].is_array() {
        set(status, "conditions", json!([]));
    }
    push(status, "conditions", new);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_transition_time_changes_only_with_the_status() {
        let mut pod = json!({});
        let condition = |status: &str| json!({"type": "Ready", "status": status});
        set_condition(&mut pod, &condition("False"), "1");
        set_condition(&mut pod, &condition("False"), "2");
        assert_eq!(pod["status"]["conditions"][0]["lastTransitionTime"], "1");
        set_condition(&mut pod, &condition("True"), "3");
        assert_eq!(pod["status"]["conditions"].as_array().unwrap().len(), 1);
        assert_eq!(pod["status"]["conditions"][0]["lastTransitionTime"], "3");
    }
}
