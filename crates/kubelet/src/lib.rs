//! Fake nodes and the Pods on them.
//!
//! A list of stages in YAML (`stages/`) defines what can happen to a container, a Pod or a node: when a stage applies,
//! after which delay, and what it does. `play` applies the stages; it is a pure function of the object, the stages and
//! the time. `outcome` derives the behavior of a container from its command, image, probes and annotations. The phase
//! and the conditions follow from the containers alone (`status`), so that no stage can contradict them.
//!
//! Rules in the history: the names of the stages (`container-starts`, `pod-ends`, ...).
//!
//! Must not know: the controllers.

use ctl_api as api;
use ctl_cluster as cluster;
use ctl_kinds as kinds;
use ctl_runtime as runtime;
use ctl_sys as sys;

mod address;
mod admission;
mod at_rest;
mod controller;
pub mod exec;
pub mod follow;
mod lifecycle_events;
pub mod logs;
mod nodes;
mod on_node;
mod outcome;
mod play;
mod preemption;
mod probe;
mod repeats;
mod resize;
mod stage;

mod container;
mod container_status;
mod digest;
mod image;
mod reported_event;
mod scope;
mod script;
mod sources;
mod status;
mod termination;
mod user;
mod user_stages;

#[cfg(test)]
mod tests;

pub use controller::controllers;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
