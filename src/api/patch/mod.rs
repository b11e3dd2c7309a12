//! The ways to say what should change in an object.
//!
//! | module | is |
//! |---|---|
//! | [`diff`] | the patches that kubectl computes from two or three documents |
//! | [`json`] | JSON patch: a list of steps |
//! | [`merge`] | JSON merge patch |
//! | [`strategic`] | strategic merge patch, which knows the keys of lists |
//! | [`shape`] | what a patch has to know of an object's type |

pub mod apply;
pub mod diff;
pub mod fieldset;
mod go;
pub mod json;
pub mod managed;
pub mod merge;
mod pointer;
pub mod shape;
pub mod strategic;
#[cfg(test)]
mod testing;
