//! The paths of the columns that a CustomResourceDefinition declares.
//!
//! Both the definitions and the cells use the paths, so this module imports neither of them.

use crate::api::json::Value;
use crate::jsonpath::{JsonPath, PathValue};

/// Returns true if kubectl's JSONPath can parse the path.
pub(crate) fn is_json_path(path: &str) -> bool {
    parsed(path).is_some()
}

fn parsed(path: &str) -> Option<JsonPath> {
    JsonPath::parse(&format!("{{{path}}}")).ok()
}

/// Returns the first value at a path, because a table shows only one. An error counts as no value.
pub(super) fn find<'a>(object: &'a Value, path: &str) -> Option<PathValue<'a>> {
    let found = parsed(path)?.find(object, true).ok()?;
    found.into_iter().next()?.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    #[test]
    fn json_path_filter_selects_list_items() {
        let object = json!({"status": {"conditions": [
            {"type": "Synced", "status": "False"}, {"type": "Ready", "status": "True"}]}});
        for (path, found) in [
            (
                r#".status.conditions[?(@.type=="Ready")].status"#,
                Some("True"),
            ),
            (r".status.conditions[?(@.type=='Lost')].status", None),
            (
                r#".status.conditions[?(@.type!="Ready")].status"#,
                Some("False"),
            ),
            (".status.conditions[-1].type", Some("Ready")),
            (".status.conditions[*].type", Some("Synced")),
            (".status.conditions[1:].type", Some("Ready")),
            (".status.conditions[9].type", None),
            (".status.*[0]['type']", Some("Synced")),
            ("..type", Some("Synced")),
        ] {
            let value = find(&object, path);
            assert_eq!(value.as_deref().and_then(Value::as_str), found, "{path}");
        }
    }

    #[test]
    fn brackets_hold_an_index_a_quoted_name_or_a_filter() {
        for path in [
            ".a",
            ".a[0].b[-1][0:2]",
            ".a['b.c']",
            ".a[*].b[?(@.c==\"[\")].d",
        ] {
            assert!(is_json_path(path), "{path}");
        }
        for path in [".a[", ".a[?(", ".a[?(@.b]", ".a[b]", ".a[\"b\"]"] {
            assert!(!is_json_path(path), "{path}");
        }
    }
}
