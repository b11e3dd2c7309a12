//! The orders of `cluster.yaml` for what the API gets wrong, as they are now.

use std::sync::Arc;

use super::settings::{ApiFault, Settings};
use crate::sys::fs::Stat;

/// The orders as they were read last.
#[derive(Debug)]
pub(crate) struct Faults {
    /// The stat of the file at that time.
    pub(crate) seen: Option<Stat>,
    pub(crate) rules: Arc<[ApiFault]>,
    /// The paused controllers.
    pub(crate) paused: Arc<[String]>,
    /// How many draws there were, once that was asked.
    pub(crate) draws: Option<u64>,
}

impl Faults {
    /// Those of settings that were read from a file that was like this just before.
    pub(crate) fn new(settings: &Settings, seen: Option<Stat>) -> Self {
        Self {
            seen,
            rules: settings.faults.clone().into(),
            paused: settings.paused.clone().into(),
            draws: None,
        }
    }
}
