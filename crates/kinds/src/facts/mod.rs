//! The recorded facts about the real server, replayed: what it defaults, refuses and prints.

mod cells;
mod defaults;
mod registries;
mod server;
mod validation;
