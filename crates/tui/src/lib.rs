//! Shows a cluster on a terminal, as a pure model: [`App`] is the state, [`App::update`] processes an input, and
//! [`draw()`] draws a frame. [`SideBySide`] adds the screen of a fork next to that of the cluster.
//!
//! The program around it reads keys and the cluster, passes both on as [`Input`], and executes each [`Effect`].
//! Nothing here waits, so every screen can be tested with a buffer instead of a terminal.
//!
//! Must not know: files, the cluster, where keys come from, or how commands are executed.

use ctl_scene as scene;

mod action;
mod app;
mod compare;
mod draw;
mod list;
mod model;
mod side_by_side;
mod text;
mod timeline;

pub use action::Prompt;
pub use app::{App, Effect, Input, Key};
pub use draw::draw;
pub use model::Panel;
pub use scene::{Entry, Event, NodeRow, Present, Step, Stop};
pub use side_by_side::{Side, SideBySide};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod testing;
