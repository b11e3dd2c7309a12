//! The only pipeline from decisions to a commit.

pub(crate) mod measure;
pub(crate) mod overlay;
pub(crate) mod parallel;
pub(crate) mod round;
pub(crate) mod step;
pub(crate) mod transaction;
mod webhook_calls;
