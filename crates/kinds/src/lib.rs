//! The Kubernetes kinds: names, scope, schema, defaults, validation, columns, selectable fields.
//!
//! Everything here is a pure function of objects (`crate::api::json::Value` trees). The caller passes the clock,
//! random values and other objects. Must not know the storage or its callers.
//!
//! A new object goes through these steps, as in the API server:
//!
//! 1. [`shape::read`]: checks the shape (400), drops unknown fields, sets defaults;
//! 2. [`strategy::check_create`], then the caller sets name, namespace, uid and creation time;
//! 3. [`admission::admit_create`]: additions and rejections of the built-in plugins (403);
//! 4. [`strategy::prepare_create`] and [`shape::canonical`]: empty status, generation 1;
//! 5. [`validate::create`] and [`validate::refuse`]: the rules (422); warnings from [`warnings`];
//! 6. [`admission::service::allocate`] for Services; [`shape::normalize`], which is also every later read.
//!
//! An update takes [`shape::read`], [`strategy::check_update`], [`admission::admit_update`],
//! [`strategy::prepare_update`] (or `prepare_status`), [`shape::canonical`] and [`validate::update`] (or
//! `status`). Custom resources take the same steps through [`custom`].
//!
//! Each kind has one folder, such as `src/batch/cron_job`. Its `mod.rs` contains the row of the kind and its hooks
//! (`hooks.rs`); the functions that the hooks name are next to it (`defaults.rs`, `validate.rs`, `cells.rs`,
//! `strategy.rs`, `warnings.rs`, ...). The steps above call the hooks and never ask for the kind. To add a kind, copy
//! the folder of a similar one and add a line to the list of its group (`src/batch/mod.rs`); its fields are lines of
//! `src/table/schemas.tsv`.

use ctl_api as api;
pub use ctl_cel as cel;
use ctl_pki as pki;
use ctl_template::jsonpath;

mod admissionregistration;
mod apiextensions;
mod apiregistration;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod events;
mod flowcontrol;
mod internal;
mod networking;
mod node;
mod policy;
pub mod resource;
mod scheduling;
mod storage;

pub mod admission;
pub mod applyset;
mod builder;
mod catalogue;
pub mod client;
mod client_facts;
pub mod columns;
pub mod condition;
pub mod convert;
pub mod custom;
mod decoded;
mod defaults;
pub mod fake;
pub mod fields;
#[cfg(any(test, feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
mod hooks;
pub mod kind;
pub mod last_applied;
mod lookup;
pub mod moment;
pub mod pod;
pub mod rbac;
pub mod registry;
pub mod rollout;
pub mod scale;
pub mod schema;
pub mod shape;
pub mod strategy;
pub mod tree;
pub mod usage;
pub mod validate;
mod versions;
pub mod warnings;

#[cfg(test)]
mod facts;

pub use catalogue::Catalogue;
pub use hooks::Review;
pub use kind::{Column, Kind, Subresource};
pub use lookup::{find, find_by_api_version, find_resource};
pub use versions::by_version;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
