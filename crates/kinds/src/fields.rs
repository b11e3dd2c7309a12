//! The values that field selectors compare.

use super::kind::Kind;
use super::tree::field;
use crate::api::json::Value;

/// Returns the value of a field selector for an object, or `None` if the kind does not support the selector.
pub fn value(kind: &Kind, object: &Value, selector: &str) -> Option<String> {
    if !kind.field_selectors.contains(&selector) {
        return None;
    }
    // The selectable fields of a CustomResourceDefinition are plain paths.
    if kind.custom.is_some() {
        return Some(plain(object, selector));
    }
    let own = kind
        .hooks
        .selector
        .and_then(|value| value(object, selector));
    Some(own.unwrap_or_else(|| plain(object, selector)))
}

fn plain(object: &Value, path: &str) -> String {
    let found = path
        .split('.')
        .fold(object, |value, name| field(value, name));
    match found {
        Value::String(text) => text.to_string(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    #[test]
    fn selectors_read_the_fields_they_name() {
        let pod = find("", "v1", "Pod").unwrap();
        let object = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"},
            "status": {"podIPs": [{"ip": "10.0.0.1"}]}});
        for (selector, expected) in [
            ("metadata.name", "p"),
            ("metadata.namespace", ""),
            ("spec.nodeName", "n"),
            ("spec.hostNetwork", "false"),
            ("status.podIPs", "10.0.0.1"),
        ] {
            assert_eq!(value(pod, &object, selector).as_deref(), Some(expected));
        }
        assert_eq!(value(pod, &object, "spec.foo"), None);
        let job = find("batch", "v1", "Job").unwrap();
        let done = json!({"status": {"succeeded": 2}});
        assert_eq!(value(job, &done, "status.successful").as_deref(), Some("2"));
    }
}
