//! An object during the build, with its earlier identities.

use super::id::{Gvk, Id};
use super::kustomization::bare;
use super::{KustomizeError, Result};
use crate::api::json::{Map, Value, json};
use crate::api::yaml::{self, Mode, RepeatedKey};

/// How a generated object affects an existing one with the same identity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Behavior {
    /// Same as [`Self::Create`].
    #[default]
    Unspecified,
    Create,
    Replace,
    Merge,
}

impl Behavior {
    pub(super) fn parse(text: &str) -> Self {
        match text {
            "replace" => Self::Replace,
            "merge" => Self::Merge,
            "create" => Self::Create,
            _ => Self::Unspecified,
        }
    }
}

/// An object and its earlier identities.
#[derive(Debug, Clone, Default)]
pub(super) struct Resource {
    pub(super) object: Value,
    /// The identities before each rename, the oldest first. Their group and version are the current ones.
    past: Vec<Id>,
    pub(super) prefixes: Vec<String>,
    pub(super) suffixes: Vec<String>,
    pub(super) behavior: Behavior,
    /// True if a hash of the content must be appended to the name.
    pub(super) needs_hash: bool,
    /// The value of the origin annotation.
    pub(super) origin: Option<Value>,
    /// The steps that changed the object, for the annotation.
    pub(super) transformations: Vec<Value>,
    /// Duplicate keys in the object's file, which kustomize notices only when it prints the object.
    pub(super) repeated: Vec<RepeatedKey>,
}

impl Resource {
    pub(super) fn new(object: Value) -> Self {
        Self {
            object,
            ..Self::default()
        }
    }

    /// Parses the objects of a file. A list is replaced by its items.
    pub(super) fn read_all(text: &[u8]) -> Result<Vec<Self>> {
        let documents = yaml::parse(text, Mode::Kustomize)
            .map_err(|e| KustomizeError::new(format!("MalformedYAMLError: {}", bare(&e))))?;
        let with_keys = documents.into_iter().map(|d| (d.repeated_keys(), d.value));
        let mut pending: std::collections::VecDeque<_> = with_keys.collect();
        let mut found = Vec::new();
        while let Some((repeated, mut object)) = pending.pop_front() {
            if is_empty(&object) {
                continue;
            }
            check(&object)?;
            if let Some(Value::Object(metadata)) = object.get_mut("metadata")
                && metadata.get("annotations").is_some_and(Value::is_null)
            {
                // kustomize keeps notes in the annotations of each resource and removes the empty map afterwards.
                metadata.remove("annotations");
            }
            let kind = object["kind"].as_str().unwrap_or_default();
            // kustomize looks only at the name of the kind, so a custom `…List` is expanded, too.
            if !kind.ends_with("List") {
                found.push(Self {
                    object,
                    repeated,
                    ..Self::default()
                });
                continue;
            }
            match &object["items"] {
                Value::Null => {}
                Value::Array(items) => {
                    let of = |at: usize| {
                        let own = repeated.iter().filter(move |key| key.item == Some(at));
                        own.cloned().collect()
                    };
                    let items = items.iter().enumerate();
                    pending.extend(items.map(|(at, item)| (of(at), item.clone())));
                }
                _ => {
                    return Err(KustomizeError::new(format!(
                        "expected array in {kind}/items, but found something else"
                    )));
                }
            }
        }
        Ok(found)
    }

    /// Rejects an object whose file has a key twice in one map.
    pub(super) fn check_keys(&self) -> Result<()> {
        if self.repeated.is_empty() {
            return Ok(());
        }
        let mut text = "yaml: unmarshal errors:".to_owned();
        for RepeatedKey {
            key, first, line, ..
        } in &self.repeated
        {
            text +=
                &format!("\n  line {line}: mapping key {key:?} already defined at line {first}");
        }
        Err(KustomizeError::new(text))
    }

    /// Returns the current identity.
    pub(super) fn id(&self) -> Id {
        Id::from_object(&self.object)
    }

    /// Returns the identity in the file.
    pub(super) fn original_id(&self) -> Id {
        self.past_ids()
            .into_iter()
            .next()
            .unwrap_or_else(|| self.id())
    }

    /// Returns the earlier identities, the oldest first.
    pub(super) fn past_ids(&self) -> Vec<Id> {
        let now = Gvk::from_object(&self.object);
        let mut ids = self.past.clone();
        for id in &mut ids {
            id.gvk.group.clone_from(&now.group);
            id.gvk.version.clone_from(&now.version);
        }
        ids
    }

    /// Returns all identities, with the current one at the end.
    pub(super) fn ids(&self) -> Vec<Id> {
        let mut ids = self.past_ids();
        ids.push(self.id());
        ids
    }

    /// Records the current identity before it changes.
    pub(super) fn remember(&mut self) {
        let mut id = self.id();
        id.namespace = id.effective_namespace().to_owned();
        self.past.push(id);
    }

    pub(super) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    pub(super) fn namespace(&self) -> &str {
        self.object["metadata"]["namespace"]
            .as_str()
            .unwrap_or_default()
    }

    pub(super) fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap_or_default()
    }

    pub(super) fn set_name(&mut self, name: &str) {
        self.metadata().insert("name".to_owned(), json!(name));
    }

    /// Returns the object's metadata, creating it if it is missing.
    pub(super) fn metadata(&mut self) -> &mut Map {
        map_at(&mut self.object, "metadata")
    }

    /// Returns the labels or annotations, creating them if they are missing.
    pub(super) fn texts(&mut self, field: &str) -> &mut Map {
        let metadata = self.metadata();
        let entry = metadata.entry(field).or_insert_with(|| json!({}));
        as_map(entry)
    }

    /// Converts the values of annotations to strings. kustomize reads and writes only this field in that way.
    pub(super) fn write_annotations_as_texts(&mut self) {
        self.drop_odd_annotations();
        if let Some(annotations) = self.object.pointer_mut("/metadata/annotations") {
            write_as_texts(annotations);
        }
    }

    /// Removes annotations that are empty or no map, as kustomize does each time it writes them.
    fn drop_odd_annotations(&mut self) {
        let metadata = self.object.get_mut("metadata");
        let Some(metadata) = metadata.and_then(Value::as_object_mut) else {
            return;
        };
        let annotations = metadata.get("annotations");
        if annotations.is_some_and(|all| all.as_object().is_none_or(Map::is_empty)) {
            metadata.remove("annotations");
        }
    }

    /// Returns true if kustomize has notes about the object, which it keeps in annotations during the build.
    pub(super) fn has_notes(&self) -> bool {
        !self.past.is_empty() || self.needs_hash || self.behavior != Behavior::Unspecified
    }

    /// Calls `change` with the object as kustomize has it: with annotations if there are notes. The notes themselves
    /// outlive the change.
    pub(super) fn change_with_notes<E>(
        &mut self,
        has_notes: bool,
        change: impl FnOnce(&mut Value) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        const NOTE: &str = "internal.config.kubernetes.io/note";
        if has_notes {
            self.texts("annotations").insert(NOTE.to_owned(), json!(""));
        }
        change(&mut self.object)?;
        let annotations = self.object.pointer_mut("/metadata/annotations");
        if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
            annotations.remove(NOTE);
        }
        self.drop_odd_annotations();
        Ok(())
    }

    /// Takes over the name, labels, annotations and earlier identities of the object that this one replaces.
    pub(super) fn succeed(&mut self, old: &Self) {
        for field in ["labels", "annotations"] {
            let Some(inherited) = old.object["metadata"][field].as_object() else {
                continue;
            };
            let own = self.texts(field);
            for (key, value) in inherited {
                own.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        let (name, namespace) = (old.name().to_owned(), old.namespace().to_owned());
        self.set_name(&name);
        if !namespace.is_empty() {
            self.metadata()
                .insert("namespace".to_owned(), json!(namespace));
        }
        self.past.clone_from(&old.past);
        self.prefixes.clone_from(&old.prefixes);
        self.suffixes.clone_from(&old.suffixes);
        self.behavior = old.behavior;
        self.needs_hash = self.needs_hash && old.needs_hash;
        self.origin.clone_from(&old.origin);
        self.transformations.clone_from(&old.transformations);
    }

    /// Returns true if the annotation `local-config` excludes the object from the result.
    pub(super) fn is_local(&self) -> bool {
        let annotations = &self.object["metadata"]["annotations"];
        annotations["config.kubernetes.io/local-config"]
            .as_str()
            .is_some_and(|value| value != "false")
    }
}

/// Converts the values of labels or annotations to strings.
pub(super) fn write_as_texts(texts: &mut Value) {
    for (_, value) in texts.as_object_mut().into_iter().flatten() {
        let text = match &*value {
            Value::String(_) => continue,
            Value::Array(_) | Value::Object(_) => String::new(),
            scalar => scalar.to_string(),
        };
        *value = Value::from(text);
    }
}

/// Returns a value as a map, replacing any other value by an empty one.
pub(super) fn as_map(value: &mut Value) -> &mut Map {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(map) => map,
        _ => unreachable!("it was made a map"),
    }
}

/// Returns a field as a map, creating it if it is missing.
pub(super) fn map_at<'a>(value: &'a mut Value, field: &str) -> &'a mut Map {
    as_map(as_map(value).entry(field).or_insert(Value::Null))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Rejects a value that is not a Kubernetes object.
fn check(object: &Value) -> Result<()> {
    let refused = |text: String| Err(KustomizeError::new(text));
    if !object.is_object() {
        return refused("missing Resource metadata".to_owned());
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    if api_version.is_empty() && kind.is_empty() && object["metadata"].is_null() {
        return refused("missing Resource metadata".to_owned());
    }
    let name = text(&object["metadata"]["name"]);
    let namespace = text(&object["metadata"]["namespace"]);
    let said = |field: &str| {
        let map = object["metadata"][field].as_object();
        let pairs = map.into_iter().flatten();
        let pairs: Vec<String> = pairs
            .map(|(k, v)| format!("{k}:{}", v.as_str().unwrap_or_default()))
            .collect();
        format!("map[{}]", pairs.join(" "))
    };
    let shown = || {
        let (labels, annotations) = (said("labels"), said("annotations"));
        format!("{{{{{api_version} {kind}}} {{{{{name} {namespace}}} {labels} {annotations}}}}}")
    };
    if kind.is_empty() {
        return refused(format!("missing kind in object {}", shown()));
    }
    if name.is_empty() && !kind.ends_with("List") {
        return refused(format!("missing metadata.name in object {}", shown()));
    }
    match null_item(object, "") {
        Some(path) => refused(format!(
            "empty item at {path} in object {}",
            one_line(object)
        )),
        None => Ok(()),
    }
}

fn one_line(object: &Value) -> String {
    yaml::to_string(object)
}

/// Returns the path of the first list that contains a null.
fn null_item(value: &Value, path: &str) -> Option<String> {
    match value {
        Value::Object(map) => map
            .iter()
            .find_map(|(key, value)| null_item(value, &format!("{path}/{key}"))),
        Value::Array(items) if items.iter().any(Value::is_null) => Some(path.to_owned()),
        Value::Array(items) => items.iter().find_map(|item| null_item(item, path)),
        _ => None,
    }
}
