//! The kinds that CustomResourceDefinitions define, and the API server's operations on their objects.
//!
//! Each version of a definition has a schema: [`prune()`] removes the fields that it does not have, [`set_defaults`]
//! sets its defaults, and [`create`] and [`update`] validate objects against it.

mod adapt;
mod cache;
mod compile;
pub mod conversion;
mod cost;
pub(crate) mod definition;
mod embedded;
mod formats;
mod names;
pub(crate) mod patch_shape;
mod schema_values;
pub use crate::api::pattern;
mod prepare;
mod prune;
mod rules;
mod validate;

pub(crate) use adapt::type_of;
pub use adapt::untyped;
pub use cache::{is_established, kinds_of};
pub(crate) use compile::{RuleContext, form as check_rule_form, rules as check_rules};
pub(crate) use cost::{Total as TotalCost, multiplier as cost_multiplier};
pub use definition::{CustomKind, Scale};
pub(crate) use names::{APPROVAL, Approval, is_protected};
pub use names::{condition, establish, waits_for_names};
pub use prepare::{prepare_create, prepare_status, prepare_update};
pub(crate) use prune::has_unknown_fields;
pub use prune::{canonical_metadata, convert, normalize, prune, read, set_defaults};
pub(crate) use rules::program;
pub(crate) use validate::default as check_default;
pub use validate::{create, update};

#[cfg(test)]
mod tests;
