//! The fields of each kind that a step changes, and how to find them in an object.

use serde::Deserialize;

use super::id::{Gvk, Id};
use super::resource::Resource;
use super::{KustomizeError, Result};
use crate::api::json::{Value, json};
use crate::api::selector::LabelSelector;

/// A field and the kinds that have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FieldSpec {
    group: String,
    version: String,
    kind: String,
    pub(super) path: String,
    /// True if the field is created when it is missing.
    pub(super) create: bool,
}

impl FieldSpec {
    pub(super) fn new(gvk: &Gvk, path: &str, create: bool) -> Self {
        Self {
            group: gvk.group.clone(),
            version: gvk.version.clone(),
            kind: gvk.kind.clone(),
            path: path.to_owned(),
            create,
        }
    }

    /// Returns a field of all kinds that is created when it is missing.
    pub(super) fn everywhere(path: &str) -> Self {
        Self::new(&Gvk::default(), path, true)
    }

    pub(super) fn gvk(&self) -> Gvk {
        Gvk::new(&self.group, &self.version, &self.kind)
    }

    /// Splits the path at its slashes; `\/` is a slash within a name.
    pub(super) fn parts(&self) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for part in self.path.split('/') {
            match parts.last_mut().filter(|last| last.ends_with('\\')) {
                Some(last) => {
                    last.pop();
                    last.push('/');
                    last.push_str(part);
                }
                None => parts.push(part.to_owned()),
            }
        }
        parts
    }

    /// Calls `set` for the field, in every item of the lists on its path. A missing field is created as `empty`;
    /// without `empty`, nothing is created.
    pub(super) fn apply(
        &self,
        object: &mut Value,
        empty: Option<&Value>,
        set: &mut dyn FnMut(&mut Value) -> Result<()>,
    ) -> Result<()> {
        if !Gvk::from_object(object).is_selected(&self.gvk()) {
            return Ok(());
        }
        let parts = self.parts();
        let empty = empty.filter(|_| self.create);
        walk(object, &parts, empty, set).map_err(|e| {
            let id = Id::from_object(object);
            e.of(format!("considering field '{}' of object {id}", self.path))
        })
    }
}

fn walk(
    value: &mut Value,
    parts: &[String],
    empty: Option<&Value>,
    set: &mut dyn FnMut(&mut Value) -> Result<()>,
) -> Result<()> {
    let Some((first, rest)) = parts.split_first() else {
        return set(value);
    };
    match value {
        Value::Null => Ok(()),
        // A list consumes no part of the path: specs contain only field names, and every item is visited.
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| walk(item, parts, empty, set)),
        Value::Object(map) => {
            let (name, is_list) = match first.strip_suffix("[]") {
                Some(name) => (name, true),
                None => (first.as_str(), false),
            };
            // An item of a list cannot be created, because the path has no index. All parents of a missing field are
            // maps.
            let made = match empty {
                Some(_) if is_list => None,
                Some(empty) if rest.is_empty() => Some(empty.clone()),
                Some(_) => Some(json!({})),
                None => None,
            };
            // A null field counts as missing, because `labels:` without a value is null.
            let field = match (map.get_mut(name), made) {
                (Some(Value::Null) | None, Some(made)) => {
                    map.insert(name.to_owned(), made);
                    map.get_mut(name)
                }
                (_, _) => map.get_mut(name),
            };
            match field {
                Some(field) => walk(field, rest, empty, set),
                None => Ok(()),
            }
        }
        _ => Err(KustomizeError::new("expected sequence or mapping node")),
    }
}

/// Adds the field specs that are missing.
pub(super) fn merge(specs: &mut Vec<FieldSpec>, more: &[FieldSpec]) -> Result<()> {
    for spec in more {
        let same = specs
            .iter()
            .find(|s| s.path == spec.path && s.gvk().is_selected(&spec.gvk()));
        match same {
            // As in kustomize, contradictory configurations are an error.
            Some(same) if same.create != spec.create => {
                return Err(KustomizeError::new("conflicting fieldspecs"));
            }
            Some(_) => {}
            None => specs.push(spec.clone()),
        }
    }
    Ok(())
}

/// A selection of objects, in which all texts are patterns.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Selection {
    group: String,
    version: String,
    kind: String,
    name: String,
    namespace: String,
    annotation_selector: String,
    label_selector: String,
}

/// A compiled [`Selection`].
pub(super) struct Selector {
    parts: [Option<regex::Regex>; 5],
    labels: LabelSelector,
    annotations: LabelSelector,
}

impl Selection {
    /// # Errors
    /// Returns an error if a pattern or selector cannot be parsed.
    pub(super) fn compile(&self) -> Result<Selector> {
        let pattern = |text: &str| match text {
            "" => Ok(None),
            // Anchored, because `name: web` must not select `web-2`.
            text => regex::Regex::new(&format!("^(?:{text})$"))
                .map(Some)
                .map_err(|e| KustomizeError::new(format!("error parsing regexp: {e}"))),
        };
        let selector =
            |text: &str| LabelSelector::parse(text).map_err(|e| KustomizeError::new(e.to_string()));
        Ok(Selector {
            parts: [
                pattern(&self.group)?,
                pattern(&self.version)?,
                pattern(&self.kind)?,
                pattern(&self.name)?,
                pattern(&self.namespace)?,
            ],
            labels: selector(&self.label_selector)?,
            annotations: selector(&self.annotation_selector)?,
        })
    }

    /// Returns the selection as kustomize's errors show it, without empty fields.
    pub(super) fn shown(&self) -> Value {
        let mut shown = json!({});
        for (field, text) in [
            ("group", &self.group),
            ("version", &self.version),
            ("kind", &self.kind),
            ("name", &self.name),
            ("namespace", &self.namespace),
            ("annotationSelector", &self.annotation_selector),
            ("labelSelector", &self.label_selector),
        ] {
            if !text.is_empty() {
                shown[field] = json!(text);
            }
        }
        shown
    }

    /// Returns true if the selection consists of label and annotation selectors only.
    pub(super) fn names_nothing(&self) -> bool {
        [
            &self.group,
            &self.version,
            &self.kind,
            &self.name,
            &self.namespace,
        ]
        .iter()
        .all(|text| text.is_empty())
    }
}

impl Selector {
    fn fits(&self, part: usize, text: &str) -> bool {
        self.parts[part]
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(text))
    }

    /// Returns true if the selection matches an identity.
    pub(super) fn fits_id(&self, id: &Id) -> bool {
        self.fits(0, &id.gvk.group)
            && self.fits(1, &id.gvk.version)
            && self.fits(2, &id.gvk.kind)
            && self.fits(3, &id.name)
            && self.fits(4, id.effective_namespace())
    }

    /// Returns true if the selection matches the labels and annotations.
    pub(super) fn fits_metadata(&self, resource: &Resource) -> bool {
        let metadata = &resource.object["metadata"];
        self.labels.matches(|key| metadata["labels"][key].as_str())
            && self
                .annotations
                .matches(|key| metadata["annotations"][key].as_str())
    }

    /// Returns true if the selection matches an object by its current or its original identity.
    pub(super) fn fits_resource(&self, resource: &Resource) -> bool {
        let (now, first) = (resource.id(), resource.original_id());
        (self.fits(4, first.effective_namespace()) || self.fits(4, now.effective_namespace()))
            && (self.fits(3, &first.name) || self.fits(3, &now.name))
            && self.fits(0, &now.gvk.group)
            && self.fits(1, &now.gvk.version)
            && self.fits(2, &now.gvk.kind)
            && self.fits_metadata(resource)
    }
}
