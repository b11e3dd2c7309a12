//! What each Kubernetes kind is: names, scope, schema, defaults, validation, columns, selectable fields.
//!
//! Everything here is a pure function of objects (`serde_json::Value` trees). What needs a clock, a
//! random source or other objects is passed in by the caller. Must not know: storage, callers.

pub mod admission;
pub mod columns;
pub mod convert;
pub mod custom;
pub mod defaults;
pub mod fields;
pub mod kind;
pub mod pod;
pub mod registry;
pub mod schema;
pub mod shape;
pub mod strategy;
pub mod tree;
pub mod validate;
pub mod warnings;

#[cfg(test)]
mod facts;

pub use kind::{Column, Kind, Subresource, find, find_by_api_version, find_resource, resolve};
