//! A cluster as a picture: the owner tree with the state of each object, at any retained revision.
//!
//! All views share one model. A [`Snapshot`] holds the objects at one revision, and [`tree`] arranges the objects of a
//! [`Scope`] by owner into a [`Scene`]. A [`Recording`] holds the commits after a snapshot. [`points`] are counts over
//! time; a [`Timeline`] has a frame for each commit. The modules of [`view`] draw all of them.
//!
//! Must not know: terminals, files, or how commands are invoked.

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
pub use timeline::{Frame, ObjectState, Timeline, Track};

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod testing;
