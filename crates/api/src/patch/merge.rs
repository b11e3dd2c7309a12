//! JSON merge patch (RFC 7386): objects merge, nulls remove, and any other value replaces.

use thiserror::Error;

use super::go;
use crate::json::{Edits, Map, Value};

/// The error for a JSON merge patch that is not an object (400 BadRequest), in the API server's words.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::merge::{NotAnObject, check};
///
/// let error: NotAnObject = check(&json!("text")).unwrap_err();
/// assert!(!error.to_string().is_empty());
/// assert_eq!(check(&json!({"spec": null})), Ok(()));
/// ```
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
#[error(
    "error decoding patch: json: cannot unmarshal {0} into Go value of type map[string]interface {{}}"
)]
pub struct NotAnObject(&'static str);

/// Checks that the API server accepts a patch: it is an object, or null for no change.
///
/// # Errors
///
/// [`NotAnObject`], with the server's text.
pub fn check(patch: &Value) -> Result<(), NotAnObject> {
    match patch {
        Value::Object(_) | Value::Null => Ok(()),
        other => Err(NotAnObject(go::json_kind(other))),
    }
}

/// Applies `patch` to `target`.
pub fn apply(target: &mut Value, patch: &Value) {
    merge(target, patch, false);
}

/// Applies the patch of a request as the API server and kubectl do. Nulls in the objects of a list delete nothing and
/// are not stored, unless the list replaces an object.
pub fn apply_request(target: &mut Value, patch: &Value) {
    merge(target, patch, true);
}

fn merge(target: &mut Value, patch: &Value, prunes_lists: bool) {
    // RFC 7386: a patch that is not an object replaces the target.
    let Value::Object(patch) = patch else {
        // kubectl and the API server share a library that does not prune a list that replaces an object.
        let prunes = prunes_lists && !target.is_object();
        target.clone_from(patch);
        if prunes {
            target.drop_nulls();
        }
        return;
    };
    // Patching a scalar starts from an empty object.
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(fields) = target else {
        return;
    };
    let mut edits = Edits::default();
    for (name, value) in patch {
        if value.is_null() {
            edits.remove(name);
        } else if let Some(field) = fields.get_mut(name) {
            merge(field, value, prunes_lists);
        } else {
            // Nulls within a new value delete nothing, but must not be stored either.
            let mut field = Value::Null;
            merge(&mut field, value, prunes_lists);
            edits.set(name, field);
        }
    }
    edits.make(fields);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn rfc_7386_examples_produce_the_expected_results() {
        for (target, patch, result) in [
            (json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"b"}), json!({"b":"c"}), json!({"a":"b","b":"c"})),
            (json!({"a":"b"}), json!({"a":null}), json!({})),
            (
                json!({"a":"b","b":"c"}),
                json!({"a":null}),
                json!({"b":"c"}),
            ),
            (json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"c"}), json!({"a":["b"]}), json!({"a":["b"]})),
            (
                json!({"a":{"b":"c"}}),
                json!({"a":{"b":"d","c":null}}),
                json!({"a":{"b":"d"}}),
            ),
            (json!({"a":[{"b":"c"}]}), json!({"a":[1]}), json!({"a":[1]})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a":"b"}), json!(["c"]), json!(["c"])),
            (json!({"a":"foo"}), Value::Null, Value::Null),
            (json!({"a":"foo"}), json!("bar"), json!("bar")),
            (json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1})),
            (json!([1, 2]), json!({"a":"b","c":null}), json!({"a":"b"})),
            (
                json!({}),
                json!({"a":{"bb":{"ccc":null}}}),
                json!({"a":{"bb":{}}}),
            ),
        ] {
            let mut got = target.clone();
            apply(&mut got, &patch);
            assert_eq!(got, result, "{target} patched with {patch}");
        }
    }

    #[test]
    fn lists_of_a_request_store_no_nulls() {
        for (target, patch, result) in [
            (
                json!({"a":[1]}),
                json!({"a":[{"b":null,"c":1}]}),
                json!({"a":[{"c":1}]}),
            ),
            (
                json!({}),
                json!({"a":[[{"b":null}], null]}),
                json!({"a":[[{}], null]}),
            ),
            (
                json!({"a":{"b":1}}),
                json!({"a":[{"b":null}]}),
                json!({"a":[{"b":null}]}),
            ),
        ] {
            let mut got = target.clone();
            apply_request(&mut got, &patch);
            assert_eq!(got, result, "{target} patched with {patch}");
            let mut plain = target.clone();
            apply(&mut plain, &patch);
            assert_eq!(plain, patch, "{target}");
        }
    }
}
