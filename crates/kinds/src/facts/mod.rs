//! Replays the recorded facts about the real server: defaults, rejections and tables.

mod cells;
mod defaults;
mod registries;
pub(crate) mod server;
mod validation;
