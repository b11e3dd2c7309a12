//! Merging a configuration into the object, with conflicts and pruning.

use serde_json::Value;
use thiserror::Error;

use super::conflict::Conflicts;
use super::owners::{Writer, stripped, update_owners};
use super::{compare, merge, prune, to_set, validate};
use crate::api::patch::fieldset::FieldSet;
use crate::api::patch::managed::{Entry, ManagedFields, Operation};
use crate::api::patch::shape::Shape;

pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Why a configuration was not applied; the text is what the server answers.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ApplyError {
    /// Other managers own fields with other values (409 Conflict).
    #[error(transparent)]
    Conflicts(#[from] Conflicts),
    /// The configuration does not fit the kind (500).
    #[error("failed to create typed patch object ({object}): {errors}")]
    Mistyped {
        /// The object as `namespace/name; group/version, Kind=kind`.
        object: String,
        /// What does not fit.
        errors: String,
    },
    /// The configuration holds managed fields (400 BadRequest).
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsGiven,
    /// The configuration is of another version than the object (400 BadRequest).
    #[error(
        "incorrect version specified in apply patch. Specified patch version: {given}, expected: {expected}"
    )]
    WrongVersion {
        /// The configuration's apiVersion.
        given: String,
        /// The object's.
        expected: String,
    },
    /// The configuration names no type (400 BadRequest).
    #[error("invalid object type: /, Kind=")]
    NoType,
}

/// Applies `config` to `live`, which is [`Writer::empty`] for an object that does not exist yet.
///
/// Returns the object with its managed fields; it equals `live` if nothing changed. Nulls of the
/// configuration are kept where the object had nothing, for the caller's defaulting to drop.
///
/// # Errors
///
/// [`ApplyError`], with the server's text.
pub fn apply<S: Shape>(
    mut live: Value,
    config: &Value,
    shape: &S,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    check(config, shape, writer)?;
    let list = ManagedFields::take_from(&mut live);
    let mut managed = list
        .as_ref()
        .and_then(ManagedFields::read)
        .unwrap_or_default();
    let exists = live.pointer("/metadata/uid").is_some_and(|uid| uid != "");
    if managed.is_empty() && exists {
        let before = Writer {
            manager: "before-first-apply",
            subresource: "",
            ..*writer
        };
        managed = update_owners(writer.empty, &live, managed, shape, &before);
    }
    let result = merge_and_own(&live, config, &managed, shape, writer, force);
    let result = match result {
        Err(conflicts) if writer.manager == "kubectl" => {
            upgrade_client_side(&live, conflicts.0, shape)?;
            merge_and_own(&live, config, &managed, shape, writer, true)
        }
        other => other,
    };
    let (mut object, owners) = result.map_err(|found| Conflicts::new(found.0))?;
    match list {
        Some(list) if owners == managed => ManagedFields::put_into(&mut object, list),
        _ => owners.write_to(&mut object),
    }
    if writer.manager == "kubectl" && last_applied(&live).is_some() {
        note_last_applied(&mut object, config);
    }
    Ok(object)
}

/// The managers in the way, with the fields they own.
struct InTheWay(Vec<(Entry, FieldSet)>);

fn merge_and_own<S: Shape>(
    live: &Value,
    config: &Value,
    managed: &ManagedFields,
    shape: &S,
    writer: &Writer<'_>,
    force: bool,
) -> Result<(Value, ManagedFields), InTheWay> {
    let fields = to_set::to_set(config, Some(shape)).recursive_difference(writer.reset);
    let mut own = writer.entry(Operation::Apply, fields);
    let last = managed.find(&own).cloned();
    let last_fields = last
        .as_ref()
        .map(|e| e.fields.recursive_difference(writer.reset));
    let merged = merge::merge(live.clone(), config, Some(shape));
    let mut owners = managed.clone();
    owners.set(own.clone());
    let merged = match last_fields.filter(|last| !last.is_subset(&own.fields)) {
        None => merged,
        // Merged again for the lists and maps that the configuration wants, but empty.
        Some(last) => merge::merge(pruned(merged, &last, &owners, shape), config, Some(shape)),
    };

    let found = compare::compare(live, &merged, shape);
    let set = found.modified.union(&found.added);
    let set = set.recursive_difference(writer.reset);
    let removed = found.removed.recursive_difference(writer.reset);
    let others = owners.entries().iter().filter(|e| !e.is_of(&own));
    let in_the_way: Vec<_> = others
        .map(|e| (e, e.fields.intersection(&set)))
        .filter(|(_, fields)| !fields.is_empty())
        .map(|(e, fields)| (e.clone(), fields))
        .collect();
    if !force && !in_the_way.is_empty() {
        return Err(InTheWay(in_the_way));
    }
    owners.take(&set, Some(&own));
    owners.take(&removed, Some(&own));
    own.fields = own.fields.difference(stripped());
    owners.set(own);
    let unchanged = set.is_empty() && removed.is_empty() && owners.same_owners(managed);
    if unchanged && last.is_some() {
        return Ok((merged, managed.clone()));
    }
    Ok((merged, owners))
}

/// Takes out what the manager applied last time, applies no longer, and no other applier has.
fn pruned<S: Shape>(merged: Value, last: &FieldSet, owners: &ManagedFields, shape: &S) -> Value {
    let applied = owners
        .entries()
        .iter()
        .filter(|e| e.operation == Operation::Apply)
        .fold(FieldSet::default(), |all, e| all.union(&e.fields));
    prune::prune(merged, last, &applied, Some(shape))
}

fn check<S: Shape>(config: &Value, shape: &S, writer: &Writer<'_>) -> Result<(), ApplyError> {
    let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str);
    let (version, kind) = (text("/apiVersion"), text("/kind"));
    let (Some(version), Some(kind)) = (version, kind) else {
        return Err(ApplyError::NoType);
    };
    if version != writer.api_version {
        return Err(ApplyError::WrongVersion {
            given: version.into(),
            expected: writer.api_version.into(),
        });
    }
    let managed = config.pointer("/metadata/managedFields");
    if managed.is_some_and(|m| !m.is_null()) {
        return Err(ApplyError::ManagedFieldsGiven);
    }
    let errors = validate::check(config, shape);
    let errors = match errors.as_slice() {
        [] => return Ok(()),
        [one] => one.clone(),
        many => format!("errors:\n  {}", many.join("\n  ")),
    };
    let part = |pointer: &str| text(pointer).unwrap_or_default();
    let (namespace, name) = (part("/metadata/namespace"), part("/metadata/name"));
    let group = if version.contains('/') { "" } else { "/" };
    Err(ApplyError::Mistyped {
        object: format!("{namespace}/{name}; {group}{version}, Kind={kind}"),
        errors,
    })
}

fn last_applied(object: &Value) -> Option<&str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(LAST_APPLIED)?.as_str()
}

/// Allows conflicts over what the object's last client-side apply set; the others stay conflicts.
fn upgrade_client_side<S: Shape>(
    live: &Value,
    found: Vec<(Entry, FieldSet)>,
    shape: &S,
) -> Result<(), Conflicts> {
    let config = last_applied(live).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let allowed = config.map(|config| to_set::to_set(&config, Some(shape)));
    let allowed = allowed.unwrap_or_default();
    let left: Vec<_> = found
        .into_iter()
        .map(|(entry, fields)| (entry, fields.difference(&allowed)))
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    if left.is_empty() {
        Ok(())
    } else {
        Err(Conflicts::new(left))
    }
}

/// Keeps the client-side annotation in step with what kubectl applies server-side.
fn note_last_applied(object: &mut Value, config: &Value) {
    let mut config = config.clone();
    if let Some(Value::Object(annotations)) = config.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED);
    }
    let annotations = object.pointer_mut("/metadata/annotations");
    if let Some(Value::Object(annotations)) = annotations {
        annotations.insert(LAST_APPLIED.into(), format!("{config}\n").into());
    }
}
