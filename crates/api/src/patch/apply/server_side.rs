//! Applies a configuration to an object, with conflicts and pruning.

use thiserror::Error;

use super::compare::{Node, Place};
use super::conflict::Conflicts;
use super::owners::{Writer, stripped, update_owners};
use super::{compare, merge, prune, to_set, validate};
use crate::json::{Text, Value};
use crate::patch::fieldset::FieldSet;
use crate::patch::managed::{Entry, ManagedFields, Operation};
use crate::patch::shape::Shape;

pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The reason for not applying a configuration, in the API server's words.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::apply::{ApplyError, Conflict, Conflicts, Writer, apply};
/// use ctl_api::patch::fieldset::FieldSet;
/// use ctl_api::patch::shape::Untyped;
///
/// let (reset, empty) = (FieldSet::default(), json!({}));
/// let alice = Writer {
///     manager: "alice",
///     api_version: "example.com/v1",
///     subresource: "",
///     time: "2026-11-20T22:34:12Z",
///     reset: &reset,
///     empty: &empty,
/// };
/// let bob = Writer { manager: "bob", ..alice.clone() };
/// let config = |size: i64| {
///     json!({"apiVersion": "example.com/v1", "kind": "Disk", "metadata": {"name": "d"}, "spec": {"size": size}})
/// };
///
/// let nothing = json!({});
/// let live = apply(&nothing, &config(1), &Untyped, &alice, false)?;
/// let refused = apply(&live, &config(2), &Untyped, &bob, false);
/// let Err(ApplyError::Conflicts(Conflicts { list, .. })) = refused else {
///     panic!("{refused:?}");
/// };
/// let Conflict { manager, field, .. } = &list[0];
/// assert!(manager.contains("alice") && field == ".spec.size", "{manager} {field}");
///
/// let forced = apply(&live, &config(2), &Untyped, &bob, true)?;
/// assert_eq!(forced["spec"]["size"], 2);
/// # Ok::<(), ApplyError>(())
/// ```
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
        /// The fields that do not fit the schema.
        errors: String,
    },
    /// The configuration sets managed fields (400 BadRequest).
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsGiven,
    /// The configuration has a different version from the object (400 BadRequest).
    #[error(
        "incorrect version specified in apply patch. Specified patch version: {given}, expected: {expected}"
    )]
    WrongVersion {
        /// The apiVersion of the configuration.
        given: String,
        /// The apiVersion of the object.
        expected: String,
    },
    /// The configuration has no type (400 BadRequest).
    #[error("invalid object type: /, Kind=")]
    NoType,
}

/// Applies `config` to `live`; for an object that does not exist yet, `live` is [`Writer::empty`].
///
/// Returns the object with its managed fields, which equals `live` if nothing changed. A null in the configuration is
/// kept if the object lacks the field; the caller's defaulting removes it.
///
/// # Errors
///
/// [`ApplyError`], with the server's text.
pub fn apply<S: Shape>(
    live: &Value,
    config: &Value,
    shape: &S,
    writer: &Writer<'_>,
    force: bool,
) -> Result<Value, ApplyError> {
    let fields = check(config, shape, writer)?;
    // The stored list stays shared until its first change.
    let list = ManagedFields::list_of(live).cloned();
    let mut managed = list.and_then(ManagedFields::stored).unwrap_or_default();
    let exists = live.pointer("/metadata/uid").is_some_and(|uid| uid != "");
    // Kubernetes attributes fields of unknown origin to `before-first-apply`.
    if managed.is_empty() && exists {
        let before = Writer {
            manager: "before-first-apply",
            subresource: "",
            ..*writer
        };
        managed = update_owners(writer.empty, live, managed, shape, &before);
    }
    let fields = &fields.recursive_difference(writer.reset);
    // Only kubectl migrates from client-side apply, so only its conflicts are checked a second time.
    let again = (writer.manager == "kubectl").then(|| managed.clone());
    let result = merge_and_own(live, config, managed, shape, writer, fields, force);
    let result = match (result, again) {
        (Err(conflicts), Some(managed)) => {
            let allowed = client_side_fields(live, shape, writer.api_version);
            outside(conflicts.0, &allowed)?;
            merge_and_own(live, config, managed, shape, writer, fields, true)
        }
        (result, _) => result,
    };
    let (mut object, owners) = result.map_err(|found| Conflicts::new(found.0))?;
    owners.write_to(&mut object);
    // Keeps the annotation current, so that a later client-side apply can find the fields to remove.
    let annotated = last_applied(&object).is_some_and(|text| !text.is_empty());
    if writer.manager == "kubectl" && annotated {
        note_last_applied(&mut object, config);
    }
    Ok(object)
}

/// The managers in conflict, with the fields they own.
struct OwnershipConflicts(Vec<(Entry, FieldSet)>);

fn merge_and_own<S: Shape>(
    live: &Value,
    config: &Value,
    managed: ManagedFields,
    shape: &S,
    writer: &Writer<'_>,
    fields: &FieldSet,
    force: bool,
) -> Result<(Value, ManagedFields), OwnershipConflicts> {
    let mut own = writer.entry(Operation::Apply, fields.difference(stripped()));
    let last = managed.find(&own).cloned();
    let mut merged = without_managed_fields(live);
    let mut found = Node::default();
    merge::merge(&mut merged, config, Some(shape), Place::Top, &mut found);
    let mut found = found.below;
    let same = last
        .as_ref()
        .is_some_and(|last| !last.fields.is_empty() && last.fields.are(own.fields.set()));
    if let Some(last) = &last {
        if same {
            own.fields = last.fields.clone();
        // Pruning walks the whole object, but most applies omit no field.
        } else if let Some(gone) = no_longer(last, writer, fields) {
            let owned = still_owned(&managed, &own, fields);
            merged = prune::prune(merged, &gone, &owned, Some(shape));
            // Merged again to restore the configuration's empty lists and maps.
            let place = Place::Top;
            merge::merge(
                &mut merged,
                config,
                Some(shape),
                place,
                &mut Node::default(),
            );
            found = compare::compare(live, &merged, shape);
        }
    }

    let set = found.modified.union(&found.added);
    let set = set.recursive_difference(writer.reset);
    let removed = found.removed.recursive_difference(writer.reset);
    let others = managed.entries().iter().filter(|e| !e.is_of(&own));
    // The raw form rules out most managers without building their sets.
    let in_the_way: Vec<_> = others
        .filter(|e| !set.is_empty() && e.fields.may_touch(&set))
        .map(|e| (e, e.fields.set().intersection(&set)))
        .filter(|(_, fields)| !fields.is_empty())
        .map(|(e, fields)| (e.clone(), fields))
        .collect();
    // With `force`, the ownership moves below.
    if !force && !in_the_way.is_empty() {
        return Err(OwnershipConflicts(in_the_way));
    }
    let unchanged = set.is_empty() && removed.is_empty();
    if unchanged {
        // Taking over existing values is not a write, so the time stays.
        own.time = last.as_ref().and_then(|last| last.time.clone());
    }
    // Without a write or a new owner, the object keeps its time, too.
    if unchanged && same && last.is_some_and(|last| last.api_version == own.api_version) {
        return Ok((merged, managed));
    }
    let mut owners = managed;
    owners.take(&set, Some(&own));
    owners.take(&removed, Some(&own));
    owners.set(own);
    Ok((merged, owners))
}

/// Returns the object without its managed fields.
fn without_managed_fields(object: &Value) -> Value {
    let Value::Object(fields) = object else {
        return object.clone();
    };
    // A shallow copy: the members are shared with the object.
    let copy = |(name, value): (&Text, &Value)| {
        let value = match value {
            Value::Object(metadata) if name == "metadata" => {
                let fields = metadata.iter().filter(|(name, _)| *name != "managedFields");
                fields.map(|(n, v)| (n.clone(), v.clone())).collect()
            }
            value => value.clone(),
        };
        (name.clone(), value)
    };
    fields.iter().map(copy).collect()
}

/// Returns the fields of the manager's previous configuration that the new one lacks, with their parents, or `None` if
/// it lacks none.
fn no_longer(last: &Entry, writer: &Writer<'_>, fields: &FieldSet) -> Option<FieldSet> {
    let last = last
        .fields
        .beyond(fields)
        .recursive_difference(writer.reset);
    (!last.is_subset(fields)).then_some(last)
}

/// Returns the fields that any manager owns; those of the writer of `own` are `fields`.
fn still_owned(managed: &ManagedFields, own: &Entry, fields: &FieldSet) -> FieldSet {
    // Updates count as well: a field that an applier shares with whoever created the object outlives its configuration.
    let others = managed.entries().iter().filter(|e| !e.is_of(own));
    others.fold(fields.clone(), |all, e| all.union(e.fields.set()))
}

/// Rejects a configuration that cannot be applied; returns the fields of a valid one.
fn check<S: Shape>(config: &Value, shape: &S, writer: &Writer<'_>) -> Result<FieldSet, ApplyError> {
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
    // One walk collects the fields and detects a possible mismatch. The error texts are computed only after a
    // mismatch.
    let mut fit = true;
    let fields = to_set::checked_set(config, Some(shape), &mut fit);
    if fit {
        return Ok(fields);
    }
    let Some(errors) = validate::mistyped(config, shape) else {
        return Ok(fields);
    };
    let part = |pointer: &str| text(pointer).unwrap_or_default();
    let (namespace, name) = (part("/metadata/namespace"), part("/metadata/name"));
    // Go's `schema.GroupVersionKind` prints the slash of an empty group, too.
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

/// Returns the fields that the last client-side apply set and that no other manager has changed since.
fn client_side_fields<S: Shape>(live: &Value, shape: &S, api_version: &str) -> FieldSet {
    let config = last_applied(live).and_then(|text| serde_json::from_str::<Value>(text).ok());
    // Another version may have different field names.
    let Some(config) = config.filter(|config| config["apiVersion"] == api_version) else {
        return FieldSet::default();
    };
    let since = compare::compare(&config, live, shape);
    to_set::to_set(&config, Some(shape))
        .difference(&since.modified)
        .difference(&since.added)
        .difference(&since.removed)
}

/// Returns the conflicts over fields outside `allowed`, if any, as an error.
fn outside(found: Vec<(Entry, FieldSet)>, allowed: &FieldSet) -> Result<(), Conflicts> {
    let left: Vec<_> = found
        .into_iter()
        .map(|(entry, fields)| (entry, fields.difference(allowed)))
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    match left.is_empty() {
        true => Ok(()),
        false => Err(Conflicts::new(left)),
    }
}

/// Sets the last-applied annotation to the configuration that kubectl applied server-side.
fn note_last_applied(object: &mut Value, config: &Value) {
    // The annotation must not contain itself.
    let mut config = config.clone();
    if let Some(Value::Object(annotations)) = config.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED);
    }
    let annotations = object.pointer_mut("/metadata/annotations");
    if let Some(Value::Object(annotations)) = annotations {
        annotations.insert(LAST_APPLIED, format!("{config}\n").into());
    }
}
