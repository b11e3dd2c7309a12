//! Binding: its row in discovery and its hooks.

use crate::kind::Kind;

/// Binding at `v1`.
pub(crate) const KIND: Kind = Kind::namespaced(("", "v1", "Binding"), ("bindings", "binding"))
    .verbs(&["create"])
    .binding()
    .field_selectors(&[]);
