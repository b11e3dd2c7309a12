//! Replays the recorded facts about the real API server: defaults, rejections and tables.

mod cells;
mod defaults;
mod registries;
pub(crate) mod server;
mod validation;
