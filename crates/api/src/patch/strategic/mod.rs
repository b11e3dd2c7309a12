//! Strategic merge patch: maps merge, lists merge by the keys in their shape, and directives (`$patch`, `$retainKeys`,
//! `$setElementOrder/x`, `$deleteFromPrimitiveList/x`) control the rest.
//!
//! Follows the order of steps of Kubernetes' `strategicpatch` package, because the order of merged lists and the
//! errors depend on it. Without a schema, maps merge and lists are replaced.

mod error;
mod list;
mod maps;
mod order;
#[cfg(test)]
mod tests;

pub use error::StrategicError;
pub use maps::apply;
pub(super) use maps::{
    DELETE, DELETION_LIST, DIRECTIVE, ELEMENT_ORDER, Mode, RETAIN_KEYS, merge_map,
};
pub(super) use order::{ItemKind, item_kind};
