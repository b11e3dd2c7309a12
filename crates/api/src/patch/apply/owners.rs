//! Tracks field ownership across creates, updates and patches.

use super::compare;
use crate::json::Value;
use crate::patch::fieldset::FieldSet;
use crate::patch::managed::{Entry, ManagedFields, Operation};
use crate::patch::shape::Shape;

/// The author of a change, with the API version it used and the time.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The field manager.
    pub manager: &'a str,
    /// The object's API version, such as `apps/v1`.
    pub api_version: &'a str,
    /// The subresource written to; empty for the object itself.
    pub subresource: &'a str,
    /// The time in the format of the API, to the second: `2026-11-20T22:34:12Z`.
    pub time: &'a str,
    /// The fields that this kind of write cannot change, such as `status` in a write to the object itself.
    pub reset: &'a FieldSet,
    /// The fields that every object of the kind has from the start: `{}`, or the maps and nulls that Kubernetes always
    /// writes. They do not count as set by the creator.
    pub empty: &'a Value,
}

impl Writer<'_> {
    pub(super) fn entry(&self, operation: Operation, fields: FieldSet) -> Entry {
        Entry {
            manager: self.manager.into(),
            operation,
            api_version: self.api_version.into(),
            subresource: self.subresource.into(),
            // The API server loses the time when it copies the entry of a scale to the scaled object.
            time: (self.subresource != "scale").then(|| self.time.into()),
            fields: fields.into(),
        }
    }
}

/// Records the owners after `writer` changed `old` to `new`; on create, `old` is [`Writer::empty`].
///
/// Accepts managed fields in `new` that differ from those in `old`; an empty list resets them. An existing object
/// without managed fields stays without them.
pub fn capture<S: Shape>(old: &Value, new: &mut Value, shape: &S, writer: &Writer<'_>) {
    // Only writes to the object itself may set managed fields, not writes to a subresource.
    let given = ManagedFields::take_from(new).filter(|_| writer.subresource.is_empty());
    let reset = match &given {
        Some(Value::Array(list)) => {
            list.is_empty() || matches!(list.as_slice(), [Value::Object(e)] if e.is_empty())
        }
        _ => false,
    };
    let stored = ManagedFields::list_of(old);
    let managed = match given {
        // Most clients send back the list they received. It is compared before it is parsed, because building the sets
        // of fields is the most expensive part of a write.
        Some(list) if Some(&list) == stored => ManagedFields::stored(list),
        Some(list) => ManagedFields::read(&list),
        None => None,
    };
    let managed = managed.unwrap_or_default();
    let managed = if managed.is_empty() && !reset {
        let stored = stored.cloned().and_then(ManagedFields::stored);
        stored.unwrap_or_default()
    } else {
        managed
    };
    // An object without managed fields was created before they existed, and stays without them.
    let uid = old.get("metadata").and_then(|metadata| metadata.get("uid"));
    let exists = uid.is_some_and(|uid| uid != "");
    let owners = if managed.is_empty() && exists {
        managed
    } else {
        update_owners(old, new, managed, shape, writer)
    };
    owners.write_to(new);
}

pub(super) fn update_owners<S: Shape>(
    old: &Value,
    new: &Value,
    mut owners: ManagedFields,
    shape: &S,
    writer: &Writer<'_>,
) -> ManagedFields {
    let found = compare::compare(old, new, shape);
    // The fields in `reset` belong to another endpoint, so this writer cannot own them.
    let set = found.modified.union(&found.added);
    let set = set.recursive_difference(writer.reset);
    let removed = found.removed.recursive_difference(writer.reset);
    if set.is_empty() && removed.is_empty() {
        return owners;
    }
    let mut own = writer.entry(Operation::Update, FieldSet::default());
    // The fast path builds no set, because this writer owned all the changed fields before.
    if let Some(before) = owners.find(&own)
        && !set.is_empty()
        && before.fields.cover(&set.difference(stripped()))
        && !before.fields.may_touch(&removed)
        && !before.fields.may_touch(stripped())
    {
        // The writer owns the same fields as before.
        own.fields = before.fields.clone();
        owners.take(&set, Some(&own));
        owners.take(&removed, Some(&own));
        owners.set(own);
        // Capped on every path; otherwise, a long-lived object would collect managers without limit.
        owners.cap();
        return owners;
    }
    owners.take(&set, None);
    owners.take(&removed, None);
    if !set.is_empty() {
        // An update adds to the manager's fields. Only server-side apply gives fields up by omitting them.
        let before = owners.find(&own).map(|before| before.fields.set());
        let fields = before.map_or_else(|| set.clone(), |before| set.union(before));
        own.fields = fields.difference(stripped()).into();
        owners.set(own);
    }
    owners.cap();
    owners
}

/// Takes the fields that changed from `old` to `new` from the managers of `object` at the API version of these two.
///
/// [`capture`] compares the objects at the version of the writer, where the fields of another version may have other
/// names.
pub fn release<S: Shape>(object: &mut Value, old: &Value, new: &Value, shape: &S) {
    let version = new.get("apiVersion").and_then(Value::as_str);
    let list = ManagedFields::list_of(object).cloned();
    let Some(mut owners) = list.and_then(ManagedFields::stored) else {
        return;
    };
    let found = compare::compare(old, new, shape);
    for changed in [found.modified, found.added, found.removed] {
        owners.take_if(&changed, |entry| Some(&*entry.api_version) == version);
    }
    owners.write_to(object);
}

/// Returns the fields that never have an owner.
pub(super) fn stripped() -> &'static FieldSet {
    static STRIPPED: std::sync::LazyLock<FieldSet> = std::sync::LazyLock::new(|| {
        let metadata = [
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        ];
        let nested = metadata.map(|name| ["metadata", name]);
        let top: [&[&str]; 3] = [&["apiVersion"], &["kind"], &["metadata"]];
        let nested = nested.iter().map(<[&str; 2]>::as_slice);
        FieldSet::of_fields(top.into_iter().chain(nested))
    });
    &STRIPPED
}
