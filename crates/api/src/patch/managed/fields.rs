//! The fields of one manager, kept in their stored form until a set is needed.

use std::sync::OnceLock;

use crate::json::Value;
use crate::patch::fieldset::{FieldSet, raw};

/// The fields that a manager owns.
///
/// ```
/// use ctl_api::patch::fieldset::FieldSet;
/// use ctl_api::patch::managed::Fields;
///
/// let fields = Fields::from(FieldSet::of_fields([["spec", "replicas"].as_slice()]));
/// assert!(!fields.is_empty());
/// assert_eq!(fields.set().paths()[0].to_string(), ".spec.replicas");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// FieldsV1 in the server's own spelling; `None` if the fields changed or came in another spelling.
    raw: Option<Value>,
    /// The fields as a set, computed on demand. Always present if `raw` is not.
    set: OnceLock<FieldSet>,
}

impl From<FieldSet> for Fields {
    fn from(set: FieldSet) -> Self {
        Self {
            raw: None,
            set: OnceLock::from(set),
        }
    }
}

impl Fields {
    /// Parses FieldsV1 from a request.
    pub(super) fn read(fields: &Value) -> Option<Self> {
        FieldSet::from_fields_v1(fields).ok().map(Self::from)
    }

    /// Takes FieldsV1 from a stored object.
    pub(super) fn stored(fields: Value) -> Option<Self> {
        // Only FieldsV1 in ctl's own spelling can be compared as text.
        if !raw::is_canonical(&fields) {
            return Self::read(&fields);
        }
        Some(Self {
            raw: Some(fields),
            set: OnceLock::new(),
        })
    }

    /// Returns the fields as a set.
    pub fn set(&self) -> &FieldSet {
        self.set.get_or_init(|| {
            let set = self.raw.as_ref().map(FieldSet::from_fields_v1);
            set.and_then(Result::ok).unwrap_or_default()
        })
    }

    /// Returns true if the manager owns no field.
    pub fn is_empty(&self) -> bool {
        match &self.raw {
            Some(Value::Object(fields)) => fields.is_empty(),
            _ => self.set().is_empty(),
        }
    }

    /// Returns false only if the fields and `set` certainly have no field in common.
    pub(in crate::patch) fn may_touch(&self, set: &FieldSet) -> bool {
        match &self.raw {
            Some(fields) => raw::may_touch(fields, set),
            // Without the raw form, returns true, so that the caller compares the sets.
            None => true,
        }
    }

    /// Returns true only if these fields certainly include all of `set`.
    pub(in crate::patch) fn cover(&self, set: &FieldSet) -> bool {
        match &self.raw {
            Some(fields) => raw::covers(fields, set),
            None => set.is_subset(self.set()),
        }
    }

    /// Returns the fields that are not in `set`, with their parents. The result may contain further fields of this
    /// manager.
    pub(in crate::patch) fn beyond(&self, set: &FieldSet) -> FieldSet {
        let quick = self.raw.as_ref().and_then(|f| raw::beyond(f, set));
        // Extra fields are allowed, because the caller checks the result against the set.
        quick.unwrap_or_else(|| self.set().clone())
    }

    /// Returns true if these fields equal `set`.
    pub(in crate::patch) fn are(&self, set: &FieldSet) -> bool {
        // Compares the texts first, and the sets only if the spelling differs.
        let surely = self.raw.as_ref().is_some_and(|f| raw::is_set(f, set));
        surely || self.set() == set
    }

    /// Returns the fields as FieldsV1.
    pub(super) fn to_value(&self) -> Value {
        match &self.raw {
            Some(fields) => fields.clone(),
            None => self.set().to_fields_v1(),
        }
    }

    /// Converts the fields into FieldsV1 without a copy.
    pub(super) fn into_value(self) -> Value {
        match self.raw {
            Some(fields) => fields,
            None => self.set().to_fields_v1(),
        }
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        // The raw forms are canonical, so equal texts mean equal sets.
        let same = matches!((&self.raw, &other.raw), (Some(a), Some(b)) if a == b);
        same || self.set() == other.set()
    }
}

impl Eq for Fields {}
