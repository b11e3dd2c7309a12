//! A cluster as a picture: the owner tree with the state of each object, at any kept revision.
//!
//! All views share one model. [`Snapshot`] holds the objects at one revision, and [`tree`] arranges those of a
//! [`Scope`] by their owners into a [`Scene`]. A [`Recording`] holds the commits after a snapshot: [`points`] are
//! counts over time, a [`Timeline`] has a frame for each commit. The modules of [`view`] draw all of them.
//!
//! Must not know: terminals, files, the invocation of commands.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_kinds as kinds;

mod present;
mod recording;
mod rollout;
mod scene;
mod series;
mod snapshot;
mod status;
mod timeline;
pub mod view;

pub use present::{Entry, Event, NodeRow, Present, Step, Stop};
pub use recording::{Commit, Period, Recording};
pub use rollout::Rollout;
pub use scene::{Node, Row, Scene, tree};
pub use series::{Metric, Point, Values, points};
pub use snapshot::{Item, Scope, Snapshot};
pub use status::{State, Status};
pub use timeline::{Frame, Shot, Timeline, Track};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod testing;
