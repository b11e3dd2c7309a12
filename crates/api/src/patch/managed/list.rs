//! The list of managers: its JSON form, its order and its changes.

use super::fields::Fields;
use crate::json::{Map, Value};
use crate::patch::fieldset::{FieldSet, PathElement};
use crate::patch::go::quoted;

/// The maximum number of separate managers that update the object.
pub const MAX_UPDATE_MANAGERS: usize = 10;
/// The manager that receives the fields of the oldest updaters beyond [`MAX_UPDATE_MANAGERS`].
pub const ANCIENT_CHANGES: &str = "ancient-changes";

/// The operation by which a manager came to own its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// The manager applied a configuration (server-side apply).
    Apply,
    /// The manager created, updated or patched the object.
    Update,
}

impl Operation {
    /// Returns the operation's name in managed fields.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// The entry of one manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The manager's name.
    pub manager: String,
    /// The operation.
    pub operation: Operation,
    /// The API version of the manager's last write.
    pub api_version: String,
    /// The subresource that the manager writes to; empty for the object itself.
    pub subresource: String,
    /// The time at which the manager last gained fields, in the format of the API (`2026-11-20T22:34:12Z`).
    pub time: Option<String>,
    /// The fields that the manager owns.
    pub fields: Fields,
}

impl Entry {
    /// Returns true if both entries belong to the same manager. An applier keeps its entry across API versions.
    pub fn is_of(&self, other: &Self) -> bool {
        self.operation == other.operation
            && self.manager == other.manager
            && self.subresource == other.subresource
            // For updates, another version is another manager, because the fields may mean something else.
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// Compares in Kubernetes' order of the list: writes of one second are sorted by the managers' names.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        (self.operation, &self.time, &self.manager)
            .cmp(&(other.operation, &other.time, &other.manager))
            .then_with(|| self.api_version.cmp(&other.api_version))
            .then_with(|| self.subresource.cmp(&other.subresource))
    }

    /// Describes the manager as conflict messages do: `"kubectl" with subresource "scale" using apps/v1`.
    pub fn describe(&self) -> String {
        let mut text = quoted(&self.manager);
        if !self.subresource.is_empty() {
            text.push_str(" with subresource ");
            text.push_str(&quoted(&self.subresource));
        }
        if self.operation == Operation::Update {
            text.push_str(" using ");
            text.push_str(&self.api_version);
        }
        text
    }

    /// Parses an entry without its fields.
    fn read_but_fields(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let operation = match text("operation")? {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return None,
        };
        // An unknown type of fields makes the API server drop the whole list.
        if text("fieldsType") != Some("FieldsV1") {
            return None;
        }
        let owned = |name: &str| text(name).unwrap_or_default().to_owned();
        Some(Self {
            manager: owned("manager"),
            operation,
            // An entry without a version cannot be converted.
            api_version: text("apiVersion").filter(|v| !v.is_empty())?.to_owned(),
            subresource: owned("subresource"),
            time: text("time").map(Into::into),
            fields: Fields::default(),
        })
    }

    fn read(entry: &Value) -> Option<Self> {
        let fields = match entry.get("fieldsV1") {
            // Missing fields are an empty set.
            None | Some(Value::Null) => Fields::default(),
            Some(fields) => Fields::read(fields)?,
        };
        let read = Self::read_but_fields(entry)?;
        Some(Self { fields, ..read })
    }

    fn stored(mut entry: Value) -> Option<Self> {
        let fields = match entry.get_mut("fieldsV1").map(Value::take) {
            None | Some(Value::Null) => Fields::default(),
            Some(fields) => Fields::stored(fields)?,
        };
        let read = Self::read_but_fields(&entry)?;
        Some(Self { fields, ..read })
    }

    fn write(&self, fields: Value) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                out.insert(name, text.into());
            }
        };
        put("manager", &self.manager);
        put("operation", self.operation.as_str());
        put("apiVersion", &self.api_version);
        put("time", self.time.as_deref().unwrap_or_default());
        put("fieldsType", "FieldsV1");
        put("subresource", &self.subresource);
        out.insert("fieldsV1", fields);
        Value::Object(out)
    }
}

/// The managed fields of an object, one entry for each manager.
///
/// ```
/// use ctl_api::json::json;
/// use ctl_api::patch::fieldset::PathElement;
/// use ctl_api::patch::managed::{Entry, ManagedFields, Operation};
///
/// let web = json!({"metadata": {"managedFields": [{
///     "manager": "kubectl", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1",
///     "fieldsV1": {"f:spec": {"f:replicas": {}}},
/// }]}});
/// let managed = ManagedFields::of_object(&web);
/// let replicas = ["spec", "replicas"].map(|name| PathElement::Field(name.into()));
/// assert_eq!(managed.owners_of(&replicas, Operation::Apply), ["kubectl"]);
/// let first: &Entry = &managed.entries()[0];
/// assert_eq!(first.api_version, "apps/v1");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManagedFields {
    entries: Vec<Entry>,
}

impl ManagedFields {
    /// Reads the list in an object's metadata. As in the API server, an unreadable list counts as missing.
    pub fn of_object(object: &Value) -> Self {
        Self::list_of(object)
            .and_then(Self::read)
            .unwrap_or_default()
    }

    /// Returns the list in an object's metadata.
    pub(in crate::patch) fn list_of(object: &Value) -> Option<&Value> {
        object.get("metadata")?.get("managedFields")
    }

    /// Removes the list from an object's metadata.
    pub(in crate::patch) fn take_from(object: &mut Value) -> Option<Value> {
        let metadata = object.get_mut("metadata")?.as_object_mut()?;
        metadata.remove("managedFields")
    }

    /// Reads a list of managed fields; returns `None` if it is malformed.
    pub fn read(list: &Value) -> Option<Self> {
        Self::of_entries(list.as_array()?.iter().map(Entry::read))
    }

    /// Takes the list of a stored object; returns `None` if it is malformed.
    pub(in crate::patch) fn stored(list: Value) -> Option<Self> {
        match list {
            Value::Array(entries) => Self::of_entries(entries.into_iter().map(Entry::stored)),
            _ => None,
        }
    }

    fn of_entries(entries: impl Iterator<Item = Option<Entry>>) -> Option<Self> {
        let mut managed = Self::default();
        for entry in entries {
            let entry = entry?;
            // As in the API server's decoder, the last of several entries of a manager wins.
            managed.entries.retain(|e| !e.is_of(&entry));
            managed.entries.push(entry);
        }
        Some(managed)
    }

    /// Returns the list as JSON, in Kubernetes' order.
    pub fn to_value(&self) -> Value {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by(|a, b| a.order(b));
        let write = |e: &Entry| e.write(e.fields.to_value());
        Value::Array(entries.into_iter().map(write).collect())
    }

    /// Writes the list to an object's metadata, or removes it if it is empty.
    pub fn write_to(mut self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return;
        };
        // An empty list is omitted.
        if self.entries.is_empty() {
            metadata.remove("managedFields");
            return;
        }
        self.entries.sort_by(Entry::order);
        let write = |mut e: Entry| {
            let fields = std::mem::take(&mut e.fields);
            e.write(fields.into_value())
        };
        let list = self.entries.into_iter().map(write).collect();
        metadata.insert("managedFields", Value::Array(list));
    }

    /// Returns the entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns true if no field has an owner.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry that belongs to the same manager as `of`.
    pub fn find(&self, of: &Entry) -> Option<&Entry> {
        self.entries.iter().find(|e| e.is_of(of))
    }

    /// Sets the entry of a manager, or removes it if the manager owns nothing.
    pub fn set(&mut self, entry: Entry) {
        self.entries.retain(|e| !e.is_of(&entry));
        // A manager without fields has no entry.
        if !entry.fields.is_empty() {
            self.entries.push(entry);
        }
    }

    /// Returns the managers that own a field of the object itself by this operation.
    pub fn owners_of(&self, path: &[PathElement], operation: Operation) -> Vec<&str> {
        let owns = |e: &&Entry| {
            e.operation == operation && e.subresource.is_empty() && e.fields.set().contains(path)
        };
        let owners = self.entries.iter().filter(owns);
        owners.map(|e| e.manager.as_str()).collect()
    }

    /// Returns the list after moving the fields that `from` owns by updates to the applier `to`, or `None` if `from`
    /// owns nothing. Entries with another version than the applier's are removed, and their fields get no new owner.
    #[must_use]
    pub fn handed_over(&self, from: &str, to: &str) -> Option<Self> {
        let of = |manager: &str, operation: Operation| {
            let same = move |e: &Entry| {
                e.manager == manager && e.operation == operation && e.subresource.is_empty()
            };
            self.entries.iter().find(|e| same(e))
        };
        let given = of(from, Operation::Update)?;
        // The target is the applier's entry if it exists, otherwise the updater's.
        let mut target = of(to, Operation::Apply).unwrap_or(given).clone();
        let same_version = self.entries.iter().find(|e| {
            let update = e.operation == Operation::Update && e.subresource.is_empty();
            update && e.manager == from && e.api_version == target.api_version
        });
        if let Some(given) = same_version {
            target.fields = target.fields.set().union(given.fields.set()).into();
        }
        target.manager = to.to_owned();
        target.operation = Operation::Apply;
        let mut list = self.clone();
        list.entries.retain(|e| {
            let update = e.operation == Operation::Update && e.subresource.is_empty();
            !(update && e.manager == from)
        });
        match list.entries.iter_mut().find(|e| e.is_of(&target)) {
            Some(entry) => *entry = target,
            None => list.entries.push(target),
        }
        Some(list)
    }

    /// Removes fields from every manager but `except`, and then managers without fields.
    pub(in crate::patch) fn take(&mut self, fields: &FieldSet, except: Option<&Entry>) {
        self.take_if(fields, |entry| except.is_none_or(|e| !e.is_of(entry)));
    }

    /// Removes fields from the managers with such an entry, and then managers without fields.
    pub(in crate::patch) fn take_if(&mut self, fields: &FieldSet, such: impl Fn(&Entry) -> bool) {
        if fields.is_empty() {
            return;
        }
        for entry in &mut self.entries {
            // The raw form rules out most managers, so their sets need not be built.
            if such(entry) && entry.fields.may_touch(fields) {
                entry.fields = entry.fields.set().difference(fields).into();
            }
        }
        self.entries.retain(|e| !e.fields.is_empty());
    }

    /// Returns true if both lists have the same owners of the same fields, regardless of the times.
    pub fn same_owners(&self, other: &Self) -> bool {
        let same = |e: &Entry| {
            let theirs = other.find(e);
            theirs.is_some_and(|o| o.fields == e.fields && o.api_version == e.api_version)
        };
        // Ignores times, because a write that changes no owner is not a change.
        self.entries.len() == other.entries.len() && self.entries.iter().all(same)
    }

    /// Merges the oldest updaters into one until [`MAX_UPDATE_MANAGERS`] are left.
    pub(in crate::patch) fn cap(&mut self) {
        let is_update = |e: &&Entry| e.operation == Operation::Update;
        let mut oldest: Vec<Entry> = self.entries.iter().filter(is_update).cloned().collect();
        let mut left = oldest.len();
        // Returns before sorting anything in the usual case.
        if left <= MAX_UPDATE_MANAGERS {
            return;
        }
        // Sorted from the oldest on, as in Kubernetes' `capManagers`.
        oldest.sort_by(|a, b| {
            let key = |e: &Entry| (e.time.clone(), e.manager.clone(), e.api_version.clone());
            key(a).cmp(&key(b)).then(a.subresource.cmp(&b.subresource))
        });
        let mut first: Vec<Entry> = Vec::new();
        for entry in oldest {
            if left <= MAX_UPDATE_MANAGERS {
                return;
            }
            // Only entries of the same version can be merged, because field names depend on the version.
            let Some(at) = first
                .iter()
                .position(|f| f.api_version == entry.api_version)
            else {
                first.push(entry);
                continue;
            };
            let mut bucket = Entry {
                manager: ANCIENT_CHANGES.into(),
                subresource: String::new(),
                ..entry.clone()
            };
            let before = match self.find(&bucket) {
                Some(found) => found.fields.clone(),
                None => {
                    self.entries.retain(|e| !e.is_of(&first[at]));
                    first[at].fields.clone()
                }
            };
            self.entries.retain(|e| !e.is_of(&entry));
            bucket.fields = before.set().union(entry.fields.set()).into();
            self.set(bucket);
            left -= 1;
        }
    }
}
