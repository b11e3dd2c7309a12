//! Fields of objects over time.

use std::str::FromStr;

use crate::api::changes::{Difference, differences, item_named};
use crate::api::json::{Text, Value, from_bytes};
use crate::cluster::{Cluster, HistoryQuery, Key, RecordedChange, Result, Revision};

/// Fields that change with every write and say nothing.
const SILENT: &[&str] = &["metadata.managedFields", "metadata.generation"];

/// Fields of containers whose values may be secrets.
const PRIVATE: &[&str] = &["env", "args", "command"];

/// A path to a field, such as `spec.replicas`, `spec.containers[0].image` or `status.conditions[Ready]`.
/// Also accepts kubectl's JSONPath: `{.spec.replicas}`, `status.conditions[?(@.type=="Ready")]` and
/// `metadata.annotations.example\.com/name`, the latter even without the backslash.
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
    /// A list item, by its key (such as `name` or `type`) or its index, or a map entry.
    Item(String),
}

impl FromStr for FieldPath {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = Vec::new();
        let inner = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
        let inner = inner.unwrap_or(text);
        // kubectl's paths start with a dot, which users often omit.
        let mut rest = inner.strip_prefix('.').unwrap_or(inner);
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let Some((item, after)) = inner.split_once(']') else {
                    return Err(format!("{text:?} has a [ without a ]"));
                };
                parts.push(Part::Item(selected(item).to_owned()));
                rest = after.strip_prefix('.').unwrap_or(after);
                continue;
            }
            let end = end_of_name(rest);
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return Err(format!("{text:?} has an empty name"));
            }
            parts.push(Part::Name(name.replace("\\.", ".")));
            rest = after.strip_prefix('.').unwrap_or(after);
        }
        match parts.is_empty() {
            true => Err("expected a field such as spec.replicas".to_owned()),
            false => Ok(Self(parts)),
        }
    }
}

/// Returns the key between brackets: the word itself, quoted or not, or the value in a JSONPath filter.
fn selected(item: &str) -> &str {
    let filter = item.strip_prefix("?(@.").and_then(|f| f.strip_suffix(')'));
    let value = filter.and_then(|filter| filter.split_once("=="));
    // JSONPath requires quotes for a name with dots; here, the brackets are enough.
    let item = value.map_or(item, |(_, value)| value);
    item.trim().trim_matches(['"', '\''])
}

/// Returns the length of the name at the start of a path: up to a bracket, or a dot that is not escaped.
fn end_of_name(path: &str) -> usize {
    let ends = path.match_indices(['.', '[']);
    let mut ends = ends.filter(|(at, _)| !path[..*at].ends_with('\\'));
    ends.next().map_or(path.len(), |(at, _)| at)
}

impl FieldPath {
    /// Returns the value of the field in an object.
    pub fn find<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        find(&self.0, object)
    }
}

fn find<'v>(parts: &[Part], value: &'v Value) -> Option<&'v Value> {
    match parts.split_first() {
        None => Some(value),
        Some((Part::Item(item), rest)) => {
            let found = match value.as_array() {
                None => value.get(item.as_str()),
                // Keys take precedence over indexes: `ports[80]` is port 80, as in the paths of `ctl log -p`.
                Some(items) => item_named(items, item)
                    .or_else(|| item.parse::<usize>().ok().and_then(|at| items.get(at))),
            };
            find(rest, found?)
        }
        Some((Part::Name(name), rest)) => {
            let mut name = name.clone();
            let mut rest = rest;
            loop {
                if let Some(found) = value.get(name.as_str()).and_then(|value| find(rest, value)) {
                    return Some(found);
                }
                // Names of annotations and labels contain dots.
                let (Part::Name(next), after) = rest.split_first()? else {
                    return None;
                };
                name = format!("{name}.{next}");
                rest = after;
            }
        }
    }
}

/// Returns the fields that a change set, except for those that change with every write. For fields that may contain
/// secrets, the differences contain no values.
///
/// # Errors
/// Returns an error if the previous version cannot be read.
pub fn changed_fields(change: &RecordedChange<'_>) -> Result<Vec<Difference>> {
    let (Some(after), Some(before)) = (change.after, change.read_before()?) else {
        return Ok(Vec::new());
    };
    Ok(fields_between(change.key, &parsed(&before), &parsed(after)))
}

/// Returns the fields in which two versions of an object differ, by the rules of [`changed_fields`].
pub fn fields_between(key: &str, before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = differences(before, after);
    found.retain(|difference| !is_silent(&difference.path));
    for difference in &mut found {
        if is_private(key, &difference.path) {
            (difference.before, difference.after) = (None, None);
        }
        for value in [&mut difference.before, &mut difference.after] {
            *value = value.as_ref().map(masked);
        }
    }
    found
}

/// Returns a value with the fields of containers masked that may be secrets.
pub(crate) fn masked(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (&Text, &Value)| {
                let value = match PRIVATE.contains(&name.as_str()) {
                    true => MASK.into(),
                    false => masked(value),
                };
                (name.clone(), value)
            };
            fields.iter().map(field).collect()
        }
        other => other.clone(),
    }
}

/// The text that replaces a value that may be a secret.
pub(crate) const MASK: &str = "***";

/// Returns true if the value of a field may be a secret. Users copy logs and test failures into bug reports.
pub(crate) fn is_private(key: &str, path: &str) -> bool {
    let is_named = |name: &str| PRIVATE.contains(&name);
    key.starts_with("secrets/") || path.split(['.', '[']).any(is_named)
}

/// Returns the revision at which an object's field got its current value or was removed, or `None` if no retained
/// change affected the field.
///
/// # Errors
/// Returns an error if the history cannot be read.
pub fn last_change_of(cluster: &Cluster, key: &Key, field: &FieldPath) -> Result<Option<Revision>> {
    let past = HistoryQuery {
        after: cluster.stored().oldest()?,
        object: Some(key.clone()),
        ..HistoryQuery::default()
    };
    let value = |json: &[u8]| field.find(&parsed(json)).cloned();
    let mut last = None;
    let mut newer: Option<(Revision, Option<Value>)> = None;
    cluster.stored().visit_back(&past, &mut |commit| {
        for change in commit.changes.iter().rev() {
            let after = change.after.and_then(value);
            if let Some((revision, newer)) = &newer
                && *newer != after
            {
                last = Some(*revision);
                return Ok(false);
            }
            // Going back in time, each version is the one before the next newer change, so only the oldest one must be
            // read separately.
            let is_first = change.before().is_none_or(|before| before <= past.after);
            if is_first && change.read_before()?.as_deref().and_then(value) != after {
                last = Some(change.revision);
                return Ok(false);
            }
            newer = Some((change.revision, after));
        }
        Ok(true)
    })?;
    Ok(last)
}

fn parsed(json: &[u8]) -> Value {
    // The store accepts only JSON. A damaged version reads as an empty one, and shows up as a change.
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
            "spec": {"containers": [{"name": "a", "image": "i", "ports": [{"containerPort": 80}]}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        path.parse::<FieldPath>().unwrap().find(&object).cloned()
    }

    #[test]
    fn a_container_that_appears_shows_no_command_line() {
        let pod = |containers: Value| json!({"spec": {"containers": containers}});
        let before = pod(json!([]));
        let after = pod(
            json!([{"name": "a", "image": "i", "args": ["secret"], "env": [{"name": "P", "value": "secret"}]}]),
        );
        let found = fields_between("pods/default/p", &before, &after);
        assert_eq!(found.len(), 1);
        assert!(!format!("{found:?}").contains("secret"), "{found:?}");
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
        assert_eq!(
            found("spec.containers[a].ports[80].containerPort"),
            Some(json!(80))
        );
        assert_eq!(found("spec.containers[3]"), None);
        for jsonpath in [
            "metadata.labels.app.kubernetes.io/name",
            "metadata.labels.app\\.kubernetes\\.io/name",
            "{.metadata.labels['app.kubernetes.io/name']}",
            "{.metadata.labels.app\\.kubernetes\\.io/name}",
        ] {
            assert_eq!(found(jsonpath), Some(json!("web")), "{jsonpath}");
        }
        assert_eq!(
            found("status.conditions[?(@.type==\"Ready\")].status"),
            Some(json!("True"))
        );
        assert_eq!(found("metadata.labels.app.kubernetes.io"), None);
        for odd in ["", "{}", "spec..x", "spec.containers[0"] {
            assert!(odd.parse::<FieldPath>().is_err(), "{odd}");
        }
    }
}
