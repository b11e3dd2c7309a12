//! Conflicts: fields that another manager owns with a different value.

use std::fmt::{self, Display, Formatter};

use crate::patch::fieldset::{FieldPath, FieldSet};
use crate::patch::managed::Entry;

/// A field that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The manager as the message names it: `"kubectl" using v1`.
    pub manager: String,
    /// The field: `.spec.replicas`.
    pub field: String,
}

impl Conflict {
    /// Returns the message of this conflict's cause in the Status details.
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

/// The conflicts of one apply: a 409 Conflict with one cause of type `FieldManagerConflict` for each.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Conflicts {
    /// The conflicts, by manager and field.
    pub list: Vec<Conflict>,
}

impl Conflicts {
    pub(super) fn new(found: Vec<(Entry, FieldSet)>) -> Self {
        let mut managers: Vec<_> = found
            .into_iter()
            .map(|(entry, fields)| (entry.describe(), fields.paths()))
            .collect();
        // Sorted by manager, then by field, regardless of the order of the managed fields.
        managers.sort_by(|a, b| a.0.cmp(&b.0));
        let one = |manager: &str, field: &FieldPath| Conflict {
            manager: manager.into(),
            field: field.to_string(),
        };
        let list = managers
            .iter()
            .flat_map(|(manager, fields)| fields.iter().map(move |f| one(manager, f)));
        Self {
            list: list.collect(),
        }
    }
}

impl Display for Conflicts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // The API server has a different wording for a single conflict.
        if let [conflict] = self.list.as_slice() {
            let (manager, field) = (&conflict.manager, &conflict.field);
            return write!(
                f,
                "Apply failed with 1 conflict: conflict with {manager}: {field}"
            );
        }
        write!(f, "Apply failed with {} conflicts: ", self.list.len())?;
        let mut manager = None;
        for conflict in &self.list {
            if manager != Some(&conflict.manager) {
                let start = if manager.is_some() { "\n" } else { "" };
                write!(f, "{start}conflicts with {}:", conflict.manager)?;
                manager = Some(&conflict.manager);
            }
            write!(f, "\n- {}", conflict.field)?;
        }
        Ok(())
    }
}
