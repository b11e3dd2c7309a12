//! The conditions of a status: finds and sets them as Kubernetes does.

use jiff::Timestamp;

use super::moment;
use super::tree::{at, list, text};
use crate::api::json::{Value, json};

/// Returns the condition of a type, if there is one.
pub fn find<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    list(at(object, &["status"]), "conditions")
        .iter()
        .find(|c| text(c, "type") == kind)
}

/// Returns the status of a condition: `True`, `False` or `Unknown`; empty if the condition is missing.
pub fn status<'a>(object: &'a Value, kind: &str) -> &'a str {
    find(object, kind).map_or("", |c| text(c, "status"))
}

/// Returns true if the status of a condition is `True`.
pub fn is_true(object: &Value, kind: &str) -> bool {
    status(object, kind) == "True"
}

/// The content of a condition.
///
/// ```
/// use ctl_kinds::condition::{NewCondition, set};
///
/// let now = "2026-01-02T12:00:00Z".parse()?;
/// let ready = NewCondition { kind: "Ready", status: "True", reason: "", message: "" };
/// let mut conditions = Vec::new();
/// assert!(set(&mut conditions, ready.clone(), now));
/// assert!(!set(&mut conditions, ready, now), "an unchanged condition needs no write");
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NewCondition<'a> {
    /// The type of the condition.
    pub kind: &'a str,
    /// `True`, `False` or `Unknown`.
    pub status: &'a str,
    /// The reason, a single word in CamelCase; empty for none.
    pub reason: &'a str,
    /// The message; empty for none.
    pub message: &'a str,
}

/// Sets a condition in a list, in its place or at the end. Returns true if anything changed.
///
/// The time of the last transition changes only with the status.
pub fn set(conditions: &mut Vec<Value>, said: NewCondition<'_>, now: Timestamp) -> bool {
    let old = conditions.iter_mut().find(|c| text(c, "type") == said.kind);
    let mut new = json!({
        "type": said.kind, "status": said.status, "lastTransitionTime": moment::text(now),
    });
    for (name, value) in [("reason", said.reason), ("message", said.message)] {
        if !value.is_empty() {
            new[name] = json!(value);
        }
    }
    let Some(old) = old else {
        conditions.push(new);
        return true;
    };
    let same = |name: &str| text(old, name) == text(&new, name);
    // Avoid a write if nothing changed, because it would wake every watcher of the object.
    if same("status") && same("reason") && same("message") {
        return false;
    }
    if same("status") {
        new["lastTransitionTime"] = old["lastTransitionTime"].clone();
    }
    // Some controllers add these fields. Keep them, because other writers do not set them.
    for kept in ["observedGeneration", "lastProbeTime", "lastHeartbeatTime"] {
        if let Some(value) = old.get(kept) {
            new[kept] = value.clone();
        }
    }
    *old = new;
    true
}

/// Returns the conditions of an object for modification.
pub fn of(object: &Value) -> Vec<Value> {
    list(at(object, &["status"]), "conditions").to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transition_time_changes_only_with_the_status() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let said = |status, message| NewCondition {
            kind: "Ready",
            status,
            reason: "",
            message,
        };
        let mut list = Vec::new();
        assert!(set(&mut list, said("True", ""), at(0)));
        assert!(!set(&mut list, said("True", ""), at(5)));
        assert!(set(&mut list, said("True", "still"), at(6)));
        assert_eq!(list[0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        assert!(set(&mut list, said("False", "no"), at(7)));
        assert_eq!(list[0]["lastTransitionTime"], "1970-01-01T00:00:07Z");
        let object = json!({"status": {"conditions": list}});
        assert!(!is_true(&object, "Ready"));
        assert_eq!(status(&object, "Other"), "");
        assert_eq!(of(&object).len(), 1);
    }
}
