//! Masks the data of Secrets but keeps changes visible.

use crate::api::json::{Value, json};
use crate::kinds::last_applied::LAST_APPLIED;

/// Replaces the values of `data`: equal values get equal masks, and different values get different masks. As in
/// kubectl, the last-applied annotation keeps its copies of the values.
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
            // kubectl's masks show that a value changes without showing the value.
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

/// Masks the values of one object, including those repeated in its last-applied annotation.
pub(in crate::cli::commands) fn mask(object: &mut Value) {
    hide_last_applied(object);
    hide(Some(object), None);
}

fn hide_last_applied(object: &mut Value) {
    let annotation = &object["metadata"]["annotations"][LAST_APPLIED];
    let Some(text) = annotation.as_str() else {
        return;
    };
    // A text that is not JSON may contain the values anywhere, so all of it is dropped.
    let mut applied = serde_json::from_str(text).unwrap_or_default();
    for name in ["data", "stringData"] {
        if let Some(Value::Object(data)) = Value::get_mut(&mut applied, name) {
            data.values_mut().for_each(|value| *value = json!("***"));
        }
    }
    object["metadata"]["annotations"][LAST_APPLIED] = json!(applied.to_string());
}

/// Returns true if a value is not masked yet.
fn is_open(value: Value) -> bool {
    !value.as_str().unwrap_or_default().starts_with("***")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masked_secrets_show_only_changed_keys() {
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
        let applied = json!({"data": {"a": "b"}, "stringData": {"c": "d"}}).to_string();
        let mut known = json!({"metadata": {"annotations": {LAST_APPLIED: applied}}});
        let before = known.clone();
        hide(Some(&mut known), None);
        assert_eq!(known, before);
        mask(&mut known);
        assert_eq!(
            known["metadata"]["annotations"][LAST_APPLIED],
            r#"{"data":{"a":"***"},"stringData":{"c":"***"}}"#
        );
        let mut alone = json!({"data": {"a": "b"}});
        hide(None, Some(&mut alone));
        assert_eq!(alone["data"]["a"], "***");
    }
}
