//! The fields of every built-in kind: types, defaults, list types and keys, patch strategies.
//!
//! [`table`] describes the fields. [`decode`] checks an object's shape as the API server does on decoding.
//! [`canonical`] converts an object to the shape in which the API server writes it.

pub mod canonical;
pub mod decode;
pub mod descriptions;
mod go_types;
mod known;
pub(crate) mod names;
mod patch_shape;
pub mod table;
pub mod time;
pub(crate) mod unknown;
pub mod unstructured;
mod untyped;

pub use known::StoredFields;
pub use patch_shape::{KindShape, patch_shape, strategic_shape};
pub use table::{Field, ListType, Schema, Type, named, of_kind};
pub use untyped::of_any;
