//! A cluster on a terminal, as a pure model: [`App`] is the state, [`App::update`] takes what happened, [`draw()`] fills a frame.
//!
//! The program around it reads keys and the cluster, passes both in as [`Input`], and carries out each [`Effect`]. Nothing here waits,
//! so that every screen is a test with a buffer in place of the terminal.
//!
//! Must not know: files, the cluster, how keys arrive, how commands run.

use ctl_scene as scene;

mod action;
mod app;
mod draw;
mod list;
mod model;
mod text;
mod timeline;

pub use action::Prompt;
pub use app::{App, Effect, Input, Key};
pub use draw::draw;
pub use model::Panel;
pub use scene::{Entry, Event, NodeRow, Present, Step, Stop};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod testing;
