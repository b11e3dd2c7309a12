//! The ways to say what should change in an object.

pub mod merge;
