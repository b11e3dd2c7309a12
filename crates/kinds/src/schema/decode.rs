//! Finds unknown fields and wrong types, with the messages of the API server's decoder.

use super::known::StoredFields;
use super::table::{NamedSchema, Schema, Type, named, of_kind};
use super::unknown::{Part, Unknown, path_of, path_to};
use super::{go_types, time};
use crate::api::json::{Map, Value};
use crate::api::quantity::Quantity;
use crate::api::status::Status;
use crate::api::{go_base64, json_syntax};
use crate::kind::{Kind, split_api_version};

/// The maximum number of remembered wrong types of one sort: a malicious body could contain millions.
const MOST_MISTAKES: usize = 100;

/// Checks that `object` has the shape of its kind; returns the paths of the first unknown fields in the order of their
/// names.
///
/// The paths are warnings under lenient field validation and errors under strict: see [`strict`]. Skips parts shared
/// with a valid object of the kind.
///
/// # Errors
/// Returns the API server's 400 for a value of a wrong type.
pub fn check(kind: &Kind, object: &Value, known: StoredFields<'_>) -> Result<Vec<String>, Status> {
    check_text(kind, object, known, b"")
}

/// Checks an object as [`check`] does, but reports the wrong type that comes first in the text of the object. Go's
/// decoder reads the text in order, and maps here are sorted.
///
/// # Errors
/// Returns the API server's 400 for a value of a wrong type.
pub fn check_text(
    kind: &Kind,
    object: &Value,
    known: StoredFields<'_>,
    json: &[u8],
) -> Result<Vec<String>, Status> {
    let own = text(object, "kind").unwrap_or(kind.kind);
    let api_version = text(object, "apiVersion").map_or_else(|| kind.api_version(), str::to_owned);
    let (group, version) = split_api_version(&api_version);
    let refuse = |why: String| {
        Status::bad_request(format!(
            "{own} in version \"{}\" cannot be handled as a {}: {why}",
            kind.version, kind.kind
        ))
    };
    // The kind in the body decides, not the URL. A mismatch is reported after decoding, as a failed conversion.
    let Some(schema) = of_kind(group, version, own) else {
        return Err(refuse(format!(
            // The message names the line of Kubernetes' source that creates the scheme.
            "no kind \"{own}\" is registered for version \"{api_version}\" in scheme \
             \"pkg/api/legacyscheme/scheme.go:30\""
        )));
    };
    let mut walk = Walk::default();
    walk.object(schema, object, known, true);
    if let Some(why) = first(std::mem::take(&mut walk.mistakes), json) {
        return Err(refuse(why));
    }
    let wanted = kind.api_version();
    if own == kind.kind && api_version != wanted {
        return Err(other_version(&api_version, &wanted));
    }
    if own != kind.kind {
        // The internal version is named after the first part of the group, or `core` for the core group.
        let internal = match kind.group.split('.').next() {
            None | Some("") => "core",
            Some(first) => first,
        };
        return Err(refuse(format!(
            "converting ({version}.{own}) to ({internal}.{}): unknown conversion",
            kind.kind
        )));
    }
    Ok(walk.unknown.found())
}

/// Returns the error for an object of the right kind in another version than the request.
pub fn other_version(given: &str, wanted: &str) -> Status {
    Status::bad_request(format!(
        "the API version in the data ({given}) does not match the expected API version ({wanted})"
    ))
}

/// Returns the text of the error that Go's decoder returns: the first one that ends decoding, or else the first one.
fn first(mistakes: Vec<Mistake>, json: &[u8]) -> Option<String> {
    let paths: Vec<String> = match mistakes.as_slice() {
        [] | [_] => Vec::new(),
        all => all.iter().map(|mistake| mistake.path.clone()).collect(),
    };
    let places = json_syntax::key_order(json, &paths).into_iter();
    let ordered = mistakes
        .into_iter()
        .zip(places.chain(std::iter::repeat(None)));
    let first = ordered.min_by_key(|(mistake, place)| (!mistake.ends, *place));
    first.map(|(mistake, _)| mistake.why)
}

/// Checks the metadata of a custom resource; returns the paths of its first unknown fields.
///
/// # Errors
/// Returns the API server's 400 for a value of a wrong type.
pub fn check_metadata(kind: &str, version: &str, metadata: &Value) -> Result<Vec<String>, Status> {
    walk_metadata(metadata).map_err(|why| unreadable(kind, version, &why))
}

/// Returns the API server's 400 for a custom resource that cannot be decoded.
pub(crate) fn unreadable(kind: &str, version: &str, why: &str) -> Status {
    Status::bad_request(format!(
        "{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
    ))
}

/// Returns the error of Go's decoder if a value in the metadata has a wrong type.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_kinds::schema::decode::mistyped_metadata;
///
/// let number = mistyped_metadata(&json!({"name": 7})).unwrap();
/// assert!(number.ends_with("into Go struct field ObjectMeta.metadata.name of type string"));
/// assert_eq!(mistyped_metadata(&json!({"name": "seven"})), None);
/// ```
pub fn mistyped_metadata(metadata: &Value) -> Option<String> {
    walk_metadata(metadata).err()
}

/// Returns the paths of the first unknown fields of metadata, or the error about the first wrong type.
pub(crate) fn walk_metadata(metadata: &Value) -> Result<Vec<String>, String> {
    let Some(schema) = named("meta.v1.ObjectMeta") else {
        return Ok(Vec::new());
    };
    let mut walk = Walk {
        path: vec![Part::Name("metadata")],
        stack: vec!["metadata"],
        ..Walk::default()
    };
    // The API server decodes metadata on its own, so metadata that is no object is reported like a whole object.
    walk.object(schema, metadata, StoredFields::NOTHING, true);
    match first(walk.mistakes, b"") {
        Some(why) => Err(why),
        None => Ok(walk.unknown.sorted()),
    }
}

/// Returns the API server's 400 for unknown fields under strict field validation.
///
/// # Errors
/// Returns an error if there are unknown fields.
pub fn strict(kind: &Kind, unknown: &[String]) -> Result<(), Status> {
    if unknown.is_empty() {
        return Ok(());
    }
    let fields: Vec<_> = unknown.iter().map(|path| unknown_field(path)).collect();
    Err(Status::bad_request(format!(
        "{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
        kind.kind,
        kind.version,
        kind.kind,
        fields.join(", ")
    )))
}

/// Returns the text of a warning or an error for an unknown field.
pub fn unknown_field(path: &str) -> String {
    format!("unknown field \"{path}\"")
}

fn text<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object
        .get(key)
        .and_then(Value::as_str)
        .filter(|t| !t.is_empty())
}

/// A value of a wrong type.
struct Mistake {
    path: String,
    /// True if it ends decoding. Go's decoder continues after other ones.
    ends: bool,
    why: String,
}

#[derive(Default)]
struct Walk<'o> {
    /// The path with indexes, as errors about unknown fields show it.
    path: Vec<Part<'o>>,
    /// The field names only, as errors about wrong types show it.
    stack: Vec<&'static str>,
    unknown: Unknown,
    mistakes: Vec<Mistake>,
}

impl<'o> Walk<'o> {
    fn object(
        &mut self,
        schema: &'static Schema,
        value: &'o Value,
        known: StoredFields<'_>,
        root: bool,
    ) {
        let Some(object) = value.as_object() else {
            // Below the root, the field that holds the value has already reported it.
            if root && !value.is_null() {
                let why = format!(
                    "json: cannot unmarshal {} into Go value of type {}",
                    json_name(value),
                    go_type(&Type::Object(NamedSchema::new(schema.name)))
                );
                self.add(true, why);
            }
            return;
        };
        let owner = schema.go_name();
        for (key, value) in object {
            let Some(field) = schema.field(key) else {
                self.unknown.add(|| path_to(&self.path, key));
                continue;
            };
            let depth = self.stack.len();
            self.stack.extend(go_types::embedded(owner, field.name));
            self.stack.push(field.name);
            self.path.push(Part::Name(key));
            self.value(owner, &field.ty, value, known.member(key, value));
            self.path.pop();
            self.stack.truncate(depth);
        }
    }

    fn value(&mut self, owner: &str, ty: &Type, value: &'o Value, known: StoredFields<'_>) {
        let wrong = match (ty, value) {
            // Shared parts were checked before. An update of one field need not traverse the whole object again.
            _ if known.is(value) => None,
            // null is accepted everywhere: Go decodes it as the zero value.
            (Type::Any, _) | (_, Value::Null) => None,
            (Type::List(item), Value::Array(items)) => {
                return self.list(owner, item, items, known);
            }
            (Type::Map(item), Value::Object(entries)) => return self.map(owner, item, entries),
            (Type::Object(_), Value::Object(_)) => {
                if let Some(schema) = ty.object() {
                    self.object(schema, value, known, false);
                }
                None
            }
            // Unlike other mismatches, these end decoding, because the types have their own decoders.
            (Type::Quantity, _) => check_quantity(value).err(),
            (Type::Time | Type::MicroTime, Value::String(text)) => {
                time::canonical(text, *ty == Type::MicroTime).err()
            }
            // The decoder of times expects a string first.
            (Type::Time | Type::MicroTime, _) => Some(self.mismatch(owner, &Type::String, value)),
            (Type::IntOrString, Value::Number(n)) if n.as_i64().is_none_or(|n| !is_i32(n)) => {
                Some(self.mismatch(owner, &Type::Int32, value))
            }
            (Type::IntOrString, Value::Number(_) | Value::String(_)) => None,
            (Type::IntOrString, _) => Some(self.mismatch(owner, &Type::Int32, value)),
            (Type::Bytes, Value::String(text)) => {
                if let Err(why) = check_base64(text) {
                    self.add(false, why);
                }
                None
            }
            _ if fits(ty, value) => None,
            _ => {
                let why = self.mismatch(owner, ty, value);
                return self.add(false, why);
            }
        };
        if let Some(why) = wrong {
            self.add(true, why);
        }
    }

    fn add(&mut self, ends: bool, why: String) {
        let same = self.mistakes.iter().filter(|known| known.ends == ends);
        if same.count() < MOST_MISTAKES {
            let path = path_of(self.path.iter().copied());
            self.mistakes.push(Mistake { path, ends, why });
        }
    }

    fn list(&mut self, owner: &str, item: &Type, items: &'o [Value], known: StoredFields<'_>) {
        for (index, value) in items.iter().enumerate() {
            self.path.push(Part::Index(index));
            self.value(owner, item, value, known.item(index));
            self.path.pop();
        }
    }

    fn map(&mut self, owner: &str, item: &Type, entries: &'o Map) {
        for (key, value) in entries {
            self.path.push(Part::Name(key));
            self.value(owner, item, value, StoredFields::NOTHING);
            self.path.pop();
        }
    }

    fn mismatch(&self, owner: &str, ty: &Type, value: &Value) -> String {
        let shown = match value {
            // Go prints the number itself if the field is an integer, otherwise the type of the value.
            Value::Number(n) if matches!(ty, Type::Int32 | Type::Int64) => format!("number {n}"),
            value => json_name(value).to_owned(),
        };
        format!(
            "json: cannot unmarshal {shown} into Go struct field {owner}.{} of type {}",
            self.stack.join("."),
            self.go_type(owner, ty)
        )
    }
}

impl Walk<'_> {
    /// Returns the Go type of the current field, or of the current list item in it.
    fn go_type(&self, owner: &str, ty: &Type) -> String {
        let field = self.stack.last().copied().unwrap_or("");
        let item = match self.path.last() {
            Some(Part::Index(_)) => true,
            Some(Part::Name(name)) => name.starts_with('['),
            None => false,
        };
        match (ty, go_types::named(owner, field, item)) {
            (Type::String | Type::List(_) | Type::Map(_), Some(name)) => name.to_owned(),
            _ => go_type(ty),
        }
    }
}

fn is_i32(number: i64) -> bool {
    i32::try_from(number).is_ok()
}

fn fits(ty: &Type, value: &Value) -> bool {
    match ty {
        Type::String => value.is_string(),
        Type::Boolean => value.is_boolean(),
        Type::Int32 => value.as_i64().is_some_and(is_i32),
        Type::Int64 => value.is_i64(),
        Type::Number => value.is_number(),
        _ => false,
    }
}

pub(super) fn check_quantity(value: &Value) -> Result<(), String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    Quantity::parse(&text).map(drop).map_err(|e| e.to_string())
}

pub(super) fn check_base64(text: &str) -> Result<(), String> {
    go_base64::decode(text).map(drop)
}

/// Returns Go's name for the type of a JSON value.
pub fn json_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn go_type(ty: &Type) -> String {
    match ty {
        Type::String => "string".to_owned(),
        Type::Bytes => "[]uint8".to_owned(),
        Type::Int32 => "int32".to_owned(),
        Type::Int64 => "int64".to_owned(),
        Type::Number => "float64".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::IntOrString => "intstr.IntOrString".to_owned(),
        Type::Time => "v1.Time".to_owned(),
        Type::MicroTime => "v1.MicroTime".to_owned(),
        Type::Any => "interface {}".to_owned(),
        Type::List(item) => format!("[]{}", go_type(item)),
        Type::Map(item) => format!("map[string]{}", go_type(item)),
        Type::Object(NamedSchema { name, .. }) => {
            let mut parts = name.rsplit('.');
            let (kind, version) = (parts.next().unwrap_or(name), parts.next().unwrap_or(""));
            format!("{version}.{kind}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;
    use crate::find;

    fn pod(spec: Value) -> Result<Vec<String>, String> {
        let object = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec});
        check(
            find("", "v1", "Pod").unwrap(),
            &object,
            StoredFields::NOTHING,
        )
        .map_err(|s| s.message)
    }

    #[test]
    fn unknown_fields_are_listed_with_their_index() {
        let unknown = pod(json!({"foo": 1, "containers": [{"bar": {}}]})).unwrap();
        assert_eq!(unknown, ["spec.containers[0].bar", "spec.foo"]);
        let strict = strict(find("", "v1", "Pod").unwrap(), &unknown).unwrap_err();
        assert_eq!(
            strict.message,
            "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: \
             unknown field \"spec.containers[0].bar\", unknown field \"spec.foo\""
        );
    }

    #[test]
    fn the_first_wrong_type_of_the_text_is_reported() {
        let first = |json: &str| {
            let object: Value = serde_json::from_str(json).unwrap();
            let kind = find("", "v1", "Pod").unwrap();
            let of = |json: &str| {
                let checked = check_text(kind, &object, StoredFields::NOTHING, json.as_bytes());
                let message = checked.unwrap_err().message;
                message.rsplit_once(" field ").unwrap().1.to_owned()
            };
            (of(json), of(""))
        };
        let pair = |text: &str, name: &str| (text.to_owned(), name.to_owned());
        let policy = "PodSpec.spec.restartPolicy of type v1.RestartPolicy";
        let network = "PodSpec.spec.hostNetwork of type bool";
        assert_eq!(
            first(r#"{"spec": {"restartPolicy": 1, "hostNetwork": 2}}"#),
            pair(policy, network)
        );
        // Items come before the keys after the list.
        let finalizers = "ObjectMeta.metadata.finalizers of type string";
        assert_eq!(
            first(
                r#"{"spec": {"hostNetwork": true}, "metadata": {"finalizers": ["a", 1], "annotations": 5}}"#
            ),
            pair(
                finalizers,
                "ObjectMeta.metadata.annotations of type map[string]string"
            )
        );
        // The decoder of a time has an error that ends decoding.
        let time = r#"{"spec": {"restartPolicy": 1}, "metadata": {"creationTimestamp": 5}}"#;
        let created = "ObjectMeta.metadata.creationTimestamp of type string";
        assert_eq!(first(time), pair(created, created));
    }

    #[test]
    fn an_object_of_another_kind_cannot_be_converted() {
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}});
        let wrong = check(
            find("", "v1", "ConfigMap").unwrap(),
            &secret,
            StoredFields::NOTHING,
        )
        .unwrap_err();
        assert_eq!(
            wrong.message,
            "Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to \
             (core.ConfigMap): unknown conversion"
        );
        let old = json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler"});
        let kind = find("autoscaling", "v2", "HorizontalPodAutoscaler").unwrap();
        let wrong = check(kind, &old, StoredFields::NOTHING).unwrap_err();
        assert_eq!(
            wrong.message,
            "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)"
        );
    }

    #[test]
    fn wrong_types_have_the_texts_of_gos_decoder() {
        let wrong = pod(json!({"containers": [{"stdin": "yes"}]})).unwrap_err();
        assert_eq!(
            wrong,
            "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string into \
             Go struct field Container.spec.containers.stdin of type bool"
        );
        let named = pod(json!({"restartPolicy": 1})).unwrap_err();
        assert!(named.ends_with("field PodSpec.spec.restartPolicy of type v1.RestartPolicy"));
        let map = pod(json!({"containers": [{"resources": {"limits": 5}}]})).unwrap_err();
        assert!(map.ends_with(
            "ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList"
        ));
        let embedded = pod(json!({"volumes": [{"configMap": "web"}]})).unwrap_err();
        assert!(embedded.ends_with(
            "string into Go struct field Volume.spec.volumes.VolumeSource.configMap of type v1.ConfigMapVolumeSource"
        ));
        let key = json!({"containers": [{"env": [{"valueFrom": {"secretKeyRef": {"name": 5}}}]}]});
        assert!(pod(key).unwrap_err().ends_with(
            "SecretKeySelector.spec.containers.env.valueFrom.secretKeyRef.LocalObjectReference.name of type string"
        ));
    }
}
