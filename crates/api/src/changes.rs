//! Computes the differences between two object trees as readable paths and values.

use std::fmt;

use super::json::Value;

/// The maximum length of a displayed value, in characters.
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

/// The fields that identify the items of lists, such as containers, conditions, taints and ports, in this order.
pub const ITEM_KEYS: &[&str] = &[
    "name",
    "type",
    "key",
    "uid",
    "containerPort",
    "port",
    "mountPath",
];

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.texts();
        write!(f, "{} {before} -> {after}", self.path)
    }
}

impl Difference {
    /// Returns the old and the new value as short texts. An item that the path already names is shown without its key,
    /// a condition by its status only, and lists whose items were reordered by the names of the items.
    pub fn texts(&self) -> [String; 2] {
        if let (Some(Value::Array(old)), Some(Value::Array(new))) = (&self.before, &self.after)
            && let Some(key) = common_key(old, new)
        {
            let names = |items: &[Value]| {
                let names = items.iter().filter_map(|item| name_by(item, key));
                Value::from(names.map(Value::from).collect::<Vec<Value>>())
            };
            return [old, new].map(|items| shown(Some(&names(items))));
        }
        [&self.before, &self.after].map(|value| match value {
            Some(Value::Object(_)) => self.item_text(value.as_ref()),
            value => shown(value.as_ref()),
        })
    }

    fn item_text(&self, item: Option<&Value>) -> String {
        let named = item.zip(self.path.strip_suffix(']'));
        let Some((key, Value::Object(fields))) = named.and_then(|(item, path)| {
            let names = |key: &&&str| {
                name_by(item, key).is_some_and(|name| {
                    let list = path.strip_suffix(name.as_str());
                    list.is_some_and(|list| list.ends_with('['))
                })
            };
            Some((ITEM_KEYS.iter().find(names)?, item))
        }) else {
            return shown(item);
        };
        if let (&"type", Some(status)) = (key, fields.get("status")) {
            return shown(Some(status));
        }
        let mut rest = fields.clone();
        let _ = rest.remove(*key);
        let only = rest.values().next().filter(|_| rest.len() == 1).cloned();
        match only.filter(|only| only.as_object().is_none()) {
            Some(only) => shown(Some(&only)),
            None => shown(Some(&Value::Object(rest))),
        }
    }
}

/// Lists the differences between two trees, in the order of the fields.
///
/// Items of lists with a key, such as containers (`name`) and conditions (`type`), are matched by that key. Other
/// lists of equal length are compared item by item; lists of different lengths differ as a whole.
pub fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", Some(before), Some(after), &mut found);
    found
}

/// Renders a value as one line without control characters and truncates it if it is long.
pub fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None => return "(none)".to_owned(),
        Some(Value::String(text)) if is_plain(text) => text.to_string(),
        Some(Value::String(text)) => format!("{:?}", &**text),
        Some(value) => serde_json::to_string(value).unwrap_or_default(),
    };
    // Counted in characters, because cutting a character in two would leave invalid UTF-8.
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
            // Fields that only the new object has follow those of the old one, which keeps the order stable.
            let added = new.keys().filter(|key| !old.contains_key(*key));
            for key in old.keys().chain(added) {
                compare(&below(path, key), old.get(key), new.get(key), found);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            compare_lists(path, old, new, found);
        }
        // A keyed list that appears or disappears is reported item by item, too: its truncated text would show only
        // the first item.
        (Some(Value::Array(old)), None) if common_key(old, &[]).is_some() => {
            compare_lists(path, old, &[], found);
        }
        (None, Some(Value::Array(new))) if common_key(&[], new).is_some() => {
            compare_lists(path, &[], new, found);
        }
        (before, after) => found.push(difference(path, before, after)),
    }
}

fn compare_lists(path: &str, old: &[Value], new: &[Value], found: &mut Vec<Difference>) {
    let known = found.len();
    if let Some(key) = common_key(old, new) {
        let of = |items: &'_ [Value], name: &str| {
            let is_it = |item: &&Value| name_by(item, key).is_some_and(|own| own == name);
            items.iter().find(is_it).cloned()
        };
        let names = |items: &[Value]| -> Vec<String> {
            items.iter().filter_map(|item| name_by(item, key)).collect()
        };
        let (before, after) = (names(old), names(new));
        let added = after.iter().filter(|name| !before.contains(*name));
        for name in before.iter().chain(added) {
            let (old, new) = (of(old, name), of(new, name));
            compare(
                &format!("{path}[{name}]"),
                old.as_ref(),
                new.as_ref(),
                found,
            );
        }
    } else if old.len() == new.len() {
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            compare(&format!("{path}[{index}]"), Some(old), Some(new), found);
        }
    }
    // No item differs, so the items were reordered, or they have no key.
    if found.len() == known {
        let [old, new] = [old, new].map(|items| Value::from(items.to_vec()));
        found.push(difference(path, Some(&old), Some(&new)));
    }
}

fn difference(path: &str, before: Option<&Value>, after: Option<&Value>) -> Difference {
    Difference {
        path: path.to_owned(),
        before: before.cloned(),
        after: after.cloned(),
    }
}

/// Returns the path of a field below `path`. A name with dots, such as an annotation's, is put in brackets.
pub fn below(path: &str, name: &str) -> String {
    match (path, name.contains(['.', '['])) {
        (path, true) => format!("{path}[{name}]"),
        ("", false) => name.to_owned(),
        (path, false) => format!("{path}.{name}"),
    }
}

/// Returns the field that identifies the items of both lists: every item has it, and its value is unique in the list.
fn common_key(old: &[Value], new: &[Value]) -> Option<&'static str> {
    let identifies = |key: &str, items: &[Value]| {
        let mut names: Vec<String> = items.iter().filter_map(|item| name_by(item, key)).collect();
        names.sort_unstable();
        // Two ports with the same number but different protocols would be mistaken for one item.
        names.dedup();
        names.len() == items.len()
    };
    // Every key would match two empty lists.
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let keys = ITEM_KEYS.iter().copied();
    keys.into_iter()
        .find(|key| identifies(key, old) && identifies(key, new))
}

/// Returns the item with this name, such as a container or a condition.
pub fn item_named<'v>(items: &'v [Value], name: &str) -> Option<&'v Value> {
    let is_it = |item: &&Value, key: &str| name_by(item, key).is_some_and(|own| own == name);
    let by_key = |key: &&str| items.iter().find(|item| is_it(item, key));
    ITEM_KEYS.iter().find_map(by_key)
}

fn name_by(item: &Value, key: &str) -> Option<String> {
    match item.get(key)? {
        Value::String(name) if !name.is_empty() => Some(name.to_string()),
        number @ Value::Number(_) => Some(number.to_string()),
        _ => None,
    }
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
    fn items_are_compared_by_their_keys() {
        let condition =
            |kind: &str, status: &str| json!({"type": kind, "status": status, "reason": "r"});
        let [before, after] = [
            json!({"conditions": [condition("Progressing", "True"), condition("Available", "False")]}),
            json!({"conditions": [condition("Available", "True"), condition("Progressing", "True"),
                condition("Ready", "True")],
                "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}],
                "ports": [{"containerPort": 80, "protocol": "TCP"}]}),
        ];
        assert_eq!(
            lines(&before, &after),
            [
                "conditions[Available].status False -> True",
                "conditions[Ready] (none) -> True",
                "ports[80] (none) -> TCP",
                "taints[node.kubernetes.io/unschedulable] (none) -> NoSchedule",
            ]
        );
        assert_eq!(
            lines(&after, &before)[1..],
            [
                "conditions[Ready] True -> (none)",
                "ports[80] TCP -> (none)",
                "taints[node.kubernetes.io/unschedulable] NoSchedule -> (none)",
            ]
        );
    }

    #[test]
    fn the_order_of_items_and_items_without_keys_are_differences() {
        let list = |names: &[&str]| json!({"c": names.iter().map(|name| json!({"name": *name, "image": "i"})).collect::<Vec<_>>()});
        assert_eq!(
            lines(&list(&["a", "b"]), &list(&["b", "a"])),
            [r#"c ["a","b"] -> ["b","a"]"#]
        );
        let twice = [
            json!({"c": [{"key": "a", "v": 1}, {"key": "a", "v": 2}]}),
            json!({"c": [{"key": "a", "v": 1}, {"key": "a", "v": 3}]}),
        ];
        assert_eq!(lines(&twice[0], &twice[1]), ["c[1].v 2 -> 3"]);
        assert_eq!(
            lines(
                &json!({"args": ["a"], "b": []}),
                &json!({"args": ["a", "b"]})
            ),
            [r#"args ["a"] -> ["a","b"]"#, "b [] -> (none)"]
        );
    }

    #[test]
    fn names_with_dots_are_in_brackets() {
        let map =
            |value: &str| json!({"annotations": {"deployment.kubernetes.io/revision": value}});
        assert_eq!(
            lines(&map("1"), &map("2")),
            ["annotations[deployment.kubernetes.io/revision] 1 -> 2"]
        );
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
