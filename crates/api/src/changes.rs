//! The differences between two object trees, as readable paths and values.

use std::fmt;

use super::json::Value;

/// The longest value that is shown in full, in characters.
const MAX_SHOWN: usize = 40;

/// A difference between two trees.
///
/// ```
/// use ctl_api::changes::{Difference, differences};
/// use ctl_api::json::json;
///
/// let before = json!({"spec": {"replicas": 1}});
/// let after = json!({"spec": {"replicas": 3}});
/// let changes: Vec<Difference> = differences(&before, &after);
/// assert_eq!(changes[0].to_string(), "spec.replicas 1 -> 3");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The field's path: `spec.template.spec.containers[web].image`.
    pub path: String,
    /// The value before; `None` if the field was absent.
    pub before: Option<Value>,
    /// The value after; `None` if the field is absent.
    pub after: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (shown(self.before.as_ref()), shown(self.after.as_ref()));
        write!(f, "{} {before} -> {after}", self.path)
    }
}

/// Lists the differences between two trees, in the order of the fields.
///
/// Lists of equal length are compared item by item, and items that are maps with a `name` are identified by it; lists
/// of different lengths differ as a whole.
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(before), Some(after), &mut found);
    found
}

/// Renders a value as one line of text without control characters, and truncates long values.
pub fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => return "(none)".to_owned(),
        Some(Value::String(text)) if is_plain(text) => text.to_string(),
        Some(Value::String(text)) => format!("{:?}", &**text),
        Some(value) => serde_json::to_string(value).unwrap_or_default(),
    };
    // Counted in characters, because a cut inside a character would be invalid UTF-8.
    if text.chars().count() <= MAX_SHOWN {
        return text;
    }
    let cut: String = text.chars().take(MAX_SHOWN - 3).collect();
    format!("{cut}...")
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())
}

fn compare(path: &str, before: Option<&Value>, after: Option<&Value>, found: &mut Vec<Difference>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            // Fields that only the new object has come after those of the old one, so the order is stable.
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                let deeper = if path.is_empty() {
                    key.to_string()
                } else {
                    format!("{path}.{key}")
                };
                compare(&deeper, old.get(key), new.get(key), found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                // Named only if both sides have the name at this index: a moved container is a change at both indexes.
                let same_name = name_of(old).filter(|name| name_of(new) == Some(name));
                let item = same_name.map_or_else(|| index.to_string(), str::to_owned);
                compare(&format!("{path}[{item}]"), Some(old), Some(new), found);
            }
        }
        (before, after) => found.push(Difference {
            path: path.to_owned(),
            before: before.cloned(),
            after: after.cloned(),
        }),
    }
}

fn name_of(item: &Value) -> Option<&str> {
    item.get("name").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn lines(before: &Value, after: &Value) -> Vec<String> {
        differences(before, after)
            .iter()
            .map(Difference::to_string)
            .collect()
    }

    #[test]
    fn changed_fields_are_listed_with_old_and_new_values() {
        let before = json!({"spec": {"replicas": 5, "paused": true, "containers": [
            {"name": "web", "image": "nginx:1"}, {"name": "log", "args": ["a"]}]}});
        let after = json!({"spec": {"replicas": 2, "strategy": {"type": "x y"}, "containers": [
            {"name": "web", "image": "nginx:2"}, {"name": "log", "args": ["a", "b"]}]}});
        assert_eq!(
            lines(&before, &after),
            [
                "spec.containers[web].image nginx:1 -> nginx:2",
                r#"spec.containers[log].args ["a"] -> ["a","b"]"#,
                "spec.paused true -> (none)",
                "spec.replicas 5 -> 2",
                r#"spec.strategy (none) -> {"type":"x y"}"#,
            ]
        );
        assert!(lines(&before, &before).is_empty());
    }

    #[test]
    fn value_is_escaped_and_cut_to_40_characters() {
        for (value, text) in [
            (json!(""), "\"\"".to_owned()),
            (json!("a b\n\u{1b}[31m"), r#""a b\n\u{1b}[31m""#.to_owned()),
            (json!("x".repeat(41)), format!("{}...", "x".repeat(37))),
            (json!(null), "null".to_owned()),
        ] {
            assert_eq!(shown(Some(&value)), text);
        }
    }
}
