//! Hand edits as requests: a changed file is an update, a new one a create, a removed one a delete, with the same
//! defaults, rules and error texts as for any other caller.

use crate::api::json::Value;
use crate::discovery::custom_kind;
use crate::kinds::schema::decode;
use crate::kinds::strategy::deletion::{Step, ends};
use crate::kinds::{Kind, registry, shape, strategy};
use crate::objects::seconds;
use crate::request::Place;
use crate::request::options::{Author, DeleteOptions, Propagation, WriteOptions, administrator};
use crate::request::part::Part;
use crate::request::response::ApiError;
use crate::rules::managed::{FieldWriter, HAND_EDIT, rebuild_owners};
use crate::rules::{admission, definitions, policies};
use crate::store::{Admit, HandEdit, Intent, OWNED_METADATA, PlainAdmit};
use crate::verbs::delete::{check_protected, step};
use crate::verbs::write::{Origin, changed, new_object};

/// Accepts edits of known kinds, and edits of other kinds that have the form of an object.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_cluster::{KubernetesAdmit, Open};
///
/// // Saved files pass the same admission and validation as requests.
/// let mut open = Open::as_writer("example");
/// open.options.admit = Arc::new(KubernetesAdmit);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct KubernetesAdmit;

impl Admit for KubernetesAdmit {
    fn admit(&self, edit: HandEdit<'_>) -> Result<Option<Value>, String> {
        let Some(kind) = kind_of(&edit) else {
            return PlainAdmit.admit(edit);
        };
        let place = Place::new(kind, edit.key.namespace().unwrap_or_default());
        let words = |e: ApiError| e.to_string();
        match (edit.current, edit.proposed.is_some()) {
            (None, false) => Ok(None),
            (Some(current), false) => {
                check_protected(kind, edit.key.name()).map_err(words)?;
                // The propagation of `kubectl delete`.
                let options = DeleteOptions {
                    propagation: Some(Propagation::Background),
                    ..DeleteOptions::default()
                };
                let (user, own) = (administrator(), WriteOptions::default());
                let author = Author {
                    component: None,
                    without_accounts: false,
                    user: &user,
                    options: &own,
                    // The file is read under the lock, where no webhook may be awaited.
                    consult: None,
                };
                let warnings = &mut Vec::new();
                policies::deleted(edit.view, &place, author, current, warnings).map_err(words)?;
                let current = definitions::kept(edit.view, kind, current).map_err(words)?;
                Ok(match step(kind, &current, edit.view, &options) {
                    Step::Gone(_) => None,
                    Step::Marked(new) => Some(new),
                    Step::Unchanged => Some(current),
                })
            }
            (current, true) => {
                // The identity and the form, as for any object.
                let form = HandEdit {
                    proposed: edit.proposed.clone(),
                    ..edit
                };
                let Some(mut proposed) = PlainAdmit.admit(form)? else {
                    return Ok(None);
                };
                let Some(current) = current else {
                    return create(&place, &edit, &proposed).map(Some).map_err(words);
                };
                match edit.intent {
                    Intent::Restore => restore(kind, &mut proposed, current, &edit)?,
                    Intent::Edit => keep_owned(&mut proposed, current),
                }
                let new = update(&edit, &place, current, &proposed).map_err(words)?;
                // An edit that removes the last finalizer completes the deletion that waited for it.
                Ok((!ends(kind, &new, current)).then_some(new))
            }
        }
    }
}

/// Computes the new state for a restore of an earlier one.
fn restore(
    kind: &Kind,
    proposed: &mut Value,
    current: &Value,
    edit: &HandEdit<'_>,
) -> Result<(), String> {
    let ends = |object: Option<&Value>| {
        object.is_some_and(|object| object["metadata"]["deletionTimestamp"].is_string())
    };
    if ends(Some(current)) && !ends(edit.proposed.as_ref()) {
        let reason = "the object is being deleted; save the file again when it is gone";
        return Err(reason.to_owned());
    }
    strategy::keep_assigned(kind, proposed, current);
    Ok(())
}

/// Gives an edited object the metadata that only the server sets.
fn keep_owned(proposed: &mut Value, current: &Value) {
    let Some(metadata) = proposed["metadata"].as_object_mut() else {
        return;
    };
    for name in OWNED_METADATA {
        match current["metadata"].get(*name) {
            Some(value) => drop(metadata.insert(*name, value.clone())),
            None => drop(metadata.remove(*name)),
        }
    }
}

/// Returns the kind for the file's place.
fn kind_of(edit: &HandEdit<'_>) -> Option<&'static Kind> {
    let resource = edit.key.resource();
    let namespaced = edit.key.namespace().is_some();
    let version = edit
        .proposed
        .as_ref()
        .or(edit.current)?
        .get("apiVersion")?
        .as_str()?;
    let kind = registry::all()
        .find(|k| k.qualified_resource() == resource && k.api_version() == version)
        .or_else(|| custom_kind(edit.view, resource, version))?;
    (kind.namespaced == namespaced).then_some(kind)
}

fn update(
    edit: &HandEdit<'_>,
    place: &Place,
    current: &Value,
    proposed: &Value,
) -> Result<Value, ApiError> {
    let view = edit.view;
    let decoded = shape::read(place.kind, proposed)?;
    decode::strict(place.kind, &decoded.unknown)?;
    let name = current["metadata"]["name"].as_str().unwrap_or_default();
    let time = seconds(view);
    let by = |subresource| {
        Some(FieldWriter {
            manager: HAND_EDIT,
            subresource,
            time: &time,
        })
    };
    let new = decoded.object.clone();
    strategy::check_update(place.kind, &new, current, name, &place.namespace)?;
    // Anyone who can write to the directory is its administrator; roles apply only to clients of the API.
    let (user, options) = (administrator(), WriteOptions::default());
    let author = Author {
        component: None,
        without_accounts: false,
        user: &user,
        options: &options,
        // The file is read under the lock, where no webhook may be awaited.
        consult: None,
    };
    let mut spec = changed(view, place, current, new, Part::Whole, author, by(""))?;
    // A file contains both parts; the API would require two requests, so each part has its own manager entry.
    if place.kind.has_status() && decoded.object["status"] != current["status"] {
        let mut status = decoded.object;
        status["metadata"] = spec["metadata"].clone();
        strategy::check_update(place.kind, &status, &spec, name, &place.namespace)?;
        let by = by("status");
        spec = changed(view, place, &spec, status, Part::Status, author, by)?;
    }
    let update = admission::Update {
        new: &spec,
        old: current,
    };
    let warnings = &mut Vec::new();
    admission::updated(
        view,
        place,
        Part::Whole,
        update,
        author,
        edit.seed,
        warnings,
    )?;
    Ok(spec)
}

fn create(place: &Place, edit: &HandEdit<'_>, proposed: &Value) -> Result<Value, ApiError> {
    let decoded = shape::read(place.kind, proposed)?;
    decode::strict(place.kind, &decoded.unknown)?;
    let given = edit
        .proposed
        .as_ref()
        .is_some_and(|p| p["metadata"]["uid"].is_string());
    if given {
        // An object that existed before (a restored file, a tree without its journal) is restored with its status.
        let mut object = decoded.object;
        let uid = |object: &Value| object["metadata"]["uid"].clone();
        match edit.past.filter(|past| uid(past) == uid(&object)) {
            Some(past) => {
                object["metadata"]["managedFields"] = past["metadata"]["managedFields"].clone();
                if object["metadata"]["managedFields"].is_null() {
                    rebuild_owners(place.kind, &mut object);
                }
            }
            None => rebuild_owners(place.kind, &mut object),
        }
        return Ok(object);
    }
    let by = FieldWriter {
        manager: HAND_EDIT,
        subresource: "",
        time: &seconds(edit.view),
    };
    let (user, options) = (administrator(), WriteOptions::default());
    let author = Author {
        component: None,
        without_accounts: false,
        user: &user,
        options: &options,
        // The file is read under the lock, where no webhook may be awaited.
        consult: None,
    };
    let origin = Origin {
        author,
        seed: edit.seed,
        by: Some(by),
        labeled: strategy::labeled(proposed),
    };
    let object = new_object(edit.view, place, decoded.object, &origin)?;
    // Side effects on other objects are omitted, because an edit is about one object.
    let warnings = &mut Vec::new();
    admission::created(edit.view, place, &object, author, edit.seed, warnings)?;
    Ok(object)
}
