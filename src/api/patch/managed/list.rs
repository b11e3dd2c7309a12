//! The list of managers: its form in JSON, its order, and how it changes.

use serde_json::{Map, Value};

use crate::api::patch::fieldset::{FieldSet, PathElement};
use crate::api::patch::go::quoted;

/// How many managers with ordinary writes are kept apart.
pub const MAX_UPDATE_MANAGERS: usize = 10;
/// The manager that owns what the oldest ordinary writers beyond [`MAX_UPDATE_MANAGERS`] owned.
pub const ANCIENT_CHANGES: &str = "ancient-changes";

/// How a manager came to own its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// It applied a configuration (server-side apply).
    Apply,
    /// It wrote in any other way.
    Update,
}

impl Operation {
    /// The name in managed fields.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// What one manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The manager's name.
    pub manager: String,
    /// How it writes.
    pub operation: Operation,
    /// The version it last wrote in.
    pub api_version: String,
    /// The subresource it writes to; empty for the object itself.
    pub subresource: String,
    /// When it last took fields, as in JSON (`2026-11-20T22:34:12Z`).
    pub time: Option<String>,
    /// What it owns.
    pub fields: FieldSet,
}

impl Entry {
    /// Whether the entry is of the same manager: an applier keeps its entry across versions.
    pub fn is_of(&self, other: &Self) -> bool {
        self.operation == other.operation
            && self.manager == other.manager
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// The manager as conflicts name it: `"kubectl" with subresource "scale" using apps/v1`.
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

    fn read(entry: &Value) -> Option<Self> {
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        let operation = match text("operation")? {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return None,
        };
        if text("fieldsType") != Some("FieldsV1") {
            return None;
        }
        let fields = match entry.get("fieldsV1") {
            None | Some(Value::Null) => FieldSet::default(),
            Some(fields) => FieldSet::from_fields_v1(fields).ok()?,
        };
        let owned = |name: &str| text(name).unwrap_or_default().to_owned();
        Some(Self {
            manager: owned("manager"),
            operation,
            api_version: text("apiVersion").filter(|v| !v.is_empty())?.to_owned(),
            subresource: owned("subresource"),
            time: text("time").map(Into::into),
            fields,
        })
    }

    fn write(&self) -> Value {
        let mut out = Map::new();
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                out.insert(name.into(), text.into());
            }
        };
        put("manager", &self.manager);
        put("operation", self.operation.as_str());
        put("apiVersion", &self.api_version);
        put("time", self.time.as_deref().unwrap_or_default());
        put("fieldsType", "FieldsV1");
        put("subresource", &self.subresource);
        out.insert("fieldsV1".into(), self.fields.to_fields_v1());
        Value::Object(out)
    }
}

/// What each manager of an object owns.
#[derive(Debug, Clone, Default)]
pub struct ManagedFields {
    entries: Vec<Entry>,
    /// The entry that was set last. It comes last of its second: the others' times lost their
    /// fractions when they were written down, and its own has not yet.
    newest: Option<Entry>,
}

impl PartialEq for ManagedFields {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Eq for ManagedFields {}

impl ManagedFields {
    /// Reads the list in an object's metadata; one that cannot be read counts as none, as on the
    /// server.
    pub fn of_object(object: &Value) -> Self {
        let list = object.get("metadata").and_then(|m| m.get("managedFields"));
        list.and_then(Self::read).unwrap_or_default()
    }

    /// Takes the list out of an object's metadata.
    pub(in crate::api::patch) fn take_from(object: &mut Value) -> Option<Value> {
        let metadata = object.get_mut("metadata")?.as_object_mut()?;
        metadata.remove("managedFields")
    }

    /// Puts a list that was taken out back.
    pub(in crate::api::patch) fn put_into(object: &mut Value, list: Value) {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.insert("managedFields".into(), list);
        }
    }

    /// Reads a list of managed fields; `None` if it is none.
    pub fn read(list: &Value) -> Option<Self> {
        let mut managed = Self::default();
        for entry in list.as_array()? {
            let entry = Entry::read(entry)?;
            managed.entries.retain(|e| !e.is_of(&entry));
            managed.entries.push(entry);
        }
        Some(managed)
    }

    /// The list as JSON, in Kubernetes' order.
    pub fn to_value(&self) -> Value {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_by_key(|e| {
            let time = e.time.as_deref().unwrap_or_default();
            let newest = self.newest.as_ref().is_some_and(|n| n.is_of(e));
            (
                e.operation,
                time,
                newest,
                &e.manager,
                &e.api_version,
                &e.subresource,
            )
        });
        Value::Array(entries.into_iter().map(Entry::write).collect())
    }

    /// Puts the list into an object's metadata, or takes it out if it is empty.
    pub fn write_to(&self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return;
        };
        if self.entries.is_empty() {
            metadata.remove("managedFields");
        } else {
            metadata.insert("managedFields".into(), self.to_value());
        }
    }

    /// The entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether nobody owns anything.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of the same manager.
    pub fn find(&self, of: &Entry) -> Option<&Entry> {
        self.entries.iter().find(|e| e.is_of(of))
    }

    /// Sets the entry of a manager; one that owns nothing is taken out.
    pub fn set(&mut self, entry: Entry) {
        self.entries.retain(|e| !e.is_of(&entry));
        self.newest = Some(Entry {
            fields: FieldSet::default(),
            ..entry.clone()
        });
        if !entry.fields.is_empty() {
            self.entries.push(entry);
        }
    }

    /// The managers that own a field through one kind of write to the object itself.
    pub fn owners_of(&self, path: &[PathElement], operation: Operation) -> Vec<&str> {
        let owns = |e: &&Entry| {
            e.operation == operation && e.subresource.is_empty() && e.fields.contains(path)
        };
        let owners = self.entries.iter().filter(owns);
        owners.map(|e| e.manager.as_str()).collect()
    }

    /// The list after what `from` owns by ordinary writes came to `to`, who applies; `None` where
    /// `from` owns nothing. Entries of another version than the applier's go with nobody taking them.
    #[must_use]
    pub fn handed_over(&self, from: &str, to: &str) -> Option<Self> {
        let of = |manager: &str, operation: Operation| {
            let same = move |e: &Entry| {
                e.manager == manager && e.operation == operation && e.subresource.is_empty()
            };
            self.entries.iter().find(|e| same(e))
        };
        let given = of(from, Operation::Update)?;
        let mut target = of(to, Operation::Apply).unwrap_or(given).clone();
        let same_version = self.entries.iter().find(|e| {
            let update = e.operation == Operation::Update && e.subresource.is_empty();
            update && e.manager == from && e.api_version == target.api_version
        });
        if let Some(given) = same_version {
            target.fields = target.fields.union(&given.fields);
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

    /// Takes fields from every manager but `except`; those left with nothing go.
    pub(in crate::api::patch) fn take(&mut self, fields: &FieldSet, except: Option<&Entry>) {
        if fields.is_empty() {
            return;
        }
        for entry in &mut self.entries {
            if except.is_none_or(|e| !e.is_of(entry)) {
                entry.fields = entry.fields.difference(fields);
            }
        }
        self.entries.retain(|e| !e.fields.is_empty());
    }

    /// Whether the managers own the same, whenever they took it.
    pub fn same_owners(&self, other: &Self) -> bool {
        let same = |e: &Entry| {
            let theirs = other.find(e);
            theirs.is_some_and(|o| o.fields == e.fields && o.api_version == e.api_version)
        };
        self.entries.len() == other.entries.len() && self.entries.iter().all(same)
    }

    /// Merges the oldest ordinary writers into one until [`MAX_UPDATE_MANAGERS`] are left.
    pub(in crate::api::patch) fn cap(&mut self) {
        let is_update = |e: &&Entry| e.operation == Operation::Update;
        let mut oldest: Vec<Entry> = self.entries.iter().filter(is_update).cloned().collect();
        let mut left = oldest.len();
        if left <= MAX_UPDATE_MANAGERS {
            return;
        }
        oldest.sort_by(|a, b| {
            let key = |e: &Entry| (e.time.clone(), e.manager.clone(), e.api_version.clone());
            key(a).cmp(&key(b)).then(a.subresource.cmp(&b.subresource))
        });
        let mut first: Vec<Entry> = Vec::new();
        for entry in oldest {
            if left <= MAX_UPDATE_MANAGERS {
                return;
            }
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
            bucket.fields = before.union(&entry.fields);
            self.set(bucket);
            left -= 1;
        }
    }
}
