//! Kinds that custom resource definitions make, and what the server does with their objects.
//!
//! A definition's version carries its own schema: unknown fields are dropped by it ([`prune`]), defaults
//! come from it ([`set_defaults`]), and objects are held against it ([`create`], [`update`]).

mod definition;
mod prepare;
mod prune;
mod validate;

pub use definition::{CustomKind, Scale};
pub use prepare::{prepare_create, prepare_status, prepare_update};
pub use prune::{prune, read, set_defaults};
pub use validate::{create, update};

#[cfg(test)]
mod tests;
