//! The formats of changes to an object, and the owners of its fields.
//!
//! | module | contents |
//! |---|---|
//! | [`json`] | JSON patch: a list of steps |
//! | [`merge`] | JSON merge patch |
//! | [`strategic`] | strategic merge patch, which uses the keys of lists |
//! | [`diff`] | the patches that kubectl computes from two or three documents |
//! | [`apply`] | server-side apply, and the ownership of fields on every other write |
//! | [`managed`] | the list of managers in an object's metadata |
//! | [`fieldset`] | sets of fields, as managers own them |
//! | [`name`] | the name of a field in such a set |
//! | [`shape`] | the properties of an object's type that a patch needs |

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
