//! The formats of changes to an object, and the owners of its fields.
//!
//! | module | contents |
//! |---|---|
//! | [`json`] | JSON patch: a list of operations |
//! | [`merge`] | JSON merge patch |
//! | [`strategic`] | strategic merge patch, which merges lists by key |
//! | [`diff`] | the patches that kubectl computes from two or three documents |
//! | [`apply`] | server-side apply, and the ownership of fields on every other write |
//! | [`managed`] | the list of managers in an object's metadata |
//! | [`fieldset`] | the sets of fields that managers own |
//! | [`name`] | the names of fields in these sets |
//! | [`shape`] | the type information that a patch needs |

pub mod apply;
#[cfg(test)]
mod cases;
pub mod diff;
pub mod fieldset;
pub mod json;
pub mod managed;
pub mod merge;
pub mod name;
mod pointer;
#[cfg(test)]
mod recorded;
pub mod shape;
pub mod strategic;
#[cfg(test)]
mod testing;

use super::go;
