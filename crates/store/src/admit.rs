//! The interface to the rules of kinds, which decide on hand edits: the store itself only handles trees.

use jiff::Timestamp;

use super::interface::View;
use super::key::Key;
use super::revision::Revision;
use crate::api::json::{Map, Value};
use crate::sys::entropy::Seed;

/// The fields of `metadata` that only the server sets.
pub const OWNED_METADATA: &[&str] = &[
    "uid",
    "creationTimestamp",
    "generation",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "managedFields",
];

/// Returns the part of an object that its users own: all fields except the status and the metadata that the server
/// sets.
pub(crate) fn user_part(object: &Value) -> Value {
    let mut part = object.clone();
    let Some(fields) = part.as_object_mut() else {
        return part;
    };
    fields.remove("status");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
        for name in OWNED_METADATA {
            metadata.remove(*name);
        }
    }
    part
}

/// The relation of a file to the state of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// A user changed fields of the object: the file has the new state.
    Edit,
    /// An earlier version of the file was restored: users' fields come from the file, all others from the cluster.
    Restore,
}

/// A file that a user changed, added or removed by hand.
pub struct HandEdit<'a> {
    /// The object that the file shows.
    pub key: &'a Key,
    /// The current object; `None` if the file is new.
    pub current: Option<&'a Value>,
    /// The object in the file; `None` if the file was removed. Files never contain managed fields; the revision is
    /// omitted.
    pub proposed: Option<Value>,
    /// True if the file edits the object or puts an earlier state of it back.
    pub intent: Intent,
    /// The version that a file of a deleted object shows, if the history still has it.
    pub past: Option<&'a Value>,
    /// The revision that the change will get or follow.
    pub revision: Revision,
    /// The time of the change.
    pub now: Timestamp,
    /// The source of uids.
    pub seed: Seed,
    /// The cluster that the edit changes.
    pub view: &'a dyn View,
}

/// Decides on hand edits.
///
/// ```
/// use ctl_api::json::{Value, json};
/// use ctl_store::{Admit, HandEdit, Intent};
///
/// /// Accepts edits of ConfigMaps only, and never a restored version.
/// struct OnlyConfigMaps;
///
/// impl Admit for OnlyConfigMaps {
///     fn admit(&self, edit: HandEdit<'_>) -> Result<Option<Value>, String> {
///         match (edit.key.resource(), edit.intent) {
///             ("configmaps", Intent::Edit) => Ok(edit.proposed),
///             _ => Err(format!("{} cannot be edited", edit.key)),
///         }
///     }
/// }
/// ```
pub trait Admit: Send + Sync {
    /// Returns the new object after an edit; `None` removes it.
    ///
    /// # Errors
    /// The reason to reject the file, for users.
    fn admit(&self, edit: HandEdit<'_>) -> Result<Option<Value>, String>;
}

/// Accepts everything in the form of an object, and keeps its identity.
///
/// ```
/// use std::sync::Arc;
///
/// use ctl_store::{Options, PlainAdmit};
///
/// // Every object is imported as it was saved.
/// let options = Options { admit: Arc::new(PlainAdmit), ..Options::default() };
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainAdmit;

impl Admit for PlainAdmit {
    fn admit(&self, edit: HandEdit<'_>) -> Result<Option<Value>, String> {
        let Some(mut proposed) = edit.proposed else {
            return Ok(None);
        };
        // Without a kind no code above the store could find the rules for the object.
        for field in ["apiVersion", "kind"] {
            let found = proposed.get(field).and_then(Value::as_str);
            if found.is_none_or(str::is_empty) {
                return Err(format!("{field} must be a non-empty string"));
            }
        }
        let object = proposed.as_object_mut().ok_or("an object must be a map")?;
        let metadata = object
            .entry("metadata")
            .or_insert_with(|| Map::new().into());
        let metadata = metadata.as_object_mut().ok_or("metadata must be a map")?;
        must_be(metadata, "name", Some(edit.key.name()))?;
        must_be(metadata, "namespace", edit.key.namespace())?;
        let old = edit
            .current
            .and_then(|c| c.get("metadata"))
            .and_then(Value::as_object);
        // As in the API server: the server sets uid and creation time, and an update does not change them.
        for (field, fresh) in [
            (
                "uid",
                edit.seed
                    .uid(&["uid", edit.key.as_str(), &edit.revision.to_string()]),
            ),
            (
                "creationTimestamp",
                edit.now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            ),
        ] {
            let kept = old.and_then(|m| m.get(field)).cloned();
            match kept {
                Some(kept) => metadata.insert(field.to_owned(), kept),
                None if !metadata.contains_key(field) => {
                    metadata.insert(field.to_owned(), fresh.into())
                }
                None => None,
            };
        }
        // A file never contains managed fields, so their absence has no meaning.
        if edit.current.is_some() {
            keep(metadata, old, "managedFields");
        }
        // A restore sets the users' fields; values that the system has assigned since are kept
        // (`docs/design/0008-hand-edits.md`).
        if edit.intent == Intent::Restore
            && let Some(current) = edit.current
        {
            for name in OWNED_METADATA {
                keep(metadata, old, name);
            }
            keep(object, current.as_object(), "status");
        }
        Ok(Some(proposed))
    }
}

/// Sets a field to its current value, or removes it if it is absent.
fn keep(fields: &mut Map, current: Option<&Map>, name: &str) {
    match current.and_then(|c| c.get(name)) {
        Some(value) => drop(fields.insert(name, value.clone())),
        None => drop(fields.remove(name)),
    }
}

/// Sets a field of the metadata from the file's place, or checks it.
fn must_be(metadata: &mut Map, field: &str, place: Option<&str>) -> Result<(), String> {
    match (metadata.get(field), place) {
        (None | Some(Value::Null), Some(place)) => {
            metadata.insert(field.to_owned(), place.into());
            Ok(())
        }
        (None | Some(Value::Null), None) => Ok(()),
        (Some(found), Some(place)) if found == place => Ok(()),
        (Some(found), place) => Err(format!(
            "metadata.{field} is {found}, but the file's path requires {}",
            place.map_or("none".to_owned(), |p| format!("{p:?}"))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json::json;

    /// A cluster without objects.
    struct Nothing;

    impl View for Nothing {
        fn revision(&self) -> Revision {
            6
        }

        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn epoch(&self) -> u64 {
            0
        }

        fn get(&self, _: &Key) -> crate::Result<Option<crate::Stored>> {
            Ok(None)
        }

        fn list(&self, _: &crate::Range) -> crate::Result<Vec<crate::Stored>> {
            Ok(Vec::new())
        }
    }

    fn admit(current: Option<&Value>, proposed: Value) -> Result<Option<Value>, String> {
        let key = Key::new("pods", Some("default"), "web").unwrap();
        PlainAdmit.admit(HandEdit {
            key: &key,
            current,
            proposed: Some(proposed),
            intent: Intent::Edit,
            past: None,
            revision: 7,
            now: Timestamp::UNIX_EPOCH,
            seed: Seed(1),
            view: &Nothing,
        })
    }

    #[test]
    fn new_object_gets_name_namespace_uid_and_creation_time() {
        let made = admit(None, json!({"apiVersion": "v1", "kind": "Pod"}))
            .unwrap()
            .unwrap();
        assert_eq!(made["metadata"]["name"], "web");
        assert_eq!(made["metadata"]["namespace"], "default");
        assert_eq!(
            made["metadata"]["creationTimestamp"],
            "1970-01-01T00:00:00Z"
        );
        assert_eq!(made["metadata"]["uid"].as_str().unwrap().len(), 36);
    }

    #[test]
    fn an_edited_object_keeps_its_identity_and_managed_fields() {
        let current =
            json!({"metadata": {"uid": "u", "creationTimestamp": "t", "managedFields": [1]}});
        let proposed = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"uid": "other"}});
        let made = admit(Some(&current), proposed).unwrap().unwrap();
        assert_eq!(made["metadata"]["uid"], "u");
        assert_eq!(made["metadata"]["managedFields"], json!([1]));
    }

    #[test]
    fn non_objects_and_objects_in_the_wrong_place_are_rejected() {
        for (bad, reason) in [
            (json!({"kind": "Pod"}), "apiVersion must be"),
            (json!({"apiVersion": "v1", "kind": 3}), "kind must be"),
            (json!([1]), "apiVersion must be"),
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": 3}),
                "metadata must be",
            ),
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "api"}}),
                "metadata.name is \"api\"",
            ),
            (
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "x"}}),
                "metadata.namespace",
            ),
        ] {
            let error = admit(None, bad).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
