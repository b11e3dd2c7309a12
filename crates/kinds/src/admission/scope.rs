//! The scopes of ResourceQuotas, which select the objects that a quota counts.

use crate::api::json::Value;
use crate::tree::{field, list, text, texts};

/// A scope of a quota, with an operator and values.
pub(crate) struct Scope<'a> {
    pub(crate) name: &'a str,
    operator: &'a str,
    values: Vec<&'a str>,
}

impl<'a> Scope<'a> {
    pub(super) fn all_of(quota: &'a Value) -> Vec<Self> {
        let spec = field(quota, "spec");
        // `spec.scopes` is the older form of a selector with the operator `Exists`.
        let exists = |name| Self {
            name,
            operator: "Exists",
            values: Vec::new(),
        };
        let selected = list(field(spec, "scopeSelector"), "matchExpressions").iter();
        let selected = selected.map(|expression| Self {
            name: text(expression, "scopeName"),
            operator: text(expression, "operator"),
            values: texts(expression, "values").collect(),
        });
        texts(spec, "scopes").map(exists).chain(selected).collect()
    }

    /// Returns true if the scope includes an object with these names.
    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        let listed = |name: &&str| self.values.contains(name);
        match self.operator {
            "In" => names.iter().any(listed),
            // As in label selectors, a missing name is not in the list.
            "NotIn" => names.is_empty() || !names.iter().all(listed),
            "Exists" => !names.is_empty(),
            _ => names.is_empty(),
        }
    }
}
