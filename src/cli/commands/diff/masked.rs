//! The data of secrets, hidden so that one still sees what changes.

use crate::api::json::{Value, json};

/// Replaces the values of `data`: the same mark where both are equal, others where they differ.
pub(super) fn hide(live: Option<&mut Value>, merged: Option<&mut Value>) {
    let value = |object: &Option<&mut Value>, key: &str| {
        object
            .as_ref()
            .map(|o| o["data"][key].clone())
            .filter(|v| !v.is_null())
    };
    let mut keys: Vec<String> = Vec::new();
    for object in [&live, &merged].into_iter().flatten() {
        let data = object["data"].as_object();
        keys.extend(data.into_iter().flatten().map(|(key, _)| key.to_string()));
    }
    let (mut live, mut merged) = (live, merged);
    for key in keys {
        let (before, after) = (value(&live, &key), value(&merged, &key));
        let marks = match (&before, &after) {
            (Some(a), Some(b)) if a != b => ("*** (before)", "*** (after)"),
            _ => ("***", "***"),
        };
        if let (Some(object), true) = (live.as_deref_mut(), before.is_some_and(is_open)) {
            object["data"][&key] = json!(marks.0);
        }
        if let (Some(object), true) = (merged.as_deref_mut(), after.is_some_and(is_open)) {
            object["data"][&key] = json!(marks.1);
        }
    }
}

/// Whether a value has not been hidden yet.
fn is_open(value: Value) -> bool {
    !value.as_str().unwrap_or_default().starts_with("***")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_show_only_whether_they_change() {
        let mut live = json!({"data": {"same": "a", "other": "b", "gone": "c"}});
        let mut merged = json!({"data": {"same": "a", "other": "x", "new": "d"}});
        hide(Some(&mut live), Some(&mut merged));
        assert_eq!(
            live["data"],
            json!({"same": "***", "other": "*** (before)", "gone": "***"})
        );
        assert_eq!(
            merged["data"],
            json!({"same": "***", "other": "*** (after)", "new": "***"})
        );
        let mut alone = json!({"data": {"a": "b"}});
        hide(None, Some(&mut alone));
        assert_eq!(alone["data"]["a"], "***");
    }
}
