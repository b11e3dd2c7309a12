//! The controller runtime: cache, queue, back-off, plan and apply.
//!
//! The pipeline is the usual one: a change in the cluster is read into the [`Cache`], which every controller of the
//! process shares; each controller's [`Watch`]es turn it into [`Key`]s; a queue contains each key once;
//! [`Controller::plan`] reads the cache and returns a [`Plan`]; one shared `apply` commits the plans of a tick together
//! and puts the changes back into the cache.
//!
//! A new controller is one file: its watches and a pure `plan`. See [`Controller`], and
//! `docs/custom-controller.md` for one outside this crate.
//!
//! Must not know: any kind. Controllers state all differences between kinds.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_sys as sys;

mod apply;
pub mod backoff;
mod batch_plan;
mod cache;
mod change;
mod controller;
mod events;
pub mod explore;
mod fast_map;
mod index;
mod informer;
mod limits;
mod manager;
mod metrics;
mod object;
mod objects;
mod one_step;
mod plan;
mod queue;
mod report;
mod runner;
mod settle;
mod tally;
mod upcoming;

pub use crate::sys::entropy::Seed;
pub use cache::{Cache, Change};
pub use controller::{CompletedWrite, Controller, Failure, Planner, ReconcileContext, Watch};
pub use events::events_about;
pub use index::Index;
pub use limits::{Config, Configs};
pub use manager::Manager;
pub use object::{Key, Object};
pub use one_step::OneStep;
pub use plan::{EventNote, Plan, PlannedWrite};
pub use report::{Observer, Reconciled};
pub use settle::{Outcome, Stop, Stuck, Until, run};
pub use tally::Tally;
pub use upcoming::Upcoming;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
