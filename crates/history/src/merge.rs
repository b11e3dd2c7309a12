//! Reverts the fields that a change set, keeping all others.

use crate::api::changes::below;
use crate::api::json::{Map, Value};

/// Metadata fields that only the API server sets.
const OWNED: &[&str] = &[
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
];

/// Returns a deleted object in a form in which it can be created again.
pub(crate) fn renewed(object: &Value) -> Value {
    let mut object = object.clone();
    // Controllers will determine the status of the new object.
    if let Some(fields) = object.as_object_mut() {
        let _ = fields.remove("status");
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in OWNED {
            let _ = metadata.remove(*field);
        }
    }
    object
}

/// Three versions of a field: the current one, and those before and after the change to revert.
#[derive(Clone, Copy)]
struct Versions<'v> {
    now: Option<&'v Value>,
    before: Option<&'v Value>,
    after: Option<&'v Value>,
}

/// Reverts the fields in which `after` differs from `before`, and keeps everything else in `now`.
///
/// # Errors
/// Returns the paths of fields that have changed again since.
pub(crate) fn set_back(now: &Value, before: &Value, after: &Value) -> Result<Value, Vec<String>> {
    let mut clashes = Vec::new();
    let all = Versions {
        now: Some(now),
        before: Some(before),
        after: Some(after),
    };
    let merged = all.set_back("", &mut clashes);
    match clashes.is_empty() {
        true => Ok(merged.unwrap_or_default()),
        false => Err(clashes),
    }
}

impl Versions<'_> {
    fn set_back(self, path: &str, clashes: &mut Vec<String>) -> Option<Value> {
        if self.before == self.after || self.now == self.before {
            return self.now.cloned();
        }
        // The field has not changed since, so its earlier value is restored. Metadata is always merged field by field,
        // because the API server sets some of the fields.
        if self.now == self.after && !["", "metadata"].contains(&path) {
            return self.before.cloned();
        }
        if let Some(merged) = self.fields(path, clashes) {
            return merged;
        }
        if let Some(merged) = self.items(path, clashes) {
            return Some(merged);
        }
        clashes.push(path.to_owned());
        self.now.cloned()
    }

    /// Merges the fields of three maps. A missing map counts as empty: an annotation can then be removed together with
    /// the map it came with, even after another annotation was added.
    fn fields(self, path: &str, clashes: &mut Vec<String>) -> Option<Option<Value>> {
        let map = |side: Option<&Value>| match side {
            None => Some(Map::default()),
            Some(side) => side.as_object().cloned(),
        };
        let (mut merged, before, after) = (map(self.now)?, map(self.before)?, map(self.after)?);
        let added = after.keys().filter(|name| before.get(*name).is_none());
        for name in before.keys().chain(added) {
            let name: &str = name;
            if path == "metadata" && OWNED.contains(&name) {
                continue;
            }
            let value = Versions {
                now: merged.get(name),
                before: before.get(name),
                after: after.get(name),
            }
            .set_back(&below(path, name), clashes);
            match value {
                Some(value) => drop(merged.insert(name, value)),
                None => drop(merged.remove(name)),
            }
        }
        let is_absent = merged.is_empty() && (self.now.is_none() || self.before.is_none());
        Some((!is_absent).then_some(Value::Object(merged)))
    }

    /// Merges the items of three lists with the same names in the same order, such as containers. In other lists,
    /// items cannot be matched.
    fn items(self, path: &str, clashes: &mut Vec<String>) -> Option<Value> {
        let names = |side: Option<&Value>| -> Option<Vec<String>> {
            let name = |item: &Value| item["name"].as_str().map(str::to_owned);
            side?.as_array()?.iter().map(name).collect()
        };
        let own = names(self.now)?;
        if names(self.before)? != own || names(self.after)? != own {
            return None;
        }
        let mut merged = self.now?.clone();
        for (at, name) in own.iter().enumerate() {
            let item = Versions {
                now: self.now?.get(at),
                before: self.before?.get(at),
                after: self.after?.get(at),
            };
            let value = item.set_back(&format!("{path}[{name}]"), clashes);
            merged[at] = value.unwrap_or_default();
        }
        Some(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn undo_reverts_changed_fields_and_keeps_all_others() {
        let before = json!({"metadata": {"generation": 1}, "spec": {"a": 1, "b": 1}});
        let after = json!({"metadata": {"generation": 2}, "spec": {"a": 2, "b": 1, "c": 1}});
        let now = json!({"metadata": {"generation": 3}, "spec": {"a": 2, "b": 5, "c": 1},
            "status": {"x": 1}});
        let expected = json!({"metadata": {"generation": 3}, "spec": {"a": 1, "b": 5},
            "status": {"x": 1}});
        assert_eq!(set_back(&now, &before, &after), Ok(expected));
        let now = json!({"metadata": {"generation": 3}, "spec": {"a": 9, "b": 1, "c": 1}});
        let clashes = vec!["spec.a".to_owned()];
        assert_eq!(set_back(&now, &before, &after), Err(clashes));
    }

    #[test]
    fn entries_of_a_map_that_the_change_added_are_reverted_one_by_one() {
        let object =
            |annotations: &Value| json!({"metadata": {"annotations": annotations.clone()}});
        let none = json!({"metadata": {}});
        let first = object(&json!({"a.b/c": "1"}));
        let second = object(&json!({"a.b/c": "1", "q": "1"}));
        let kept = object(&json!({"q": "1"}));
        assert_eq!(set_back(&second, &none, &first), Ok(kept));
        assert_eq!(set_back(&first, &none, &first), Ok(none.clone()));
        // The map was removed as a whole, and another annotation has been added since.
        assert_eq!(
            set_back(&object(&json!({"q": "1"})), &first, &none),
            Ok(second)
        );
        assert_eq!(
            set_back(&none, &first, &object(&json!({"a.b/c": "1", "q": "1"}))),
            Ok(none.clone())
        );
        let other = object(&json!({"a.b/c": "2"}));
        let clashes = vec!["metadata.annotations[a.b/c]".to_owned()];
        assert_eq!(set_back(&other, &none, &first), Err(clashes));
    }

    #[test]
    fn items_with_the_same_names_are_merged_one_by_one() {
        let list =
            |image: &str, env: u32| json!({"c": [{"name": "a", "image": image, "env": env}]});
        let merged = set_back(&list("2", 5), &list("1", 1), &list("2", 1));
        assert_eq!(merged, Ok(list("1", 5)));
        let other = json!({"c": [{"name": "b"}]});
        let clashes = vec!["c".to_owned()];
        assert_eq!(set_back(&other, &list("1", 1), &list("2", 1)), Err(clashes));
    }

    #[test]
    fn restored_object_has_no_uid_and_no_status() {
        let object = json!({"metadata": {"name": "a", "uid": "u"}, "status": {}, "spec": 1});
        assert_eq!(
            renewed(&object),
            json!({"metadata": {"name": "a"}, "spec": 1})
        );
    }
}
