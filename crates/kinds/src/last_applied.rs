//! The annotation in which `kubectl apply` records the applied configuration, and the patches computed from it.

use super::kind::Kind;
use super::schema::strategic_shape;
use crate::api::go::escaped_json;
use crate::api::json::{Map, Value, json};
use crate::api::patch::diff::{
    keeps_identity, merge_three_way, merge_two_way, strategic_three_way, strategic_two_way,
};

/// The name of the annotation.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The change from one state of an object to another, in the patch format of its kind.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::find;
/// use ctl_kinds::last_applied::{Patch, two_way};
///
/// let kind = find("apps", "v1", "Deployment").unwrap();
/// let patch = two_way(kind, &json!({"spec": {"replicas": 1}}), &json!({"spec": {"replicas": 3}}))?;
/// assert_eq!(patch.value(), &json!({"spec": {"replicas": 3}}));
/// assert!(matches!(patch, Patch::Strategic(_)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// Merges lists by their keys.
    Strategic(Value),
    /// Replaces lists.
    Merge(Value),
}

impl Patch {
    /// Returns the patch itself.
    pub fn value(&self) -> &Value {
        match self {
            Self::Strategic(value) | Self::Merge(value) => value,
        }
    }

    /// Returns true if the patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.value().as_object().is_some_and(Map::is_empty)
    }
}

/// Returns the value of the annotation of a live object.
pub fn of(live: &Value) -> Option<&str> {
    live["metadata"]["annotations"][LAST_APPLIED].as_str()
}

/// Returns a configuration without the annotation but with a map of annotations, which may be empty.
pub fn plain(object: &Value) -> Value {
    let mut plain = object.clone();
    if let Some(annotations) = annotations(&mut plain).as_object_mut() {
        annotations.remove(LAST_APPLIED);
    }
    plain
}

/// Returns a configuration as the annotation stores it: one line of JSON, without the annotation itself.
pub fn text(object: &Value) -> String {
    let json = serde_json::to_string(&plain(object)).unwrap_or_default();
    // kubectl's encoder ends the line with a newline, and the annotation is compared as a string.
    escaped_json(json) + "\n"
}

/// Returns a configuration whose annotation contains the configuration itself.
pub fn annotated(object: &Value) -> Value {
    let text = text(object);
    with_text(object.clone(), &text)
}

/// Returns an object with `text` as its annotation.
pub fn with_text(mut object: Value, text: &str) -> Value {
    annotations(&mut object)[LAST_APPLIED] = json!(text);
    object
}

/// Returns the annotations of an object and creates them if they are absent. kubectl reads them as strings, so null
/// becomes an empty string.
fn annotations(object: &mut Value) -> &mut Value {
    let mut inner = object;
    for field in ["metadata", "annotations"] {
        if !inner[field].is_object() {
            inner[field] = json!({});
        }
        inner = &mut inner[field];
    }
    let values = inner.as_object_mut().into_iter().flat_map(Map::values_mut);
    for value in values.filter(|value| value.is_null()) {
        *value = json!("");
    }
    inner
}

/// Computes the patch of `kubectl apply`: removes the fields that only the last configuration has, sets fields that
/// differ from the live object, and keeps fields that others added.
///
/// # Errors
/// Returns the reason why the patch cannot be computed.
pub fn three_way(kind: &Kind, modified: &Value, live: &Value) -> Result<Patch, String> {
    let last: Value = of(live)
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(json!({}));
    match strategic_shape(kind) {
        Some(shape) => strategic_three_way(&last, modified, live, &shape)
            .map(Patch::Strategic)
            .map_err(|e| e.to_string()),
        None => checked(merge_three_way(&last, modified, live)),
    }
}

/// Returns the changes since the last configuration that a patch would overwrite in the live object, or `None` if it
/// overwrites nothing. kubectl compares them for strategic merge patches only.
///
/// The annotation itself is among them, so nearly every patch overwrites something.
pub fn overwritten(kind: &Kind, patch: &Patch, live: &Value) -> Option<Value> {
    let Patch::Strategic(patch) = patch else {
        return None;
    };
    let last = of(live).and_then(|text| serde_json::from_str(text).ok());
    let changed = two_way(kind, &last.unwrap_or(json!({})), live).ok()?;
    let mut changed = changed.value().clone();
    drop_orders(&mut changed);
    clash(patch, &changed).then_some(changed)
}

/// Removes the list orders, which only a patch that is sent needs.
fn drop_orders(patch: &mut Value) {
    match patch {
        Value::Object(map) => {
            map.retain(|name, _| !name.starts_with("$setElementOrder/"));
            map.values_mut().for_each(drop_orders);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_orders),
        _ => {}
    }
}

/// Returns true if two patches set the same field to different values.
fn clash(patch: &Value, other: &Value) -> bool {
    match (patch, other) {
        (Value::Object(patch), Value::Object(other)) => patch
            .iter()
            .any(|(name, value)| other.get(name).is_some_and(|own| clash(value, own))),
        (Value::Array(patch), Value::Array(other)) => {
            // Items that a strategic merge patch identifies by name.
            let same = |a: &Value, b: &Value| !a["name"].is_null() && a["name"] == b["name"];
            let pairs = patch.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
            let mut named = pairs.filter(|(a, b)| same(a, b)).peekable();
            match named.peek() {
                Some(_) => named.any(|(a, b)| clash(a, b)),
                None => patch != other,
            }
        }
        (patch, other) => patch != other,
    }
}

/// Computes the patch from one state of an object to another, as `kubectl edit` and `kubectl set` send it.
///
/// # Errors
/// Returns the reason why the patch cannot be computed.
pub fn two_way(kind: &Kind, before: &Value, after: &Value) -> Result<Patch, String> {
    match strategic_shape(kind) {
        Some(shape) => strategic_two_way(before, after, &shape)
            .map(Patch::Strategic)
            .map_err(|e| e.to_string()),
        None => checked(merge_two_way(before, after)),
    }
}

fn checked(patch: Value) -> Result<Patch, String> {
    match keeps_identity(&patch) {
        Ok(()) => Ok(Patch::Merge(patch)),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    #[test]
    fn last_applied_annotation_excludes_itself() {
        let plain = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let once = annotated(&plain);
        let text = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"a\"}}\n";
        assert_eq!(of(&once), Some(text));
        assert_eq!(annotated(&once), once);
    }

    #[test]
    fn a_null_annotation_is_an_empty_text() {
        let plain =
            json!({"kind": "ConfigMap", "metadata": {"annotations": {"a": null}, "labels": null}});
        let once = annotated(&plain);
        let text = "{\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{\"a\":\"\"},\"labels\":null}}\n";
        assert_eq!(of(&once), Some(text));
        assert_eq!(once["metadata"]["annotations"]["a"], "");
    }

    #[test]
    fn last_applied_annotation_is_encoded_like_go() {
        let plain = json!({"kind": "ConfigMap", "data": {"a": "<&>"}, "metadata": {}});
        let written = "{\"data\":{\"a\":\"\\u003c\\u0026\\u003e\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{}}}\n";
        assert_eq!(text(&plain), written);
    }

    #[test]
    fn overwritten_live_changes_are_detected() {
        let kind = find("apps", "v1", "Deployment").unwrap();
        let config = |replicas: i64, paused: bool| {
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"},
                "spec": {"replicas": replicas, "paused": paused}})
        };
        let mut live = annotated(&config(1, false));
        live["spec"]["replicas"] = json!(5);
        let again = three_way(kind, &annotated(&config(2, false)), &live).unwrap();
        assert!(overwritten(kind, &again, &live).is_some());
        live["spec"]["replicas"] = json!(1);
        let same = three_way(kind, &annotated(&config(1, false)), &live).unwrap();
        assert_eq!(overwritten(kind, &same, &live), None);
        // Only the annotation differs, as kubectl reports.
        let alone = three_way(kind, &annotated(&config(2, true)), &live).unwrap();
        let changed = overwritten(kind, &alone, &live).unwrap();
        let annotations = &changed["metadata"]["annotations"];
        assert!(annotations[LAST_APPLIED].is_string(), "{changed}");
    }

    #[test]
    fn three_way_patch_removes_dropped_and_keeps_foreign_fields() {
        let kind = find("", "v1", "ConfigMap").unwrap();
        let config = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data});
        let mut live = annotated(&config(json!({"keep": "1", "drop": "2"})));
        live["data"]["live"] = json!("3");
        let modified = annotated(&config(json!({"keep": "1", "new": "4"})));
        let patch = three_way(kind, &modified, &live).unwrap();
        assert_eq!(patch.value()["data"], json!({"drop": null, "new": "4"}));
        assert!(!patch.is_empty());
        let mut applied = modified.clone();
        applied["data"]["live"] = json!("3");
        assert!(three_way(kind, &modified, &applied).unwrap().is_empty());
    }
}
