//! The fields of an object over time.

use std::str::FromStr;

use crate::api::changes::{Difference, differences};
use crate::api::json::{Value, from_bytes};
use crate::cluster::{Cluster, Key, Past, Range, RecordedChange, Result, Revision};

/// Fields that change with every write and carry no information.
const SILENT: &[&str] = &["metadata.managedFields", "metadata.generation"];

/// Fields of containers whose values may be secret.
const PRIVATE: &[&str] = &["env", "args", "command"];

/// A path to a field, such as `spec.replicas`, `spec.containers[0].image` or `status.conditions[Ready]`.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_history::FieldPath;
///
/// let path: FieldPath = "spec.containers[web].image".parse()?;
/// let pod = json!({"spec": {"containers": [{"name": "web", "image": "nginx:1"}]}});
/// assert_eq!(path.find(&pod), Some(&json!("nginx:1")));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Name(String),
    /// An item of a list by its index or by its `name` or `type`, or an entry of a map.
    Item(String),
}

impl FromStr for FieldPath {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = Vec::new();
        // kubectl's paths begin with a dot, which users often omit.
        let mut rest = text.strip_prefix('.').unwrap_or(text);
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let Some((item, after)) = inner.split_once(']') else {
                    return Err(format!("{text:?} has a [ without a ]"));
                };
                // JSONPath quotes names with dots; here the brackets are sufficient.
                parts.push(Part::Item(item.trim_matches(['"', '\'']).to_owned()));
                rest = after.strip_prefix('.').unwrap_or(after);
                continue;
            }
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return Err(format!("{text:?} has an empty name"));
            }
            parts.push(Part::Name(name.to_owned()));
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        match parts.is_empty() {
            true => Err("expected a field such as spec.replicas".to_owned()),
            false => Ok(Self(parts)),
        }
    }
}

impl FieldPath {
    /// Returns the value of the field in an object.
    pub fn find<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(object, |value, part| match part {
            Part::Name(name) => value.get(name.as_str()),
            Part::Item(item) => match value.as_array() {
                None => value.get(item.as_str()),
                // Nearly all lists of Kubernetes are keyed by these two fields.
                Some(items) => match item.parse::<usize>() {
                    Ok(place) => items.get(place),
                    Err(_) => items.iter().find(|value| {
                        let called = |field: &str| value[field].as_str() == Some(item);
                        called("name") || called("type")
                    }),
                },
            },
        })
    }
}

/// Returns the fields that a change set, without those that change with every write. The differences of possibly secret
/// fields contain no values.
///
/// # Errors
/// If the previous version cannot be read.
pub fn changed_fields(change: &RecordedChange<'_>) -> Result<Vec<Difference>> {
    let (Some(after), Some(before)) = (change.after, change.read_before()?) else {
        return Ok(Vec::new());
    };
    Ok(fields_between(change.key, &parsed(&before), &parsed(after)))
}

/// Returns the fields that differ between two versions of an object, by the rules of [`changed_fields`].
pub fn fields_between(key: &str, before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = differences(before, after);
    found.retain(|difference| !is_silent(&difference.path));
    // Users copy logs into bug reports, so a log must not leak values.
    let secret = key.starts_with("secrets/");
    for difference in &mut found {
        if secret
            || difference
                .path
                .split(['.', '['])
                .any(|name| PRIVATE.contains(&name))
        {
            (difference.before, difference.after) = (None, None);
        }
    }
    found
}

/// Returns the revision at which an object's field got its current value or was removed; `None` if no change of the
/// field is kept.
///
/// # Errors
/// If the history cannot be read.
pub fn last_change_of(cluster: &Cluster, key: &Key, field: &FieldPath) -> Result<Option<Revision>> {
    let past = Past {
        after: cluster.stored().oldest()?,
        range: Range::prefix(key.as_str()),
        ..Past::default()
    };
    let mut last = None;
    // Each version is the previous one of the next change, so only the first must be read separately.
    let mut known: Option<Option<Value>> = None;
    cluster.stored().visit(&past, &mut |commit| {
        // The range contains every key with this prefix, such as `web-2` beside `web`.
        for change in commit.changes.iter().filter(|c| c.key == key.as_str()) {
            let before = match known.take() {
                Some(value) => value,
                None => change
                    .read_before()?
                    .and_then(|json| field.find(&parsed(&json)).cloned()),
            };
            let after = change.after.map(parsed);
            let after = after.and_then(|object| field.find(&object).cloned());
            if before != after {
                last = Some(change.revision);
            }
            known = Some(after);
        }
        Ok(true)
    })?;
    Ok(last)
}

fn parsed(json: &[u8]) -> Value {
    // The store accepts only JSON; a damaged version is read as an empty one and appears as a change.
    from_bytes(json, &[]).unwrap_or_default()
}

fn is_silent(path: &str) -> bool {
    let below = |field: &str| {
        path.strip_prefix(field)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    SILENT.iter().any(|field| below(field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    fn found(path: &str) -> Option<Value> {
        let object = json!({
            "metadata": {"labels": {"app.kubernetes.io/name": "web"}},
            "spec": {"containers": [{"name": "a", "image": "i"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        path.parse::<FieldPath>().unwrap().find(&object).cloned()
    }

    #[test]
    fn field_path_selects_items_by_index_name_or_type() {
        assert_eq!(found(".spec.containers[0].image"), Some(json!("i")));
        assert_eq!(found("spec.containers[a].image"), Some(json!("i")));
        assert_eq!(
            found("status.conditions[Ready].status"),
            Some(json!("True"))
        );
        assert_eq!(
            found("metadata.labels[app.kubernetes.io/name]"),
            Some(json!("web"))
        );
        assert_eq!(found("spec.containers[3]"), None);
        for odd in ["", "spec..x", "spec.containers[0"] {
            assert!(odd.parse::<FieldPath>().is_err(), "{odd}");
        }
    }
}
