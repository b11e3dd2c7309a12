//! JSON patch (RFC 6902) as the API server implements it: a list of operations that are applied all or none.
//!
//! Follows the server's library in its departures from the standard: `replace` adds a missing key, a negative index
//! counts from the end, text before the first slash of a path is ignored, and a `test` for null passes if the key is
//! missing.

use thiserror::Error;

use super::go;
use super::pointer::{self, Path};
use crate::json::{Map, Value};

/// The maximum number of operations in one patch.
pub const MAX_OPERATIONS: usize = 10_000;
/// The maximum total size in bytes of the values that one patch copies.
pub const MAX_COPY_BYTES: usize = 3 * 1024 * 1024;

/// The reason for not applying a JSON patch, in the API server's words.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::json::{JsonPatchError, StepError, apply};
///
/// let mut web = json!({"spec": {"replicas": 1}});
/// let steps = json!([
///     {"op": "replace", "path": "/spec/replicas", "value": 3},
///     {"op": "test", "path": "/spec/paused", "value": true},
/// ]);
/// let failed = apply(&mut web, &steps);
/// assert!(
///     matches!(failed, Err(JsonPatchError::Rejected(StepError::TestFailed(_)))),
///     "{failed:?}"
/// );
/// ```
#[derive(Debug, Error, PartialEq, Eq)]
pub enum JsonPatchError {
    /// The patch is not a list of operations (400 BadRequest).
    #[error("error decoding patch: {0}")]
    Decode(String),
    /// The patch has too many operations (413 RequestEntityTooLarge).
    #[error(
        "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {0}"
    )]
    TooManyOperations(usize),
    /// An operation failed (422 Invalid); the server does not say why.
    #[error("the server rejected our request due to an error in our request")]
    Rejected(#[source] StepError),
}

/// The reason for the failure of an operation, in the words of the library that kubectl, kustomize and the API server
/// share.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum StepError {
    /// A `test` found a different value.
    #[error("testing value {0} failed: test failed")]
    TestFailed(String),
    /// The `copy` steps add up to more than [`MAX_COPY_BYTES`].
    #[error("the accumulated size increase of copy operations is larger than {MAX_COPY_BYTES}")]
    TooMuchCopied,
    /// The operation is incomplete or does not fit the object.
    #[error("{0}")]
    Inapplicable(String),
}

/// Applies `patch`, a list of operations, to `target`.
///
/// # Errors
///
/// [`JsonPatchError`]. The content of `target` is then unspecified, so pass a copy.
pub fn apply(target: &mut Value, patch: &Value) -> Result<(), JsonPatchError> {
    let steps = decode(patch)?;
    // Checked before the first operation, so that an oversized patch costs nothing.
    if steps.len() > MAX_OPERATIONS {
        return Err(JsonPatchError::TooManyOperations(steps.len()));
    }
    let mut copied = 0;
    for step in &steps {
        step.run(target, &mut copied)
            .map_err(JsonPatchError::Rejected)?;
    }
    Ok(())
}

#[derive(Default)]
struct Step<'a> {
    op: Option<&'a str>,
    path: Option<&'a str>,
    from: Option<&'a str>,
    value: Option<&'a Value>,
}

fn decode(patch: &Value) -> Result<Vec<Step<'_>>, JsonPatchError> {
    // Go's errors name the type that the decoder fills.
    let wrong = |value: &Value, place: &str| {
        let kind = go::json_kind(value);
        JsonPatchError::Decode(format!("json: cannot unmarshal {kind} into Go {place}"))
    };
    let steps = match patch {
        // The API server takes `null` for an empty patch.
        Value::Null => return Ok(Vec::new()),
        Value::Array(steps) => steps,
        other => return Err(wrong(other, "value of type []handlers.jsonPatchOp")),
    };
    let text = |fields: &'_ Map, name: &str| match fields.get(name) {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(other) => {
            let place = format!("struct field jsonPatchOp.{name} of type string");
            Err(wrong(other, &place))
        }
    };
    let mut decoded = Vec::with_capacity(steps.len());
    for step in steps {
        match step {
            // A null operation decodes to an empty one, which fails when it is applied.
            Value::Null => decoded.push(Step::default()),
            Value::Object(fields) => {
                for name in ["op", "path", "from"] {
                    text(fields, name)?;
                }
                let get = |name| fields.get(name).and_then(Value::as_str);
                decoded.push(Step {
                    op: get("op"),
                    path: get("path"),
                    from: get("from"),
                    value: fields.get("value"),
                });
            }
            other => return Err(wrong(other, "value of type handlers.jsonPatchOp")),
        }
    }
    Ok(decoded)
}

impl Step<'_> {
    fn run(&self, doc: &mut Value, copied: &mut usize) -> Result<(), StepError> {
        match self.op.unwrap_or("unknown") {
            "add" => {
                let path = self.path("add")?;
                put(doc, path, self.given()).map_err(|e| e.into_step_error("add", path))
            }
            "remove" => {
                let path = self.path("remove")?;
                take(doc, path)
                    .map(drop)
                    .map_err(|e| e.into_step_error("remove", path))
            }
            "replace" => {
                let path = self.path("replace")?;
                replace(doc, path, self.given()).map_err(|e| e.into_step_error("replace", path))
            }
            "test" => self.test(doc, self.path("test")?),
            "move" => self.shift(doc),
            "copy" => self.copy(doc, copied),
            other => Err(StepError::Inapplicable(format!("Unexpected kind: {other}"))),
        }
    }

    /// Returns the path. A missing path is reported only when the operation needs it.
    fn path(&self, op: &str) -> Result<&str, StepError> {
        let why = match op {
            "add" | "remove" => "",
            _ => "operation missing path field: ",
        };
        let text = || format!("{op} operation failed to decode path: {why}missing value");
        self.path.ok_or_else(|| StepError::Inapplicable(text()))
    }

    fn source(&self, op: &str) -> Result<&str, StepError> {
        let why = "operation, missing from field: missing value";
        let text = || format!("{op} operation failed to decode from: {why}");
        self.from.ok_or_else(|| StepError::Inapplicable(text()))
    }

    fn given(&self) -> Value {
        self.value.cloned().unwrap_or(Value::Null)
    }

    fn test(&self, doc: &Value, path: &str) -> Result<(), StepError> {
        // As in the server's library, null equals a missing key.
        let found = get(doc, path).map_err(|e| e.into_step_error("test", path))?;
        if *found.unwrap_or(&Value::Null) == *self.value.unwrap_or(&Value::Null) {
            Ok(())
        } else {
            Err(StepError::TestFailed(path.into()))
        }
    }

    fn shift(&self, doc: &mut Value) -> Result<(), StepError> {
        let from = self.source("move")?;
        let key = from.rsplit('/').next().unwrap_or_default();
        // Removed before it is added, so that moving a value into itself fails.
        let value = take(doc, from).map_err(|e| match e {
            Unmet::NoPath => missing("move", "doc is missing from path", from),
            // The library quotes only the last part of the path here.
            Unmet::Within(why) => {
                StepError::Inapplicable(format!("error in move for path: '{key}': {why}"))
            }
        })?;
        let path = self.path("move")?;
        put(doc, path, value).map_err(|e| e.into_step_error("move", path))
    }

    fn copy(&self, doc: &mut Value, copied: &mut usize) -> Result<(), StepError> {
        let from = self.source("copy")?;
        let value = get(doc, from).map_err(|e| match e {
            Unmet::NoPath => missing("copy", "doc is missing from path", from),
            Unmet::Within(why) => {
                StepError::Inapplicable(format!("error in copy for from: '{from}': {why}"))
            }
        })?;
        let value = value.cloned().unwrap_or(Value::Null);
        // Limits the total of all copies: a patch of a few bytes could otherwise double an object many times.
        *copied += value.to_string().len();
        if *copied > MAX_COPY_BYTES {
            return Err(StepError::TooMuchCopied);
        }
        let path = self.path("copy")?;
        put(doc, path, value).map_err(|e| match e {
            Unmet::NoPath => e.into_step_error("copy", path),
            Unmet::Within(why) => {
                StepError::Inapplicable(format!("error while adding value during copy: {why}"))
            }
        })
    }
}

/// The reason why a path leads nowhere.
enum Unmet {
    /// No object or list could contain the last part.
    NoPath,
    /// The object or list lacks the last part, for this reason.
    Within(String),
}

impl Unmet {
    /// Returns the error of an operation on a path.
    fn into_step_error(self, op: &str, path: &str) -> StepError {
        match (self, op) {
            (Self::Within(_), "replace") => missing(op, "doc is missing key", path),
            (Self::Within(why), _) => {
                StepError::Inapplicable(format!("error in {op} for path: '{path}': {why}"))
            }
            // Only two operations quote the path.
            (Self::NoPath, "add" | "remove") => {
                missing(op, "doc is missing path", &format!("\"{path}\""))
            }
            (Self::NoPath, "move" | "copy") => missing(op, "doc is missing destination path", path),
            (Self::NoPath, "test") => missing(op, "is missing path", path),
            (Self::NoPath, _) => missing(op, "doc is missing path", path),
        }
    }

    fn no_key(key: &str) -> Self {
        Self::Within(format!(
            "Unable to remove nonexistent key: {key}: missing value"
        ))
    }
}

/// Returns the error for a path that leads nowhere.
fn missing(op: &str, what: &str, path: &str) -> StepError {
    StepError::Inapplicable(format!(
        "{op} operation does not apply: {what}: {path}: missing value"
    ))
}

/// Returns the index that a path's last part stands for in a list of this length.
fn place(part: &str, length: usize) -> Result<usize, Unmet> {
    pointer::index(part, length).ok_or_else(|| {
        Unmet::Within(match part.parse::<i64>() {
            Ok(index) => {
                format!("Unable to access invalid index: {index}: invalid index referenced")
            }
            Err(_) => format!("strconv.Atoi: parsing {part:?}: invalid syntax"),
        })
    })
}

fn get<'a>(doc: &'a Value, at: &str) -> Result<Option<&'a Value>, Unmet> {
    let path = Path::parse(at).ok_or(Unmet::NoPath)?;
    match path.parent(doc) {
        Some(Value::Object(fields)) => Ok(fields.get(&*path.last)),
        Some(Value::Array(items)) => Ok(items.get(place(&path.last, items.len())?)),
        _ => Err(Unmet::NoPath),
    }
}

fn put(doc: &mut Value, at: &str, value: Value) -> Result<(), Unmet> {
    let path = Path::parse(at).ok_or(Unmet::NoPath)?;
    match path.parent_mut(doc) {
        Some(Value::Object(fields)) => {
            fields.insert(path.last.into_owned(), value);
            Ok(())
        }
        // `-` is the index after the last item (RFC 6901).
        Some(Value::Array(items)) if path.last == "-" => {
            items.push(value);
            Ok(())
        }
        Some(Value::Array(items)) => {
            // One more than the length, because an item can also be added at the index after the last one.
            let index = place(&path.last, items.len() + 1).map_err(|e| match e {
                Unmet::Within(why) if why.starts_with("strconv") => {
                    let last = &path.last;
                    Unmet::Within(format!(
                        "value was not a proper array index: '{last}': {why}"
                    ))
                }
                other => other,
            })?;
            items.insert(index, value);
            Ok(())
        }
        _ => Err(Unmet::NoPath),
    }
}

fn replace(doc: &mut Value, at: &str, value: Value) -> Result<(), Unmet> {
    let path = Path::parse(at).ok_or(Unmet::NoPath)?;
    match path.parent_mut(doc) {
        // As in the server's library, `replace` adds a missing key.
        Some(Value::Object(fields)) => {
            fields.insert(path.last.into_owned(), value);
            Ok(())
        }
        Some(Value::Array(items)) => {
            let index = place(&path.last, items.len())?;
            *items.get_mut(index).ok_or(Unmet::NoPath)? = value;
            Ok(())
        }
        _ => Err(Unmet::NoPath),
    }
}

fn take(doc: &mut Value, at: &str) -> Result<Value, Unmet> {
    let path = Path::parse(at).ok_or(Unmet::NoPath)?;
    match path.parent_mut(doc) {
        Some(Value::Object(fields)) => fields
            .remove(&*path.last)
            .ok_or_else(|| Unmet::no_key(&path.last)),
        Some(Value::Array(items)) => Ok(items.remove(place(&path.last, items.len())?)),
        _ => Err(Unmet::NoPath),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn patched(doc: &Value, steps: &Value) -> Result<Value, JsonPatchError> {
        let mut doc = doc.clone();
        apply(&mut doc, steps).map(|()| doc)
    }

    /// Object + operation -> result.
    const STEPS: &str = r#"
        {"a":1} + {"op":"add","path":"/b","value":2} -> {"a":1,"b":2}
        {"a":1} + {"op":"add","path":"/a","value":2} -> {"a":2}
        {"a":[1]} + {"op":"add","path":"/a/-","value":2} -> {"a":[1,2]}
        {"a":[1]} + {"op":"add","path":"/a/0","value":2} -> {"a":[2,1]}
        {"a":[1]} + {"op":"add","path":"/a/1","value":2} -> {"a":[1,2]}
        {"a":[1]} + {"op":"add","path":"/a/-1","value":2} -> {"a":[1,2]}
        {} + {"op":"add","path":"/a"} -> {"a":null}
        {} + {"op":"add","path":"data/x","value":"1"} -> {"x":"1"}
        {} + {"op":"add","path":"/a~1b~0c","value":1} -> {"a/b~c":1}
        {"a":{"":1}} + {"op":"remove","path":"/a/"} -> {"a":{}}
        {"a":[1,2]} + {"op":"remove","path":"/a/1"} -> {"a":[1]}
        {"a":[1,2]} + {"op":"remove","path":"/a/-2"} -> {"a":[2]}
        {"a":1} + {"op":"replace","path":"/z","value":1} -> {"a":1,"z":1}
        {"a":[1]} + {"op":"replace","path":"/a/0","value":3} -> {"a":[3]}
        {"a":1} + {"op":"test","path":"/none","value":null} -> {"a":1}
        {"a":{"b":[1]}} + {"op":"test","path":"/a/b","value":[1]} -> {"a":{"b":[1]}}
        {"a":1} + {"op":"copy","from":"/a","path":"/b"} -> {"a":1,"b":1}
        {"a":1} + {"op":"copy","from":"/z","path":"/b"} -> {"a":1,"b":null}
        {"a":1} + {"op":"move","from":"/a","path":"/b"} -> {"b":1}
        {"a":[1,2]} + {"op":"move","from":"/a/1","path":"/a/0"} -> {"a":[2,1]}
    "#;

    #[test]
    fn json_patch_operations_match_the_api_server() {
        for case in STEPS.lines().filter(|line| line.contains("->")) {
            let (given, expected) = case.split_once(" -> ").unwrap();
            let (doc, step) = given.split_once(" + ").unwrap();
            let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            assert_eq!(
                patched(&read(doc), &json!([read(step)])),
                Ok(read(expected)),
                "{case}"
            );
        }
        for nothing in [json!([]), json!(null)] {
            assert_eq!(patched(&json!({"a": 1}), &nothing), Ok(json!({"a": 1})));
        }
    }

    #[test]
    fn inapplicable_json_patch_operation_is_a_client_error() {
        let doc = json!({"data": {"a": "b"}, "list": [{"name": "c"}], "text": "x"});
        for steps in [
            json!([{"op": "foo", "path": "/data"}]),
            json!([{"path": "/data"}]),
            json!([{"op": "add", "value": 1}]),
            json!([{"op": "move", "path": "/data"}]),
            json!([null]),
            json!([{"op": "remove", "path": "/data/zz"}]),
            json!([{"op": "add", "path": "/x/y", "value": "x"}]),
            json!([{"op": "add", "path": "/text/y", "value": "x"}]),
            json!([{"op": "test", "path": "/data/a", "value": "x"}]),
            json!([{"op": "test", "path": "/data/a"}]),
            json!([{"op": "test", "path": "/list/-1", "value": {}}]),
            json!([{"op": "move", "from": "/data/none", "path": "/data/c2"}]),
            json!([{"op": "test", "path": "/data/none", "value": "x"}]),
            json!([{"op": "replace", "path": "/list/5", "value": {}}]),
            json!([{"op": "replace", "path": "/list/-2", "value": {}}]),
            json!([{"op": "add", "path": "/list/3", "value": {}}]),
            json!([{"op": "add", "path": "/list/x", "value": {}}]),
            json!([{"op": "remove", "path": "/list/1"}]),
            json!([{"op": "remove", "path": ""}]),
            json!([{"op": "replace", "path": "", "value": {}}]),
            json!([{"op": "copy", "from": "/list/7", "path": "/x"}]),
        ] {
            let error = patched(&doc, &steps).unwrap_err();
            let expected = "the server rejected our request due to an error in our request";
            assert_eq!(error.to_string(), expected, "{steps}");
        }
    }

    /// Operation => reason, recorded from `kubectl patch --type=json --dry-run=client`, 1.36.3.
    const REASONS: &str = r#"
        {"op":"replace","path":"/x/y"} => replace operation does not apply: doc is missing path: /x/y: missing value
        {"op":"replace","path":"/l/5"} => replace operation does not apply: doc is missing key: /l/5: missing value
        {"op":"add","path":"/x/y"} => add operation does not apply: doc is missing path: "/x/y": missing value
        {"op":"add","path":"/l/5"} => error in add for path: '/l/5': Unable to access invalid index: 5: invalid index referenced
        {"op":"add","path":"/l/x"} => error in add for path: '/l/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax
        {"op":"remove","path":"/x/y"} => remove operation does not apply: doc is missing path: "/x/y": missing value
        {"op":"remove","path":"/x"} => error in remove for path: '/x': Unable to remove nonexistent key: x: missing value
        {"op":"remove","path":"/l/-9"} => error in remove for path: '/l/-9': Unable to access invalid index: -9: invalid index referenced
        {"op":"remove","path":"/l/x"} => error in remove for path: '/l/x': strconv.Atoi: parsing "x": invalid syntax
        {"op":"test","path":"/x/y"} => test operation does not apply: is missing path: /x/y: missing value
        {"op":"test","path":"/l/5"} => error in test for path: '/l/5': Unable to access invalid index: 5: invalid index referenced
        {"op":"test","path":"/n","value":2} => testing value /n failed: test failed
        {"op":"move","from":"/x","path":"/y"} => error in move for path: 'x': Unable to remove nonexistent key: x: missing value
        {"op":"move","from":"/x/z","path":"/y"} => move operation does not apply: doc is missing from path: /x/z: missing value
        {"op":"move","from":"/n","path":"/x/y"} => move operation does not apply: doc is missing destination path: /x/y: missing value
        {"op":"move","from":"/n","path":"/l/9"} => error in move for path: '/l/9': Unable to access invalid index: 9: invalid index referenced
        {"op":"copy","from":"/l/5","path":"/y"} => error in copy for from: '/l/5': Unable to access invalid index: 5: invalid index referenced
        {"op":"copy","from":"/n","path":"/l/9"} => error while adding value during copy: Unable to access invalid index: 9: invalid index referenced
        {"op":"copy","from":"/n","path":"/x/y"} => copy operation does not apply: doc is missing destination path: /x/y: missing value
        {"op":"copy","path":"/x"} => copy operation failed to decode from: operation, missing from field: missing value
        {"op":"add"} => add operation failed to decode path: missing value
        {"op":"test"} => test operation failed to decode path: operation missing path field: missing value
        {"op":"odd","path":"/n"} => Unexpected kind: odd
    "#;

    #[test]
    fn the_reason_of_a_step_is_that_of_the_library() {
        let doc = json!({"n": 1, "l": [1]});
        for case in REASONS.lines().filter(|line| line.contains("=>")) {
            let (step, why) = case.split_once(" => ").unwrap();
            let step: Value = serde_json::from_str(step).unwrap();
            let Err(JsonPatchError::Rejected(error)) = patched(&doc, &json!([step])) else {
                panic!("{step} applies");
            };
            assert_eq!(error.to_string(), why);
        }
    }

    #[test]
    fn json_patch_must_be_a_list_of_operations() {
        for (patch, message) in [
            (
                json!({}),
                "cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
            ),
            (
                json!("x"),
                "cannot unmarshal string into Go value of type []handlers.jsonPatchOp",
            ),
            (
                json!([1]),
                "cannot unmarshal number into Go value of type handlers.jsonPatchOp",
            ),
            (
                json!([[]]),
                "cannot unmarshal array into Go value of type handlers.jsonPatchOp",
            ),
            (
                json!([{"op": 1}]),
                "cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
            ),
            (
                json!([{"path": {}}]),
                "cannot unmarshal object into Go struct field jsonPatchOp.path of type string",
            ),
        ] {
            let error = patched(&json!({}), &patch).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("error decoding patch: json: {message}")
            );
        }
    }

    #[test]
    fn json_patch_operations_and_copied_bytes_are_limited() {
        let step = json!({"op": "add", "path": "/a", "value": 1});
        let steps = |count| Value::from(vec![step.clone(); count]);
        assert!(patched(&json!({}), &steps(MAX_OPERATIONS)).is_ok());
        let error = patched(&json!({}), &steps(MAX_OPERATIONS + 1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
        );
        // Each copy doubles the object; without a limit, thirty of them would exhaust the memory.
        let doc = json!({"a": ["x".repeat(99)]});
        let double = vec![json!({"op": "copy", "from": "/a", "path": "/a/-"}); 64];
        let error = patched(&doc, &Value::from(double)).unwrap_err();
        assert_eq!(error, JsonPatchError::Rejected(StepError::TooMuchCopied));
    }
}
