//! Applies patches: their formats and their targets.

use super::kustomization::Patch;
use super::loader::Loader;
use super::merge::merge;
use super::resource::{Resource, as_map, write_as_texts};
use super::resources::Resources;
use super::{KustomizeError, Result};
use crate::api::json::Value;
use crate::api::patch::json::{self, JsonPatchError};
use crate::api::yaml::{self, Mode};
use crate::kinds;
use crate::kinds::schema::patch_shape;

/// A decoded patch.
enum Change {
    Merge(Vec<Resource>),
    Steps(Value),
}

/// Applies one entry of `patches`.
pub(super) fn apply(resources: &mut Resources, patch: &Patch, loader: &Loader<'_>) -> Result<()> {
    let (change, said) = read(patch, loader).map_err(|e| {
        e.of(format!(
            "trouble configuring builtin PatchTransformer with config: `\n{}`",
            shown(patch)
        ))
    })?;
    match change {
        Change::Merge(changes) => merge_all(resources, patch, changes, &said),
        Change::Steps(steps) => {
            let Some(target) = &patch.target else {
                return Err(KustomizeError::new(format!(
                    "must specify a target for JSON patch {said}"
                )));
            };
            let selector = target.compile()?;
            for resource in &mut resources.list {
                if selector.fits_resource(resource) {
                    // A JSON patch may rename the object, and references to the old name must still find it.
                    resource.remember();
                    // kustomize has just noted the identity in the annotations, so a patch may add one.
                    resource.change_with_notes(true, |object| apply_steps(object, &steps))?;
                }
            }
            Ok(())
        }
    }
}

/// Applies one entry of `patchesStrategicMerge`, which is an inline patch or the name of a file.
pub(super) fn apply_inline(
    resources: &mut Resources,
    text: &str,
    loader: &Loader<'_>,
) -> Result<()> {
    // An entry is YAML or a path. kustomize tries YAML first, so a file is loaded only if the text is not an object.
    let changes = match Resource::read_all(text.as_bytes()) {
        Ok(changes) => changes,
        Err(_) => Resource::read_all(&loader.load(text)?)?,
    };
    if changes.is_empty() {
        return Err(KustomizeError::new(format!(
            "patch appears to be empty; files=[{text}], Patch=''"
        )));
    }
    for change in changes {
        // `patchesStrategicMerge` has no target: the patch names the object, by its current name or an earlier one.
        let at = resources.only(&change.original_id())?;
        merge_into(resources, at, &change, &Patch::default())?;
        drop_removed(resources);
    }
    Ok(())
}

/// Applies one entry of `patchesJson6902`.
pub(super) fn apply_json(
    resources: &mut Resources,
    patch: &Patch,
    loader: &Loader<'_>,
) -> Result<()> {
    let text = text_of(patch, loader)?;
    let steps = read_steps(&text).map_err(KustomizeError::new)?;
    let Some(target) = &patch.target else {
        return Err(KustomizeError::new(
            "must specify the target field for a JSON patch",
        ));
    };
    let selector = target.compile()?;
    for resource in &mut resources.list {
        if selector.fits_resource(resource) {
            let has_notes = resource.has_notes();
            resource.remember();
            resource.change_with_notes(has_notes, |object| apply_steps(object, &steps))?;
        }
    }
    Ok(())
}

/// Returns the entry as kustomize's errors show it.
fn shown(patch: &Patch) -> String {
    let mut shown = crate::api::json::json!({});
    for (field, text) in [("path", &patch.path), ("patch", &patch.patch)] {
        if !text.is_empty() {
            shown[field] = Value::from(text.as_str());
        }
    }
    if let Some(target) = &patch.target {
        shown["target"] = target.shown();
    }
    if !patch.options.is_empty() {
        shown["options"] = crate::api::json::json!(patch.options);
    }
    yaml::to_string(&shown)
}

fn text_of(patch: &Patch, loader: &Loader<'_>) -> Result<String> {
    if patch.path.is_empty() {
        return Ok(patch.patch.trim().to_owned());
    }
    let bytes = loader.load(&patch.path).map_err(|e| {
        e.of(format!(
            "failed to get the patch file from path({})",
            patch.path
        ))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Decodes a patch. Also returns how messages refer to it.
fn read(patch: &Patch, loader: &Loader<'_>) -> Result<(Change, String)> {
    let inline = patch.patch.trim();
    match (inline.is_empty(), patch.path.is_empty()) {
        (true, true) => {
            let text = format!("must specify one of patch and path in\n{}", shown(patch));
            return Err(KustomizeError::new(text));
        }
        (false, false) => {
            let text = format!(
                "patch and path can't be set at the same time\n{}",
                shown(patch)
            );
            return Err(KustomizeError::new(text));
        }
        _ => {}
    }
    let text = text_of(patch, loader)?;
    let said = match patch.path.as_str() {
        "" => format!("[patch: {inline:?}]"),
        path => format!("[path: {path:?}]"),
    };
    // kustomize decodes every patch both ways and takes the valid result, so its type does not depend on the field.
    let changes = Resource::read_all(text.as_bytes())
        .ok()
        .filter(|list| !list.is_empty());
    match (changes, read_steps(&text)) {
        (Some(changes), _) => Ok((Change::Merge(changes), said)),
        (None, Ok(steps)) => Ok((Change::Steps(steps), said)),
        (None, Err(_)) => Err(KustomizeError::new(format!(
            "unable to parse SM or JSON patch from {said}"
        ))),
    }
}

/// Parses the operations of a JSON patch. A text that starts like JSON must be JSON.
fn read_steps(text: &str) -> std::result::Result<Value, String> {
    if text.is_empty() {
        return Err("empty json patch operations".to_owned());
    }
    let steps = if text.starts_with('[') {
        serde_json::from_str(text).map_err(|e| e.to_string())?
    } else {
        let parsed = yaml::parse_one(text.as_bytes(), Mode::Lenient);
        parsed.map_err(|e| e.to_string())?.unwrap_or_default()
    };
    let is_list = steps
        .as_array()
        .is_some_and(|steps| steps.iter().all(Value::is_object));
    is_list
        .then_some(steps)
        .ok_or_else(|| "not a list of steps".to_owned())
}

fn apply_steps(object: &mut Value, steps: &Value) -> Result<()> {
    json::apply(object, steps).map_err(|e| {
        KustomizeError::new(match e {
            JsonPatchError::Rejected(step) => step.to_string(),
            other => other.to_string(),
        })
    })
}

fn merge_all(
    resources: &mut Resources,
    patch: &Patch,
    changes: Vec<Resource>,
    said: &str,
) -> Result<()> {
    let Some(target) = &patch.target else {
        for change in changes {
            let id = change.original_id();
            let at = resources.only(&id).map_err(|e| {
                e.of(format!(
                    "no resource matches strategic merge patch \"{id}\""
                ))
            })?;
            merge_into(resources, at, &change, patch)?;
        }
        drop_removed(resources);
        return Ok(());
    };
    // If there is a target, the patch's own name is ignored, so it would be unclear which of several patches applies.
    let [change] = changes.as_slice() else {
        return Err(KustomizeError::new(format!(
            "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {said}"
        )));
    };
    let selector = target.compile()?;
    for at in 0..resources.list.len() {
        if selector.fits_resource(&resources.list[at]) {
            merge_into(resources, at, change, patch)?;
        }
    }
    drop_removed(resources);
    // Adding the objects again detects identities that have become equal by the patch.
    let list = std::mem::take(&mut resources.list);
    resources.append_all(list)
}

fn drop_removed(resources: &mut Resources) {
    resources.list.retain(|r| !r.object.is_null());
}

/// Merges a patch into the object at an index. Sets the object to null if the patch deletes it.
fn merge_into(
    resources: &mut Resources,
    at: usize,
    change: &Resource,
    patch: &Patch,
) -> Result<()> {
    let allowed = |option: &str| patch.options.get(option) == Some(&true);
    let (renames, retypes) = (allowed("allowNameChange"), allowed("allowKindChange"));
    let resource = &mut resources.list[at];
    // Only a patch that may change the identity records the earlier one; otherwise, the name is restored below.
    if renames || retypes {
        resource.remember();
    }
    let (id, old) = (resource.id(), std::mem::take(&mut resource.object));
    let mut change = change.object.clone();
    // A patch with a target may omit its identity or have that of another object. The version is restored before the
    // merge, the kind and name after it.
    if patch.target.is_some() {
        as_map(&mut change).insert("apiVersion".to_owned(), old["apiVersion"].clone());
        // kustomize also writes the labels and annotations of the patch anew, as strings: a null becomes `"null"`.
        for path in ["/metadata/labels", "/metadata/annotations"] {
            if let Some(texts) = change.pointer_mut(path) {
                write_as_texts(texts);
            }
        }
    }
    let kind = kinds::find(&id.gvk.group, &id.gvk.version, &id.gvk.kind);
    // As in kustomize, lists are replaced if there is no schema, for example for a custom resource.
    let shape = kind.and_then(patch_shape);
    let merged = merge(old, change, shape.as_ref())?;
    resource.object = merged.unwrap_or_default();
    if resource.object.is_null() {
        return Ok(());
    }
    if !retypes {
        as_map(&mut resource.object).insert("kind".to_owned(), Value::from(id.gvk.kind));
    }
    if !renames {
        resource.set_name(&id.name);
    }
    // A strategic merge never moves an object: kustomize restores the namespace even if renames are allowed.
    match id.namespace.as_str() {
        "" => drop(resource.metadata().remove("namespace")),
        namespace => drop(
            resource
                .metadata()
                .insert("namespace".to_owned(), Value::from(namespace)),
        ),
    }
    Ok(())
}
