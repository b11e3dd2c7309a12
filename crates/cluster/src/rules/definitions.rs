//! The side effects of writing or removing a CustomResourceDefinition.
//!
//! A definition is served from the commit on that accepts its names. Its deletion also deletes its objects; objects
//! with finalizers keep it until they are removed.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api::json::{List, Value, json};
use crate::api::status::Status;
use crate::commit::step::Decision;
use crate::discovery::DEFINITIONS;
use crate::kinds::{Kind, custom, find};
use crate::objects;
use crate::objects::seconds;
use crate::request::response::ApiError;
use crate::rules::{api_services, managed};
use crate::store::{Expect, Key, Op, Range, StoreError, Stored, View};

/// The finalizer that keeps a definition until its objects are deleted.
const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The number of objects that one commit deletes; the rest follows in the next.
const AT_ONCE: usize = 4000;

/// Returns true if a kind is that of definitions.
pub(crate) fn is_definition(kind: &Kind) -> bool {
    kind.defines_kinds()
}

/// Accepts a definition's names unless another one has them. Its kinds are served from this commit on.
pub(crate) fn establish(view: &dyn View, kind: &Kind, object: &mut Value) -> Result<(), ApiError> {
    if !is_definition(kind) {
        return Ok(());
    }
    let own = objects::meta(object, "name").to_owned();
    let mut others = Vec::new();
    for stored in view.list(&Range::resource(DEFINITIONS, None))? {
        if stored.key.name() != own {
            others.push(objects::shown(&stored)?);
        }
    }
    let before = object.clone();
    custom::establish(object, &others, &seconds(view));
    if *object != before {
        managed::note_own(kind, &before, object, &seconds(view));
    }
    Ok(())
}

/// Rejects a new object whose definition was deleted since the kind was looked up.
pub(crate) fn check_served(view: &dyn View, kind: &Kind) -> Result<(), ApiError> {
    if kind.custom.is_none() {
        return Ok(());
    }
    // The kind was looked up before the lock was acquired, so it may be deleted by now.
    let Some(stored) = view.get(&key_of(kind)?)? else {
        let mut status = Status::not_found(&kind.qualified_resource(), "");
        status.message = "the server could not find the requested resource".to_owned();
        return Err(status.into());
    };
    if is_terminating(&stored) {
        let mut status = Status::bad_request(
            "create not allowed while custom resource definition is terminating",
        );
        (status.code, status.reason) = (405, "MethodNotAllowed");
        return Err(status.into());
    }
    Ok(())
}

/// Returns the key of the definition of a custom kind.
fn key_of(kind: &Kind) -> Result<Key, StoreError> {
    Key::new(DEFINITIONS, None, &kind.qualified_resource())
        .map_err(|e| StoreError::Refused(e.to_string()))
}

pub(crate) fn is_terminating(definition: &Stored) -> bool {
    #[derive(Deserialize)]
    struct Definition {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        deletion_timestamp: Option<IgnoredAny>,
    }
    let read: Result<Definition, _> = serde_json::from_slice(&definition.json);
    read.is_ok_and(|definition| definition.metadata.deletion_timestamp.is_some())
}

/// Deletes the objects of a definition that is being deleted, as many as fit in a commit; returns the definition with
/// a finalizer while any object is left. Other kinds are left alone.
pub(crate) fn clean_up(
    view: &dyn View,
    kind: &Kind,
    mut definition: Value,
) -> Result<(Value, Vec<Op>), ApiError> {
    if !is_definition(kind) {
        return Ok((definition, Vec::new()));
    }
    let objects = view.list(&Range::resource(objects::meta(&definition, "name"), None))?;
    let (mut ops, mut left) = (Vec::new(), objects.len().saturating_sub(AT_ONCE));
    // The number of objects in a commit is limited, so the caller repeats the deletion until none is left.
    for stored in objects.iter().take(AT_ONCE) {
        let mut object: Value = serde_json::from_slice(&stored.json)
            .map_err(|e| StoreError::Refused(format!("{}: {e}", stored.key)))?;
        let expect = Expect::At(stored.revision);
        let metadata = &mut object["metadata"];
        let kept = metadata["finalizers"]
            .as_array()
            .is_some_and(|f| !f.is_empty());
        left += usize::from(kept);
        if !kept {
            ops.push(Op::delete(stored.key.clone(), expect));
        } else if !metadata["deletionTimestamp"].is_string() {
            metadata["deletionTimestamp"] = json!(seconds(view));
            // kube-apiserver sets both fields together, also for kinds without a grace period.
            metadata["deletionGracePeriodSeconds"] = json!(0);
            let json =
                serde_json::to_vec(&object).map_err(|e| StoreError::Refused(e.to_string()))?;
            ops.push(Op::put(stored.key.clone(), json, expect));
        }
    }
    keep(view, &mut definition, left > 0);
    Ok((definition, ops))
}

/// Returns a definition whose file was removed: its remaining objects keep it.
pub(crate) fn kept(view: &dyn View, kind: &Kind, definition: &Value) -> Result<Value, ApiError> {
    let mut definition = definition.clone();
    if is_definition(kind) {
        let range = Range::resource(objects::meta(&definition, "name"), None);
        let objects = view.list(&range)?;
        keep(view, &mut definition, !objects.is_empty());
    }
    Ok(definition)
}

/// Sets or removes the finalizer that keeps a definition.
fn keep(view: &dyn View, definition: &mut Value, kept: bool) {
    let metadata = &mut definition["metadata"];
    let mut finalizers: List = match metadata["finalizers"].take() {
        Value::Array(finalizers) => finalizers,
        _ => List::new(),
    };
    finalizers.retain(|finalizer| finalizer != CLEANUP);
    if kept {
        finalizers.push(json!(CLEANUP));
    }
    if finalizers.is_empty() {
        metadata.as_object_mut().map(|map| map.remove("finalizers"));
    } else {
        metadata["finalizers"] = json!(finalizers);
    }
    if kept {
        let message = "CustomResource deletion is in progress";
        let words = ["Terminating", "True", "InstanceDeletionInProgress", message];
        custom::condition(definition, words, &seconds(view));
    }
}

/// Returns true if a change has consequences for other objects.
pub(crate) fn has_consequences(kind: &Kind, decision: &Decision) -> bool {
    match decision {
        Decision::Remove(..) => kind.custom.is_some() || is_definition(kind),
        Decision::Put(..) => is_definition(kind),
        Decision::Keep(_) => false,
    }
}

/// Returns the side effects of a change, for the same commit; `view` includes the change.
///
/// A definition that waits for its last object is removed with it, and free names are assigned to definitions that wait
/// for them.
pub(crate) fn consequences(
    view: &dyn View,
    kind: &Kind,
    object: &Value,
) -> Result<Vec<Op>, ApiError> {
    match is_definition(kind) {
        true => names_freed(view, objects::meta(object, "name")),
        false => last_object_gone(view, kind),
    }
}

fn last_object_gone(view: &dyn View, kind: &Kind) -> Result<Vec<Op>, ApiError> {
    let key = key_of(kind)?;
    let Some(stored) = view.get(&key)?.filter(is_terminating) else {
        return Ok(Vec::new());
    };
    let range = Range::resource(&kind.qualified_resource(), None);
    if !view.list(&range)?.is_empty() {
        return Ok(Vec::new());
    }
    let mut definition = objects::shown(&stored)?;
    keep(view, &mut definition, false);
    let expect = Expect::At(stored.revision);
    // Another finalizer still keeps the definition.
    if definition["metadata"]["finalizers"].is_array() {
        return Ok(vec![put(key, &definition, expect)?]);
    }
    let mut ops = vec![Op::delete(key, expect)];
    ops.extend(api_services::gone(view, &definition)?);
    ops.extend(names_freed(view, &kind.qualified_resource())?);
    Ok(ops)
}

/// Assigns names to definitions that wait for them; `gone` is one that no longer counts, or just changed.
fn names_freed(view: &dyn View, gone: &str) -> Result<Vec<Op>, ApiError> {
    let mut all = Vec::new();
    for stored in view.list(&Range::resource(DEFINITIONS, None))? {
        all.push((objects::shown(&stored)?, stored));
    }
    let kind = kind_of_definitions()?;
    let group = gone.split_once('.').map_or("", |(_, group)| group);
    let mut ops = Vec::new();
    for at in 0..all.len() {
        let (definition, stored) = &all[at];
        // Names can only conflict within a group.
        let waits = custom::waits_for_names(definition) && definition["spec"]["group"] == group;
        if !waits || stored.key.name() == gone {
            continue;
        }
        let mut next = definition.clone();
        let others = all.iter().enumerate().filter(|(i, _)| *i != at);
        let others = others.map(|(_, (definition, _))| definition);
        custom::establish(&mut next, others, &seconds(view));
        if next != *definition {
            managed::note_own(kind, definition, &mut next, &seconds(view));
            ops.push(put(stored.key.clone(), &next, Expect::At(stored.revision))?);
            // Two definitions may wait for one name, and the second must observe that the first has it.
            all[at].0 = next;
        }
    }
    Ok(ops)
}

fn kind_of_definitions() -> Result<&'static Kind, Status> {
    find("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
        .ok_or_else(|| Status::internal("definitions have no kind"))
}

fn put(key: Key, definition: &Value, expect: Expect) -> Result<Op, ApiError> {
    let kind = kind_of_definitions()?;
    Ok(Op::put(key, objects::bytes(kind, definition), expect))
}
