//! The verbs of the API: each takes an admitted request and returns the step of a commit.

pub(crate) mod apply;
pub(crate) mod batch;
pub(crate) mod binding;
pub(crate) mod condition;
pub(crate) mod delete;
pub(crate) mod eviction;
pub(crate) mod log;
pub(crate) mod patch;
pub(crate) mod recreate;
pub(crate) mod review;
pub(crate) mod scale;
pub(crate) mod token;
pub(crate) mod write;
